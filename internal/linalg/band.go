package linalg

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	lapack "gonum.org/v1/gonum/lapack/gonum"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// bandWidth is the number of superdiagonals after the first stage, and the number of reflectors per block. It suits the widest
// micro-kernels (multiples of 24 and of 8) and is narrow enough for the second stage, whose cost is proportional to it.
const bandWidth = 48

// twoStages reduces a matrix to a band, A = Q₁BQ₁ᵀ, with matrix products, and the band to tridiagonal form, B = Q₂TQ₂ᵀ, with bulge
// chasing (C. H. Bischof, B. Lang and X. Sun, ACM Transactions on Mathematical Software 26, 2000; A. Haidar, H. Ltaief and J.
// Dongarra, SC 2011). A reduction in one stage has to read the whole matrix for every row. This one reads it once per bandWidth
// rows.
//
// The reflectors of both stages overwrite the matrix. Those of the first stage, found from the rows k to k+bandWidth, are stored in
// these rows from column k+bandWidth on. Each starts with a 1 that is not stored, as in LAPACK's dgelqf. Those of the second stage
// are below the diagonal: see reflectorsOf.
type twoStages struct {
	n int
	a []float64 // n×n
	// The triangular factors T of the first stage's blocks of reflectors I - VᵀTV, each bandWidth×bandWidth.
	factors []float64
}

// blocks returns the number of blocks of reflectors in the first stage.
func (t *twoStages) blocks() int { return max(0, (t.n-1)/bandWidth) }

// block returns the first row on which the reflectors of a block act, their number, and their triangular factor.
func (t *twoStages) block(i int) (from, count int, factor blas64.Triangular) {
	from = (i + 1) * bandWidth
	count = min(bandWidth, t.n-from-1)
	const size = bandWidth * bandWidth
	factor = blas64.Triangular{N: count, Stride: bandWidth, Data: t.factors[i*size : (i+1)*size], Uplo: blas.Upper, Diag: blas.NonUnit}
	return from, count, factor
}

