package linalg

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/parallel"
)

// fewRows are multiplied by the second stage's reflectors one by one; it takes more for
// products of matrices to gain what putting the reflectors together costs.
const fewRows = 8

// rotateRows overwrites the rows of c with their products with Q = Q₁Q₂.
func (t *twoStages) rotateRows(c *mat.Dense) {
	k, _ := c.Dims()
	raw := c.RawMatrix()
	v := make([]float64, bandWidth*t.n)
	x := make([]float64, 2*bandWidth*k)
	for i := range t.blocks() {
		from, count, factor := t.block(i)
		m := t.n - from
		if count == 0 {
			break
		}
		rows := t.blockRows(i, v)
		part := blas64.General{Rows: k, Cols: m, Stride: raw.Stride, Data: raw.Data[from:]}
		w := blas64.General{Rows: k, Cols: count, Stride: count, Data: x[:k*count]}
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, part, rows, 0, w)
		blas64.Trmm(blas.Right, blas.NoTrans, 1, factor, w)
		blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, w, rows, 1, part)
	}
	if k < fewRows {
		for i := range k {
			t.chaseRow(c.RawRowView(i))
		}
		return
	}
	t.chaseRows(raw, nil)
}

// blockRows copies the reflectors of a block of the first stage to v, their ones and zeros
// included.
func (t *twoStages) blockRows(i int, v []float64) blas64.General {
	from, count, _ := t.block(i)
	m := t.n - from
	for r := range count {
		row := v[r*m : (r+1)*m]
		clear(row[:r])
		row[r] = 1
		copy(row[r+1:], t.a[(from-bandWidth+r)*t.n+from+r+1:][:m-r-1])
	}
	return blas64.General{Rows: count, Cols: m, Stride: m, Data: v[:count*m]}
}

// chaseRow multiplies a row by Q₂, reflector by reflector.
func (t *twoStages) chaseRow(row []float64) {
	for s := range t.n - 2 {
		of := t.reflectorsOf(s)
		for first := 0; first < len(of); first += bandWidth {
			v := of[first:min(first+bandWidth, len(of))]
			x := row[s+1+first:][:len(v)]
			sum := v[0] * (x[0] + dotShort(v[1:], x[1:]))
			x[0] -= sum
			Axpy(-sum, v[1:], x[1:])
		}
	}
}

// dotShort is Dot, of nothing too.
func dotShort(x, y []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return Dot(x, y)
}

// Reflectors of the same step of togetherSweeps sweeps are one product I - VᵀTV, in which V
// is a band; more of them at a time would waste more on its zeros, fewer make products that
// are less deep.
const togetherSweeps = 24

// span is the number of columns of such a V.
const span = bandWidth + togetherSweeps - 1

// chaseRows multiplies the rows of c by Q₂, strips of rows at the same time. Of the sweeps
// that are taken together the last steps come first: a reflector does not touch what those
// of later steps of earlier sweeps do. The reflectors are read from a copy, packed as
// reflectorsOf says, if there is one.
func (t *twoStages) chaseRows(c blas64.General, packed []float64) {
	n, sweeps := t.n, t.n-2
	most := (n - 1 + bandWidth - 1) / bandWidth // steps of a sweep
	v, tv := make([]float64, most*togetherSweeps*span), make([]float64, most*togetherSweeps*span)
	workers := 1
	if c.Rows >= 2*chaseStrip {
		workers = 0
	}
	for s := 0; s < sweeps; s += togetherSweeps {
		count := min(togetherSweeps, sweeps-s)
		steps := (n - 1 - s + bandWidth - 1) / bandWidth
		size := togetherSweeps * span
		// The tasks cannot fail.
		_ = parallel.For(context.Background(), workers, steps, func(j int) error {
			t.together(s, count, j, v[j*size:(j+1)*size], tv[j*size:(j+1)*size], packed)
			return nil
		})
		_ = parallel.For(context.Background(), workers, (c.Rows+chaseStrip-1)/chaseStrip, func(i int) error {
			rows := min(chaseStrip, c.Rows-i*chaseStrip)
			var product [chaseStrip * togetherSweeps]float64
			w := blas64.General{Rows: rows, Cols: count, Stride: count, Data: product[:rows*count]}
			for j := steps - 1; j >= 0; j-- {
				first := s + 1 + j*bandWidth
				columns := min(span, n-first)
				of := func(m []float64) blas64.General {
					return blas64.General{Rows: count, Cols: columns, Stride: span, Data: m[j*size : (j+1)*size]}
				}
				to := blas64.General{Rows: rows, Cols: columns, Stride: c.Stride, Data: c.Data[i*chaseStrip*c.Stride+first:]}
				blas64.Gemm(blas.NoTrans, blas.Trans, 1, to, of(v), 0, w)
				blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, w, of(tv), 1, to)
			}
			return nil
		})
	}
}

// chaseStrip is the number of rows that a task of chaseRows has.
const chaseStrip = 128

