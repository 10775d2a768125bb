package linalg

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	lapack "gonum.org/v1/gonum/lapack/gonum"

	"github.com/kernelearn/kernelearn/internal/fast"
)

// Each row of the band holds bandLength elements from the diagonal on, with room for a bulge. The rows of a submatrix of the band
// are bandLength-1 elements apart.
const bandLength = 2 * bandWidth

// A task of the second stage takes chaseSteps steps of each of chaseSweeps sweeps.
const chaseSweeps, chaseSteps = 8, 8

// chasing is the second stage. Sweep s makes row s tridiagonal with a reflector on the next bandWidth rows and columns, and chases
// the resulting bulge off the end. Step j of the sweep applies a reflector to rows and columns s+1+j·bandWidth up to those of the
// next step.
type chasing struct {
	*twoStages
	band []float64
}

// toTridiagonal reduces the band from toBand, and overwrites the triangle below the diagonal with the reflectors. It returns the
// diagonal and the off-diagonal of T, and ctx's error.
func (t *twoStages) toTridiagonal(ctx context.Context) (d, e []float64, err error) {
	n := t.n
	c := chasing{twoStages: t, band: make([]float64, n*bandLength)}
	for i := range n {
		end := min(i+bandWidth+1, n)
		copy(c.band[i*bandLength:], t.a[i*n+i:i*n+end])
	}
	if err := c.sweeps(ctx); err != nil {
		return nil, nil, err
	}
	d, e = make([]float64, n), make([]float64, max(0, n-1))
	for i := range n {
		d[i] = c.band[i*bandLength]
		if i+1 < n {
			e[i] = c.band[i*bandLength+1]
		}
	}
	return d, e, nil
}

// reflectorsOf returns the n-1-s numbers that store the reflectors of sweep s, one after the other. The first element of each
// reflector, a 1, is replaced with its tau.
func (t *twoStages) reflectorsOf(s int) []float64 {
	row := t.n - 1 - s
	return t.a[row*t.n : row*t.n+row]
}

// sweeps runs all sweeps, several in parallel. Step j of a sweep may begin once step j+1 of the previous sweep has ended. A task
// takes chaseSteps steps of its first sweep, the same number of the second sweep starting one step earlier, and so on. It waits for
// the previous task of its group, and for the next task of the group before. It returns ctx's error.
func (c *chasing) sweeps(ctx context.Context) error {
	sweeps := c.n - 2
	groups := (sweeps + chaseSweeps - 1) / chaseSweeps
	steps := func(sweep int) int { return (c.n - 1 - sweep + bandWidth - 1) / bandWidth }
	// chunks returns the number of chunks of a group, whose last sweep lags by chaseSweeps-1 steps.
	chunks := func(group int) int {
		return (steps(group*chaseSweeps) + chaseSweeps - 1 + chaseSteps - 1) / chaseSteps
	}
	var todo tasks
	number := make([][]int, groups) // task number of each chunk
	// Add tasks in the order in which they can begin.
	for wave := 0; ; wave++ {
		added := false
		for g := max(0, (wave-chunks(0))/2); g <= min(wave/2, groups-1); g++ {
			chunk := wave - 2*g
			if chunk >= chunks(g) {
				continue
			}
			added = true
			var wait []int
			if chunk > 0 {
				wait = append(wait, number[g][chunk-1])
			}
			if g > 0 {
				wait = append(wait, number[g-1][min(chunk+1, len(number[g-1])-1)])
			}
			number[g] = append(number[g], todo.add(func() {
				w := newChaseWork()
				for q := range min(chaseSweeps, sweeps-g*chaseSweeps) {
					s := g*chaseSweeps + q
					for j := max(0, chunk*chaseSteps-q); j < min((chunk+1)*chaseSteps-q, steps(s)); j++ {
						c.step(s, j, w)
					}
				}
			}, wait...))
		}
		if !added && wave >= 2*groups {
			break
		}
	}
	return todo.do(ctx)
}

// chaseWork is the working memory of a task.
type chaseWork struct {
	v, w        [bandWidth]float64
	left, right [2 * bandWidth]float64
}

func newChaseWork() *chaseWork { return new(chaseWork) }

