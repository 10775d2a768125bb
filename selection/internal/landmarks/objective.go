// Package landmarks provides objectives for learning the parameters of a kernel and the ridge of the machine of package falkon,
// with exact gradients.
//
// The machine is ridge regression on the features Z = K_nM T⁻¹ of M landmarks, T'T = K_MM + jitter I. The kernel's parameters
// change both matrices:
//
//	dF = <G_B, dK_nM> + <G_A, dK_MM> + F_Λ dΛ
//
// Rows are scaled by the square roots of their weights, and features are centred by their weighted mean. With S = (Z'Z + ΛI)⁻¹, u =
// SZ'y, e = y - Zu and leverages h, the leave-one-out error is the mean of ρ² = (e/(1-h))². With p = 2ρ/(1-h), q = 2ρ²/(1-h), v =
// SZ'p and N = SZ'diag(q)ZS,
//
//	Γ = -pu' - ev' + (Zv)u' + 2(diag(q)ZS - ZN), minus the contribution of the centring
//	G_B = ΓT⁻ᵀ,  G_A = T⁻¹(Λ(uv' + vu')/2 - ΛN)T⁻ᵀ,  F_Λ = v'u - tr N
//
// The other objective is regularised by the complexity of the model (G. Meanti, L. Carratino, E. De Vito and L. Rosasco, Efficient
// hyperparameter tuning for large scale kernel ridge regression, AISTATS 2022). With d the trace of the hat matrix, D = |e|² +
// Λ|u|² and τ = Σ k(x,x) - |z|²,
//
//	F = (σ²d + D + τD/(Λn))/n
//
// Rows are processed in blocks, in three passes for a gradient and two without. The memory is several M×M matrices, a block per
// worker, and a few numbers per row and target.
package landmarks

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/weights"
	"github.com/kernelearn/kernelearn/kernels"
)

// Kind is an objective. Both objectives are minimised.
type Kind int

// The objectives.
const (
	// LeaveOneOut is the weighted mean squared leave-one-out residual, summed over the targets.
	LeaveOneOut Kind = iota
	// Complexity is the complexity-regularised objective for unweighted rows.
	Complexity
)

// Problem holds rows with their targets, and landmarks.
type Problem struct {
	Kind      Kind
	X         *mat.Dense // n×d
	Y         *mat.Dense // n×k
	Weights   []float64  // n numbers; nil: 1 each
	Landmarks *mat.Dense // M×d
	// Noise is σ² of Complexity, summed over the targets.
	Noise       float64
	NoIntercept bool
	// Jitter is the smallest jitter added to K_MM, relative to its mean diagonal. The gradients treat it as a constant.
	Jitter   float64
	Workers  int
	MaxBytes int64

	anew bool // never store features; tests compare this with stored features
}

// Value holds the results at a kernel and a ridge.
type Value struct {
	F float64 // +Inf if a matrix is not positive definite or a row has leverage 1
	// Effective is the trace of the hat matrix, including the intercept.
	Effective float64
	// GCV is generalised cross-validation, n·RSS/(n - Effective)².
	GCV float64
	// Fit is Σ w e² + Λ|u|², and Trace Σ k(x,x) - |z|².
	Fit, Trace float64
}

// leastRest is the smallest 1 - h that exceeds rounding errors.
const leastRest = 1e-9

// state holds the matrices of a problem for a kernel, and the solution at a ridge.
type state struct {
	*Problem
	kernel   kernels.Kernel
	prepared *kernels.Prepared
	n, m, k  int
	weight   float64   // Σw
	offset   []float64 // ȳ
	t        blas64.Triangular
	raw      *mat.SymDense // Z'WZ of the original features
	gram     *mat.SymDense // of the centred features
	right    *mat.Dense    // Z~'W(y - ȳ), M×k
	centre   []float64     // nil without an intercept
	trace    float64       // τ
	// whole holds the centred features of each block. It is nil if they exceed keptNumbers.
	whole []block

	// At the current ridge.
	ridge  float64
	factor *linalg.Cholesky
	u      *mat.Dense     // M×k
	kept   []leftOutBlock // of each block; kept only for a gradient
}

