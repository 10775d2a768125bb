package linalg

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	lapack "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// oneStage reduces row by row. The reflectors, whose product is Q, overwrite the matrix below the diagonal as in LAPACK's dsytrd:
// reflector k is in column k from row k+1 on, and its first element, a 1, is not stored.
type oneStage struct {
	n      int
	d, e   []float64
	a, tau []float64
}

// inOneStage reduces a matrix and stores the reflectors in its memory. It returns ctx's error.
func inOneStage(ctx context.Context, a blas64.Symmetric) (*Tridiagonal, *oneStage, error) {
	n := a.N
	t := &oneStage{n: n, a: contiguous(a), d: make([]float64, n), e: make([]float64, max(0, n-1)), tau: make([]float64, max(0, n-1))}
	switch {
	case n == 0: // dsytrd refuses it
	case n < leastReduced:
		if err := mirror(ctx, t.a, n, n, false); err != nil {
			return nil, nil, err
		}
		var impl lapack.Implementation
		work := make([]float64, max(1, 64*n))
		impl.Dsytrd(blas.Lower, n, t.a, n, t.d, t.e, t.tau, work, len(work))
	default:
		if err := t.reduce(ctx); err != nil {
			return nil, nil, err
		}
	}
	return &Tridiagonal{n: n, d: t.d, e: t.e, q: t}, t, nil
}

// leastReduced is the order from which reduce is faster than gonum's dsytrd, which makes fewer calls for short vectors.
const leastReduced = 64

// reducePanel is the number of reflectors found before a single product updates the rest of the matrix.
const reducePanel = 16

// reduce is LAPACK's dsytrd for row-major matrices. It reads only the upper triangle, row by row, and each row serves as a row and
// as a column while it is in the cache. (gonum's version walks down columns, with a cache line per number.) The reflectors are
// stored below the diagonal, as in dsytrd. It checks ctx once per row, which costs O(n²) at most.
func (t *oneStage) reduce(ctx context.Context) error {
	n := t.n
	// vw holds the vectors v and then w of the panel's reflectors, wv the reverse, so that the update is a single product with
	// twice the inner dimension.
	vw, wv := make([]float64, 2*reducePanel*n), make([]float64, 2*reducePanel*n)
	row := func(m []float64, i int) []float64 { return m[i*n : (i+1)*n] }
	// rows returns the elements of count rows of vw from column k on, and at returns their elements in column k.
	rows := func(first, count, k int) blas64.General {
		return blas64.General{Rows: count, Cols: n - k, Stride: n, Data: vw[first*n+k:]}
	}
	at := func(first, count, k int) blas64.Vector { return blas64.Vector{N: count, Inc: n, Data: vw[first*n+k:]} }
	column, inner := make([]float64, n), make([]float64, reducePanel)
	loop := progress.NewLoop(ctx)
	defer loop.End()
	for first := 0; first < n; first += reducePanel {
		size := min(reducePanel, n-first)
		for i := range size {
			if err := ctx.Err(); err != nil {
				return err
			}
			k := first + i
			loop.Report(1 - cubed(float64(n-k)/float64(n)))
			c := column[:n-k]
			copy(c, t.a[k*n+k:k*n+n])
			if i > 0 {
				fast.Gemv(blas.Trans, -1, rows(0, i, k), at(size, i, k), 1, Vector(c))
				fast.Gemv(blas.Trans, -1, rows(size, i, k), at(0, i, k), 1, Vector(c))
			}
			t.d[k] = c[0]
			if k == n-1 {
				return nil
			}
			v, w := row(vw, i), row(vw, size+i)
			clear(v[:k+1])
			clear(w[:k+1])
			t.reflect(k, c[1:], v[k+1:])
			t.times(k+1, v[k+1:], w[k+1:])
			if i > 0 {
				earlierV, earlierW := rows(0, i, k+1), rows(size, i, k+1)
				fast.Gemv(blas.NoTrans, 1, earlierW, Vector(v[k+1:]), 0, Vector(inner[:i]))
				fast.Gemv(blas.Trans, -1, earlierV, Vector(inner[:i]), 1, Vector(w[k+1:]))
				fast.Gemv(blas.NoTrans, 1, earlierV, Vector(v[k+1:]), 0, Vector(inner[:i]))
				fast.Gemv(blas.Trans, -1, earlierW, Vector(inner[:i]), 1, Vector(w[k+1:]))
			}
			scal(t.tau[k], w[k+1:])
			Axpy(-t.tau[k]/2*Dot(w[k+1:], v[k+1:]), v[k+1:], w[k+1:])
			copy(row(wv, i), w)
			copy(row(wv, size+i), v)
		}
		if err := t.update(ctx, first+size, 2*size, vw, wv); err != nil {
			return err
		}
	}
	return nil
}

