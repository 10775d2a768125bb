package arrow

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	parquetfile "github.com/apache/arrow-go/v18/parquet/file"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
)

// readBack returns the rows of a Parquet file as one batch.
func readBack(t *testing.T, path string) arrow.RecordBatch {
	t.Helper()
	in, err := Shard{Name: path, mem: checked(t)}.open(ctx, table.Format{})
	require.NoError(t, err)
	defer in.close()
	columns := make([]int, in.schema().NumFields())
	for j := range columns {
		columns[j] = j
	}
	require.NoError(t, in.start(ctx, columns))
	var batches []arrow.RecordBatch
	for {
		some, err := in.next(ctx)
		require.NoError(t, err)
		if !some {
			break
		}
		// The test copies the batch to its own memory, which outlives the reader.
		var copied bytes.Buffer
		require.NoError(t, writeBatch(&copied, in.batch))
		batches = append(batches, readBatch(t, &copied))
	}
	if len(batches) == 0 {
		return array.NewRecordBatch(in.schema(), emptyOf(in.schema()), 0)
	}
	all := array.NewTableFromRecords(batches[0].Schema(), batches)
	whole := array.NewTableReader(all, all.NumRows())
	require.True(t, whole.Next())
	return whole.RecordBatch()
}

func emptyOf(s *arrow.Schema) (out []arrow.Array) {
	for _, f := range s.Fields() {
		out = append(out, array.MakeArrayOfNull(testMem, f.Type, 0))
	}
	return out
}

func numbersIn(t *testing.T, b arrow.RecordBatch, name string) []float64 {
	t.Helper()
	at := b.Schema().FieldIndices(name)
	require.Len(t, at, 1, name)
	return b.Column(at[0]).(*array.Float64).Float64Values()
}

// fittedModel returns a model that predicts y from x and z.
func fittedModel(t *testing.T) *table.Model {
	t.Helper()
	rows, err := Source(given("train", numbered(t, 0, 60))).Table(ctx, &table.Options{Target: "y", Drop: []string{"c"}})
	require.NoError(t, err)
	// The targets have no noise, and the ridge that a search would choose is so small that predictions in different blocks differ
	// by rounding.
	model := &table.Model{Regressor: &lssvm.Regressor{Ridge: 1e-3}}
	require.NoError(t, model.Fit(ctx, rows))
	return model
}

// bound returns a model that binds a fitted estimator to a schema of the columns.
func bound(t *testing.T, estimator any, columns ...table.Column) *table.Model {
	t.Helper()
	m, err := table.Bind(schemaOf(columns...), estimator)
	require.NoError(t, err)
	return m
}

func TestPredictionsAreWritten(t *testing.T) {
	model := fittedModel(t)
	batches := []arrow.RecordBatch{numbered(t, 100, 30), numbered(t, 130, 25)}
	for format, shard := range everyFormat(t, batches...) {
		to := filepath.Join(t.TempDir(), "out.parquet")
		var steps []estimators.Step
		p := &Predictor{Model: model, Interval: .9, BlockRows: 20, mem: checked(t),
			Observe: func(s estimators.Step) { steps = append(steps, s) }}
		rows, err := p.Write(ctx, to, shard, given("more", numbered(t, 200, 5)))
		require.NoError(t, err, format)
		assert.Equal(t, 60, rows)
		require.NotEmpty(t, steps)
		assert.Equal(t, estimators.Step{Iteration: len(steps), Objective: 60, Message: "more"}, steps[len(steps)-1])
		got := readBack(t, to)
		var names []string
		for _, f := range got.Schema().Fields() {
			names = append(names, f.Name)
		}
		assert.Equal(t, []string{"x", "z", "y", "c", "prediction", "prediction_low", "prediction_high"}, names)
		require.EqualValues(t, 60, got.NumRows())
		x := mat.NewDense(60, 2, nil)
		x.SetCol(0, numbersIn(t, got, "x"))
		x.SetCol(1, numbersIn(t, got, "z"))
		assert.Equal(t, math.Mod(204*.3819660113, 1), x.At(59, 0), "the rows are those that came in")
		assert.Equal(t, []string{"no", "yes", "no"}[got.NumRows()%2], got.Column(3).(*array.String).Value(3))
		estimator := model.Fitted().(interface {
			estimators.Regressor
			estimators.IntervalPredictor
		})
		mean, err := estimator.Predict(x)
		require.NoError(t, err)
		low, high, err := estimator.PredictInterval(x, .9)
		require.NoError(t, err)
		for name, want := range map[string][]float64{"prediction": mean, "prediction_low": low, "prediction_high": high} {
			assert.InDeltaSlice(t, want, numbersIn(t, got, name), 1e-9, name)
		}
	}
}

