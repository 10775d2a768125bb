package arrow

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/streaming"
)

// Rows come in their order over shards of different formats, sizes and column orders, in blocks of any size.
func TestShardsAreReadInOrder(t *testing.T) {
	other := batchOf(t, `[{"w": 3, "c": "b", "extra": true, "x": 30}, {"w": 4, "c": "a", "extra": false, "x": 40}]`,
		field("w", arrow.PrimitiveTypes.Uint8), field("c", dict), field("extra", arrow.FixedWidthTypes.Boolean), field("x", arrow.PrimitiveTypes.Int16))
	first := batchOf(t, `[{"x": 10.5, "c": "d", "w": 1}, {"x": null, "c": null, "w": 2}, {"x": 20, "c": "b", "w": 2.5}]`,
		field("x", floats), field("c", text), field("w", floats))
	empty := first.NewSlice(0, 0)
	shards := []Shard{
		inMemory("1.parquet", parquetBytes(t, first.NewSlice(0, 2), first.NewSlice(2, 3))),
		inMemory("2.parquet", parquetBytes(t, empty)),
		inMemory("3.arrow", ipcBytes(t, false, other.NewSlice(0, 0), other.NewSlice(0, 1), other.NewSlice(1, 2))),
		inMemory("4.csv", []byte("c,x,w\na,1e3,9\n")),
		inMemory("5.arrow", ipcBytes(t, false, empty)),
	}
	want := mat.NewDense(6, 2, []float64{10.5, 2, nan, nan, 20, 1, 30, 1, 40, 0, 1000, 0})
	s, err := Columns{Features: []string{"x", "c"}, Target: "w", Weight: "", mem: checked(t)}.Learn(ctx, shards...)
	require.NoError(t, err)
	assert.Equal(t, []Column{{"x", Number, nil}, {"c", Category, []string{"a", "b", "d"}}}, s.Features)
	for _, rows := range []int{1, 2, 4, 5, 6, 100} {
		table := &Table{Schema: s, Shards: shards, BlockRows: rows, mem: checked(t)}
		for range 2 { // passes
			var sizes []int
			all, err := Collect(func(yield func(streaming.Block[float64], error) bool) {
				for b, err := range table.Targets(ctx) {
					sizes = append(sizes, len(b.Y))
					if !yield(b, err) {
						return
					}
				}
			}, 0)
			require.NoError(t, err)
			same(t, want, all.X, rows)
			assert.Equal(t, []float64{1, 2, 2.5, 3, 4, 9}, all.Y)
			assert.Nil(t, all.Weights)
			for _, n := range sizes[:len(sizes)-1] {
				assert.Equal(t, rows, n)
			}
		}
	}
}

func TestWeightsAndLabels(t *testing.T) {
	batch := batchOf(t, `[{"x": 1, "label": 7, "w": 2}, {"x": 2, "label": 10, "w": 0.5}, {"x": 3, "label": 9, "w": 1}]`,
		field("x", floats), field("label", ints), field("w", floats))
	for format, shard := range everyFormat(t, batch) {
		s, err := Columns{Label: "label", Weight: "w"}.Learn(ctx, shard)
		require.NoError(t, err)
		assert.Equal(t, []string{"7", "9", "10"}, s.Classes, "as numbers")
		assert.True(t, s.IntegerClasses)
		all, err := Collect((&Table{Schema: s, Shards: []Shard{shard}, mem: checked(t)}).Labels(ctx), 0)
		require.NoError(t, err, format)
		assert.Equal(t, []int{0, 2, 1}, all.Y)
		assert.Equal(t, []float64{2, .5, 1}, all.Weights)
		same(t, mat.NewDense(3, 1, []float64{1, 2, 3}), all.X)
	}
	given := Columns{Label: "label", Weight: "w", Classes: []string{"9", "7", "10", "11"}}
	s, err := given.Learn(ctx, everyFormat(t, batch)["parquet"])
	require.NoError(t, err)
	all, err := Collect((&Table{Schema: s, Shards: []Shard{everyFormat(t, batch)["file"]}}).Labels(ctx), 0)
	require.NoError(t, err)
	assert.Equal(t, []int{1, 2, 0}, all.Y, "the order of the classes is the one that was given")
}

