// Package sparsetest draws sparse rows for tests.
package sparsetest

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/sparse"
)

// Rows returns n rows of unit norm in d columns, and targets that are a linear function of the row plus noise of standard deviation
// 0.1. The parameter entries limits the number of nonzero entries of a row. Most of them are in the first columns.
func Rows(n, d, entries int, seed uint64) (*sparse.Rows, []float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	start, column, value, y := []int{0}, []int(nil), []float64(nil), make([]float64, n)
	for i := range y {
		counts := map[int]float64{}
		for range entries {
			u := rng.Float64()
			counts[int(float64(d)*u*u*u)]++
		}
		var columns []int
		square := 0.
		for j, v := range counts {
			columns, square = append(columns, j), square+v*v
		}
		slices.Sort(columns)
		for _, j := range columns {
			v := counts[j] / math.Sqrt(square)
			column, value = append(column, j), append(value, v)
			y[i] += v * math.Sin(float64(j))
		}
		y[i] += .1 * rng.NormFloat64()
		start = append(start, len(column))
	}
	out, err := sparse.NewRows(d, start, column, value)
	if err != nil {
		panic(err)
	}
	return out, y
}

// Widened returns the same entries in a matrix of d columns. The columns of x are step columns apart.
func Widened(x *sparse.Rows, step, d int) *sparse.Rows {
	n, _ := x.Dims()
	start, column, value := []int{0}, []int(nil), []float64(nil)
	for i := range n {
		columns, values := x.Row(i)
		for at, j := range columns {
			column, value = append(column, j*step), append(value, values[at])
		}
		start = append(start, len(column))
	}
	out, err := sparse.NewRows(d, start, column, value)
	if err != nil {
		panic(err)
	}
	return out
}

// Foreign is a sparse matrix whose type is not [sparse.Rows].
type Foreign struct{ *sparse.Rows }

// T implements mat.Matrix.
func (f Foreign) T() mat.Matrix { return mat.Transpose{Matrix: f} }
