package kernelbeam

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/ridge"
)

// Fits to any number of files, in either format and in ranges of any size, give the same coefficients as one pass in memory.
func TestFitOfShards(t *testing.T) {
	x, y := linear(6000, 6, 1)
	want := stagesInMemory(t, scaledRidge, x, y)
	for _, c := range []struct {
		shards int
		ranges int64
		write  func(*testing.T, *mat.Dense, []float64, int) string
	}{{1, 0, writeCSV}, {1, 10_000, writeCSV}, {4, 7919, writeCSV}, {64, 0, writeCSV}, {1, 0, writeParquet}, {1, 20_000, writeParquet}, {4, 1000, writeParquet}, {64, 0, writeParquet}} {
		t.Run(fmt.Sprintf("%d shards, ranges of %d", c.shards, c.ranges), func(t *testing.T) {
			d := &Data{Files: []string{c.write(t, x, y, c.shards)}, Options: table.Options{Target: "y"}}
			got, report, err := scaledRidge.Fit(context.Background(), d, &Options{RangeBytes: c.ranges})
			require.NoError(t, err)
			sameCoefficients(t, want, got)
			assert.Equal(t, 6000, report.Rows)
			assert.Equal(t, 2, report.Passes)
			assert.Equal(t, int64(12000), report.Metrics["rows"])
			assert.Zero(t, report.Metrics["bad_rows"])
		})
	}
}

// The model does not change if the files are in another order, are named one by one, or have different formats.
func TestFitInAnyOrder(t *testing.T) {
	x, y := linear(4000, 3, 2)
	want := stagesInMemory(t, scaledRidge, x, y)
	dir := t.TempDir()
	a, b, c := filepath.Join(dir, "a.csv"), filepath.Join(dir, "b.parquet"), filepath.Join(dir, "c.csv")
	writeFile(t, a, csvText(x, y, 0, 1500))
	writeParquetFile(t, b, x, y, 1500, 3100)
	writeFile(t, c, csvText(x, y, 3100, 4000))
	for _, files := range [][]string{{a, b, c}, {c, a, b}, {b, c, a}} {
		got, _, err := scaledRidge.Fit(context.Background(), &Data{Files: files, Options: table.Options{Target: "y"}}, nil)
		require.NoError(t, err)
		sameCoefficients(t, want, got)
	}
}

// Without an engine the model is the same as with one, and it is identical to the bit on any number of processors.
func TestNoEngine(t *testing.T) {
	x, y := linear(3000, 4, 3)
	want := stagesInMemory(t, scaledRidge, x, y)
	d := &Data{Files: []string{writeCSV(t, x, y, 5)}, Options: table.Options{Target: "y"}}
	o := &Options{NoEngine: true, RangeBytes: 5000}
	got, report, err := scaledRidge.Fit(context.Background(), d, o)
	require.NoError(t, err)
	sameCoefficients(t, want, got)
	assert.Equal(t, 3000, report.Rows)
	bits, err := got.MarshalBinary()
	require.NoError(t, err)
	t.Run("on one processor", func(t *testing.T) {
		oneProcessor(t)
		again, _, err := scaledRidge.Fit(context.Background(), d, o)
		require.NoError(t, err)
		one, err := again.MarshalBinary()
		require.NoError(t, err)
		assert.Equal(t, bits, one)
	})
}

