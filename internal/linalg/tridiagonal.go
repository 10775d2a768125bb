package linalg

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	lapack "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/parallel"
)

// Tridiagonal is A = QTQᵀ with an orthogonal Q and a tridiagonal T. It stands
// where others take an eigendecomposition: for every ridge λ the systems with
// A + λI cost O(n) in the rotated coordinates, and gonum computes eigenvectors
// ten times slower than it reduces to this form.
type Tridiagonal struct {
	n      int
	d, e   []float64 // diagonal and off-diagonal of T
	a, tau []float64 // the reflectors whose product is Q, as Dsytrd left them
}

// Tridiagonalize reduces a, whose memory it takes over. Cost 4n³/3.
func Tridiagonalize(a *mat.SymDense) *Tridiagonal {
	raw := a.RawSymmetric()
	n := raw.N
	t := &Tridiagonal{n: n, d: make([]float64, n), e: make([]float64, max(0, n-1)), tau: make([]float64, max(0, n-1))}
	t.a = raw.Data
	if raw.Stride != n {
		t.a = make([]float64, n*n)
		for i := range n {
			copy(t.a[i*n:(i+1)*n], raw.Data[i*raw.Stride:i*raw.Stride+n])
		}
	}
	if n < leastReduced {
		mirror(t.a, n, n, false)
		var impl lapack.Implementation
		work := make([]float64, max(1, 64*n))
		impl.Dsytrd(blas.Lower, n, t.a, n, t.d, t.e, t.tau, work, len(work))
	} else {
		t.reduce()
	}
	return t
}

// leastReduced is the size from which reduce is faster than gonum's dsytrd, which has
// fewer calls on vectors that are short.
const leastReduced = 256

// reducePanel reflectors are found before the rest of the matrix is brought up to date
// by one product.
const reducePanel = 32

// reduce is LAPACK's dsytrd with row-major matrices in mind: only the upper triangle is
// read, row by row, and each row serves both as itself and as a column while it is in
// the cache. (gonum's walks down columns, a cache line for each number.) The reflectors
// go where it leaves them, below the diagonal.
func (t *Tridiagonal) reduce() {
	n := t.n
	// Rows i of vw are v and then w of the panel's reflectors, those of wv the other way
	// round, so that the update is one product of twice the depth.
	vw, wv := make([]float64, 2*reducePanel*n), make([]float64, 2*reducePanel*n)
	row := func(m []float64, i int) []float64 { return m[i*n : (i+1)*n] }
	// Of count rows of vw, those elements from column k on, and the elements of column k.
	rows := func(first, count, k int) blas64.General {
		return blas64.General{Rows: count, Cols: n - k, Stride: n, Data: vw[first*n+k:]}
	}
	at := func(first, count, k int) blas64.Vector { return blas64.Vector{N: count, Inc: n, Data: vw[first*n+k:]} }
	column, inner := make([]float64, n), make([]float64, reducePanel)
	for first := 0; first < n; first += reducePanel {
		size := min(reducePanel, n-first)
		for i := range size {
			k := first + i
			c := column[:n-k]
			copy(c, t.a[k*n+k:k*n+n])
			if i > 0 {
				blas64.Gemv(blas.Trans, -1, rows(0, i, k), at(size, i, k), 1, Vector(c))
				blas64.Gemv(blas.Trans, -1, rows(size, i, k), at(0, i, k), 1, Vector(c))
			}
			t.d[k] = c[0]
			if k == n-1 {
				return
			}
			v, w := row(vw, i), row(vw, size+i)
			clear(v[:k+1])
			clear(w[:k+1])
			t.reflect(k, c[1:], v[k+1:])
			t.times(k+1, v[k+1:], w[k+1:])
			if i > 0 {
				earlierV, earlierW := rows(0, i, k+1), rows(size, i, k+1)
				blas64.Gemv(blas.NoTrans, 1, earlierW, Vector(v[k+1:]), 0, Vector(inner[:i]))
				blas64.Gemv(blas.Trans, -1, earlierV, Vector(inner[:i]), 1, Vector(w[k+1:]))
				blas64.Gemv(blas.NoTrans, 1, earlierV, Vector(v[k+1:]), 0, Vector(inner[:i]))
				blas64.Gemv(blas.Trans, -1, earlierW, Vector(inner[:i]), 1, Vector(w[k+1:]))
			}
			scal(t.tau[k], w[k+1:])
			Axpy(-t.tau[k]/2*Dot(w[k+1:], v[k+1:]), v[k+1:], w[k+1:])
			copy(row(wv, i), w)
			copy(row(wv, size+i), v)
		}
		t.update(first+size, 2*size, vw, wv)
	}
}

