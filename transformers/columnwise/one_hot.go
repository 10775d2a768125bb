package columnwise

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/enum"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers/internal/columnstats"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
)

const oneHotName = "columnwise: OneHot"

// defaultMaxLevels is the limit for a OneHot whose MaxLevels is 0.
const defaultMaxLevels = 1000

// Drop selects the levels for which a [OneHot] has no column.
type Drop int

// The possible values of Drop.
const (
	// DropNone gives each level a column.
	DropNone Drop = iota
	// DropBinary omits the column of the first level if there are two.
	DropBinary
	// DropFirst omits the column of the first level, so that no column is a linear combination of others.
	DropFirst
)

// String returns the constant's name.
func (d Drop) String() string {
	return enum.Name("Drop", int(d), "DropNone", "DropBinary", "DropFirst")
}

// OneHot replaces a column of category codes by a column for each level in the training rows, which is 1 in the rows of that
// level and 0 elsewhere. The new columns take the place of the old one, with the levels ascending. If a level is missing
// from the training rows, or if [Drop] omits it, all its columns are 0. Columns that are not encoded are not changed.
//
// For a column with more than MaxLevels values the error is ErrTooLarge. Such a column is unlikely to be a category, and would
// become as many columns.
//
// The zero value encodes every column. Fit costs O(nd log n), Transform O(n) for each new column.
//
// See also [Imputer].
type OneHot struct {
	// Columns lists the positions of the columns to encode, ascending. If it is nil, all are encoded.
	Columns []int
	Drop    Drop

	// Gaps makes NaN a separate level, after all others, in encoded columns where Fit finds it. In columns that are not encoded,
	// NaN is an ErrNotFinite error. Without Gaps, this holds for every column.
	Gaps bool

	// MaxLevels is the largest number of levels in a column. If it is 0, 1000 is used.
	MaxLevels int `zero:"1000"`

	// If Sparse is set, the following steps and the estimator of a pipeline receive sparse rows (package sparse): even if a column
	// has thousands of levels, each row has only one entry for it. Transform returns a dense matrix in any case.
	Sparse bool

	learned[oneHotModel]
}

type oneHotModel struct {
	Width   int
	Gaps    bool
	Columns []int          // the encoded columns
	Values  []codec.Floats // their levels that have a column, in ascending order, NaN last
}

// Fit finds the levels of x (n×d).
func (o *OneHot) Fit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	m, limit, gap, err := o.configured()
	if err != nil {
		return err
	}
	return o.state.Learn(ctx, x, gap, func(x *mat.Dense) (*oneHotModel, error) {
		n, d := x.Dims()
		if err := o.choose(m, d); err != nil {
			return nil, err
		}
		column := make([]float64, n)
		for _, j := range m.Columns {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := o.encode(m, j, levels(mat.Col(column, j, x)), limit); err != nil {
				return nil, err
			}
		}
		return m, m.checkColumns()
	})
}

// FitBlocks implements [streaming.BlockFitter]. It reads the stream once, and the result is the same as with Fit.
func (o *OneHot) FitBlocks(ctx context.Context, blocks iter.Seq2[streaming.Block[streaming.None], error]) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	m, limit, gap, err := o.configured()
	if err != nil {
		return err
	}
	return o.state.LearnBlocks(ctx, blocks, gap, func(rows *rowmap.Stream) (*oneHotModel, error) {
		var found []levelCounts
		err := rows.Pass(ctx, func(x *mat.Dense) error {
			if found == nil {
				if err := o.choose(m, rows.D); err != nil {
					return err
				}
				found = newSeen(len(m.Columns))
			}
			for k, j := range m.Columns {
				if err := found[k].add(x, j, limit); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		for k, j := range m.Columns {
			if err := o.encode(m, j, found[k].levels(), limit); err != nil {
				return nil, err
			}
		}
		return m, m.checkColumns()
	})
}

func (o *OneHot) statistics() (st *columnstats.Statistics[*columnstats.Categories], m *oneHotModel, limit int, err error) {
	m, limit, gap, err := o.configured()
	if err != nil {
		return nil, nil, 0, err
	}
	read := func(j int) bool { return o.Columns == nil || slices.Contains(m.Columns, j) }
	return &columnstats.Statistics[*columnstats.Categories]{
		Type: oneHotName, Settings: fmt.Sprintf("(Columns %v, Gaps %v, MaxLevels %d)", o.Columns, o.Gaps, limit), Gap: gap,
		Start: func(d int) error { return o.choose(&oneHotModel{Columns: slices.Clone(o.Columns)}, d) },
		Fresh: func(j int) *columnstats.Categories { return columnstats.NewCategories(limit, read(j)) },
	}, m, limit, nil
}

// NewStatistics implements [streaming.StatisticsFitter]. The statistics hold the levels of the columns, without gaps, up to
// MaxLevels in each. If there are more, AddBlock and Merge return ErrTooLarge.
func (o *OneHot) NewStatistics() (streaming.Statistics[streaming.None], error) {
	st, _, _, err := o.statistics()
	if err != nil {
		return nil, err
	}
	return st, nil
}

// FitStatistics implements [streaming.StatisticsFitter]. The result is the same as with Fit.
func (o *OneHot) FitStatistics(ctx context.Context, st streaming.Statistics[streaming.None]) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	fresh, m, limit, err := o.statistics()
	if err != nil {
		return err
	}
	return columnstats.Learn(ctx, &o.state, st, fresh, func(st *columnstats.Statistics[*columnstats.Categories]) (*oneHotModel, error) {
		if err := o.choose(m, len(st.Columns)); err != nil {
			return nil, err
		}
		for _, j := range m.Columns {
			if err := o.encode(m, j, st.Columns[j].List(), limit); err != nil {
				return nil, err
			}
		}
		return m, m.checkColumns()
	})
}

// PartialFit implements [transformers.PartialFitter].
func (o *OneHot) PartialFit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	return o.state.PartialFit(ctx, x, o)
}