// Labels may be names, a column may hold the weights, and the columns may be in any order.
func TestFitClasses(t *testing.T) {
	x, y := linear(2000, 3, 4)
	labels := signs(y)
	want := stagesInMemory(t, classes, x, labels)
	path := filepath.Join(t.TempDir(), "rows.csv")
	text := "kind,x2,unused,x1,x0\n"
	for i, l := range labels {
		text += fmt.Sprintf("%s,%v,what ever,%v,%v\n", []string{"low", `"high"`}[l], x.At(i, 2), x.At(i, 1), x.At(i, 0))
	}
	writeFile(t, path, text)
	schema := &table.Schema{Task: table.Classification, Columns: []table.Column{
		{Name: "x0", Kind: table.Number}, {Name: "x1", Kind: table.Number}, {Name: "x2", Kind: table.Number},
		{Name: "kind", Role: table.Target, Kind: table.Category, Levels: []string{"low", "high"}},
	}}
	d := &Data{Files: []string{path}, Options: table.Options{Schema: schema}}
	got, _, err := classes.Fit(context.Background(), d, &Options{RangeBytes: 9000})
	require.NoError(t, err)
	a, err := want.PredictProba(x)
	require.NoError(t, err)
	b, err := got.PredictProba(x)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(a, b, 1e-8))
}

// A weight of 2 has the same effect as repeating the row.
func TestFitWeights(t *testing.T) {
	x, y := linear(500, 2, 5)
	dir := t.TempDir()
	once, twice := "x0,x1,w,y\n", "x0,x1,y\n"
	for i := range y {
		row := fmt.Sprintf("%v,%v,", x.At(i, 0), x.At(i, 1))
		once += fmt.Sprintf("%s%d,%v\n", row, 1+i%2, y[i])
		for range 1 + i%2 {
			twice += fmt.Sprintf("%s%v\n", row, y[i])
		}
	}
	writeFile(t, filepath.Join(dir, "once.csv"), once)
	writeFile(t, filepath.Join(dir, "twice.csv"), twice)
	a, _, err := plainRidge.Fit(context.Background(), &Data{Files: []string{filepath.Join(dir, "once.csv")}, Options: table.Options{Target: "y", Weight: "w"}}, nil)
	require.NoError(t, err)
	b, _, err := plainRidge.Fit(context.Background(), &Data{Files: []string{filepath.Join(dir, "twice.csv")}, Options: table.Options{Target: "y"}}, nil)
	require.NoError(t, err)
	assert.InDeltaSlice(t, a.Coefficients(), b.Coefficients(), 1e-12)
}

// A pipeline with an Imputer can be fitted to files with gaps, in either format.
func TestFitGaps(t *testing.T) {
	x, y := linear(1500, 3, 6)
	for i := 0; i < 1500; i += 7 {
		x.Set(i, i%3, math.NaN())
	}
	want := stagesInMemory(t, filledRidge, x, y)
	for _, glob := range []string{writeCSV(t, x, y, 3), writeParquet(t, x, y, 3)} {
		got, _, err := filledRidge.Fit(context.Background(), &Data{Files: []string{glob}, Options: table.Options{Target: "y"}}, nil)
		require.NoError(t, err)
		sameCoefficients(t, want, got)
	}
}

// testRows is a DoFn that creates rows on the worker.
type testRows struct{ N int }

// ProcessElement emits rows of linear(n, 3, 7), and some bad ones.
func (f *testRows) ProcessElement(_ []byte, emit func(Row)) {
	x, y := linear(f.N, 3, 7)
	for i := range y {
		emit(Row{X: x.RawRowView(i), Y: y[i], ID: fmt.Sprint("row ", i)})
		if i%1000 == 999 {
			emit(Row{X: []float64{1, math.Inf(1), 1}, Y: 1, ID: fmt.Sprint("bad ", i)})
		}
	}
}

func init() { beam.RegisterType(typeOf[testRows]()) }

// A PCollection of rows is fitted like files, and errors name bad rows by their ID.
func TestFitOfPCollection(t *testing.T) {
	x, y := linear(3000, 3, 7)
	want := stagesInMemory(t, scaledRidge, x, y)
	d := &Data{Rows: func(s beam.Scope) beam.PCollection { return beam.ParDo(s, &testRows{3000}, beam.Impulse(s)) }}
	got, report, err := scaledRidge.Fit(context.Background(), d, &Options{MaxBad: 3})
	require.NoError(t, err)
	sameCoefficients(t, want, got)
	assert.Equal(t, 3000, report.Rows)
	assert.Equal(t, 3, report.Bad)
	_, _, err = scaledRidge.Fit(context.Background(), d, &Options{MaxBad: 2})
	var wrong *DataError
	require.ErrorAs(t, err, &wrong)
	assert.Contains(t, wrong.Error(), "column 1: +Inf is not finite")
	assert.Contains(t, wrong.ID, "bad")
}

