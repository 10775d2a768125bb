package onnx_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/onnx"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// If the model has column names, the metadata contain them.
func TestColumnNames(t *testing.T) {
	x := sample(20, 1)
	y, _, _ := targets(x)
	p := &pipeline.Regressor{Final: &ridge.Regressor{}, Names: []string{"age", "height", "weight", "dose"}}
	require.NoError(t, p.Fit(context.Background(), x, y))
	var own, given bytes.Buffer
	require.NoError(t, onnx.Write(&own, p, columns, nil))
	assert.Contains(t, own.String(), `["age","height","weight","dose"]`)
	require.NoError(t, onnx.Write(&given, p, columns, &onnx.Options{Columns: []string{"a", "b", "c", "d"}}))
	assert.Contains(t, given.String(), `["a","b","c","d"]`)
	assert.NotContains(t, given.String(), "height")
}

// If a model is not supported, the error names its type.
func TestRefusals(t *testing.T) {
	x := sample(20, 1)
	y, two, _ := targets(x)
	matrix := &lssvm.Regressor{}
	k, err := kernels.Matrix(context.Background(), kernels.RBF{}, x, nil)
	require.NoError(t, err)
	require.NoError(t, matrix.FitMatrix(context.Background(), k, y))
	tube := &svm.Regressor{}
	require.NoError(t, tube.Fit(context.Background(), x, y))
	line := &ridge.Regressor{}
	require.NoError(t, line.Fit(context.Background(), x, y))
	wide := &scalers.MinMaxScaler{}
	require.NoError(t, wide.Fit(context.Background(), mat.NewDense(2, 1, []float64{-math.MaxFloat64, math.MaxFloat64})))
	embedding := struct{ *ridge.Regressor }{line}
	own := &lssvm.Classifier{Kernel: triangle{}, Ridge: 1}
	require.NoError(t, own.Fit(context.Background(), x, two))
	for name, c := range map[string]struct {
		model   any
		columns int
		opt     *onnx.Options
		is      error
		says    string
	}{
		"not fitted":         {&lssvm.Regressor{}, columns, nil, estimators.ErrNotFitted, "lssvm: Regressor"},
		"search not fitted":  {&selection.Classifier{}, columns, nil, estimators.ErrNotFitted, "selection: Classifier"},
		"step not fitted":    {&scalers.UnitRows{}, columns, nil, estimators.ErrNotFitted, "scalers: UnitRows"},
		"of a matrix":        {matrix, columns, nil, estimators.ErrNotFitted, "no rows to write"},
		"columns":            {line, columns + 1, nil, estimators.ErrShape, "5 columns"},
		"no columns":         {line, 0, nil, estimators.ErrParam, "columns"},
		"names":              {line, columns, &onnx.Options{Columns: []string{"a"}}, estimators.ErrShape, "names"},
		"variance":           {tube, columns, &onnx.Options{Variance: true}, errors.ErrUnsupported, "svm.Regressor"},
		"kernel":             {own, columns, nil, errors.ErrUnsupported, "triangle"},
		"no model":           {3, columns, nil, errors.ErrUnsupported, "int"},
		"nil":                {nil, columns, nil, errors.ErrUnsupported, "nil"},
		"embedded":           {embedding, columns, nil, errors.ErrUnsupported, "Regressor"},
		"wider than numbers": {wide, 1, nil, errors.ErrUnsupported, "MinMaxScaler"},
	} {
		var file bytes.Buffer
		err := onnx.Write(&file, c.model, c.columns, c.opt)
		assert.ErrorIs(t, err, c.is, name)
		assert.ErrorContains(t, err, c.says, name)
		assert.Zero(t, file.Len(), name)
	}
	assert.ErrorIs(t, onnx.Write(broken{}, line, columns, nil), io.ErrShortWrite)
	defer onnx.SetMostBytes(onnx.SetMostBytes(100))
	var tooLarge *estimators.TooLargeError
	assert.ErrorAs(t, onnx.Write(io.Discard, tube, columns, nil), &tooLarge)
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// Two files of the same model are identical.
func TestSameBytes(t *testing.T) {
	x := sample(20, 1)
	y, _, _ := targets(x)
	r := &lssvm.Regressor{}
	require.NoError(t, r.Fit(context.Background(), x, y))
	var a, b bytes.Buffer
	require.NoError(t, onnx.Write(&a, r, columns, &onnx.Options{Variance: true}))
	require.NoError(t, onnx.Write(&b, r, columns, &onnx.Options{Variance: true}))
	assert.Equal(t, a.Bytes(), b.Bytes())
}

// A machine with a small ridge has large coefficients of both signs, so that the rounding of its kernel is visible. In Go,
// predictions also change if rows are predicted one at a time, or if the last bit of the rows changes. The error of the file is at
// most 20 times that change.
func TestBadlyConditioned(t *testing.T) {
	python, folder := pythonWith(t), t.TempDir()
	train := sample(100, 3)
	y, _, _ := targets(train)
	x, usual := tried(train)
	far := func(m *mat.Dense) *mat.Dense { // columns far from 0
		out := mat.DenseCopyOf(m)
		out.Apply(func(_, j int, v float64) float64 { return v + 1e6*float64(j) }, out)
		return out
	}
	var all []fitted
	for _, r := range []float64{1e-4, 1e-6, 1e-8} {
		for _, k := range []kernels.Kernel{kernels.RBF{Gamma: .01}, kernels.Matern{Nu: 2.5, Length: 5}, kernels.Matern{Nu: .5, Length: 5}} {
			all = append(all, fitted{name: fmt.Sprint(k, " ", r), model: scaled(&lssvm.Regressor{Kernel: k, Ridge: r}), x: x})
		}
		k := kernels.RBF{Gamma: .02}
		all = append(all,
			fitted{name: fmt.Sprint("far from 0 ", r), model: &lssvm.Regressor{Kernel: k, Ridge: r}, x: far(x)},
			fitted{name: fmt.Sprint("Nystroem ", r), model: scaled(&ridge.Regressor{Ridge: r}, &featuremap.Nystroem{Kernel: k, Components: 100}), x: x},
			fitted{name: fmt.Sprint("falkon ", r), model: scaled(&falkon.Regressor{Ridge: r, Kernel: k, Components: 100}), x: x})
	}
	for i, m := range all {
		rows := train
		if m.x != x {
			rows = far(train)
		}
		all[i].usual = usual
		require.NoError(t, m.model.(estimators.Regressor).Fit(context.Background(), rows, y), m.name)
	}
	n, _ := x.Dims()
	for _, w := range runAll(t, python, folder, all, func(fitted) onnx.Options { return onnx.Options{} }) {
		require.Empty(t, w.answer.Error, w.name)
		predict := w.model.(estimators.Regressor).Predict
		together, err := predict(w.x)
		require.NoError(t, err)
		single := make([]float64, n)
		for i := range n {
			one, err := predict(w.x.Slice(i, i+1, 0, columns))
			require.NoError(t, err)
			single[i] = one[0]
		}
		moved := mat.DenseCopyOf(w.x) // in the last bit
		moved.Apply(func(_, _ int, v float64) float64 { return v * (1 + 0x1p-52) }, moved)
		beside, err := predict(moved)
		require.NoError(t, err)
		want := mat.NewDense(n, 1, together)
		rounding := math.Max(off(mat.NewDense(n, 1, single), want, usual), off(mat.NewDense(n, 1, beside), want, usual))
		by := off(w.output(t, folder, "y", n, 1), want, usual)
		t.Logf("%-36s %.1e, rounding %.1e", w.name, by, rounding)
		assert.LessOrEqual(t, by, math.Max(promised, 20*rounding), w.name)
	}
}
