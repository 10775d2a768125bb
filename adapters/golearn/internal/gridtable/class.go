package gridtable

import (
	"fmt"

	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Missing is the level of a missing categorical cell in a grid of ReadCSV. As a class it is a gap: Fit rejects it, and names the
// row.
const Missing = "?"

// ClassTexts returns the printed texts of the classes of c whose indices are in present.
func ClassTexts(c Column, present []int) []string {
	out := make([]string, len(present))
	for i, k := range present {
		out[i] = c.label(k)
	}
	return out
}

// Labels reads the class column as labels from 0. The class with label k has index present[k] in the attribute.
func (t *Table) Labels() (class Column, present, y []int, err error) {
	class = t.Classes[0].Column.Owned()
	values, err := t.Values(&t.Classes[0])
	if err != nil {
		return Column{}, nil, nil, err
	}
	index := make([]int, t.Rows)
	for i, v := range values {
		if err := checkClass(class, i, v); err != nil {
			return Column{}, nil, nil, err
		}
		index[i] = int(v)
	}
	present = classes.Distinct(index)
	return class, present, classes.Positions(present, index), nil
}

// checkClass returns an error if a cell does not hold a class.
func checkClass(c Column, row int, v float64) error {
	switch {
	case c.Kind == CategoricalKind && c.Values[int(v)] == Missing:
		return fault.Param("input", fmt.Sprintf("class attribute %q, row %d", c.Name, row), Missing,
			"a class in every training row; a class that is written as - or ? is one where Format.Missing lists other gaps")
	case v == 0 || v == 1 || c.Kind != FloatKind:
		return nil
	case v-v != 0:
		return NotFinite(c.Name, row, v)
	}
	return fault.Param("input", fmt.Sprintf("class attribute %q, row %d", c.Name, row), v,
		"0 or 1 in a float class attribute; make it categorical for more classes, or use a Regressor")
}

// Targets reads the class column as finite numbers.
func (t *Table) Targets() (Column, []float64, error) {
	c := t.Classes[0].Column
	if c.Kind != FloatKind {
		return Column{}, nil, fault.Param("input", "class attribute", fmt.Sprintf("%q of type %v", c.Name, c.Kind),
			"a float attribute as the target")
	}
	y, err := t.Values(&t.Classes[0])
	if err != nil {
		return Column{}, nil, err
	}
	for i, v := range y {
		if v-v != 0 {
			return Column{}, nil, NotFinite(c.Name, i, v)
		}
	}
	return c, y, nil
}
