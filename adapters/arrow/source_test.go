package arrow

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
)

const houses = `area,rooms,district,when,garden,code,class,price
60.5,3,harbour,2024-01-02,true,7,small,900
72,4,north,2024-01-03T12:00:00Z,false,9,large,1100.5
,2,harbour,,true,7,small,640
91.25,4,,2024-02-29,,12,large,1500
55,,south,1969-12-31,false,12,small,710
`

// housesBatch returns the rows of the CSV file houses as a batch with Arrow types.
func housesBatch(t *testing.T) arrow.RecordBatch {
	return batchOf(t, `[
		{"area": 60.5, "rooms": 3, "district": "harbour", "when": "2024-01-02 00:00:00", "garden": true, "code": 7, "class": "small", "price": 900},
		{"area": 72, "rooms": 4, "district": "north", "when": "2024-01-03 12:00:00", "garden": false, "code": 9, "class": "large", "price": 1100.5},
		{"area": null, "rooms": 2, "district": "harbour", "when": null, "garden": true, "code": 7, "class": "small", "price": 640},
		{"area": 91.25, "rooms": 4, "district": null, "when": "2024-02-29 00:00:00", "garden": null, "code": 12, "class": "large", "price": 1500},
		{"area": 55, "rooms": null, "district": "south", "when": "1969-12-31 00:00:00", "garden": false, "code": 12, "class": "small", "price": 710}]`,
		field("area", floats), field("rooms", ints), field("district", text), field("when", &arrow.TimestampType{Unit: arrow.Second}),
		field("garden", arrow.FixedWidthTypes.Boolean), field("code", arrow.PrimitiveTypes.Int32), field("class", dict), field("price", floats))
}

// The same rows in a CSV file, a Parquet file, Arrow files and record batches result in the same schema, matrix and predictions.
func TestOneSchemaOfAllFormats(t *testing.T) {
	for name, o := range map[string]*table.Options{
		"numbers": {Target: "price", Kinds: map[string]table.Kind{"code": table.Category}},
		"classes": {Target: "class", Weight: "price", Group: "district"},
		"rows":    {Drop: []string{"when"}},
	} {
		path := filepath.Join(t.TempDir(), "houses.csv")
		require.NoError(t, os.WriteFile(path, []byte(houses), 0o600))
		if name == "classes" {
			o.Group = "code" // each row is its own group
		}
		want, err := table.ReadCSV(path, o)
		require.NoError(t, err, name)
		shards := everyFormat(t, housesBatch(t).NewSlice(0, 2), housesBatch(t).NewSlice(2, 5))
		shards["csv"] = Shard{Name: path}
		var model *table.Model
		if want.Targets != nil {
			model = &table.Model{Regressor: &lssvm.Regressor{Ridge: .1}}
			require.NoError(t, model.Fit(ctx, want))
		}
		for format, shard := range shards {
			s, err := learnt(t, o, shard)
			require.NoError(t, err, format)
			assert.Equal(t, want.Schema, s, "%s, %s", name, format)
			got, err := Source(shard).Table(ctx, o)
			require.NoError(t, err, format)
			same(t, want.X, got.X, name, format)
			assert.Equal(t, want.Targets, got.Targets)
			assert.Equal(t, want.Labels, got.Labels)
			assert.Equal(t, want.Weights, got.Weights)
			assert.Equal(t, want.Groups, got.Groups)
			// The schema from either format can read the other one.
			x, err := rowsOf(t, want.Schema, shard)
			require.NoError(t, err)
			same(t, want.X, x, name, format)
			again, err := table.ReadCSV(path, &table.Options{Schema: s})
			require.NoError(t, err)
			same(t, want.X, again.X, name, format)
			if model == nil {
				continue
			}
			predictions, err := model.Predict(want)
			require.NoError(t, err)
			to := filepath.Join(t.TempDir(), "out.parquet")
			_, err = (&Predictor{Model: model, BlockRows: 2}).Write(ctx, to, shard)
			require.NoError(t, err, format)
			assert.InDeltaSlice(t, predictions.Numbers, numbersIn(t, readBack(t, to), "prediction"), 1e-9, format)
		}
	}
}

