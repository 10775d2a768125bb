package estimatortest_test

import (
	"context"
	"encoding"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/transformers"
)

// extremes returns functions that multiply rows, targets and weights to extreme sizes, by name.
func extremes() map[string]func(x *mat.Dense, y, w []float64) {
	scaled := func(by float64) func(v []float64) {
		return func(v []float64) {
			for i := range v {
				v[i] *= by
			}
		}
	}
	out := map[string]func(x *mat.Dense, y, w []float64){}
	sizes := []float64{1e-300, 1e-160, 1e-78, 1e78, 1e150, 1e154, 1e300} // near the sizes at which fourth powers or squares overflow or underflow
	if testing.Short() {
		sizes = []float64{1e-300, 1e150}
	}
	for _, by := range sizes {
		out[fmt.Sprintf("targets times %g", by)] = func(_ *mat.Dense, y, _ []float64) { scaled(by)(y) }
		out[fmt.Sprintf("rows times %g", by)] = func(x *mat.Dense, _, _ []float64) { scaled(by)(x.RawMatrix().Data) }
		out[fmt.Sprintf("weights times %g", by)] = func(_ *mat.Dense, _, w []float64) { scaled(by)(w) }
		out[fmt.Sprintf("one weight times %g", by)] = func(_ *mat.Dense, _, w []float64) { w[3] *= by }
		out[fmt.Sprintf("one row times %g", by)] = func(x *mat.Dense, _, _ []float64) { scaled(by)(x.RawRowView(3)) }
		out[fmt.Sprintf("one target times %g", by)] = func(_ *mat.Dense, y, _ []float64) { y[3] *= by }
		out[fmt.Sprintf("one column times %g", by)] = func(x *mat.Dense, _, _ []float64) {
			for i := range rowsOfExtremes {
				x.Set(i, 1, by*x.At(i, 1))
			}
		}
	}
	out["targets far from 0"] = func(_ *mat.Dense, y, _ []float64) {
		for i := range y {
			y[i] += 1e17
		}
	}
	out["the same target"] = func(_ *mat.Dense, y, _ []float64) { clear(y) }
	out["the same row"] = func(x *mat.Dense, _, _ []float64) { x.Zero() }
	for _, by := range []float64{1e-160, 1e160} {
		out[fmt.Sprintf("rows times %g, and wild weights", by)] = func(x *mat.Dense, _, w []float64) {
			scaled(by)(x.RawMatrix().Data)
			wild(w)
		}
	}
	out["wild weights"] = func(_ *mat.Dense, _, w []float64) { wild(w) }
	out["the largest rows"] = func(x *mat.Dense, _, _ []float64) {
		for i := range rowsOfExtremes {
			x.Set(i, 0, math.Copysign(math.MaxFloat64, x.At(i, 0)))
		}
	}
	out["nothing"] = func(*mat.Dense, []float64, []float64) {}
	return out
}

const rowsOfExtremes = 12

// wild sets weights that are all different.
func wild(w []float64) {
	for i := range w {
		w[i] = math.Exp(float64(200*i%389) - 194)
	}
}

// A model that can be fitted can be stored. Whatever the data, the decoded model predicts the same as the model that was stored:
// finite numbers or an error.
func TestFilesOfExtremes(t *testing.T) {
	for _, make0 := range withSettings {
		if _, strategy := make0().(search.Strategy); strategy {
			continue
		}
		typ := reflect.TypeOf(make0()).Elem()
		for name, change := range extremes() {
			rng := rand.New(rand.NewPCG(1, 2))
			x, y, w, labels := mat.NewDense(rowsOfExtremes, 2, nil), make([]float64, rowsOfExtremes), make([]float64, rowsOfExtremes), make([]int, rowsOfExtremes)
			for i := range y {
				x.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64()})
				y[i], w[i], labels[i] = x.At(i, 0)+0.1*rng.NormFloat64(), 1, i%2
			}
			change(x, y, w)
			e := make0()
			if err := fitWeighted(e, x, y, labels, w); err != nil {
				continue // the rows are rejected, with an error that other checks test
			}
			what := fmt.Sprintf("%v, %s", typ, name)
			data, err := e.(encoding.BinaryMarshaler).MarshalBinary()
			if !assert.NoError(t, err, what) {
				continue
			}
			again := make0()
			if !assert.NoError(t, again.(encoding.BinaryUnmarshaler).UnmarshalBinary(data), what) {
				continue
			}
			compare(t, what, e, again, x)
		}
	}
}

