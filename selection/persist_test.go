package selection

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/shape"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

func configured() *Regressor {
	return &Regressor{Preprocess: []transformers.Transformer{&scalers.StandardScaler{}}, Search: &entropy.Search{}}
}

func TestRoundTripKeepsTheResult(t *testing.T) {
	x, y := problemOf(40, 2, 0.2, 1)
	r := configured()
	require.NoError(t, r.Fit(ctx, x, y))
	data, err := r.MarshalBinary()
	require.NoError(t, err)
	again := configured()
	require.NoError(t, again.UnmarshalBinary(data))
	want, err := r.Predict(x)
	require.NoError(t, err)
	got, err := again.Predict(x)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	a, err := json.Marshal(r.Result())
	require.NoError(t, err)
	b, err := json.Marshal(again.Result())
	require.NoError(t, err)
	assert.Equal(t, string(a), string(b))
	assert.Equal(t, r.Fitted().(*lssvm.Regressor).ChosenRidge(), again.Fitted().(*lssvm.Regressor).ChosenRidge())
}

func TestMismatchesAreNamed(t *testing.T) {
	x, y := problemOf(40, 2, 0.2, 1)
	r := configured()
	require.NoError(t, r.Fit(ctx, x, y))
	data, err := r.MarshalBinary()
	require.NoError(t, err)
	steps := r.Preprocess
	for text, into := range map[string]*Regressor{
		"fitted with family RBF, this value's Space is NormalizedPolynomial":                         {Preprocess: steps, Space: over(families.Polynomial{})},
		"Preprocess: pipeline.Transformer: bad model data: the data holds 1 steps, configured are 0": {Search: &entropy.Search{}},
		"step 0 was a transformers.StandardScaler, this value has a transformers.RMSScaler":          {Preprocess: []transformers.Transformer{&scalers.RMSScaler{}}, Search: &entropy.Search{}},
		"the estimator was a lssvm.Regressor, this value has a pipeline": {Preprocess: steps, Space: Kernels(func(k kernels.Kernel) estimators.Regressor {
			return &pipeline.Regressor{Final: &lssvm.Regressor{Kernel: k}}
		})},
		"want both or neither": {Preprocess: steps},
		"fitted with Kernel RBF(": {Preprocess: steps, Space: Kernels(func(_ kernels.Kernel) estimators.Regressor {
			return &lssvm.Regressor{Kernel: kernels.Linear{}}
		})},
	} {
		err := into.UnmarshalBinary(data)
		require.ErrorIs(t, err, estimators.ErrBadModel, text)
		assert.ErrorContains(t, err, text)
		assert.Nil(t, into.Fitted())
	}
	assert.ErrorIs(t, (&Classifier{Preprocess: steps, Search: &entropy.Search{}}).UnmarshalBinary(data), estimators.ErrBadModel)
}

func TestCloneAndSupports(t *testing.T) {
	r := configured()
	c := estimators.Clone(r)
	assert.NotSame(t, r.Preprocess[0], c.Preprocess[0])
	assert.True(t, r.Supports(estimators.Variance))
	assert.False(t, (&Regressor{Space: Kernels(func(k kernels.Kernel) estimators.Regressor { return moody{Regressor: &lssvm.Regressor{Kernel: k}} })}).Supports(estimators.Variance))
	assert.True(t, r.Supports(estimators.Weighted))
	assert.False(t, (&Regressor{Space: Kernels(func(k kernels.Kernel) estimators.Regressor { return moody{Regressor: &lssvm.Regressor{Kernel: k}} })}).Supports(estimators.Weighted))
	assert.True(t, (&Classifier{Space: overClasses(families.RBF{}), Search: &entropy.Search{}}).Supports(estimators.Proba))

	x, y := problemOf(20, 2, 0.2, 1)
	m := Regressor{Space: Kernels(func(k kernels.Kernel) estimators.Regressor { return moody{Regressor: &lssvm.Regressor{Kernel: k}} })}
	require.NoError(t, m.Fit(ctx, x, y))
	_, _, err := m.PredictVariance(x)
	assert.ErrorContains(t, err, "moody has no PredictVariance")
	_, err = m.MarshalBinary()
	assert.ErrorContains(t, err, "has no MarshalBinary")
}

