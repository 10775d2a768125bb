// Package grid makes golearn grids of the tables of package arrow, which read Parquet, Arrow and CSV files, and Parquet files of
// golearn grids.
//
// [Read] makes a grid of a table: numbers, times and durations are float attributes, categories categorical ones with the
// schema's categories in its order, and the label or the target is the class. Gaps are NaN, or the category "?", as in
// grids.ReadCSV of this module's adapters/golearn, whose Classifier, Regressor and Pipeline take the grid. [Batch] and [Write] are
// the way back.
//
// It is a package of its own, so that a program that reads files without golearn does not link it.
package grid

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/sjwhitworth/golearn/base"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/arrow"
	"github.com/kernelearn/kernelearn/estimators"
)

// missingCategory is that of a gap in a categorical attribute.
const missingCategory = "?"

// Read puts a table into a grid, whose class attribute is the schema's label, or its target; with neither there is none. Weights
// are left out, which grids do not have. The rows are in memory three times while it is made; the table's MaxBytes bounds them.
//
// Errors: those of the table's streams and of [arrow.Collect]; estimators.ErrParam for a schema with both a label and a target, or for
// a column whose name another has.
func Read(ctx context.Context, table *arrow.Table) (*base.DenseInstances, error) {
	if table == nil || table.Schema == nil {
		return nil, &estimators.ParamError{Type: "grid: Read", Field: "Schema", Value: nil, Want: "a schema"}
	}
	s := *table.Schema
	s.Weight = ""
	unweighted := *table
	unweighted.Schema = &s
	switch {
	case s.Label != "" && s.Target != "":
		return nil, &estimators.ParamError{Type: "grid: Read", Field: "Schema", Value: "a label and a target",
			Want: "one of them, to be the class"}
	case s.Label != "":
		b, err := arrow.Collect(unweighted.Labels(ctx), table.MaxBytes)
		if err != nil {
			return nil, err
		}
		class := make([]float64, len(b.Y))
		for i, label := range b.Y {
			class[i] = float64(label)
		}
		return build(&s, b.X, &arrow.Column{Name: s.Label, Kind: arrow.Category, Categories: s.Classes}, class)
	case s.Target != "":
		b, err := arrow.Collect(unweighted.Targets(ctx), table.MaxBytes)
		if err != nil {
			return nil, err
		}
		return build(&s, b.X, &arrow.Column{Name: s.Target, Kind: arrow.Number}, b.Y)
	}
	b, err := arrow.Collect(unweighted.Rows(ctx), table.MaxBytes)
	if err != nil {
		return nil, err
	}
	return build(&s, b.X, nil, nil)
}

// build makes the grid of x and a class, if there is one.
func build(s *arrow.Schema, x *mat.Dense, class *arrow.Column, y []float64) (out *base.DenseInstances, err error) {
	defer guard("writing the grid", &err)
	if class != nil {
		for _, c := range s.Features {
			if c.Name == class.Name {
				return nil, &estimators.ParamError{Type: "grid: Read", Field: "class", Value: strconv.Quote(c.Name),
					Want: "a column that is no feature"}
			}
		}
	}
	out = base.NewDenseInstances()
	columns := make([]column, 0, len(s.Features)+1)
	for _, c := range s.Features {
		columns = append(columns, newColumn(out, c))
	}
	if class != nil {
		c := newColumn(out, *class)
		if err := out.AddClassAttribute(c.attr); err != nil {
			return nil, err
		}
		columns = append(columns, c)
	}
	n, d := x.Dims()
	if err := out.Extend(n); err != nil {
		return nil, err
	}
	for i := range n {
		for j, v := range x.RawRowView(i) {
			columns[j].set(out, i, v)
		}
		if class != nil {
			columns[d].set(out, i, y[i])
		}
	}
	return out, nil
}

// column is an attribute of a grid that is made.
type column struct {
	attr  base.Attribute
	spec  base.AttributeSpec
	names *base.CategoricalAttribute // nil for numbers
}

func newColumn(to *base.DenseInstances, c arrow.Column) column {
	if c.Kind != arrow.Category {
		attr := base.NewFloatAttribute(c.Name)
		attr.Precision = 6 // of what golearn prints
		return column{attr: attr, spec: to.AddAttribute(attr)}
	}
	attr := base.NewCategoricalAttribute()
	attr.SetName(c.Name)
	for _, v := range c.Categories {
		attr.GetSysValFromString(v) // adds it
	}
	return column{attr: attr, spec: to.AddAttribute(attr), names: attr}
}

func (c column) set(to *base.DenseInstances, row int, v float64) {
	switch {
	case c.names == nil:
		to.Set(c.spec, row, base.PackFloatToBytes(v))
	case math.IsNaN(v):
		to.Set(c.spec, row, c.names.GetSysValFromString(missingCategory))
	default:
		to.Set(c.spec, row, base.PackU64ToBytes(uint64(v)))
	}
}

// guard makes an error of golearn's panics.
func guard(doing string, err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("grid: %s: golearn panicked: %v", doing, v)
	}
}
