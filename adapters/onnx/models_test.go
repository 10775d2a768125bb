package onnx_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/calibration"
	"github.com/kernelearn/kernelearn/estimators/conformal"
	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/estimators/elm"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/gabasr"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/novelty"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/internal/testkit/declared"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/stacking"
	"github.com/kernelearn/kernelearn/selection/threshold"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/pca"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// columns is the number of columns of all models.
const columns = 4

// fitted is a model with rows to predict.
type fitted struct {
	name  string
	model any
	x     *mat.Dense
	usual int // number of rows that resemble the training rows; the others are far outside
	gaps  bool
}

// sample returns rows whose columns differ in scale and location. One column is skewed, and another has only a few values.
func sample(n int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(n, columns, nil)
	for i := range n {
		a := rng.NormFloat64()
		x.SetRow(i, []float64{a, 40 + 5*rng.NormFloat64() + 3*a, math.Exp(rng.NormFloat64()), float64(rng.IntN(4))})
	}
	return x
}

func targets(x *mat.Dense) ([]float64, []int, []int) {
	n, _ := x.Dims()
	rng := rand.New(rand.NewPCG(7, 7))
	y, two, three := make([]float64, n), make([]int, n), make([]int, n)
	for i := range n {
		r := x.RawRowView(i)
		y[i] = 10 + 3*math.Sin(2*r[0]) + (r[1]-40)/5 + math.Log(r[2]) + .2*rng.NormFloat64()
		s := y[i] + .8*rng.NormFloat64()
		two[i], three[i] = -1, 5
		if s > 10 {
			two[i] = 3
		}
		if s > 8.5 {
			three[i] = 7
		}
		if s > 11.5 {
			three[i] = 20
		}
	}
	return y, two, three
}

// tried returns rows to predict: new rows, some training rows, and some rows far outside. It also returns the number of rows that
// are not far outside.
func tried(train *mat.Dense) (*mat.Dense, int) {
	fresh := sample(30, 99)
	out := mat.NewDense(50, columns, nil)
	for i := range 30 {
		out.SetRow(i, fresh.RawRowView(i))
	}
	for i := range 10 {
		out.SetRow(30+i, train.RawRowView(3*i))
	}
	for i := range 10 {
		row := slices.Clone(fresh.RawRowView(i))
		for j := range row {
			row[j] *= math.Pow(10, float64(1+i%4)) * float64(1-2*(i%2))
		}
		out.SetRow(40+i, row)
	}
	return out, 40
}

// nearer leaves out the rows that are very far outside, where sines and cosines depend mainly on the rounding of the angle.
func nearer(x *mat.Dense) *mat.Dense { return mat.DenseCopyOf(x.Slice(0, 41, 0, columns)) }

// waves reports whether a model consists of sines and cosines, according to its name.
func waves(name string) bool {
	return strings.Contains(name, "gabasr") || strings.Contains(name, "Fourier") || strings.Contains(name, "Periodic")
}

var everyKernel = []kernels.Kernel{
	kernels.RBF{Gamma: .3}, kernels.Laplacian{Gamma: .3}, kernels.Matern{Nu: .5}, kernels.Matern{Nu: 1.5, Length: 2}, kernels.Matern{Nu: 2.5, Length: 2},
	kernels.RationalQuadratic{Alpha: .7, Length: 2}, kernels.Periodic{Periods: []float64{3}, Lengths: []float64{2}},
	kernels.Linear{}, kernels.Polynomial{Degree: 3, Gamma: .2, Coef0: 1}, kernels.Tanh{Gamma: .05, Coef0: .1}, kernels.ELM{Sigma: .5},
	kernels.Sum{kernels.RBF{Gamma: .3}, kernels.Linear{}}, kernels.Product{kernels.RBF{Gamma: .1}, kernels.Polynomial{Degree: 2, Coef0: 1}},
	kernels.Scaled{Kernel: kernels.RBF{Gamma: .2}, Factor: 3}, kernels.Normalized{Kernel: kernels.Polynomial{Degree: 2, Coef0: 1}},
	kernels.ARD{Kernel: kernels.Matern{Nu: 2.5}, Lengths: []float64{1, 2, 3, 4}}, kernels.Columns{Of: []int{2, 0}, Kernel: kernels.RBF{Gamma: .5}},
	kernels.ARD{Kernel: kernels.Matern{Nu: 2.5}, Lengths: []float64{1, 2, 1, 3}, Categories: []int{3}}, kernels.ARD{Kernel: kernels.Laplacian{}, Lengths: []float64{1, 2, 1, 3}, Categories: []int{3}},
	kernels.Additive{Kernel: kernels.RBF{Gamma: .5}, Lengths: []float64{1, 2, 1, 3}, Variances: []float64{1, 2, 1, 1}},
}

