package kernelbeam

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators"
)

// Predictions for files are equal to predictions for the same rows in memory. Each row appears once, with its place and ID.
func TestPredictFiles(t *testing.T) {
	x, y := linear(2500, 2, 40)
	model := scaledRidge.make()
	require.NoError(t, model.Fit(context.Background(), x, y))
	want, err := model.Predict(x)
	require.NoError(t, err)
	_, variance, err := model.PredictVariance(x)
	require.NoError(t, err)
	dir := t.TempDir()
	for s := range 3 {
		text := "id,x0,x1\n"
		for i := s * 900; i < min(2500, s*900+900); i++ {
			text += fmt.Sprintf("row %d,%v,%v\n", i, x.At(i, 0), x.At(i, 1))
		}
		writeFile(t, filepath.Join(dir, fmt.Sprintf("%d.csv", s)), text)
	}
	both(t, func(t *testing.T, o Options) {
		o.RangeBytes, o.Variance = 8000, true
		out := t.TempDir()
		report, err := scaledRidge.PredictFiles(context.Background(), model, &Data{Files: []string{filepath.Join(dir, "*.csv")}, ID: "id"}, &o, filepath.Join(out, "p.csv"))
		require.NoError(t, err)
		assert.Equal(t, 2500, report.Rows)
		files, err := filepath.Glob(filepath.Join(out, "*"))
		require.NoError(t, err)
		seen := map[string]bool{}
		for k, name := range files {
			assert.Equal(t, fmt.Sprintf("p-%05d-of-%05d.csv", k, len(files)), filepath.Base(name))
			f, err := os.Open(name)
			require.NoError(t, err)
			records, err := csv.NewReader(f).ReadAll()
			f.Close()
			require.NoError(t, err)
			assert.Equal(t, []string{"file", "at", "id", "prediction", "variance"}, records[0])
			for _, r := range records[1:] {
				var i int
				_, err := fmt.Sscanf(r[2], "row %d", &i)
				require.NoError(t, err)
				assert.False(t, seen[r[2]])
				seen[r[2]] = true
				assert.Equal(t, filepath.Join(dir, fmt.Sprintf("%d.csv", i/900)), r[0])
				p, err := strconv.ParseFloat(r[3], 64)
				require.NoError(t, err)
				assert.InDelta(t, want[i], p, 1e-12)
				v, err := strconv.ParseFloat(r[4], 64)
				require.NoError(t, err)
				assert.InDelta(t, variance[i], v, 1e-12)
			}
		}
		assert.Len(t, seen, 2500)
	})
}

// Predictions of classes contain the names of the classes and the probabilities, in Parquet files too.
func TestPredictClassesToParquet(t *testing.T) {
	x, y := linear(700, 2, 41)
	model := stagesInMemory(t, classes, x, signs(y))
	want, err := model.Predict(x)
	require.NoError(t, err)
	proba, err := model.PredictProba(x)
	require.NoError(t, err)
	out := filepath.Join(t.TempDir(), "p.parquet")
	schema := &table.Schema{Task: table.Classification, Columns: []table.Column{{Name: "x0", Kind: table.Number}, {Name: "x1", Kind: table.Number},
		{Name: "kind", Role: table.Target, Kind: table.Category, Levels: []string{"low", "high"}}}}
	d := &Data{Files: []string{writeParquet(t, x, y, 1)}, Options: table.Options{Schema: schema}}
	_, err = classes.PredictFiles(context.Background(), model, d, &Options{Proba: true}, out)
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(filepath.Dir(out), "p-*.parquet"))
	require.NoError(t, err)
	rows := 0
	for _, name := range files {
		f, err := os.Open(name)
		require.NoError(t, err)
		in, err := file.NewParquetReader(f)
		require.NoError(t, err)
		r, err := pqarrow.NewFileReader(in, pqarrow.ArrowReadProperties{BatchSize: 64}, memory.DefaultAllocator)
		require.NoError(t, err)
		batches, err := r.GetRecordReader(context.Background(), nil, nil)
		require.NoError(t, err)
		for batches.Next() {
			b := batches.RecordBatch()
			assert.Equal(t, "p(high)", b.ColumnName(5))
			for k := range int(b.NumRows()) {
				i := int(b.Column(1).(*array.Int64).Value(k))
				assert.Equal(t, []string{"low", "high"}[want[i]], b.Column(3).(*array.String).Value(k))
				assert.InDelta(t, proba.At(i, 1), b.Column(5).(*array.Float64).Value(k), 1e-9)
				rows++
			}
		}
		batches.Release()
		require.NoError(t, f.Close())
	}
	assert.Equal(t, 700, rows)
}

