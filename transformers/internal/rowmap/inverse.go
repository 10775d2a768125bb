package rowmap

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// Invertible is a model whose map has an inverse.
type Invertible interface {
	Map
	InvertRow(dst, z []float64) // computes the inverse of MapRow, which is infinite for values to which no row is mapped
}

// Invert implements InverseTransform for a type with an invertible model.
func Invert[M interface {
	Stored
	Invertible
}](l *State[M], z mat.Matrix) (*mat.Dense, error) {
	if l.Fitted == nil {
		return nil, fault.NotFitted(l.TypeName())
	}
	m := any(l.Fitted).(Invertible)
	to, from := m.Widths()
	in, gaps, err := input("z", z, m, from)
	if err != nil {
		return nil, err
	}
	n, _ := in.Dims()
	x := mat.NewDense(n, to, nil)
	for i := range n {
		m.InvertRow(x.RawRowView(i), in.RawRowView(i))
	}
	return x, CheckFinite(m, x, 0, gaps)
}