// mapped predicts the class whose index is in the row's first column, with probabilities.
type mapped struct{ classes []int }

func (m mapped) Predict(x mat.Matrix) ([]int, error) {
	n, _ := x.Dims()
	out := make([]int, n)
	for i := range out {
		out[i] = m.classes[int(x.At(i, 0))]
	}
	return out, nil
}

func (m mapped) Fit(context.Context, mat.Matrix, []int) error { return nil }

func (m mapped) Classes() []int { return m.classes }

func (m mapped) PredictProba(x mat.Matrix) (*mat.Dense, error) {
	n, _ := x.Dims()
	out := mat.NewDense(n, len(m.classes), nil)
	for i := range n {
		out.Set(i, int(x.At(i, 0)), 1)
	}
	return out, nil
}

func TestClassesAreWritten(t *testing.T) {
	shard := given("a", batchOf(t, `[{"x": 1}, {"x": 0}, {"x": 1}]`, field("x", arrow.PrimitiveTypes.Int32)))
	to := filepath.Join(t.TempDir(), "out.parquet")
	classes := func(levels ...string) table.Column {
		return table.Column{Name: "label", Role: table.Target, Kind: table.Category, Levels: levels}
	}
	p := &Predictor{Model: bound(t, mapped{[]int{0, 2}}, number("x"), classes("a", "never", "c")), Name: "class", mem: checked(t)}
	rows, err := p.Write(ctx, to, shard)
	require.NoError(t, err)
	assert.Equal(t, 3, rows)
	got := readBack(t, to)
	assert.Equal(t, `["c" "a" "c"]`, got.Column(1).String())
	assert.Equal(t, []float64{0, 1, 0}, numbersIn(t, got, "class_of_a"))
	assert.Equal(t, []float64{0, 0, 0}, numbersIn(t, got, "class_of_never"))
	assert.Equal(t, []float64{1, 0, 1}, numbersIn(t, got, "class_of_c"))

	p.Model = bound(t, mapped{[]int{0, 2}}, number("x"), classes("10", "20", "30"))
	_, err = p.Write(ctx, to, shard)
	require.NoError(t, err)
	assert.Equal(t, []int64{30, 10, 30}, readBack(t, to).Column(1).(*array.Int64).Int64Values(), "the file is replaced")

	_, err = table.Bind(schemaOf(number("x"), classes("a", "b")), mapped{[]int{0, 5}})
	says(t, err, estimators.ErrParam, "[0 5]", "2 classes")
}

// All columns whose types Parquet supports are copied, whether they are features or not. The cells of a CSV file are copied as
// texts.
func TestColumnsPassThrough(t *testing.T) {
	batch := batchOf(t, `[{"x": 1, "list": [1, 2], "s": {"a": 1.5}, "d": "u", "when": "1970-01-02", "raw": "AAA=", "n": null}, {"x": null, "list": null, "s": {"a": null}, "d": null, "when": null, "raw": null, "n": null}]`,
		field("x", floats), field("list", arrow.ListOf(ints)), field("s", arrow.StructOf(field("a", floats))), field("d", dict),
		field("when", arrow.FixedWidthTypes.Date32), field("raw", arrow.BinaryTypes.Binary), field("n", arrow.Null))
	for format, shard := range everyFormat(t, batch) {
		to := filepath.Join(t.TempDir(), "out.parquet")
		_, err := (&Predictor{Model: bound(t, firstColumn{}, category("d", "t", "u"), target("y")), mem: checked(t)}).Write(ctx, to, shard)
		require.NoError(t, err, format)
		got := readBack(t, to)
		for j, c := range batch.Columns() {
			assert.Equal(t, c.String(), got.Column(j).String(), "%s: %s", format, batch.ColumnName(j))
			assert.True(t, arrow.TypeEqual(c.DataType(), got.Column(j).DataType()), "%s: %s is %s", format, batch.ColumnName(j), got.Column(j).DataType())
		}
		assert.Equal(t, "[1 -1]", got.Column(7).String())
	}
	to := filepath.Join(t.TempDir(), "out.parquet")
	_, err := (&Predictor{Model: bound(t, firstColumn{}, number("x"), target("y")), mem: checked(t)}).
		Write(ctx, to, inMemory("a.csv", []byte("i,x,s\n007,1,a\n,NA,\n9,3,b\n")))
	require.NoError(t, err)
	got := readBack(t, to)
	assert.Equal(t, `["007" "" "9"]`, got.Column(0).String(), "as they were written")
	assert.Equal(t, `["1" "NA" "3"]`, got.Column(1).String())
	assert.Equal(t, `["a" "" "b"]`, got.Column(2).String())
	assert.Equal(t, `[1 -1 3]`, got.Column(3).String())
}

