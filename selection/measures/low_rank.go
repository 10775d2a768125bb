package measures

import (
	"cmp"
	"context"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/kernels"
)

// Defaults of LowRankOptions.
const (
	defaultMaxRank   = 600
	defaultTolerance = 0.01
)

// LowRankOptions holds the settings of LowRankEntropy. A nil *LowRankOptions stands for the zero value.
type LowRankOptions struct {
	MaxRank int `zero:"600"` // largest number of pivots; 0: 600; never more than n
	// Tolerance is the width of the bounds, in entropy, at which the factorisation stops; 0: 0.01.
	Tolerance float64 `zero:"0.01"`
	// If Decided is not nil, it replaces Tolerance and reports whether bounds suffice. A search for a target only needs to find out
	// on which side of it the entropy lies, for which wide bounds may suffice.
	Decided func(Bounds) bool
	// Residual is the largest fraction of the trace at which the factorisation may stop; 0: any.
	Residual float64 `zero:"none" below:"1"`
	Seed     uint64  // for the pivots
	Workers  int     // goroutines; 0: GOMAXPROCS
}

// LowRank is an entropy with bounds.
type LowRank struct {
	Bounds
	Rank     int        // number of pivots
	Residual float64    // fraction of the trace that F'F lacks
	Decided  bool       // false: MaxRank was reached first
	Factor   *mat.Dense // F (rank×n) with K ≈ F'F; its columns are features of the rows
}

// LowRankEntropy returns bounds on the entropy of the kernel matrix of the rows of x (n×d) without forming it. It uses a Cholesky
// factorisation F'F on random pivots, in blocks, which grows until the bounds suffice. The bounds hold for every positive
// semi-definite kernel and any pivots, because the eigenvalues of the matrix are at least those of F'F and their sum is known. It
// costs O(nm² + nmd) for m pivots, and memory for mn numbers. It returns ErrParam, ErrShape, ErrNotFinite, or ctx's error.
func LowRankEntropy(ctx context.Context, k kernels.Kernel, x mat.Matrix, opt *LowRankOptions) (_ *LowRank, err error) {
	defer check.Begin(&ctx)(&err)
	var o LowRankOptions
	if opt != nil {
		o = *opt
	}
	xd, err := check.Dense("x", x)
	if err != nil {
		return nil, err
	}
	n, _ := xd.Dims()
	if err := settings.Check("measures: LowRankOptions", o); err != nil {
		return nil, err
	}
	o.MaxRank, o.Tolerance = cmp.Or(o.MaxRank, defaultMaxRank), cmp.Or(o.Tolerance, defaultTolerance)
	if err := kernels.Validate(k); err != nil {
		return nil, err
	}
	decided := o.Decided
	if decided == nil {
		decided = func(b Bounds) bool { return b.High.Entropy-b.Low.Entropy <= o.Tolerance }
	}
	diagonal := make([]float64, n)
	kernels.Diag(diagonal, k, xd)
	g := &growth{ctx: ctx, n: n, decided: decided, residual: o.Residual}
	p, err := linalg.RandomlyPivoted(ctx, diagonal, kernelParts{ctx, k, xd}, linalg.Pivots{
		Rank: o.MaxRank, Random: rand.New(rand.NewPCG(o.Seed, 0x656e74726f7079)), // the random stream "entropy"
		Workers: o.Workers, Enough: g.enough,
	})
	if err != nil {
		return nil, err
	}
	g.judge(p)
	if err := ctx.Err(); err != nil { // the last eigenvalues may be incomplete
		return nil, err
	}
	out := &LowRank{Bounds: g.bounds, Rank: len(p.Pivots), Decided: decided(g.bounds), Factor: p.Factor}
	if p.Trace > 0 {
		out.Residual = max(p.Residual, 0) / p.Trace
	}
	return out, nil
}

// kernelParts provides submatrices of a kernel matrix for the factorisation.
type kernelParts struct {
	ctx context.Context
	k   kernels.Kernel
	x   *mat.Dense
}

func (p kernelParts) Square(dst *mat.Dense, rows []int) error {
	some := linalg.Rows(p.x, rows)
	return p.cross(dst, some, some)
}

func (p kernelParts) Tile(dst *mat.Dense, rows []int, first int) error {
	_, columns := dst.Dims()
	_, d := p.x.Dims()
	return p.cross(dst, linalg.Rows(p.x, rows), p.x.Slice(first, first+columns, 0, d).(*mat.Dense))
}

func (p kernelParts) cross(dst, a, b *mat.Dense) error {
	k, err := kernels.Cross(p.ctx, p.k, a, b, &kernels.Options{Workers: 1})
	if err == nil {
		dst.Copy(k)
	}
	return err
}

// growth monitors a factorisation. The eigenvalues of F'F are those of FF', whose new rows are computed as F grows. They are
// evaluated whenever F has grown by half, so that all evaluations together cost little more than the last one.
type growth struct {
	n        int
	decided  func(Bounds) bool
	residual float64
	ctx      context.Context
	next     int       // number of rows of F at the next evaluation
	gram     []float64 // FF' of the first seen rows
	stride   int
	seen     int
	bounds   Bounds
}

const firstCheck = 40

func (g *growth) enough(p *linalg.Pivoted) (bool, error) {
	if len(p.Pivots) < max(g.next, min(firstCheck, g.n)) || (g.residual > 0 && p.Residual > g.residual*p.Trace) {
		return false, nil
	}
	if err := g.judge(p); err != nil {
		return false, err
	}
	return g.decided(g.bounds), nil
}

// judge computes bounds from the current F, and decides whether the factorisation stops. It returns the context's error.
func (g *growth) judge(p *linalg.Pivoted) error {
	r := len(p.Pivots)
	if r == 0 {
		g.bounds = boundsOf(nil, p.Trace, g.n)
		return nil
	}
	if err := g.extend(p.Factor, r); err != nil {
		return err
	}
	gram := mat.NewSymDense(r, nil)
	for i := range r {
		for j := i; j < r; j++ {
			gram.SetSym(i, j, g.gram[i*g.stride+j])
		}
	}
	values, err := linalg.Eigenvalues(g.ctx, gram)
	if err != nil {
		return err
	}
	g.bounds = boundsOf(values, p.Residual, g.n)
	g.next = r + r/2
	return nil
}

// extend computes the columns of FF' up to r. It returns the context's error.
func (g *growth) extend(f *mat.Dense, r int) error {
	if r > g.stride {
		wider := max(r, 2*g.stride)
		grown := make([]float64, wider*wider)
		for i := range g.seen {
			copy(grown[i*wider:], g.gram[i*g.stride:i*g.stride+g.seen])
		}
		g.gram, g.stride = grown, wider
	}
	if r == g.seen {
		return nil
	}
	n := g.n
	raw := f.RawMatrix()
	err := fast.GemmContext(g.ctx, blas.NoTrans, blas.Trans, 1,
		blas64.General{Rows: r, Cols: n, Stride: raw.Stride, Data: raw.Data},
		blas64.General{Rows: r - g.seen, Cols: n, Stride: raw.Stride, Data: raw.Data[g.seen*raw.Stride:]},
		0, blas64.General{Rows: r, Cols: r - g.seen, Stride: g.stride, Data: g.gram[g.seen:]})
	g.seen = r
	return err
}
