package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Table holds rows in the form that estimators accept, and the cells from which they were read.
type Table struct {
	Schema *Schema
	// X is the matrix (n×d), with a column for each feature. It contains numbers, times in seconds since 1970, the codes of
	// categories, and NaN for gaps. The code of a level that the schema does not list is the number of levels.
	X       *mat.Dense
	Targets []float64 // the n targets of a regression, with NaN for a gap in rows read with a Schema; nil if there is no target column
	Labels  []int     // of a Classification: n, -1 for a gap or a class that the Schema does not list; nil without the column
	Groups  []int     // n numbers from 0, or nil
	Weights []float64 // n, or nil
	// Unseen maps the name of a category to the number of rows whose level is missing from the Schema. Categories without such rows
	// are omitted.
	Unseen map[string]int
	// Ignored lists the columns of the input that the Schema does not have.
	Ignored []string

	input *intake // nil if the original cells are not known
	rows  []int   // rows of the input; nil: all
}

// Rows returns the number of rows.
func (t *Table) Rows() int {
	n, _ := t.X.Dims()
	return n
}

// Subset returns a table of the rows with the given indices, such as those of a fold. The schema stays the same. It returns
// ErrShape for no rows, or ErrParam for an index out of range.
func (t *Table) Subset(rows []int) (*Table, error) {
	if len(rows) == 0 {
		return nil, fault.Shape("table: Subset: there are", 0, "rows", "want at least 1")
	}
	n, d := t.X.Dims()
	out := &Table{Schema: t.Schema, X: mat.NewDense(len(rows), d, nil), Unseen: map[string]int{}, Ignored: t.Ignored, input: t.input}
	for i, row := range rows {
		if row < 0 || row >= n {
			return nil, fault.Param("table: Subset", fmt.Sprintf("rows[%d]", i), row, fmt.Sprintf("0 to %d", n-1))
		}
		out.X.SetRow(i, t.X.RawRowView(row))
		if out.rows = append(out.rows, row); t.rows != nil {
			out.rows[i] = t.rows[row]
		}
	}
	out.Targets, out.Labels = chosen(t.Targets, rows), chosen(t.Labels, rows)
	out.Groups, out.Weights = chosen(t.Groups, rows), chosen(t.Weights, rows)
	for j, k := range featureColumns(t.Schema) {
		c := t.Schema.Columns[k]
		for i := range rows {
			if c.Kind == Category && out.X.At(i, j) == float64(len(c.Levels)) {
				out.Unseen[c.Name]++
			}
		}
	}
	return out, nil
}

func chosen[T any](of []T, rows []int) (out []T) {
	if of == nil {
		return nil
	}
	for _, i := range rows {
		out = append(out, of[i])
	}
	return out
}

// featureColumns returns the indices of the features among the columns of a schema.
func featureColumns(s *Schema) (out []int) {
	for k, c := range s.Columns {
		if c.Role == Feature {
			out = append(out, k)
		}
	}
	return out
}

// readBy returns a table of the same rows, read with another schema.
func (t *Table) readBy(s *Schema) (*Table, error) {
	if t.Schema == s || t.Schema != nil && t.Schema.sameFeatures(s) {
		return t, nil
	}
	if t.input == nil {
		return nil, fault.Param("table", "Schema", "another", "the model's, by Options.Schema")
	}
	in := *t.input
	in.options = Options{Schema: s, Format: in.options.Format}
	if err := in.checkPresent(); err != nil {
		return nil, err
	}
	out, err := in.encode(s, false)
	if err != nil || t.rows == nil {
		return out, err
	}
	return out.Subset(t.rows)
}

// table returns the table of all rows.
func (t *intake) table() (*Table, error) {
	if t.rows == 0 {
		return nil, noRows(t.input)
	}
	s := t.options.Schema
	if s == nil {
		var err error
		if s, err = t.learn(t.surveyed(t.surveys()), (*Cells).gaps); err != nil {
			return nil, err
		}
	}
	return t.encode(s, true)
}

