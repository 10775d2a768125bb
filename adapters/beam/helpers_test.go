package kernelbeam

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// TestMain starts Beam before anything else, as a program's main does.
func TestMain(m *testing.M) {
	flag.Parse()
	slog.SetLogLoggerLevel(slog.LevelWarn)
	Init()
	os.Exit(m.Run())
}

// These are the models of the tests, which workers create from their names.
var (
	scaledRidge = Register("scaled ridge", func() *pipeline.Regressor {
		return &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: &ridge.Regressor{}}
	})
	filledRidge = Register("filled ridge", func() *pipeline.Regressor {
		return &pipeline.Regressor{Steps: []transformers.Transformer{&columnwise.Imputer{}, &scalers.StandardScaler{}}, Final: &ridge.Regressor{}}
	})
	plainRidge = Register("ridge", func() *ridge.Regressor { return &ridge.Regressor{Ridge: 1} })
	manyUnits  = Register("1050 features", func() *pipeline.Regressor {
		return &pipeline.Regressor{
			Steps: []transformers.Transformer{&featuremap.Nystroem{Kernel: kernels.RBF{Gamma: .002}, Components: 1050}},
			Final: &ridge.Regressor{Ridge: 1},
		}
	})
	classes = Register("classes", func() *pipeline.Classifier {
		return &pipeline.Classifier{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: &eem.KernelClassifier{Components: 20, Labels: []int{0, 1}}}
	})
)

var candidates = func() (out []*Model[float64, *pipeline.Regressor]) {
	for _, gamma := range []float64{1e-4, .02, 10} {
		out = append(out, Register(fmt.Sprintf("gamma %g", gamma), func() *pipeline.Regressor {
			return &pipeline.Regressor{
				Steps: []transformers.Transformer{&scalers.StandardScaler{}, &featuremap.RandomFourier{Kernel: kernels.RBF{Gamma: gamma}, Components: 60}},
				Final: &ridge.Regressor{},
			}
		}))
	}
	return out
}()

// linear returns n rows with d columns, and targets that are linear in the columns, plus noise and a sine of the first column.
func linear(n, d int, seed uint64) (*mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	x, y := mat.NewDense(n, d, nil), make([]float64, n)
	for i := range n {
		for j := range d {
			x.Set(i, j, 3*rng.NormFloat64()+float64(j))
			y[i] += float64(j%3-1) * x.At(i, j)
		}
		y[i] += rng.NormFloat64() + 4*math.Sin(x.At(i, 0)/2)
	}
	return x, y
}

// signs returns labels: 1 for targets above their mean, 0 for the others.
func signs(y []float64) []int {
	mean := floats.Sum(y) / float64(len(y))
	out := make([]int, len(y))
	for i, v := range y {
		if v > mean {
			out[i] = 1
		}
	}
	return out
}

// stagesInMemory fits a model in memory to all rows as one block, stage by stage. The tests compare models with it.
func stagesInMemory[Y float64 | int, E Estimator[Y]](t *testing.T, m *Model[Y, E], x *mat.Dense, y []Y) E {
	t.Helper()
	ctx := context.Background()
	stages, err := streaming.NewStages[Y](any(m.make()))
	require.NoError(t, err)
	for {
		at, of := stages.Stage()
		if at == of {
			break
		}
		s, err := stages.NewStatistics()
		require.NoError(t, err)
		require.NoError(t, s.AddBlock(ctx, streaming.Block[Y]{X: x, Y: y}))
		require.NoError(t, stages.FitStatistics(ctx, s))
	}
	e := m.make()
	require.NoError(t, streaming.FitStages(ctx, any(e), stages))
	return e
}

// names returns the names of d columns and the target.
func names(d int) (out []string) {
	for j := range d {
		out = append(out, fmt.Sprintf("x%d", j))
	}
	return append(out, "y")
}

// csvText returns rows from to to-1 as the text of a CSV file with a header.
func csvText(x *mat.Dense, y []float64, from, to int) string {
	_, d := x.Dims()
	var out strings.Builder
	out.WriteString(strings.Join(names(d), ",") + "\n")
	for i := from; i < to; i++ {
		for j := range d {
			fmt.Fprintf(&out, "%v,", x.At(i, j))
		}
		fmt.Fprintf(&out, "%v\n", y[i])
	}
	return out.String()
}

// writeCSV divides rows into the given number of files, and returns the pattern that matches the files.
func writeCSV(t *testing.T, x *mat.Dense, y []float64, shards int) string {
	t.Helper()
	dir, n := t.TempDir(), len(y)
	for s := range shards {
		writeFile(t, filepath.Join(dir, fmt.Sprintf("rows-%03d.csv", s)), csvText(x, y, s*n/shards, (s+1)*n/shards))
	}
	return filepath.Join(dir, "rows-*.csv")
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// writeParquet is like writeCSV, but writes Parquet files with row groups of a few hundred rows.
func writeParquet(t *testing.T, x *mat.Dense, y []float64, shards int) string {
	t.Helper()
	dir, n := t.TempDir(), len(y)
	for s := range shards {
		writeParquetFile(t, filepath.Join(dir, fmt.Sprintf("rows-%03d.parquet", s)), x, y, s*n/shards, (s+1)*n/shards)
	}
	return filepath.Join(dir, "rows-*.parquet")
}

func writeParquetFile(t *testing.T, path string, x *mat.Dense, y []float64, from, to int) {
	t.Helper()
	f, err := os.Create(path)
	require.NoError(t, err)
	_, d := x.Dims()
	var fields []arrow.Field
	for _, name := range names(d) {
		fields = append(fields, arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Float64, Nullable: true})
	}
	schema := arrow.NewSchema(fields, nil)
	out, err := pqarrow.NewFileWriter(schema, f, parquet.NewWriterProperties(), pqarrow.DefaultWriterProps())
	require.NoError(t, err)
	for ; from < to; from += 300 {
		build := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		for i := from; i < min(from+300, to); i++ {
			for j := range d + 1 {
				v := y[i]
				if j < d {
					v = x.At(i, j)
				}
				if math.IsNaN(v) {
					build.Field(j).AppendNull()
				} else {
					build.Field(j).(*array.Float64Builder).Append(v)
				}
			}
		}
		record := build.NewRecordBatch()
		require.NoError(t, out.Write(record))
		record.Release()
		build.Release()
	}
	require.NoError(t, out.Close())
}

// sameCoefficients checks that coefficients agree to 1e-10 of the largest one.
func sameCoefficients(t *testing.T, want, got *pipeline.Regressor) {
	t.Helper()
	a, b := want.FittedFinal().(*ridge.Regressor), got.FittedFinal().(*ridge.Regressor)
	assert.LessOrEqual(t, floats.Distance(a.Coefficients(), b.Coefficients(), math.Inf(1)), 1e-10*floats.Norm(a.Coefficients(), math.Inf(1)))
	assert.InEpsilon(t, a.Intercept(), b.Intercept(), 1e-10)
	assert.InEpsilon(t, a.ChosenRidge(), b.ChosenRidge(), 1e-6)
}
