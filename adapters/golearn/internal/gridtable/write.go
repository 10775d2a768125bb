package gridtable

import (
	"encoding/binary"
	"math"

	"github.com/sjwhitworth/golearn/base"
	"gonum.org/v1/gonum/mat"
)

// featureGroup is the attribute group of float features. With a group of their own, thousands of attributes can be added quickly.
// It does not contain the class, which golearn's KNN requires for its fast path.
const featureGroup = "KERNELEARN"

// Grid returns a grid with the cells of the table and new attributes, which golearn may change.
func (t *Table) Grid() (*base.DenseInstances, error) {
	if err := t.validText(); err != nil {
		return nil, err
	}
	return t.write(Column.attribute)
}

// GridSharing returns a grid with the cells of the table and the same attribute pointers as the grid of the table. golearn filters
// that are trained on either grid therefore also work on the other.
func (t *Table) GridSharing() (*base.DenseInstances, error) { return t.write(nil) }

// written is an attribute of a new grid, and the source of its cells.
type written struct {
	from *Cells
	attr base.Attribute
	spec base.AttributeSpec // set unless the attribute is in the feature group
}

func (t *Table) write(attribute func(Column) base.Attribute) (out *base.DenseInstances, err error) {
	defer Guard("writing the grid", &err)
	out = base.NewDenseInstances()
	all := make([]written, 0, len(t.Features)+len(t.Classes))
	for c := range t.cells {
		w := written{from: c, attr: c.attr}
		if attribute != nil {
			w.attr = attribute(c.Column)
		}
		all = append(all, w)
	}
	group, err := addFeatures(out, all[:len(t.Features)])
	if err != nil {
		return nil, err
	}
	for j := range all[len(t.Features):] {
		w := &all[len(t.Features)+j]
		w.spec = out.AddAttribute(w.attr)
		if err := out.AddClassAttribute(w.attr); err != nil {
			return nil, err
		}
	}
	if err := out.Extend(t.Rows); err != nil {
		return nil, err
	}
	if t.Matrix != nil && t.RowNumbers == nil {
		copyMatrix(group.Storage(), t.Matrix)
		all = all[len(t.Features):]
	}
	return out, t.fill(out, all)
}

// addFeatures adds attributes to a grid, and returns the group of the float attributes.
func addFeatures(out *base.DenseInstances, all []written) (group base.AttributeGroup, err error) {
	for j := range all {
		w := &all[j]
		if w.from.Column.Kind != FloatKind {
			w.spec = out.AddAttribute(w.attr)
			continue
		}
		if group == nil {
			if err := out.CreateAttributeGroup(featureGroup, CellSize); err != nil {
				return nil, err
			}
			if group, err = out.GetAttributeGroup(featureGroup); err != nil {
				return nil, err
			}
		}
		if err := group.AddAttribute(w.attr); err != nil {
			return nil, err
		}
	}
	return group, nil
}

// copyMatrix copies a matrix to the storage of an attribute group with the same columns. Both are stored row by row.
func copyMatrix(storage []byte, x *mat.Dense) {
	rows, width := x.Dims()
	for i := range rows {
		to := storage[i*width*CellSize : (i+1)*width*CellSize]
		for j, v := range x.RawRowView(i) {
			binary.LittleEndian.PutUint64(to[j*CellSize:], math.Float64bits(v))
		}
	}
}

// fill writes the cells of the table to the grid. It writes 8-byte cells directly into the storage.
func (t *Table) fill(grid *base.DenseInstances, all []written) error {
	if len(all) == 0 {
		return nil
	}
	places := storagePlaces(grid, t.Rows)
	var buf [BlockRows]float64
	return t.blocks(func(at int, rows []int) error {
		for _, w := range all {
			if _, err := w.from.read(buf[:], 1, rows); err != nil {
				return err
			}
			if w.from.Column.Kind == BinaryKind {
				for i, v := range buf[:len(rows)] {
					grid.Set(w.spec, at+i, []byte{byte(v)})
				}
				continue
			}
			places[w.attr].put(w.from.Column.Kind, at, buf[:len(rows)])
		}
		return nil
	})
}

// put writes values to consecutive rows, beginning with row at.
func (p CellPlace) put(k Kind, at int, values []float64) {
	for i, v := range values {
		bits := math.Float64bits(v)
		if k == CategoricalKind {
			bits = uint64(v)
		}
		binary.LittleEndian.PutUint64(p.storage[(at+i)*p.Stride+p.Offset:], bits)
	}
}

// TableOf returns a table of columns, where values holds the numbers of each column. The column with index class is the class. If
// class is -1, there is none.
func TableOf(cols []Column, values [][]float64, rows, class int) *Table {
	out := &Table{Rows: rows}
	for j, c := range cols {
		if j == class {
			out.Classes = append(out.Classes, NewCells(c, values[j]))
		} else {
			out.Features = append(out.Features, NewCells(c, values[j]))
		}
	}
	return out
}

// TableOfMatrix returns a table of the columns of x, which cols describes as float columns. It keeps x, which must not be changed.
func TableOfMatrix(x *mat.Dense, cols []Column) *Table {
	raw := x.RawMatrix()
	out := &Table{Features: make([]Cells, len(cols)), Rows: raw.Rows, Matrix: x}
	for j, c := range cols {
		out.Features[j] = Cells{Column: c, Numbers: raw.Data, CellPlace: CellPlace{Stride: raw.Stride, Offset: j}}
	}
	return out
}

// ClassGrid returns the grid that Predict returns: the class is its only attribute.
func ClassGrid(class Cells) (*base.DenseInstances, error) {
	return (&Table{Classes: []Cells{class}, Rows: len(class.Numbers)}).Grid()
}

// NoRows returns the grid without rows that accompanies an error, because golearn's BaggedModel dereferences the grid without
// checking the error.
func NoRows(c Column) *base.DenseInstances {
	if out, err := ClassGrid(NewCells(c, nil)); err == nil && c.Kind != 0 {
		return out
	}
	return base.NewDenseInstances()
}
