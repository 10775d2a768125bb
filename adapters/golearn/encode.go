package golearn

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/sjwhitworth/golearn/base"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// Inspection says how a fitted model reads a grid.
type Inspection struct {
	Rows int
	// Ignored names the attributes that Fit did not see, in the grid's order,
	// without class attributes.
	Ignored []string
	// Unseen counts, for each categorical feature that has any, the rows whose
	// category the training rows did not hold. All of the feature's columns are 0
	// in such a row.
	Unseen map[string]int
}

// encoder turns grids into the matrix that an estimator or a transformer sees.
type encoder struct {
	Columns      []column // of a categorical feature: the categories seen in training
	AllowMissing bool     // NaN and infinities are left to what comes next
	// Fills, where it is set, has a number for each of Columns, which takes the place
	// of a NaN in it.
	Fills []float64 `cbor:",omitempty"`
}

// gaps says what becomes of a NaN in a feature.
type gaps int

const (
	refuseGaps gaps = iota
	allowGaps
	imputeGaps
)

func gapsOf(allow, impute bool) (gaps, error) {
	switch {
	case allow && impute:
		return 0, fault.Param("input", "AllowMissing and Impute", "both set", "one of them")
	case allow:
		return allowGaps, nil
	case impute:
		return imputeGaps, nil
	}
	return refuseGaps, nil
}

// newEncoder learns the columns of a training grid and returns its matrix.
func newEncoder(grid base.FixedDataGrid, class string, noOneHot bool, missing gaps) (_ *encoder, _ *mat.Dense, err error) {
	defer guard("reading the grid", &err)
	attrs := featureAttributes(grid)
	cols, err := featureColumns(attrs, class)
	if err != nil {
		return nil, nil, err
	}
	if _, rows := grid.Size(); rows < 1 {
		return nil, nil, fault.Shape("the grid has", rows, "rows", "want at least 1")
	}
	readers, err := bind(grid, attrs)
	if err != nil {
		return nil, nil, err
	}
	for j, c := range cols {
		if c.Kind != categoricalKind {
			continue
		}
		if noOneHot {
			return nil, nil, fault.Param("input", "feature", strconv.Quote(c.Name)+", which is categorical", "float or binary features only, or NoOneHot = false")
		}
		if cols[j].Values, err = present(&readers[j]); err != nil {
			return nil, nil, err
		}
	}
	e := &encoder{Columns: cols, AllowMissing: missing != refuseGaps}
	x, err := e.fill(readers, nil)
	if err == nil && missing == imputeGaps {
		e.AllowMissing = false
		e.Fills, err = impute(cols, x)
	}
	return e, x, err
}

// impute puts the mean of each float column of x in place of its NaN, 0 where the
// column has no number, and returns what it put for each of cols.
func impute(cols []column, x *mat.Dense) ([]float64, error) {
	rows, _ := x.Dims()
	fills := make([]float64, len(cols))
	at := 0
	for j, c := range cols {
		if c.Kind == floatKind {
			there := 0
			for i := range rows {
				switch v := x.At(i, at); {
				case math.IsInf(v, 0):
					return nil, notFinite(c.Name, i, v)
				case !math.IsNaN(v):
					there++
				}
			}
			for i := range rows {
				// Divided first: the sum of large numbers may be infinite.
				if v := x.At(i, at); !math.IsNaN(v) {
					fills[j] += v / float64(there)
				}
			}
			for i := range rows {
				if math.IsNaN(x.At(i, at)) {
					x.Set(i, at, fills[j])
				}
			}
		}
		at += c.width()
	}
	return fills, nil
}

// present returns the categories that occur, in the order of their indices.
func present(c *cells) ([]string, error) {
	if err := c.hold(); err != nil {
		return nil, err
	}
	seen := make([]bool, len(c.column.Values))
	for i := range c.rows {
		k, err := c.category(i)
		if err != nil {
			return nil, err
		}
		seen[k] = true
	}
	var out []string
	for k, v := range c.column.Values {
		if seen[k] {
			out = append(out, v)
		}
	}
	return out, nil
}

// encode returns the matrix of a grid, or nil if it has no rows.
func (e *encoder) encode(grid base.FixedDataGrid) (*mat.Dense, error) {
	x, _, err := e.inspect(grid)
	return x, err
}

func (e *encoder) inspect(grid base.FixedDataGrid) (_ *mat.Dense, _ Inspection, err error) {
	defer guard("reading the grid", &err)
	readers, ignored, err := match(grid, e.Columns)
	if err != nil {
		return nil, Inspection{}, err
	}
	_, rows := grid.Size()
	report := Inspection{Rows: rows, Ignored: ignored, Unseen: map[string]int{}}
	if rows < 1 {
		return nil, report, nil
	}
	x, err := e.fill(readers, report.Unseen)
	return x, report, err
}

