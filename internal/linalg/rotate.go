package linalg

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// inTwoStages reduces a matrix and stores the reflectors in its memory. It returns ctx's error.
func inTwoStages(ctx context.Context, a blas64.Symmetric) (*Tridiagonal, error) {
	t := &twoStages{n: a.N, a: contiguous(a)}
	first, second := progress.Two(ctx, 2, 1)
	if err := t.toBand(first); err != nil {
		return nil, err
	}
	d, e, err := t.toTridiagonal(second)
	if err != nil {
		return nil, err
	}
	return &Tridiagonal{n: t.n, d: d, e: e, q: t}, nil
}

// rotatedRows is the number of rows rotated per task.
const rotatedRows = 8

// rotate overwrites the columns of b with Qᵀb. It applies the first stage's reflectors with matrix products, and the short
// reflectors of the second stage one by one. It returns ctx's error.
func (t *twoStages) rotate(ctx context.Context, b *mat.Dense) error {
	rows := mat.DenseCopyOf(b.T())
	first, second := progress.Two(ctx, 1, 1)
	if err := t.rotateToBand(first, rows.RawMatrix()); err != nil {
		return err
	}
	k, _ := rows.Dims()
	err := parallel.ForEach(second, 0, (k+rotatedRows-1)/rotatedRows, func(s int) error {
		t.rotateToTridiagonal(rows.Slice(s*rotatedRows, min((s+1)*rotatedRows, k), 0, t.n).(*mat.Dense))
		return nil
	})
	b.Copy(rows.T())
	return err
}

// rotateToBand overwrites the rows of c with their products with Q₁. It returns ctx's error.
func (t *twoStages) rotateToBand(ctx context.Context, c blas64.General) error {
	v, x := make([]float64, bandWidth*t.n), make([]float64, bandWidth*c.Rows)
	loop := progress.NewLoop(ctx)
	defer loop.End()
	for i := range t.blocks() {
		loop.Report(float64(i) / float64(t.blocks()))
		from, count, factor := t.block(i)
		if count == 0 {
			return ctx.Err()
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		m := t.n - from
		reflectors := blas64.General{Rows: count, Cols: m, Stride: m, Data: v[:count*m]}
		for r := range count {
			row := reflectors.Data[r*m : (r+1)*m]
			clear(row[:r])
			row[r] = 1
			copy(row[r+1:], t.a[(from-bandWidth+r)*t.n+from+r+1:(from-bandWidth+r+1)*t.n])
		}
		part := blas64.General{Rows: c.Rows, Cols: m, Stride: c.Stride, Data: c.Data[from:]}
		w := blas64.General{Rows: c.Rows, Cols: count, Stride: count, Data: x[:c.Rows*count]}
		fast.Gemm(blas.NoTrans, blas.Trans, 1, part, reflectors, 0, w)
		fast.Trmm(blas.Right, blas.NoTrans, 1, factor, w)
		fast.Gemm(blas.NoTrans, blas.NoTrans, -1, w, reflectors, 1, part)
	}
	return ctx.Err()
}

// rotateToTridiagonal overwrites the rows of c with their products with Q₂.
func (t *twoStages) rotateToTridiagonal(c *mat.Dense) {
	k, _ := c.Dims()
	v := make([]float64, bandWidth)
	for s := range t.n - 2 {
		of := t.reflectorsOf(s)
		for first := 0; first < len(of); first += bandWidth {
			v := v[:copy(v, of[first:])]
			tau := v[0]
			v[0] = 1
			for i := range k {
				x := c.RawRowView(i)[s+1+first:][:len(v)]
				Axpy(-tau*Dot(v, x), v, x)
			}
		}
	}
}