// If a row is bad, or the model does not support a request, no file remains.
func TestPredictFilesFails(t *testing.T) {
	x, y := linear(300, 2, 42)
	model := scaledRidge.make()
	d := &Data{Files: []string{writeCSV(t, x, y, 2)}, Options: table.Options{Drop: []string{"y"}}}
	out := filepath.Join(t.TempDir(), "p.csv")
	_, err := scaledRidge.PredictFiles(context.Background(), model, d, nil, out)
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
	require.NoError(t, model.Fit(context.Background(), x, y))
	_, err = scaledRidge.PredictFiles(context.Background(), model, d, &Options{Proba: true}, out)
	assert.ErrorIs(t, err, errors.ErrUnsupported)
	narrow := &Data{Files: d.Files, Options: table.Options{Drop: []string{"x1", "y"}}}
	bad := t.TempDir()
	writeFile(t, filepath.Join(bad, "a.csv"), csvText(x, y, 0, 300))
	writeFile(t, filepath.Join(bad, "b.csv"), "x0,x1,y\n1,2,3\n1,z,3\n")
	both(t, func(t *testing.T, o Options) {
		_, err := scaledRidge.PredictFiles(context.Background(), model, narrow, &o, out)
		assert.ErrorIs(t, err, estimators.ErrShape)
		_, err = scaledRidge.PredictFiles(context.Background(), model, &Data{Files: []string{filepath.Join(bad, "*")}, Options: d.Options}, &o, out)
		assert.ErrorContains(t, err, `b.csv:3: column "x1"`)
	})
	left, err := os.ReadDir(filepath.Dir(out))
	require.NoError(t, err)
	assert.Empty(t, left)
}

// closeTo emits the predictions that differ from Want by more than 1e-9.
type closeTo struct{ Want []float64 }

// ProcessElement emits a line for a wrong prediction.
func (f *closeTo) ProcessElement(p Prediction, emit func(string)) {
	var i int
	if _, err := fmt.Sscanf(p.ID, "row %d", &i); err != nil || f.Want[i]-p.Y > 1e-9 || p.Y-f.Want[i] > 1e-9 {
		emit(fmt.Sprintf("%s: %v", p.ID, p.Y))
	}
}

// reasonOf emits the IDs of bad rows.
type reasonOf struct{}

// ProcessElement emits the ID of a bad row.
func (*reasonOf) ProcessElement(b BadRow, emit func(string)) { emit(b.ID) }

func init() {
	beam.RegisterType(typeOf[closeTo]())
	beam.RegisterType(typeOf[reasonOf]())
}

// A PCollection is predicted with the model as a side input. Rows that cannot be predicted go to a second PCollection.
func TestPredictRows(t *testing.T) {
	x, y := linear(2000, 3, 7) // the rows of testRows
	model := scaledRidge.make()
	require.NoError(t, model.Fit(context.Background(), x, y))
	path := filepath.Join(t.TempDir(), "model.keln")
	require.NoError(t, scaledRidge.Save(context.Background(), model, path))
	want, err := model.Predict(x)
	require.NoError(t, err)
	p, s := beam.NewPipelineWithRoot()
	predicted, bad := scaledRidge.PredictRows(s, path, beam.ParDo(s, &testRows{2000}, beam.Impulse(s)))
	passert.Count(s, predicted, "predictions", 2000)
	passert.Empty(s, beam.ParDo(s, &closeTo{want}, predicted))
	passert.Equals(s, beam.ParDo(s, &reasonOf{}, bad), "bad 999", "bad 1999")
	_, err = beam.Run(context.Background(), "prism", p)
	require.NoError(t, err)

	again, err := scaledRidge.Load(context.Background(), path)
	require.NoError(t, err)
	got, err := again.Predict(x)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	_, err = plainRidge.Load(context.Background(), path)
	assert.ErrorIs(t, err, estimators.ErrBadModel)
	_, err = plainRidge.Load(context.Background(), path+"x")
	assert.ErrorIs(t, err, os.ErrNotExist)
	assert.ErrorIs(t, slow.Save(context.Background(), slow.make(), path), estimators.ErrNotFitted)
}