// firstColumn predicts the first column, and -1 for a gap.
type firstColumn struct{}

func (firstColumn) Fit(context.Context, mat.Matrix, []float64) error { return nil }

func (firstColumn) Predict(x mat.Matrix) ([]float64, error) {
	out := mat.Col(nil, 0, x)
	for i, v := range out {
		if math.IsNaN(v) {
			out[i] = -1
		}
	}
	return out, nil
}

func TestNoRowsToPredict(t *testing.T) {
	model := fittedModel(t)
	to := filepath.Join(t.TempDir(), "out.parquet")
	for format, shard := range everyFormat(t, numbered(t, 0, 1).NewSlice(0, 0)) {
		rows, err := (&Predictor{Model: model, Interval: .9, mem: checked(t)}).Write(ctx, to, shard)
		require.NoError(t, err, format)
		assert.Zero(t, rows)
		got := readBack(t, to)
		assert.EqualValues(t, 0, got.NumRows())
		assert.EqualValues(t, 7, got.NumCols())
	}
}

// failing is a model whose Predict fails after at rows. If stop is set, Predict calls stop instead.
type failing struct {
	at   int
	stop context.CancelFunc
	seen *int
}

var errModel = errors.New("the model gave up")

func (failing) Fit(context.Context, mat.Matrix, []float64) error { return nil }

func (f failing) Predict(x mat.Matrix) ([]float64, error) {
	n, _ := x.Dims()
	if *f.seen += n; *f.seen > f.at {
		if f.stop == nil {
			return nil, errModel
		}
		f.stop()
	}
	return make([]float64, n), nil
}

// After any failure the folder is as it was before.
func TestNothingHalfWritten(t *testing.T) {
	good := inMemory("good.parquet", parquetBytes(t, numbered(t, 0, 40)))
	content := parquetBytes(t, numbered(t, 0, 40), numbered(t, 40, 40))
	bad := bytes.Clone(content)
	meta, err := parquetfile.NewParquetReader(bytes.NewReader(content))
	require.NoError(t, err)
	column, err := meta.MetaData().RowGroup(1).ColumnChunk(1)
	require.NoError(t, err)
	copy(bad[column.DataPageOffset():], bytes.Repeat([]byte{0xff}, 16)) // the header of a page in the second row group
	nulls := given("nulls", numbered(t, 0, 3), batchOf(t, `[{"x": 1, "z": "+Inf", "y": 0, "c": "no"}]`, numbered(t, 0, 1).Schema().Fields()...))
	for name, c := range map[string]struct {
		last   Shard
		model  failing
		cancel bool
		kind   error
		text   string
	}{
		"the model":  {good, failing{at: 60}, false, errModel, "good.parquet: rows from 17 to 32"},
		"cancelled":  {good, failing{at: 50}, true, context.Canceled, ""},
		"the end":    {good, failing{at: 79}, true, context.Canceled, ""},
		"damaged":    {inMemory("bad.parquet", bad), failing{at: 1000}, false, ErrUnreadable, "bad.parquet: "},
		"cut short":  {inMemory("short.parquet", content[:len(content)-3]), failing{at: 1000}, false, ErrUnreadable, "short.parquet: "},
		"not finite": {nulls, failing{at: 1000}, false, estimators.ErrNotFinite, `nulls:4: column "z"`},
		"lacks z":    {given("lacks", batchOf(t, `[{"x": 1}]`, field("x", floats))), failing{at: 1000}, false, estimators.ErrParam, `lacks: columns = 1`},
		"other":      {given("other", batchOf(t, `[{"x": 1, "z": 1, "y": 1, "d": "a"}]`, field("x", floats), field("z", floats), field("y", floats), field("d", text))), failing{at: 1000}, false, estimators.ErrParam, `other: column 3 = "d" of type utf8, want "c"`},
	} {
		for _, old := range []string{"", "earlier predictions"} {
			folder := t.TempDir()
			to := filepath.Join(folder, "out.parquet")
			if old != "" {
				require.NoError(t, os.WriteFile(to, []byte(old), 0o600))
			}
			here, cancel := context.WithCancel(ctx)
			defer cancel()
			model := c.model
			model.seen = new(int)
			if c.cancel {
				model.stop = cancel
			}
			*model.seen = -1 // Bind predicts a row
			p := &Predictor{Model: bound(t, model, number("x"), number("z"), target("y")), BlockRows: 16}
			rows, err := p.Write(here, to, good, c.last)
			says(t, err, c.kind, c.text)
			assert.Zero(t, rows)
			files, err := os.ReadDir(folder)
			require.NoError(t, err)
			if old == "" {
				assert.Empty(t, files, name)
				continue
			}
			require.Len(t, files, 1, name)
			left, err := os.ReadFile(to)
			require.NoError(t, err)
			assert.Equal(t, old, string(left), name)
		}
	}
}

