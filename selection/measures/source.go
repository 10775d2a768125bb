package measures

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
)

// kernelSource computes the elements of K from the rows, which it holds in the
// order of the grouping.
type kernelSource struct {
	kernel kernels.Kernel
	x      *mat.Dense
	order  []int
}

func newKernelSource(k kernels.Kernel, x *mat.Dense, order []int) *kernelSource {
	n, d := x.Dims()
	own := mat.NewDense(n, d, nil)
	for i, at := range order {
		own.SetRow(i, x.RawRowView(at))
	}
	return &kernelSource{k, own, order}
}

func (s *kernelSource) window(i, r int) *mat.Dense {
	_, d := s.x.Dims()
	return s.x.Slice(i, i+r, 0, d).(*mat.Dense)
}

func (s *kernelSource) block(dst *mat.Dense, i, j int) {
	r, c := dst.Dims()
	x, z := s.window(i, r), s.window(j, c)
	if b, ok := s.kernel.(kernels.Blocker); ok {
		b.Block(dst, x, z)
		return
	}
	for a := range r {
		row := dst.RawRowView(a)
		for b := range row {
			row[b] = s.kernel.Eval(x.RawRowView(a), z.RawRowView(b))
		}
	}
}

func (s *kernelSource) column(dst []float64, j int) {
	for i := range dst {
		dst[i] = s.kernel.Eval(s.x.RawRowView(i), s.x.RawRowView(j))
	}
}

func (s *kernelSource) diagonal(dst []float64) { kernels.Diag(dst, s.kernel, s.x) }

func (s *kernelSource) notFinite(i, j int, v float64) error {
	return &fault.NotFiniteError{Name: s.kernel.String(), Row: s.order[i], Col: s.order[j], Value: v}
}

// matrixSource reads K, whose rows are in the caller's order.
type matrixSource struct {
	at    func(i, j int) float64 // of rows i ≤ j of K
	order []int
}

func newMatrixSource(k mat.Symmetric, order []int) *matrixSource {
	s := &matrixSource{at: k.At, order: order}
	if own, ok := k.(*mat.SymDense); ok {
		raw := own.RawSymmetric() // its upper triangle
		s.at = func(i, j int) float64 { return raw.Data[i*raw.Stride+j] }
	}
	return s
}

func (s *matrixSource) element(i, j int) float64 {
	i, j = s.order[i], s.order[j]
	return s.at(min(i, j), max(i, j))
}

func (s *matrixSource) block(dst *mat.Dense, i, j int) {
	r, _ := dst.Dims()
	for a := range r {
		row := dst.RawRowView(a)
		for b := range row {
			row[b] = s.element(i+a, j+b)
		}
	}
}

func (s *matrixSource) column(dst []float64, j int) {
	for i := range dst {
		dst[i] = s.element(i, j)
	}
}

func (s *matrixSource) diagonal(dst []float64) {
	for i := range dst {
		dst[i] = s.element(i, i)
	}
}

func (s *matrixSource) notFinite(i, j int, v float64) error {
	return &fault.NotFiniteError{Name: "K", Row: s.order[i], Col: s.order[j], Value: v}
}
