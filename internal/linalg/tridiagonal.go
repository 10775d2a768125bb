package linalg

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// Tridiagonal is A = QTQᵀ with an orthogonal Q and a tridiagonal T. It replaces an eigendecomposition: in rotated coordinates a
// system with A + λI costs O(n) for every ridge λ. With gonum, this reduction is ten times as fast as computing eigenvectors.
type Tridiagonal struct {
	n    int
	d, e []float64  // diagonal and off-diagonal of T
	q    reflectors // nil if the caller has Q
}

// reflectors represent Q as a product of reflectors.
type reflectors interface {
	// rotate overwrites the columns of b with Qᵀb. It returns ctx's error.
	rotate(ctx context.Context, b *mat.Dense) error
}

// leastStaged is the order from which two stages are faster than one, unless Q is requested.
const leastStaged = 1000

// Tridiagonalize reduces a, and stores the reflectors in its memory. A reduction in one stage reads the whole matrix for each row
// and is limited by memory bandwidth. Large matrices are therefore reduced in two stages (see twoStages). It costs 4n³/3, and
// temporary memory for 350n numbers. It returns ctx's error, and a is then unusable.
func Tridiagonalize(ctx context.Context, a *mat.SymDense) (*Tridiagonal, error) {
	raw := a.RawSymmetric()
	if raw.N < leastStaged {
		t, _, err := inOneStage(ctx, raw)
		return t, err
	}
	return inTwoStages(ctx, raw)
}

// TridiagonalizeWithQ reduces a, returns Q in its memory, and overwrites the columns of b (n×k; nil for none) with Qᵀb. It works in
// one stage. With two stages Q would consist of twice as many reflectors, which would cost more than the stages save. It costs
// 8n³/3 + 2n²k. It checks ctx once per row and returns its error, and a and b are then unusable.
func TridiagonalizeWithQ(ctx context.Context, a *mat.SymDense, b *mat.Dense) (*Tridiagonal, *mat.Dense, error) {
	parts := progress.Parts(ctx, 3, .2, 1) // memory bandwidth limits the reduction
	t, r, err := inOneStage(parts[0], a.RawSymmetric())
	if err != nil {
		return nil, nil, err
	}
	if b != nil {
		if err := r.rotate(parts[1], b); err != nil {
			return nil, nil, err
		}
	}
	t.q = nil
	q, err := r.form(parts[2])
	return t, q, err
}

// Rotate overwrites the columns of b (n×k) with Qᵀb. It must not be called after TridiagonalizeWithQ, which does so itself. It
// costs 4n²k. It returns ctx's error, and b is then unusable.
func (t *Tridiagonal) Rotate(ctx context.Context, b *mat.Dense) error { return t.q.rotate(ctx, b) }

// contiguous returns the n×n numbers of a, without a copy if they are contiguous.
func contiguous(a blas64.Symmetric) []float64 {
	n := a.N
	if a.Stride == n {
		return a.Data[:n*n]
	}
	out := make([]float64, n*n)
	for i := range n {
		copy(out[i*n:(i+1)*n], a.Data[i*a.Stride:i*a.Stride+n])
	}
	return out
}

// Eigenvalues returns the eigenvalues of a in ascending order, and overwrites a. It costs 4n³/3. It returns ctx's error.
func Eigenvalues(ctx context.Context, a *mat.SymDense) ([]float64, error) {
	reduction, values := progress.Two(ctx, 10, 1)
	t, err := Tridiagonalize(reduction, a)
	if err != nil {
		return nil, err
	}
	return t.Values(values)
}

// Values returns the eigenvalues in ascending order. It costs O(n²): a quarter of a second for n = 4000, more than a second for 10
// 000. It returns ctx's error.
func (t *Tridiagonal) Values(ctx context.Context) ([]float64, error) {
	d, e := append([]float64(nil), t.d...), append([]float64(nil), t.e...)
	// Squares must neither overflow nor underflow, in the whole matrix or in a block of it. Scaling by a power of two is exact, and
	// elements below 1e-30 of the largest are far below rounding.
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
	ok, err := tridiagonalValues(ctx, d, e)
	if err != nil {
		return nil, err
	}
	if !ok {
		// It fails only on input that is not finite, which check.Dense and kernels.Matrix exclude.
		for i := range d {
			d[i] = math.NaN()
		}
	}
	return d, ctx.Err()
}

// Shifted is the factorisation T + λI = LDLᵀ with a unit lower bidiagonal L.
type Shifted struct{ l, d []float64 }

// Matrix returns T + λI.
func (t *Tridiagonal) Matrix(lambda float64) *mat.SymDense {
	out := mat.NewSymDense(t.n, nil)
	for i, v := range t.d {
		out.SetSym(i, i, v+lambda)
		if i > 0 {
			out.SetSym(i-1, i, t.e[i-1])
		}
	}
	return out
}

// Shift factors T + λI in O(n). It returns ok = false if the matrix is not positive definite.
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

// Solve overwrites the columns of b (n×k) with (T+λI)⁻¹b. It costs 5nk.
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
	// The log of a product is cheaper than a sum of logs. Staying 256 binary orders of magnitude within the range leaves room for
	// the next factor, unless that is extreme by itself.
	sum, product := 0.0, 1.0
	for _, v := range s.d {
		if next := product * v; next > 0x1p-256 && next < 0x1p256 {
			product = next
			continue
		}
		sum += math.Log(product) + math.Log(v)
		product = 1
	}
	return sum + math.Log(product)
}

// QuadColumns sets out[j] to p'(T+λI)⁻¹p, where p is column j of b (n×k). It costs 4nk. The recurrence runs down several columns at
// once.
func (s Shifted) QuadColumns(ctx context.Context, workers int, out []float64, b *mat.Dense) error {
	// steps holds the elements of L and D for each row. The recurrence begins with l = 0.
	steps := make([]float64, 2*len(s.d))
	for i, v := range s.d {
		if i > 0 {
			steps[2*i] = s.l[i-1]
		}
		steps[2*i+1] = 1 / v
	}
	raw := b.RawMatrix()
	if raw.Rows*raw.Cols < quadSpreadFrom {
		workers = 1
	}
	return parallel.ForEach(ctx, workers, (raw.Cols+quadTask-1)/quadTask, func(c int) error {
		j, end := c*quadTask, min((c+1)*quadTask, raw.Cols)
		if hasVectors {
			for ; j+quadStrip <= end; j += quadStrip {
				quadColumns(raw.Rows, &raw.Data[j], raw.Stride, &steps[0], &out[j])
			}
		}
		quadRest(raw.Rows, raw.Data[j:], raw.Stride, steps, out[j:end])
		return nil
	})
}

const (
	quadStrip = 24 // columns in vector registers
	quadTask  = 5 * quadStrip
	// quadSpreadFrom is the number of elements from which the work is distributed over processors.
	quadSpreadFrom = 1 << 19
)

// quadRest is like quadColumns, for any number of columns, the number of elements of out.
func quadRest(rows int, b []float64, stride int, steps, out []float64) {
	if len(out) == 0 {
		return
	}
	clear(out)
	z := make([]float64, len(out))
	for i := range rows {
		l, inverse := steps[2*i], steps[2*i+1]
		for j, v := range b[i*stride : i*stride+len(z)] {
			v -= l * z[j]
			z[j] = v
			out[j] += v * v * inverse
		}
	}
}
