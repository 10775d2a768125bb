package transformers

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
)

const (
	oneHotName = "transformers: OneHot"
	oneHotKind = "transformers.OneHot"
)

// defaultMaxCategories is the limit of a OneHot whose MaxCategories is 0.
const defaultMaxCategories = 1000

// Drop says which categories of a OneHot get no column.
type Drop int

// What is dropped.
const (
	DropNone   Drop = iota // each category has a column
	DropBinary             // of two categories the first has none
	DropFirst              // the first has none: no column is the sum of others
)

// OneHot replaces a column of category codes by a column for each category that Fit
// saw in it, 1 in the rows of that category and 0 elsewhere. The new columns stand
// where the old one stood, the categories ascending. A category that Fit did not
// see is 0 in all of them, which with a Drop is how the dropped one looks. Columns that are not encoded stay as they are.
//
// A column with more than MaxCategories values is ErrTooLarge: it is not likely to
// be a category, and would become as many columns.
//
// The zero value encodes every column. Fit costs O(nd log n), Transform O(n) for
// each new column.
type OneHot struct {
	Columns []int // the positions of the columns to encode, ascending; nil: all
	Drop    Drop
	// Gaps makes NaN a category of its own, after all others, where Fit sees it.
	// Without it NaN is ErrNotFinite in every column; with it in those that are not
	// encoded.
	Gaps          bool
	MaxCategories int // in a column; 0: 1000

	fitted *oneHotModel
}

type oneHotModel struct {
	Width   int
	Gaps    bool
	Columns []int          // that are encoded
	Values  []codec.Floats // their categories that have a column, ascending; NaN last
}

var (
	_ Transformer = (*OneHot)(nil)
	_ Cloner      = (*OneHot)(nil)
)

// Fit takes the categories of x (n×d).
func (o *OneHot) Fit(ctx context.Context, x mat.Matrix) error {
	if o.Drop < DropNone || o.Drop > DropFirst {
		return fault.Param(oneHotName, "Drop", int(o.Drop), "DropNone, DropBinary or DropFirst")
	}
	limit := o.MaxCategories
	if limit == 0 {
		limit = defaultMaxCategories
	}
	if limit < 1 {
		return fault.Param(oneHotName, "MaxCategories", o.MaxCategories, ">= 1, or 0 for the default")
	}
	in, err := oneHotInput(x, o.Gaps)
	if err != nil {
		return err
	}
	_, d := in.Dims()
	m := &oneHotModel{Width: d, Gaps: o.Gaps, Columns: slices.Clone(o.Columns)}
	if o.Columns == nil {
		for j := range d {
			m.Columns = append(m.Columns, j)
		}
	}
	if validColumns(m.Columns, d) != nil {
		return fault.Param(oneHotName, "Columns", o.Columns, fmt.Sprintf("ascending and in [0, %d), the columns of x", d))
	}
	if err := m.finiteElsewhere(in); err != nil {
		return err
	}
	n, _ := in.Dims()
	column := make([]float64, n)
	for _, j := range m.Columns {
		if err := ctx.Err(); err != nil {
			return err
		}
		values := categories(mat.Col(column, j, in))
		if len(values) > limit {
			return fmt.Errorf("%s: column %d has %d categories, limit %d: leave it out of Columns if it is a number, or raise MaxCategories: %w",
				oneHotName, j, len(values), limit, fault.ErrTooLarge)
		}
		if o.Drop == DropFirst || o.Drop == DropBinary && len(values) == 2 {
			values = values[1:]
		}
		m.Values = append(m.Values, values)
	}
	if m.width() == 0 {
		return fault.Shape(oneHotName+": the result has", 0, "columns", "want at least 1: a category is dropped from every column")
	}
	o.fitted = m
	return ctx.Err()
}

func oneHotInput(x mat.Matrix, gaps bool) (*mat.Dense, error) {
	if gaps {
		return check.DenseGaps("x", x)
	}
	return check.Dense("x", x)
}

// finiteElsewhere returns an error for a NaN in a column that is not encoded.
func (m *oneHotModel) finiteElsewhere(x *mat.Dense) error {
	if !m.Gaps {
		return nil // there is none
	}
	n, _ := x.Dims()
	for i := range n {
		for j, v := range x.RawRowView(i) {
			if math.IsNaN(v) && !slices.Contains(m.Columns, j) {
				return &fault.NotFiniteError{Name: "x", Row: i, Col: j, Value: v}
			}
		}
	}
	return nil
}