// Accumulators and landmarks of several megabytes do not increase the size of the job's description.
func TestLargeAccumulators(t *testing.T) {
	x, y := linear(2500, 500, 8)
	glob := writeCSV(t, x, y, 3)
	large := 0
	watch := func(estimators.Step) {
		files, err := filepath.Glob(filepath.Join(os.TempDir(), "kernelearn-*", "pass-*"))
		require.NoError(t, err)
		for _, name := range files {
			if info, err := os.Stat(name); err == nil && info.Size() > 4<<20 {
				large++
			}
		}
	}
	t.Setenv("TMPDIR", t.TempDir())
	got, report, err := manyUnits.Fit(context.Background(), &Data{Files: []string{glob}, Options: table.Options{Target: "y"}}, &Options{Observe: watch})
	require.NoError(t, err)
	assert.Equal(t, 2, report.Passes)
	assert.GreaterOrEqual(t, large, 3, "the sample, the landmarks and the sums of products have over 4 MB each")
	want := stagesInMemory(t, manyUnits, x, y)
	a, err := want.Predict(x)
	require.NoError(t, err)
	b, err := got.Predict(x)
	require.NoError(t, err)
	assert.InDeltaSlice(t, a, b, 1e-6)
	left, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	for _, f := range left {
		assert.NotContains(t, f.Name(), "kernelearn-", "temporary files are removed")
	}
	spec, err := json.Marshal(&readFn{summariser{Jobs: []job{{Kind: kindFit, Model: "1050 features", State: "/tmp/of/some/length"}}}})
	require.NoError(t, err)
	assert.Less(t, len(spec), 1000)
}

// If the rows change between two passes, Fit returns an error and no model.
func TestRowsThatChange(t *testing.T) {
	x, y := linear(300, 2, 9)
	for name, change := range map[string]string{"one more": csvText(x, y, 0, 300) + "1,2,3\n", "others": csvText(x, append(y[1:], y[0]), 0, 300)} {
		for _, o := range []Options{{}, {NoEngine: true}} {
			glob := writeCSV(t, x, y, 1)
			o.Observe = func(s estimators.Step) {
				if s.Iteration == 1 {
					files, err := filepath.Glob(glob)
					require.NoError(t, err)
					writeFile(t, files[0], change)
				}
			}
			got, _, err := scaledRidge.Fit(context.Background(), &Data{Files: []string{glob}, Options: table.Options{Target: "y"}}, &o)
			assert.ErrorIs(t, err, estimators.ErrParam, name)
			assert.Nil(t, got)
		}
	}
}

// Fit returns the error of a context that is cancelled before the fit or between two passes.
func TestFitIsCancelled(t *testing.T) {
	x, y := linear(300, 2, 10)
	d := &Data{Files: []string{writeCSV(t, x, y, 1)}, Options: table.Options{Target: "y"}}
	for _, engine := range []bool{false, true} {
		ctx, cancel := context.WithCancel(context.Background())
		_, _, err := scaledRidge.Fit(ctx, d, &Options{NoEngine: engine, Observe: func(estimators.Step) { cancel() }})
		assert.ErrorIs(t, err, context.Canceled)
		_, _, err = scaledRidge.Fit(ctx, d, &Options{NoEngine: engine})
		assert.ErrorIs(t, err, context.Canceled)
	}
}