func fitWeighted(e any, x *mat.Dense, y []float64, labels []int, w []float64) error {
	ctx := context.Background()
	switch e := e.(type) {
	case transformers.Transformer:
		return e.Fit(ctx, x)
	case estimators.WeightedFitter[float64]:
		return e.FitWeighted(ctx, x, y, w)
	case estimators.WeightedFitter[int]:
		return e.FitWeighted(ctx, x, labels, w)
	case estimators.Regressor:
		return e.Fit(ctx, x, y)
	case estimators.Classifier:
		return e.Fit(ctx, x, labels)
	case *svm.OneClass:
		return e.FitWeighted(ctx, x, w)
	case estimators.Detector:
		return e.Fit(ctx, x)
	}
	return fmt.Errorf("%T is nothing to fit", e)
}

// compare checks that all predictions of e and again are equal.
func compare(t *testing.T, what string, e, again any, x *mat.Dense) {
	t.Helper()
	finite := func(method string, values ...[]float64) {
		for _, list := range values {
			for i, v := range list {
				assert.False(t, math.IsNaN(v) || math.IsInf(v, 0), "%s: %s[%d] is %v", what, method, i, v)
			}
		}
	}
	same := func(method string, a, b [][]float64, errA, errB error) {
		require.Equal(t, errA == nil, errB == nil, "%s: %s: %v, %v", what, method, errA, errB)
		if errA == nil {
			finite(method, a...)
			for k := range a {
				assert.Equal(t, a[k], b[k], "%s: %s", what, method)
			}
		}
	}
	if a, ok := e.(transformers.Transformer); ok {
		u, errA := a.Transform(x)
		v, errB := again.(transformers.Transformer).Transform(x)
		require.Equal(t, errA == nil, errB == nil, "%s: %v, %v", what, errA, errB)
		if errA == nil {
			finite("Transform", u.RawMatrix().Data)
			assert.Equal(t, u.RawMatrix().Data, v.RawMatrix().Data, what)
		}
	}
	if a, ok := e.(estimators.Regressor); ok {
		u, errA := a.Predict(x)
		v, errB := again.(estimators.Regressor).Predict(x)
		same("Predict", [][]float64{u}, [][]float64{v}, errA, errB)
	}
	if a, ok := e.(estimators.Detector); ok {
		u, errA := a.Score(x)
		v, errB := again.(estimators.Detector).Score(x)
		same("Score", [][]float64{u}, [][]float64{v}, errA, errB)
	}
	if a, ok := e.(estimators.PPredictor); ok {
		u, errA := a.PredictP(x)
		v, errB := again.(estimators.PPredictor).PredictP(x)
		same("PredictP", [][]float64{u}, [][]float64{v}, errA, errB)
	}
	if a, ok := e.(estimators.VariancePredictor); ok && estimators.Supports(e, estimators.Variance) {
		m, u, errA := a.PredictVariance(x)
		n, v, errB := again.(estimators.VariancePredictor).PredictVariance(x)
		same("PredictVariance", [][]float64{m, u}, [][]float64{n, v}, errA, errB)
	}
	if a, ok := e.(estimators.ProbaPredictor); ok && estimators.Supports(e, estimators.Proba) {
		u, errA := a.PredictProba(x)
		v, errB := again.(estimators.ProbaPredictor).PredictProba(x)
		if errA != nil || errB != nil {
			require.Equal(t, errA == nil, errB == nil, "%s: %v, %v", what, errA, errB)
			return
		}
		same("PredictProba", [][]float64{u.RawMatrix().Data}, [][]float64{v.RawMatrix().Data}, nil, nil)
	}
	if a, ok := e.(estimators.DecisionPredictor); ok && estimators.Supports(e, estimators.Decision) {
		u, errA := a.Decision(x)
		v, errB := again.(estimators.DecisionPredictor).Decision(x)
		if errA == nil && errB == nil {
			same("Decision", [][]float64{u.RawMatrix().Data}, [][]float64{v.RawMatrix().Data}, nil, nil)
		}
	}
}
