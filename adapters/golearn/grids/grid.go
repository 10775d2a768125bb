package grids

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/sjwhitworth/golearn/base"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Matrix returns attributes of a grid as a matrix, with a row for each row of the grid, and the names of its columns. A float
// attribute is one column, and a binary attribute a column of 0 and 1. A categorical attribute becomes a column of 0 and 1 for each
// of its levels, named name=level. This includes levels that do not occur, so that grids with the same attributes have
// the same columns. If attrs is nil, all attributes except the classes are used, in the grid's order. Otherwise attributes are
// matched by name and type. NaN and infinities are kept. For a grid without rows the matrix is empty.
//
// Reading a *base.DenseInstances takes about 5 ns per cell. For other grids, each cell costs a call of Get. Matrix returns ErrParam
// for an attribute that the grid lacks, or whose name occurs twice in it, and ErrShape for no attributes.
func Matrix(grid base.FixedDataGrid, attrs []base.Attribute) (x *mat.Dense, columns []string, err error) {
	defer addName("Matrix", &err)
	t, err := gridtable.Read(grid)
	if err != nil {
		return nil, nil, err
	}
	cols := t.Columns()
	if attrs != nil {
		cols = make([]gridtable.Column, len(attrs))
		for i, a := range attrs {
			cols[i] = gridtable.Describe(a)
		}
	}
	named := t.ByName()
	for _, c := range cols {
		if len(named[c.Name]) > 1 {
			return nil, nil, fault.Param("input", "attribute names", strconv.Quote(c.Name)+" twice",
				"each once: attributes are matched by name")
		}
	}
	if t, err = t.Find(cols); err != nil {
		return nil, nil, err
	}
	if len(cols) == 0 {
		return nil, nil, fault.Shape("the grid has", 0, "feature attributes", "want at least 1")
	}
	// The grid determines the levels, even if attrs are attributes of another grid.
	e := gridtable.Encoder{Columns: t.Columns()}
	if t.Rows == 0 {
		return &mat.Dense{}, gridtable.MatrixNames(e.Columns), nil
	}
	if x, err = e.Matrix(t); err != nil {
		return nil, nil, err
	}
	return x, gridtable.MatrixNames(e.Columns), nil
}

// addName prefixes an error with the name of the function that returns it.
func addName(function string, err *error) {
	if *err != nil {
		*err = fmt.Errorf("grids: %s: %w", function, *err)
	}
}

// Labels returns the class of each row as an index into labels, and labels itself: the classes that occur, in the order of the
// class attribute's levels. They are "0" and "1" for a binary class, or for a float class, which must be 0 or 1. Labels returns
// ErrShape unless there is exactly one class attribute, ErrParam for a row without a class, or ErrNotFinite.
func Labels(grid base.FixedDataGrid) (y []int, labels []string, err error) {
	defer addName("Labels", &err)
	t, err := gridtable.ReadLabelled(grid)
	if err != nil {
		return nil, nil, err
	}
	class, present, y, err := t.Labels()
	if err != nil {
		return nil, nil, err
	}
	return y, gridtable.ClassTexts(class, present), nil
}

// Targets returns the float class of each row. It returns ErrShape unless there is exactly one class attribute, ErrParam for a
// class attribute of another type, or ErrNotFinite for a NaN or an infinity.
func Targets(grid base.FixedDataGrid) (y []float64, err error) {
	defer addName("Targets", &err)
	_, y, err = gridtable.ReadTargets(grid)
	return y, err
}

// FeatureGrid returns a grid of the columns of x without a class attribute. The columns are float attributes with the given names.
// If names is nil, they are called x0, x1 and so on. It takes about 5 ns a cell. It returns ErrShape for an empty x or the wrong
// number of names, or ErrParam for a name that occurs twice.
func FeatureGrid(x mat.Matrix, names []string) (*base.DenseInstances, error) {
	return makeGrid("FeatureGrid", x, names)
}

// LabelledGrid is like FeatureGrid, but adds a categorical class attribute, whose name is class. It holds labels, one for each row
// of x. Its levels are in the order of their first occurrence.
func LabelledGrid(x mat.Matrix, names []string, class string, labels []string) (*base.DenseInstances, error) {
	values, categories := coded(labels)
	return makeGrid("LabelledGrid", x, names,
		gridtable.NewCells(gridtable.Column{Name: class, Kind: gridtable.CategoricalKind, Values: categories}, values))
}

// coded returns a number for each text, and the texts in the order of their first occurrence. The number is the index of the text
// in that order.
func coded(texts []string) (values []float64, categories []string) {
	values = make([]float64, len(texts))
	index := map[string]int{}
	for i, v := range texts {
		k, ok := index[v]
		if !ok {
			k = len(index)
			index[v] = k
			categories = append(categories, v)
		}
		values[i] = float64(k)
	}
	return values, categories
}

// TargetGrid is like FeatureGrid, but adds a float class attribute, whose name is target. It holds y, one number for each row of x.
func TargetGrid(x mat.Matrix, names []string, target string, y []float64) (*base.DenseInstances, error) {
	return makeGrid("TargetGrid", x, names,
		gridtable.NewCells(gridtable.Column{Name: target, Kind: gridtable.FloatKind, Precision: gridtable.Decimals}, y))
}

func makeGrid(function string, x mat.Matrix, list []string, class ...gridtable.Cells) (*base.DenseInstances, error) {
	if d, isDense := x.(*mat.Dense); x == nil || (isDense && d == nil) {
		return nil, fault.Param("grids: "+function, "x", nil, "a matrix")
	}
	rows, width := x.Dims()
	if rows < 1 || width < 1 {
		return nil, fault.Shape(fmt.Sprintf("grids: %s: x has %d rows and", function, rows), width, "columns", "want at least 1 of each")
	}
	if list == nil {
		for j := range width {
			list = append(list, "x"+strconv.Itoa(j))
		}
	}
	if len(list) != width {
		return nil, fault.Shape("grids: "+function+": there are", len(list), "names", "x has %d columns", width)
	}
	all := slices.Clone(list)
	for _, c := range class {
		if len(c.Numbers) != rows {
			return nil, fault.Shape("grids: "+function+": the class has", len(c.Numbers), "entries", "x has %d rows", rows)
		}
		all = append(all, c.Column.Name)
	}
	if n, ok := celltext.Duplicate(all); ok {
		return nil, fault.Param("grids: "+function, "names", strconv.Quote(n)+" twice", "each once")
	}
	cols := make([]gridtable.Column, width)
	for j, n := range list {
		cols[j] = gridtable.Column{Name: n, Kind: gridtable.FloatKind, Precision: gridtable.Decimals}
	}
	dense, ok := x.(*mat.Dense)
	if !ok {
		dense = mat.DenseCopyOf(x)
	}
	t := gridtable.TableOfMatrix(dense, cols)
	t.Classes = class
	return t.Grid()
}
