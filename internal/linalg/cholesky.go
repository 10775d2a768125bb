// Package linalg holds the factorisations of symmetric matrices that the
// estimators share and gonum lacks: a Cholesky factorisation that adds jitter
// where rounding has made a semi-definite matrix indefinite, and a reduction to
// tridiagonal form that solves for any number of ridges at O(n) each.
package linalg

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/parallel"
)

// The jitter ladder: 0, then MinJitter of the mean diagonal, times ten at each
// failure, up to MaxJitter.
const (
	MinJitter = 1e-14
	MaxJitter = 1e-6
)

// Cholesky is A + jitter·I = UᵀU.
type Cholesky struct {
	u      blas64.Triangular
	jitter float64
}

// NewCholesky factors a, whose memory it takes over; what names the matrix in
// the error, which is ErrNotPSD. Cost n³/3, no memory of order n².
func NewCholesky(what string, a *mat.SymDense) (*Cholesky, error) { return NewCholeskyFrom(what, a, 0) }

// NewCholeskyFrom is NewCholesky whose ladder begins at the share least of the mean diagonal
// in place of 0: for a model of which the jitter is a part.
func NewCholeskyFrom(what string, a *mat.SymDense, least float64) (*Cholesky, error) {
	raw := a.RawSymmetric()
	n, ld := raw.N, raw.Stride
	// The factorisation overwrites the upper triangle and leaves the lower one
	// alone: keep A there, to start again from.
	diag := make([]float64, n)
	mean := 0.0
	for i := range n {
		diag[i] = raw.Data[i*ld+i]
		mean += diag[i] / float64(n)
	}
	mirror(raw.Data, n, ld, false)
	for jitter := least; jitter <= MaxJitter*1.01; jitter = max(10*jitter, MinJitter) {
		if jitter > 0 {
			mirror(raw.Data, n, ld, true)
		}
		for i, d := range diag {
			raw.Data[i*ld+i] = d + jitter*mean
		}
		if t, ok := potrf(raw); ok {
			return &Cholesky{u: t, jitter: jitter * mean}, nil
		}
		if !(mean > 0) {
			break
		}
	}
	return nil, &fault.NotPSDError{What: what, Jitter: MaxJitter}
}

// mirror copies the strict upper triangle of a to the lower one, or back.
func mirror(a []float64, n, ld int, back bool) {
	const b = 32 // both access orders stay in the first-level cache
	for i0 := 0; i0 < n; i0 += b {
		for j0 := i0; j0 < n; j0 += b {
			for i := i0; i < min(i0+b, n); i++ {
				for j := max(j0, i+1); j < min(j0+b, n); j++ {
					if back {
						a[i*ld+j] = a[j*ld+i]
					} else {
						a[j*ld+i] = a[i*ld+j]
					}
				}
			}
		}
	}
}

// Jitter returns what was added to the diagonal, absolute.
func (c *Cholesky) Jitter() float64 { return c.jitter }

// Upper returns U, which is not to be changed. What is below its diagonal is of no meaning.
func (c *Cholesky) Upper() blas64.Triangular { return c.u }

// Solve overwrites the columns of b (n×k) with A⁻¹b. Cost 2n²k.
func (c *Cholesky) Solve(b *mat.Dense) { lapack64.Potrs(c.u, b.RawMatrix()) }

// SolveVec overwrites b (n) with A⁻¹b. Cost 2n².
func (c *Cholesky) SolveVec(b []float64) {
	blas64.Trsv(blas.Trans, c.u, Vector(b))
	blas64.Trsv(blas.NoTrans, c.u, Vector(b))
}

// QuadInverse returns b'A⁻¹b for each column of b (n×k), which it overwrites.
// Cost n²k, and never negative.
func (c *Cholesky) QuadInverse(b *mat.Dense) []float64 { return quadInverse(c.u, b) }

// Quad is QuadInverse of one vector, which it overwrites, without allocating.
func (c *Cholesky) Quad(b []float64) float64 {
	blas64.Trsv(blas.Trans, c.u, blas64.Vector{N: len(b), Inc: 1, Data: b})
	out := 0.0
	for _, v := range b {
		out += v * v
	}
	return out
}

// DiagInverse returns the diagonal of A⁻¹. Cost n³/3.
func (c *Cholesky) DiagInverse() []float64 { return diagInverse(c.u) }

// diagInverse returns the squared norms of the columns of U⁻ᵀ, which are those of the rows of
// U⁻¹, of UᵀU's inverse U⁻¹U⁻ᵀ the diagonal. Large ones on all processors.
func diagInverse(u blas64.Triangular) []float64 {
	n := u.N
	if n < spreadFrom {
		return squaredColumns(inverseTransposed(u))
	}
	out := make([]float64, n)
	const columns = 2 * strip
	// The tasks cannot fail.
	_ = parallel.For(context.Background(), 0, (n+columns-1)/columns, func(s int) error {
		first := s * columns
		w := mat.NewDense(n-first, min(columns, n-first), nil) // above, the columns are 0
		inverseColumns(w, u, first)
		copy(out[first:], squaredColumns(w))
		return nil
	})
	return out
}