// step takes step j of a sweep.
func (c *chasing) step(sweep, j int, work *chaseWork) {
	first := sweep + 1 + j*bandWidth
	rows := min(bandWidth, c.n-first)
	stored := c.reflectorsOf(sweep)[j*bandWidth:]
	if j == 0 {
		reflect(c.band[sweep*bandLength+1:][:rows], stored)
	}
	v, tau := work.v[:rows], stored[0]
	v[0] = 1
	copy(v[1:], stored[1:rows])
	c.bothSides(first, v, tau, work.w[:rows])

	behind := first + rows
	columns := min(bandWidth, c.n-behind)
	if columns <= 0 {
		return
	}
	// part is the block B next to the square on the diagonal. The reflector fills it, and the next reflector clears its first row
	// except for one element. Both change the other rows in one pass: with u = Bᵀv and w = (B - τvuᵀ)v', the result is B - τvuᵀ -
	// τ'wv'ᵀ.
	part := blas64.General{Rows: rows, Cols: columns, Stride: bandLength - 1, Data: c.band[first*bandLength+rows:]}
	left, right := work.left[:2*rows], work.right[:2*columns]
	u := right[:columns]
	c.timesColumns(part, v, u)
	row := part.Data[:columns]
	Axpy(-tau, u, row)
	following := stored[rows:]
	reflect(row, following)
	if rows == 1 {
		return
	}
	part.Rows, part.Data = rows-1, part.Data[part.Stride:]
	next := right[columns:]
	next[0] = 1
	copy(next[1:], following[1:columns])
	w := work.w[:rows-1]
	c.timesRows(part, next, w)
	inner := tau * Dot(u, next)
	for i, x := range w {
		left[2*i] = tau * v[1+i]
		left[2*i+1] = following[0] * (x - inner*v[1+i])
	}
	c.subtractTwo(part, left, right)
}

// reflect finds and stores the reflector that clears a row except for its first element.
func reflect(row, stored []float64) {
	var impl lapack.Implementation
	beta, tau := impl.Dlarfg(len(row), row[0], row[1:], 1)
	stored[0] = tau
	copy(stored[1:len(row)], row[1:])
	row[0] = beta
	clear(row[1:])
}

// bothSides applies a reflector to both sides of the square that starts at a diagonal element.
func (c *chasing) bothSides(first int, v []float64, tau float64, w []float64) {
	if tau == 0 {
		return
	}
	square := blas64.Symmetric{N: len(v), Stride: bandLength - 1, Data: c.band[first*bandLength:], Uplo: blas.Upper}
	if hasVectors && square.N == bandWidth {
		clear(w)
		symmetricTimes(&square.Data[0], square.Stride, &v[0], &w[0])
		scal(tau, w)
		Axpy(-tau/2*Dot(w, v), v, w)
		subtractSymmetric(&square.Data[0], square.Stride, &v[0], &w[0])
		return
	}
	fast.Symv(tau, square, Vector(v), 0, Vector(w))
	Axpy(-tau/2*Dot(w, v), v, w)
	fast.Syr2(-1, Vector(v), Vector(w), square)
}

// timesColumns sets u to Aᵀv.
func (c *chasing) timesColumns(a blas64.General, v, u []float64) {
	if hasVectors && a.Cols == bandWidth {
		timesColumns(a.Rows, &a.Data[0], a.Stride, &v[0], &u[0])
		return
	}
	fast.Gemv(blas.Trans, 1, a, Vector(v), 0, Vector(u))
}

// timesRows sets w to Ax.
func (c *chasing) timesRows(a blas64.General, x, w []float64) {
	if hasVectors && a.Cols == bandWidth {
		timesRows(a.Rows, &a.Data[0], a.Stride, &x[0], &w[0])
		return
	}
	fast.Gemv(blas.NoTrans, 1, a, Vector(x), 0, Vector(w))
}

// subtractTwo subtracts from A the product of left, with two elements per row, and right, with two rows.
func (c *chasing) subtractTwo(a blas64.General, left, right []float64) {
	if hasVectors && a.Cols == bandWidth {
		subtractTwo(a.Rows, &a.Data[0], a.Stride, &left[0], &right[0])
		return
	}
	fast.Gemm(blas.NoTrans, blas.NoTrans, -1, blas64.General{Rows: a.Rows, Cols: 2, Stride: 2, Data: left},
		blas64.General{Rows: 2, Cols: a.Cols, Stride: a.Cols, Data: right}, 1, a)
}