// Cells that cannot be learnt from are named by file, column and row, counted in the file.
func TestErrorsNameFileColumnAndRow(t *testing.T) {
	good := `[{"x": 1, "y": 1, "label": "a", "w": 1}, {"x": 2, "y": 2, "label": "b", "w": 1}, {"x": 2, "y": 2, "label": "b", "w": 1},`
	fields := []arrow.Field{field("x", floats), field("y", floats), field("label", text), field("w", floats)}
	s := &Schema{Features: []Column{{Name: "x", Kind: Number}}, Target: "y", Label: "label", Weight: "w", Classes: []string{"a", "b"}}
	for _, c := range []struct {
		row           string
		label         bool
		kind          error
		column, value string
	}{
		{`{"x": 1, "y": null, "label": "a", "w": 1}`, false, estimators.ErrParam, "y", "null"},
		{`{"x": 1, "y": 1, "label": null, "w": 1}`, true, estimators.ErrParam, "label", "null"},
		{`{"x": 1, "y": 1, "label": "c", "w": 1}`, true, estimators.ErrParam, "label", `"c", want one of the 2 classes`},
		{`{"x": 1, "y": 1, "label": "a", "w": null}`, true, estimators.ErrParam, "w", "null"},
		{`{"x": 1, "y": 1, "label": "a", "w": 0}`, false, estimators.ErrParam, "w", "0, want a weight above 0"},
		{`{"x": 1, "y": 1, "label": "a", "w": -1}`, true, estimators.ErrParam, "w", "-1, want a weight above 0"},
		{`{"x": "+Inf", "y": 1, "label": "a", "w": 1}`, false, estimators.ErrNotFinite, "x", "+Inf"},
		{`{"x": 1, "y": "NaN", "label": "a", "w": 1}`, false, estimators.ErrNotFinite, "y", "NaN"},
		{`{"x": 1, "y": 1, "label": "a", "w": "+Inf"}`, false, estimators.ErrNotFinite, "w", "+Inf"},
	} {
		bad := batchOf(t, good+c.row+"]", fields...)
		for format, shard := range everyFormat(t, bad) {
			before := inMemory("before.parquet", parquetBytes(t, bad.NewSlice(0, 2)))
			table := &Table{Schema: s, Shards: []Shard{before, shard}, BlockRows: 2, mem: checked(t)}
			rows, err := 0, error(nil)
			if c.label {
				rows, err = drained(table.Labels(ctx))
			} else {
				rows, err = drained(table.Targets(ctx))
			}
			says(t, err, c.kind, shard.Name+": ", `column "`+c.column+`", row 3`, c.value)
			assert.Equal(t, 4, rows, "%s: the blocks before the row", format)
		}
	}
}

func TestShardsThatDiffer(t *testing.T) {
	a := inMemory("a.parquet", parquetBytes(t, batchOf(t, `[{"x": 1, "z": 2}]`, field("x", floats), field("z", floats))))
	lacks := inMemory("b.parquet", parquetBytes(t, batchOf(t, `[{"x": 1, "q": 2}]`, field("x", floats), field("q", floats))))
	other := inMemory("b.parquet", parquetBytes(t, batchOf(t, `[{"x": 1, "z": "two"}]`, field("x", floats), field("z", text))))
	kind := inMemory("b.arrow", ipcBytes(t, true, batchOf(t, `[{"x": 1, "z": "1970-01-02"}]`, field("x", floats), field("z", arrow.FixedWidthTypes.Date32))))
	twice := inMemory("b.arrow", ipcBytes(t, false, array.NewRecordBatch(arrow.NewSchema([]arrow.Field{field("x", floats), field("z", floats), field("z", floats)}, nil),
		[]arrow.Array{array.MakeArrayOfNull(testMem, floats, 1), array.MakeArrayOfNull(testMem, floats, 1), array.MakeArrayOfNull(testMem, floats, 1)}, 1)))
	s, err := Columns{}.Learn(ctx, a)
	require.NoError(t, err)
	for _, c := range []struct {
		shard Shard
		texts []string
	}{
		{lacks, []string{"b.parquet: ", `"z", which the file lacks`, "x, q"}},
		{other, []string{"b.parquet: ", `type of column "z"`, "utf8"}},
		{kind, []string{"b.arrow: ", `type of column "z"`, "date32"}},
		{twice, []string{"b.arrow: ", `"z", which the file has 2 times`}},
	} {
		_, err := Columns{mem: checked(t)}.Learn(ctx, a, c.shard)
		says(t, err, estimators.ErrParam, c.texts...)
		_, err = rowsOf(t, checked(t), s, a, c.shard)
		says(t, err, estimators.ErrParam, c.texts...)
	}
	_, err = Columns{}.Learn(ctx, a, other)
	assert.ErrorContains(t, err, "as in a.parquet")
}

