package onnx_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/onnx"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/transformers"
)

var table = flag.Bool("table", false, "print the table of docs/measured/tables/onnx.csv in Markdown: takes minutes")

// pythonWith returns a Python interpreter with onnxruntime, from KERNELEARN_PYTHON or python3. If there is none, the test is
// skipped, or fails if KERNELEARN_ONNXRUNTIME is "required", as in .ci/run.
func pythonWith(t *testing.T) string {
	t.Helper()
	python := os.Getenv("KERNELEARN_PYTHON")
	if python == "" {
		python = "python3"
	}
	if out, err := exec.Command(python, "-c", "import numpy, onnxruntime").CombinedOutput(); err != nil {
		why := fmt.Sprintf("%s has no onnxruntime: pip install onnxruntime, and set KERNELEARN_PYTHON to its interpreter (%v: %s)", python, err, bytes.TrimSpace(out))
		if os.Getenv("KERNELEARN_ONNXRUNTIME") == "required" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	return python
}

// written is a model file with rows to predict.
type written struct {
	fitted
	file    string
	size    int
	options onnx.Options
	answer  answer
}

// entry and answer are the input and the output of testdata/run.py.
type entry struct {
	Model   string `json:"model"`
	Rows    int    `json:"rows"`
	Columns int    `json:"columns"`
	Float32 bool   `json:"float32"`
}

type answer struct {
	Error        string
	Outputs      []string
	Metadata     map[string]string
	Microseconds float64
}

// runAll writes the models, and runs them with onnxruntime in a single process.
func runAll(t *testing.T, python, folder string, ms []fitted, options func(fitted) onnx.Options, arguments ...string) (out []written) {
	t.Helper()
	var entries []entry
	for i, m := range ms {
		w := written{fitted: m, file: fmt.Sprintf("%03d.onnx", i), options: options(m)}
		var data bytes.Buffer
		require.NoError(t, onnx.Write(&data, m.model, columns, &w.options), m.name)
		w.size = data.Len()
		path := filepath.Join(folder, w.file)
		require.NoError(t, os.WriteFile(path, data.Bytes(), 0o600))
		n, d := m.x.Dims()
		require.NoError(t, os.WriteFile(path+".x", raw(m.x), 0o600))
		entries = append(entries, entry{Model: w.file, Rows: n, Columns: d, Float32: w.options.Float32})
		out = append(out, w)
	}
	list, err := json.Marshal(entries)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "models.json"), list, 0o600))
	cmd := exec.Command(python, append([]string{filepath.Join("testdata", "run.py"), folder}, arguments...)...)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	text, err := cmd.Output()
	require.NoError(t, err, complaints.String())
	var answers struct {
		Runtime string
		Checked bool
		Models  []answer
	}
	require.NoError(t, json.Unmarshal(text, &answers), string(text))
	require.Len(t, answers.Models, len(out))
	t.Logf("onnxruntime %s, onnx.checker %v, %d models", answers.Runtime, answers.Checked, len(out))
	for i, a := range answers.Models {
		out[i].answer = a
	}
	return out
}

func raw(m *mat.Dense) []byte {
	var out []byte
	for i := range m.RawMatrix().Rows {
		for _, v := range m.RawRowView(i) {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		}
	}
	return out
}

// output reads the output of the runtime.
func (w written) output(t *testing.T, folder, name string, n, k int) *mat.Dense {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, w.file) + "." + name)
	require.NoError(t, err)
	require.Len(t, data, 8*n*k, name)
	out := mat.NewDense(n, k, nil)
	for i := range n * k {
		out.Set(i/k, i%k, math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:])))
	}
	return out
}

// worst returns the largest result of off over the outputs of the runtime. Labels must be equal.
func (w written) worst(t *testing.T, folder string) float64 {
	t.Helper()
	out := 0.0
	want := w.expectations(t)
	if !w.options.Variance {
		delete(want, "variance")
	}
	require.Len(t, w.answer.Outputs, len(want), "%v", w.answer.Outputs)
	for name, of := range want {
		require.Contains(t, w.answer.Outputs, name)
		n, k := of.Dims()
		got := w.output(t, folder, name, n, k)
		if name == "label" {
			assert.True(t, mat.Equal(of, got), "labels")
			continue
		}
		by := off(got, of, w.usual)
		assert.LessOrEqual(t, by, promised, name)
		out = math.Max(out, by)
	}
	return out
}

