package golearn

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/internal/fault"
)

const cellSize = 8 // bytes of a float or categorical cell

// cells reads one attribute of one grid. A *base.DenseInstances is read from its
// storage; every other grid through Get, cell by cell, because MapOverRows
// forgets the row map of some views.
type cells struct {
	storage        []byte // nil: use grid and spec
	stride, offset int
	grid           base.FixedDataGrid
	spec           base.AttributeSpec
	column         column
	rows           int
	held           []uint64 // the bits of every row, where hold has read them
}

// hold reads the cells, so that those of a lazily filtered grid pass through its
// filter once, however often they are asked for.
func (c *cells) hold() error {
	if c.storage != nil || c.held != nil {
		return nil
	}
	held := make([]uint64, c.rows)
	for i := range held {
		b, err := c.bits(i)
		if err != nil {
			return err
		}
		held[i] = b
	}
	c.held = held
	return nil
}

// bits returns the 8 bytes of a float or categorical cell, and 0 or 1 for a
// binary one.
func (c *cells) bits(row int) (uint64, error) {
	if c.storage != nil {
		return binary.LittleEndian.Uint64(c.storage[row*c.stride+c.offset:]), nil
	}
	if c.held != nil {
		return c.held[row], nil
	}
	raw := c.grid.Get(c.spec, row)
	if c.column.Kind == binaryKind {
		if len(raw) < 1 {
			return 0, c.badCell(row, len(raw))
		}
		if raw[0] > 0 {
			return 1, nil
		}
		return 0, nil
	}
	if len(raw) != cellSize {
		return 0, c.badCell(row, len(raw))
	}
	return binary.LittleEndian.Uint64(raw), nil
}

// category returns the index of a categorical cell.
func (c *cells) category(row int) (int, error) {
	b, err := c.bits(row)
	if err != nil {
		return 0, err
	}
	return c.checked(row, b)
}

func (c *cells) checked(row int, b uint64) (int, error) {
	if b >= uint64(len(c.column.Values)) {
		return 0, fault.Param("input", fmt.Sprintf("attribute %q, row %d", c.column.Name, row), b,
			fmt.Sprintf("the index of one of its %d categories", len(c.column.Values)))
	}
	return int(b), nil
}

// all returns the bits of every row. Categories are checked, and a NaN is let
// through.
func (c *cells) all() ([]uint64, error) {
	out := make([]uint64, c.rows)
	for i := range out {
		b, err := c.bits(i)
		if err == nil && c.column.Kind == categoricalKind {
			_, err = c.checked(i, b)
		}
		if err != nil {
			return nil, err
		}
		out[i] = b
	}
	return out, nil
}

func (c *cells) badCell(row, size int) error {
	return fault.Shape(fmt.Sprintf("the cell of attribute %q in row %d has", c.column.Name, row), size, "bytes",
		"a %v attribute's has %d", c.column.Kind, map[kind]int{floatKind: cellSize, categoricalKind: cellSize, binaryKind: 1}[c.column.Kind])
}

func notFinite(name string, row int, v float64) error {
	return fmt.Errorf("attribute %q, row %d: %w", name, row,
		&fault.NotFiniteError{Name: name, Row: row, Col: -1, Value: v})
}

// bind prepares reading of attributes that the grid itself handed out.
func bind(grid base.FixedDataGrid, attrs []base.Attribute) ([]cells, error) {
	dense, _ := grid.(*base.DenseInstances)
	var places map[base.Attribute]cells
	if dense != nil {
		places = densePlaces(dense)
	}
	_, rows := grid.Size()
	out := make([]cells, len(attrs))
	for i, a := range attrs {
		col, err := columnOf(a)
		if err != nil {
			return nil, err
		}
		c := places[a]
		if c.storage == nil {
			if c.spec, err = grid.GetAttribute(a); err != nil {
				return nil, fault.Param("input", "attribute", a.GetName(), "one that the grid can resolve: "+err.Error())
			}
			c.grid = grid
		}
		c.column, c.rows = col, rows
		out[i] = c
	}
	return out, nil
}

