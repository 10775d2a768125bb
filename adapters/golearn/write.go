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
func (t *table) grid() (*base.DenseInstances, error) { return t.write(column.attribute) }

// sharing writes the table into a grid that has its attributes: the same pointers, so that
// golearn filters trained on the one work on the other.
func (t *table) sharing() (*base.DenseInstances, error) { return t.write(nil) }

func (t *table) write(attribute func(column) base.Attribute) (out *base.DenseInstances, err error) {
	defer guard("writing the grid", &err)
	out = base.NewDenseInstances()
	specs := make([]base.AttributeSpec, 0, len(t.features)+len(t.classes))
	all := make([]cells, 0, cap(specs)) // with the attributes of the new grid
	var group base.AttributeGroup
	for i, of := range [][]cells{t.features, t.classes} {
		for _, c := range of {
			if attribute != nil {
				c.attr = attribute(c.column)
			}
			var spec base.AttributeSpec
			switch {
			case i == 1 || c.column.Kind != floatKind:
				spec = out.AddAttribute(c.attr)
			case group == nil:
				if err := out.CreateAttributeGroup(featureGroup, cellSize); err != nil {
					return nil, err
				}
				if group, err = out.GetAttributeGroup(featureGroup); err != nil {
					return nil, err
				}
				fallthrough
			default:
				if err := group.AddAttribute(c.attr); err != nil {
					return nil, err
				}
			}
			specs, all = append(specs, spec), append(all, c)
		}
	}
	for _, c := range all[len(t.features):] {
		if err := out.AddClassAttribute(c.attr); err != nil {
			return nil, err
		}
	}
	if err := out.Extend(t.n); err != nil {
		return nil, err
	}
	if t.matrix != nil && t.rows == nil {
		copyMatrix(group.Storage(), t.matrix)
		all, specs = all[len(t.features):], specs[len(t.features):]
	}
	return out, t.fill(out, all, specs)
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
func (t *table) fill(grid *base.DenseInstances, all []cells, specs []base.AttributeSpec) error {
	if len(all) == 0 {
		return nil
	}
	places := storagePlaces(grid, t.n)
	to := make([]cells, len(all))
	for j := range all {
		to[j] = places[all[j].attr]
	}
	var buf [blockRows]float64
	return t.blocks(func(at int, rows []int) error {
		for j := range all {
			if _, err := all[j].read(buf[:], 1, rows); err != nil {
				return err
			}
			to[j].put(grid, specs[j], all[j].column.Kind, at, buf[:len(rows)])
		}
		return nil
	})
}

// put writes values to the rows from at on.
func (c *cells) put(grid *base.DenseInstances, spec base.AttributeSpec, k kind, at int, values []float64) {
	storage, stride, first := c.storage, c.stride, at*c.stride+c.offset
	switch k {
	case floatKind:
		for i, v := range values {
			binary.LittleEndian.PutUint64(storage[first+i*stride:], math.Float64bits(v))
		}
	case categoricalKind:
		for i, v := range values {
			binary.LittleEndian.PutUint64(storage[first+i*stride:], uint64(v))
		}
	default:
		for i, v := range values {
			grid.Set(spec, at+i, []byte{byte(v)})
		}
	}
}

// tableOf makes a table of columns and the numbers of each of their rows. The column of
// number class is the class; -1 stands for none.
func tableOf(cols []column, values [][]float64, rows, class int) *table {
	out := &table{n: rows}
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
func tableOfMatrix(x *mat.Dense, cols []column) *table {
	raw := x.RawMatrix()
	out := &table{features: make([]cells, len(cols)), n: raw.Rows, matrix: x}
	for j, c := range cols {
		out.features[j] = cells{column: c, values: raw.Data, stride: raw.Stride, offset: j}
	}
	return out
}

// classGrid makes the grid that Predict returns.
func classGrid(class cells) (*base.DenseInstances, error) {
	return (&table{classes: []cells{class}, n: len(class.values)}).grid()
}

// noRows is the grid that goes with an error, which golearn's BaggedModel
// dereferences without looking at the error.
func noRows(c column) *base.DenseInstances {
	if out, err := classGrid(held(c, nil)); err == nil && c.Kind != 0 {
		return out
	}
	return base.NewDenseInstances()
}