// transformersOf returns the transformers, and whether each is tested with gaps.
func transformersOf() (out []transformers.Transformer, gaps []bool) {
	for _, t := range []transformers.Transformer{
		&scalers.StandardScaler{}, &scalers.StandardScaler{Clip: true}, &scalers.RMSScaler{}, &scalers.UnitRows{},
		&scalers.MinMaxScaler{}, &scalers.MinMaxScaler{Low: -1, High: 1, Clip: true},
		&columnwise.PowerTransformer{}, &columnwise.PowerTransformer{Clip: true}, &columnwise.PowerTransformer{NoStandardize: true},
		&columnwise.QuantileTransformer{}, &columnwise.QuantileTransformer{Output: columnwise.Normal, Quantiles: 20},
		&columnwise.Winsorizer{}, &featuremap.KernelMap{Kernel: kernels.RBF{Gamma: .01}}, &featuremap.KernelCenterer{},
		&featuremap.RandomFourier{Components: 20}, &featuremap.RandomFourier{Components: 21, RandomPhase: true, Kernel: kernels.Laplacian{Gamma: .1}},
		&featuremap.LocallyStationaryFourier{Components: 20}, &featuremap.LocallyStationaryFourier{Components: 50, AllPairs: true},
		&featuremap.RandomHidden{Units: 15}, &featuremap.RandomHidden{Units: 15, Activation: featuremap.Sigmoid},
		&featuremap.RandomHidden{Units: 15, Activation: featuremap.NormalizedSigmoid}, &featuremap.RandomHidden{Units: 15, Activation: featuremap.RandomRBF},
		&featuremap.RandomHidden{Units: 15, Activation: featuremap.Tanh},
		&pca.PCA{}, &pca.PCA{Components: 2, Whiten: true}, &pca.KernelPCA{Components: 5},
		&pipeline.ColumnTransformer{Parts: []pipeline.ColumnPart{{Columns: []int{2, 0}, Of: &scalers.StandardScaler{}}, {Columns: []int{3}, Of: &columnwise.OneHot{Columns: []int{0}}}}},
		&featuremap.Nystroem{Components: 20}, &columnwise.OneHot{Columns: []int{3}}, &columnwise.TargetEncoder{Columns: []int{3}},
		&pipeline.Transformer{Steps: []transformers.Transformer{&scalers.StandardScaler{}, &scalers.UnitRows{}}},
	} {
		out, gaps = append(out, t), append(gaps, false)
	}
	for _, t := range []transformers.Transformer{
		&columnwise.Imputer{}, &columnwise.Imputer{Indicators: true, Statistic: columnwise.Median}, &columnwise.OneHot{Columns: []int{2, 3}, Gaps: true, MaxLevels: 1000},
		&columnwise.PowerTransformer{Gaps: true}, &columnwise.QuantileTransformer{Gaps: true}, &columnwise.Winsorizer{Gaps: true},
	} {
		out, gaps = append(out, t), append(gaps, true)
	}
	return out, gaps
}

func scaled(final estimators.Regressor, more ...transformers.Transformer) estimators.Regressor {
	return &pipeline.Regressor{Steps: append([]transformers.Transformer{&scalers.StandardScaler{}}, more...), Final: final}
}

func scaledClassifier(final estimators.Classifier, more ...transformers.Transformer) estimators.Classifier {
	return &pipeline.Classifier{Steps: append([]transformers.Transformer{&scalers.StandardScaler{}}, more...), Final: final}
}

