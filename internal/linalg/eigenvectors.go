package linalg

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// Eigen returns all eigenvalues of a (n×n) in descending order, and the orthonormal eigenvectors (n×k) of the k largest, or nil for
// k = 0. The function choose returns k, given all eigenvalues. Eigen overwrites a. The vectors are computed with inverse iteration,
// and are numerically orthogonal even within clusters. It costs 8n³/3 + 2n²k, and O(nk²) for clustered eigenvalues. It returns
// ctx's error.
func Eigen(ctx context.Context, a *mat.SymDense, choose func(values []float64) int) (values []float64, vectors *mat.Dense, err error) {
	n := a.SymmetricDim()
	parts := progress.Parts(ctx, 10, 1, 2, 1)
	t, q, err := TridiagonalizeWithQ(parts[0], a, nil)
	if err != nil {
		return nil, nil, err
	}
	if values, err = t.Values(parts[1]); err != nil {
		return nil, nil, err
	}
	slices.Reverse(values)
	k := min(choose(values), n)
	if k < 1 {
		return values, nil, ctx.Err()
	}
	rows, err := t.vectors(parts[2], values[:k])
	if err != nil {
		return nil, nil, err
	}
	vectors = mat.NewDense(n, k, nil)
	return values, vectors, fast.MulContext(parts[3], vectors, q, rows.T())
}

// Neighbouring eigenvalues that differ by at most near times the norm of T form a cluster. The vectors of a cluster are
// orthogonalised. All other vectors are orthogonal anyway.
const near = 1e-3

// vectors returns the eigenvectors of T as the rows of a matrix (k×n), given their eigenvalues in descending order.
func (t *Tridiagonal) vectors(ctx context.Context, values []float64) (*mat.Dense, error) {
	out := mat.NewDense(len(values), t.n, nil)
	norm := 0.0
	for _, part := range [][]float64{t.d, t.e} {
		for _, v := range part {
			norm = max(norm, math.Abs(v))
		}
	}
	if norm == 0 {
		for i := range values {
			out.Set(i, i, 1)
		}
		return out, ctx.Err()
	}
	// Scaling by a power of two is exact, and keeps squares from overflowing.
	_, e := math.Frexp(norm)
	norm = math.Ldexp(norm, -e)
	d, off := make([]float64, t.n), make([]float64, len(t.e))
	for i, v := range t.d {
		d[i] = math.Ldexp(v, -e)
	}
	for i, v := range t.e {
		off[i] = math.Ldexp(v, -e)
	}
	f := newPivotedTridiagonal(t.n)
	products := make([]float64, len(values))
	first := 0 // first vector of the cluster
	loop := progress.NewLoop(ctx)
	defer loop.End()
	for i, v := range values {
		loop.Report(float64(i) / float64(len(values)))
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if i > 0 && math.Ldexp(values[i-1]-v, -e) > near*norm {
			first = i
		}
		row := out.RawRowView(i)
		rng := rand.New(rand.NewPCG(uint64(i), 0x766563746f72)) // the random stream "vector"
		f.factor(d, off, math.Ldexp(v, -e), norm)
		for range inverseIterations {
			cluster := out.Slice(first, max(i, first+1), 0, t.n).(*mat.Dense).RawMatrix()
			f.improve(row, rng, func() {
				if i > first {
					orthogonalize(row, cluster, products[:i-first])
				}
			})
		}
	}
	return out, nil
}

// inverseIterations is the number of iterations. The first already converges from a random vector, unless that is nearly orthogonal
// to the eigenvector.
const inverseIterations = 3

// orthogonalize removes from v its projections on the rows of a cluster. It does so twice, to remove the rounding errors of the
// first pass.
func orthogonalize(v []float64, cluster blas64.General, products []float64) {
	for range 2 {
		p := Vector(products)
		fast.Gemv(blas.NoTrans, 1, cluster, Vector(v), 0, p)
		fast.Gemv(blas.Trans, -1, cluster, p, 1, Vector(v))
	}
}

// pivotedTridiagonal is the LU factorisation of T - λI with row exchanges.
type pivotedTridiagonal struct {
	pivots, above, second []float64 // U: its diagonal and two superdiagonals
	below                 []float64 // multipliers
	exchanged             []bool
}

func newPivotedTridiagonal(n int) *pivotedTridiagonal {
	return &pivotedTridiagonal{
		pivots: make([]float64, n), above: make([]float64, n), second: make([]float64, n), below: make([]float64, n),
		exchanged: make([]bool, n),
	}
}

// factor factors T - λI, where T has diagonal d, off-diagonal e and the given norm.
func (f *pivotedTridiagonal) factor(d, e []float64, lambda, norm float64) {
	n := len(d)
	for i, v := range d {
		f.pivots[i] = v - lambda
	}
	clear(f.second)
	copy(f.above, e)
	for i := range n - 1 {
		if under := e[i]; math.Abs(f.pivots[i]) >= math.Abs(under) {
			f.exchanged[i], f.below[i] = false, 0
			if under != 0 {
				f.below[i] = under / f.pivots[i]
			}
			f.pivots[i+1] -= f.below[i] * f.above[i]
			continue
		}
		f.exchanged[i] = true
		f.below[i] = f.pivots[i] / e[i]
		next := f.pivots[i+1]
		f.pivots[i] = e[i]
		f.pivots[i+1] = f.above[i] - f.below[i]*next
		f.above[i] = next
		if i+2 < n {
			f.second[i] = f.above[i+1]
			f.above[i+1] *= -f.below[i]
		}
	}
	// Since λ is an eigenvalue, T - λI is singular: replace zero pivots by rounding errors.
	least := 0x1p-52 * norm
	for i, v := range f.pivots {
		if math.Abs(v) < least {
			f.pivots[i] = math.Copysign(least, v)
		}
	}
}

// improve overwrites v with a unit vector along (T - λI)⁻¹v, from which project has removed components. If v is zero, or nothing is
// left of it, improve restarts from a random vector.
func (f *pivotedTridiagonal) improve(v []float64, rng *rand.Rand, project func()) {
	unit := func() bool {
		largest := 0.0
		for _, x := range v {
			largest = max(largest, math.Abs(x))
		}
		if !(largest > 0x1p-40) { // the initial vector has norm 1
			return false
		}
		for j := range v {
			v[j] /= largest
		}
		fast.Scal(1/fast.Nrm2(Vector(v)), Vector(v))
		return true
	}
	for !unit() {
		for j := range v {
			v[j] = rng.NormFloat64()
		}
		project()
	}
	f.solve(v)
	unit()
	project()
	for !unit() {
		for j := range v {
			v[j] = rng.NormFloat64()
		}
		project()
	}
}

// solve overwrites b with the solution, up to a factor that prevents overflow.
func (f *pivotedTridiagonal) solve(b []float64) {
	n := len(b)
	for i := range n - 1 {
		if f.exchanged[i] {
			b[i], b[i+1] = b[i+1], b[i]-f.below[i]*b[i+1]
		} else {
			b[i+1] -= f.below[i] * b[i]
		}
	}
	for i := n - 1; i >= 0; i-- {
		v := b[i]
		if i+1 < n {
			v -= f.above[i] * b[i+1]
		}
		if i+2 < n {
			v -= f.second[i] * b[i+2]
		}
		b[i] = v / f.pivots[i]
		if math.Abs(b[i]) > 0x1p500 {
			for j := range b {
				b[j] *= 0x1p-500
			}
		}
	}
}