// reflect finds the reflector of column k, given what is below the diagonal, which it
// overwrites, and sets v to it.
func (t *Tridiagonal) reflect(k int, below, v []float64) {
	var impl lapack.Implementation
	t.e[k], t.tau[k] = impl.Dlarfg(len(below), below[0], below[1:], 1)
	v[0] = 1
	copy(v[1:], below[1:])
	for i, x := range below[1:] {
		t.a[(k+2+i)*t.n+k] = x
	}
}

// times sets w to the product of the matrix from row and column k on with v.
func (t *Tridiagonal) times(k int, v, w []float64) {
	clear(w)
	if _, plain := blas64.Implementation().(gonum.Implementation); !plain {
		part := blas64.Symmetric{N: len(v), Stride: t.n, Data: t.a[k*t.n+k:], Uplo: blas.Upper}
		blas64.Symv(1, part, Vector(v), 0, Vector(w))
		return
	}
	// gonum's own Dsymv is a loop over numbers, these are vectorised.
	for i := range v {
		row := t.a[(k+i)*t.n+k+i : (k+i+1)*t.n]
		w[i] += Dot(row, v[i:])
		Axpy(v[i], row[1:], w[i+1:])
	}
}

// update subtracts VW' + WV' from the upper triangle from row k on.
func (t *Tridiagonal) update(k, depth int, vw, wv []float64) {
	const rows = 64
	n := t.n
	workers := 1
	if n-k >= updateSpreadFrom {
		workers = 0
	}
	// The tasks cannot fail.
	_ = parallel.For(context.Background(), workers, (n-k+rows-1)/rows, func(s int) error {
		i := k + s*rows
		r := min(rows, n-i)
		blas64.Gemm(blas.Trans, blas.NoTrans, -1,
			blas64.General{Rows: depth, Cols: r, Stride: n, Data: vw[i:]},
			blas64.General{Rows: depth, Cols: n - i, Stride: n, Data: wv[i:]},
			1, blas64.General{Rows: r, Cols: n - i, Stride: n, Data: t.a[i*n+i:]})
		return nil
	})
}

// updateSpreadFrom is the order from which an update takes long enough to be spread over
// processors.
const updateSpreadFrom = 384

func scal(a float64, x []float64) { blas64.Scal(a, Vector(x)) }

// Values returns the eigenvalues, ascending. Cost O(n²).
func (t *Tridiagonal) Values() []float64 {
	d, e := append([]float64(nil), t.d...), append([]float64(nil), t.e...)
	// gonum's Dsterf panics where it would scale by itself, from about 1e145 and below
	// 1e-120, the whole or a part that hangs together by itself. A power of two changes no
	// digit, and what is below 1e-30 of the largest is far below rounding.
	largest := 0.0
	for _, part := range [][]float64{d, e} {
		for _, v := range part {
			largest = max(largest, math.Abs(v))
		}
	}
	exponent := 0
	for _, part := range [][]float64{d, e} {
		for i, v := range part {
			if math.Abs(v) < 1e-30*largest {
				part[i] = 0
			}
		}
	}
	if largest > 0x1p300 || largest < 0x1p-200 {
		_, exponent = math.Frexp(largest)
	}
	scale := func(values []float64, by int) {
		for i, v := range values {
			values[i] = math.Ldexp(v, by)
		}
	}
	if exponent != 0 {
		scale(d, -exponent)
		scale(e, -exponent)
		defer func() { scale(d, exponent) }()
	}
	var impl lapack.Implementation
	if ok := impl.Dsterf(t.n, d, e); !ok {
		// Dsterf fails only on input that is not finite, which check.Dense and
		// kernels.Matrix keep out.
		for i := range d {
			d[i] = math.NaN()
		}
	}
	return d
}

// Rotate overwrites the columns of b (n×k) with Qᵀb. Cost 2n²k. It may not be
// called after Q.
func (t *Tridiagonal) Rotate(b *mat.Dense) {
	if t.n < 2 {
		return
	}
	raw := b.RawMatrix()
	var impl lapack.Implementation
	work := make([]float64, 64*max(t.n, raw.Cols)+64*64)
	// Q is diag(1, Q') with the reflectors of Q' below the diagonal of a.
	impl.Dormqr(blas.Left, blas.Trans, t.n-1, raw.Cols, t.n-1, t.a[t.n:], t.n, t.tau, raw.Data[raw.Stride:], raw.Stride, work, len(work))
}

