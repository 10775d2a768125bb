package golearn

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// missingCategory is the category that ReadCSV gives a missing categorical cell.
// As a class it stands for none: Fit refuses it, and names the row.
const missingCategory = "?"

// texts returns what golearn prints of the classes present, which are indices into the
// class attribute c.
func texts(c column, present []int) []string {
	out := make([]string, len(present))
	for i, k := range present {
		out[i] = c.label(k)
	}
	return out
}

// checkPresent checks what was read from a file.
func checkPresent(c column, present []int) error {
	size := c.categories()
	if c.Kind == floatKind {
		size = 2 // 0 and 1
	}
	for i, k := range present {
		if k < 0 || k >= size || (i > 0 && k <= present[i-1]) {
			return fault.BadModel(classifierKind, "class %d is number %d of %d", i, k, size)
		}
	}
	if len(present) == 0 {
		return fault.BadModel(classifierKind, "no class")
	}
	return nil
}

// labels reads the class column as labels from 0, each of which stands for the index in
// the attribute that present has.
func (t *gridTable) labels() (class column, present, y []int, err error) {
	class = t.classes[0].column.owned()
	values, err := t.values(&t.classes[0])
	if err != nil {
		return column{}, nil, nil, err
	}
	index := make([]int, t.n)
	for i, v := range values {
		if err := checkClass(class, i, v); err != nil {
			return column{}, nil, nil, err
		}
		index[i] = int(v)
	}
	present = classes.Distinct(index)
	return class, present, classes.Positions(present, index), nil
}

// checkClass refuses a cell that is no class.
func checkClass(c column, row int, v float64) error {
	switch {
	case c.Kind == categoricalKind && c.Values[int(v)] == missingCategory:
		return fault.Param("input", fmt.Sprintf("class attribute %q, row %d", c.Name, row), missingCategory,
			"a class in every training row; a class that is written as - or ? is one where CSVOptions.Missing lists other gaps")
	case v == 0 || v == 1 || c.Kind != floatKind:
		return nil
	case v-v != 0:
		return notFinite(c.Name, row, v)
	}
	return fault.Param("input", fmt.Sprintf("class attribute %q, row %d", c.Name, row), v,
		"0 or 1 in a float class attribute; make it categorical for more classes, or use a Regressor")
}

// targets reads the class column as finite numbers.
func (t *gridTable) targets() (column, []float64, error) {
	c := t.classes[0].column
	if c.Kind != floatKind {
		return column{}, nil, fault.Param("input", "class attribute", fmt.Sprintf("%q of type %v", c.Name, c.Kind),
			"a float attribute as the target")
	}
	y, err := t.values(&t.classes[0])
	if err != nil {
		return column{}, nil, err
	}
	for i, v := range y {
		if v-v != 0 {
			return column{}, nil, notFinite(c.Name, i, v)
		}
	}
	return c, y, nil
}

// weigh returns a weight for each row of labels y, which are positions in names, and nil
// where all are 1.
func weigh(names []string, y []int, balanced bool, byName map[string]float64) ([]float64, error) {
	w := classes.Weights{Balanced: balanced, Of: make(map[int]float64, len(byName))}
	for name, v := range byName {
		k := slices.Index(names, name)
		if k < 0 {
			return nil, fault.Param("input", "ClassWeights", strconv.Quote(name), "classes out of "+strings.Join(names, ", "))
		}
		if !(v > 0) || math.IsInf(v, 1) {
			return nil, fault.Param("input", "ClassWeights["+strconv.Quote(name)+"]", v, "> 0 and finite")
		}
		w.Of[k] = v
	}
	return w.Rows(upTo(len(names)), y, nil), nil
}

// upTo returns 0 to n-1.
func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
