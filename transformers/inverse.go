package transformers

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// Inverter is the capability to map rows of a result back to rows of the data, for example to read a cluster centre
// or the end of an interval in the units of the data.
type Inverter interface {
	// InverseTransform returns the rows x (m×d) that Transform maps to z (m×r), for the rows of
	// Fit to rounding but where Transform maps several values to one. Errors: ErrNotFitted,
	// ErrShape, ErrNotFinite, also for a z that no x is mapped to.
	InverseTransform(z mat.Matrix) (*mat.Dense, error)
}

var (
	_ Inverter = (*StandardScaler)(nil)
	_ Inverter = (*RMSScaler)(nil)
	_ Inverter = (*MinMaxScaler)(nil)
	_ Inverter = (*PowerTransformer)(nil)
	_ Inverter = (*QuantileTransformer)(nil)
	_ Inverter = (*PCA)(nil)
)

// invertible is a model whose map can go back.
type invertible interface {
	mapper
	unrow(dst, z []float64) // the inverse of row; infinite for what no row is mapped to
}

// inverted is the InverseTransform of a type whose model is invertible.
func inverted[M interface {
	model
	unrow(dst, z []float64)
}](l *learned[M], z mat.Matrix) (*mat.Dense, error) {
	if l.fitted == nil {
		return nil, fault.NotFitted(l.model().name())
	}
	m := any(l.fitted).(invertible)
	to, from := m.columns()
	in, gaps, err := input("z", z, m, from)
	if err != nil {
		return nil, err
	}
	n, _ := in.Dims()
	x := mat.NewDense(n, to, nil)
	for i := range n {
		m.unrow(x.RawRowView(i), in.RawRowView(i))
	}
	return x, finite(m, x, 0, gaps)
}
