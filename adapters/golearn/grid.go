package golearn

import (
	"fmt"
	"math"
	"strconv"

	"github.com/sjwhitworth/golearn/base"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// Matrix returns attributes of a grid as a matrix, a row for each row, and the
// names of its columns. A float attribute is one column, a binary one a column of
// 0 and 1, and a categorical one a column of 0 and 1 for each of its categories,
// named name=category, whether it occurs or not: grids that share their attributes
// give the same columns. Nil attrs are all but the class attributes, in the grid's
// order; others are looked up by name and type. NaN and infinities are kept. For
// a grid of no rows the matrix is empty.
//
// A *base.DenseInstances is read at about 5 ns a cell, other grids at the cost of
// their Get. Errors: ErrParam for an attribute that the grid does not have;
// ErrShape for no attributes.
func Matrix(grid base.FixedDataGrid, attrs []base.Attribute) (_ *mat.Dense, columns []string, err error) {
	if grid == nil {
		return nil, nil, fault.Param("golearn: Matrix", "grid", nil, "a grid")
	}
	defer guard("reading the grid", &err)
	if attrs == nil {
		attrs = featureAttributes(grid)
	}
	cols := make([]column, len(attrs))
	for i, a := range attrs {
		if cols[i], err = columnOf(a); err != nil {
			return nil, nil, err
		}
	}
	readers, _, err := match(grid, cols)
	if err != nil {
		return nil, nil, fmt.Errorf("golearn: Matrix: %w", err)
	}
	// The grid's own categories, where an attribute of another grid was given.
	for i := range cols {
		cols[i] = readers[i].column
	}
	columns = expanded(cols)
	if len(columns) == 0 {
		return nil, nil, fault.Shape("golearn: Matrix: the grid has", 0, "feature attributes", "want at least 1")
	}
	if _, rows := grid.Size(); rows == 0 {
		return &mat.Dense{}, columns, nil
	}
	x, err := (&encoder{Columns: cols, AllowMissing: true}).fill(readers, nil)
	return x, columns, err
}

// Labels returns the class of each row as an index into labels, the classes that
// occur, in the order of the class attribute's categories ("0" and "1" for a
// binary class, or a float one, which has to be 0 or 1). Errors: ErrShape for not
// one class attribute; ErrParam for a row without a class; ErrNotFinite.
func Labels(grid base.FixedDataGrid) (y []int, labels []string, err error) {
	class, err := classOf("Labels", grid)
	if err != nil {
		return nil, nil, err
	}
	c, y, err := readClasses(grid, class)
	if err != nil {
		return nil, nil, fmt.Errorf("golearn: Labels: %w", err)
	}
	return y, c.labels(), nil
}

// Targets returns the float class of each row. Errors: ErrShape for not one class
// attribute; ErrParam for one of another type; ErrNotFinite for a NaN or an
// infinity.
func Targets(grid base.FixedDataGrid) ([]float64, error) {
	class, err := classOf("Targets", grid)
	if err != nil {
		return nil, err
	}
	_, y, err := readTargets(grid, class)
	if err != nil {
		return nil, fmt.Errorf("golearn: Targets: %w", err)
	}
	return y, nil
}

func classOf(function string, grid base.FixedDataGrid) (_ base.Attribute, err error) {
	if grid == nil {
		return nil, fault.Param("golearn: "+function, "grid", nil, "a grid")
	}
	defer guard("reading the grid", &err)
	class, err := findClass(grid)
	if err != nil {
		return nil, fmt.Errorf("golearn: %s: %w", function, err)
	}
	return class, nil
}

// GridPrecision is the number of decimals that golearn prints of the cells of a
// grid made of a matrix; the cells themselves are float64.
const GridPrecision = 6

// FeatureGrid makes a grid without a class attribute of the columns of x, as float
// attributes called names; nil names are x0, x1 and so on. It costs about 5 ns a
// cell. Errors: ErrShape for an empty x or another number of names; ErrParam for a
// name that comes twice.
func FeatureGrid(x mat.Matrix, names []string) (*base.DenseInstances, error) {
	return makeGrid("FeatureGrid", x, names, nil)
}

// LabelledGrid is FeatureGrid with a categorical class attribute called class. Its
// categories are those of labels, one for each row of x, in the order in which they
// first occur.
func LabelledGrid(x mat.Matrix, names []string, class string, labels []string) (*base.DenseInstances, error) {
	cls := &classCells{column: column{Name: class, Kind: categoricalKind}, bits: make([]uint64, len(labels))}
	index := map[string]int{}
	for i, l := range labels {
		k, ok := index[l]
		if !ok {
			k = len(index)
			index[l] = k
			cls.column.Values = append(cls.column.Values, l)
		}
		cls.bits[i] = uint64(k)
	}
	return makeGrid("LabelledGrid", x, names, cls)
}

// TargetGrid is FeatureGrid with a float class attribute called target, which
// holds y, one number for each row of x.
func TargetGrid(x mat.Matrix, names []string, target string, y []float64) (*base.DenseInstances, error) {
	return makeGrid("TargetGrid", x, names, &classCells{
		column: column{Name: target, Kind: floatKind, Precision: GridPrecision},
		bits:   floatBits(y),
	})
}

func makeGrid(function string, x mat.Matrix, list []string, cls *classCells) (*base.DenseInstances, error) {
	if d, isDense := x.(*mat.Dense); x == nil || (isDense && d == nil) {
		return nil, fault.Param("golearn: "+function, "x", nil, "a matrix")
	}
	rows, width := x.Dims()
	if rows < 1 || width < 1 {
		return nil, fault.Shape(fmt.Sprintf("golearn: %s: x has %d rows and", function, rows), width, "columns", "want at least 1 of each")
	}
	if list == nil {
		for j := range width {
			list = append(list, "x"+strconv.Itoa(j))
		}
	}
	if len(list) != width {
		return nil, fault.Shape("golearn: "+function+": there are", len(list), "names", "x has %d columns", width)
	}
	all := append([]string(nil), list...)
	if cls != nil {
		if len(cls.bits) != rows {
			return nil, fault.Shape("golearn: "+function+": the class has", len(cls.bits), "entries", "x has %d rows", rows)
		}
		all = append(all, cls.column.Name)
	}
	if n, ok := duplicate(all); ok {
		return nil, fault.Param("golearn: "+function, "names", strconv.Quote(n)+" twice", "each once")
	}
	cols := make([]column, width)
	for j, n := range list {
		cols[j] = column{Name: n, Kind: floatKind, Precision: GridPrecision}
	}
	dense, ok := x.(*mat.Dense)
	if !ok {
		dense = mat.DenseCopyOf(x)
	}
	return gridOf(dense, cols, cls)
}

// copyRows makes a dense grid of some rows of another, with the same attributes
// (the same pointers, so that golearn filters trained on the one work on the other).
func copyRows(attrs []base.Attribute, readers []cells, class []base.Attribute, rows []int) (*base.DenseInstances, error) {
	out := base.NewDenseInstances()
	specs := make([]base.AttributeSpec, len(attrs))
	for j, a := range attrs {
		specs[j] = out.AddAttribute(a)
	}
	for _, a := range class {
		if err := out.AddClassAttribute(a); err != nil {
			return nil, err
		}
	}
	if err := out.Extend(len(rows)); err != nil {
		return nil, err
	}
	bits := make([]uint64, len(rows))
	for j := range readers {
		for i, r := range rows {
			b, err := readers[j].bits(r)
			if err != nil {
				return nil, err
			}
			bits[i] = b
		}
		writeCells(out, specs[j], readers[j].column.Kind, bits)
	}
	return out, nil
}

// cellKey tells the classes of rows apart, whatever the type of the class.
func cellKey(k kind, bits uint64) uint64 {
	if k == floatKind && math.Float64frombits(bits) == 0 {
		return 0 // -0 and 0 are one class
	}
	return bits
}
