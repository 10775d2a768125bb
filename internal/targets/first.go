package targets

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
)

// Machines predict k targets, but a Regressor has only one.

// First returns the first column, or nil for a nil m.
func First(m *mat.Dense, err error) ([]float64, error) {
	if err != nil || m == nil {
		return nil, err
	}
	return mat.Col(nil, 0, m), nil
}

// FirstPair is like First, for two matrices, such as means and variances.
func FirstPair(a, b *mat.Dense, err error) (first, second []float64, _ error) {
	if err != nil {
		return nil, nil, err
	}
	return mat.Col(nil, 0, a), mat.Col(nil, 0, b), nil
}

// CheckValues returns an ErrNotFinite error if a value of m (n×k) is not finite. With a single target it names only the row.
func CheckValues(name string, m *mat.Dense) error {
	if _, k := m.Dims(); k > 1 {
		return check.Finite(name, m)
	}
	return check.Vector(name, mat.Col(nil, 0, m))
}
