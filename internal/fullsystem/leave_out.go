package fullsystem

import (
	"context"
	"math"
	"slices"

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
// the model, scaled so that it has the sum of the probes, which is known best, by the share of the distance that the noise of the
// row makes likely, and by some standard errors at most, since for some rows the model is wrong (B. Efron and C. Morris, Journal of
// the American Statistical Association 67, 1972).

// probeResult is the diagonal of A by probes.
type probeResult struct {
	samples  [][]float64 // of each probe
	model    []float64   // the diagonal of Q, scaled
	spread   []float64   // the standard errors of the mean
	wrong    float64     // the squared relative error of the model, of a usual row
	error    float64     // the relative standard error of the diagonal, of a usual row
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
	p.leftOut(out, r.diagonal())
	out.Spread = slices.Clone(r.spread)
	for i := range out.Spread {
		out.Spread[i] *= weights.Weight(p.weights, i) / p.unit
	}
	return nil
}

// controlFactor is the β of the least variance, each row in units of the model.
func controlFactor(of, by [][]float64, model []float64) float64 {
	mean := meanOf(of)
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

// meanOf returns the mean of the samples.
func meanOf(samples [][]float64) []float64 {
	out := make([]float64, len(samples[0]))
	for _, sample := range samples {
		floats.Add(out, sample)
	}
	floats.Scale(1/float64(len(samples)), out)
	return out
}

// standardErrors returns the standard error of each mean.
func (r *probeResult) standardErrors() []float64 {
	mean, m := meanOf(r.samples), float64(len(r.samples))
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

// medianSquare is the median of the square of a normal number.
const medianSquare = 0.455

// fit scales the model and finds how wrong it is.
func (r *probeResult) fit() {
	mean := meanOf(r.samples)
	r.spread = r.standardErrors()
	if scale := vecmath.Sum(mean) / vecmath.Sum(r.model); scale > 0 {
		floats.Scale(scale, r.model)
	}
	squares, noise := make([]float64, 0, len(mean)), make([]float64, 0, len(mean))
	for i, v := range r.model {
		if v > 0 {
			squares = append(squares, (mean[i]-v)*(mean[i]-v)/(v*v))
			noise = append(noise, r.spread[i]*r.spread[i]/(v*v))
		}
	}
	r.wrong = max(middle(squares)/medianSquare-middle(noise), leastWrong)
	errors := make([]float64, 0, len(mean))
	for i, v := range r.diagonal() {
		if v > 0 {
			e := r.keep(i) * r.spread[i] / v
			errors = append(errors, e*e)
		}
	}
	r.error = math.Sqrt(middle(errors))
}

// leastWrong is the least squared relative error that the model is taken to have.
const leastWrong = 1e-4

// middle is the median of numbers, which it sorts; 0 for none.
func middle(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	return v[len(v)/2]
}

// keep is the share of the distance to the model that is not noise.
func (r *probeResult) keep(i int) float64 {
	model := r.wrong * r.model[i] * r.model[i]
	if model == 0 {
		return 1
	}
	return model / (model + r.spread[i]*r.spread[i])
}

// mostShift limits how far a mean moves toward the model, in standard errors of the mean.
const mostShift = 1.5

// diagonal is the estimate of that of A.
func (r *probeResult) diagonal() []float64 {
	out := meanOf(r.samples)
	for i, v := range out {
		shift, most := (1-r.keep(i))*(r.model[i]-v), mostShift*r.spread[i]
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
