package estimatortest_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/validation"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
)

// If an error concerns the data, its text begins with the name of the called type, in Fit and in each method with rows.
func TestErrorsNameTheType(t *testing.T) {
	ctx := context.Background()
	x, y, labels := mat.NewDense(40, 2, nil), make([]float64, 40), make([]int, 40)
	for i := range y {
		x.SetRow(i, []float64{math.Sin(float64(i)), math.Cos(3 * float64(i))})
		y[i], labels[i] = x.At(i, 0)*x.At(i, 1)+.1*math.Sin(100*float64(i)), i%2
	}
	infinite := mat.DenseCopyOf(x)
	infinite.Set(3, 1, math.Inf(1))
	named := 0
	for _, make0 := range withSettings {
		e := make0()
		var fit func(x *mat.Dense, n int) error
		switch e := e.(type) {
		case *ridge.DirectKernel, search.Strategy:
			continue // about a kernel matrix, or not about data
		case estimators.Regressor:
			fit = func(x *mat.Dense, n int) error { return e.Fit(ctx, x, y[:n]) }
		case estimators.Classifier:
			fit = func(x *mat.Dense, n int) error { return e.Fit(ctx, x, labels[:n]) }
		case transformers.Transformer:
			fit = func(x *mat.Dense, n int) error {
				if t, ok := e.(*columnwise.TargetEncoder); ok {
					_, err := t.FitTransformTargets(ctx, x, mat.NewDense(max(n, 1), 1, y[:max(n, 1)]))
					return err
				}
				return e.Fit(ctx, x)
			}
		case estimators.MultiRegressor:
			fit = func(x *mat.Dense, n int) error { return e.Fit(ctx, x, mat.NewDense(max(n, 1), 1, y[:max(n, 1)])) }
		case estimators.Detector:
			fit = func(x *mat.Dense, _ int) error { return e.Fit(ctx, x) }
		default:
			continue
		}
		typ := strings.Replace(strings.TrimPrefix(fmt.Sprintf("%T", e), "*"), ".", ": ", 1)
		begins := func(doing string, err error) {
			t.Helper()
			named++
			if assert.Error(t, err, "%s: %s", typ, doing) {
				assert.True(t, strings.HasPrefix(err.Error(), typ+": "), "%s: %s: %q", typ, doing, err)
				assert.Equal(t, 1, strings.Count(err.Error(), typ), "%s: %s: %q", typ, doing, err)
			}
		}
		begins("Fit of an infinity", fit(infinite, 40))
		begins("Fit of no rows", fit(&mat.Dense{}, 0))
		if !unsupervised(e) {
			begins("Fit of too few targets", fit(x, 39))
		}
		require.NoError(t, fit(x, 40), typ)
		v := reflect.ValueOf(e)
		for i := range v.NumMethod() {
			m := v.Method(i)
			if m.Type().NumIn() != 1 || m.Type().In(0) != reflect.TypeFor[mat.Matrix]() || m.Type().NumOut() < 1 {
				continue
			}
			for doing, bad := range map[string]mat.Matrix{"an infinity": infinite, "five columns": mat.NewDense(3, 5, nil)} {
				out := m.Call([]reflect.Value{reflect.ValueOf(bad)})
				err, _ := out[len(out)-1].Interface().(error)
				if !errors.Is(err, errors.ErrUnsupported) {
					begins(v.Type().Method(i).Name+" of "+doing, err)
				}
			}
		}
	}
	assert.Greater(t, named, 150)
}

func unsupervised(e any) bool {
	switch e.(type) {
	case transformers.Transformer, estimators.Detector:
		return true
	}
	return false
}

// A weight for a class that does not occur is an error in every classifier with class weights. It is not an error in the folds of a
// cross-validation, where a class may be missing.
func TestWeightsOfAClassThatIsNone(t *testing.T) {
	ctx := context.Background()
	x, labels := mat.NewDense(40, 2, nil), make([]int, 40)
	for i := range labels {
		x.SetRow(i, []float64{math.Sin(float64(i)), math.Cos(3 * float64(i))})
		labels[i] = i % 2
	}
	labels[7] = 5
	seen := 0
	for _, make0 := range withSettings {
		build := func(of map[int]float64) estimators.Classifier {
			e := make0()
			weights := reflect.ValueOf(e).Elem().FieldByName("ClassWeights")
			if !weights.IsValid() {
				return nil
			}
			weights.Set(reflect.ValueOf(of))
			return e.(estimators.Classifier)
		}
		c := build(map[int]float64{0: 1, 3: 2})
		if c == nil {
			continue
		}
		seen++
		typ := strings.Replace(strings.TrimPrefix(fmt.Sprintf("%T", c), "*"), ".", ": ", 1)
		err := c.Fit(ctx, x, labels)
		require.ErrorIs(t, err, estimators.ErrParam, typ)
		assert.EqualError(t, err, typ+": ClassWeights[3] = 2, want weights of classes in y only: [0 1 5]")

		_, err = validation.CrossValidateClassifier(ctx, build(map[int]float64{5: 2}), x, labels, nil)
		assert.NoError(t, err, typ)
	}
	assert.GreaterOrEqual(t, seen, 8)
}
