package orthogonal

import (
	"context"
	"math"

	"github.com/kernelearn/kernelearn/internal/linalg"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	lapack "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// pivotedQR is AP = QR with column pivoting. R is stored on and above the diagonal of a (m×n). The reflectors whose product is Q
// are stored below it, column by column; the first element of each, a 1, is not stored. It is LAPACK's dgeqp3 (G. Quintana-Ortí, X.
// Sun and C. H. Bischof, SIAM Journal on Scientific Computing 19, 1998) with a context, and with column norms as in dlaqps (Z.
// Drmač and Z. Bujanović, LAPACK Working Note 176).
type pivotedQR struct {
	a     *mat.Dense
	order []int     // order[j] is the column of A that is column j of AP
	tau   []float64 // min(m, n)

	norms, exact []float64 // norms of the remaining columns, as updated and as last computed
	f            *mat.Dense
	v, along     []float64 // a reflector, and its products with earlier ones
}

// newPivotedQR factors a in place. It costs 4mnr - 2(m+n)r² + 4r³/3 with r = min(m, n), half of it in matrix products. It checks
// ctx once per column and returns its error.
func newPivotedQR(ctx context.Context, a *mat.Dense) (*pivotedQR, error) {
	m, n := a.Dims()
	q := &pivotedQR{
		a: a, order: make([]int, n), tau: make([]float64, min(m, n)), norms: make([]float64, n), exact: make([]float64, n),
		f: mat.NewDense(n, pivotPanel, nil), v: make([]float64, m), along: make([]float64, pivotPanel),
	}
	for j := range n {
		q.order[j] = j
		q.measure(j, 0)
	}
	loop := progress.NewLoop(ctx)
	defer loop.End()
	for first := 0; first < len(q.tau); {
		left := float64(len(q.tau)-first) / float64(len(q.tau))
		loop.Report(1 - left*left)
		count, err := q.panel(ctx, first, min(pivotPanel, len(q.tau)-first))
		if err != nil {
			return nil, err
		}
		first += count
	}
	return q, ctx.Err()
}

// pivotPanel is the largest number of columns chosen before the remaining columns are updated.
const pivotPanel = 32

// measure computes the norm of column j from this row on.
func (q *pivotedQR) measure(j, row int) {
	raw := q.a.RawMatrix()
	q.norms[j] = 0
	if row < raw.Rows {
		q.norms[j] = fast.Nrm2(blas64.Vector{N: raw.Rows - row, Inc: raw.Stride, Data: raw.Data[row*raw.Stride+j:]})
	}
	q.exact[j] = q.norms[j]
}

// panel chooses and reduces the next columns, starting at position first. It returns their number, which is at most the parameter
// most. It stops early if the norm of another column has lost its digits, and recomputes that norm.
func (q *pivotedQR) panel(ctx context.Context, first, most int) (count int, err error) {
	m, n := q.a.Dims()
	var lost []int
	for count < most && len(lost) == 0 {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		row := q.a.RawRowView(first + count)
		q.choose(first, count)
		q.reflect(first, count)
		if count++; first+count < n {
			// Apply the reflectors of this panel to get the row of R.
			fast.Gemv(blas.NoTrans, -1, q.rowsOf(first+count, count), linalg.Vector(q.elements(first+count-1, first, count)), 1,
				linalg.Vector(row[first+count:]))
		}
		if first+count < min(m, n) {
			lost = q.downdate(first+count, row)
		}
		row[first+count-1] = q.v[0]
	}
	if behind := first + count; behind < min(m, n) {
		fast.Gemm(blas.NoTrans, blas.Trans, -1, windowOf(q.a, behind, first, m-behind, count), q.rowsOf(behind, count), 1,
			windowOf(q.a, behind, behind, m-behind, n-behind))
	}
	for _, j := range lost {
		q.measure(j, first+count)
	}
	return count, nil
}

// choose finds the column with the largest norm among those from position first+count on, and swaps it with the column at that
// position.
func (q *pivotedQR) choose(first, count int) {
	k, best := first+count, first+count
	for j, norm := range q.norms[k:] {
		if norm > q.norms[best] {
			best = k + j
		}
	}
	if best == k {
		return
	}
	m, _ := q.a.Dims()
	for i := range m {
		row := q.a.RawRowView(i)
		row[k], row[best] = row[best], row[k]
	}
	one, other := q.f.RawRowView(k)[:count], q.f.RawRowView(best)[:count]
	for c := range one {
		one[c], other[c] = other[c], one[c]
	}
	q.order[k], q.order[best] = q.order[best], q.order[k]
	q.norms[best], q.exact[best] = q.norms[k], q.exact[k]
}

// reflect finds the reflector of column first+count and column count of F, so that A - VFᵀ is A after the panel's reflectors. It
// leaves a 1 on the diagonal, and the diagonal element of R in v[0].
func (q *pivotedQR) reflect(first, count int) {
	m, n := q.a.Dims()
	k := first + count
	raw, v := q.a.RawMatrix(), q.v[:m-k]
	column := blas64.Vector{N: m - k, Inc: raw.Stride, Data: raw.Data[k*raw.Stride+k:]}
	earlier := windowOf(q.a, k, first, m-k, count)
	for i := range v {
		v[i] = column.Data[i*raw.Stride]
	}
	if count > 0 {
		fast.Gemv(blas.NoTrans, -1, earlier, linalg.Vector(q.f.RawRowView(k)[:count]), 1, linalg.Vector(v))
	}
	var impl lapack.Implementation
	diagonal, tau := impl.Dlarfg(m-k, v[0], v[min(1, m-k-1):], 1)
	q.tau[k], v[0] = tau, 1
	for i, x := range v {
		column.Data[i*raw.Stride] = x
	}
	of := func(j int) blas64.Vector {
		return blas64.Vector{N: n - j, Inc: pivotPanel, Data: q.f.RawMatrix().Data[j*pivotPanel+count:]}
	}
	for j := first; j <= k; j++ {
		q.f.Set(j, count, 0)
	}
	if k+1 < n {
		fast.Gemv(blas.Trans, tau, windowOf(q.a, k, k+1, m-k, n-k-1), linalg.Vector(v), 0, of(k+1))
	}
	if count > 0 {
		fast.Gemv(blas.Trans, -tau, earlier, linalg.Vector(v), 0, linalg.Vector(q.along[:count]))
		fast.Gemv(blas.NoTrans, 1, q.rowsOf(first, count), linalg.Vector(q.along[:count]), 1, of(first))
	}
	v[0] = diagonal
}

// downdate subtracts the elements of a row of R from the norms of the columns that start at the parameter from. It returns the
// columns whose norms have too few digits left.
func (q *pivotedQR) downdate(from int, row []float64) (lost []int) {
	for j := from; j < len(row); j++ {
		if q.norms[j] == 0 {
			continue
		}
		r := math.Abs(row[j]) / q.norms[j]
		left := max(0, (1+r)*(1-r))
		r = q.norms[j] / q.exact[j]
		if left*r*r < 0x1p-26 { // the root of a unit in the last place
			lost = append(lost, j)
		} else {
			q.norms[j] *= math.Sqrt(left)
		}
	}
	return lost
}

// rowsOf returns the first count columns of F, from row j on.
func (q *pivotedQR) rowsOf(j, count int) blas64.General {
	n, _ := q.f.Dims()
	return windowOf(q.f, j, 0, n-j, count)
}

// elements returns count elements of a row of a.
func (q *pivotedQR) elements(row, first, count int) []float64 {
	return q.a.RawRowView(row)[first : first+count]
}

// windowOf returns a submatrix of a.
func windowOf(a *mat.Dense, row, column, rows, columns int) blas64.General {
	raw := a.RawMatrix()
	return blas64.General{Rows: rows, Cols: columns, Stride: raw.Stride, Data: raw.Data[row*raw.Stride+column:]}
}

// rotate overwrites the columns of b (m×k) with Q'b. It costs 4mrk. It returns ctx's error.
func (q *pivotedQR) rotate(ctx context.Context, b *mat.Dense) error {
	m, k := b.Dims()
	product := make([]float64, qrPanel*k)
	for first := 0; first < len(q.tau); first += qrPanel {
		count := min(qrPanel, len(q.tau)-first)
		long := m - first
		v := blas64.General{Rows: count, Cols: long, Stride: long, Data: make([]float64, count*long)}
		for i := range long {
			for j, x := range q.elements(first+i, first, min(count, i)) {
				v.Data[j*long+i] = x
			}
			if i < count {
				v.Data[i*long+i] = 1
			}
		}
		factor := blas64.Triangular{N: count, Stride: count, Data: make([]float64, count*count), Uplo: blas.Upper, Diag: blas.NonUnit}
		linalg.ReflectorFactor(v, q.tau[first:first+count], factor,
			blas64.General{Rows: count, Cols: count, Stride: count, Data: make([]float64, count*count)})
		if err := linalg.ApplyReflectors(ctx, behind(b, first, 0), v, blas.Trans, factor, product); err != nil {
			return err
		}
	}
	return ctx.Err()
}
