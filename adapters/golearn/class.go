package golearn

import (
	"fmt"
	"math"
	"slices"

	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// MissingCategory is the category that ReadCSV gives a missing categorical cell.
// As a class it stands for none: Fit refuses it, and names the row.
const MissingCategory = "?"

// classes ties the labels 0 to K-1 that an estimator sees to a class attribute.
type classes struct {
	Column  column
	Present []int // label -> index of the class in the attribute, ascending
}

// labels returns the classes' texts, in the order of the estimator's labels.
func (c *classes) labels() []string {
	out := make([]string, len(c.Present))
	for i, k := range c.Present {
		out[i] = c.Column.label(k)
	}
	return out
}

func (c *classes) validate() error {
	if err := c.Column.validate(); err != nil {
		return err
	}
	size := 2
	if c.Column.Kind == categoricalKind {
		size = len(c.Column.Values)
	}
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

// readClasses reads the class column of a training grid as labels.
func readClasses(grid base.FixedDataGrid, class base.Attribute) (_ *classes, y []int, err error) {
	defer guard("reading the class", &err)
	readers, err := bind(grid, []base.Attribute{class})
	if err != nil {
		return nil, nil, err
	}
	r := &readers[0]
	y = make([]int, r.rows)
	seen := map[int]bool{}
	for i := range y {
		k, err := classIndex(r, i)
		if err != nil {
			return nil, nil, err
		}
		y[i] = k
		seen[k] = true
	}
	out := &classes{Column: r.column}
	for k := range seen {
		out.Present = append(out.Present, k)
	}
	slices.Sort(out.Present)
	for i, k := range y {
		y[i], _ = slices.BinarySearch(out.Present, k)
	}
	return out, y, nil
}

func classIndex(r *cells, row int) (int, error) {
	switch r.column.Kind {
	case categoricalKind:
		k, err := r.category(row)
		if err == nil && r.column.Values[k] == MissingCategory {
			err = fault.Param("input", fmt.Sprintf("class attribute %q, row %d", r.column.Name, row), MissingCategory, "a class in every training row")
		}
		return k, err
	case binaryKind:
		b, err := r.bits(row)
		return int(b), err
	}
	b, err := r.bits(row)
	if err != nil {
		return 0, err
	}
	switch v := math.Float64frombits(b); {
	case v == 0:
		return 0, nil
	case v == 1:
		return 1, nil
	case v-v != 0:
		return 0, notFinite(r.column.Name, row, v)
	default:
		return 0, fault.Param("input", fmt.Sprintf("class attribute %q, row %d", r.column.Name, row), v,
			"0 or 1 in a float class attribute; make it categorical for more classes, or use a Regressor")
	}
}

// readTargets reads the float class column of a training grid.
func readTargets(grid base.FixedDataGrid, class base.Attribute) (_ column, _ []float64, err error) {
	defer guard("reading the target", &err)
	readers, err := bind(grid, []base.Attribute{class})
	if err != nil {
		return column{}, nil, err
	}
	r := &readers[0]
	if r.column.Kind != floatKind {
		return column{}, nil, fault.Param("input", "class attribute", fmt.Sprintf("%q of type %v", r.column.Name, r.column.Kind), "a float attribute as the target")
	}
	y := make([]float64, r.rows)
	for i := range y {
		b, err := r.bits(i)
		if err != nil {
			return column{}, nil, err
		}
		y[i] = math.Float64frombits(b)
		if v := y[i]; v-v != 0 {
			return column{}, nil, notFinite(r.column.Name, i, v)
		}
	}
	return r.column, y, nil
}

// trainingGrid refuses what no Fit can use, and returns the class attribute.
func trainingGrid(grid base.FixedDataGrid) (_ base.Attribute, err error) {
	if grid == nil {
		return nil, fault.Param("input", "grid", nil, "a grid")
	}
	defer guard("reading the grid", &err)
	if _, rows := grid.Size(); rows < 1 {
		return nil, fault.Shape("the grid has", rows, "rows", "want at least 1")
	}
	return findClass(grid)
}
