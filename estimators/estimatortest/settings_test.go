package estimatortest_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/calibration"
	"github.com/kernelearn/kernelearn/estimators/conformal"
	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/estimators/elm"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/forecast"
	"github.com/kernelearn/kernelearn/estimators/gabasr"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/novelty"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/stacking"
	"github.com/kernelearn/kernelearn/selection/threshold"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/pca"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// withSettings lists the types with settings.
var withSettings = []func() any{
	func() any { return &lssvm.Regressor{} }, func() any { return &lssvm.Classifier{} },
	func() any { return &falkon.Regressor{} }, func() any { return &falkon.Classifier{} },
	func() any { return &ridge.Regressor{} }, func() any { return &ridge.DirectKernel{} },
	func() any { return &ridge.MultiRegressor{} }, func() any { return &lssvm.MultiRegressor{} }, func() any { return &falkon.MultiRegressor{} },
	func() any { return &svm.Regressor{} }, func() any { return &svm.Classifier{} }, func() any { return &svm.OneClass{} }, func() any { return &novelty.Density{} },
	func() any { return &rvm.Regressor{} }, func() any { return &rvm.Classifier{} },
	func() any { return &gabasr.Regressor{Sweeps: 6} }, func() any { return &gabasr.Classifier{Sweeps: 6} },
	func() any { return &eem.Classifier{} }, func() any { return &eem.KernelClassifier{} },
	func() any { return &elm.Classifier{} },
	func() any { return &conformal.Regressor{} }, func() any { return &conformal.Classifier{} },
	func() any { return &calibration.Classifier{} },
	func() any { return &stacking.Regressor{} }, func() any { return &stacking.Classifier{} },
	func() any { return &threshold.Classifier{} }, func() any { return &forecast.Forecaster{} },
	func() any { return &selection.Regressor{} }, func() any { return &selection.Classifier{} },
	func() any { return &entropy.Search{} }, func() any { return &grid.Search{} },
	func() any { return &grid.Halving{} }, func() any { return &entropy.GoldenSection{} },
	func() any { return &scalers.MinMaxScaler{} }, func() any { return &columnwise.PowerTransformer{} },
	func() any { return &columnwise.QuantileTransformer{} }, func() any { return &columnwise.Winsorizer{} }, func() any { return &columnwise.Imputer{} }, func() any { return &columnwise.OneHot{} },
	func() any { return &columnwise.TargetEncoder{} }, func() any { return &featuremap.KernelMap{} }, func() any { return &featuremap.RandomHidden{} }, func() any { return &featuremap.RandomFourier{} },
	func() any { return &featuremap.LocallyStationaryFourier{} }, func() any { return &featuremap.Nystroem{} },
	func() any { return &pca.PCA{} }, func() any { return &pca.KernelPCA{} },
}

// A negative number in a setting is an error that names the field, in every type. No negative number has a special meaning: fields
// named No... switch features off, and zero makes the estimator choose.
func TestNegativeSettingsAreErrors(t *testing.T) {
	mayBeNegative := map[string]bool{"MinMaxScaler.Low": true, "MinMaxScaler.High": true}
	count := 0
	for _, make := range withSettings {
		typ := reflect.TypeOf(make()).Elem()
		for i := range typ.NumField() {
			field := typ.Field(i)
			e := make()
			v := reflect.ValueOf(e).Elem().Field(i)
			switch {
			case !field.IsExported() || mayBeNegative[typ.Name()+"."+field.Name]:
				continue
			case v.CanInt():
				v.SetInt(-1)
			case v.CanFloat():
				v.SetFloat(-1)
			default:
				continue
			}
			count++
			err := fitAny(context.Background(), e)
			assert.ErrorIs(t, err, estimators.ErrParam, "%v.%s", typ, field.Name)
			assert.ErrorContains(t, err, field.Name, "%v", typ)
		}
	}
	assert.Greater(t, count, 80, "settings that were tried")
}

// If a setting is far too large, one of three things happens: an error is returned before memory is allocated, the few rows do not
// reach the setting, or the context ends a long loop.
func TestLargeSettings(t *testing.T) {
	values := []int64{1_000_000, math.MaxInt32, math.MaxInt}
	if testing.Short() {
		values = values[2:]
	}
	const mostBytes = 4 << 30 // total allocations, including memory that a loop discards
	count, tooLarge := 0, 0
	for _, make := range withSettings {
		typ := reflect.TypeOf(make()).Elem()
		for i := range typ.NumField() {
			field := typ.Field(i)
			if !field.IsExported() || !reflect.ValueOf(make()).Elem().Field(i).CanInt() {
				continue
			}
			for _, value := range values {
				e := make()
				v := reflect.ValueOf(e).Elem().Field(i)
				if v.SetInt(value); v.Int() != value {
					continue
				}
				count++
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				err := fitAny(ctx, e)
				runtime.ReadMemStats(&after)
				cancel()
				name := fmt.Sprintf("%v.%s = %d: %v", typ, field.Name, value, err)
				assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(mostBytes), name)
				switch {
				case errors.Is(err, estimators.ErrTooLarge):
					tooLarge++
					var large *estimators.TooLargeError
					assert.ErrorAs(t, err, &large, name)
				case err != nil:
					assert.True(t, errors.Is(err, estimators.ErrParam) || errors.Is(err, context.DeadlineExceeded), name)
				}
			}
		}
	}
	assert.Greater(t, count, 60*len(values), "settings that were tried")
	assert.Greater(t, tooLarge, 5*len(values), "of which some are too large")
}

// fitAny fits any type with settings to four rows.
func fitAny(ctx context.Context, e any) error {
	x := mat.NewDense(4, 2, []float64{1, 2, 2, 1, 3, 5, 5, 3})
	switch e := e.(type) {
	case *ridge.DirectKernel:
		return e.Fit(ctx, mat.NewDense(4, 4, []float64{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}), []float64{1, 2, 3, 5})
	case estimators.Regressor:
		return e.Fit(ctx, x, []float64{1, 2, 3, 5})
	case estimators.Classifier:
		return e.Fit(ctx, x, []int{0, 1, 0, 1})
	case transformers.Transformer:
		_, err := transformers.FitTransform(ctx, e, x, x.ColView(0))
		return err
	case estimators.MultiRegressor:
		return e.Fit(ctx, x, twoTargets([]float64{1, 2, 3, 5}))
	case estimators.Detector:
		return e.Fit(ctx, x)
	case *forecast.Forecaster:
		values := make([]float64, 40)
		for i := range values {
			values[i] = float64(i % 7)
		}
		return e.Fit(ctx, values, nil)
	case search.Strategy:
		return (&selection.Regressor{Search: e}).Fit(ctx, x, []float64{1, 2, 3, 5})
	}
	return fmt.Errorf("%T is nothing to fit", e)
}
