// Package linalg provides the factorisations of symmetric matrices that the estimators share and gonum lacks. One is a Cholesky
// factorisation that adds jitter if rounding has made a semi-definite matrix indefinite. The other is a reduction to tridiagonal
// form that solves for any number of ridges at O(n) each.
package linalg

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// The jitter is first 0, then MinJitter times the mean diagonal, and grows tenfold after each failure, up to MaxJitter.
const (
	MinJitter = 1e-14
	MaxJitter = 1e-6
)

// Cholesky is the factorisation A + jitter·I = UᵀU.
type Cholesky struct {
	u      blas64.Triangular
	jitter float64
}

// NewCholesky factors a in place. It returns the error of ctx, or an ErrNotPSD error in which what names the matrix. It costs n³/3,
// and allocates no memory of order n².
func NewCholesky(ctx context.Context, what string, a *mat.SymDense) (*Cholesky, error) {
	return NewCholeskyFrom(ctx, what, a, 0)
}

// NewCholeskyFrom is NewCholesky with a first jitter of least times the mean diagonal instead of 0, for models that include the
// jitter.
func NewCholeskyFrom(ctx context.Context, what string, a *mat.SymDense, least float64) (*Cholesky, error) {
	raw := a.RawSymmetric()
	n, ld := raw.N, raw.Stride
	// The factorisation overwrites only the upper triangle. Keep A in the lower one, to restart from it.
	diag := make([]float64, n)
	mean := 0.0
	for i := range n {
		diag[i] = raw.Data[i*ld+i]
		mean += diag[i] / float64(n)
	}
	if err := mirror(ctx, raw.Data, n, ld, false); err != nil {
		return nil, err
	}
	for jitter := least; jitter <= MaxJitter*1.01; jitter = max(10*jitter, MinJitter) {
		if jitter > 0 {
			if err := mirror(ctx, raw.Data, n, ld, true); err != nil {
				return nil, err
			}
		}
		for i, d := range diag {
			raw.Data[i*ld+i] = d + jitter*mean
		}
		t, ok, err := potrf(ctx, raw)
		if err != nil {
			return nil, err
		}
		if ok {
			return &Cholesky{u: t, jitter: jitter * mean}, nil
		}
		if !(mean > 0) {
			break
		}
	}
	return nil, &fault.NotPSDError{What: what, Jitter: MaxJitter}
}

// TryCholesky is NewCholesky without jitter. It returns ok = false if a is not numerically positive definite. It does not change
// elements below the diagonal; see Keep. It returns ctx's error.
func TryCholesky(ctx context.Context, a *mat.SymDense) (c *Cholesky, ok bool, err error) {
	t, ok, err := potrf(ctx, a.RawSymmetric())
	return &Cholesky{u: t}, ok, err
}

// Keep copies the elements above the diagonal of a below it, where TryCholesky does not change them. It returns ctx's error.
func Keep(ctx context.Context, a *mat.SymDense) error {
	raw := a.RawSymmetric()
	return mirror(ctx, raw.Data, raw.N, raw.Stride, false)
}

// Restore copies back the elements that Keep copied. The caller restores the diagonal. It returns ctx's error.
func Restore(ctx context.Context, a *mat.SymDense) error {
	raw := a.RawSymmetric()
	return mirror(ctx, raw.Data, raw.N, raw.Stride, true)
}

// mirror copies the strict upper triangle of a to the lower one, or back. It returns ctx's error.
func mirror(ctx context.Context, a []float64, n, ld int, back bool) error {
	const tile, rows = 8, 64 // elements of a cache line; rows per task
	return parallel.ForEach(progress.Detach(ctx), workersFrom(n), (n+rows-1)/rows, func(s int) error {
		// Work tile by tile down a task's rows, so that writes stay within few memory pages.
		for j := s * rows; j < n; j += tile {
			for i := s * rows; i < min((s+1)*rows, j+1); i += tile {
				upper, lower := a[i*ld+j:], a[j*ld+i:]
				switch {
				case j == i || j+tile > n:
					mirrorEdge(upper, lower, ld, min(tile, n-i), min(tile, n-j), i == j, back)
				case back:
					transpose8(upper, lower, ld)
				default:
					transpose8(lower, upper, ld)
				}
			}
		}
		return nil
	})
}

// workersFrom returns the number of workers for a pass over a matrix of order n: 1 below spreadFrom, and otherwise 0, which stands
// for all processors.
func workersFrom(n int) int {
	if n < spreadFrom {
		return 1
	}
	return 0
}

// transpose8 transposes a square of order 8, one row at a time.
func transpose8(to, from []float64, ld int) {
	r0, r1, r2, r3 := from[:8], from[ld:ld+8], from[2*ld:2*ld+8], from[3*ld:3*ld+8]
	r4, r5, r6, r7 := from[4*ld:4*ld+8], from[5*ld:5*ld+8], from[6*ld:6*ld+8], from[7*ld:7*ld+8]
	for c := range 8 {
		row := to[c*ld : c*ld+8]
		row[0], row[1], row[2], row[3] = r0[c], r1[c], r2[c], r3[c]
		row[4], row[5], row[6], row[7] = r4[c], r5[c], r6[c], r7[c]
	}
}

// mirrorEdge is mirror for an incomplete tile, above the diagonal or on it.
func mirrorEdge(upper, lower []float64, ld, rows, columns int, diagonal, back bool) {
	for r := range rows {
		first := 0
		if diagonal {
			first = r + 1
		}
		for c := first; c < columns; c++ {
			if back {
				upper[r*ld+c] = lower[c*ld+r]
			} else {
				lower[c*ld+r] = upper[r*ld+c]
			}
		}
	}
}