func TestNoRowsAtAll(t *testing.T) {
	batch := numbered(t, 0, 2).NewSlice(0, 0)
	for format, shard := range everyFormat(t, batch) {
		s, err := Columns{Target: "y"}.Learn(ctx, shard)
		require.NoError(t, err, format)
		table := &Table{Schema: s, Shards: []Shard{shard, shard}, mem: checked(t)}
		_, err = Collect(table.Targets(ctx), 0)
		says(t, err, estimators.ErrShape, "0 rows")
		_, err = Columns{Label: "c"}.Learn(ctx, shard)
		says(t, err, estimators.ErrShape, shard.Name, `column "c"`, "0 classes")
	}
}

func TestSettingsOfATable(t *testing.T) {
	shard := everyFormat(t, numbered(t, 0, 4))["parquet"]
	s, err := Columns{Features: []string{"x", "z"}}.Learn(ctx, shard)
	require.NoError(t, err)
	twice := &Schema{Features: []Column{{Name: "x", Kind: Number}, {Name: "x", Kind: Number}}}
	for name, table := range map[string]*Table{
		"Schema":         {Shards: []Shard{shard}},
		"Shards":         {Schema: s},
		"BlockRows":      {Schema: s, Shards: []Shard{shard}, BlockRows: -1},
		"MaxBytes":       {Schema: s, Shards: []Shard{shard}, MaxBytes: -1},
		"Target":         {Schema: s, Shards: []Shard{shard}},
		`"x" twice`:      {Schema: twice, Shards: []Shard{shard}},
		"Kind":           {Schema: &Schema{Features: []Column{{Name: "x"}}}, Shards: []Shard{shard}},
		"Categories":     {Schema: &Schema{Features: []Column{{"x", Category, []string{"a", "a"}}}}, Shards: []Shard{shard}},
		"Classes":        {Schema: &Schema{Features: s.Features, Classes: []string{"a", "a"}}, Shards: []Shard{shard}},
		"Shard.Format":   {Schema: &Schema{Features: s.Features, Target: "y"}, Shards: []Shard{{Name: "rows.xlsx"}}},
		"Format(9)":      {Schema: &Schema{Features: s.Features, Target: "y"}, Shards: []Shard{{Name: "rows.csv", Format: 9}}},
		"path of a file": {Schema: &Schema{Features: s.Features, Target: "y"}, Shards: []Shard{{}}},
	} {
		_, err := drained(table.Targets(ctx))
		if name == "Format(9)" {
			says(t, err, estimators.ErrParam, "9")
			continue
		}
		says(t, err, estimators.ErrParam, name)
	}
	_, err = drained((&Table{Schema: s, Shards: []Shard{shard}}).Labels(ctx))
	says(t, err, estimators.ErrParam, "Label")
	wide := &Table{Schema: &Schema{Features: s.Features, Target: "y"}, Shards: []Shard{shard}, BlockRows: 1 << 20, MaxBytes: 1 << 20}
	_, err = drained(wide.Targets(ctx))
	says(t, err, estimators.ErrTooLarge, "BlockRows")
	little := &Table{Schema: &Schema{Features: s.Features, Target: "y"}, Shards: []Shard{shard}, BlockRows: 1, MaxBytes: 64}
	_, err = drained(little.Targets(ctx))
	says(t, err, estimators.ErrTooLarge, shard.Name, "MaxBytes")
}

