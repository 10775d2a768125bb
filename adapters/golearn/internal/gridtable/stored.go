package gridtable

import (
	"fmt"
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/codec"
)

// Stored is the file form of a table with one class. It holds copies of the cells.
type Stored struct {
	Columns []Column
	Cells   []codec.Floats // for each of Columns
	Class   Column
	Labels  codec.Floats
}

func (t *Table) Store() Stored {
	out := Stored{Columns: t.Columns(), Class: t.Classes[0].Column, Labels: t.Classes[0].Numbers}
	for _, c := range t.Features {
		out.Cells = append(out.Cells, c.Numbers)
	}
	return out
}

func (in *Stored) Table() (*Table, error) {
	if len(in.Columns) == 0 || len(in.Columns) != len(in.Cells) || len(in.Labels) == 0 {
		return nil, fmt.Errorf("%d attributes, %d columns of cells, %d rows", len(in.Columns), len(in.Cells), len(in.Labels))
	}
	all := append(slices.Clone(in.Columns), in.Class)
	if n, ok := celltext.Duplicate(Names(all)); ok {
		return nil, fmt.Errorf("the attribute %q twice", n)
	}
	values := make([][]float64, len(all))
	for j, c := range all {
		values[j] = in.Labels
		if j < len(in.Cells) {
			values[j] = in.Cells[j]
		}
		if err := c.Validate(); err != nil {
			return nil, err
		}
		if len(values[j]) != len(in.Labels) {
			return nil, fmt.Errorf("attribute %q has %d cells for %d rows", c.Name, len(values[j]), len(in.Labels))
		}
		for i, v := range values[j] {
			if k := c.Categories(); k > 0 && !(v >= 0 && v < float64(k) && v == math.Trunc(v)) || c.Kind == CategoricalKind && k == 0 {
				return nil, fmt.Errorf("attribute %q, row %d: no such category: %v", c.Name, i, v)
			}
		}
	}
	return TableOf(all, values, len(in.Labels), len(in.Columns)), nil
}