// Rows keep their order across shards that differ in format, size and column order, in blocks of any size.
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
	s, err := learnt(t, &table.Options{Target: "w"}, shards...)
	require.NoError(t, err)
	assert.Equal(t, []table.Column{number("x"), category("c", "a", "b", "d"), target("w")}, kinds(s))
	for _, rows := range []int{1, 2, 4, 5, 6, 100} {
		source := Source(counted(checked(t), shards)...)
		for range 2 { // passes
			var sizes []int
			var x, y []float64
			for b, err := range table.Blocks[float64](ctx, source, s, rows) {
				require.NoError(t, err)
				sizes = append(sizes, len(b.Y))
				x, y = append(x, b.X.RawMatrix().Data...), append(y, b.Y...)
				assert.Nil(t, b.Weights)
			}
			same(t, want, mat.NewDense(6, 2, x), rows)
			assert.Equal(t, []float64{1, 2, 2.5, 3, 4, 9}, y)
			for _, n := range sizes[:len(sizes)-1] {
				assert.Equal(t, rows, n)
			}
		}
	}
}

// dictionaryOf returns a batch with a dictionary column c, which has the values (in JSON) and the indices. An index of -1 is null.
func dictionaryOf(t *testing.T, values string, indices ...int8) arrow.RecordBatch {
	t.Helper()
	v, _, err := array.FromJSON(testMem, text, strings.NewReader(values))
	require.NoError(t, err)
	b := array.NewInt8Builder(testMem)
	for _, i := range indices {
		if i < 0 {
			b.AppendNull()
		} else {
			b.Append(i)
		}
	}
	a := array.NewDictionaryArray(dict, b.NewArray(), v)
	return array.NewRecordBatch(arrow.NewSchema([]arrow.Field{field("c", dict)}, nil), []arrow.Array{a}, int64(len(indices)))
}

// The codes of levels do not depend on the dictionaries of the shards. Only values that occur in rows are levels. All levels that
// the schema does not list get the next code.
func TestLevelsOverDictionaries(t *testing.T) {
	first := dictionaryOf(t, `["red", "green", "never"]`, 0, 1, -1, 0)
	second := dictionaryOf(t, `["blue", null, "green"]`, 2, 0, 1)
	plain := batchOf(t, `[{"c": "red"}, {"c": " azure"}, {"c": "NA"}]`, field("c", text))
	shards := []Shard{given("1", first), inMemory("2.arrow", ipcBytes(t, false, second)), inMemory("3.parquet", parquetBytes(t, plain))}
	s, err := learnt(t, nil, shards...)
	require.NoError(t, err)
	assert.Equal(t, []table.Column{category("c", "azure", "blue", "green", "red")}, kinds(s))
	assert.Equal(t, 3, s.Columns[0].Gaps)
	got, err := rowsOf(t, s, shards...)
	require.NoError(t, err)
	same(t, mat.NewDense(10, 1, []float64{3, 2, nan, 3, 2, 1, nan, 3, 0, nan}), got)
	back, err := learnt(t, nil, shards[2], shards[1], shards[0])
	require.NoError(t, err)
	assert.Equal(t, s, back, "the reverse order gives the same result")

	stream := inMemory("a.arrows", ipcBytes(t, true, dictionaryOf(t, `["a", "red"]`, 0, 1), dictionaryOf(t, `["blue", "a"]`, 0, 1)))
	got, err = rowsOf(t, s, stream)
	require.NoError(t, err)
	same(t, mat.NewDense(4, 1, []float64{4, 3, 1, 4}), got)
	for rows, err := range Source(stream).Tables(ctx, s, 0) {
		require.NoError(t, err)
		assert.Equal(t, map[string]int{"c": 2}, rows.Unseen)
	}
}