func regressors() (names []string, out []estimators.Regressor) {
	add := func(name string, r estimators.Regressor) { names, out = append(names, name), append(out, r) }
	for _, k := range everyKernel {
		if _, indefinite := k.(kernels.Tanh); indefinite {
			add("svm "+k.String(), scaled(&svm.Regressor{Kernel: k}))
		} else {
			add("lssvm "+k.String(), scaled(&lssvm.Regressor{Kernel: k, Ridge: .1}))
		}
	}
	add("lssvm", scaled(&lssvm.Regressor{}))
	add("falkon", scaled(&falkon.Regressor{Components: 40}))
	add("falkon, conjugate gradients", scaled(&falkon.Regressor{Solver: falkon.ConjugateGradients, Components: 40, Kernel: kernels.Matern{}}))
	add("ridge", &ridge.Regressor{})
	add("ridge, Nystroem", scaled(&ridge.Regressor{}, &featuremap.Nystroem{Components: 40}))
	add("ridge, RandomFourier", scaled(&ridge.Regressor{}, &featuremap.RandomFourier{Components: 200}))
	add("ridge, LocallyStationaryFourier", scaled(&ridge.Regressor{}, &featuremap.LocallyStationaryFourier{Components: 60}))
	add("ridge, power, Nystroem, Laplacian", &pipeline.Regressor{Steps: []transformers.Transformer{
		&columnwise.Imputer{}, &columnwise.PowerTransformer{Clip: true}, &featuremap.Nystroem{Kernel: kernels.Laplacian{Gamma: .2}, Components: 40},
	}, Final: &ridge.Regressor{}})
	add("DirectKernel", scaled(&ridge.DirectKernel{}, &featuremap.KernelMap{}, &featuremap.KernelCenterer{}))
	add("svm", scaled(&svm.Regressor{}))
	add("svm, Laplacian", scaled(&svm.Regressor{Kernel: kernels.Laplacian{Gamma: .2}}))
	add("svm, nu", scaled(&svm.Regressor{Nu: .4}))
	add("svm, tube around all", scaled(&svm.Regressor{Epsilon: 100}))
	add("rvm", scaled(&rvm.Regressor{}))
	add("rvm, two kernels", scaled(&rvm.Regressor{Kernels: []kernels.Kernel{kernels.RBF{Gamma: .3}, kernels.Matern{Nu: .5}}}))
	add("gabasr", &gabasr.Regressor{Pairs: 20, Sweeps: 6, BurnIn: 2})
	add("gabasr, trend, all pairs", &gabasr.Regressor{Pairs: 16, Features: gabasr.AllPairs, Trend: 2, Sweeps: 4, BurnIn: 2})
	add("gabasr, paired", &gabasr.Regressor{Pairs: 16, Features: gabasr.Paired, Sweeps: 4, BurnIn: 2})
	add("conformal, full", &conformal.Regressor{Method: conformal.Full})
	add("conformal, ridge", &conformal.Regressor{Estimator: &ridge.Regressor{}, Method: conformal.Full})
	add("conformal, pipeline", &conformal.Regressor{Estimator: scaled(&falkon.Regressor{Components: 30}), Method: conformal.JackknifePlus})
	add("conformal, split", &conformal.Regressor{Estimator: scaled(&svm.Regressor{}), Method: conformal.Split})
	add("selection", &selection.Regressor{})
	add("stacking", scaled(&stacking.Regressor{}))
	add("selection, space", &selection.Regressor{
		Preprocess: []transformers.Transformer{&scalers.StandardScaler{}},
		Space:      selection.Kernels(func(k kernels.Kernel) estimators.Regressor { return &lssvm.Regressor{Kernel: k} }), Search: &grid.Search{},
	})
	return names, out
}

// multis returns regressors for several targets, by name.
func multis() map[string]estimators.MultiRegressor {
	scaled := func(final estimators.MultiRegressor, more ...transformers.Transformer) estimators.MultiRegressor {
		return &pipeline.MultiRegressor{Steps: append([]transformers.Transformer{&scalers.StandardScaler{}}, more...), Final: final}
	}
	return map[string]estimators.MultiRegressor{
		"ridge": &ridge.MultiRegressor{}, "ridge, one for each": &ridge.MultiRegressor{RidgePerTarget: true},
		"ridge, Nystroem": scaled(&ridge.MultiRegressor{}, &featuremap.Nystroem{Components: 40}),
		"lssvm":           scaled(&lssvm.MultiRegressor{}), "falkon": scaled(&falkon.MultiRegressor{Components: 40}),
	}
}