// reflect finds the reflector for column k, given the elements below the diagonal, which it overwrites, and stores it in v.
func (t *oneStage) reflect(k int, below, v []float64) {
	var impl lapack.Implementation
	t.e[k], t.tau[k] = impl.Dlarfg(len(below), below[0], below[1:], 1)
	v[0] = 1
	copy(v[1:], below[1:])
	for i, x := range below[1:] {
		t.a[(k+2+i)*t.n+k] = x
	}
}

// times sets w to the product of v with the submatrix that starts at row and column k.
func (t *oneStage) times(k int, v, w []float64) {
	clear(w)
	if _, plain := fast.Implementation().(gonum.Implementation); !plain {
		part := blas64.Symmetric{N: len(v), Stride: t.n, Data: t.a[k*t.n+k:], Uplo: blas.Upper}
		fast.Symv(1, part, Vector(v), 0, Vector(w))
		return
	}
	// gonum's Dsymv is a scalar loop; these products are vectorised.
	for i := range v {
		row := t.a[(k+i)*t.n+k+i : (k+i+1)*t.n]
		w[i] += Dot(row, v[i:])
		Axpy(v[i], row[1:], w[i+1:])
	}
}

// update subtracts VW' + WV' from the upper triangle that starts at row k. It returns ctx's error.
func (t *oneStage) update(ctx context.Context, k, depth int, vw, wv []float64) error {
	const rows = 64
	n := t.n
	workers := 1
	if n-k >= updateSpreadFrom {
		workers = 0
	}
	return parallel.ForEach(ctx, workers, (n-k+rows-1)/rows, func(s int) error {
		i := k + s*rows
		r := min(rows, n-i)
		fast.Gemm(blas.Trans, blas.NoTrans, -1,
			blas64.General{Rows: depth, Cols: r, Stride: n, Data: vw[i:]},
			blas64.General{Rows: depth, Cols: n - i, Stride: n, Data: wv[i:]},
			1, blas64.General{Rows: r, Cols: n - i, Stride: n, Data: t.a[i*n+i:]})
		return nil
	})
}

// updateSpreadFrom is the order from which an update is worth distributing over processors.
const updateSpreadFrom = 384

func scal(a float64, x []float64) { fast.Scal(a, Vector(x)) }

// rotatedColumns is the number of columns rotated between two checks of the context.
const rotatedColumns = 64

// rotate overwrites the columns of b (n×k) with Qᵀb. It costs 2n²k. It returns ctx's error.
func (t *oneStage) rotate(ctx context.Context, b *mat.Dense) error {
	raw := b.RawMatrix()
	var impl lapack.Implementation
	work := make([]float64, 64*max(t.n, rotatedColumns)+64*64)
	for first := 0; t.n > 1 && first < raw.Cols; first += rotatedColumns {
		if err := ctx.Err(); err != nil {
			return err
		}
		// Q is diag(1, Q'). The reflectors of Q' are below the diagonal of a.
		impl.Dormqr(blas.Left, blas.Trans, t.n-1, min(rotatedColumns, raw.Cols-first), t.n-1, t.a[t.n:], t.n, t.tau,
			raw.Data[raw.Stride+first:], raw.Stride, work, len(work))
	}
	return ctx.Err()
}

const (
	// leastFormed is the order from which form is faster than gonum's dorgtr.
	leastFormed = 64
	// formPanel is the number of reflectors combined into one product.
	formPanel = 48
	// formStrip is the number of columns of Q per task.
	formStrip = 192
)