// categories returns the distinct values, ascending, NaN at the end. It sorts v.
func categories(v []float64) codec.Floats {
	gaps := slices.ContainsFunc(v, math.IsNaN)
	v = slices.DeleteFunc(v, math.IsNaN)
	slices.Sort(v)
	out := slices.Clone(codec.Floats(slices.Compact(v)))
	if gaps {
		out = append(out, math.NaN())
	}
	return out
}

// width is the number of columns of the result.
func (m *oneHotModel) width() int {
	w := m.Width - len(m.Columns)
	for _, v := range m.Values {
		w += len(v)
	}
	return w
}

// Transform returns the encoded rows of x (m×d).
func (o *OneHot) Transform(x mat.Matrix) (*mat.Dense, error) {
	return transformed(o.TransformTo, x)
}

// TransformTo implements TransformerTo.
func (o *OneHot) TransformTo(dst *mat.Dense, x mat.Matrix) error {
	m := o.fitted
	if m == nil {
		return fault.NotFitted(oneHotName)
	}
	in, err := oneHotInput(x, m.Gaps)
	if err != nil {
		return err
	}
	if err := check.Columns("x", in, m.Width); err != nil {
		return err
	}
	if err := m.finiteElsewhere(in); err != nil {
		return err
	}
	n, _ := in.Dims()
	if err := fits(dst, n, m.width()); err != nil {
		return err
	}
	for i := range n {
		row := dst.RawRowView(i)
		clear(row)
		to, next := 0, 0
		for j, v := range in.RawRowView(i) {
			if next == len(m.Columns) || m.Columns[next] != j {
				row[to] = v
				to++
				continue
			}
			if at := position(m.Values[next], v); at >= 0 {
				row[to+at] = 1
			}
			to += len(m.Values[next])
			next++
		}
	}
	return nil
}

// position returns the place of a category, -1 for one that has no column.
func position(values codec.Floats, v float64) int {
	last := len(values) - 1
	if math.IsNaN(v) {
		if last >= 0 && math.IsNaN(values[last]) {
			return last
		}
		return -1
	}
	if last >= 0 && math.IsNaN(values[last]) {
		values = values[:last]
	}
	if at, ok := slices.BinarySearch(values, v); ok {
		return at
	}
	return -1
}

// Encoded is the column of a result of OneHot.
type Encoded struct {
	Column   int     // of x
	Category float64 // NaN for gaps; 0 where Copied
	Copied   bool    // the column of x as it is
}

// Encoding returns what each column of a result stands for, or nil before Fit.
func (o *OneHot) Encoding() []Encoded {
	m := o.fitted
	if m == nil {
		return nil
	}
	out := make([]Encoded, 0, m.width())
	next := 0
	for j := range m.Width {
		if next == len(m.Columns) || m.Columns[next] != j {
			out = append(out, Encoded{Column: j, Copied: true})
			continue
		}
		for _, v := range m.Values[next] {
			out = append(out, Encoded{Column: j, Category: v})
		}
		next++
	}
	return out
}

// Clone returns an unfitted OneHot of the same configuration.
func (o *OneHot) Clone() Transformer {
	return &OneHot{Columns: slices.Clone(o.Columns), Drop: o.Drop, Gaps: o.Gaps, MaxCategories: o.MaxCategories}
}

// MarshalBinary implements encoding.BinaryMarshaler. It is ErrNotFitted before
// Fit.
func (o *OneHot) MarshalBinary() ([]byte, error) {
	return marshal(oneHotName, oneHotKind, o.fitted)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. Its errors are
// ErrBadModel and leave o as it was.
func (o *OneHot) UnmarshalBinary(data []byte) error {
	return unmarshal(data, oneHotKind, &o.fitted, (*oneHotModel).valid)
}

func (m *oneHotModel) valid() error {
	if m.Width < 1 || len(m.Values) != len(m.Columns) {
		return fmt.Errorf("categories of %d columns for %d of %d", len(m.Values), len(m.Columns), m.Width)
	}
	if err := validColumns(m.Columns, m.Width); err != nil {
		return err
	}
	for i, values := range m.Values {
		if n := len(values); n > 0 && math.IsNaN(values[n-1]) && m.Gaps {
			values = values[:n-1]
		}
		for k, v := range values {
			if v-v != 0 || k > 0 && v <= values[k-1] {
				return fmt.Errorf("categories of column %d are not finite or not ascending", m.Columns[i])
			}
		}
	}
	if m.width() < 1 {
		return fmt.Errorf("no column")
	}
	return nil
}