// Value returns the objective at a kernel and a ridge. If gradient is not nil, Value writes the gradient with respect to the logs
// of the kernel's parameters and of the ridge to it. It returns errors of the kernel and of ctx.
func (p *Problem) Value(ctx context.Context, kernel kernels.Kernel, ridge float64, gradient []float64) (Value, error) {
	s, err := p.features(ctx, kernel)
	if err != nil || s == nil {
		return Value{F: math.Inf(1)}, err
	}
	sums, err := s.solve(ctx, ridge, gradient != nil)
	if err != nil || sums == nil {
		return Value{F: math.Inf(1)}, err
	}
	v := s.value(sums)
	if gradient == nil || math.IsInf(v.F, 1) {
		return v, nil
	}
	if p.Kind == Complexity {
		by, err := s.ofComplexity(ctx, sums)
		if err != nil {
			return v, err
		}
		return v, s.gradient(ctx, by, gradient)
	}
	by, err := s.ofLeaveOneOut(ctx, sums)
	if err != nil {
		return v, err
	}
	return v, s.gradient(ctx, by, gradient)
}

// AtRidges returns the objective at each of the given ridges.
func (p *Problem) AtRidges(ctx context.Context, kernel kernels.Kernel, ridges []float64) ([]Value, error) {
	out := make([]Value, len(ridges))
	for i := range out {
		out[i].F = math.Inf(1)
	}
	s, err := p.features(ctx, kernel)
	if err != nil || s == nil {
		return out, err
	}
	for i, ridge := range ridges {
		sums, err := s.solve(ctx, ridge, false)
		if err != nil {
			return out, err
		}
		if sums != nil {
			out[i] = s.value(sums)
		}
	}
	return out, nil
}

// features factors the matrix of the landmarks and computes the normal equations. It returns nil if the matrix is not positive
// definite.
func (p *Problem) features(ctx context.Context, kernel kernels.Kernel) (*state, error) {
	s := &state{Problem: p, kernel: kernel}
	s.n, _ = p.X.Dims()
	s.m, _ = p.Landmarks.Dims()
	_, s.k = p.Y.Dims()
	opt := &kernels.Options{Workers: p.Workers, MaxBytes: p.MaxBytes}
	a, err := kernels.Matrix(ctx, kernel, p.Landmarks, opt)
	if err != nil {
		return nil, err
	}
	factor, err := linalg.NewCholeskyFrom(ctx, "the kernel matrix of the landmarks", a, p.Jitter)
	if errors.Is(err, fault.ErrNotPSD) {
		return nil, nil // an indefinite kernel has no value
	}
	if err != nil {
		return nil, err
	}
	s.t = factor.Upper()
	if s.prepared, err = kernels.Prepare(ctx, kernel, p.Landmarks, &kernels.Options{Workers: 1}); err != nil {
		return nil, err
	}
	s.means()
	return s, s.normals(ctx)
}

// means computes the sum of the weights, and the offsets of the targets.
func (s *state) means() {
	s.offset = make([]float64, s.k)
	for i := range s.n {
		w := weights.Weight(s.Weights, i)
		s.weight += w
		floats.AddScaled(s.offset, w, s.Y.RawRowView(i))
	}
	floats.Scale(1/s.weight, s.offset)
	if s.NoIntercept {
		clear(s.offset)
	}
}

// block holds consecutive rows with their features.
type block struct {
	from, rows int
	z          *mat.Dense // rows×M, times the square roots of the weights
	y          *mat.Dense // rows×k, minus the offset, times the square roots of the weights
	root       []float64  // square roots of the weights
}

// keptNumbers is the largest number of features that are stored between passes, 64 MB. If there are more, each pass computes them
// again.
const keptNumbers = 8 << 20

// leastRows is the smallest number of rows in a block. If a block has as many rows as there are landmarks, the gradient uses half
// of the results of Derivatives.
const leastRows = 512

// blockRows returns the number of rows in a block.
func (s *state) blockRows() int { return max(leastRows, s.m) }

// blocks calls compute for each block of rows, in parallel. It calls add with the results in the order of the rows, so that sums do
// not depend on the number of workers.
func blocks[T any](ctx context.Context, s *state, compute func(from, rows int) (T, error), add func(T)) error {
	size := s.blockRows()
	count := (s.n + size - 1) / size
	wave := parallel.Workers(s.Workers)
	out := make([]T, min(wave, count))
	for first := 0; first < count; first += wave {
		err := parallel.ForEach(ctx, s.Workers, min(wave, count-first), func(i int) (err error) {
			from := (first + i) * size
			out[i], err = compute(from, min(size, s.n-from))
			return err
		})
		if err != nil {
			return err
		}
		for i := range min(wave, count-first) {
			add(out[i])
		}
	}
	return ctx.Err()
}