// Inverse returns A⁻¹. Cost 2n³/3.
func (c *Cholesky) Inverse() *mat.SymDense {
	n := c.u.N
	w, out := inverseTransposed(c.u), mat.NewSymDense(n, nil)
	raw := out.RawSymmetric()
	// A⁻¹ = W'W, and row i of W ends at its diagonal: the columns of a strip have nothing
	// above its first row.
	eachStrip(n, func(first, last int) {
		below := w.Slice(first, n, 0, last).(*mat.Dense).RawMatrix()
		own := w.Slice(first, n, first, last).(*mat.Dense).RawMatrix()
		to := blas64.General{Rows: last, Cols: last - first, Stride: raw.Stride, Data: raw.Data[first:]}
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, below, own, 0, to)
	})
	return out
}

// quadInverse returns |U⁻ᵀb|² for each column of b, which it overwrites.
func quadInverse(u blas64.Triangular, b *mat.Dense) []float64 {
	blas64.Trsm(blas.Left, blas.Trans, 1, u, b.RawMatrix())
	return squaredColumns(b)
}

// squaredColumns returns the sum of the squares of each column.
func squaredColumns(b *mat.Dense) []float64 {
	n, k := b.Dims()
	out := make([]float64, k)
	i := 0
	for ; i+4 <= n; i += 4 { // four rows to a pass over out
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

// strip is the number of columns of an inverse that are computed at a time.
const strip = 64

// inverseTransposed returns U⁻ᵀ, which is lower triangular, with zeros above. Cost n³/3, as
// products of matrices: LAPACK's Trtri works on blocks of this size vector by vector.
func inverseTransposed(u blas64.Triangular) *mat.Dense {
	n := u.N
	w := mat.NewDense(n, n, nil)
	eachStrip(n, func(first, last int) {
		inverseColumns(w.Slice(first, n, first, last).(*mat.Dense), u, first)
	})
	return w
}

// eachStrip calls f for the strips of n columns, which the processors share.
func eachStrip(n int, f func(first, last int)) {
	// The tasks cannot fail.
	_ = parallel.For(context.Background(), 0, (n+strip-1)/strip, func(s int) error {
		f(s*strip, min((s+1)*strip, n))
		return nil
	})
}

// SymmetricProduct returns alpha·A'A for a (n×d), d×d. Cost nd².
func SymmetricProduct(alpha float64, a *mat.Dense) *mat.SymDense {
	n, d := a.Dims()
	out := mat.NewSymDense(d, nil)
	raw := out.RawSymmetric()
	eachStrip(d, func(first, last int) {
		above := a.Slice(0, n, 0, last).(*mat.Dense).RawMatrix()
		own := a.Slice(0, n, first, last).(*mat.Dense).RawMatrix()
		to := blas64.General{Rows: last, Cols: last - first, Stride: raw.Stride, Data: raw.Data[first:]}
		blas64.Gemm(blas.Trans, blas.NoTrans, alpha, above, own, 0, to)
	})
	return out
}

// inverseColumns sets dst, of zeros, to the columns of U⁻ᵀ from first on, from row first on.
func inverseColumns(dst *mat.Dense, u blas64.Triangular, first int) {
	_, columns := dst.Dims()
	for i := range columns {
		dst.Set(i, i, 1)
	}
	corner := u
	corner.N, corner.Data = u.N-first, u.Data[first*u.Stride+first:]
	blas64.Trsm(blas.Left, blas.Trans, 1, corner, dst.RawMatrix())
}

// LogDet returns the logarithm of the determinant.
func (c *Cholesky) LogDet() float64 {
	s := 0.0
	for i := range c.u.N {
		s += 2 * math.Log(c.u.Data[i*c.u.Stride+i])
	}
	return s
}

// Packed returns the rows of U from their diagonal on, one after the other.
func (c *Cholesky) Packed() []float64 {
	n := c.u.N
	out := make([]float64, 0, n*(n+1)/2)
	for i := range n {
		out = append(out, c.u.Data[i*c.u.Stride+i:i*c.u.Stride+n]...)
	}
	return out
}

// FromPacked restores a Cholesky of order n from Packed and Jitter; ok is false
// if the length does not fit or a diagonal element is not positive and finite.
func FromPacked(n int, packed []float64, jitter float64) (c *Cholesky, ok bool) {
	// In floating point, because n may be hostile.
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