// The fuzzer mutates the payload and the checksum is made valid again, so that the decoder is reached.
func FuzzUnmarshal(f *testing.F) {
	x, y := problemOf(12, 2, 0.2, 1)
	r := configured()
	require.NoError(f, r.Fit(ctx, x, y))
	data, err := r.MarshalBinary()
	require.NoError(f, err)
	var s stored
	_, err = codec.Unmarshal(data, regressorKind, version, &s)
	require.NoError(f, err)
	f.Add(s.Family, s.Point.Param, s.Point.Candidate, s.Steps, s.Inner.Data, s.Result)
	f.Fuzz(func(t *testing.T, family string, param float64, candidate int, step, inner, result []byte) {
		m := s
		m.Family, m.Point, m.Steps, m.Result = family, search.Point{Param: param, Candidate: candidate}, step, result
		m.Inner.Data = inner
		data, err := codec.Marshal(regressorKind, version, m)
		require.NoError(t, err)
		r := configured()
		if err := r.UnmarshalBinary(data); err != nil {
			assert.ErrorIs(t, err, estimators.ErrBadModel)
			return
		}
		if _, err := r.Predict(x); err != nil {
			assert.ErrorIs(t, err, estimators.ErrShape)
		}
	})
}

// A hostile Result is refused quickly and with little memory. A Result that is accepted can be printed.
func TestHostileResults(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"no other":      {`{"others":[null]}`, "others[0] is null"},
		"nested":        {strings.Repeat(`{"others":[`, 4000) + "{}" + strings.Repeat("]}", 4000), "a Result of 8001 levels, at most 32"},
		"empty rows":    {`{"trace":[{}` + strings.Repeat(",{}", 1<<18) + "]}", "objects in"},
		"empty results": {`{"others":[{}` + strings.Repeat(",{}", 1<<18) + "]}", "objects in"},
	} {
		kept := search.Result{Family: "kept"}
		err := json.Unmarshal([]byte(c.text), &kept)
		require.Error(t, err, name)
		assert.ErrorContains(t, err, c.want, name)
		assert.Equal(t, "kept", kept.Family, name)
	}
	var ways search.Result
	require.NoError(t, json.Unmarshal([]byte(`{"columns":"a \" { [ b","others":[{"columns":"c","others":[{}]}]}`), &ways))
	assert.Contains(t, ways.String(), "a \" { [ b")
}

// If a search finds the Ridge of a machine that its Space builds, the model file stores it.
func TestRidgeOfBuiltMachines(t *testing.T) {
	x, y := mat.NewDense(40, 1, nil), make([]float64, 40)
	labels := make([]int, 40)
	for i := range y {
		x.Set(i, 0, float64(i))
		y[i] = math.Sin(float64(i)/4) + .1*float64(i%3)
		labels[i] = i / 10 % 2
	}
	r := &Regressor{Space: Kernels(func(k kernels.Kernel) estimators.Regressor { return &lssvm.Regressor{Kernel: k} }, defaultFamily), Search: &shape.Search{}}
	require.NoError(t, r.Fit(context.Background(), x, y))
	again := estimators.Clone(r)
	data, err := r.MarshalBinary()
	require.NoError(t, err)
	require.NoError(t, again.UnmarshalBinary(data))
	require.Positive(t, r.Fitted().(*lssvm.Regressor).Ridge)
	assert.Equal(t, r.Fitted().(*lssvm.Regressor).Ridge, again.Fitted().(*lssvm.Regressor).Ridge)

	c := &Classifier{Space: Kernels(func(k kernels.Kernel) estimators.Classifier { return &lssvm.Classifier{Kernel: k} }, defaultFamily), Search: &entropy.Search{}}
	require.NoError(t, c.Fit(context.Background(), x, labels))
	read := estimators.Clone(c)
	data, err = c.MarshalBinary()
	require.NoError(t, err)
	require.NoError(t, read.UnmarshalBinary(data))
	require.Positive(t, c.Fitted().(*lssvm.Classifier).Ridge)
	assert.Equal(t, c.Fitted().(*lssvm.Classifier).Ridge, read.Fitted().(*lssvm.Classifier).Ridge)
}