// block returns the features of some rows, given their kernel values k with the landmarks. The features are centred if the centre
// is known. It returns ctx's error.
func (s *state) block(ctx context.Context, from int, k *mat.Dense) (block, error) {
	rows, _ := k.Dims()
	b := block{from: from, rows: rows, z: k, y: mat.NewDense(rows, s.k, nil), root: make([]float64, rows)}
	if err := fast.TrsmContext(ctx, blas.Right, blas.NoTrans, 1, s.t, k.RawMatrix()); err != nil {
		return b, err
	}
	for i := range rows {
		row := k.RawRowView(i)
		if s.centre != nil {
			floats.Sub(row, s.centre)
		}
		b.root[i] = math.Sqrt(weights.Weight(s.Weights, from+i))
		for j, y := range s.Y.RawRowView(from + i) {
			b.y.Set(i, j, b.root[i]*(y-s.offset[j]))
		}
		if s.Weights != nil {
			floats.Scale(b.root[i], row)
		}
	}
	return b, nil
}

// load returns a stored block, or computes it from the kernel.
func (s *state) load(ctx context.Context, from, rows int) (block, error) {
	if s.whole != nil {
		return s.whole[from/s.blockRows()], nil
	}
	_, d := s.X.Dims()
	k := mat.NewDense(rows, s.m, nil)
	if err := s.prepared.CrossTo(ctx, k, s.X.Slice(from, from+rows, 0, d)); err != nil {
		return block{}, err
	}
	return s.block(ctx, from, k)
}

// normals computes the normal equations in one pass.
func (s *state) normals(ctx context.Context) error {
	type part struct {
		block
		gram  *mat.SymDense
		right *mat.Dense // Z'y, and Z'√w
		trace float64
	}
	var kept []block
	s.raw = mat.NewSymDense(s.m, nil)
	total := mat.NewDense(s.m, s.k+1, nil)
	err := blocks(ctx, s, func(from, rows int) (p part, err error) {
		b, err := s.load(ctx, from, rows)
		if err != nil {
			return p, err
		}
		_, d := s.X.Dims()
		own := make([]float64, rows)
		kernels.Diag(own, s.kernel, s.X.Slice(from, from+rows, 0, d).(*mat.Dense))
		targets := mat.NewDense(rows, s.k+1, nil)
		for i := range rows {
			z := b.z.RawRowView(i)
			p.trace += own[i] - linalg.Dot(z, z)/weights.Weight(s.Weights, from+i)
			copy(targets.RawRowView(i), b.y.RawRowView(i))
			targets.Set(i, s.k, b.root[i])
		}
		if p.gram, err = linalg.SymmetricProduct(ctx, 1, b.z); err != nil {
			return p, err
		}
		p.block, p.right = b, mat.NewDense(s.m, s.k+1, nil)
		return p, fast.MulContext(ctx, p.right, b.z.T(), targets)
	}, func(p part) {
		s.raw.AddSym(s.raw, p.gram)
		total.Add(total, p.right)
		s.trace += p.trace
		if s.n*s.m <= keptNumbers && !s.anew {
			kept = append(kept, p.block)
		}
	})
	if err != nil {
		return err
	}
	defer func() { s.keep(kept) }()
	s.right = mat.DenseCopyOf(total.Slice(0, s.m, 0, s.k))
	s.gram = s.raw
	if s.NoIntercept {
		return nil
	}
	s.centre = mat.Col(nil, s.k, total)
	floats.Scale(1/s.weight, s.centre)
	s.gram = mat.NewSymDense(s.m, nil)
	s.gram.SymRankOne(s.raw, -s.weight, mat.NewVecDense(s.m, s.centre))
	return nil
}

// keep stores the features of all blocks, after centring them.
func (s *state) keep(blocks []block) {
	s.whole = blocks
	if s.centre == nil {
		return
	}
	for _, b := range blocks {
		for i, root := range b.root {
			floats.AddScaled(b.z.RawRowView(i), -root, s.centre)
		}
	}
}

// sums holds the results of one pass at a ridge.
type sums struct {
	squares, rss, effective float64
	bad                     bool         // a row has leverage 1
	left                    leftOutBlock // of a single block
	// The following fields are only for the gradient of LeaveOneOut.
	zp, zq   *mat.Dense    // Z'p (M×k), Z'(√w q) (M×1)
	products *mat.SymDense // Z'diag(q)Z
	p        []float64     // Σ√w p, per target
}

