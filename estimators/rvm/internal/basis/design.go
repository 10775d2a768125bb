package basis

import (
	"context"

	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"gonum.org/v1/gonum/mat"
)

// Design is a basis before a fit, n×m. It can evaluate its columns at new rows.
type Design struct {
	Raw     evaluator
	N, M    int // number of rows, and number of columns of all kernels; Raw has the column of ones in addition, as the last
	width   int // number of columns of the rows, or of the design matrix
	kernels Dictionary
	centres *mat.Dense // centres of the basis functions; nil for a design matrix
	rows    []int      // numbers of the centres among the training rows; nil for landmarks
	X       *mat.Dense // the distinct training rows, or those of the design matrix
	first   []int      // the first occurrence of each distinct row; nil if no two rows are equal
}

// NewDesign returns the design of the kernels for distinct rows with the given centres. which holds the numbers of the centres
// among the training rows, and is nil for landmarks.
func NewDesign(rows *distinct.Rows, k Dictionary, centres *mat.Dense, which []int) Design {
	d := Design{kernels: k, centres: centres, rows: which, X: rows.X, first: rows.First}
	d.N, d.width = rows.X.Dims()
	d.setColumns()
	return d
}

// OnMatrix returns the design for the distinct rows of a design matrix.
func OnMatrix(rows *distinct.Rows) (d Design) {
	d.N, d.M = rows.X.Dims()
	d.width, d.Raw, d.X = d.M, matrixColumns(rows.X), rows.X
	return d
}

// setColumns sets Raw to the columns of the kernels with the centres.
func (d *Design) setColumns() {
	d.M, _ = d.centres.Dims()
	d.M *= len(d.kernels)
	d.Raw = d.kernels.columns(d.centres, d.X)
}

// Subset returns the design for some of the rows. If the centres are training rows, it keeps the centres among these rows.
func (d Design) Subset(rows []int) Design {
	x := d.Rows(rows)
	out := Design{N: len(rows), M: d.M, width: d.width, kernels: d.kernels, centres: d.centres, X: x}
	if d.centres == nil {
		out.Raw = matrixColumns(x)
		return out
	}
	if d.rows != nil {
		in := make([]bool, d.N)
		for _, r := range rows {
			in[r] = true
		}
		var at []int
		for i, r := range d.rows {
			if in[r] {
				at, out.rows = append(at, i), append(out.rows, r)
			}
		}
		out.centres = linalg.Rows(d.centres, at)
	}
	out.setColumns()
	return out
}

// Rows returns some rows of X.
func (d Design) Rows(rows []int) *mat.Dense { return linalg.Rows(d.X, rows) }

// Support returns the support for some columns of the design.
func (d Design) Support(columns []int) *Support {
	s := &Support{Kernels: d.kernels, Columns: columns, width: d.width}
	if d.centres == nil {
		return s
	}
	m := d.M / len(d.kernels)
	at, ends := make([]int, len(columns)), make([]int, len(d.kernels))
	for i, j := range columns {
		at[i] = j % m
		for k := j / m; k < len(ends); k++ {
			ends[k]++
		}
	}
	if len(columns) > 0 {
		s.Vectors = linalg.Rows(d.centres, at)
	}
	for _, i := range at {
		switch {
		case d.rows != nil:
			row := d.rows[i]
			if d.first != nil {
				row = d.first[row]
			}
			s.rows = append(s.rows, row)
		case len(d.kernels) > 1:
			s.rows = append(s.rows, i)
		}
	}
	s.divide(ends)
	return s
}

// matrixColumns returns an evaluator for the columns of a matrix, followed by a column of ones.
func matrixColumns(phi *mat.Dense) evaluator {
	_, m := phi.Dims()
	return func(_ context.Context, dst *mat.Dense, first int) error {
		width, _ := dst.Dims()
		for i := range width {
			row := dst.RawRowView(i)
			if first+i < m {
				mat.Col(row, first+i, phi)
			} else {
				fill(row, 1)
			}
		}
		return nil
	}
}

func fill(v []float64, with float64) {
	for i := range v {
		v[i] = with
	}
}