// encode reads the rows with a schema: the features, and all other columns if all is true.
func (t *intake) encode(s *Schema, all bool) (*Table, error) {
	features := featureColumns(s)
	if err := check.Numbers(fmt.Sprintf("%s: a matrix of %d rows and %d columns", t.input, t.rows, len(features)),
		float64(t.rows)*float64(len(features)), "read it in Blocks"); err != nil {
		return nil, err
	}
	out := &Table{Schema: s, X: mat.NewDense(t.rows, len(features), nil), Unseen: map[string]int{}, input: t}
	byName := make(map[string]*Cells, len(t.columns))
	for _, c := range t.columns {
		byName[c.name] = c
	}
	known := make(map[string]bool, len(s.Columns))
	column := 0
	for _, c := range s.Columns {
		known[c.Name] = true
		in := byName[c.Name]
		var err error
		switch {
		case in == nil || in.unread:
		case c.Role == Feature:
			err = t.encodeFeature(out, column, c, in)
			column++
		case all:
			err = t.encodeOther(out, c, in)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, c := range t.columns {
		if !known[c.name] {
			out.Ignored = append(out.Ignored, c.name)
		}
	}
	return out, nil
}

// encodeOther reads a column that is not a feature. Groups and weights may be missing in rows that are read with a schema.
func (t *intake) encodeOther(out *Table, c Column, in *Cells) (err error) {
	switch c.Role {
	case Target:
		return t.encodeTarget(out, c, in)
	case Group:
		out.Groups, err = t.encodeGroups(in)
	case Weight:
		out.Weights, err = t.encodeWeights(in)
	}
	if t.options.Schema != nil {
		return nil
	}
	return err
}

// encodeFeature writes the cells of a feature to its column of the matrix.
func (t *intake) encodeFeature(out *Table, column int, c Column, in *Cells) error {
	raw := out.X.RawMatrix()
	unseen, err := t.values(c, in, raw.Data[column:], raw.Stride)
	if unseen > 0 {
		out.Unseen[c.Name] = unseen
	}
	return err
}

// values writes the numbers of a column to out[0], out[stride] and so on, with NaN for gaps. It returns the number of rows with
// unknown levels.
func (t *intake) values(c Column, in *Cells, out []float64, stride int) (unseen int, err error) {
	d := newDecoder(c, t.options.Format)
	if c.Kind == Category {
		return d.codesOf(in, out, stride), nil
	}
	for i, k := range in.kinds {
		v, ok := d.number(k, in.values[i])
		if out[i*stride] = v; ok {
			continue
		}
		if math.IsInf(v, 0) {
			return 0, &CellError{i + 1, c.Name, fmt.Errorf("%s: column %q: %w", t.place(i), c.Name, celltext.TooLarge(in.textOf(i)))}
		}
		return 0, t.wrong(in, i, d.name()+", as in the rows that the schema was learnt from")
	}
	if err := in.stats.Numeric(t.input, c.Name, t.options.Format.RoundIntegers, ", or Format.RoundIntegers"); err != nil {
		return 0, &CellError{0, c.Name, err}
	}
	return 0, nil
}

// codesOf writes the codes of a column of categories, and returns the number of rows with unknown levels.
func (d *decoder) codesOf(in *Cells, out []float64, stride int) (unseen int) {
	for i, k := range in.kinds {
		if k == celltext.Gap {
			out[i*stride] = math.NaN()
			continue
		}
		code := d.code(in.textOf(i))
		if code == len(d.Levels) {
			unseen++
		}
		out[i*stride] = float64(code)
	}
	return unseen
}

// encodeTarget sets Targets or Labels. It returns an error for a gap, unless the rows are read with a schema.
func (t *intake) encodeTarget(out *Table, c Column, in *Cells) error {
	values := make([]float64, t.rows)
	if _, err := t.values(c, in, values, 1); err != nil {
		return err
	}
	if i := slices.IndexFunc(values, math.IsNaN); i >= 0 && t.options.Schema == nil {
		return t.wrong(in, i, "a target in each row")
	}
	if out.Schema.Task == Regression {
		out.Targets = values
		return nil
	}
	out.Labels = make([]int, len(values))
	for i, v := range values {
		if out.Labels[i] = -1; v < float64(len(c.Levels)) { // and not a gap
			out.Labels[i] = int(v)
		}
	}
	return nil
}

// encodeGroups returns a number for the text of each row, in the order in which the texts first occur.
func (t *intake) encodeGroups(in *Cells) ([]int, error) {
	codes, out := map[string]int{}, make([]int, t.rows)
	for i, k := range in.kinds {
		if k == celltext.Gap {
			return nil, t.wrong(in, i, "a group in each row")
		}
		text := in.textOf(i)
		code, ok := codes[text]
		if !ok {
			code = len(codes)
			codes[text] = code
		}
		out[i] = code
	}
	return out, nil
}

func (t *intake) encodeWeights(in *Cells) ([]float64, error) {
	out := make([]float64, t.rows)
	for i, v := range in.values {
		if out[i] = v; !finite(v) || v <= 0 || !fits(in.kinds[i], celltext.Numbers) {
			return nil, t.wrong(in, i, "a weight > 0 in each row")
		}
	}
	return out, nil
}

// written returns the columns that WriteCSV writes: their names, and a function that returns the original text of a cell.
func (t *Table) written() (names []string, cell func(row, column int) string) {
	if t.input == nil {
		return t.Schema.Names(), func(row, column int) string {
			if v := t.X.At(row, column); !math.IsNaN(v) {
				return strconv.FormatFloat(v, 'f', -1, 64)
			}
			return ""
		}
	}
	var columns []*Cells
	for _, c := range t.input.columns {
		if !c.unread {
			columns, names = append(columns, c), append(names, c.name)
		}
	}
	return names, func(row, column int) string {
		if t.rows != nil {
			row = t.rows[row]
		}
		return columns[column].textOf(row)
	}
}
