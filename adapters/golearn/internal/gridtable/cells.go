package gridtable

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/internal/fault"
)

const CellSize = 8 // bytes of a float or a categorical cell

// Cells is one column of a table, its cells read as numbers: a float's value, the index
// of a category, 0 or 1 of a binary one. They lie in one of three places.
type Cells struct {
	Column Column
	attr   base.Attribute // nil for a column that stands in no grid

	Numbers   []float64 // numbers, of a matrix or read before
	CellPlace           // in values, or in a DenseInstances' own memory

	get *getter // any other grid

	// Codes turns the index of a category where it is read into that of the column; nil
	// leaves it.
	Codes []float64
}

// getter reads an attribute of a grid with Get, cell by cell: MapOverRows forgets the row map
// of some views.
type getter struct {
	grid  base.FixedDataGrid
	spec  base.AttributeSpec
	bound bool // spec is there
}

// CellPlace says where a row's cell begins in storage, or in the values of cells. A stride of 0
// gives every row the same one.
type CellPlace struct {
	storage        []byte
	Stride, Offset int
}

// Zeros is a column of zeros: the class of rows that are to be predicted.
func Zeros(c Column) Cells { return Cells{Column: c, Numbers: []float64{0}} }

// NewCells is a column of numbers, one for each row.
func NewCells(c Column, values []float64) Cells {
	return Cells{Column: c, Numbers: values, CellPlace: CellPlace{Stride: 1}}
}

// atEachGet says that the cells come out of golearn code, which may run a filter at each.
func (c *Cells) atEachGet() bool { return c.Numbers == nil && c.storage == nil }

// read writes the cells of rows to dst[0], dst[stride], dst[2·stride] and so on: the one
// place where cells are read. With an error it returns how many came before it.
func (c *Cells) read(dst []float64, stride int, rows []int) (int, error) {
	values, storage, step, offset := c.Numbers, c.storage, c.Stride, c.Offset // in registers
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

// category checks the index that a categorical cell holds against the grid's categories.
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

// cellNotFinite tells the attribute and the row of a NaN or an infinity once, in the words of a grid.
type cellNotFinite struct{ err *fault.NotFiniteError }

func (e *cellNotFinite) Error() string {
	return fmt.Sprintf("attribute %q, row %d is %v", e.err.Name, e.err.Row, e.err.Value)
}

// Unwrap returns the fault.NotFiniteError.
func (e *cellNotFinite) Unwrap() error { return e.err }

// Guard turns a panic of golearn code, or of a filter, into an error. It stands
// where a grid is read, which may run a view's or a filter's code at each cell, and
// where golearn's classifiers are called; never around an estimator.
func Guard(doing string, err *error) {
	if p := recover(); p != nil {
		*err = fault.Param("golearn", doing, p, "no panic")
	}
}