// Jitter returns the absolute value that was added to the diagonal.
func (c *Cholesky) Jitter() float64 { return c.jitter }

// Upper returns U, which must not be changed. Elements below its diagonal are undefined.
func (c *Cholesky) Upper() blas64.Triangular { return c.u }

// Solve overwrites the columns of b (n×k) with A⁻¹b. It costs 2n²k. It returns ctx's error.
func (c *Cholesky) Solve(ctx context.Context, b *mat.Dense) error {
	first, second := progress.Two(ctx, 1, 1)
	if err := fast.TrsmContext(first, blas.Left, blas.Trans, 1, c.u, b.RawMatrix()); err != nil {
		return err
	}
	return fast.TrsmContext(second, blas.Left, blas.NoTrans, 1, c.u, b.RawMatrix())
}

// SolveVec overwrites b (n) with A⁻¹b. It costs 2n².
func (c *Cholesky) SolveVec(b []float64) {
	fast.Trsv(blas.Trans, c.u, Vector(b))
	fast.Trsv(blas.NoTrans, c.u, Vector(b))
}

// QuadInverse returns b'A⁻¹b, which is never negative, for each column of b (n×k), and overwrites b. It costs O(n²k). It returns
// ctx's error.
func (c *Cholesky) QuadInverse(ctx context.Context, b *mat.Dense) ([]float64, error) {
	return quadInverse(ctx, c.u, b)
}

// Quad is QuadInverse for a single vector, without allocation. It overwrites b.
func (c *Cholesky) Quad(b []float64) float64 {
	fast.Trsv(blas.Trans, c.u, blas64.Vector{N: len(b), Inc: 1, Data: b})
	out := 0.0
	for _, v := range b {
		out += v * v
	}
	return out
}

// quadInverse returns |U⁻ᵀb|² for each column of b, and overwrites b.
func quadInverse(ctx context.Context, u blas64.Triangular, b *mat.Dense) ([]float64, error) {
	if err := fast.TrsmContext(ctx, blas.Left, blas.Trans, 1, u, b.RawMatrix()); err != nil {
		return nil, err
	}
	return squaredColumns(b), nil
}

// squaredColumns returns the sum of squares of each column.
func squaredColumns(b *mat.Dense) []float64 {
	n, k := b.Dims()
	out := make([]float64, k)
	i := 0
	for ; i+4 <= n; i += 4 { // four rows per pass over out
		r0, r1, r2, r3 := b.RawRowView(i)[:k], b.RawRowView(i + 1)[:k], b.RawRowView(i + 2)[:k], b.RawRowView(i + 3)[:k]
		for j, v := range r0 {
			out[j] += (v*v + r1[j]*r1[j]) + (r2[j]*r2[j] + r3[j]*r3[j])
		}
	}
	for ; i < n; i++ {
		for j, v := range b.RawRowView(i) {
			out[j] += v * v
		}
	}
	return out
}

// SymmetricProduct returns alpha·A'A for a (n×d), a d×d matrix. It costs nd². It returns ctx's error.
func SymmetricProduct(ctx context.Context, alpha float64, a *mat.Dense) (*mat.SymDense, error) {
	n, d := a.Dims()
	out := mat.NewSymDense(d, nil)
	raw := out.RawSymmetric()
	err := parallel.ForEach(ctx, 0, (d+strip-1)/strip, func(s int) error {
		first := s * strip
		columns := min(strip, d-first)
		own := a.Slice(0, n, first, first+columns).(*mat.Dense).RawMatrix()
		fast.Syrk(blas.Trans, alpha, own, 0, blas64.Symmetric{N: columns, Stride: raw.Stride, Data: raw.Data[first*d+first:],
			Uplo: blas.Upper})
		if first > 0 {
			to := blas64.General{Rows: first, Cols: columns, Stride: raw.Stride, Data: raw.Data[first:]}
			return fast.GemmContext(ctx, blas.Trans, blas.NoTrans, alpha, a.Slice(0, n, 0, first).(*mat.Dense).RawMatrix(), own, 0, to)
		}
		return nil
	})
	return out, err
}

// LogDet returns the logarithm of the determinant.
func (c *Cholesky) LogDet() float64 {
	s := 0.0
	for i := range c.u.N {
		s += 2 * math.Log(c.u.Data[i*c.u.Stride+i])
	}
	return s
}

// Packed returns the rows of U from the diagonal on, concatenated.
func (c *Cholesky) Packed() []float64 {
	n := c.u.N
	out := make([]float64, 0, n*(n+1)/2)
	for i := range n {
		out = append(out, c.u.Data[i*c.u.Stride+i:i*c.u.Stride+n]...)
	}
	return out
}

// FromPacked restores a Cholesky of order n from Packed and Jitter. It returns ok = false if the length does not match or a
// diagonal element is not positive and finite.
func FromPacked(n int, packed []float64, jitter float64) (c *Cholesky, ok bool) {
	// in floating point, because n may be hostile
	if n < 1 || float64(n)*(float64(n)+1)/2 != float64(len(packed)) {
		return nil, false
	}
	data := make([]float64, n*n)
	for i := range n {
		row := packed[:n-i]
		packed = packed[n-i:]
		if !(row[0] > 0) || math.IsInf(row[0], 1) {
			return nil, false
		}
		copy(data[i*n+i:], row)
	}
	return &Cholesky{
		u:      blas64.Triangular{N: n, Stride: n, Data: data, Uplo: blas.Upper, Diag: blas.NonUnit},
		jitter: jitter,
	}, true
}
