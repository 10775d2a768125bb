package table

import (
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/modelfile"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection"
)

// valued is a Reader of values that are in memory.
type valued struct {
	columns []Column
	rows    [][]any
	at      int
	opened  *int
}

func (v *valued) Columns() []Column { return v.columns }

func (v *valued) Next(_ context.Context, to []*Cells, most int) (n int, err error) {
	if v.at == len(v.rows) {
		return 0, io.EOF
	}
	for ; n < min(most, 2) && v.at < len(v.rows); n++ {
		for j, c := range to {
			if c == nil {
				continue
			}
			if x, ok := v.rows[v.at][j].(float64); ok {
				c.AppendNumbers([]float64{x})
			} else if err := c.Append(v.rows[v.at][j]); err != nil {
				return 0, err
			}
		}
		v.at++
	}
	return n, nil
}

func (v *valued) Close() error {
	*v.opened--
	return nil
}

// valuesOf returns a source of values. It counts in opened how often the source is opened.
func valuesOf(opened *int, columns []Column, rows ...[]any) Source {
	return Source{Name: "values", Read: func(context.Context) (Reader, error) {
		*opened++
		return &valued{columns: columns, rows: rows, opened: opened}, nil
	}}
}

// kindsOf returns the columns of a schema without their notes.
func kindsOf(s *Schema) (out []Column) {
	for _, c := range s.Columns {
		c.Note = ""
		out = append(out, c)
	}
	return out
}

// If values from a Reader are joined with a CSV file whose columns have another order, the schema and the matrix are the same as
// for the texts of all rows in one file.
func TestSourceOfValues(t *testing.T) {
	ctx, opened := context.Background(), 0
	day := time.Date(1970, 1, 2, 0, 0, 0, 0, time.UTC)
	columns := []Column{{Name: "x"}, {Name: "word", Kind: Text}, {Name: "when"}, {Name: "on"}, {Name: "took", Kind: Duration},
		{Name: "list", Role: LeftOut, Note: "of the type list"}, {Name: "y"}}
	values := valuesOf(&opened, columns,
		[]any{1.5, "7", day, true, 2.5, nil, 10.},
		[]any{math.NaN(), "b", nil, false, nil, nil, 20.},
		[]any{int64(3), "NA", day.Add(time.Hour), nil, 1., nil, 30.})
	text := source("y,on,word,x,more,took,when", "40,true,b,1e6,?,3,1970-01-01")
	joined := Join(values, text)
	want := []Column{{Name: "x", Kind: Number, Gaps: 1}, {Name: "word", Kind: Category, Levels: []string{"7", "b"}, Gaps: 1},
		{Name: "when", Kind: Time, Gaps: 1}, {Name: "on", Kind: Category, Levels: []string{"false", "true"}, Gaps: 1},
		{Name: "took", Kind: Duration, Gaps: 1}, {Name: "list", Role: LeftOut, Kind: Text}, {Name: "y", Role: Target, Kind: Number}}
	all, err := joined.Table(ctx, &Options{Target: "y"})
	require.NoError(t, err)
	assert.Equal(t, want, kindsOf(all.Schema))
	assert.Equal(t, "of the type list", all.Schema.Columns[5].Note)
	learnt, err := joined.Learn(ctx, &Options{Target: "y"})
	require.NoError(t, err)
	assert.Equal(t, all.Schema, learnt)
	assert.Equal(t, []float64{10, 20, 30, 40}, all.Targets)
	x := []float64{1.5, 0, 86400, 1, 2.5, math.NaN(), 1, math.NaN(), 0, math.NaN(), 3, math.NaN(), 90000, math.NaN(), 1, 1e6, 1, 0, 1, 3}
	for i, v := range x {
		assert.Equal(t, math.Float64bits(v), math.Float64bits(all.X.RawMatrix().Data[i]), "cell %d is %v", i, all.X.RawMatrix().Data[i])
	}
	for _, rows := range []int{1, 3, 4, 10} {
		var y, got []float64
		for b, err := range Blocks[float64](ctx, joined, learnt, rows) {
			require.NoError(t, err)
			y, got = append(y, b.Y...), append(got, b.X.RawMatrix().Data...)
		}
		assert.Equal(t, all.Targets, y)
		assert.Len(t, got, len(x))
	}
	assert.Zero(t, opened, "all readers are closed")
	var out strings.Builder
	require.NoError(t, all.WriteCSV(&out, nil))
	assert.Equal(t, "x,word,when,on,took,y\n1.5,7,1970-01-02T00:00:00Z,true,2.5,10\n,b,,false,,20\n3,NA,1970-01-02T01:00:00Z,,1,30\n1e6,b,1970-01-01,true,3,40\n",
		out.String())
}

