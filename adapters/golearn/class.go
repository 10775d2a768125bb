package golearn

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// missingCategory is the category that ReadCSV gives a missing categorical cell.
// As a class it stands for none: Fit refuses it, and names the row.
const missingCategory = "?"

// classes ties the labels 0 to K-1 that an estimator sees to a class attribute.
type classes struct {
	Column  column
	Present []int // label -> index of the class in the attribute, ascending
}

// names returns the classes' texts, in the order of the estimator's labels.
func (c *classes) names() []string {
	out := make([]string, len(c.Present))
	for i, k := range c.Present {
		out[i] = c.Column.label(k)
	}
	return out
}

// values returns the cells of the class column that stand for labels.
func (c *classes) values(labels []int) ([]float64, error) {
	out := make([]float64, len(labels))
	for i, label := range labels {
		if label < 0 || label >= len(c.Present) {
			return nil, fault.Param("Estimator", fmt.Sprintf("prediction for row %d", i), label, fmt.Sprintf("one of its %d classes, from 0", len(c.Present)))
		}
		out[i] = float64(c.Present[label])
	}
	return out, nil
}

func (c *classes) validate() error {
	if err := c.Column.validate(); err != nil {
		return err
	}
	size := max(c.Column.categories(), 2) // a float class is of 0 and 1
	if len(c.Present) == 0 {
		return fmt.Errorf("no class")
	}
	for i, k := range c.Present {
		if k < 0 || k >= size || (i > 0 && k <= c.Present[i-1]) {
			return fmt.Errorf("class %d is number %d of %d", i, k, size)
		}
	}
	return nil
}

// labels reads the class column as labels from 0.
func (t *table) labels() (*classes, []int, error) {
	class := &t.classes[0]
	values, err := t.read(class)
	if err != nil {
		return nil, nil, err
	}
	out := &classes{Column: class.column.owned()}
	index := make([]int, t.n)
	for i, v := range values {
		if err := checkClass(out.Column, i, v); err != nil {
			return nil, nil, err
		}
		index[i] = int(v)
	}
	out.Present = slices.Clone(index)
	slices.Sort(out.Present)
	out.Present = slices.Compact(out.Present)
	for i, k := range index {
		index[i], _ = slices.BinarySearch(out.Present, k)
	}
	return out, index, nil
}

// checkClass refuses a cell that is no class.
func checkClass(c column, row int, v float64) error {
	switch {
	case c.Kind == categoricalKind && c.Values[int(v)] == missingCategory:
		return fault.Param("input", fmt.Sprintf("class attribute %q, row %d", c.Name, row), missingCategory, "a class in every training row")
	case v == 0 || v == 1 || c.Kind != floatKind:
		return nil
	case v-v != 0:
		return notFinite(c.Name, row, v)
	}
	return fault.Param("input", fmt.Sprintf("class attribute %q, row %d", c.Name, row), v,
		"0 or 1 in a float class attribute; make it categorical for more classes, or use a Regressor")
}

// targets reads the class column as finite numbers.
func (t *table) targets() (column, []float64, error) {
	c := t.classes[0].column
	if c.Kind != floatKind {
		return column{}, nil, fault.Param("input", "class attribute", fmt.Sprintf("%q of type %v", c.Name, c.Kind), "a float attribute as the target")
	}
	y, err := t.read(&t.classes[0])
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

// weights returns a weight for each row of labels y: the factor of its class by name, and
// with balanced n/(K·the rows of its class) besides; nil where neither is asked for.
func (c *classes) weights(y []int, balanced bool, byName map[string]float64) ([]float64, error) {
	if !balanced && len(byName) == 0 {
		return nil, nil
	}
	labels := c.names()
	factor := make([]float64, len(labels))
	for k := range factor {
		factor[k] = 1
	}
	for name, w := range byName {
		k := slices.Index(labels, name)
		if k < 0 {
			return nil, fault.Param("input", "ClassWeights", strconv.Quote(name), "classes out of "+strings.Join(labels, ", "))
		}
		if !(w > 0) || math.IsInf(w, 1) {
			return nil, fault.Param("input", "ClassWeights["+strconv.Quote(name)+"]", w, "> 0 and finite")
		}
		factor[k] = w
	}
	if balanced {
		count := make([]float64, len(labels))
		for _, k := range y {
			count[k]++
		}
		for k := range factor {
			factor[k] *= float64(len(y)) / (float64(len(labels)) * count[k])
		}
	}
	out := make([]float64, len(y))
	for i, k := range y {
		out[i] = factor[k]
	}
	return out, nil
}