// match finds the attributes of a grid that have the names and types of cols.
func match(grid base.FixedDataGrid, cols []column) (_ []cells, ignored []string, err error) {
	all, class := grid.AllAttributes(), grid.AllClassAttributes()
	byName := make(map[string][]base.Attribute, len(all))
	for _, a := range all {
		byName[a.GetName()] = append(byName[a.GetName()], a)
	}
	wanted := make(map[string]bool, len(cols))
	attrs := make([]base.Attribute, len(cols))
	for j, c := range cols {
		wanted[c.Name] = true
		found := ""
		for _, a := range byName[c.Name] {
			got, err := columnOf(a)
			if err != nil {
				return nil, nil, err
			}
			if got.Kind == c.Kind {
				attrs[j] = a
				break
			}
			found = got.Kind.String()
		}
		switch {
		case attrs[j] != nil:
		case found != "":
			return nil, nil, fault.Param("input", "attribute", fmt.Sprintf("%q of type %s", c.Name, found), fmt.Sprintf("%v, as in training", c.Kind))
		default:
			return nil, nil, fault.Shape(fmt.Sprintf("the feature %q is missing: the grid has", c.Name), len(all), "attributes", "fitted on %d features", len(cols))
		}
	}
	for _, a := range all {
		if !wanted[a.GetName()] && !slices.ContainsFunc(class, a.Equals) {
			ignored = append(ignored, a.GetName())
		}
	}
	readers, err := bind(grid, attrs)
	return readers, ignored, err
}

// planned is one attribute of the plan that fill runs through for each row.
type planned struct {
	*cells
	index int   // among the encoder's columns
	at    int   // the first matrix column
	codes []int // grid's category -> ours, -1 for one that training did not hold
}

func (e *encoder) fill(readers []cells, unseen map[string]int) (*mat.Dense, error) {
	plan := make([]planned, len(readers))
	width := 0
	for j := range readers {
		plan[j] = planned{cells: &readers[j], index: j, at: width}
		if c := e.Columns[j]; c.Kind == categoricalKind {
			plan[j].codes = recode(readers[j].column.Values, c.Values)
		}
		width += e.Columns[j].width()
	}
	rows := readers[0].rows
	if err := checkSize(rows, e.Columns); err != nil {
		return nil, err
	}
	x := mat.NewDense(rows, width, nil)
	for i := range rows {
		row := x.RawRowView(i)
		for j := range plan {
			p := &plan[j]
			switch p.column.Kind {
			case floatKind:
				b, err := p.bits(i)
				if err != nil {
					return nil, err
				}
				v := math.Float64frombits(b)
				if e.Fills != nil && math.IsNaN(v) {
					v = e.Fills[p.index]
				}
				if v-v != 0 && !e.AllowMissing {
					return nil, notFinite(p.column.Name, i, v)
				}
				row[p.at] = v
			case binaryKind:
				b, err := p.bits(i)
				if err != nil {
					return nil, err
				}
				row[p.at] = float64(b)
			case categoricalKind:
				k, err := p.category(i)
				if err != nil {
					return nil, err
				}
				if code := p.codes[k]; code >= 0 {
					row[p.at+code] = 1
				} else if unseen != nil {
					unseen[p.column.Name]++
				}
			}
		}
	}
	return x, nil
}

// MaxMatrixBytes is the size of the largest matrix that is made of a grid. A column
// of names or numbers of things, one-hot encoded, soon asks for more.
const MaxMatrixBytes = 8 << 30

func checkSize(rows int, cols []column) error {
	width, widest := 0, column{}
	for _, c := range cols {
		width += c.width()
		if c.width() > widest.width() || widest.Kind == 0 {
			widest = c
		}
	}
	bytes := int64(rows) * int64(width) * cellSize
	if bytes <= MaxMatrixBytes {
		return nil
	}
	hint := ""
	if widest.Kind == categoricalKind {
		hint = fmt.Sprintf("the feature %q has %d categories: leave it out", widest.Name, len(widest.Values))
	}
	return &fault.TooLargeError{What: fmt.Sprintf("a matrix of %d rows and %d columns", rows, width), Bytes: bytes, Limit: MaxMatrixBytes, Hint: hint}
}

// recode maps indices into from to indices into to, by text.
func recode(from, to []string) []int {
	index := make(map[string]int, len(to))
	for i, v := range to {
		index[v] = i
	}
	out := make([]int, len(from))
	for i, v := range from {
		out[i] = -1
		if k, ok := index[v]; ok {
			out[i] = k
		}
	}
	return out
}

// explain names the attribute where an estimator or a transformer, which knows
// columns by number only, met a NaN or an infinity in x.
func (e *encoder) explain(err error) error {
	var nf *fault.NotFiniteError
	all := expanded(e.Columns)
	if !errors.As(err, &nf) || nf.Col < 0 || nf.Col >= len(all) {
		return err
	}
	return fmt.Errorf("attribute %q, row %d: %w", all[nf.Col], nf.Row, err)
}

func (e *encoder) validate() error {
	if len(e.Columns) == 0 {
		return errors.New("no feature")
	}
	if e.Fills != nil && (len(e.Fills) != len(e.Columns) || e.AllowMissing) {
		return fmt.Errorf("%d numbers for the gaps of %d features", len(e.Fills), len(e.Columns))
	}
	for j, v := range e.Fills {
		if v-v != 0 {
			return fmt.Errorf("the gaps of %q filled with %v", e.Columns[j].Name, v)
		}
	}
	for _, c := range e.Columns {
		if err := c.validate(); err != nil {
			return err
		}
		if c.width() == 0 {
			return fmt.Errorf("the feature %q has no category", c.Name)
		}
	}
	if n, ok := duplicate(names(e.Columns)); ok {
		return fmt.Errorf("the feature %q twice", n)
	}
	return nil
}