func TestErrorsOfSources(t *testing.T) {
	ctx, opened := context.Background(), 0
	columns := []Column{{Name: "x"}, {Name: "y"}}
	for want, s := range map[string]Source{
		"Open and Read": {},
		`f.csv: column = "x", which is missing, want all columns of values`:    Join(valuesOf(&opened, columns, []any{1., 2.}), source("y,z", "1,2")),
		"values:2: column \"y\" = a []int":                                     valuesOf(&opened, columns, []any{1., 2.}, []any{1., []int{1}}),
		"values:2: column \"x\": +Inf exceeds the range of float64":            valuesOf(&opened, columns, []any{1., 2.}, []any{math.Inf(1), 1.}),
		"values:1: column \"x\" = \"\\xff\", want UTF-8":                       valuesOf(&opened, columns, []any{"\xff", 2.}),
		"values: column \"y\" = of the type list, want numbers, times or text": valuesOf(&opened, []Column{{Name: "x"}, {Name: "y", Role: LeftOut, Note: "of the type list"}}, []any{1., nil}),
	} {
		_, err := s.Table(ctx, &Options{Target: "y"})
		assert.ErrorContains(t, err, want)
	}
	assert.Zero(t, opened)
	s := &Schema{Columns: []Column{{Name: "x", Kind: Number}}}
	for _, c := range []struct {
		place string
		parts []Source
	}{
		{"f.csv:3", []Source{valuesOf(&opened, columns, []any{1., 2.}, []any{3., 4.}), source("y,x", "1,2", "3,z")}},
		{"values:2", []Source{source("y,x", "1,2", "", "3,4"), valuesOf(&opened, columns, []any{1., 2.}, []any{"z", 4.})}},
	} {
		_, err := Join(c.parts...).Table(ctx, &Options{Schema: s})
		assert.ErrorContains(t, err, c.place+`: column "x" = "z"`)
	}
	for rows, err := range valuesOf(&opened, columns).Tables(ctx, s, 0) {
		require.Fail(t, "no tables of no rows", "%v, %v", rows, err)
	}
	for _, err := range valuesOf(&opened, columns, []any{1., "not read"}).Tables(ctx, s, -1) {
		assert.ErrorIs(t, err, estimators.ErrParam)
	}
	for rows, err := range Join(valuesOf(&opened, columns, []any{1., "not read"}), source("x", "2", "z")).Tables(ctx, s, 2) {
		if err != nil {
			assert.ErrorContains(t, err, `f.csv:3: column "x" = "z", want a number`)
			break
		}
		assert.Equal(t, []float64{1, 2}, rows.X.RawMatrix().Data)
	}
}

// miscounting is a Reader that omits a cell, which is an error.
type miscounting struct{ valued }

func (m *miscounting) Next(_ context.Context, to []*Cells, _ int) (int, error) {
	to[0].AppendNumbers([]float64{1, 2})
	to[1].AppendNumbers([]float64{1})
	return 2, nil
}

func TestReaderThatMiscounts(t *testing.T) {
	opened := 1
	s := Source{Name: "own", Read: func(context.Context) (Reader, error) {
		return &miscounting{valued{columns: []Column{{Name: "x"}, {Name: "y"}}, opened: &opened}}, nil
	}}
	_, err := s.Table(context.Background(), nil)
	require.ErrorIs(t, err, estimators.ErrShape)
	assert.ErrorContains(t, err, `own:2: column "y" has 1 cells, the reader counts 2 rows`)
	assert.Zero(t, opened)
}

// The last column is the target if no target is named.
func TestTargetLast(t *testing.T) {
	lines := []string{"a,b,c", "1,2.5,3", "2,3.5,4", "5,6.5,7"}
	for want, o := range map[string]Options{
		"c": {TargetLast: true}, "b": {TargetLast: true, Drop: []string{"c"}}, "a": {TargetLast: true, Target: "a"},
	} {
		got, ok := parsed(t, &o, lines...).Schema.Target()
		assert.True(t, ok)
		assert.Equal(t, want, got.Name)
	}
}