// toBand overwrites the upper triangle with the band and the first stage's reflectors. It returns ctx's error.
func (t *twoStages) toBand(ctx context.Context) error {
	n := t.n
	t.factors = make([]float64, t.blocks()*bandWidth*bandWidth)
	// vw holds V above W of a block, and wv holds W above V, so that the update is a single product with twice the inner dimension.
	vw, wv := make([]float64, 2*bandWidth*n), make([]float64, 2*bandWidth*n)
	loop := progress.NewLoop(ctx)
	defer loop.End()
	for i := range t.blocks() {
		from, count, factor := t.block(i)
		m := n - from
		loop.Report(1 - cubed(float64(m+bandWidth)/float64(n)))
		v := blas64.General{Rows: count, Cols: m, Stride: m, Data: vw[:count*m]}
		w := blas64.General{Rows: count, Cols: m, Stride: m, Data: vw[count*m : 2*count*m]}
		t.reflectRows(from, v, factor)
		if count == 0 {
			break
		}
		if err := t.halfUpdate(ctx, from, v, w, factor, wv); err != nil {
			return err
		}
		copy(wv, w.Data)
		copy(wv[count*m:], v.Data)
		if err := t.update(ctx, from, 2*count, vw, wv); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// reflectRows finds the reflectors that make the bandWidth rows above the row from lower triangular, in the columns that start at
// from. It stores them in v and the factor.
func (t *twoStages) reflectRows(from int, v blas64.General, factor blas64.Triangular) {
	var impl lapack.Implementation
	m := t.n - from
	inner := make([]float64, bandWidth)
	clear(v.Data)
	for i := range bandWidth {
		row := t.a[(from-bandWidth+i)*t.n+from:][:m]
		earlier := min(i, v.Rows)
		if earlier > 0 { // row -= ((row·Vᵀ)·T)·V
			so, f := v, factor
			so.Rows, f.N = earlier, earlier
			fast.Gemv(blas.NoTrans, 1, so, Vector(row), 0, Vector(inner[:earlier]))
			fast.Trmv(blas.Trans, f, Vector(inner[:earlier]))
			fast.Gemv(blas.Trans, -1, so, Vector(inner[:earlier]), 1, Vector(row))
		}
		if i >= v.Rows {
			continue
		}
		beta, tau := impl.Dlarfg(m-i, row[i], row[i+1:], 1)
		row[i] = beta
		own := v.Data[i*m : (i+1)*m]
		own[i] = 1
		copy(own[i+1:], row[i+1:])
		extendFactor(factor, v, i, tau, inner)
	}
}

// extendFactor adds column i to the triangular factor of the reflectors in the rows of v. The argument tau is the scale of the last
// reflector.
func extendFactor(factor blas64.Triangular, v blas64.General, i int, tau float64, inner []float64) {
	factor.Data[i*factor.Stride+i] = tau
	if i == 0 {
		return
	}
	earlier := v
	earlier.Rows = i
	fast.Gemv(blas.NoTrans, -tau, earlier, Vector(v.Data[i*v.Stride:i*v.Stride+v.Cols]), 0, Vector(inner[:i]))
	factor.N = i
	fast.Trmv(blas.NoTrans, factor, Vector(inner[:i]))
	for j, x := range inner[:i] {
		factor.Data[j*factor.Stride+i] = x
	}
}

// halfUpdate computes W = Z - SV/2 with Z = Tᵀ(VA) and S = (ZVᵀ)T, where A is the symmetric matrix that starts at row from. The
// reflectors then subtract VᵀW + WᵀV from A. It overwrites buffer, and returns ctx's error.
func (t *twoStages) halfUpdate(ctx context.Context, from int, v, w blas64.General, factor blas64.Triangular, buffer []float64) error {
	if err := t.timesMatrix(ctx, from, v, w); err != nil {
		return err
	}
	fast.Trmm(blas.Left, blas.Trans, 1, factor, w)
	s := blas64.General{Rows: v.Rows, Cols: v.Rows, Stride: v.Rows, Data: buffer[:v.Rows*v.Rows]}
	fast.Gemm(blas.NoTrans, blas.Trans, -0.5, w, v, 0, s)
	fast.Trmm(blas.Right, blas.NoTrans, 1, factor, s)
	fast.Gemm(blas.NoTrans, blas.NoTrans, 1, s, v, 1, w)
	return nil
}

// blockStrip is the number of rows or columns per task in the two stages.
const blockStrip = 192

// timesMatrix sets w to V times the symmetric matrix that starts at row from. It returns ctx's error.
func (t *twoStages) timesMatrix(ctx context.Context, from int, v, w blas64.General) error {
	n, m := t.n, v.Cols
	columns := func(g blas64.General, first, count int) blas64.General {
		return blas64.General{Rows: g.Rows, Cols: count, Stride: g.Stride, Data: g.Data[first:]}
	}
	part := func(row, column, rows, columns int) blas64.General {
		return blas64.General{Rows: rows, Cols: columns, Stride: n, Data: t.a[(from+row)*n+from+column:]}
	}
	return parallel.ForEach(ctx, 0, (m+blockStrip-1)/blockStrip, func(s int) error {
		first := s * blockStrip
		count := min(blockStrip, m-first)
		last, to := first+count, columns(w, first, count)
		square := part(first, first, count, count)
		fast.Symm(blas.Right, 1, blas64.Symmetric{N: count, Stride: n, Data: square.Data, Uplo: blas.Upper}, columns(v, first, count), 0,
			to)
		if first > 0 {
			fast.Gemm(blas.NoTrans, blas.NoTrans, 1, columns(v, 0, first), part(0, first, first, count), 1, to)
		}
		if last < m {
			fast.Gemm(blas.NoTrans, blas.Trans, 1, columns(v, last, m-last), part(first, last, count, m-last), 1, to)
		}
		return nil
	})
}

// update subtracts VᵀW + WᵀV from the upper triangle that starts at row from. Squares on the diagonal are divided into three strips
// of rows, which wastes less work below the diagonal. It returns ctx's error.
func (t *twoStages) update(ctx context.Context, from, depth int, vw, wv []float64) error {
	n := t.n
	m := n - from
	product := func(row, rows, column, columns int) {
		if rows > 0 && columns > 0 {
			fast.Gemm(blas.Trans, blas.NoTrans, -1,
				blas64.General{Rows: depth, Cols: rows, Stride: m, Data: vw[row:]},
				blas64.General{Rows: depth, Cols: columns, Stride: m, Data: wv[column:]},
				1, blas64.General{Rows: rows, Cols: columns, Stride: n, Data: t.a[(from+row)*n+from+column:]})
		}
	}
	return parallel.ForEach(ctx, 0, (m+blockStrip-1)/blockStrip, func(s int) error {
		first := s * blockStrip
		last := min(first+blockStrip, m)
		const third = blockStrip / 3
		for row := first; row < last; row += third {
			product(row, min(third, last-row), row, last-row)
		}
		product(first, last-first, last, m-last)
		return nil
	})
}
