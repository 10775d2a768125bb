// Package projection computes <w, x - shift>, the products of shifted rows with many vectors w. Random Fourier features and
// principal components use it.
package projection

import (
	"context"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
)

// Dense returns a matrix of a model as a mat.Dense. The matrix must have rows.
func Dense(m codec.Matrix) *mat.Dense { return mat.NewDense(m.Rows, m.Cols, m.Data) }

// Graph computes <w, x - shift> for each row of w as a graph.
func Graph(x graph.Value, shift []float64, w codec.Matrix) graph.Value {
	return x.Sub(x.Row(shift)).MatMul(x.Constant(Dense(w).T()))
}

// Projection computes <w, x - shift> for many vectors w.
type Projection struct {
	trans   *mat.Dense // d×count
	shift   []float64
	scratch sync.Pool
}

// Scratch is memory for a chunk of rows, which is reused. Allocating it for each chunk would take as long as computing the
// features.
type Scratch struct {
	shifted, products *mat.Dense // for ChunkRows rows
	Sin               []float64
}

func New(w codec.Matrix, shift []float64) *Projection {
	p := &Projection{trans: mat.DenseCopyOf(Dense(w).T()), shift: shift}
	p.scratch.New = func() any {
		return &Scratch{shifted: mat.NewDense(ChunkRows, w.Cols, nil), products: mat.NewDense(ChunkRows, w.Rows, nil),
			Sin: make([]float64, w.Rows)}
	}
	return p
}

// Borrow takes scratch memory for one chunk from the pool. Release puts it back.
func (p *Projection) Borrow() *Scratch { return p.scratch.Get().(*Scratch) }

func (p *Projection) Release(s *Scratch) { p.scratch.Put(s) }

// Halve halves all w.
func (p *Projection) Halve() { p.trans.Scale(0.5, p.trans) }

// Products returns the products of up to ChunkRows rows with all vectors, in the scratch memory.
func (p *Projection) Products(s *Scratch, x *mat.Dense) *mat.Dense {
	rows, d := x.Dims()
	shifted := s.shifted.Slice(0, rows, 0, d).(*mat.Dense)
	for i := range rows {
		row := shifted.RawRowView(i)
		for j, v := range x.RawRowView(i) {
			row[j] = v - p.shift[j]
		}
	}
	_, count := p.trans.Dims()
	dst := s.products.Slice(0, rows, 0, count).(*mat.Dense)
	for first := 0; first < count; first += mapColumns {
		last := min(first+mapColumns, count)
		fast.Gemm(blas.NoTrans, blas.NoTrans, 1, shifted.RawMatrix(), p.trans.Slice(0, d, first, last).(*mat.Dense).RawMatrix(),
			0, dst.Slice(0, rows, first, last).(*mat.Dense).RawMatrix())
	}
	return dst
}

// Products are computed for ChunkRows rows and mapColumns vectors at a time. They then stay in the cache. They also stay below the
// size from which gonum uses several processors on its own, regardless of Workers.
const ChunkRows, mapColumns = 64, 192

// MapChunks calls f for ChunkRows rows of dst and x at a time, on several goroutines. If a feature is not finite because products
// overflow, it returns ErrNotFinite.
func MapChunks(m rowmap.Map, workers int, dst, x *mat.Dense, f func(dst, x *mat.Dense)) error {
	n, width := dst.Dims()
	_, d := x.Dims()
	return parallel.ForEach(context.Background(), workers, (n+ChunkRows-1)/ChunkRows, func(c int) error {
		first, last := c*ChunkRows, min((c+1)*ChunkRows, n)
		part := dst.Slice(first, last, 0, width).(*mat.Dense)
		f(part, x.Slice(first, last, 0, d).(*mat.Dense))
		return rowmap.CheckFinite(m, part, first, false)
	})
}

// Row sets dst to <w, x - shift> for each row of w.
func Row(dst []float64, w codec.Matrix, shift, x []float64) {
	for i := range dst {
		sum := 0.0
		for j, v := range w.Data[i*w.Cols : (i+1)*w.Cols] {
			sum += v * (x[j] - shift[j])
		}
		dst[i] = sum
	}
}