// MarshalStatistics implements estimators.Continuer.
func (o *OneHot) MarshalStatistics() ([]byte, error) { return o.state.MarshalStatistics() }

// UnmarshalStatistics implements estimators.Continuer.
func (o *OneHot) UnmarshalStatistics(data []byte) error { return o.state.UnmarshalStatistics(o, data) }

// configured returns a model without levels, their limit, and a function that reports for a column whether NaN is allowed.
func (o *OneHot) configured() (m *oneHotModel, limit int, gap func(int) bool, err error) {
	if err := settings.Check(oneHotName, o); err != nil {
		return nil, 0, nil, err
	}
	limit = cmp.Or(o.MaxLevels, defaultMaxLevels)
	m = &oneHotModel{Gaps: o.Gaps, Columns: slices.Clone(o.Columns)}
	gap = m.HasGap
	if o.Columns == nil {
		gap = func(int) bool { return o.Gaps }
	}
	return m, limit, gap, nil
}

// mostColumns bounds the width of the rows. A file contains no data for columns that are copied, but Encoding describes each of
// them.
const mostColumns = 1 << 20

// choose selects which of the d columns are encoded.
func (o *OneHot) choose(m *oneHotModel, d int) error {
	if d > mostColumns {
		return fmt.Errorf("%s: x has %d columns, limit %d: %w", oneHotName, d, mostColumns, fault.ErrTooLarge)
	}
	m.Width = d
	if o.Columns == nil {
		for j := range d {
			m.Columns = append(m.Columns, j)
		}
	}
	if validColumns(m.Columns, d) != nil {
		return fault.Param(oneHotName, "Columns", o.Columns, fmt.Sprintf("ascending and in [0, %d), the columns of x", d))
	}
	return nil
}

// encode stores the levels of column j in m.
func (o *OneHot) encode(m *oneHotModel, j int, values codec.Floats, limit int) error {
	if len(values) > limit {
		return tooMany(j, fmt.Sprint(len(values)), limit)
	}
	if o.Drop == DropFirst || o.Drop == DropBinary && len(values) == 2 {
		values = values[1:]
	}
	m.Values = append(m.Values, values)
	return nil
}

func tooMany(j int, count string, limit int) error {
	return fmt.Errorf("%s: column %d has %s levels, limit %d: leave it out of Columns if it is a number, or raise MaxLevels: %w",
		oneHotName, j, count, limit, fault.ErrTooLarge)
}

// checkColumns returns an error if the model has no column.
func (m *oneHotModel) checkColumns() error {
	if m.width() == 0 {
		return fault.Shape(oneHotName+": the result has", 0, "columns", "want at least 1: a level is dropped from every column")
	}
	return nil
}

// levelCounts collects the distinct levels of a column.
type levelCounts struct {
	values map[float64]bool
	gaps   bool
}

func newSeen(columns int) []levelCounts {
	out := make([]levelCounts, columns)
	for k := range out {
		out[k].values = map[float64]bool{}
	}
	return out
}

// add adds the levels of column j of x, until there are more than the limit.
func (s *levelCounts) add(x *mat.Dense, j, limit int) error {
	n, _ := x.Dims()
	for i := range n {
		v := x.At(i, j)
		if math.IsNaN(v) {
			s.gaps = true
			continue
		}
		if s.values[v] {
			continue
		}
		if s.values[v] = true; len(s.values) > limit {
			return tooMany(j, fmt.Sprintf("more than %d", limit), limit)
		}
	}
	return nil
}