// A column that contains only gaps in one shard gets its kind from another shard.
func TestColumnsOfGaps(t *testing.T) {
	gaps := inMemory("gaps.csv", []byte("x,c\n,\nNA,?\n"))
	full := inMemory("full.csv", []byte("x,c\n1,a\n2,b\n"))
	for _, shards := range [][]Shard{{gaps, full}, {full, gaps}} {
		s, err := learnt(t, nil, shards...)
		require.NoError(t, err)
		assert.Equal(t, []table.Column{number("x"), category("c", "a", "b")}, kinds(s))
	}
}

// If a cell is not valid for a fit, the error names the file, the row and the column.
func TestErrorsNameFileRowAndColumn(t *testing.T) {
	good := `[{"x": 1, "y": 1, "label": "a", "w": 1}, {"x": 2, "y": 2, "label": "b", "w": 1}, {"x": 2, "y": 2, "label": "b", "w": 1},`
	fields := []arrow.Field{field("x", floats), field("y", floats), field("label", text), field("w", floats)}
	weight := table.Column{Name: "w", Kind: table.Number, Role: table.Weight}
	classes := category("label", "a", "b")
	classes.Role = table.Target
	for _, c := range []struct {
		row    string
		label  bool
		kind   error
		column string
	}{
		{`{"x": 1, "y": null, "label": "a", "w": 1}`, false, estimators.ErrParam, "y"},
		{`{"x": 1, "y": 1, "label": null, "w": 1}`, true, estimators.ErrParam, "label"},
		{`{"x": 1, "y": 1, "label": "c", "w": 1}`, true, estimators.ErrParam, "label"},
		{`{"x": "+Inf", "y": 1, "label": "a", "w": 1}`, false, estimators.ErrNotFinite, "x"},
		{`{"x": 1, "y": "NaN", "label": "a", "w": 1}`, false, estimators.ErrParam, "y"},
	} {
		bad := batchOf(t, good+c.row+"]", fields...)
		for format, shard := range everyFormat(t, bad) {
			before := inMemory("before.parquet", parquetBytes(t, bad.NewSlice(0, 2)))
			source := Source(counted(checked(t), []Shard{before, shard})...)
			var rows int
			var err error
			if c.label {
				rows, err = drained(table.Blocks[int](ctx, source, schemaOf(number("x"), classes, weight), 2))
			} else {
				rows, err = drained(table.Blocks[float64](ctx, source, schemaOf(number("x"), target("y"), weight), 2))
			}
			says(t, err, c.kind, shard.Name+":4", `column "`+c.column+`"`)
			assert.Equal(t, 4, rows, "%s: the blocks before the row", format)
		}
	}
}

func TestShardsThatDiffer(t *testing.T) {
	a := inMemory("a.parquet", parquetBytes(t, batchOf(t, `[{"x": 1, "z": 2}]`, field("x", floats), field("z", floats))))
	lacks := inMemory("b.parquet", parquetBytes(t, batchOf(t, `[{"x": 1, "q": 2}]`, field("x", floats), field("q", floats))))
	twice := inMemory("b.arrow", ipcBytes(t, false, array.NewRecordBatch(arrow.NewSchema([]arrow.Field{field("x", floats), field("z", floats), field("z", floats)}, nil),
		[]arrow.Array{array.MakeArrayOfNull(testMem, floats, 1), array.MakeArrayOfNull(testMem, floats, 1), array.MakeArrayOfNull(testMem, floats, 1)}, 1)))
	s, err := learnt(t, nil, a)
	require.NoError(t, err)
	for _, c := range []struct {
		shard Shard
		texts []string
	}{
		{lacks, []string{"b.parquet: ", `"z", which is missing`, "x, q"}},
		{twice, []string{"b.arrow: ", `"z" twice`}},
	} {
		_, err := learnt(t, nil, a, c.shard)
		says(t, err, estimators.ErrParam, c.texts...)
		_, err = rowsOf(t, s, a, c.shard)
		says(t, err, estimators.ErrParam, c.texts...)
	}
	words := inMemory("b.parquet", parquetBytes(t, batchOf(t, `[{"x": 1, "z": "two"}]`, field("x", floats), field("z", text))))
	_, err = rowsOf(t, s, a, words)
	says(t, err, estimators.ErrParam, "b.parquet:1", `column "z" = "two", want a number`)
	texts := inMemory("c.parquet", parquetBytes(t, batchOf(t, `[{"x": 1, "z": " 2.5"}]`, field("x", floats), field("z", text))))
	got, err := rowsOf(t, s, texts)
	require.NoError(t, err, "a text that is a number")
	same(t, mat.NewDense(1, 2, []float64{1, 2.5}), got)
}