// solve solves the system at a ridge, and computes the sums in a pass over the rows. It returns nil if the system is not positive
// definite.
func (s *state) solve(ctx context.Context, ridge float64, gradient bool) (*sums, error) {
	g := mat.NewSymDense(s.m, nil)
	g.CopySym(s.gram)
	for i := range s.m {
		g.SetSym(i, i, g.At(i, i)+ridge)
	}
	factor, ok, err := linalg.TryCholesky(ctx, g)
	if err != nil || !ok {
		return nil, err
	}
	s.factor, s.ridge, s.u, s.kept = factor, ridge, mat.DenseCopyOf(s.right), nil
	if err := s.factor.Solve(ctx, s.u); err != nil {
		return nil, err
	}
	total, kept := &sums{}, gradient
	gradient = gradient && s.Kind == LeaveOneOut
	if gradient {
		total.zp, total.zq, total.products, total.p = mat.NewDense(s.m, s.k, nil), mat.NewDense(s.m, 1, nil), mat.NewSymDense(s.m,
			nil), make([]float64, s.k)
	}
	err = blocks(ctx, s, func(from, rows int) (*sums, error) {
		b, err := s.load(ctx, from, rows)
		if err != nil {
			return nil, err
		}
		return s.blockSums(ctx, b, gradient)
	}, func(b *sums) {
		total.squares += b.squares
		total.rss += b.rss
		total.effective += b.effective
		total.bad = total.bad || b.bad
		if kept {
			s.kept = append(s.kept, b.left)
		}
		if gradient {
			total.zp.Add(total.zp, b.zp)
			total.zq.Add(total.zq, b.zq)
			total.products.AddSym(total.products, b.products)
			floats.Add(total.p, b.p)
		}
	})
	return total, err
}

// leftOutBlock holds the leave-one-out results of a block.
type leftOutBlock struct {
	e, p *mat.Dense // rows×k
	q    []float64
}

// leaveOut returns the leave-one-out results and the sums of a block. It returns ctx's error.
func (s *state) leaveOut(ctx context.Context, b block) (*sums, error) {
	out := &sums{}
	l := leftOutBlock{e: mat.NewDense(b.rows, s.k, nil), p: mat.NewDense(b.rows, s.k, nil), q: make([]float64, b.rows)}
	if err := fast.MulContext(ctx, l.e, b.z, s.u); err != nil {
		return nil, err
	}
	l.e.Sub(b.y, l.e)
	half := mat.DenseCopyOf(b.z)
	if err := fast.TrsmContext(ctx, blas.Right, blas.NoTrans, 1, s.factor.Upper(), half.RawMatrix()); err != nil {
		return nil, err
	}
	for i := range b.rows {
		h := linalg.Dot(half.RawRowView(i), half.RawRowView(i))
		if !s.NoIntercept {
			h += b.root[i] * b.root[i] / s.weight
		}
		out.effective += h
		rest := 1 - h
		out.bad = out.bad || !(rest > leastRest)
		for j, e := range l.e.RawRowView(i) {
			rho := e / rest
			out.rss += e * e
			out.squares += rho * rho
			l.p.Set(i, j, 2*rho/rest)
			l.q[i] += 2 * rho * rho / rest
		}
	}
	out.left = l
	return out, nil
}

func (s *state) blockSums(ctx context.Context, b block, gradient bool) (*sums, error) {
	out, err := s.leaveOut(ctx, b)
	if err != nil || !gradient {
		return out, err
	}
	l := out.left
	out.p = make([]float64, s.k)
	rooted := mat.NewDense(b.rows, 1, nil)
	scaled := mat.DenseCopyOf(b.z)
	for i, q := range l.q {
		floats.AddScaled(out.p, b.root[i], l.p.RawRowView(i))
		rooted.Set(i, 0, b.root[i]*q)
		floats.Scale(math.Sqrt(q), scaled.RawRowView(i))
	}
	out.zp, out.zq = mat.NewDense(s.m, s.k, nil), mat.NewDense(s.m, 1, nil)
	if err := fast.MulContext(ctx, out.zp, b.z.T(), l.p); err != nil {
		return nil, err
	}
	fast.Mul(out.zq, b.z.T(), rooted)
	out.products, err = linalg.SymmetricProduct(ctx, 1, scaled)
	return out, err
}

// value computes the objective from the sums.
func (s *state) value(t *sums) Value {
	norm := mat.Norm(s.u, 2)
	n := float64(s.n)
	v := Value{F: t.squares / s.weight, Effective: t.effective, GCV: n * t.rss / (n - t.effective) / (n - t.effective), Trace: s.trace,
		Fit: t.rss + s.ridge*norm*norm}
	if s.Kind == Complexity {
		v.F = (s.Noise*v.Effective + v.Fit + v.Trace*v.Fit/(s.ridge*n)) / n
		return v
	}
	if t.bad || math.IsNaN(v.F) {
		v.F = math.Inf(1)
	}
	return v
}