func classifiers() (names []string, out []estimators.Classifier) {
	add := func(name string, c estimators.Classifier) { names, out = append(names, name), append(out, c) }
	add("lssvm", scaledClassifier(&lssvm.Classifier{}))
	add("falkon", scaledClassifier(&falkon.Classifier{Components: 40}))
	add("falkon, logistic", scaledClassifier(&falkon.Classifier{Components: 40, Loss: falkon.LogisticLoss}))
	add("svm", scaledClassifier(&svm.Classifier{}))
	add("svm, nu", scaledClassifier(&svm.Classifier{Nu: .3, Balanced: true}))
	add("svm, probabilities", scaledClassifier(&svm.Classifier{Probabilities: true}))
	add("rvm", scaledClassifier(&rvm.Classifier{}))
	add("eem", scaledClassifier(&eem.Classifier{Units: 20}))
	add("eem, sigmoid, discriminant", scaledClassifier(&eem.Classifier{Units: 20, Activation: featuremap.Sigmoid, Multiclass: eem.Discriminant}))
	add("eekm", scaledClassifier(&eem.KernelClassifier{Components: 20}))
	add("elm", scaledClassifier(&elm.Classifier{Units: 20, Ridge: .1}))
	add("gabasr", &gabasr.Classifier{Pairs: 16, Sweeps: 4, BurnIn: 2})
	add("gabasr, Pólya-Gamma", &gabasr.Classifier{Pairs: 10, Likelihood: gabasr.PolyaGamma, Sweeps: 4, BurnIn: 2})
	for _, m := range []calibration.Method{calibration.Temperature, calibration.Platt, calibration.Isotonic} {
		add(fmt.Sprintf("calibration, %v", m), &calibration.Classifier{Estimator: scaledClassifier(&lssvm.Classifier{}), Method: m})
	}
	add("calibration, elm", &calibration.Classifier{Estimator: scaledClassifier(&elm.Classifier{Units: 20, Ridge: .1})})
	add("conformal", &conformal.Classifier{})
	add("stacking", scaledClassifier(&stacking.Classifier{}))
	add("threshold", scaledClassifier(&threshold.Classifier{MinRecall: .95}))
	add("conformal, full", &conformal.Classifier{Method: conformal.Full, Estimator: scaledClassifier(&lssvm.Classifier{})})
	add("conformal, split", &conformal.Classifier{Estimator: scaledClassifier(&falkon.Classifier{Components: 30}), Method: conformal.Split})
	add("selection", &selection.Classifier{})
	return names, out
}

// leafs returns the names of the types that a model consists of, in the form of declared.Types.
func leafs(model any) []string {
	out := []string{declared.Name(model)}
	switch m := model.(type) {
	case *pipeline.Transformer:
		for _, s := range m.FittedSteps() {
			out = append(out, leafs(s)...)
		}
	case *pipeline.Regressor:
		out = append(out, leafs(m.FittedFinal())...)
		for _, s := range m.FittedSteps() {
			out = append(out, leafs(s)...)
		}
	case *pipeline.MultiRegressor:
		out = append(out, leafs(m.FittedFinal())...)
		for _, s := range m.FittedSteps() {
			out = append(out, leafs(s)...)
		}
	case *pipeline.Classifier:
		out = append(out, leafs(m.FittedFinal())...)
		for _, s := range m.FittedSteps() {
			out = append(out, leafs(s)...)
		}
	}
	return out
}

// models returns all models, fitted.
func models(t *testing.T) (out []fitted) {
	t.Helper()
	ctx := context.Background()
	train := sample(100, 3)
	y, two, three := targets(train)
	x, usual := tried(train)
	withGaps, holes := mat.DenseCopyOf(train), mat.DenseCopyOf(x)
	for _, m := range []*mat.Dense{withGaps, holes} {
		n, _ := m.Dims()
		for i := 0; i < n; i += 5 {
			m.Set(i, 2+i/5%2, math.NaN())
		}
	}
	ts, gaps := transformersOf()
	for i, tr := range ts {
		on, at := train, x
		if gaps[i] {
			on, at = withGaps, holes
		}
		_, err := transformers.FitTransform(ctx, tr, on, on.ColView(0))
		require.NoError(t, err, "%T", tr)
		switch tr.(type) {
		case *featuremap.RandomFourier, *featuremap.LocallyStationaryFourier:
			at = nearer(at)
		}
		out = append(out, fitted{name: settings(tr), model: tr, x: at, usual: usual, gaps: gaps[i]})
	}
	names, rs := regressors()
	for i, r := range rs {
		require.NoError(t, r.Fit(ctx, train, y), names[i])
		at := x
		if waves(names[i]) {
			at = nearer(x)
		}
		out = append(out, fitted{name: "regression: " + names[i], model: r, x: at, usual: usual})
	}
	both := mat.NewDense(len(y), 2, nil)
	for i, v := range y {
		both.SetRow(i, []float64{v, 5 - train.At(i, 0)*v})
	}
	for name, m := range multis() {
		require.NoError(t, m.Fit(ctx, train, both), name)
		out = append(out, fitted{name: "several targets: " + name, model: m, x: x, usual: usual})
	}
	for _, d := range []struct {
		name     string
		detector estimators.Detector
	}{
		{"density", &novelty.Density{}}, {"density, given", &novelty.Density{Bandwidth: 3, NoScaling: true}},
		{"svm", &svm.OneClass{}}, {"svm, Matern", &svm.OneClass{Kernel: kernels.Matern{Length: 9}, Nu: .3}},
	} {
		require.NoError(t, d.detector.Fit(ctx, train), d.name)
		out = append(out, fitted{name: "novelty: " + d.name, model: d.detector, x: x, usual: usual})
	}
	for k, labels := range [][]int{two, three} {
		names, cs := classifiers()
		for i, c := range cs {
			require.NoError(t, c.Fit(ctx, train, labels), names[i])
			at := x
			if waves(names[i]) {
				at = nearer(x)
			}
			out = append(out, fitted{name: fmt.Sprintf("%d classes: %s", k+2, names[i]), model: c, x: at, usual: usual})
		}
	}
	return out
}

