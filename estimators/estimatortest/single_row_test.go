package estimatortest_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/estimators/elm"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/gabasr"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/internal/testkit/declared"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/stacking"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/pca"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// singleRegressors and singleClassifiers return small machines with ten columns and about 50 vectors or 200 components.
func singleRegressors() map[string]estimators.Regressor {
	k := kernels.RBF{Gamma: 0.05}
	return map[string]estimators.Regressor{
		"lssvm":         &lssvm.Regressor{Kernel: k, Ridge: 0.1},
		"lssvm Matern":  &lssvm.Regressor{Kernel: kernels.Matern{}, Ridge: 0.1},
		"falkon":        &falkon.Regressor{Kernel: k, Ridge: 0.1, Components: 40},
		"svm":           &svm.Regressor{Kernel: k, C: 10},
		"rvm":           &rvm.Regressor{Kernel: k},
		"rvm ones":      &rvm.Regressor{Kernel: k, InterceptPrior: rvm.ARDPrior},
		"ridge":         &ridge.Regressor{},
		"stacking":      &stacking.Regressor{},
		"gabasr":        &gabasr.Regressor{Pairs: 100, Chains: 1, Sweeps: 2, BurnIn: 1},
		"gabasr trend":  &gabasr.Regressor{Pairs: 100, Chains: 1, Sweeps: 2, BurnIn: 1, Trend: 2},
		"gabasr pairs":  &gabasr.Regressor{Pairs: 100, Chains: 1, Sweeps: 2, BurnIn: 1, Features: gabasr.AllPairs},
		"selection":     &selection.Regressor{Preprocess: steps()[:2]},
		"pipeline":      &pipeline.Regressor{Steps: steps(), Final: &ridge.Regressor{}},
		"kernel map":    &pipeline.Regressor{Steps: []transformers.Transformer{&featuremap.KernelMap{Kernel: k}, &featuremap.KernelCenterer{}}, Final: &ridge.Regressor{}},
		"direct kernel": &pipeline.Regressor{Steps: []transformers.Transformer{&featuremap.KernelMap{Kernel: k}, &featuremap.KernelCenterer{}}, Final: &ridge.DirectKernel{}},
	}
}

func singleMultis() map[string]estimators.MultiRegressor {
	k := kernels.RBF{Gamma: 0.05}
	return map[string]estimators.MultiRegressor{
		"ridge":     &ridge.MultiRegressor{},
		"ridge own": &ridge.MultiRegressor{RidgePerTarget: true},
		"lssvm":     &lssvm.MultiRegressor{Kernel: k, Ridge: 0.1},
		"falkon":    &falkon.MultiRegressor{Kernel: k, Ridge: 0.1, Components: 40},
		"pipeline":  &pipeline.MultiRegressor{Steps: steps(), Final: &ridge.MultiRegressor{}},
	}
}

// For several targets, PredictTo agrees with Predict, and allocates no memory for a single row.
func TestSingleRowsOfSeveralTargets(t *testing.T) {
	x, y, _ := single(50, 2)
	xt, _, _ := single(70, 2)
	for name, r := range singleMultis() {
		require.NoError(t, r.Fit(context.Background(), x, twoTargets(y)), name)
		to := r.(estimators.MultiPredictorTo)
		for _, n := range []int{1, 5, 70} {
			some, got := xt.Slice(0, n, 0, 10).(*mat.Dense), mat.NewDense(n, 2, nil)
			want, err := r.Predict(some)
			require.NoError(t, err)
			require.NoError(t, to.PredictTo(got, some))
			assert.InDeltaSlice(t, want.RawMatrix().Data, got.RawMatrix().Data, 1e-7, name)
		}
		one, dst := mat.NewDense(1, 10, mat.Row(nil, 3, xt)), mat.NewDense(1, 2, nil)
		noAllocations(t, name, func() { _ = to.PredictTo(dst, one) })
	}
}

// steps returns enough steps that a pipeline reuses both of its buffers.
func steps() []transformers.Transformer {
	return []transformers.Transformer{&scalers.StandardScaler{}, &scalers.RMSScaler{}, &featuremap.RandomFourier{Kernel: kernels.RBF{Gamma: 0.05}, Components: 50}}
}

