package linalg

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
)

// Factor is a Cholesky factorisation A = UᵀU to which rows can be appended and from which they can be deleted, at O(n²) instead of
// O(n³). To change a diagonal element, delete its row and append it again: unlike a downdate, that is stable.
type Factor struct {
	n, ld int
	data  []float64 // rows of U, ld apart; elements left of the diagonal are not used
}

// NewFactor starts from a factorisation, or from an empty matrix if c is nil.
func NewFactor(c *Cholesky) *Factor {
	if c == nil {
		return &Factor{}
	}
	f := &Factor{}
	f.reserve(c.u.N + c.u.N/4)
	f.n = c.u.N
	for i := range f.n {
		copy(f.data[i*f.ld+i:i*f.ld+f.n], c.u.Data[i*c.u.Stride+i:])
	}
	return f
}

// reserve makes room for matrices of order n.
func (f *Factor) reserve(n int) {
	if n <= f.ld {
		return
	}
	ld := max(16, 3*f.ld/2, n)
	data := make([]float64, ld*ld)
	for i := range f.n {
		copy(data[i*ld+i:i*ld+f.n], f.data[i*f.ld+i:])
	}
	f.ld, f.data = ld, data
}

// Append adds a row and a column. The slice a holds their elements in the existing columns, and d is the diagonal element. If the
// matrix would not be numerically positive definite, it returns false and changes nothing. It costs n².
func (f *Factor) Append(a []float64, d float64) (ok bool) {
	u := make([]float64, f.n)
	copy(u, a)
	f.halfSolve(u)
	rest := d
	for _, v := range u {
		rest -= v * v
	}
	if !(rest > 1e-15*d) {
		return false
	}
	f.reserve(f.n + 1)
	f.n++
	last := f.n - 1
	for i, v := range u {
		f.data[i*f.ld+last] = v
	}
	f.data[last*f.ld+last] = math.Sqrt(rest)
	return true
}

// Delete removes row and column k. It costs 3(n-k)².
func (f *Factor) Delete(k int) {
	for i := range k + 1 {
		row := f.data[i*f.ld : i*f.ld+f.n]
		copy(row[k:], row[k+1:])
	}
	// From row k on the columns have moved left, which leaves one element below the diagonal. Rotations of neighbouring rows remove
	// it.
	for i := k; i < f.n-1; i++ {
		upper := f.data[i*f.ld+i : i*f.ld+f.n-1]
		lower := f.data[(i+1)*f.ld+i+1 : (i+1)*f.ld+f.n] // the original row, from its diagonal
		c, s, r := rotation(upper[0], lower[0])
		upper[0] = r
		for j := 1; j < len(upper); j++ {
			u, l := upper[j], lower[j]
			upper[j] = c*u + s*l
			lower[j-1] = c*l - s*u // the next round reads it as its upper row
		}
	}
	f.n--
}

// rotation returns c and s with c·a + s·b = r and c·b - s·a = 0.
func rotation(a, b float64) (c, s, r float64) {
	r = math.Hypot(a, b)
	if r == 0 {
		return 1, 0, 0
	}
	return a / r, b / r, r
}

// upper returns U.
func (f *Factor) upper() blas64.Triangular {
	return blas64.Triangular{N: f.n, Stride: max(f.ld, 1), Data: f.data, Uplo: blas.Upper, Diag: blas.NonUnit}
}

// halfSolve overwrites b with U⁻ᵀb. It costs n².
func (f *Factor) halfSolve(b []float64) {
	if f.n > 0 {
		fast.Trsv(blas.Trans, f.upper(), Vector(b[:f.n]))
	}
}

// Solve overwrites b with A⁻¹b. It costs 2n².
func (f *Factor) Solve(b []float64) {
	if f.n > 0 {
		f.halfSolve(b)
		fast.Trsv(blas.NoTrans, f.upper(), Vector(b[:f.n]))
	}
}

// QuadInverse returns b'A⁻¹b, which is never negative, for each column of b (n×k), and overwrites b. It costs n²k. It returns ctx's
// error.
func (f *Factor) QuadInverse(ctx context.Context, b *mat.Dense) ([]float64, error) {
	return quadInverse(ctx, f.upper(), b)
}

// DiagInverse returns the diagonal of A⁻¹. It costs n³/3. It returns ctx's error.
func (f *Factor) DiagInverse(ctx context.Context) ([]float64, error) {
	if f.n == 0 {
		return nil, ctx.Err()
	}
	return diagInverse(ctx, f.upper())
}

// LogDet returns the logarithm of the determinant of A.
func (f *Factor) LogDet() float64 {
	s := 0.0
	for i := range f.n {
		s += 2 * math.Log(f.data[i*f.ld+i])
	}
	return s
}
