package smo

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/kernels"
)

// Source provides the kernel values between training rows. It is safe for concurrent use.
type Source interface {
	// Diagonal returns k(x[i], x[i]).
	Diagonal(i int) float64
	// Columns returns a view of some columns, which are in ascending order.
	Columns(ctx context.Context, columns []int) (View, error)
	// Cross sets dst[r] = Σ β[j] k(x[rows[r]], x[vectors[j]]).
	Cross(ctx context.Context, dst []float64, rows, vectors []int, beta []float64) error
	// Bytes returns the memory that the source allocated.
	Bytes() int64
}

// View provides rows of the kernel matrix, restricted to some columns.
type View interface {
	// Shared returns row i without a copy, or nil if it cannot be shared.
	Shared(i int) []float64
	// Fill sets dst to row i.
	Fill(ctx context.Context, dst []float64, i int) error
}

// matrixSource is a kernel matrix in memory.
type matrixSource struct {
	n, stride int
	data      []float64
	full      bool // the lower triangle is set too
	own       int64
}

// ShareMatrix returns a source that shares the upper triangle of k.
func ShareMatrix(k mat.Symmetric) Source { return newMatrixSource(k) }

func newMatrixSource(k mat.Symmetric) *matrixSource {
	raw, ok := k.(mat.RawSymmetricer)
	if !ok || raw.RawSymmetric().Uplo != blas.Upper {
		own := mat.NewSymDense(k.SymmetricDim(), nil)
		own.CopySym(k)
		raw = own
	}
	s := raw.RawSymmetric()
	return &matrixSource{n: s.N, stride: s.Stride, data: s.Data}
}

// TakeMatrix returns a source that owns k. It fills the lower triangle of k, by tiles that stay in the cache.
func TakeMatrix(k *mat.SymDense) Source {
	const tile = 32
	s := newMatrixSource(k)
	for i0 := 0; i0 < s.n; i0 += tile {
		for j0 := 0; j0 <= i0; j0 += tile {
			for i := i0; i < min(i0+tile, s.n); i++ {
				row := s.data[i*s.stride:]
				for j := j0; j < min(j0+tile, i); j++ {
					row[j] = s.data[j*s.stride+i]
				}
			}
		}
	}
	s.full, s.own = true, 8*int64(s.n)*int64(s.n)
	return s
}

func (s *matrixSource) Bytes() int64           { return s.own }
func (s *matrixSource) Diagonal(i int) float64 { return s.data[i*s.stride+i] }

func (s *matrixSource) Columns(_ context.Context, columns []int) (View, error) {
	return matrixView{s, columns}, nil
}

// gather sets dst[c] = k(i, columns[c]).
func (s *matrixSource) gather(dst []float64, i int, columns []int) {
	above := 0
	if !s.full {
		for above < len(columns) && columns[above] < i {
			dst[above] = s.data[columns[above]*s.stride+i]
			above++
		}
	}
	row, rest := s.data[i*s.stride:i*s.stride+s.n], dst[above:len(columns)]
	for c, j := range columns[above:] {
		rest[c] = row[j]
	}
}

func (s *matrixSource) Cross(_ context.Context, dst []float64, rows, vectors []int, beta []float64) error {
	clear(dst)
	buffer := make([]float64, len(rows))
	for j, v := range vectors {
		linalg.Axpy(beta[j], matrixView{s, rows}.row(buffer, v), dst)
	}
	return nil
}

type matrixView struct {
	*matrixSource
	columns []int
}

func (v matrixView) Shared(i int) []float64 {
	// The columns are ascending, so n columns are all columns.
	if v.full && len(v.columns) == v.n {
		return v.data[i*v.stride : i*v.stride+v.n]
	}
	return nil
}

func (v matrixView) row(buffer []float64, i int) []float64 {
	if r := v.Shared(i); r != nil {
		return r
	}
	v.gather(buffer, i, v.columns)
	return buffer
}

func (v matrixView) Fill(_ context.Context, dst []float64, i int) error {
	v.gather(dst, i, v.columns)
	return nil
}

// kernelSource computes rows of the kernel matrix when they are requested.
type kernelSource struct {
	kernel  kernels.Kernel
	x       *mat.Dense
	diag    []float64
	options *kernels.Options
}

// EvaluateKernel returns a source that computes the kernel values of the rows of x when they are requested.
func EvaluateKernel(k kernels.Kernel, x *mat.Dense, workers int) Source {
	n, _ := x.Dims()
	s := &kernelSource{kernel: k, x: x, diag: make([]float64, n), options: &kernels.Options{Workers: workers}}
	kernels.Diag(s.diag, k, x)
	return s
}

func (s *kernelSource) Bytes() int64           { return 0 }
func (s *kernelSource) Diagonal(i int) float64 { return s.diag[i] }

func (s *kernelSource) Columns(ctx context.Context, columns []int) (View, error) {
	p, err := kernels.Prepare(ctx, s.kernel, linalg.Rows(s.x, columns), s.options)
	return kernelView{s, p, columns}, err
}

// crossBlock is the number of rows that are computed at a time, to limit the memory of a product.
const crossBlock = 512

func (s *kernelSource) Cross(ctx context.Context, dst []float64, rows, vectors []int, beta []float64) error {
	clear(dst)
	if len(vectors) == 0 {
		return nil
	}
	z, err := kernels.Prepare(ctx, s.kernel, linalg.Rows(s.x, vectors), s.options)
	if err != nil {
		return err
	}
	for first := 0; first < len(rows); first += crossBlock {
		part := rows[first:min(first+crossBlock, len(rows))]
		k, err := z.Cross(ctx, linalg.Rows(s.x, part))
		if err != nil {
			return err
		}
		for r := range part {
			dst[first+r] = linalg.Dot(k.RawRowView(r), beta)
		}
	}
	return nil
}

type kernelView struct {
	*kernelSource
	prepared *kernels.Prepared // the columns
	columns  []int
}

func (v kernelView) Shared(int) []float64 { return nil }

func (v kernelView) Fill(ctx context.Context, dst []float64, i int) error {
	k, err := v.prepared.Cross(ctx, linalg.Rows(v.x, []int{i}))
	var at *fault.NotFiniteError
	if errors.As(err, &at) {
		return &fault.NotFiniteError{Name: at.Name, Row: i, Col: v.columns[at.Col], Value: at.Value}
	}
	if err != nil {
		return err
	}
	copy(dst, k.RawRowView(0))
	return nil
}