// densePlaces says where in the storage the 8-byte attributes of a dense grid
// lie. What is not in it (binary attributes, packed into bits) is read with Get.
func densePlaces(grid *base.DenseInstances) map[base.Attribute]cells {
	_, rows := grid.Size()
	out := map[base.Attribute]cells{}
	for _, group := range grid.AllAttributeGroups() {
		attrs, storage, stride := group.Attributes(), group.Storage(), group.RowSizeInBytes()
		if rows == 0 || stride != cellSize*len(attrs) || len(storage) < rows*stride {
			continue
		}
		for i, a := range attrs {
			if a.GetType() != base.BinaryType {
				out[a] = cells{storage: storage, stride: stride, offset: i * cellSize}
			}
		}
	}
	return out
}

// guard turns a panic of golearn code, or of a filter, into an error. It stands
// where a grid is read, which may run a view's or a filter's code at each cell, and
// where golearn's classifiers are called; never around an estimator.
func guard(doing string, err *error) {
	if p := recover(); p != nil {
		*err = fault.Param("golearn", doing, p, "no panic")
	}
}

// featureGroup is the attribute group that features are written to. One group of
// our own takes thousands of attributes fast and its storage can be filled at once.
const featureGroup = "KERNELEARN"

// classCells is a class column that goes along with features. No bits stands
// for a column of zeros.
type classCells struct {
	column column
	bits   []uint64
}

// denseGrid makes a grid of float attributes, filled by fill, which gets the
// storage, row-major and 8 bytes a cell, and of a class attribute if there is one.
func denseGrid(floats []column, rows int, class *classCells, fill func(storage []byte)) (*base.DenseInstances, error) {
	out := base.NewDenseInstances()
	var group base.AttributeGroup
	if len(floats) > 0 {
		if err := out.CreateAttributeGroup(featureGroup, cellSize); err != nil {
			return nil, err
		}
		var err error
		if group, err = out.GetAttributeGroup(featureGroup); err != nil {
			return nil, err
		}
		for _, c := range floats {
			if err := group.AddAttribute(c.attribute()); err != nil {
				return nil, err
			}
		}
	}
	var spec base.AttributeSpec
	if class != nil {
		a := class.column.attribute()
		spec = out.AddAttribute(a)
		if err := out.AddClassAttribute(a); err != nil {
			return nil, err
		}
	}
	if err := out.Extend(rows); err != nil {
		return nil, err
	}
	if group != nil {
		fill(group.Storage())
	}
	if class != nil && class.bits != nil {
		writeCells(out, spec, class.column.Kind, class.bits)
	}
	return out, nil
}

func writeCells(grid *base.DenseInstances, spec base.AttributeSpec, k kind, bits []uint64) {
	var buf [cellSize]byte
	for i, b := range bits {
		if k == binaryKind {
			buf[0] = byte(b)
			grid.Set(spec, i, buf[:1])
			continue
		}
		binary.LittleEndian.PutUint64(buf[:], b)
		grid.Set(spec, i, buf[:])
	}
}

// mixedGrid makes a grid of columns of any type.
func mixedGrid(cols []column, bits [][]uint64, rows int, class *classCells) (*base.DenseInstances, error) {
	out := base.NewDenseInstances()
	specs := make([]base.AttributeSpec, len(cols))
	for j, c := range cols {
		specs[j] = out.AddAttribute(c.attribute())
	}
	var spec base.AttributeSpec
	if class != nil {
		a := class.column.attribute()
		spec = out.AddAttribute(a)
		if err := out.AddClassAttribute(a); err != nil {
			return nil, err
		}
	}
	if err := out.Extend(rows); err != nil {
		return nil, err
	}
	for j, c := range cols {
		writeCells(out, specs[j], c.Kind, bits[j])
	}
	if class != nil && class.bits != nil {
		writeCells(out, spec, class.column.Kind, class.bits)
	}
	return out, nil
}

// classGrid makes the grid that Predict returns. Nil bits give no rows.
func classGrid(c column, bits []uint64) (*base.DenseInstances, error) {
	return mixedGrid(nil, nil, len(bits), &classCells{column: c, bits: bits})
}

// empty is the grid that goes with an error, which golearn's BaggedModel
// dereferences without looking at the error.
func empty(c column) *base.DenseInstances {
	if c.Kind == 0 {
		return base.NewDenseInstances()
	}
	out, err := classGrid(c, nil)
	if err != nil {
		return base.NewDenseInstances()
	}
	return out
}

func floatBits(v []float64) []uint64 {
	out := make([]uint64, len(v))
	for i, f := range v {
		out[i] = math.Float64bits(f)
	}
	return out
}