// Invalid settings are errors before any row is read.
func TestSettings(t *testing.T) {
	x, y := linear(50, 2, 11)
	glob := writeCSV(t, x, y, 1)
	good := &Data{Files: []string{glob}, Options: table.Options{Target: "y"}}
	none := func(beam.Scope) beam.PCollection { return beam.PCollection{} }
	for name, c := range map[string]struct {
		d    *Data
		o    *Options
		want error
	}{
		"no data":               {nil, nil, estimators.ErrParam},
		"no files":              {&Data{Options: table.Options{Target: "y"}}, nil, estimators.ErrParam},
		"files that are none":   {&Data{Files: []string{glob + "x"}, Options: table.Options{Target: "y"}}, nil, estimators.ErrParam},
		"files and rows":        {&Data{Files: []string{glob}, Rows: none}, nil, estimators.ErrParam},
		"no target":             {&Data{Files: []string{glob}}, nil, estimators.ErrParam},
		"a comma within quotes": {&Data{Files: []string{glob}, Options: table.Options{Target: "y", Format: table.Format{Comma: '"'}}}, nil, estimators.ErrParam},
		"a format":              {&Data{Files: []string{glob}, Options: table.Options{Target: "y"}, Format: 3}, nil, estimators.ErrParam},
		"classes":               {&Data{Files: []string{glob}, Options: table.Options{Target: "y", Task: table.Classification}}, nil, estimators.ErrParam},
		"a column twice":        {&Data{Files: []string{glob}, Options: table.Options{Target: "y", Weight: "y"}}, nil, estimators.ErrParam},
		"a schema and more":     {&Data{Files: []string{glob}, Options: table.Options{Target: "y", Schema: &table.Schema{}}}, nil, estimators.ErrParam},
		"an empty schema":       {&Data{Files: []string{glob}, Options: table.Options{Schema: &table.Schema{}}}, nil, estimators.ErrParam},
		"an ID":                 {&Data{Files: []string{glob}, Options: table.Options{Target: "y"}, ID: "y"}, nil, estimators.ErrParam},
		"no columns":            {&Data{Files: []string{glob}, Options: table.Options{Target: "y", Drop: []string{"x0", "x1"}}}, nil, estimators.ErrParam},
		"bad rows":              {good, &Options{MaxBad: -1}, estimators.ErrParam},
		"many bad rows":         {good, &Options{MaxBad: mostBad + 1}, estimators.ErrParam},
		"ranges":                {good, &Options{RangeBytes: -1}, estimators.ErrParam},
		"rows without Beam":     {&Data{Rows: none}, &Options{NoEngine: true}, estimators.ErrParam},
		"a file system":         {&Data{Files: []string{"none://x"}, Options: table.Options{Target: "y"}}, nil, nil},
	} {
		_, _, err := scaledRidge.Fit(context.Background(), c.d, c.o)
		require.Error(t, err, name)
		if c.want != nil {
			assert.ErrorIs(t, err, c.want, name)
		}
	}
	var unregistered *Model[float64, *ridge.Regressor]
	_, _, err := unregistered.Fit(context.Background(), good, nil)
	assert.ErrorIs(t, err, estimators.ErrParam)
	again := Register("ridge", func() *ridge.Regressor { return &ridge.Regressor{Ridge: 1} })
	_, _, err = again.Fit(context.Background(), good, nil)
	assert.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorContains(t, err, "taken")
	_, _, err = FitAll[float64, *ridge.Regressor](context.Background(), good, nil)
	assert.ErrorIs(t, err, estimators.ErrParam)
	_, err = registered("nobody")
	assert.ErrorIs(t, err, estimators.ErrParam)
	assert.Equal(t, "ridge", plainRidge.Name())
}

// A model whose estimator has no statistics cannot be fitted.
func TestUnmergeable(t *testing.T) {
	x, y := linear(50, 2, 12)
	_, _, err := slow.Fit(context.Background(), &Data{Files: []string{writeCSV(t, x, y, 1)}, Options: table.Options{Target: "y"}}, nil)
	assert.True(t, errors.Is(err, errors.ErrUnsupported))
}