func TestNoRowsAtAll(t *testing.T) {
	batch := numbered(t, 0, 2).NewSlice(0, 0)
	for format, shard := range everyFormat(t, batch) {
		_, err := learnt(t, nil, shard, shard)
		says(t, err, estimators.ErrShape, "0 rows")
		_, err = drained(table.Blocks[float64](ctx, Source(shard), schemaOf(number("x"), target("y")), 0))
		says(t, err, estimators.ErrShape, "0 rows")
		got, err := rowsOf(t, schemaOf(number("x")), shard)
		require.NoError(t, err, format)
		assert.True(t, got.IsEmpty())
	}
}

func TestSettingsOfShards(t *testing.T) {
	content := parquetBytes(t, numbered(t, 0, 4))
	for want, shard := range map[string]Shard{
		"Name":     {},
		"Format":   {Name: "a.txt"},
		"MaxBytes": {Name: "a.parquet", MaxBytes: -1},
		"Open":     {Name: "a.parquet", Open: func(context.Context) (Input, error) { return nil, nil }},
		"Batches":  {Batches: func(context.Context) (array.RecordReader, error) { return nil, nil }},
		"a folder": {Name: t.TempDir(), Format: Parquet},
	} {
		_, err := Source(shard).Learn(ctx, nil)
		says(t, err, estimators.ErrParam, want)
	}
	_, err := Source().Learn(ctx, nil)
	says(t, err, estimators.ErrParam, "Source")
	_, err = Source(Files(filepath.Join(t.TempDir(), "none.parquet"))...).Learn(ctx, nil)
	says(t, err, os.ErrNotExist)
	renamed := inMemory("a.data", content)
	renamed.Format = Parquet
	s, err := learnt(t, nil, renamed)
	require.NoError(t, err)
	assert.Equal(t, []string{"x", "z", "y", "c"}, s.Names())
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = Source(renamed).Learn(ended, nil)
	says(t, err, context.Canceled)
}

// A gzip file with tabs between the cells is read like the file that it contains.
func TestPackedCSV(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for i := range 300 {
		if i == 0 {
			_, _ = fmt.Fprint(z, "x\tc\ty\n")
		}
		_, err := fmt.Fprintf(z, "%d\t%c\t%d\n", i, 'a'+i%3, 2*i)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	shard := inMemory("a.tsv.gz", packed.Bytes())
	rows, err := Source(shard).Table(ctx, &table.Options{Target: "y"})
	require.NoError(t, err)
	assert.Equal(t, 300, rows.Rows())
	assert.Equal(t, []string{"x", "c"}, rows.Schema.Names())
	to := filepath.Join(t.TempDir(), "out.parquet")
	n, err := (&Predictor{Model: bound(t, firstColumn{}, number("x"), target("y"))}).Write(ctx, to, shard)
	require.NoError(t, err)
	assert.Equal(t, 300, n)
	assert.Equal(t, 299., numbersIn(t, readBack(t, to), "prediction")[299])
	assert.False(t, math.IsNaN(rows.X.At(299, 0)))
}
