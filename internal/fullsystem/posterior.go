package fullsystem

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/internal/weights"
	"github.com/kernelearn/kernelearn/kernels"
)

// Posterior is the variance of the function at a row x, without the part of b, from what the pivots say of all rows and what the
// nearest rows say of the rest. With the features φ of the model and the kernel that they leave, r(x, z) = k(x, z)/U - φ(x)'φ(z), on
// the rows N of the largest correlation with x,
//
//	U c (r(x,x) - r(x,N) (r(N,N) + Λ/w)⁻¹ r(N,x) + φ'(I + F N⁻¹F')⁻¹φ)
//
// It is nearly proportional to the variance given all rows, and a little larger. So c makes the diagonal of the inverse that
// it gives for some training rows, each left out, that of the probes on the mean.
//
// Two other ways were tried and left. The model of the pivots alone has a ratio to the variance given all rows that spreads several
// times as wide. Samples by random features have a noise of 18% if they are 64, and each is a right-hand side.
type Posterior struct {
	Pivots []int            // of the model, indices of rows
	Unit   float64          // U
	Share  float64          // τ², which made N
	Scale  float64          // c
	Factor *linalg.Cholesky // of I + F N⁻¹F'; nil without pivots

	kernel   kernels.Kernel
	rows     *mat.Dense // n×d
	weights  []float64
	ridge    float64    // Λ
	features *mat.Dense // r×n, of the rows without their weights
	basis    *linalg.Cholesky
	diagonal []float64 // k(x, x)/U of the rows
	workers  int
}

const (
	// neighbours is how many rows are nearest.
	neighbours = 128
	// calibrating is how many training rows c and the ridge are chosen by, at most and at least: as many as calibratingShare of
	// the limit holds.
	calibrating, leastCalibrating = 1000, 64
	calibratingShare              = 1. / 32
	// calibrationStream is the stream "calibrate".
	calibrationStream = 0x63616c6962726174
)

// Posterior returns the variance of a solution that has probes.
func (p *Problem) Posterior(ctx context.Context, s *Solution) (*Posterior, error) {
	if s.posterior == nil {
		if err := p.calibrate(ctx, s); err != nil {
			return nil, err
		}
	}
	return s.posterior, p.replaceNoisy(ctx, s)
}

const (
	// noisy is the relative standard error from which on a row's diagonal element is that of its neighbourhood.
	noisy = 0.35
	// mostReplaced rows are, those with the largest error.
	mostReplaced = 2000
)

// replaceNoisy takes the diagonal of rows of which the probes say little, such as those between rows that are nearly equal, from the
// rows near them.
func (p *Problem) replaceNoisy(ctx context.Context, s *Solution) error {
	if s.probes == nil {
		return ctx.Err()
	}
	diagonal := s.probes.diagonal()
	share := func(i int) float64 { return s.probes.keep(i) * s.probes.spread[i] / diagonal[i] }
	var rows []int
	for i, v := range diagonal {
		if v > 0 && share(i) > noisy && !slices.Contains(s.posterior.Pivots, i) {
			rows = append(rows, i)
		}
	}
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(share(b), share(a)) })
	rows = rows[:min(len(rows), mostReplaced)]
	return p.eachNeighbourhood(ctx, s.posterior, rows, func(first int, near []*neighbourhood) error {
		own := rows[first : first+len(near)]
		variances, err := s.posterior.leftOutVariances(ctx, own, near)
		if err != nil {
			return err
		}
		ones := vecmath.Sum(s.Eta)
		for a, i := range own {
			d := 1 / (s.posterior.Scale*variances[a] + s.Ridge/weights.Weight(p.weights, i))
			s.Inverse[i] = max(d-s.Eta[i]*s.Eta[i]/ones, leastShare*d)
			for j, alpha := range s.Alpha.RawRowView(i) {
				s.Residuals.Set(i, j, alpha/s.Inverse[i])
			}
		}
		return nil
	})
}

