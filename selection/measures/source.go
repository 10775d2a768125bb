package measures

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
)

// input is a kernel matrix. It is represented by its elements, or by features if there are fewer features than rows.
type input struct {
	source
	phi  *mat.Dense // features; nil if there is a source
	rows int
}

// geometry provides the positions of the rows in the feature space.
type geometry interface {
	norms() norms
	forms(z []float64) forms
	contrast(c int) contrast // contrast of class c with all other rows
}

func matrixInput(k mat.Symmetric) (input, error) {
	n, err := order(k)
	return input{source: matrixSource{k}, rows: n}, err
}

func kernelInput(k kernels.Kernel, x mat.Matrix) (input, error) {
	if err := kernels.Validate(k); err != nil {
		return input{}, err
	}
	xd, err := check.Dense("x", x)
	if err != nil {
		return input{}, err
	}
	n, _ := xd.Dims()
	return input{source: kernelSource{k, xd}, rows: n}, nil
}

func featureInput(phi mat.Matrix) (input, error) {
	p, err := check.Dense("phi", phi)
	if err != nil {
		return input{}, err
	}
	n, r := p.Dims()
	if r >= n {
		return input{source: kernelSource{kernels.Linear{}, p}, rows: n}, nil
	}
	return input{phi: p, rows: n}, nil
}

func (in input) geometry(ctx context.Context, workers int, g grouping) (geometry, error) {
	if in.phi == nil {
		return pass(ctx, workers, in.source, g)
	}
	f, err := centreFeatures(ctx, in.phi)
	if err != nil {
		return nil, err
	}
	return newClassFeatures(f, g), nil
}

// order checks k and returns its number of rows.
func order(k mat.Symmetric) (int, error) {
	if check.IsNil(k) || k.SymmetricDim() == 0 {
		return 0, fault.Shape("K has", 0, "rows", "want at least 1")
	}
	return k.SymmetricDim(), nil
}

// source provides the upper triangle of a kernel matrix in blocks.
type source interface {
	// block sets dst[r,c] to element (i+r, j+c), where i = j or the block is entirely above the diagonal.
	block(dst *mat.Dense, i, j int)
	// column sets dst to column j.
	column(dst []float64, j int)
	diagonal(dst []float64)
	String() string // for errors
}

func notFinite(src source, i, j int, v float64) error {
	return &fault.NotFiniteError{Name: src.String(), Row: i, Col: j, Value: v}
}

// kernelSource computes the elements of K from the rows.
type kernelSource struct {
	kernels.Kernel
	x *mat.Dense
}

func (s kernelSource) window(i, r int) *mat.Dense {
	_, d := s.x.Dims()
	return s.x.Slice(i, i+r, 0, d).(*mat.Dense)
}

func (s kernelSource) block(dst *mat.Dense, i, j int) {
	r, c := dst.Dims()
	kernels.Block(dst, s.Kernel, s.window(i, r), s.window(j, c))
}

func (s kernelSource) column(dst []float64, j int) {
	kernels.Row(dst, s.Kernel, s.x.RawRowView(j), s.x)
}

func (s kernelSource) diagonal(dst []float64) { kernels.Diag(dst, s.Kernel, s.x) }

// matrixSource reads an existing K.
type matrixSource struct{ mat.Symmetric }

func (s matrixSource) block(dst *mat.Dense, i, j int) {
	r, c := dst.Dims()
	dense, stored := s.Symmetric.(*mat.SymDense)
	for a := range r {
		row := dst.RawRowView(a)
		if stored && i < j {
			raw := dense.RawSymmetric() // its upper triangle
			copy(row, raw.Data[(i+a)*raw.Stride+j:][:c])
			continue
		}
		for b := range row {
			row[b] = s.At(i+a, j+b)
		}
	}
}

func (s matrixSource) column(dst []float64, j int) {
	for i := range dst {
		dst[i] = s.At(i, j)
	}
}

func (s matrixSource) diagonal(dst []float64) {
	for i := range dst {
		dst[i] = s.At(i, i)
	}
}

func (s matrixSource) String() string { return "K" }