// Q returns the orthogonal factor in the memory of the matrix that was reduced.
// Cost 4n³/3.
func (t *Tridiagonal) Q() *mat.Dense {
	if t.n == 1 {
		return mat.NewDense(1, 1, []float64{1})
	}
	var impl lapack.Implementation
	work := make([]float64, 64*t.n)
	impl.Dorgtr(blas.Lower, t.n, t.a, t.n, t.tau, work, len(work))
	return mat.NewDense(t.n, t.n, t.a)
}

// Shifted is T + λI = LDLᵀ, L unit lower bidiagonal.
type Shifted struct{ l, d []float64 }

// Shift factors T + λI in O(n); ok is false if it is not positive definite.
func (t *Tridiagonal) Shift(lambda float64) (s Shifted, ok bool) {
	s = Shifted{l: make([]float64, len(t.e)), d: make([]float64, t.n)}
	for i, v := range t.d {
		s.d[i] = v + lambda
		if i > 0 {
			s.l[i-1] = t.e[i-1] / s.d[i-1]
			s.d[i] -= s.l[i-1] * t.e[i-1]
		}
		if !(s.d[i] > 0) {
			return s, false
		}
	}
	return s, true
}

// Solve overwrites the columns of b (n×k) with (T+λI)⁻¹b. Cost 5nk.
func (s Shifted) Solve(b *mat.Dense) {
	n := len(s.d)
	for i := 1; i < n; i++ {
		prev, row := b.RawRowView(i-1), b.RawRowView(i)
		for j, v := range prev {
			row[j] -= s.l[i-1] * v
		}
	}
	for i := n - 1; i >= 0; i-- {
		row := b.RawRowView(i)
		for j := range row {
			row[j] /= s.d[i]
		}
		if i < n-1 {
			for j, v := range b.RawRowView(i + 1) {
				row[j] -= s.l[i] * v
			}
		}
	}
}

// LogDet returns the logarithm of the determinant.
func (s Shifted) LogDet() float64 {
	sum := 0.0
	for _, v := range s.d {
		sum += math.Log(v)
	}
	return sum
}

// Quad returns q'(T+λI)⁻¹q for each row q of rows. Cost 4n a row.
func (s Shifted) Quad(ctx context.Context, workers int, rows *mat.Dense) ([]float64, error) {
	r, _ := rows.Dims()
	inv := make([]float64, len(s.d))
	for i, v := range s.d {
		inv[i] = 1 / v
	}
	out := make([]float64, r)
	const chunk = 64
	err := parallel.For(ctx, workers, (r+chunk-1)/chunk, func(c int) error {
		i := c * chunk
		end := min(i+chunk, r)
		// The recurrence waits for its own last result: four at a time fill the
		// pipeline.
		for ; i+4 <= end; i += 4 {
			q0, q1, q2, q3 := rows.RawRowView(i), rows.RawRowView(i+1), rows.RawRowView(i+2), rows.RawRowView(i+3)
			z0, z1, z2, z3 := q0[0], q1[0], q2[0], q3[0]
			v := inv[0]
			s0, s1, s2, s3 := z0*z0*v, z1*z1*v, z2*z2*v, z3*z3*v
			for j, l := range s.l {
				z0, z1, z2, z3 = q0[j+1]-l*z0, q1[j+1]-l*z1, q2[j+1]-l*z2, q3[j+1]-l*z3
				v := inv[j+1]
				s0 += z0 * z0 * v
				s1 += z1 * z1 * v
				s2 += z2 * z2 * v
				s3 += z3 * z3 * v
			}
			out[i], out[i+1], out[i+2], out[i+3] = s0, s1, s2, s3
		}
		for ; i < end; i++ {
			q := rows.RawRowView(i)
			z := q[0]
			sum := z * z * inv[0]
			for j, l := range s.l {
				z = q[j+1] - l*z
				sum += z * z * inv[j+1]
			}
			out[i] = sum
		}
		return nil
	})
	return out, err
}

// QuadColumns sets out[j] to p'(T+λI)⁻¹p for column p = j of b (n×k). Cost 4nk; the recurrence
// runs down all columns at once.
func (s Shifted) QuadColumns(out []float64, b *mat.Dense) {
	z := make([]float64, len(out))
	copy(z, b.RawRowView(0))
	inverse := 1 / s.d[0]
	for j, v := range z {
		out[j] = v * v * inverse
	}
	for i, l := range s.l {
		row, sums := b.RawRowView(i + 1)[:len(z)], out[:len(z)]
		inverse := 1 / s.d[i+1]
		for j, v := range row {
			v -= l * z[j]
			z[j] = v
			sums[j] += v * v * inverse
		}
	}
}