// An Encoder returns the numbers of the matrix, cell by cell.
func TestEncoder(t *testing.T) {
	rows := parsed(t, &Options{Target: "price"}, houses...)
	e, err := rows.Schema.Encoder()
	require.NoError(t, err)
	for i, line := range houses[1:] {
		j := 0
		for k, text := range strings.Split(line, ",") {
			if rows.Schema.Columns[k].Role != Feature {
				continue
			}
			for _, encode := range []func() (float64, error){
				func() (float64, error) { return e.Text(k, text) },
				func() (float64, error) { return e.Value(k, text) },
			} {
				v, err := encode()
				require.NoError(t, err)
				assert.Equal(t, math.Float64bits(rows.X.At(i, j)), math.Float64bits(v), "line %d, column %d", i, k)
			}
			j++
		}
	}
	s := &Schema{Columns: []Column{{Name: "n", Kind: Number}, {Name: "t", Kind: Time}, {Name: "c", Kind: Category, Levels: []string{"True", "z\u00fc"}}},
		Format: Format{Latin1: true}}
	e, err = s.Encoder()
	require.NoError(t, err)
	for _, c := range []struct {
		column int
		value  any
		want   float64
	}{{0, true, 1}, {0, 7, 7}, {1, time.Unix(60, 0), 60}, {2, true, 0}, {2, "z\u00fc", 1}, {2, "other", 2}} {
		v, err := e.Value(c.column, c.value)
		require.NoError(t, err)
		assert.Equal(t, c.want, v, c.value)
	}
	v, err := e.Text(2, "z\xfc")
	require.NoError(t, err)
	assert.Equal(t, 1., v, "the bytes of a file are Latin-1, the texts of a program UTF-8")
	for text, want := range map[string]string{
		"x": `column "n" = "x", want a number`, "9007199254740993": `column "n" = 9007199254740993, want an integer that float64 represents`,
		"1e400": `column "n": 1e400 exceeds the range of float64`,
	} {
		_, err = e.Text(0, text)
		assert.ErrorContains(t, err, want)
		assert.True(t, errors.Is(err, estimators.ErrParam) || errors.Is(err, estimators.ErrNotFinite))
		require.ErrorAs(t, err, new(*CellError))
	}
	_, err = e.Value(0, []int{1})
	assert.ErrorIs(t, err, estimators.ErrParam)
	_, err = (&Schema{}).Encoder()
	assert.ErrorIs(t, err, estimators.ErrParam)
}

// A model that Bind creates predicts like its estimator, and its file contains the schema and the estimator.
func TestBind(t *testing.T) {
	ctx := context.Background()
	lines := line(60)
	rows := parsed(t, &Options{Target: "y", Drop: []string{"class", "colour"}}, lines...)
	fit := &lssvm.Regressor{Ridge: .1}
	require.NoError(t, fit.Fit(ctx, rows.X, rows.Targets))
	m, err := Bind(rows.Schema, fit)
	require.NoError(t, err)
	got, err := m.Predict(rows)
	require.NoError(t, err)
	want, err := fit.Predict(rows.X)
	require.NoError(t, err)
	assert.Equal(t, want, got.Numbers)
	data, err := m.MarshalBinary()
	require.NoError(t, err)
	again := &Model{Regressor: &lssvm.Regressor{}}
	require.NoError(t, again.UnmarshalBinary(data))
	got, err = again.Predict(rows)
	require.NoError(t, err)
	assert.InDeltaSlice(t, want, got.Numbers, 1e-12)
	require.ErrorIs(t, (&Model{}).UnmarshalBinary(data), estimators.ErrBadModel)

	search := &selection.Regressor{SingleModel: true}
	require.NoError(t, search.Fit(ctx, rows.X, rows.Targets))
	m, err = Bind(rows.Schema, search)
	require.NoError(t, err)
	path := t.TempDir() + "/model"
	require.NoError(t, m.Save(path))
	_, err = modelfile.Load[*Model](path)
	require.NoError(t, err)

	narrow := &lssvm.Regressor{Ridge: .1}
	require.NoError(t, narrow.Fit(ctx, rows.X.Slice(0, 60, 0, 1), rows.Targets))
	for _, c := range []struct {
		schema    *Schema
		estimator any
		want      error
	}{
		{nil, fit, estimators.ErrParam}, {&Schema{}, fit, estimators.ErrParam}, {rows.Schema, nil, estimators.ErrParam},
		{rows.Schema, &lssvm.Classifier{}, estimators.ErrParam}, {rows.Schema, &lssvm.Regressor{}, estimators.ErrNotFitted}, {rows.Schema, narrow, estimators.ErrShape},
	} {
		_, err := Bind(c.schema, c.estimator)
		assert.ErrorIs(t, err, c.want)
	}
	classes := parsed(t, &Options{Target: "class"}, lines...)
	blocks := &falkon.Classifier{Kernel: kernels.RBF{Gamma: .5}, Ridge: .1}
	require.NoError(t, blocks.FitBlocks(ctx, Blocks[int](ctx, source(lines...), classes.Schema, 0)))
	m, err = Bind(classes.Schema, blocks)
	require.NoError(t, err)
	p, err := m.Predict(classes)
	require.NoError(t, err)
	assert.Equal(t, classes.Schema.Classes(), p.ClassNames)
}

// Texts in rows of a program are UTF-8, even if the Format of the schema sets Latin1.
func TestRowsOfLatin1(t *testing.T) {
	rows := parsed(t, &Options{Format: Format{Latin1: true}}, "city,x", "Z\xfcrich,1", "Bern,2")
	assert.Equal(t, []string{"Bern", "Z\u00fcrich"}, rows.Schema.Columns[0].Levels)
	got, err := rows.Schema.Rows(map[string]any{"city": "Z\u00fcrich", "x": 3}, "Z\xfcrich,4")
	require.NoError(t, err)
	assert.Equal(t, []float64{1, 3, 1, 4}, got.X.RawMatrix().Data)
}