// withAll returns options for all outputs of a model.
func withAll(m fitted) onnx.Options {
	_, regressor := m.model.(estimators.Regressor)
	return onnx.Options{Variance: regressor && estimators.Supports(m.model, estimators.Variance)}
}

// The output of onnxruntime equals the output of each model: predictions, variances, labels, probabilities and features.
func TestRuntime(t *testing.T) {
	python, folder := pythonWith(t), t.TempDir()
	for _, w := range runAll(t, python, folder, models(t), withAll) {
		t.Run(w.name, func(t *testing.T) {
			require.Empty(t, w.answer.Error)
			t.Logf("%.2g", w.worst(t, folder))
			if c, ok := w.model.(estimators.Classifier); ok {
				classes, err := json.Marshal(c.Classes())
				require.NoError(t, err)
				assert.Equal(t, string(classes), w.answer.Metadata["classes"])
			}
		})
	}
}

// With Float32, the output is the same for numbers that float32 represents exactly.
func TestFloat32(t *testing.T) {
	python, folder := pythonWith(t), t.TempDir()
	var some []fitted
	for _, m := range models(t)[:3] {
		x := mat.DenseCopyOf(m.x)
		x.Apply(func(_, _ int, v float64) float64 { return float64(float32(v)) }, x)
		m.x = x
		some = append(some, m)
	}
	for _, w := range runAll(t, python, folder, some, func(fitted) onnx.Options {
		return onnx.Options{Float32: true, Columns: []string{"a", "b", "c", "d"}, Doc: "a text"}
	}) {
		require.Empty(t, w.answer.Error)
		w.worst(t, folder)
		assert.Equal(t, `["a","b","c","d"]`, w.answer.Metadata["columns"])
	}
}

// TestTable prints the table of docs/measured/tables/onnx.csv in Markdown.
func TestTable(t *testing.T) {
	if !*table {
		t.Skip("-table prints it")
	}
	python, folder := pythonWith(t), t.TempDir()
	const rows = 1000
	all := models(t)
	for i, m := range all {
		all[i].x, all[i].usual = sample(rows, 11), rows
		if m.gaps {
			all[i].x.Set(0, 2, math.NaN())
		}
	}
	runtime.GOMAXPROCS(1) // Go uses one thread, like the runtime
	small := runAll(t, python, folder, models(t), withAll)
	far := make([]float64, len(small))
	for i, w := range small {
		far[i] = w.worst(t, folder)
	}
	fmt.Printf("| model | largest difference | file, kB | onnxruntime, µs a row | kernelearn, µs a row |\n|---|---|---|---|---|\n")
	for i, w := range runAll(t, python, folder, all, func(fitted) onnx.Options { return onnx.Options{} }, "-time") {
		require.Empty(t, w.answer.Error, w.name)
		fmt.Printf("| %s | %.0e | %.1f | %.2f | %.2f |\n", w.name, math.Max(far[i], w.worst(t, folder)), float64(w.size)/1000, w.answer.Microseconds, ours(t, w.fitted))
	}
}

// ours returns how many microseconds Go needs for a row, in the fastest repetition.
func ours(t *testing.T, m fitted) float64 {
	t.Helper()
	n, _ := m.x.Dims()
	_, probable := m.expectations(t)["probabilities"]
	begin, best := time.Now(), math.Inf(1)
	for time.Since(begin) < 300*time.Millisecond {
		var err error
		start := time.Now()
		switch e := m.model.(type) {
		case estimators.Regressor:
			_, err = e.Predict(m.x)
		case estimators.MultiRegressor:
			_, err = e.Predict(m.x)
		case estimators.Classifier:
			if probable {
				_, err = e.(estimators.ProbaPredictor).PredictProba(m.x)
			} else {
				_, err = e.Predict(m.x)
			}
		case estimators.Detector:
			_, err = e.Score(m.x)
		case transformers.Transformer:
			_, err = e.Transform(m.x)
		default:
			t.Fatalf("%T is not timed", e)
		}
		best = math.Min(best, time.Since(start).Seconds())
		require.NoError(t, err)
	}
	return best / float64(n) * 1e6
}
