package linalg

import (
	"context"
	"math"
	"sync/atomic"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/kernelearn/kernelearn/internal/fast"
)

// A factorisation of at least spreadFrom rows proceeds by panels of panelRows rows. After each panel, the work is distributed over
// the processors: triangular solves in strips of panelStrip columns, and products in strips of productStrip columns. The products
// are the same for any number of processors.
const (
	spreadFrom   = 384
	panelRows    = 192
	panelStrip   = 384
	productStrip = 960
)

// potrf overwrites the upper triangle of a with U of A = UᵀU. It returns ok = false if A is not numerically positive definite. It
// does not change the lower triangle. LAPACK's algorithm is the same, but the triangular solves and symmetric products of gonum,
// and of OpenBLAS as it is used here, run on one processor. Here the rows of the next panel are updated before all others, and its
// corner is factored while other processors update the rest. It checks ctx before each task and returns its error.
func potrf(ctx context.Context, a blas64.Symmetric) (t blas64.Triangular, ok bool, err error) {
	n := a.N
	t = blas64.Triangular{N: n, Stride: a.Stride, Data: a.Data, Uplo: blas.Upper, Diag: blas.NonUnit}
	if n < spreadFrom {
		return t, potrfHalves(a), ctx.Err()
	}
	p := panels{a: a, updated: make([][]int, (n+panelRows-1)/panelRows)}
	corner := p.add(func() { p.corner(0) })
	for k := 0; k+panelRows < n; k += panelRows {
		corner = p.behind(k, corner)
	}
	err = p.do(ctx)
	return t, !p.failed.Load(), err
}

// leastHalved is the smallest order that is divided into halves.
const leastHalved = 32

// potrfHalves is potrf on one processor, by recursive halving, so that nearly all work is in products.
func potrfHalves(a blas64.Symmetric) bool {
	if a.N <= leastHalved {
		return potrfRows(a)
	}
	half := (a.N/2 + 7) &^ 7
	first, rest := a, a
	first.N, rest.N, rest.Data = half, a.N-half, a.Data[half*a.Stride+half:]
	if !potrfHalves(first) {
		return false
	}
	side := blas64.General{Rows: half, Cols: rest.N, Stride: a.Stride, Data: a.Data[half:]}
	fast.Trsm(blas.Left, blas.Trans, 1, blas64.Triangular{N: half, Stride: a.Stride, Data: a.Data, Uplo: blas.Upper, Diag: blas.NonUnit},
		side)
	fast.Syrk(blas.Trans, -1, side, 1, rest)
	return potrfHalves(rest)
}

// potrfRows is potrf row by row.
func potrfRows(a blas64.Symmetric) bool {
	for k := range a.N {
		row := a.Data[k*a.Stride+k : k*a.Stride+a.N]
		if !(row[0] > 0) {
			return false
		}
		root := math.Sqrt(row[0])
		for j := range row {
			row[j] /= root
		}
		row[0] = root
		for i := 1; i < len(row); i++ {
			own, f := a.Data[(k+i)*a.Stride+k+i:(k+i)*a.Stride+a.N], row[i]
			for j, v := range row[i:] {
				own[j] -= f * v
			}
		}
	}
	return true
}

// Potrf overwrites the upper triangle of a with U of A = UᵀU. It returns ok = false if A is not numerically positive definite, and
// ctx's error.
func Potrf(ctx context.Context, a blas64.Symmetric) (u blas64.Triangular, ok bool, err error) {
	return potrf(ctx, a)
}

// panels are the tasks of a factorisation. Tasks after a corner that is not positive definite do nothing.
type panels struct {
	tasks
	a       blas64.Symmetric
	updated [][]int // for each panel the last tasks that change its rows
	failed  atomic.Bool
}

// part returns the submatrix with these rows and columns.
func (p *panels) part(row, column, rows, columns int) blas64.General {
	return blas64.General{Rows: rows, Cols: columns, Stride: p.a.Stride, Data: p.a.Data[row*p.a.Stride+column:]}
}

// square returns the diagonal block that starts at row k.
func (p *panels) square(k, rows int) blas64.Symmetric {
	return blas64.Symmetric{N: rows, Stride: p.a.Stride, Data: p.a.Data[k*p.a.Stride+k:], Uplo: blas.Upper}
}

func (p *panels) corner(k int) {
	if p.failed.Load() {
		return
	}
	if !potrfHalves(p.square(k, min(panelRows, p.a.N-k))) {
		p.failed.Store(true)
	}
}

// behind adds the tasks that follow the corner of the panel from row k on. The argument corner is the task that factors that
// corner. It returns the task that factors the next corner.
func (p *panels) behind(k, corner int) (next int) {
	n, from := p.a.N, k+panelRows
	triangle := blas64.Triangular{N: panelRows, Stride: p.a.Stride, Data: p.square(k, panelRows).Data, Uplo: blas.Upper, Diag: blas.NonUnit}
	earlier := append([]int{corner}, p.updated[k/panelRows]...)
	var solved []int
	for first := from; first < n; first += panelStrip {
		solved = append(solved, p.add(func() {
			if !p.failed.Load() {
				fast.Trsm(blas.Left, blas.Trans, 1, triangle, p.part(k, first, panelRows, min(panelStrip, n-first)))
			}
		}, earlier...))
	}
	for i := from; i < n; i += panelRows {
		rows := min(panelRows, n-i)
		// Wait for the strips of solves with column i and later columns.
		wait := append(append([]int(nil), solved[(i-from)/panelStrip:]...), p.updated[i/panelRows]...)
		square := p.add(func() {
			if !p.failed.Load() {
				fast.Syrk(blas.Trans, -1, p.part(k, i, panelRows, rows), 1, p.square(i, rows))
			}
		}, wait...)
		p.updated[i/panelRows] = []int{square}
		for first := i + rows; first < n; first += productStrip {
			columns := min(productStrip, n-first)
			p.updated[i/panelRows] = append(p.updated[i/panelRows], p.add(func() {
				if !p.failed.Load() {
					fast.Gemm(blas.Trans, blas.NoTrans, -1, p.part(k, i, panelRows, rows), p.part(k, first, panelRows, columns),
						1, p.part(i, first, rows, columns))
				}
			}, wait...))
		}
		if i == from {
			next = p.add(func() { p.corner(from) }, square)
		}
	}
	return next
}