// together sets v and tv to V and TV of step j of sweeps from s on.
func (t *twoStages) together(s, count, j int, v, tv, packed []float64) {
	clear(v)
	var factor [togetherSweeps * togetherSweeps]float64
	var inner [togetherSweeps]float64
	f := blas64.Triangular{N: count, Stride: count, Data: factor[:count*count], Uplo: blas.Upper, Diag: blas.NonUnit}
	all := blas64.General{Rows: count, Cols: span, Stride: span, Data: v}
	for i := range count {
		of := t.reflectorsOf(s + i)
		if packed != nil {
			row := t.n - 1 - s - i
			of = packed[row*(row-1)/2:][:row]
		}
		tau := 0.0
		if first := j * bandWidth; first < len(of) {
			own := of[first:min(first+bandWidth, len(of))]
			tau = own[0]
			v[i*span+i] = 1
			copy(v[i*span+i+1:], own[1:])
		}
		extendFactor(f, all, i, tau, inner[:])
	}
	copy(tv, v)
	blas64.Trmm(blas.Left, blas.NoTrans, 1, f, blas64.General{Rows: count, Cols: span, Stride: span, Data: tv})
}

// q returns Q in the memory of the reflectors.
func (t *twoStages) q() *mat.Dense {
	n := t.n
	// Those of the second stage make room.
	packed := make([]float64, n*(n-1)/2)
	for row := range n {
		copy(packed[row*(row-1)/2:], t.a[row*n:row*n+row])
	}
	t.formFirst()
	t.chaseRows(blas64.General{Rows: n, Cols: n, Stride: n, Data: t.a}, packed)
	return mat.NewDense(n, n, t.a)
}

// formFirst overwrites the matrix with Q₁, beginning at its end: the reflectors of a block
// act behind those of the blocks before it, which are still there.
func (t *twoStages) formFirst() {
	n := t.n
	buffer := make([]float64, joined*bandWidth*n)
	product := make([]float64, joined*bandWidth*n)
	done := n // Q₁ is there from this row and column on
	for last := t.blocks(); last > 0; last -= joined {
		first := max(0, last-joined)
		from, _, _ := t.block(first)
		v, factor := t.join(first, last, buffer)
		for i := from; i < n; i++ {
			row := t.a[i*n+from : i*n+n]
			if i < done {
				clear(row)
				row[i-from] = 1
			} else {
				clear(row[:done-from])
			}
		}
		done = from
		m := n - from
		c := blas64.General{Rows: m, Cols: m, Stride: n, Data: t.a[from*n+from:]}
		w := blas64.General{Rows: v.Rows, Cols: m, Stride: m, Data: product[:v.Rows*m]}
		if v.Rows == 0 {
			continue
		}
		t.leftProduct(c, v, factor, w)
	}
	for i := range min(done, n) {
		row := t.a[i*n : i*n+n]
		clear(row)
		row[i] = 1
	}
	for i := done; i < n; i++ {
		clear(t.a[i*n : i*n+done])
	}
}

// joined blocks of the first stage's reflectors make one product.
const joined = 4

// leftProduct overwrites C with (I - VᵀTV)C, in strips of columns.
func (t *twoStages) leftProduct(c, v blas64.General, factor blas64.Triangular, w blas64.General) {
	// The tasks cannot fail.
	_ = parallel.For(context.Background(), 0, (c.Cols+blockStrip-1)/blockStrip, func(s int) error {
		first := s * blockStrip
		columns := func(g blas64.General) blas64.General {
			g.Cols, g.Data = min(blockStrip, g.Cols-first), g.Data[first:]
			return g
		}
		part, product := columns(c), columns(w)
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, v, part, 0, product)
		blas64.Trmm(blas.Left, blas.NoTrans, 1, factor, product)
		blas64.Gemm(blas.Trans, blas.NoTrans, -1, v, product, 1, part)
		return nil
	})
}

// join returns the product of these blocks of the first stage's reflectors as one, I - VᵀTV
// where the first of them begins to act.
func (t *twoStages) join(first, last int, buffer []float64) (v blas64.General, factor blas64.Triangular) {
	from, _, _ := t.block(first)
	m := t.n - from
	count := 0
	for i := first; i < last; i++ {
		_, c, _ := t.block(i)
		count += c
	}
	v = blas64.General{Rows: count, Cols: m, Stride: m, Data: buffer[:count*m]}
	clear(v.Data)
	factor = blas64.Triangular{N: count, Stride: max(1, count), Data: make([]float64, count*count), Uplo: blas.Upper, Diag: blas.NonUnit}
	at := 0
	for i := first; i < last; i++ {
		start, c, own := t.block(i)
		for r := range c {
			row := v.Data[(at+r)*m+start-from+r : (at+r+1)*m]
			row[0] = 1
			copy(row[1:], t.a[(start-bandWidth+r)*t.n+start+r+1:])
			copy(factor.Data[(at+r)*count+at+r:], own.Data[r*own.Stride+r:r*own.Stride+c])
		}
		if at > 0 && c > 0 { // the factor's part above: -T·(V·V'ᵀ)·T'
			to := blas64.General{Rows: at, Cols: c, Stride: count, Data: factor.Data[at:]}
			earlier, here := v, v
			earlier.Rows, here.Rows, here.Data = at, c, v.Data[at*m:]
			blas64.Gemm(blas.NoTrans, blas.Trans, -1, earlier, here, 0, to)
			blas64.Trmm(blas.Right, blas.NoTrans, 1, own, to)
			before := factor
			before.N = at
			blas64.Trmm(blas.Left, blas.NoTrans, 1, before, to)
		}
		at += c
	}
	return v, factor
}
