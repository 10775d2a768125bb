//go:build (amd64 || arm64) && !purego

package simd

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"github.com/kernelearn/kernelearn/internal/parallel"
)

const (
	// A triangle of a higher order is halved. The block between the halves is multiplied as a matrix.
	triangleOrder = 128
	// Number of panels per task.
	panelsPerTask = 4
)

// A triangular is a triangular matrix T of the given order and a matrix X with as many rows. X is multiplied by T⁻¹ or T from the
// left. With A on the right the equations are transposed: X is a view of Bᵀ.
type triangular struct {
	t        view
	upper    bool // T is upper triangular
	unit     bool
	order, n int
	x        view
}

func newTriangular(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64,
	ldb int) (t triangular, ok bool) {
	trans, legalT := transposes(tA)
	part, legalU := triangles(ul)
	right := s == blas.Right
	t = triangular{
		t: stored(a, lda, trans != right), upper: (part == upper) != (trans != right), unit: d == blas.Unit,
		order: m, n: n, x: stored(b, ldb, right),
	}
	if right {
		t.order, t.n = n, m
	}
	legal := legalT && legalU && (right || s == blas.Left) && (t.unit || d == blas.NonUnit)
	return t, hasVectors && alpha != 0 && legal && holds(a, lda, t.order, t.order) && holds(b, ldb, m, n)
}

// halves divides T into the blocks for the first and the last rows, each with its rows of X, and the off-diagonal block of T.
func (t triangular) halves() (first, last triangular, rest view) {
	h := roundUp(t.order/2, 8)
	first, last = t, t
	first.order, last.order = h, t.order-h
	last.t, last.x = t.t.offset(h, h), t.x.offset(h, 0)
	if t.upper {
		return first, last, t.t.offset(0, h)
	}
	return first, last, t.t.offset(h, 0)
}

// update sets X = alpha·rest·Y + beta·X, where Y holds the rows of another block.
func (t triangular) update(alpha float64, rest view, y triangular, beta float64) {
	p := product{m: t.order, n: t.n, k: y.order, alpha: alpha, beta: beta, c: t.x.data, ldc: t.x.row}
	p.a.view, p.b.view = rest, y.x.transposed()
	if t.x.row == 1 {
		p.m, p.n, p.a, p.b, p.ldc = p.n, p.m, p.b, p.a, t.x.column
	}
	p.run()
}

// invertible reports whether the diagonal has finite reciprocals, since solve multiplies by them. The reciprocals of 0 and of the
// smallest subnormal numbers are infinite, while a division may be finite.
func (t triangular) invertible() bool {
	if t.unit {
		return true
	}
	for i := range t.order {
		if v := 1 / t.t.data[i*(t.t.row+t.t.column)]; math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// solve sets X = alpha·T⁻¹·X.
func (t triangular) solve(alpha float64) {
	if t.order <= triangleOrder {
		t.byPanels(alpha, true)
		return
	}
	first, last, rest := t.halves()
	if t.upper {
		first, last = last, first
	}
	first.solve(alpha)
	last.update(-1, rest, first, alpha)
	last.solve(1)
}

// multiply sets X = alpha·T·X.
func (t triangular) multiply(alpha float64) {
	if t.order <= triangleOrder {
		t.byPanels(alpha, false)
		return
	}
	first, last, rest := t.halves()
	if t.upper {
		first, last = last, first
	}
	last.multiply(alpha)
	last.update(alpha, rest, first, 1)
	first.multiply(alpha)
}

// byPanels solves or multiplies, with as many columns of X at a time as the micro-kernels have. An upper triangular T becomes lower
// triangular by reversing the order of rows and columns.
func (t triangular) byPanels(alpha float64, solve bool) {
	rows, columns := kernelShape()
	w := workspaces.Get().(*work)
	defer workspaces.Put(w)
	order := roundUp(t.order, rows)
	w.a = grown(w.a, order*(order+rows)/2)
	t.pack(w.a, rows, solve)
	workers := workersFor(float64(t.order) * float64(t.order) * float64(t.n) / 2)
	if workers == 1 {
		w.b = grown(w.b, order*columns)
		for j := 0; j < t.n; j += columns {
			t.panel(w.a, w.b, j, alpha, solve)
		}
		return
	}
	each := panelsPerTask * columns
	parallel.Do(workers, (t.n+each-1)/each, func(i int) {
		own := workspaces.Get().(*work)
		defer workspaces.Put(own)
		own.b = grown(own.b, order*columns)
		for j := i * each; j < min((i+1)*each, t.n); j += columns {
			t.panel(w.a, own.b, j, alpha, solve)
		}
	})
}

// pack packs T into panels of the given number of rows, each up to the diagonal and padded with an identity. For solving, the
// diagonal is inverted.
func (t triangular) pack(dst []float64, rows int, solve bool) {
	for i := 0; i < t.order; i += rows {
		count := min(rows, t.order-i)
		if t.upper {
			t.packReversed(dst, i, count, rows)
		} else {
			packPanel(dst, rows, t.t.offset(i, 0), count, i+count)
		}
		square := dst[i*rows : (i+rows)*rows]
		for r := count; r < rows; r++ {
			clear(square[r*rows : (r+1)*rows])
		}
		for r := range rows {
			at := r*rows + r
			if t.unit || r >= count {
				square[at] = 1
			} else if solve {
				square[at] = 1 / square[at]
			}
		}
		dst = dst[(i+rows)*rows:]
	}
}

// packReversed packs rows [i, i+count) of an upper triangular T, counted from the end.
func (t triangular) packReversed(dst []float64, i, count, rows int) {
	last := t.order - 1
	for j := range i + count {
		for r := range rows {
			v := 0.0
			if r < count {
				v = t.t.data[(last-i-r)*t.t.row+(last-j)*t.t.column]
			}
			dst[j*rows+r] = v
		}
	}
}

// panel solves for a panel of X, the columns from j on, or multiplies it by T.
func (t triangular) panel(packed, x []float64, j int, alpha float64, solve bool) {
	rows, columns := kernelShape()
	step := columns
	if t.upper {
		step = -columns
	}
	count, order := min(columns, t.n-j), roundUp(t.order, rows)
	part := t.x.offset(0, j).transposed()
	clear(x[t.order*columns : order*columns])
	packPanel(x, step, part, count, t.order)
	if alpha != 1 {
		for i := range x[:t.order*columns] {
			x[i] *= alpha
		}
	}
	if solve {
		for i := 0; i < order; i += rows {
			if i > 0 {
				kernel(i, &packed[0], &x[0], &x[i*columns], columns, -1, 1)
			}
			solveTriangle(&packed[i*rows], &x[i*columns])
			packed = packed[(i+rows)*rows:]
		}
	} else {
		for i := order - rows; i >= 0; i -= rows {
			panel := packed[i*(i+rows)/2:]
			multiplyTriangle(&panel[i*rows], &x[i*columns])
			if i > 0 {
				kernel(i, &panel[0], &x[0], &x[i*columns], columns, 1, 1)
			}
		}
	}
	unpackPanel(part, x, step, count, t.order)
}

func solveTriangle(t, x *float64) {
	if hasAVX512 {
		solve8x24(t, x)
	} else {
		solve4x12(t, x)
	}
}

func multiplyTriangle(t, x *float64) {
	if hasAVX512 {
		multiply8x24(t, x)
	} else {
		multiply4x12(t, x)
	}
}