func (s *levelCounts) levels() codec.Floats {
	out := make([]float64, 0, len(s.values)+1)
	for v := range s.values {
		out = append(out, v)
	}
	if s.gaps {
		out = append(out, math.NaN())
	}
	return levels(out)
}

// levels returns the distinct values in ascending order, with NaN at the end. It sorts v.
func levels(v []float64) codec.Floats {
	gaps := slices.ContainsFunc(v, math.IsNaN)
	v = slices.DeleteFunc(v, math.IsNaN)
	slices.Sort(v)
	out := slices.Clone(codec.Floats(slices.Compact(v)))
	if gaps {
		out = append(out, math.NaN())
	}
	return out
}

// width returns the number of columns of the result.
func (m oneHotModel) width() int {
	w := m.Width - len(m.Columns)
	for _, v := range m.Values {
		w += len(v)
	}
	return w
}

func (oneHotModel) TypeName() string { return oneHotName }

func (m oneHotModel) Widths() (from, to int) { return m.Width, m.width() }

func (m oneHotModel) HasGap(column int) bool { return m.Gaps && slices.Contains(m.Columns, column) }

func (m oneHotModel) MapRow(dst, x []float64) {
	clear(dst)
	m.eachEntry(x, func(j int, v float64) { dst[j] = v })
}

// eachEntry calls f with the positions of the nonzero values in a row of the result, in ascending order, and with the values.
func (m oneHotModel) eachEntry(x []float64, f func(j int, v float64)) {
	to, next := 0, 0
	for j, v := range x {
		if next == len(m.Columns) || m.Columns[next] != j {
			f(to, v)
			to++
			continue
		}
		if at := position(m.Values[next], v); at >= 0 {
			f(to+at, 1)
		}
		to += len(m.Values[next])
		next++
	}
}

// position returns the index of a level, or -1 if it has no column.
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

// Encoded describes a column in the result of [OneHot].
type Encoded struct {
	// Column is the position of the column in x.
	Column int

	// Level is the level. It is NaN for gaps, and 0 if Copied is set.
	Level float64

	// Copied is set if the column of x was copied unchanged.
	Copied bool
}

// Encoding describes each column of the result. It returns nil before Fit.
func (o *OneHot) Encoding() []Encoded {
	m := o.state.Fitted
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
			out = append(out, Encoded{Column: j, Level: v})
		}
		next++
	}
	return out
}

// validLevels returns an error if the levels of a column are invalid.
func validLevels(values codec.Floats, gaps bool) error {
	if n := len(values); n > 0 && math.IsNaN(values[n-1]) && gaps {
		values = values[:n-1]
	}
	for k, v := range values {
		if v-v != 0 || k > 0 && v <= values[k-1] {
			return fmt.Errorf("levels that are not finite or not ascending")
		}
	}
	return nil
}

func (m oneHotModel) Validate() error {
	if m.Width < 1 || m.Width > mostColumns || len(m.Values) != len(m.Columns) {
		return fmt.Errorf("levels of %d columns for %d of %d", len(m.Values), len(m.Columns), m.Width)
	}
	if err := validColumns(m.Columns, m.Width); err != nil {
		return err
	}
	for i, values := range m.Values {
		if err := validLevels(values, m.Gaps); err != nil {
			return fmt.Errorf("column %d: %w", m.Columns[i], err)
		}
	}
	if m.width() < 1 {
		return fmt.Errorf("no column")
	}
	return nil
}

func (m oneHotModel) BuildGraph(x graph.Value) (graph.Value, error) {
	var parts []graph.Value
	var copied []int
	flush := func() {
		if len(copied) > 0 {
			parts, copied = append(parts, x.Select(copied...)), nil
		}
	}
	next := 0
	for j := range m.Width {
		if next == len(m.Columns) || m.Columns[next] != j {
			copied = append(copied, j)
			continue
		}
		values := m.Values[next]
		next++
		if len(values) == 0 {
			continue
		}
		flush()
		column := x.Select(j)
		gap := math.IsNaN(values[len(values)-1])
		if gap {
			values = values[:len(values)-1]
		}
		if len(values) > 0 {
			parts = append(parts, column.Equal(x.Row(values)).Indicator())
		}
		if gap {
			parts = append(parts, column.IsNaN().Indicator())
		}
	}
	flush()
	return graph.Concat(parts...), nil
}

// ColumnNames returns the names of x, with name=level for each level of an encoded column. Package inspection reads this
// form.
func (m oneHotModel) ColumnNames(in []string) []string {
	var out []string
	next := 0
	for j, name := range in {
		if next == len(m.Columns) || m.Columns[next] != j {
			out = append(out, name)
			continue
		}
		for _, v := range m.Values[next] {
			level := "missing"
			if !math.IsNaN(v) {
				level = strconv.FormatFloat(v, 'g', -1, 64)
			}
			out = append(out, name+"="+level)
		}
		next++
	}
	return out
}
