package fullsystem

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// The diagonal of A = (S + ΛI)⁻¹ by vectors z of random signs: z∘Az has it for its mean. With the inverse Q of the model
//
//	z∘Az - β (z∘Qz - diag Q)
//
// has the same mean, and with the β of the least variance less noise. The mean over the vectors is drawn to the diagonal of
// the model, scaled so that it has the sum of the probes, which is known best, by the share of its distance that is noise, and by
// a standard error at most, since for some rows the model is wrong (B. Efron and C. Morris, Journal of the American Statistical
// Association 67, 1972).

// probeResult is the diagonal of A by probes.
type probeResult struct {
	samples  [][]float64 // of each probe
	model    []float64   // the diagonal of Q, scaled
	keep     float64     // the share of the distance to the model that is not noise
	error    float64     // the relative standard error of the mean of the samples
	low, top []float64   // bounds of the diagonal
}

// leaveOut fills in what leaving a row out says of a solution.
func (p *Problem) leaveOut(ctx context.Context, s *system, out *Solution) error {
	m := len(s.probes)
	out.model = s.model
	if m == 0 {
		return nil
	}
	dst, z := make([][]float64, m), make([][]float64, m)
	for q, side := range s.probes {
		dst[q], z[q] = side.q, side.b
	}
	if err := s.model.solve(ctx, dst, z); err != nil {
		return err
	}
	r := &probeResult{model: append([]float64(nil), s.model.diagonal...), low: make([]float64, p.n), top: make([]float64, p.n)}
	var of, by [][]float64
	for q, side := range s.probes {
		a, b := make([]float64, p.n), make([]float64, p.n)
		for i, sign := range z[q] {
			a[i], b[i] = sign*side.u[i], sign*dst[q][i]-s.model.diagonal[i]
		}
		of, by = append(of, a), append(by, b)
	}
	beta := controlFactor(of, by, r.model)
	for q := range of {
		floats.AddScaled(of[q], -beta, by[q])
	}
	r.samples = of
	diagonal := p.scaledDiagonal()
	for i, v := range diagonal {
		r.low[i], r.top[i] = 1/(v+s.ones.ridge), 1/s.ones.ridge
	}
	r.fit()
	out.probes = r
	p.leftOut(out, r.diagonal(-1))
	out.Spread = r.spread()
	for i := range out.Spread {
		out.Spread[i] *= weights.Weight(p.weights, i) / p.unit
	}
	return nil
}

// controlFactor is the β of the least variance, each row in units of the model.
func controlFactor(of, by [][]float64, model []float64) float64 {
	mean := meanOf(of, -1)
	cross, square := 0., 0.
	for q := range of {
		for i, v := range model {
			if v > 0 {
				cross += (of[q][i] - mean[i]) * by[q][i] / (v * v)
				square += by[q][i] * by[q][i] / (v * v)
			}
		}
	}
	if !(square > 0) {
		return 0
	}
	return cross / square
}

// meanOf returns the mean of the samples but for one; -1 leaves out none.
func meanOf(samples [][]float64, without int) []float64 {
	out, count := make([]float64, len(samples[0])), 0.
	for q, sample := range samples {
		if q != without {
			floats.Add(out, sample)
			count++
		}
	}
	floats.Scale(1/max(count, 1), out)
	return out
}

// spread is the standard error of the mean.
func (r *probeResult) spread() []float64 {
	mean, m := meanOf(r.samples, -1), float64(len(r.samples))
	out := make([]float64, len(mean))
	for _, sample := range r.samples {
		for i, v := range sample {
			out[i] += (v - mean[i]) * (v - mean[i])
		}
	}
	for i, v := range out {
		out[i] = math.Sqrt(v / (m * max(m-1, 1)))
	}
	return out
}

// fit scales the model and finds the share of the distance to it that is not noise.
func (r *probeResult) fit() {
	mean, spread := meanOf(r.samples, -1), r.spread()
	if scale := vecmath.Sum(mean) / vecmath.Sum(r.model); scale > 0 {
		floats.Scale(scale, r.model)
	}
	noise, all := 0., 0.
	for i, v := range r.model {
		if v > 0 {
			noise += spread[i] * spread[i] / (v * v)
			all += (mean[i] - v) * (mean[i] - v) / (v * v)
		}
	}
	if all > noise && len(r.samples) > 1 {
		r.keep = 1 - noise/all
	}
	sum, squares := 0., 0.
	for i, v := range mean {
		if v > r.low[i] {
			sum += spread[i] * spread[i]
			squares += v * v
		}
	}
	if squares > 0 {
		r.error = math.Sqrt(sum / squares)
	}
}

// diagonal is the estimate of that of A, without one of the probes; -1 leaves out none.
func (r *probeResult) diagonal(without int) []float64 {
	out := meanOf(r.samples, without)
	for i, v := range out {
		shift := (1 - r.keep) * (r.model[i] - v)
		most := r.error * math.Abs(v)
		out[i] = min(max(v+min(max(shift, -most), most), r.low[i]), r.top[i])
	}
	return out
}

// scaledDiagonal returns that of S.
func (p *Problem) scaledDiagonal() []float64 {
	out := p.conditioner.unseenAt(0)
	return out
}

// leftOut sets the inverse and the residuals of the machines without a row each.
func (p *Problem) leftOut(out *Solution, diagonal []float64) {
	out.Inverse = p.inverse(out, diagonal)
	n, k := out.Alpha.Dims()
	out.Residuals = mat.NewDense(n, k, nil)
	for i, d := range out.Inverse {
		for j, a := range out.Alpha.RawRowView(i) {
			if d > 0 {
				out.Residuals.Set(i, j, a/d)
			}
		}
	}
}

// leastShare is the least that the diagonal keeps when the part of the ones is taken away, which is of the order of 1/n.
const leastShare = 0.1

// inverse returns the diagonal of C⁻¹ - ηη'/1'η, C = K + λ/w.
func (p *Problem) inverse(out *Solution, diagonal []float64) []float64 {
	sum := vecmath.Sum(out.Eta)
	inverse := make([]float64, p.n)
	// The mean square of 1/d is too large by three times the squared error of d.
	correction := 1 + 1.5*out.probes.error*out.probes.error
	for i, v := range diagonal {
		v *= weights.Weight(p.weights, i) / p.unit * correction
		inverse[i] = max(v-out.Eta[i]*out.Eta[i]/sum, leastShare*v)
	}
	return inverse
}

// score is the weighted mean squared residual, without one of the probes; -1 leaves out none.
func (p *Problem) score(s *Solution, without int) float64 {
	inverse := s.Inverse
	if without >= 0 {
		inverse = p.inverse(s, s.probes.diagonal(without))
	}
	sum, total := 0., 0.
	for i, d := range inverse {
		w := weights.Weight(p.weights, i)
		total += w
		for _, a := range s.Alpha.RawRowView(i) {
			if d > 0 {
				sum += w * (a / d) * (a / d)
			}
		}
	}
	return sum / total
}

// compare returns by how much the error of a is larger than that of b, and the standard error of that by the jackknife over the
// probes.
func (p *Problem) compare(a, b *Solution) (difference, deviation float64) {
	m := len(a.probes.samples)
	difference = p.score(a, -1) - p.score(b, -1)
	if m < 2 {
		return difference, math.Inf(1)
	}
	without := make([]float64, m)
	for q := range without {
		without[q] = p.score(a, q) - p.score(b, q)
	}
	mean := vecmath.Sum(without) / float64(m)
	for _, v := range without {
		deviation += (v - mean) * (v - mean)
	}
	return difference, math.Sqrt(deviation * float64(m-1) / float64(m))
}
