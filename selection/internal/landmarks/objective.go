// Package landmarks has the objectives by which the parameters of a kernel and the ridge are learnt
// for the machine of package falkon, with their exact gradients.
//
// The machine is ridge regression on the features Z = K_nM T⁻¹ of M landmarks, T'T = K_MM + jitter I,
// of which the kernel's parameters change both matrices:
//
//	dF = <G_B, dK_nM> + <G_A, dK_MM> + F_Λ dΛ
//
// With rows scaled by the roots of their weights, less the weighted mean of the features,
// S = (Z'Z + ΛI)⁻¹, u = SZ'y, e = y - Zu and h the leverages, the leave-one-out error is the mean of
// ρ² = (e/(1-h))². With p = 2ρ/(1-h), q = 2ρ²/(1-h), v = SZ'p and N = SZ'diag(q)ZS,
//
//	Γ = -pu' - ev' + (Zv)u' + 2(diag(q)ZS - ZN), less what the mean of the features takes
//	G_B = ΓT⁻ᵀ,  G_A = T⁻¹(Λ(uv' + vu')/2 - ΛN)T⁻ᵀ,  F_Λ = v'u - tr N
//
// The complexity of the model regularises the other objective (G. Meanti, L. Carratino,
// E. De Vito and L. Rosasco, Efficient hyperparameter tuning for large scale kernel ridge
// regression, AISTATS 2022): with d the trace of the hat matrix, D = |e|² + Λ|u|² and
// τ = Σ k(x,x) - |z|²,
//
//	F = (σ²d + D + τD/(Λn))/n
//
// Rows are taken in blocks, three times for a gradient and twice without: memory is that of some
// M×M matrices, of a block for each worker, and of some numbers for each row and target.
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

// Kind is an objective. Both are minimised.
type Kind int

// The objectives.
const (
	// LeaveOneOut is the weighted mean squared leave-one-out residual, summed over the targets.
	LeaveOneOut Kind = iota
	// Complexity is the complexity-regularised objective, of rows without weights.
	Complexity
)

// Problem is rows with their targets, and landmarks.
type Problem struct {
	Kind      Kind
	X         *mat.Dense // n×d
	Y         *mat.Dense // n×k
	Weights   []float64  // n, nil for 1 each
	Landmarks *mat.Dense // M×d
	// Noise is σ² of Complexity, summed over the targets.
	Noise       float64
	NoIntercept bool
	// Jitter is the share of the mean diagonal of K_MM that is added to it at least, where a
	// factor exists with it, and is taken for a constant by the gradients.
	Jitter   float64
	Workers  int
	MaxBytes int64

	anew bool // features are never kept: what tests compare with
}

// Value is what is known at a kernel and a ridge.
type Value struct {
	F float64 // +Inf where a matrix is not positive definite or a row determines itself
	// Effective is the trace of the hat matrix, the intercept counted.
	Effective float64
	// GCV is generalised cross-validation, n·RSS/(n - Effective)².
	GCV float64
	// Fit is Σ w e² + Λ|u|², and Trace Σ k(x,x) - |z|².
	Fit, Trace float64
}

// leastRest is the least 1 - h that is more than rounding.
const leastRest = 1e-9

// state is what a kernel and a ridge make of a problem.
type state struct {
	*Problem
	kernel   kernels.Kernel
	prepared *kernels.Prepared
	n, m, k  int
	weight   float64   // Σw
	offset   []float64 // ȳ
	t        blas64.Triangular
	raw      *mat.SymDense // Z'WZ of features that are not centred
	gram     *mat.SymDense // of centred ones
	right    *mat.Dense    // Z~'W(y - ȳ), M×k
	centre   []float64     // nil without an intercept
	trace    float64       // τ
	// whole has the features of each block, less the centre; nil where they are more than keptNumbers.
	whole []block

	// At a ridge.
	ridge  float64
	factor *linalg.Cholesky
	u      *mat.Dense     // M×k
	kept   []leftOutBlock // of each block, of a gradient
}

// Value returns the objective at a kernel and a ridge, and sets its gradient in the logarithms of
// the kernel's parameters and of the ridge if it is not nil. Errors are those of the kernel,
// and ctx's.
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

// AtRidges returns the objective at each of some ridges.
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

// features factors the matrix of the landmarks and makes the normal equations; nil where the
// matrix is not positive definite.
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
		return nil, nil // no value, as everywhere where the kernel is not definite
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

// means sets the sum of the weights and the offsets.
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

// block is some rows, with features.
type block struct {
	from, rows int
	z          *mat.Dense // rows×M, times the roots of the weights
	y          *mat.Dense // rows×k, less the offset, times the roots of the weights
	root       []float64  // of the weights
}

// keptNumbers is how many of the features are kept between passes: 64 MB. Others are made anew.
const keptNumbers = 8 << 20

// leastRows are those of a block: with as many as landmarks half of what Derivatives computes
// for the gradient is used.
const leastRows = 512

// blockRows is how many rows a block has.
func (s *state) blockRows() int { return max(leastRows, s.m) }

// blocks calls compute with each block of rows, on all workers, and add with what it has made, in
// the order of the rows: sums do not depend on the number of workers.
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

// block makes the features of some rows, of which k is the kernel with the landmarks, less the
// centre if that is known. The error is ctx's.
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

// load is block with the kernel computed, or one that was kept.
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

// normals makes the normal equations in one pass.
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

// keep takes the features of all blocks, less the centre that is known now.
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

// sums are what one pass at a ridge gives.
type sums struct {
	squares, rss, effective float64
	bad                     bool         // a row determines itself
	left                    leftOutBlock // of one block
	// For the gradient of LeaveOneOut.
	zp, zq   *mat.Dense    // Z'p (M×k), Z'(√w q) (M×1)
	products *mat.SymDense // Z'diag(q)Z
	p        []float64     // Σ√w p, of each target
}

// solve solves at a ridge and passes over the rows; nil where the system is not definite.
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

// leftOutBlock is what leaving out the rows of a block gives.
type leftOutBlock struct {
	e, p *mat.Dense // rows×k
	q    []float64
}

// leaveOut returns that, and the sums of the block. The error is ctx's.
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

// value makes the objective of the sums.
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