func singleClassifiers() map[string]estimators.Classifier {
	k := kernels.RBF{Gamma: 0.05}
	return map[string]estimators.Classifier{
		"lssvm":            &lssvm.Classifier{Kernel: k, Ridge: 0.1},
		"falkon":           &falkon.Classifier{Kernel: k, Ridge: 0.1, Components: 40},
		"svm":              &svm.Classifier{Kernel: k, C: 10},
		"rvm":              &rvm.Classifier{Kernel: k},
		"elm":              &elm.Classifier{Units: 200},
		"stacking":         &stacking.Classifier{},
		"eem":              &eem.Classifier{Units: 200},
		"eem Sigmoid":      &eem.Classifier{Units: 200, Activation: featuremap.NormalizedSigmoid},
		"eem Tanh":         &eem.Classifier{Units: 200, Activation: featuremap.Tanh},
		"eem.Kernel":       &eem.KernelClassifier{Kernel: k, Components: 50},
		"eem discriminant": &eem.Classifier{Units: 20, Multiclass: eem.Discriminant},
		"gabasr":           &gabasr.Classifier{Pairs: 100, Chains: 1, Sweeps: 2, BurnIn: 1},
		"gabasr logistic":  &gabasr.Classifier{Pairs: 100, Chains: 1, Sweeps: 2, BurnIn: 1, Likelihood: gabasr.PolyaGamma, Features: gabasr.Paired},
		"selection":        &selection.Classifier{Preprocess: steps()[:2]},
		"pipeline":         &pipeline.Classifier{Steps: steps()[:2], Final: &lssvm.Classifier{Kernel: k, Ridge: 0.1}},
	}
}

// single returns n rows of ten columns, a target, and labels of the given number of classes.
func single(n, classes int) (x *mat.Dense, y []float64, labels []int) {
	x, y, labels = mat.NewDense(n, 10, nil), make([]float64, n), make([]int, n)
	for i := range n {
		for j := range 10 {
			x.Set(i, j, math.Sin(float64(1+7*i*j+3*i+11*j)))
		}
		y[i] = math.Sin(2*x.At(i, 0)) + x.At(i, 1)*x.At(i, 2) + 0.1*x.At(i, 9)
		labels[i] = int(math.Abs(7*y[i])) % classes
	}
	return x, y, labels
}

// The To methods return the same results as the other methods up to rounding, for few rows and for many. For a single row they
// allocate no memory.
func TestSingleRows(t *testing.T) {
	ctx := context.Background()
	x, y, _ := single(50, 2)
	xt, _, _ := single(70, 2)
	for name, r := range singleRegressors() {
		to := r.(estimators.PredictorTo[float64])
		require.NoError(t, r.Fit(ctx, x, y), name)
		for _, n := range []int{1, 5, 70} {
			some, got := xt.Slice(0, n, 0, 10).(*mat.Dense), make([]float64, n)
			want, err := r.Predict(some)
			require.NoError(t, err)
			require.NoError(t, to.PredictTo(got, some))
			tolerance := 1e-9
			if name == "selection" { // a nearly linear kernel, whose large coefficients make rounding visible
				tolerance = 1e-8
			}
			assert.InDeltaSlice(t, want, got, tolerance, name)
		}
		one, dst := mat.NewDense(1, 10, mat.Row(nil, 3, xt)), make([]float64, 1)
		noAllocations(t, name, func() { _ = to.PredictTo(dst, one) })
	}
	for _, classes := range []int{2, 3} {
		x, _, labels := single(60, classes)
		for name, c := range singleClassifiers() {
			name = fmt.Sprintf("%s, %d classes", name, classes)
			to, scores := c.(estimators.PredictorTo[int]), c.(estimators.DecisionPredictorTo)
			require.NoError(t, c.Fit(ctx, x, labels), name)
			for _, n := range []int{1, 5, 70} {
				some, got, f := xt.Slice(0, n, 0, 10).(*mat.Dense), make([]int, n), mat.NewDense(n, classes, nil)
				want, err := c.Predict(some)
				require.NoError(t, err)
				require.NoError(t, to.PredictTo(got, some), name)
				assert.Equal(t, want, got, name)
				decision, err := c.(estimators.DecisionPredictor).Decision(some)
				require.NoError(t, err)
				require.NoError(t, scores.DecisionTo(f, some), name)
				assert.InDeltaSlice(t, decision.RawMatrix().Data, f.RawMatrix().Data, 1e-6, name)
			}
			assert.ErrorIs(t, scores.DecisionTo(nil, xt.Slice(0, 1, 0, 10)), estimators.ErrShape, name)
			one, dst, f := mat.NewDense(1, 10, mat.Row(nil, 3, xt)), make([]int, 1), mat.NewDense(1, classes, nil)
			noAllocations(t, name, func() { _ = to.PredictTo(dst, one) })
			noAllocations(t, name, func() { _ = scores.DecisionTo(f, one) })
		}
	}
}