// All memory is released if the model fails after some blocks.
func TestMemoryAfterAFailedPrediction(t *testing.T) {
	for format, shard := range everyFormat(t, numbered(t, 0, 40), numbered(t, 40, 40)) {
		model := bound(t, failing{at: 50, seen: new(int)}, number("x"), number("z"), target("y"))
		_, err := (&Predictor{Model: model, BlockRows: 16, mem: checked(t)}).
			Write(ctx, filepath.Join(t.TempDir(), "out.parquet"), shard)
		assert.ErrorIs(t, err, errModel, format)
	}
}

func TestSettingsOfAPredictor(t *testing.T) {
	model := fittedModel(t)
	shard := given("a", numbered(t, 0, 3))
	to := filepath.Join(t.TempDir(), "out.parquet")
	for want, p := range map[string]*Predictor{
		"Model":     {},
		"Interval":  {Model: model, Interval: 1},
		"BlockRows": {Model: model, BlockRows: -1},
		"Name":      {Model: model, Name: "x"},
	} {
		_, err := p.Write(ctx, to, shard)
		says(t, err, estimators.ErrParam, want)
	}
	_, err := (&Predictor{Model: model, Interval: math.NaN()}).Write(ctx, to, shard)
	says(t, err, estimators.ErrParam, "Interval")
	_, err = (&Predictor{Model: model}).Write(ctx, to)
	says(t, err, estimators.ErrParam, "shards")
	shard.MaxBytes = -1
	_, err = (&Predictor{Model: model}).Write(ctx, to, shard)
	says(t, err, estimators.ErrParam, "MaxBytes")
	shard.MaxBytes = 0
	_, err = (&Predictor{Model: bound(t, firstColumn{}, number("x"), target("y")), Interval: .5}).Write(ctx, to, shard)
	says(t, err, errors.ErrUnsupported)
	_, err = (&Predictor{Model: &table.Model{}}).Write(ctx, to, shard)
	says(t, err, estimators.ErrNotFitted)
	_, err = table.Bind(model.Schema(), &lssvm.Regressor{})
	says(t, err, estimators.ErrNotFitted)
	_, err = (&Predictor{Model: model}).Write(ctx, filepath.Join(t.TempDir(), "none", "out.parquet"), shard)
	says(t, err, os.ErrNotExist)
	_, statErr := os.Stat(to)
	assert.ErrorIs(t, statErr, os.ErrNotExist)
}

// The output may replace the input file.
func TestPredictionsReplaceTheirInput(t *testing.T) {
	model := fittedModel(t)
	shard := onDisk(t, "a.parquet", parquetBytes(t, numbered(t, 0, 40)))
	rows, err := (&Predictor{Model: model, BlockRows: 7}).Write(ctx, shard.Name, shard)
	require.NoError(t, err)
	assert.Equal(t, 40, rows)
	got := readBack(t, shard.Name)
	assert.EqualValues(t, 5, got.NumCols())
	assert.Equal(t, numbersIn(t, numbered(t, 0, 40), "x"), numbersIn(t, got, "x"))
	_, err = (&Predictor{Model: model}).Write(ctx, shard.Name, shard)
	says(t, err, estimators.ErrParam, "Name", `"prediction"`)
}
