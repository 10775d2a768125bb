package grids

import (
	"context"
	"io"
	"math"

	"github.com/sjwhitworth/golearn/base"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// ReadCSV reads a CSV file into a grid. It is [table.ReadCSV] followed by [FromTable]. Options may be nil. Unless o has a Schema,
// TargetLast is set: without a Target, the last column is the class, as in golearn. For rows without a class, use FromTable.
//
// It returns the errors of table.ReadCSV.
func ReadCSV(path string, o *table.Options) (*base.DenseInstances, error) {
	return read(table.File(path), o)
}

// ParseCSV is like ReadCSV, but reads from r. Errors contain name, which may be that of a file.
func ParseCSV(name string, r io.Reader, o *table.Options) (*base.DenseInstances, error) {
	return read(table.Source{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(r), nil }}, o)
}

// read reads a grid. The last column is the class, unless the options name another.
func read(s table.Source, o *table.Options) (*base.DenseInstances, error) {
	var options table.Options
	if o != nil {
		options = *o
	}
	options.TargetLast = options.Schema == nil
	t, err := s.Table(context.Background(), &options)
	if err != nil {
		return nil, err
	}
	return FromTable(t)
}

// unseen is the level that replaces all levels that the schema does not list.
const unseen = "(unseen)"

// FromTable returns the grid of a table. Numbers, times and durations are float attributes, and categories are categorical
// attributes, with the levels in the order of the schema. The target is the class attribute. Groups and weights are left out. A gap
// is NaN in a float attribute, and the level "?" in a categorical attribute. Each level that the schema does not list becomes
// the level "(unseen)". The grid lists the attributes of a type together, as golearn does.
//
// It returns ErrParam for a nil table.
func FromTable(t *table.Table) (*base.DenseInstances, error) {
	if t == nil || t.Schema == nil || t.X == nil {
		return nil, fault.Param("grids: FromTable", "table", "nil", "one that was read")
	}
	var cols []gridtable.Column
	var values [][]float64
	add := func(c table.Column, cells []float64) {
		cols, values = append(cols, column(c, cells)), append(values, cells)
	}
	for _, c := range t.Schema.Columns {
		if c.Role == table.Feature {
			add(c, mat.Col(nil, len(cols), t.X))
		}
	}
	class := -1
	if c, _ := t.Schema.Target(); t.Targets != nil || t.Labels != nil {
		class = len(cols)
		cells := append([]float64(nil), t.Targets...)
		for _, label := range t.Labels {
			v := float64(label)
			if label < 0 {
				v = math.NaN()
			}
			cells = append(cells, v)
		}
		add(c, cells)
	}
	return gridtable.TableOf(cols, values, t.Rows(), class).Grid()
}

// column returns the attribute of a column, and replaces gaps and unseen levels in its cells by the codes of their levels.
func column(c table.Column, cells []float64) gridtable.Column {
	out := gridtable.Column{Name: c.Name, Kind: gridtable.FloatKind}
	if c.Kind != table.Category {
		for _, v := range cells {
			if v != math.Trunc(v) { // and not a gap
				out.Precision = gridtable.Decimals
			}
		}
		return out
	}
	out.Kind, out.Values = gridtable.CategoricalKind, append([]string(nil), c.Levels...)
	codes := map[string]float64{}
	code := func(text string) float64 {
		if _, ok := codes[text]; !ok {
			codes[text] = float64(len(out.Values))
			out.Values = append(out.Values, text)
		}
		return codes[text]
	}
	for i, v := range cells {
		switch {
		case math.IsNaN(v):
			cells[i] = code(gridtable.Missing)
		case v >= float64(len(c.Levels)):
			cells[i] = code(unseen)
		}
	}
	return out
}