func everyTransformer() map[string]transformers.Transformer {
	k := kernels.RBF{Gamma: 0.05}
	return map[string]transformers.Transformer{
		"StandardScaler": &scalers.StandardScaler{}, "RMSScaler": &scalers.RMSScaler{}, "MinMaxScaler": &scalers.MinMaxScaler{},
		"PowerTransformer": &columnwise.PowerTransformer{}, "PowerTransformer raw": &columnwise.PowerTransformer{NoStandardize: true, Gaps: true},
		"QuantileTransformer": &columnwise.QuantileTransformer{Output: columnwise.Normal}, "Winsorizer": &columnwise.Winsorizer{Gaps: true},
		"UnitRows": &scalers.UnitRows{}, "Imputer": &columnwise.Imputer{Indicators: true}, "OneHot": &columnwise.OneHot{Columns: []int{2}},
		"TargetEncoder": &columnwise.TargetEncoder{Columns: []int{2}},
		"KernelMap":     &featuremap.KernelMap{Kernel: k}, "KernelCenterer": &featuremap.KernelCenterer{}, "RandomHidden": &featuremap.RandomHidden{Units: 200},
		"RandomFourier":            &featuremap.RandomFourier{Kernel: k, Components: 200},
		"RandomFourier phase":      &featuremap.RandomFourier{Kernel: k, Components: 200, RandomPhase: true},
		"LocallyStationaryFourier": &featuremap.LocallyStationaryFourier{Local: k, Stationary: k, Components: 200},
		"Nystroem":                 &featuremap.Nystroem{Kernel: k, Components: 50},
		"PCA":                      &pca.PCA{Components: 6, Whiten: true},
		"KernelPCA":                &pca.KernelPCA{Kernel: k, Components: 6},
		"pipeline":                 &pipeline.Transformer{Steps: steps()},
		"columns": &pipeline.ColumnTransformer{Parts: []pipeline.ColumnPart{
			{Columns: []int{3, 1, 2}, Of: &scalers.StandardScaler{}}, {Columns: []int{0, 1}, Of: &pipeline.Transformer{Steps: steps()}},
		}},
		"no steps": &pipeline.Transformer{},
	}
}

// The lists above contain all types with PredictTo or TransformTo.
func TestSingleRowsOfAll(t *testing.T) {
	var all []string
	for _, r := range singleRegressors() {
		all = append(all, declared.Name(r))
	}
	for _, m := range singleMultis() {
		all = append(all, declared.Name(m))
	}
	for _, c := range singleClassifiers() {
		all = append(all, declared.Name(c))
	}
	for _, tr := range everyTransformer() {
		all = append(all, declared.Name(tr))
	}
	declared.Lists(t, "single_row_test.go", all, map[string]string{"ridge.DirectKernel": "stands in a pipeline that makes its kernel"}, filepath.Join("..", ".."), "PredictTo", "TransformTo")
}

// A transformer with TransformTo allocates no memory for a single row.
func TestTransformSingleRows(t *testing.T) {
	x, _, _ := single(50, 2)
	one := mat.NewDense(1, 10, mat.Row(nil, 3, x))
	for name, tr := range everyTransformer() {
		_, err := transformers.FitTransform(context.Background(), tr, x, x.ColView(0))
		require.NoError(t, err)
		to, dst := tr.(transformers.TransformerTo), &mat.Dense{}
		require.NoError(t, to.TransformTo(dst, one))
		noAllocations(t, name, func() {
			dst.Reset()
			_ = to.TransformTo(dst, one)
		})
	}
}

func errorOf[T any](_ T, err error) error { return err }

// BenchmarkSingleRow measures the latency of a single prediction, with Predict and with PredictTo.
func BenchmarkSingleRow(b *testing.B) {
	ctx := context.Background()
	x, y, labels := single(50, 2)
	one := mat.NewDense(1, 10, mat.Row(nil, 3, x))
	large, _, largeLabels := single(500, 2)
	for name, r := range singleRegressors() {
		if err := r.Fit(ctx, x, y); err != nil {
			b.Fatal(err)
		}
		dst := make([]float64, 1)
		b.Run("regressor/"+name+"/Predict", func(b *testing.B) { measure(b, func() error { return errorOf(r.Predict(one)) }) })
		b.Run("regressor/"+name+"/PredictTo", func(b *testing.B) {
			measure(b, func() error { return r.(estimators.PredictorTo[float64]).PredictTo(dst, one) })
		})
	}
	for name, c := range singleClassifiers() {
		rows, of := x, labels
		switch c.(type) {
		case *eem.Classifier, *elm.Classifier: // units are rows
			rows, of = large, largeLabels
		}
		if err := c.Fit(ctx, rows, of); err != nil {
			b.Fatal(err)
		}
		dst := make([]int, 1)
		b.Run("classifier/"+name+"/Predict", func(b *testing.B) { measure(b, func() error { return errorOf(c.Predict(one)) }) })
		b.Run("classifier/"+name+"/PredictTo", func(b *testing.B) {
			measure(b, func() error { return c.(estimators.PredictorTo[int]).PredictTo(dst, one) })
		})
	}
}

func measure(b *testing.B, f func() error) {
	b.ReportAllocs()
	for b.Loop() {
		if err := f(); err != nil {
			b.Fatal(err)
		}
	}
}