func TestFilesThatAreNotThere(t *testing.T) {
	s := &Schema{Features: []Column{{Name: "x", Kind: Number}}}
	_, err := rowsOf(t, checked(t), s, Files("no-such.parquet")...)
	says(t, err, os.ErrNotExist, "no-such.parquet")
	assert.NotErrorIs(t, err, ErrUnreadable)
	_, err = rowsOf(t, checked(t), s, Shard{Name: t.TempDir(), Format: Parquet})
	says(t, err, estimators.ErrParam, "a folder")
	boom := errors.New("no such object")
	_, err = rowsOf(t, checked(t), s, Shard{Name: "s3://a.parquet", Open: func(context.Context) (Input, error) { return nil, boom }})
	says(t, err, boom, "s3://a.parquet")
	_, err = rowsOf(t, checked(t), s, Shard{Name: "query", Batches: func(context.Context) (array.RecordReader, error) { return nil, boom }})
	says(t, err, boom, "query")
	assert.NotErrorIs(t, err, ErrUnreadable)
	_, err = rowsOf(t, checked(t), s, Shard{Name: "query", Batches: func(context.Context) (array.RecordReader, error) { return nil, nil }})
	says(t, err, estimators.ErrParam, "query", "Batches")
	_, err = rowsOf(t, checked(t), s, Shard{Name: "a.csv", Open: func(context.Context) (Input, error) { return nil, nil }})
	says(t, err, estimators.ErrParam, "a.csv", "Open")
}

// A stream that is left early, or cancelled, releases all it has.
func TestStreamsThatEndEarly(t *testing.T) {
	for format, shard := range everyFormat(t, numbered(t, 0, 50), numbered(t, 50, 50)) {
		s, err := Columns{Target: "y"}.Learn(ctx, shard)
		require.NoError(t, err)
		table := &Table{Schema: s, Shards: []Shard{shard, shard}, BlockRows: 30, mem: checked(t)}
		for range table.Targets(ctx) {
			break
		}
		cancelled, cancel := context.WithCancel(ctx)
		defer cancel()
		rows := 0
		var last error
		for b, err := range table.Targets(cancelled) {
			if last = err; err == nil {
				rows += len(b.Y)
				cancel()
			}
		}
		assert.ErrorIs(t, last, context.Canceled, format)
		assert.Equal(t, 30, rows)
		_, err = Columns{Label: "c"}.Learn(cancelled, shard)
		assert.ErrorIs(t, err, context.Canceled, format)
	}
}

// A panic of the caller's own is not taken for a damaged file.
func TestThePanicOfACaller(t *testing.T) {
	shard := everyFormat(t, numbered(t, 0, 5))["parquet"]
	s, err := Columns{}.Learn(ctx, shard)
	require.NoError(t, err)
	assert.PanicsWithValue(t, "mine", func() {
		for range (&Table{Schema: s, Shards: []Shard{shard}, mem: checked(t)}).Rows(ctx) {
			panic("mine")
		}
	})
	assert.PanicsWithValue(t, "mine", func() {
		_, _ = Columns{}.Learn(ctx, Shard{Name: "a.csv", Open: func(context.Context) (Input, error) { panic("mine") }})
	})
}

func TestSchemaIsJSON(t *testing.T) {
	shard := everyFormat(t, numbered(t, 0, 9))["file"]
	s, err := Columns{Features: []string{"z", "x"}, Target: "y", Label: "c", UnseenAsGap: true}.Learn(ctx, shard)
	require.NoError(t, err)
	data, err := json.Marshal(s)
	require.NoError(t, err)
	assert.JSONEq(t, `{"features": [{"name": "z", "kind": "number"}, {"name": "x", "kind": "number"}], "target": "y", "label": "c",
		"classes": ["no", "yes"], "unseen_as_gap": true}`, string(data))
	back := &Schema{}
	require.NoError(t, json.Unmarshal(data, back))
	assert.Equal(t, s, back)
	assert.ErrorIs(t, json.Unmarshal([]byte(`{"features": [{"name": "z", "kind": "colour"}]}`), back), estimators.ErrParam)
	_, err = json.Marshal(&Schema{Features: []Column{{Name: "x"}}})
	assert.ErrorIs(t, err, estimators.ErrParam)
}

