// Package rowwise predicts a few rows at a time into the caller's memory without allocation. It serves single requests, for which
// the blocks used for many rows only add cost.
package rowwise

import (
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// fewRows is the largest number of rows that are predicted one by one.
const fewRows = 16

// Row computes the outputs of a row x into out, whose initial content is undefined. Outputs that are not finite become an error.
type Row func(out, x []float64)

var scratch = sync.Pool{New: func() any { return new([]float64) }}

// Scratch returns memory for n numbers with undefined content. Return it with Release.
func Scratch(n int) *[]float64 {
	p := scratch.Get().(*[]float64)
	if cap(*p) < n {
		*p = make([]float64, n)
	}
	*p = (*p)[:n]
	return p
}

// Release puts back the memory that Scratch returned.
func Release(p *[]float64) { scratch.Put(p) }

// few returns x if it is a dense matrix with at most fewRows rows and with width columns. Otherwise it returns nil, and the
// estimator's own method handles x and its errors. A width of 0 means that there is no model.
func few(x mat.Matrix, width int) *mat.Dense {
	d, ok := x.(*mat.Dense)
	if !ok || d == nil || width == 0 {
		return nil
	}
	if n, c := d.Dims(); n == 0 || n > fewRows || c != width {
		return nil
	}
	return d
}

// forEachRow calls f with the outputs of each row of x, which must be finite.
func forEachRow(name string, x *mat.Dense, outputs int, row Row, f func(i int, out []float64)) error {
	if _, err := check.Dense("x", x); err != nil {
		return err
	}
	p := Scratch(outputs)
	defer Release(p)
	n, _ := x.Dims()
	for i := range n {
		row(*p, x.RawRowView(i))
		for _, v := range *p {
			if v-v != 0 {
				return &fault.NotFiniteError{Name: name + ": prediction", Row: i, Col: -1, Value: v}
			}
		}
		f(i, *p)
	}
	return nil
}

// Numbers sets dst to a regressor's predictions for the rows of x. For many rows it calls the function all, and for a few it calls
// the function row for each. Errors contain the name.
func Numbers(name string, dst []float64, x mat.Matrix, width int, all func(mat.Matrix) ([]float64, error), row Row) error {
	d := few(x, width)
	if d == nil {
		return copied(dst, x, all)
	}
	if n, _ := d.Dims(); n != len(dst) {
		return check.Rows("dst", len(dst), n)
	}
	return forEachRow(name, d, 1, row, func(i int, out []float64) { dst[i] = out[0] })
}

// Labels is like Numbers for a classifier. The prediction for a row is the class with the largest output, or the first of several
// equal ones.
func Labels(name string, dst []int, x mat.Matrix, width int, of []int, all func(mat.Matrix) ([]int, error), row Row) error {
	d := few(x, width)
	if d == nil {
		return copied(dst, x, all)
	}
	if n, _ := d.Dims(); n != len(dst) {
		return check.Rows("dst", len(dst), n)
	}
	return forEachRow(name, d, len(of), row, func(i int, out []float64) {
		dst[i] = of[classes.Largest(out)]
	})
}

func copied[Y float64 | int](dst []Y, x mat.Matrix, all func(mat.Matrix) ([]Y, error)) error {
	out, err := all(x)
	if err != nil {
		return err
	}
	if len(out) != len(dst) {
		return check.Rows("dst", len(dst), len(out))
	}
	copy(dst, out)
	return nil
}

// Scores sets dst, with one row per row of x and one column per class, to the outputs of the model.
func Scores(name string, dst *mat.Dense, x mat.Matrix, width, classes int, all func(mat.Matrix) (*mat.Dense, error), row Row) error {
	d := few(x, width)
	if d == nil {
		return copiedScores(dst, x, all)
	}
	n, _ := d.Dims()
	if err := fits(dst, n, classes); err != nil {
		return err
	}
	return forEachRow(name, d, classes, row, func(i int, out []float64) { copy(dst.RawRowView(i), out) })
}

func copiedScores(dst *mat.Dense, x mat.Matrix, all func(mat.Matrix) (*mat.Dense, error)) error {
	out, err := all(x)
	if err != nil {
		return err
	}
	n, k := out.Dims()
	if err := fits(dst, n, k); err != nil {
		return err
	}
	dst.Copy(out)
	return nil
}

func fits(dst *mat.Dense, rows, columns int) error {
	if dst == nil {
		return fault.Shape("dst is nil: it has", 0, "rows", "want %d", rows)
	}
	if r, c := dst.Dims(); r != rows || c != columns {
		return fault.Shape("dst has", r, "rows", "want %d of %d columns, dst has %d columns", rows, columns, c)
	}
	return nil
}
