package golearn

import (
	"encoding/binary"
	"math"

	"github.com/sjwhitworth/golearn/base"
	"gonum.org/v1/gonum/mat"
)

// featureGroup is the attribute group that float features are written to. One group of
// our own takes thousands of attributes fast, and none of them stands beside the class,
// which golearn's KNN asks for where it uses its fast way.
const featureGroup = "KERNELEARN"

// grid writes the table into a grid with attributes of its own, which golearn may write to.
func (t *gridTable) grid() (*base.DenseInstances, error) {
	if err := t.validText(); err != nil {
		return nil, err
	}
	return t.write(column.attribute)
}

// sharing writes the table into a grid that has its attributes: the same pointers, so that
// golearn filters trained on the one work on the other.
func (t *gridTable) sharing() (*base.DenseInstances, error) { return t.write(nil) }

// written is an attribute of a new grid, and the cells that go there.
type written struct {
	from *cells
	attr base.Attribute
	spec base.AttributeSpec // of what is not in the feature group
}

func (t *gridTable) write(attribute func(column) base.Attribute) (out *base.DenseInstances, err error) {
	defer guard("writing the grid", &err)
	out = base.NewDenseInstances()
	all := make([]written, 0, len(t.features)+len(t.classes))
	for _, of := range [][]cells{t.features, t.classes} {
		for j := range of {
			w := written{from: &of[j], attr: of[j].attr}
			if attribute != nil {
				w.attr = attribute(of[j].column)
			}
			all = append(all, w)
		}
	}
	group, err := addFeatures(out, all[:len(t.features)])
	if err != nil {
		return nil, err
	}
	for j := range all[len(t.features):] {
		w := &all[len(t.features)+j]
		w.spec = out.AddAttribute(w.attr)
		if err := out.AddClassAttribute(w.attr); err != nil {
			return nil, err
		}
	}
	if err := out.Extend(t.n); err != nil {
		return nil, err
	}
	if t.matrix != nil && t.rows == nil {
		copyMatrix(group.Storage(), t.matrix)
		all = all[len(t.features):]
	}
	return out, t.fill(out, all)
}

// addFeatures adds attributes, and returns the group of the float ones.
func addFeatures(out *base.DenseInstances, all []written) (group base.AttributeGroup, err error) {
	for j := range all {
		w := &all[j]
		if w.from.column.Kind != floatKind {
			w.spec = out.AddAttribute(w.attr)
			continue
		}
		if group == nil {
			if err := out.CreateAttributeGroup(featureGroup, cellSize); err != nil {
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

// copyMatrix writes a matrix whose columns are those of an attribute group: row by row, as
// both lie in memory.
func copyMatrix(storage []byte, x *mat.Dense) {
	rows, width := x.Dims()
	for i := range rows {
		to := storage[i*width*cellSize : (i+1)*width*cellSize]
		for j, v := range x.RawRowView(i) {
			binary.LittleEndian.PutUint64(to[j*cellSize:], math.Float64bits(v))
		}
	}
}

// fill writes the cells, those of 8 bytes straight into the storage.
func (t *gridTable) fill(grid *base.DenseInstances, all []written) error {
	if len(all) == 0 {
		return nil
	}
	places := storagePlaces(grid, t.n)
	var buf [blockRows]float64
	return t.blocks(func(at int, rows []int) error {
		for _, w := range all {
			if _, err := w.from.read(buf[:], 1, rows); err != nil {
				return err
			}
			if w.from.column.Kind == binaryKind {
				for i, v := range buf[:len(rows)] {
					grid.Set(w.spec, at+i, []byte{byte(v)})
				}
				continue
			}
			places[w.attr].put(w.from.column.Kind, at, buf[:len(rows)])
		}
		return nil
	})
}

// put writes values to the rows from at on.
func (p cellPlace) put(k kind, at int, values []float64) {
	for i, v := range values {
		bits := math.Float64bits(v)
		if k == categoricalKind {
			bits = uint64(v)
		}
		binary.LittleEndian.PutUint64(p.storage[(at+i)*p.stride+p.offset:], bits)
	}
}

// tableOf makes a table of columns and the numbers of each of their rows. The column of
// number class is the class; -1 stands for none.
func tableOf(cols []column, values [][]float64, rows, class int) *gridTable {
	out := &gridTable{n: rows}
	for j, c := range cols {
		if j == class {
			out.classes = append(out.classes, held(c, values[j]))
		} else {
			out.features = append(out.features, held(c, values[j]))
		}
	}
	return out
}

// tableOfMatrix makes a table of the columns of x, which are float columns cols. It keeps
// x, which must not be written to.
func tableOfMatrix(x *mat.Dense, cols []column) *gridTable {
	raw := x.RawMatrix()
	out := &gridTable{features: make([]cells, len(cols)), n: raw.Rows, matrix: x}
	for j, c := range cols {
		out.features[j] = cells{column: c, values: raw.Data, cellPlace: cellPlace{stride: raw.Stride, offset: j}}
	}
	return out
}

// classGrid makes the grid that Predict returns.
func classGrid(class cells) (*base.DenseInstances, error) {
	return (&gridTable{classes: []cells{class}, n: len(class.values)}).grid()
}

// noRows is the grid that goes with an error, which golearn's BaggedModel
// dereferences without looking at the error.
func noRows(c column) *base.DenseInstances {
	if out, err := classGrid(held(c, nil)); err == nil && c.Kind != 0 {
		return out
	}
	return base.NewDenseInstances()
}