// form computes Q in the memory of the reflectors, starting with the last panel. A panel of reflectors acts on the rows and columns
// from its first one on, and the remaining reflectors are stored before it. It costs 4n³/3. It returns ctx's error.
func (t *oneStage) form(ctx context.Context) (*mat.Dense, error) {
	n := t.n
	if n < leastFormed {
		var impl lapack.Implementation
		if work := make([]float64, max(1, 64*n)); n > 0 {
			impl.Dorgtr(blas.Lower, n, t.a, n, t.tau, work, len(work))
		}
		return mat.NewDense(n, n, t.a), nil
	}
	vs, products := make([]float64, formPanel*n), make([]float64, formPanel*n)
	factors, grams := make([]float64, formPanel*formPanel), make([]float64, formPanel*formPanel)
	done := n // Q is complete from this row and column on
	loop := progress.NewLoop(ctx)
	defer loop.End()
	for last := n - 1; last > 0; last = max(0, last-formPanel) {
		first := max(0, last-formPanel)
		count, from := last-first, first+1
		m := n - from
		v := blas64.General{Rows: count, Cols: m, Stride: m, Data: vs[:count*m]}
		t.copyPanel(first, v)
		factor := blas64.Triangular{N: count, Stride: count, Data: factors[:count*count], Uplo: blas.Upper, Diag: blas.NonUnit}
		ReflectorFactor(v, t.tau[first:last], factor, blas64.General{Rows: count, Cols: count, Stride: count, Data: grams[:count*count]})
		for i := from; i < n; i++ {
			clear(t.a[i*n+from : i*n+done])
			if i < done {
				clear(t.a[i*n+done : (i+1)*n])
				t.a[i*n+i] = 1
			}
		}
		done = from
		part := blas64.General{Rows: m, Cols: m, Stride: n, Data: t.a[from*n+from:]}
		if err := ApplyReflectors(ctx, part, v, blas.NoTrans, factor, products[:count*m]); err != nil {
			return nil, err
		}
		loop.Report(cubed(float64(m) / float64(n)))
	}
	clear(t.a[:n])
	t.a[0] = 1
	for i := 1; i < n; i++ {
		t.a[i*n] = 0
	}
	return mat.NewDense(n, n, t.a), nil
}

// copyPanel copies the reflectors from first on to the rows of v, with their ones and zeros, starting at row first+1 of the matrix.
func (t *oneStage) copyPanel(first int, v blas64.General) {
	n := t.n
	clear(v.Data)
	for r := range v.Rows {
		v.Data[r*v.Stride+r] = 1
	}
	for i := first + 2; i < n; i++ { // a row has one element of each of the first i-first-1 reflectors
		for r, x := range t.a[i*n+first : i*n+first+min(v.Rows, i-first-1)] {
			v.Data[r*v.Stride+i-first-1] = x
		}
	}
}

// ReflectorFactor sets factor to the upper triangular T for which I - VᵀTV is the product of the reflectors in the rows of v. It
// overwrites gram with VVᵀ.
func ReflectorFactor(v blas64.General, tau []float64, factor blas64.Triangular, gram blas64.General) {
	fast.Gemm(blas.NoTrans, blas.Trans, 1, v, v, 0, gram)
	column := make([]float64, v.Rows)
	for i, x := range tau {
		for j := range i {
			column[j] = -x * gram.Data[j*gram.Stride+i]
		}
		if i > 0 {
			earlier := factor
			earlier.N = i
			fast.Trmv(blas.NoTrans, earlier, Vector(column[:i]))
		}
		for j, y := range column[:i] {
			factor.Data[j*factor.Stride+i] = y
		}
		factor.Data[i*factor.Stride+i] = x
	}
}

// cubed returns the relative cost of reducing a submatrix of the given relative order.
func cubed(share float64) float64 { return share * share * share }

// ApplyReflectors overwrites C with (I - VᵀTV)C, or applies the transpose, in parallel strips of columns. The slice product must
// have room for one number per row of V and column of C. It returns ctx's error.
func ApplyReflectors(ctx context.Context, c, v blas64.General, trans blas.Transpose, factor blas64.Triangular, product []float64) error {
	return parallel.ForEach(ctx, 0, (c.Cols+formStrip-1)/formStrip, func(s int) error {
		first := s * formStrip
		part := c
		part.Cols, part.Data = min(formStrip, c.Cols-first), c.Data[first:]
		w := blas64.General{Rows: v.Rows, Cols: part.Cols, Stride: part.Cols, Data: product[v.Rows*first:][:v.Rows*part.Cols]}
		fast.Gemm(blas.NoTrans, blas.NoTrans, 1, v, part, 0, w)
		fast.Trmm(blas.Left, trans, 1, factor, w)
		fast.Gemm(blas.Trans, blas.NoTrans, -1, v, w, 1, part)
		return nil
	})
}