// settings returns the name of a transformer with its nonzero fields.
func settings(tr transformers.Transformer) string {
	name := declared.Name(tr)
	switch t := tr.(type) {
	case *scalers.StandardScaler:
		return fmt.Sprintf("%s, clip %v", name, t.Clip)
	case *scalers.MinMaxScaler:
		return fmt.Sprintf("%s, clip %v", name, t.Clip)
	case *columnwise.PowerTransformer:
		return fmt.Sprintf("%s, clip %v, raw %v, gaps %v", name, t.Clip, t.NoStandardize, t.Gaps)
	case *columnwise.QuantileTransformer:
		return fmt.Sprintf("%s, %v, gaps %v", name, t.Output, t.Gaps)
	case *columnwise.Winsorizer:
		return fmt.Sprintf("%s, gaps %v", name, t.Gaps)
	case *columnwise.Imputer:
		return fmt.Sprintf("%s, %v, indicators %v", name, t.Statistic, t.Indicators)
	case *columnwise.OneHot:
		return fmt.Sprintf("%s, gaps %v", name, t.Gaps)
	case *featuremap.RandomHidden:
		return fmt.Sprintf("%s, %v", name, t.Activation)
	case *featuremap.RandomFourier:
		return fmt.Sprintf("%s, phases %v", name, t.RandomPhase)
	case *featuremap.LocallyStationaryFourier:
		return fmt.Sprintf("%s, all pairs %v", name, t.AllPairs)
	}
	return name
}

// The tested models include every estimator, transformer and kernel of the module.
func TestAllAreTried(t *testing.T) {
	var names []string
	for _, m := range models(t) {
		names = append(names, leafs(m.model)...)
	}
	root := "../.."
	declared.Lists(t, "the table of ONNX models", names, map[string]string{
		"forecast.Forecaster": "needs a series; its models are written", "text.TFIDF": "needs documents; the steps after it are written",
	}, root, "Fit")
	var ks []string
	for _, k := range everyKernel {
		ks = append(ks, declared.Name(k))
	}
	declared.Lists(t, "the kernels of ONNX models", ks, nil, root, "Eval")
}

// expectations returns the outputs that the model computes in Go, by the names of the outputs in its graph.
func (f fitted) expectations(t *testing.T) map[string]*mat.Dense {
	t.Helper()
	n, _ := f.x.Dims()
	column := func(v []float64) *mat.Dense { return mat.NewDense(n, 1, slices.Clone(v)) }
	out := map[string]*mat.Dense{}
	switch m := f.model.(type) {
	case estimators.Regressor:
		y, err := m.Predict(f.x)
		require.NoError(t, err, f.name)
		out["y"] = column(y)
		if estimators.Supports(m, estimators.Variance) {
			_, v, err := m.(estimators.VariancePredictor).PredictVariance(f.x)
			require.NoError(t, err, f.name)
			out["variance"] = column(v)
		}
	case estimators.Classifier:
		labels, err := m.Predict(f.x)
		require.NoError(t, err, f.name)
		out["label"] = mat.NewDense(n, 1, nil)
		for i, l := range labels {
			out["label"].Set(i, 0, float64(l))
		}
		if estimators.Supports(m, estimators.Proba) {
			p, err := m.(estimators.ProbaPredictor).PredictProba(f.x)
			if !errors.Is(err, errors.ErrUnsupported) { // such as an svm without Probabilities
				require.NoError(t, err, f.name)
				out["probabilities"] = p
			}
		}
		if out["probabilities"] == nil {
			out["scores"], err = m.(estimators.DecisionPredictor).Decision(f.x)
			require.NoError(t, err, f.name)
		}
	case estimators.MultiRegressor:
		y, v, err := m.(estimators.MultiVariancePredictor).PredictVariance(f.x)
		require.NoError(t, err, f.name)
		out["y"], out["variance"] = y, v
	case estimators.Detector:
		scores, err := m.Score(f.x)
		require.NoError(t, err, f.name)
		out["y"] = column(scores)
	case transformers.Transformer:
		z, err := m.Transform(f.x)
		require.NoError(t, err, f.name)
		out["features"] = z
	default:
		assert.Fail(t, "no contract", "%T", m)
	}
	return out
}