// eachNeighbourhood calls f with the neighbourhoods of some training rows without the row itself, a few at a time.
func (p *Problem) eachNeighbourhood(ctx context.Context, q *Posterior, rows []int, f func(first int, near []*neighbourhood) error) error {
	for first := 0; first < len(rows); first += leastCalibrating {
		part := rows[first:min(first+leastCalibrating, len(rows))]
		k, err := kernels.Cross(ctx, p.kernel, linalg.Rows(p.rows, part), p.rows,
			&kernels.Options{Workers: p.Workers, MaxBytes: math.MaxInt64})
		if err != nil {
			return err
		}
		near := make([]*neighbourhood, len(part))
		err = parallel.ForEach(ctx, p.Workers, len(part), func(a int) error {
			i := part[a]
			var features []float64
			if q.features != nil {
				features = mat.Col(nil, i, q.features)
			}
			near[a] = q.neighbourhood(k.RawRowView(a), q.diagonal[i], features, i)
			return nil
		})
		if err != nil {
			return err
		}
		if err := f(first, near); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Complete makes what can be made of the kernel, the rows, their weights and the ridge λ.
func (q *Posterior) Complete(ctx context.Context, kernel kernels.Kernel, rows *mat.Dense, weights []float64, ridge float64,
	workers int) error {
	n, _ := rows.Dims()
	q.kernel, q.rows, q.weights, q.ridge, q.workers = kernel, rows, weights, ridge/q.Unit, workers
	q.diagonal = make([]float64, n)
	kernels.Diag(q.diagonal, kernel, rows)
	floats.Scale(1/q.Unit, q.diagonal)
	if len(q.Pivots) == 0 {
		return ctx.Err()
	}
	pivots := linalg.Rows(rows, q.Pivots)
	r := len(q.Pivots)
	k, err := kernels.Matrix(ctx, kernel, pivots, &kernels.Options{Workers: workers, MaxBytes: math.MaxInt64})
	if err != nil {
		return err
	}
	for i := range r {
		for j := i; j < r; j++ {
			k.SetSym(i, j, k.At(i, j)/q.Unit*q.root(i)*q.root(j))
		}
	}
	if q.basis, err = linalg.NewCholesky(ctx, "the kernel of the pivots", k); err != nil {
		return err
	}
	cross, err := kernels.Cross(ctx, kernel, pivots, rows, &kernels.Options{Workers: workers, MaxBytes: math.MaxInt64})
	if err != nil {
		return err
	}
	q.features = cross
	return q.toFeatures(ctx, cross)
}

func (q *Posterior) root(pivot int) float64 {
	return math.Sqrt(weights.Weight(q.weights, q.Pivots[pivot]))
}

// toFeatures makes the features of rows of kernel values with the pivots (r×m).
func (q *Posterior) toFeatures(ctx context.Context, k *mat.Dense) error {
	for i := range q.Pivots {
		floats.Scale(q.root(i)/q.Unit, k.RawRowView(i))
	}
	return fast.TrsmContext(ctx, blas.Left, blas.Trans, 1, q.basis.Upper(), k.RawMatrix())
}

// Variances returns those at new rows, of which k (m×n) has the kernel with the rows, and diag (m) with themselves.
func (q *Posterior) Variances(ctx context.Context, k *mat.Dense, diag []float64) ([]float64, error) {
	out := make([]float64, len(diag))
	var phi *mat.Dense
	var seen []float64
	if len(q.Pivots) > 0 {
		phi = mat.NewDense(len(q.Pivots), len(diag), nil)
		for a, pivot := range q.Pivots {
			for j := range diag {
				phi.Set(a, j, k.At(j, pivot))
			}
		}
		if err := q.toFeatures(ctx, phi); err != nil {
			return nil, err
		}
		var err error
		if seen, err = q.Factor.QuadInverse(ctx, mat.DenseCopyOf(phi)); err != nil {
			return nil, err
		}
	}
	err := parallel.ForEach(ctx, q.workers, len(diag), func(j int) error {
		var features []float64
		if phi != nil {
			features = mat.Col(nil, j, phi)
		}
		rest, err := q.unseen(ctx, q.neighbourhood(k.RawRowView(j), diag[j]/q.Unit, features, -1))
		if err != nil {
			return err
		}
		if out[j] = rest; seen != nil {
			out[j] += seen[j]
		}
		out[j] *= q.Unit * q.Scale
		return nil
	})
	return out, err
}

// neighbourhood holds the contribution of nearby rows to the variance of one row. All ridges share it.
type neighbourhood struct {
	near     []int
	own      float64   // r(x,x)
	cross    []float64 // r(N,x)
	values   []float64 // r(N,N), the rows of its upper triangle
	features []float64 // φ; nil without pivots
}

// neighbourhood looks for the rows near one of these kernel values with the rows, own with itself.
func (q *Posterior) neighbourhood(k []float64, own float64, features []float64, without int) *neighbourhood {
	h := &neighbourhood{near: q.nearest(k, without), own: own, features: features}
	m := len(h.near)
	x := linalg.Rows(q.rows, h.near)
	values := mat.NewDense(m, m, nil)
	kernels.Block(values, q.kernel, x, x)
	floats.Scale(1/q.Unit, values.RawMatrix().Data)
	h.cross = make([]float64, m)
	for a, i := range h.near {
		h.cross[a] = k[i] / q.Unit
	}
	if features != nil {
		f := mat.NewDense(len(features), m, nil)
		for a := range features {
			row, from := f.RawRowView(a), q.features.RawRowView(a)
			for b, i := range h.near {
				row[b] = from[i]
			}
		}
		fast.Gemm(blas.Trans, blas.NoTrans, -1, f.RawMatrix(), f.RawMatrix(), 1, values.RawMatrix())
		for a, v := range features {
			floats.AddScaled(h.cross, -v, f.RawRowView(a))
		}
		h.own -= floats.Dot(features, features)
	}
	for a := range m {
		h.values = append(h.values, values.RawRowView(a)[a:]...)
	}
	return h
}

// unseen returns the variance of what the features leave of a row, given the nearest rows.
func (q *Posterior) unseen(ctx context.Context, h *neighbourhood) (float64, error) {
	m := len(h.near)
	c := mat.NewSymDense(m, nil)
	values := h.values
	for a, i := range h.near {
		copy(c.RawSymmetric().Data[a*m+a:(a+1)*m], values[:m-a])
		values = values[m-a:]
		c.SetSym(a, a, max(c.At(a, a), 0)+q.ridge/weights.Weight(q.weights, i))
	}
	chol, err := linalg.NewCholesky(ctx, "the kernel of the nearest rows", c)
	if err != nil {
		return 0, err
	}
	return max(h.own-chol.Quad(append([]float64(nil), h.cross...)), 0), nil
}

// nearest returns the rows of the largest correlation, ascending.
func (q *Posterior) nearest(k []float64, without int) []int {
	type candidate struct {
		row   int
		value float64
	}
	// The rows so far, the worst of them on top.
	worse := func(a, b candidate) bool { return a.value < b.value || a.value == b.value && a.row > b.row }
	heap := make([]candidate, 0, neighbours)
	for i, v := range k {
		if i == without || !(q.diagonal[i] > 0) {
			continue
		}
		c := candidate{i, v * v / q.diagonal[i]}
		switch {
		case len(heap) < neighbours:
			heap = append(heap, c)
			for at := len(heap) - 1; at > 0 && worse(heap[at], heap[(at-1)/2]); at = (at - 1) / 2 {
				heap[at], heap[(at-1)/2] = heap[(at-1)/2], heap[at]
			}
			continue
		case !worse(heap[0], c):
			continue
		}
		heap[0] = c
		for at := 0; ; {
			least := at
			for _, child := range []int{2*at + 1, 2*at + 2} {
				if child < len(heap) && worse(heap[child], heap[least]) {
					least = child
				}
			}
			if least == at {
				break
			}
			heap[at], heap[least] = heap[least], heap[at]
			at = least
		}
	}
	out := make([]int, len(heap))
	for a, c := range heap {
		out[a] = c.row
	}
	slices.SortFunc(out, cmp.Compare[int])
	return out
}

// sample makes the neighbourhoods of some training rows without the row itself, and what all ridges share of a Posterior.
func (p *Problem) sample(ctx context.Context, model *conditional) error {
	if p.base != nil {
		return ctx.Err()
	}
	base := &Posterior{Unit: p.unit}
	if model.f != nil {
		r, _ := model.f.Dims()
		base.Pivots = slices.Clone(p.conditioner.pivots[:r])
	}
	if err := base.Complete(ctx, p.kernel, p.rows, p.weights, 1, p.Workers); err != nil {
		return err
	}
	taken := map[int]bool{}
	for _, i := range base.Pivots {
		taken[i] = true
	}
	most := max(leastCalibrating, min(calibrating, int(p.limit()*calibratingShare/(4*neighbours*neighbours))))
	var drawn []int
	for _, i := range rand.New(rand.NewPCG(p.Seed, calibrationStream)).Perm(p.n) {
		if !taken[i] && len(drawn) < most {
			drawn = append(drawn, i)
		}
	}
	var near []*neighbourhood
	if err := p.eachNeighbourhood(ctx, base, drawn, func(_ int, part []*neighbourhood) error {
		near = append(near, part...)
		return nil
	}); err != nil {
		return err
	}
	p.base, p.drawn, p.near = base, drawn, near
	return ctx.Err()
}

// calibrate makes the Posterior of a solution, whose c it fits, and scores the ridge on the rows of the sample, whose variances
// have less noise than those of the probes.
func (p *Problem) calibrate(ctx context.Context, s *Solution) error {
	if err := p.sample(ctx, s.model); err != nil {
		return err
	}
	q := *p.base
	q.ridge, q.Share, q.Factor, q.Scale = s.Ridge/p.unit, s.model.share, s.model.factor, 1
	s.posterior = &q
	if s.probes == nil || len(p.drawn) == 0 {
		return ctx.Err()
	}
	variances, err := q.leftOutVariances(ctx, p.drawn, p.near)
	if err != nil {
		return err
	}
	// Each diagonal element d, in units of the kernel, is 1/(c v + λ/w), and those of the probes are right on the mean: the mean of
	// d (c v + λ/w) is 1.
	inverse := make([]float64, len(p.drawn))
	diagonal, above, below := meanOf(s.probes.samples), 0., 0.
	for a, i := range p.drawn {
		w := weights.Weight(p.weights, i)
		d := diagonal[i] * w / p.unit
		above += 1 - d*s.Ridge/w
		below += d * variances[a]
	}
	if below > 0 {
		q.Scale = min(max(above/below, leastScale), mostScale)
	}
	for a, i := range p.drawn {
		inverse[a] = 1 / (q.Scale*variances[a] + s.Ridge/weights.Weight(p.weights, i))
	}
	p.scoreSample(s, inverse)
	return ctx.Err()
}

// c is at least and at most.
const leastScale, mostScale = 0.1, 1.5

// leftOutVariances returns those of training rows that are left out of their neighbourhoods.
func (q *Posterior) leftOutVariances(ctx context.Context, rows []int, near []*neighbourhood) ([]float64, error) {
	out := make([]float64, len(rows))
	seen := make([]float64, len(rows))
	if len(q.Pivots) > 0 {
		phi := mat.NewDense(len(q.Pivots), len(rows), nil)
		for a, h := range near {
			phi.SetCol(a, h.features)
		}
		var err error
		if seen, err = q.Factor.QuadInverse(ctx, phi); err != nil {
			return nil, err
		}
	}
	err := parallel.ForEach(ctx, q.workers, len(rows), func(a int) error {
		rest, err := q.unseen(ctx, near[a])
		if err != nil {
			return err
		}
		// The row counts among those that the factor is of.
		own := weights.Weight(q.weights, rows[a])
		s := seen[a]
		if share := s * own / (q.ridge + q.Share*own*max(near[a].own, 0)); share < 1 {
			s /= 1 - share
		}
		out[a] = q.Unit * (rest + s)
		return nil
	})
	return out, err
}

// scoreSample sets the weighted mean squared leave-one-out residual and the scales of the targets, by the diagonal of the inverse on
// the sample. What the sample has by chance is taken away by the ratio of the same means by the model, over all rows and over
// the sample.
func (p *Problem) scoreSample(s *Solution, inverse []float64) {
	k := len(s.Bias)
	exact, sample, all := newLeftOutMeans(k), newLeftOutMeans(k), newLeftOutMeans(k)
	ones := vecmath.Sum(s.Eta)
	for a, i := range p.drawn {
		d := max(inverse[a]-s.Eta[i]*s.Eta[i]/ones, leastShare*inverse[a])
		exact.add(weights.Weight(p.weights, i), d, s.Alpha.RawRowView(i))
	}
	model := func(m *leftOutMeans, i int) {
		w := weights.Weight(p.weights, i)
		m.add(w, s.model.diagonal[i]*w/p.unit, s.Alpha.RawRowView(i))
	}
	for _, i := range p.drawn {
		model(sample, i)
	}
	for i := range p.n {
		if !slices.Contains(p.base.Pivots, i) {
			model(all, i)
		}
	}
	s.Score = exact.square() * chance(all.square(), sample.square())
	s.Scales = make([]float64, k)
	for j := range s.Scales {
		s.Scales[j] = exact.scales[j] / exact.rows * chance(all.scales[j]/all.rows, sample.scales[j]/sample.rows)
	}
}

// chance is the ratio of two means, within mostChance.
func chance(all, sample float64) float64 {
	if !(sample > 0) {
		return 1
	}
	return min(max(all/sample, 1/mostChance), mostChance)
}

// mostChance is the largest ratio that a sample is corrected by.
const mostChance = 1.25

// leftOutMeans are sums over rows of (α/d)² and α²/d.
type leftOutMeans struct {
	squares, weight, rows float64
	scales                []float64
}

func newLeftOutMeans(k int) *leftOutMeans { return &leftOutMeans{scales: make([]float64, k)} }

func (m *leftOutMeans) add(weight, d float64, alpha []float64) {
	m.weight += weight
	m.rows++
	for j, a := range alpha {
		if d > 0 {
			m.squares += weight * (a / d) * (a / d)
			m.scales[j] += a * a / d
		}
	}
}

func (m *leftOutMeans) square() float64 { return m.squares / m.weight }