func TestCollect(t *testing.T) {
	shard := everyFormat(t, numbered(t, 0, 50))["stream"]
	table := &Table{Schema: &Schema{Features: []Column{{Name: "x", Kind: Number}, {Name: "z", Kind: Number}}, Target: "y"}, Shards: []Shard{shard}, BlockRows: 7}
	all, err := Collect(table.Targets(ctx), 0)
	require.NoError(t, err)
	batch := numbered(t, 0, 50)
	assert.Equal(t, batch.Column(2).(*array.Float64).Float64Values(), all.Y)
	assert.Equal(t, batch.Column(1).(*array.Float64).Float64Values(), mat.Col(nil, 1, all.X))
	_, err = Collect(table.Targets(ctx), 1000)
	says(t, err, estimators.ErrTooLarge, "FitBlocks")
	_, err = Collect(table.Targets(ctx), -1)
	says(t, err, estimators.ErrParam, "maxBytes")
	_, err = Collect(func(yield func(streaming.Block[int], error) bool) {
		_ = yield(streaming.Block[int]{X: mat.NewDense(1, 2, nil), Y: []int{0}}, nil) && yield(streaming.Block[int]{X: mat.NewDense(1, 3, nil), Y: []int{0}}, nil)
	}, 0)
	says(t, err, estimators.ErrShape, "3 columns")
}

// closing counts how often it was closed.
type closing struct {
	Input
	closed *int
}

func (c closing) Close() error {
	*c.closed++
	return nil
}

// Every file that was opened is closed, whatever came of it.
func TestFilesAreClosed(t *testing.T) {
	contents := map[string][]byte{
		"a.parquet": parquetBytes(t, numbered(t, 0, 20)), "a.arrow": ipcBytes(t, false, numbered(t, 0, 20)), "a.arrows": ipcBytes(t, true, numbered(t, 0, 20)),
		"a.csv": []byte("x,z,y,c\n1,2,3,yes\n"), "bad.csv": []byte("x,z\n1\n"), "bad.parquet": []byte("PAR1"), "bad.arrow": []byte("ARROW1"), "bad.arrows": []byte("none"),
	}
	for name, content := range contents {
		opened, closed := 0, 0
		shard := Shard{Name: name, Open: func(ctx context.Context) (Input, error) {
			opened++
			in, err := inMemory(name, content).Open(ctx)
			return closing{in, &closed}, err
		}}
		_, _ = Columns{Label: "c"}.Learn(ctx, shard)
		_, _ = rowsOf(t, checked(t), &Schema{Features: []Column{{"x", Number, nil}, {"z", Number, nil}}}, shard)
		_, _ = rowsOf(t, checked(t), &Schema{Features: []Column{{"c", Number, nil}}}, shard)
		assert.Equal(t, 3, opened, name)
		assert.Equal(t, opened, closed, name)
	}
}

// The memory that is counted against MaxBytes is given back.
func TestMemoryIsCountedRightly(t *testing.T) {
	shards := everyFormat(t, numbered(t, 0, 500), numbered(t, 500, 300))
	shards["csv"] = inMemory("a.csv", []byte("x,c\n"+strings.Repeat("1,a long text\n", 1000)))
	for format, shard := range shards {
		want := newRequest(nil, 64, 0)
		want.types = map[string]arrow.DataType{"x": floats}
		in, err := shard.open(ctx, want)
		require.NoError(t, err)
		require.NoError(t, in.start(ctx, []int{0, 1}))
		peak := int64(0)
		for {
			some, err := in.next(ctx)
			require.NoError(t, err)
			if !some {
				break
			}
			peak = max(peak, want.mem.held)
		}
		in.close()
		assert.Zero(t, want.mem.held, format)
		assert.Equal(t, format != "batches", peak > 0, format)
	}
}
