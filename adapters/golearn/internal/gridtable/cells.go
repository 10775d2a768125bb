package gridtable

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/internal/fault"
)

const CellSize = 8 // number of bytes of a float or a categorical cell

// Cells is one column of a table. Its cells are read as numbers: the value of a float, the index of a level, and 0 or 1 for a
// binary cell. They are stored in Numbers, in the memory of a grid, or behind the Get of a grid.
type Cells struct {
	Column Column
	attr   base.Attribute // nil for a column that is not in a grid

	Numbers   []float64 // numbers that come from a matrix or were already read
	CellPlace           // in values, or in the memory of a DenseInstances

	get *getter // for any other grid

	// Codes maps the index of a level in the source to its index in the column. If it is nil, the indices are equal.
	Codes []float64
}

// getter reads an attribute cell by cell with the Get method of a grid, since MapOverRows ignores the row map of some views.
type getter struct {
	grid  base.FixedDataGrid
	spec  base.AttributeSpec
	bound bool // spec is set
}

// CellPlace is the position of the cell of each row in storage, or in the values of cells. With a stride of 0, all rows share one
// cell.
type CellPlace struct {
	storage        []byte
	Stride, Offset int
}

// Zeros returns a column of zeros, which is the class of rows to predict.
func Zeros(c Column) Cells { return Cells{Column: c, Numbers: []float64{0}} }

// NewCells returns a column of numbers, one for each row.
func NewCells(c Column, values []float64) Cells {
	return Cells{Column: c, Numbers: values, CellPlace: CellPlace{Stride: 1}}
}

// atEachGet reports whether golearn code computes a cell each time that it is read, possibly with a filter.
func (c *Cells) atEachGet() bool { return c.Numbers == nil && c.storage == nil }

// read writes the cells of rows to dst[0], dst[stride], dst[2·stride] and so on. All code reads cells with it. If it returns an
// error, it also returns the number of cells before the invalid one.
func (c *Cells) read(dst []float64, stride int, rows []int) (int, error) {
	values, storage, step, offset := c.Numbers, c.storage, c.Stride, c.Offset // copied to local variables, so that they are in registers
	switch {
	case values != nil:
		for i, r := range rows {
			dst[i*stride] = values[r*step+offset]
		}
	case storage == nil:
		for i, r := range rows {
			v, err := c.getCell(r)
			if err != nil {
				return i, err
			}
			dst[i*stride] = v
		}
	case c.Column.Kind == FloatKind:
		for i, r := range rows {
			dst[i*stride] = math.Float64frombits(binary.LittleEndian.Uint64(storage[r*step+offset:]))
		}
	default:
		for i, r := range rows {
			v, err := c.category(r, binary.LittleEndian.Uint64(storage[r*step+offset:]))
			if err != nil {
				return i, err
			}
			dst[i*stride] = v
		}
	}
	if c.Codes != nil {
		for i := range rows {
			dst[i*stride] = c.Codes[int(dst[i*stride])]
		}
	}
	return len(rows), nil
}

// getCell reads a cell through the grid.
func (c *Cells) getCell(row int) (float64, error) {
	raw := c.get.grid.Get(c.get.spec, row)
	size := CellSize
	if c.Column.Kind == BinaryKind {
		size = 1
	}
	switch {
	case len(raw) < size || (len(raw) > size && size == CellSize):
		return 0, fault.Shape(fmt.Sprintf("the cell of attribute %q in row %d has", c.Column.Name, row), len(raw), "bytes",
			"a %v attribute's has %d", c.Column.Kind, size)
	case c.Column.Kind == FloatKind:
		return math.Float64frombits(binary.LittleEndian.Uint64(raw)), nil
	case c.Column.Kind == BinaryKind:
		return float64(min(raw[0], 1)), nil
	}
	return c.category(row, binary.LittleEndian.Uint64(raw))
}

// level returns the index in a categorical cell as a number, or an error if the grid has no level with the index.
func (c *Cells) category(row int, index uint64) (float64, error) {
	known := len(c.Column.Values)
	if c.Codes != nil {
		known = len(c.Codes)
	}
	if index >= uint64(known) {
		return 0, fault.Param("input", fmt.Sprintf("attribute %q, row %d", c.Column.Name, row), index,
			fmt.Sprintf("the index of one of its %d categories", known))
	}
	return float64(index), nil
}

func NotFinite(name string, row int, v float64) error {
	return &cellNotFinite{&fault.NotFiniteError{Name: name, Row: row, Col: -1, Value: v}}
}

// cellNotFinite wraps the error of a NaN or an infinity, with a text that names the attribute and the row of the grid.
type cellNotFinite struct{ err *fault.NotFiniteError }

func (e *cellNotFinite) Error() string {
	return fmt.Sprintf("attribute %q, row %d is %v", e.err.Name, e.err.Row, e.err.Value)
}

// Unwrap returns the fault.NotFiniteError.
func (e *cellNotFinite) Unwrap() error { return e.err }

// Guard turns a panic of golearn code, or of a filter, into an error. It guards calls of golearn's classifiers, and reads of a
// grid, which may run code of a view or of a filter at each cell. It never guards an estimator.
func Guard(doing string, err *error) {
	if p := recover(); p != nil {
		*err = fault.Param("golearn", doing, p, "no panic")
	}
}
