package gridtable

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// Encoder converts the features of a table to a matrix. A float or binary attribute is a column, and a categorical attribute
// becomes a column of 0 and 1 for each of its levels.
type Encoder struct {
	Columns []Column
	// If Gap is not nil, it returns the replacement of a NaN or an infinity in a matrix column, or an error.
	Gap func(name string, column, row int, v float64) (float64, error)
	// Replaces reports whether Gap returns other numbers.
	Replaces bool
}

// Matrix returns the matrix of a table that is aligned to the columns. It may be a matrix that the table holds, and must not be
// changed.
func (e Encoder) Matrix(t *Table) (*mat.Dense, error) {
	if t.Matrix != nil && !e.Replaces {
		return t.Matrix, e.Check(t, nil)
	}
	if err := checkSize(t.Rows, e.Columns); err != nil {
		return nil, err
	}
	width := MatrixWidth(e.Columns)
	x := mat.NewDense(t.Rows, width, nil)
	data := x.RawMatrix().Data
	return x, e.eachBlock(t, nil, func(at, rows int) []float64 { return data[at*width : (at+rows)*width] })
}

// Check does the same checks as Matrix, but stores no matrix. If unseen is not nil, Check counts in it the rows with a level
// that the training rows lack.
func (e Encoder) Check(t *Table, unseen map[string]int) error {
	width := MatrixWidth(e.Columns)
	buf := make([]float64, min(t.Rows, BlockRows)*width)
	return e.eachBlock(t, unseen, func(_, rows int) []float64 {
		clear(buf)
		return buf[:rows*width]
	})
}

// MatrixWidth returns the number of matrix columns of some attributes.
func MatrixWidth(cols []Column) int {
	width := 0
	for _, c := range cols {
		width += c.Width()
	}
	return width
}

// eachBlock encodes the rows of t in blocks. The function to returns the memory for the rows of a block, which begin at row at.
func (e Encoder) eachBlock(t *Table, unseen map[string]int, to func(at, rows int) []float64) (err error) {
	defer Guard("reading the grid", &err)
	width := MatrixWidth(e.Columns)
	return t.blocks(func(at int, rows []int) error {
		dst, column := to(at, len(rows)), 0
		var first error
		for j := range e.Columns {
			// After an error, the loop still reads the rows before the invalid one in the other columns, so that the error names
			// the first invalid row.
			n, err := e.encode(&t.Features[j], column, e.Columns[j], dst[column:], width, rows, unseen)
			if err != nil {
				rows, first = rows[:n], err
			}
			column += e.Columns[j].Width()
		}
		return first
	})
}

// encode writes one feature of some rows to the matrix columns from column on. A categorical feature has a column for each level
// of known, the training levels, or one column of codes. All other levels have the same code, the number of known
// levels. If encode returns an error, it also returns the number of rows before the invalid one.
func (e Encoder) encode(c *Cells, column int, known Column, dst []float64, stride int, rows []int, unseen map[string]int) (int, error) {
	if c.Column.Kind == CategoricalKind {
		var codes [BlockRows]float64
		n, err := c.read(codes[:], 1, rows)
		for i, code := range codes[:n] {
			k := min(int(code), len(known.Values))
			switch {
			case known.Code:
				dst[i*stride] = float64(k)
			case k < len(known.Values):
				dst[i*stride+k] = 1
			}
			if k == len(known.Values) && unseen != nil {
				unseen[c.Column.Name]++
			}
		}
		return n, err
	}
	n, err := c.read(dst, stride, rows)
	if c.Column.Kind != FloatKind || e.Gap == nil {
		return n, err
	}
	for i := range n {
		v := dst[i*stride]
		if v-v == 0 {
			continue
		}
		var wrong error
		if dst[i*stride], wrong = e.Gap(c.Column.Name, column, rows[i], v); wrong != nil {
			return i, wrong
		}
	}
	return n, err
}

// maxMatrixBytes is the largest size of the matrix of a grid. One-hot encoding of a column of names or ids can exceed it.
const maxMatrixBytes = 8 << 30

func checkSize(rows int, cols []Column) error {
	width, widest := MatrixWidth(cols), Column{}
	for _, c := range cols {
		if c.Width() > widest.Width() || widest.Kind == 0 {
			widest = c
		}
	}
	bytes := int64(rows) * int64(width) * CellSize
	if bytes <= maxMatrixBytes {
		return nil
	}
	hint := ""
	if widest.Kind == CategoricalKind {
		hint = fmt.Sprintf("the feature %q has %d categories: leave it out", widest.Name, len(widest.Values))
	}
	return &fault.TooLargeError{What: fmt.Sprintf("a matrix of %d rows and %d columns", rows, width), Bytes: bytes, Limit: maxMatrixBytes,
		Hint: hint}
}

// Explain adds the name of the attribute to an estimator's or a transformer's error for a NaN or an infinity, which contains only
// the number of the matrix column.
func (t *Table) Explain(cols []Column, err error) error {
	var nf *fault.NotFiniteError
	if !errors.As(err, &nf) || nf.Col < 0 {
		return err
	}
	all := MatrixNames(cols)
	if nf.Col >= len(all) || nf.Row < 0 || nf.Row >= t.Rows {
		return err
	}
	column, err := fault.NamedColumn(err)
	if column == "" {
		column = all[nf.Col]
	}
	row := nf.Row
	if t.RowNumbers != nil {
		row = t.RowNumbers[row]
	}
	return fmt.Errorf("attribute %q, row %d: %w", column, row, err)
}
