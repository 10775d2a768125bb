package linalg

import "gonum.org/v1/gonum/mat"

// Rows returns a copy of the rows of x with these indices, at least one.
func Rows(x *mat.Dense, rows []int) *mat.Dense {
	_, d := x.Dims()
	out := mat.NewDense(len(rows), d, nil)
	for i, r := range rows {
		out.SetRow(i, x.RawRowView(r))
	}
	return out
}

// Pick returns a copy of the values with these indices. It returns nil for nil values.
func Pick[T any](v []T, rows []int) []T {
	if v == nil {
		return nil
	}
	out := make([]T, len(rows))
	for i, r := range rows {
		out[i] = v[r]
	}
	return out
}
