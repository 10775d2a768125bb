package estimatortest_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/calibration"
	"github.com/kernelearn/kernelearn/estimators/conformal"
	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/estimators/elm"
	"github.com/kernelearn/kernelearn/estimators/estimatortest"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/gabasr"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/novelty"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/internal/registry"
	"github.com/kernelearn/kernelearn/internal/testkit/declared"
	"github.com/kernelearn/kernelearn/internal/testkit/toy"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/stacking"
	"github.com/kernelearn/kernelearn/selection/threshold"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/pca"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestAll runs the suite on every estimator and transformer of the module. It fails if a type is missing here.
func TestAll(t *testing.T) {
	table := &estimatortest.Table{}
	with := func(o estimatortest.Options) *estimatortest.Options {
		o.Table = table
		return &o
	}
	plain := with(estimatortest.Options{})
	width := with(estimatortest.Options{Skip: map[string]string{"partial-fit": "stores only the number of columns, which other rows do not change"}})

	estimatortest.Transformer(t, "scalers.StandardScaler", func() transformers.Transformer { return &scalers.StandardScaler{} }, plain)
	estimatortest.Transformer(t, "scalers.RMSScaler", func() transformers.Transformer { return &scalers.RMSScaler{} }, plain)
	estimatortest.Transformer(t, "scalers.UnitRows", func() transformers.Transformer { return &scalers.UnitRows{} }, width)
	estimatortest.Transformer(t, "scalers.MinMaxScaler", func() transformers.Transformer { return &scalers.MinMaxScaler{} }, plain)
	estimatortest.Transformer(t, "scalers.MinMaxScaler (clip)", func() transformers.Transformer {
		return &scalers.MinMaxScaler{Low: -1, High: 1, Clip: true}
	}, plain)
	estimatortest.Transformer(t, "columnwise.PowerTransformer", func() transformers.Transformer { return &columnwise.PowerTransformer{} },
		with(estimatortest.Options{Workers: func(w int) any { return &columnwise.PowerTransformer{Workers: w} }}))
	estimatortest.Transformer(t, "columnwise.PowerTransformer (clip)", func() transformers.Transformer { return &columnwise.PowerTransformer{Clip: true} }, plain)
	for _, o := range []columnwise.Output{columnwise.Uniform, columnwise.Normal} {
		estimatortest.Transformer(t, fmt.Sprintf("columnwise.QuantileTransformer (%v)", o), func() transformers.Transformer {
			return &columnwise.QuantileTransformer{Output: o}
		}, with(estimatortest.Options{Workers: func(w int) any { return &columnwise.QuantileTransformer{Output: o, Workers: w} }}))
	}
	estimatortest.Transformer(t, "columnwise.Winsorizer", func() transformers.Transformer { return &columnwise.Winsorizer{} },
		with(estimatortest.Options{Workers: func(w int) any { return &columnwise.Winsorizer{Workers: w} }}))
	gaps := with(estimatortest.Options{Gaps: true})
	estimatortest.Transformer(t, "columnwise.Imputer", func() transformers.Transformer { return &columnwise.Imputer{} }, gaps)
	estimatortest.Transformer(t, "columnwise.Imputer (median, indicators)", func() transformers.Transformer {
		return &columnwise.Imputer{Statistic: columnwise.Median, Indicators: true}
	}, gaps)
	estimatortest.Transformer(t, "columnwise.Imputer (most frequent)", func() transformers.Transformer {
		return &columnwise.Imputer{Statistic: columnwise.MostFrequent}
	}, gaps)
	estimatortest.Transformer(t, "columnwise.OneHot", func() transformers.Transformer { return &columnwise.OneHot{} }, plain)
	estimatortest.Transformer(t, "columnwise.OneHot (gaps, all columns)", func() transformers.Transformer {
		return &columnwise.OneHot{Gaps: true, Drop: columnwise.DropBinary}
	}, gaps)
	estimatortest.Transformer(t, "columnwise.TargetEncoder", func() transformers.Transformer { return &columnwise.TargetEncoder{} },
		with(estimatortest.Options{Gaps: true, Skip: map[string]string{"row-permutation": "draws folds by the numbers of the rows"}}))
	mapsRows := map[string]string{"row-permutation": "has a column for each row of Fit, in their order"}
	estimatortest.Transformer(t, "featuremap.KernelMap", func() transformers.Transformer { return &featuremap.KernelMap{} },
		with(estimatortest.Options{Skip: mapsRows, Workers: func(w int) any { return &featuremap.KernelMap{Workers: w} }}))
	estimatortest.Transformer(t, "featuremap.KernelMap (Laplacian)", func() transformers.Transformer {
		return &featuremap.KernelMap{Kernel: kernels.Laplacian{Gamma: 0.2}}
	}, with(estimatortest.Options{Skip: mapsRows}))
	estimatortest.Transformer(t, "featuremap.KernelCenterer", func() transformers.Transformer { return &featuremap.KernelCenterer{} }, plain)

	hidden := with(estimatortest.Options{Skip: map[string]string{"row-permutation": "sits on rows that it draws by their number", "statistics-and-fit": "draws rows by their hash"}, Workers: func(w int) any {
		return &featuremap.RandomHidden{Units: 7, Workers: w}
	}})
	estimatortest.Transformer(t, "featuremap.RandomHidden", func() transformers.Transformer { return &featuremap.RandomHidden{Units: 7} }, hidden)
	for a := featuremap.Sigmoid; a <= featuremap.Tanh; a++ {
		estimatortest.Transformer(t, fmt.Sprintf("featuremap.RandomHidden (%v)", a), func() transformers.Transformer {
			return &featuremap.RandomHidden{Units: 7, Activation: a}
		}, width)
	}

	fourier := func(w int) any { return &featuremap.RandomFourier{Components: 8, Workers: w} }
	estimatortest.Transformer(t, "featuremap.RandomFourier", func() transformers.Transformer { return &featuremap.RandomFourier{Components: 8} },
		with(estimatortest.Options{Workers: fourier}))
	estimatortest.Transformer(t, "featuremap.RandomFourier (Laplacian, phases)", func() transformers.Transformer {
		return &featuremap.RandomFourier{Kernel: kernels.Laplacian{Gamma: 0.2}, Components: 7, RandomPhase: true}
	}, plain)
	estimatortest.Transformer(t, "featuremap.LocallyStationaryFourier", func() transformers.Transformer { return &featuremap.LocallyStationaryFourier{Components: 8} },
		with(estimatortest.Options{Workers: func(w int) any { return &featuremap.LocallyStationaryFourier{Components: 8, Workers: w} }}))
	drawsLandmarks := map[string]string{"row-permutation": "has landmarks that it draws by the number of the row", "statistics-and-fit": "draws rows by their hash"}
	for r := featuremap.PivotedCholesky; r <= featuremap.UniformLandmarks; r++ {
		estimatortest.Transformer(t, fmt.Sprintf("featuremap.Nystroem (%v)", r), func() transformers.Transformer { return &featuremap.Nystroem{Components: 8, Rule: r} },
			with(estimatortest.Options{Skip: drawsLandmarks, Workers: func(w int) any { return &featuremap.Nystroem{Components: 8, Rule: r, Workers: w} }}))
	}

	estimatortest.Transformer(t, "pca.PCA", func() transformers.Transformer { return &pca.PCA{} },
		with(estimatortest.Options{Workers: func(w int) any { return &pca.PCA{Workers: w} }}))
	estimatortest.Transformer(t, "pca.PCA (share, whitened)", func() transformers.Transformer { return &pca.PCA{Share: .8, Whiten: true} }, plain)
	estimatortest.Transformer(t, "pca.KernelPCA", func() transformers.Transformer { return &pca.KernelPCA{Components: 3} },
		with(estimatortest.Options{Workers: func(w int) any { return &pca.KernelPCA{Components: 3, Workers: w} }}))
	estimatortest.Transformer(t, "pca.KernelPCA (Laplacian, share)", func() transformers.Transformer {
		return &pca.KernelPCA{Kernel: kernels.Laplacian{Gamma: 0.2}, Share: .5}
	}, plain)

	// A fixed penalty is relative to the unit of weight, so repeating every row halves its effect.
	const penalised = "has a fixed penalty, which more rows outweigh"
	penalty := with(estimatortest.Options{Skip: map[string]string{"repeated-rows": penalised}})
	estimatortest.Regressor(t, "toy.Ridge", func() estimators.Regressor { return &toy.Ridge{} }, plain)
	estimatortest.Classifier(t, "toy.Centroid", func() estimators.Classifier { return &toy.Centroid{} }, plain)

	scaled := []transformers.Transformer{&scalers.RMSScaler{}, &scalers.StandardScaler{}}
	countsRows := with(estimatortest.Options{Skip: map[string]string{
		"weighted-fit": "fits its scalers on the rows without their weights",
	}})
	estimatortest.Transformer(t, "pipeline.Transformer", func() transformers.Transformer { return &pipeline.Transformer{Steps: scaled} }, plain)
	estimatortest.Transformer(t, "pipeline.Transformer (no steps)", func() transformers.Transformer { return &pipeline.Transformer{} }, plain)
	estimatortest.Transformer(t, "pipeline.Transformer (gaps)", func() transformers.Transformer {
		return &pipeline.Transformer{Steps: []transformers.Transformer{&columnwise.Imputer{}, &pipeline.Transformer{Steps: scaled}}}
	}, gaps)
	estimatortest.Transformer(t, "pipeline.Transformer (nothing but Clone)", func() transformers.Transformer {
		return &pipeline.Transformer{Steps: []transformers.Transformer{leastTransformer{&scalers.UnitRows{}}}}
	}, plain)
	several := map[string]string{"one-column": "has parts of several columns"}
	estimatortest.Transformer(t, "pipeline.ColumnTransformer", func() transformers.Transformer {
		return &pipeline.ColumnTransformer{Parts: []pipeline.ColumnPart{{Columns: []int{1, 0}, Of: &scalers.StandardScaler{}}, {Columns: []int{1}, Of: &pipeline.Transformer{Steps: scaled}}}}
	}, with(estimatortest.Options{Skip: several}))
	estimatortest.Transformer(t, "pipeline.ColumnTransformer (rest)", func() transformers.Transformer {
		return &pipeline.ColumnTransformer{Parts: []pipeline.ColumnPart{{Columns: []int{1}}}, Rest: &scalers.StandardScaler{}}
	}, with(estimatortest.Options{Skip: several}))
	estimatortest.Transformer(t, "pipeline.ColumnTransformer (gaps)", func() transformers.Transformer {
		columns := &pipeline.ColumnTransformer{Parts: []pipeline.ColumnPart{{Columns: []int{1, 0}, Of: &columnwise.Imputer{}}}, Gaps: true}
		return &pipeline.Transformer{Steps: []transformers.Transformer{columns, &columnwise.Imputer{}}}
	}, with(estimatortest.Options{Gaps: true, Skip: several}))
	estimatortest.Transformer(t, "pipeline.ColumnTransformer (nothing but Clone)", func() transformers.Transformer {
		return &pipeline.ColumnTransformer{Parts: []pipeline.ColumnPart{{Columns: []int{0}, Of: leastTransformer{&scalers.UnitRows{}}}}}
	}, plain)
	estimatortest.Regressor(t, "pipeline.Regressor", func() estimators.Regressor {
		return &pipeline.Regressor{Final: &toy.Ridge{}}
	}, plain)
	estimatortest.Regressor(t, "pipeline.Regressor (scaled)", func() estimators.Regressor {
		return &pipeline.Regressor{Steps: scaled, Final: &toy.Ridge{}}
	}, countsRows)
	estimatortest.Regressor(t, "pipeline.Regressor (nothing but Clone)", func() estimators.Regressor {
		return &pipeline.Regressor{Steps: scaled, Final: leastRegressor{&toy.Ridge{}}}
	}, plain)
	estimatortest.Classifier(t, "pipeline.Classifier", func() estimators.Classifier {
		return &pipeline.Classifier{Steps: []transformers.Transformer{&scalers.UnitRows{}}, Final: &toy.Centroid{}}
	}, plain)
	estimatortest.Classifier(t, "pipeline.Classifier (scaled)", func() estimators.Classifier {
		return &pipeline.Classifier{Steps: scaled, Final: &toy.Centroid{}}
	}, countsRows)
	estimatortest.Classifier(t, "pipeline.Classifier (nothing but Clone)", func() estimators.Classifier {
		return &pipeline.Classifier{Steps: scaled, Final: leastClassifier{&toy.Centroid{}}}
	}, plain)

	ridgeByRows := map[string]string{
		"statistics-and-fit": "tunes its ridge by leaving out rows, and of sums by their evidence",
		"leave-one-out":      "tunes its ridge to all rows, and leaves one out with that",
	}
	tunes := func(workers func(int) any) *estimatortest.Options {
		return with(estimatortest.Options{Workers: workers, Skip: ridgeByRows})
	}
	estimatortest.Regressor(t, "lssvm.Regressor", func() estimators.Regressor { return &lssvm.Regressor{} },
		tunes(func(w int) any { return &lssvm.Regressor{Workers: w} }))
	deals := map[string]string{
		"row-permutation":        "deals rows to parts by their number",
		"more-columns-than-rows": "six rows are too few for an end at that level, which is infinite",
	}
	once := map[string]string{"weighted-fit": "counts copies of a row once, so that they do not weaken the guarantee"}
	maps.Copy(once, deals)
	estimatortest.Regressor(t, "conformal.Regressor", func() estimators.Regressor { return &conformal.Regressor{} },
		with(estimatortest.Options{Skip: once, Workers: func(w int) any { return &conformal.Regressor{Workers: w} }}))
	estimatortest.Regressor(t, "conformal.Regressor (full)", func() estimators.Regressor {
		return &conformal.Regressor{Method: conformal.Full, Estimator: &ridge.Regressor{}}
	}, with(estimatortest.Options{Skip: once}))
	estimatortest.Regressor(t, "conformal.Regressor (spread)", func() estimators.Regressor {
		return &conformal.Regressor{Estimator: &ridge.Regressor{}, Spread: &ridge.Regressor{}, Folds: 3}
	}, with(estimatortest.Options{Skip: once}))
	estimatortest.Classifier(t, "conformal.Classifier", func() estimators.Classifier { return &conformal.Classifier{} },
		with(estimatortest.Options{Skip: once, Workers: func(w int) any { return &conformal.Classifier{Workers: w} }}))
	estimatortest.Classifier(t, "conformal.Classifier (full)", func() estimators.Classifier { return &conformal.Classifier{Method: conformal.Full} },
		with(estimatortest.Options{Skip: once}))
	estimatortest.Classifier(t, "calibration.Classifier", func() estimators.Classifier { return &calibration.Classifier{} },
		with(estimatortest.Options{Skip: deals}))
	estimatortest.Classifier(t, "calibration.Classifier (isotonic)", func() estimators.Classifier {
		return &calibration.Classifier{Estimator: &toy.Centroid{}, Method: calibration.Isotonic}
	}, with(estimatortest.Options{Skip: deals}))
	estimatortest.Classifier(t, "threshold.Classifier", func() estimators.Classifier { return &threshold.Classifier{} },
		with(estimatortest.Options{Skip: deals}))
	estimatortest.Classifier(t, "threshold.Classifier (folds)", func() estimators.Classifier {
		return &threshold.Classifier{Estimator: &toy.Centroid{}}
	}, with(estimatortest.Options{Skip: deals}))
	estimatortest.Regressor(t, "lssvm.Regressor (fixed ridge)", func() estimators.Regressor {
		return &lssvm.Regressor{Kernel: kernels.RBF{Gamma: 0.5}, Ridge: 0.1}
	}, penalty)
	estimatortest.Classifier(t, "lssvm.Classifier", func() estimators.Classifier { return &lssvm.Classifier{} },
		tunes(func(w int) any { return &lssvm.Classifier{Workers: w} }))
	estimatortest.Classifier(t, "lssvm.Classifier (fixed ridge)", func() estimators.Classifier {
		return &lssvm.Classifier{Kernel: kernels.RBF{Gamma: 0.5}, Ridge: 0.1, Balanced: true}
	}, penalty)

	// With so few rows, all of them are landmarks, and only their order is random.
	estimatortest.Regressor(t, "falkon.Regressor", func() estimators.Regressor { return &falkon.Regressor{} },
		tunes(func(w int) any { return &falkon.Regressor{Workers: w} }))
	estimatortest.Regressor(t, "falkon.Regressor (fixed ridge)", func() estimators.Regressor {
		return &falkon.Regressor{Kernel: kernels.RBF{Gamma: 0.5}, Ridge: 0.1}
	}, penalty)
	ownSample := map[string]string{
		"row-permutation": "has landmarks and a sample that it draws by the number of the row",
	}
	estimatortest.Regressor(t, "falkon.Regressor (conjugate gradients)", func() estimators.Regressor {
		return &falkon.Regressor{Solver: falkon.ConjugateGradients, Components: 12}
	}, with(estimatortest.Options{Skip: ownSample, Workers: func(w int) any {
		return &falkon.Regressor{Solver: falkon.ConjugateGradients, Components: 12, Workers: w}
	}}))
	for _, r := range []falkon.LandmarkRule{falkon.LeverageScores, falkon.PivotedCholesky} {
		estimatortest.Regressor(t, fmt.Sprintf("falkon.Regressor (%v)", r), func() estimators.Regressor {
			return &falkon.Regressor{Rule: r, Components: 10}
		}, with(estimatortest.Options{Skip: ownSample, Workers: func(w int) any { return &falkon.Regressor{Rule: r, Components: 10, Workers: w} }}))
	}
	estimatortest.Classifier(t, "falkon.Classifier", func() estimators.Classifier { return &falkon.Classifier{} },
		tunes(func(w int) any { return &falkon.Classifier{Workers: w} }))
	estimatortest.Classifier(t, "falkon.Classifier (fixed ridge)", func() estimators.Classifier {
		return &falkon.Classifier{Kernel: kernels.RBF{Gamma: 0.5}, Ridge: 0.1, Balanced: true}
	}, penalty)
	estimatortest.Classifier(t, "falkon.Classifier (logistic)", func() estimators.Classifier {
		return &falkon.Classifier{Kernel: kernels.RBF{Gamma: 0.5}, Ridge: 0.1, Loss: falkon.LogisticLoss}
	}, penalty)
	estimatortest.Classifier(t, "falkon.Classifier (conjugate gradients)", func() estimators.Classifier {
		return &falkon.Classifier{Solver: falkon.ConjugateGradients, Components: 12}
	}, with(estimatortest.Options{Skip: ownSample, Workers: func(w int) any {
		return &falkon.Classifier{Solver: falkon.ConjugateGradients, Components: 12, Workers: w}
	}}))

	estimatortest.Regressor(t, "ridge.Regressor", func() estimators.Regressor { return &ridge.Regressor{} },
		tunes(func(w int) any { return &ridge.Regressor{Workers: w} }))
	estimatortest.Regressor(t, "ridge.Regressor (fixed ridge, no intercept)", func() estimators.Regressor {
		return &ridge.Regressor{Ridge: 0.1, NoIntercept: true}
	}, with(estimatortest.Options{Skip: map[string]string{
		"repeated-rows": penalised, "learns": "is forced through the origin, where the suite's problem does not go",
	}}))
	estimatortest.MultiRegressor(t, "ridge.MultiRegressor", func() estimators.MultiRegressor { return &ridge.MultiRegressor{} },
		tunes(func(w int) any { return &ridge.MultiRegressor{Workers: w} }))
	estimatortest.MultiRegressor(t, "ridge.MultiRegressor (a ridge per target)", func() estimators.MultiRegressor {
		return &ridge.MultiRegressor{RidgePerTarget: true}
	}, tunes(func(w int) any { return &ridge.MultiRegressor{RidgePerTarget: true, Workers: w} }))
	estimatortest.MultiRegressor(t, "ridge.MultiRegressor (fixed ridge)", func() estimators.MultiRegressor { return &ridge.MultiRegressor{Ridge: 0.1} }, penalty)
	estimatortest.MultiRegressor(t, "lssvm.MultiRegressor", func() estimators.MultiRegressor { return &lssvm.MultiRegressor{} },
		tunes(func(w int) any { return &lssvm.MultiRegressor{Workers: w} }))
	estimatortest.MultiRegressor(t, "lssvm.MultiRegressor (fixed ridge)", func() estimators.MultiRegressor {
		return &lssvm.MultiRegressor{Kernel: kernels.RBF{Gamma: 0.5}, Ridge: 0.1}
	}, penalty)
	estimatortest.MultiRegressor(t, "falkon.MultiRegressor", func() estimators.MultiRegressor { return &falkon.MultiRegressor{} },
		tunes(func(w int) any { return &falkon.MultiRegressor{Workers: w} }))
	estimatortest.MultiRegressor(t, "falkon.MultiRegressor (fixed ridge)", func() estimators.MultiRegressor {
		return &falkon.MultiRegressor{Kernel: kernels.RBF{Gamma: 0.5}, Ridge: 0.1}
	}, penalty)
	severalIterated := map[string]string{"repeated-rows": "ends its conjugate gradients a rounding apart, which columns far from 0 make large"}
	maps.Copy(severalIterated, ownSample)
	estimatortest.MultiRegressor(t, "falkon.MultiRegressor (conjugate gradients)", func() estimators.MultiRegressor {
		return &falkon.MultiRegressor{Solver: falkon.ConjugateGradients, Components: 12}
	}, with(estimatortest.Options{Skip: severalIterated, Workers: func(w int) any {
		return &falkon.MultiRegressor{Solver: falkon.ConjugateGradients, Components: 12, Workers: w}
	}}))
	estimatortest.MultiRegressor(t, "pipeline.MultiRegressor", func() estimators.MultiRegressor {
		return &pipeline.MultiRegressor{Steps: scaled, Final: &ridge.MultiRegressor{Ridge: 0.1}}
	}, with(estimatortest.Options{Skip: map[string]string{"weighted-fit": countsRows.Skip["weighted-fit"], "repeated-rows": penalised}}))
	estimatortest.MultiRegressor(t, "pipeline.MultiRegressor (Nystroem)", func() estimators.MultiRegressor {
		return &pipeline.MultiRegressor{Steps: []transformers.Transformer{&columnwise.Imputer{}, &featuremap.Nystroem{Kernel: kernels.RBF{Gamma: 0.1}, Components: 12}}, Final: &ridge.MultiRegressor{Ridge: 0.1}}
	}, with(estimatortest.Options{Gaps: true, Skip: map[string]string{
		"row-permutation": "has landmarks that it draws by the number of the row", "weighted-fit": "has landmarks that it draws by the number of the row", "repeated-rows": penalised,
	}}))
	direct := func(w int) *pipeline.Regressor {
		return &pipeline.Regressor{Steps: []transformers.Transformer{
			&scalers.StandardScaler{}, &featuremap.KernelMap{Workers: w}, &featuremap.KernelCenterer{},
		}, Final: &ridge.DirectKernel{Workers: w}}
	}
	estimatortest.Regressor(t, "pipeline.Regressor (from statistics)", func() estimators.Regressor {
		return &pipeline.Regressor{
			Steps: []transformers.Transformer{
				&columnwise.Imputer{}, &pipeline.Transformer{Steps: scaled}, &featuremap.Nystroem{Kernel: kernels.RBF{Gamma: 0.1}, Components: 12},
			},
			Final: &ridge.Regressor{Ridge: 0.1},
		}
	}, with(estimatortest.Options{Gaps: true, Skip: map[string]string{
		"row-permutation": "has landmarks that it draws by the number of the row", "statistics-and-fit": "draws rows by their hash",
		"weighted-fit": "fits its scalers on the rows without their weights", "repeated-rows": penalised, "smoother": "treats a NaN as a gap",
	}}))
	estimatortest.Regressor(t, "pipeline.Regressor (ridge alone)", func() estimators.Regressor {
		return &pipeline.Regressor{Final: &ridge.Regressor{Ridge: 0.1}}
	}, penalty)
	estimatortest.Regressor(t, "ridge.DirectKernel (behind the steps that make its kernel)", func() estimators.Regressor { return direct(0) },
		with(estimatortest.Options{Skip: map[string]string{
			"weighted-fit": countsRows.Skip["weighted-fit"], "repeated-rows": "has a kernel of the median distance of all rows, equal ones among them",
		}, Workers: func(w int) any { return direct(w) }}))

	medianOfStart := map[string]string{
		"row-permutation": "climbs lengths that end a little elsewhere in another order, where another vector may be the best to add",
	}
	estimatortest.Regressor(t, "rvm.Regressor", func() estimators.Regressor { return &rvm.Regressor{} },
		with(estimatortest.Options{Skip: medianOfStart, Workers: func(w int) any { return &rvm.Regressor{Workers: w} }}))
	const rounds = "columns of two kernels are nearly one another: which of them is added, rounding decides"
	alike := map[string]string{"row-permutation": rounds}
	estimatortest.Regressor(t, "rvm.Regressor (several kernels)", func() estimators.Regressor {
		return &rvm.Regressor{Kernels: []kernels.Kernel{kernels.RBF{Gamma: 0.1}, kernels.Matern{}}}
	}, with(estimatortest.Options{Skip: alike}))
	estimatortest.Regressor(t, "rvm.Regressor (a column of ones, no cache)", func() estimators.Regressor {
		return &rvm.Regressor{Kernel: kernels.Matern{}, InterceptPrior: rvm.ARDPrior, CacheBytes: 1}
	}, plain)
	estimatortest.Regressor(t, "rvm.Regressor (no intercept, fixed noise)", func() estimators.Regressor {
		return &rvm.Regressor{Kernel: kernels.RBF{Gamma: 0.5}, NoIntercept: true, NoiseVariance: 0.1}
	}, with(estimatortest.Options{Skip: map[string]string{"target-units": "has a noise in the units of the targets", "repeated-rows": "has a fixed noise, which is the noise of each row"}}))
	estimatortest.Classifier(t, "rvm.Classifier", func() estimators.Classifier { return &rvm.Classifier{} },
		with(estimatortest.Options{Skip: medianOfStart, Workers: func(w int) any { return &rvm.Classifier{Workers: w} }}))
	estimatortest.Classifier(t, "rvm.Classifier (several kernels)", func() estimators.Classifier {
		return &rvm.Classifier{Kernels: []kernels.Kernel{kernels.RBF{Gamma: 0.1}, kernels.Matern{}}}
	}, with(estimatortest.Options{Skip: alike}))
	estimatortest.Classifier(t, "rvm.Classifier (refined, balanced)", func() estimators.Classifier {
		return &rvm.Classifier{Kernel: kernels.RBF{Gamma: 0.5}, Refine: true, Balanced: true}
	}, plain)

	drawsFolds := map[string]string{"row-permutation": "draws its folds by the number of the row"}

	// The solver ends within its Tolerance of the optimum, whatever its initial values.
	approximate := func(workers func(int) any) *estimatortest.Options {
		return with(estimatortest.Options{Tolerance: 10 * 1e-3, Workers: workers})
	}
	estimatortest.Regressor(t, "svm.Regressor", func() estimators.Regressor { return &svm.Regressor{} },
		approximate(func(w int) any { return &svm.Regressor{Workers: w} }))
	const priced = "has a fixed C, which is the price of each row"
	inUnits := map[string]string{"target-units": "has settings in the units of the targets", "repeated-rows": priced}
	estimatortest.Regressor(t, "svm.Regressor (to the optimum, two rows in the cache)", func() estimators.Regressor {
		return &svm.Regressor{Kernel: kernels.RBF{Gamma: 0.5}, C: 10, Epsilon: 0.1, Tolerance: 1e-9, CacheBytes: 1}
	}, with(estimatortest.Options{Skip: inUnits, Workers: func(w int) any {
		return &svm.Regressor{Kernel: kernels.RBF{Gamma: 0.5}, C: 10, Epsilon: 0.1, Tolerance: 1e-9, CacheBytes: 1, Workers: w}
	}}))
	estimatortest.Regressor(t, "svm.Regressor (given C and tube)", func() estimators.Regressor { return &svm.Regressor{C: 1, Epsilon: 0.1} },
		with(estimatortest.Options{
			Skip:      inUnits,
			Tolerance: 10 * 1e-3, Workers: func(w int) any { return &svm.Regressor{C: 1, Epsilon: 0.1, Workers: w} },
		}))
	estimatortest.Classifier(t, "svm.Classifier", func() estimators.Classifier { return &svm.Classifier{} },
		approximate(func(w int) any { return &svm.Classifier{Workers: w} }))
	estimatortest.Classifier(t, "svm.Classifier (to the optimum)", func() estimators.Classifier {
		return &svm.Classifier{Kernel: kernels.RBF{Gamma: 0.5}, C: 10, Balanced: true, Tolerance: 1e-9}
	}, with(estimatortest.Options{Skip: map[string]string{"repeated-rows": priced}}))
	estimatortest.Classifier(t, "svm.Classifier (given C)", func() estimators.Classifier { return &svm.Classifier{C: 1} },
		with(estimatortest.Options{Skip: map[string]string{"repeated-rows": priced}, Tolerance: 10 * 1e-3, Workers: func(w int) any { return &svm.Classifier{C: 1, Workers: w} }}))
	estimatortest.Regressor(t, "svm.Regressor (nu)", func() estimators.Regressor { return &svm.Regressor{Nu: 0.4} },
		approximate(func(w int) any { return &svm.Regressor{Nu: 0.4, Workers: w} }))
	estimatortest.Regressor(t, "svm.Regressor (nu, to the optimum, two rows in the cache)", func() estimators.Regressor {
		return &svm.Regressor{Kernel: kernels.RBF{Gamma: 0.5}, C: 10, Nu: 0.4, Tolerance: 1e-9, CacheBytes: 1}
	}, with(estimatortest.Options{Skip: inUnits}))
	estimatortest.Classifier(t, "svm.Classifier (nu)", func() estimators.Classifier { return &svm.Classifier{Nu: 0.3, Balanced: true} },
		approximate(func(w int) any { return &svm.Classifier{Nu: 0.3, Balanced: true, Workers: w} }))
	estimatortest.Classifier(t, "svm.Classifier (nu, to the optimum)", func() estimators.Classifier {
		return &svm.Classifier{Kernel: kernels.RBF{Gamma: 0.5}, Nu: 0.3, Tolerance: 1e-9}
	}, plain)
	estimatortest.Classifier(t, "svm.Classifier (probabilities)", func() estimators.Classifier { return &svm.Classifier{Probabilities: true} },
		with(estimatortest.Options{Skip: drawsFolds, Workers: func(w int) any { return &svm.Classifier{Probabilities: true, Workers: w} }}))

	estimatortest.Detector(t, "svm.OneClass", func() estimators.Detector { return &svm.OneClass{} },
		approximate(func(w int) any { return &svm.OneClass{Workers: w} }))
	estimatortest.Detector(t, "svm.OneClass (to the optimum, two rows in the cache)", func() estimators.Detector {
		return &svm.OneClass{Kernel: kernels.RBF{Gamma: 0.5}, Nu: 0.2, Tolerance: 1e-9, CacheBytes: 1}
	}, with(estimatortest.Options{Workers: func(w int) any {
		return &svm.OneClass{Kernel: kernels.RBF{Gamma: 0.5}, Nu: 0.2, Tolerance: 1e-9, CacheBytes: 1, Workers: w}
	}}))
	estimatortest.Detector(t, "novelty.Density", func() estimators.Detector { return &novelty.Density{} },
		with(estimatortest.Options{Workers: func(w int) any { return &novelty.Density{Workers: w} }}))
	estimatortest.Detector(t, "novelty.Density (given bandwidth)", func() estimators.Detector {
		return &novelty.Density{Bandwidth: 0.5, NoScaling: true, Level: 0.2}
	}, plain)

	const noRowsOut = "leaves out no rows: equal ones count in its covariances as others"
	drawsUnits := map[string]string{
		"statistics-and-fit": "draws rows by their hash", "row-permutation": "has units on rows that it draws by their number",
		"weighted-fit": "draws other units from more rows", "repeated-rows": noRowsOut,
	}
	estimatortest.Classifier(t, "eem.Classifier", func() estimators.Classifier { return &eem.Classifier{} },
		with(estimatortest.Options{Skip: drawsUnits, Workers: func(w int) any { return &eem.Classifier{Workers: w} }}))
	estimatortest.Classifier(t, "eem.KernelClassifier", func() estimators.Classifier { return &eem.KernelClassifier{} },
		with(estimatortest.Options{Skip: map[string]string{
			"row-permutation": "has landmarks that it draws by the number of the row", "weighted-fit": "draws other landmarks from more rows",
			"statistics-and-fit": "draws rows by their hash", "repeated-rows": noRowsOut,
		}, Workers: func(w int) any { return &eem.KernelClassifier{Workers: w} }}))
	estimatortest.Classifier(t, "pipeline.Classifier (from statistics)", func() estimators.Classifier {
		return &pipeline.Classifier{Steps: scaled, Final: &eem.Classifier{Units: 20}}
	}, with(estimatortest.Options{Skip: map[string]string{
		"statistics-and-fit": "draws rows by their hash", "row-permutation": "has units on rows that it draws by their number",
		"weighted-fit": "draws other units from more rows", "repeated-rows": noRowsOut,
	}}))
	estimatortest.Classifier(t, "eem.Classifier (tanh, empirical priors)", func() estimators.Classifier {
		return &eem.Classifier{Units: 30, Activation: featuremap.Tanh, EmpiricalPriors: true}
	}, with(estimatortest.Options{Skip: map[string]string{"repeated-rows": noRowsOut}}))
	estimatortest.Classifier(t, "eem.Classifier (discriminant)", func() estimators.Classifier {
		return &eem.Classifier{Units: 30, Activation: featuremap.Tanh, Multiclass: eem.Discriminant}
	}, with(estimatortest.Options{Skip: map[string]string{"repeated-rows": noRowsOut}}))

	estimatortest.Classifier(t, "elm.Classifier", func() estimators.Classifier { return &elm.Classifier{} },
		with(estimatortest.Options{Skip: map[string]string{"row-permutation": drawsUnits["row-permutation"]}, Workers: func(w int) any { return &elm.Classifier{Workers: w} }}))
	estimatortest.Classifier(t, "elm.Classifier (tanh, a ridge)", func() estimators.Classifier {
		return &elm.Classifier{Units: 30, Activation: featuremap.Tanh, Ridge: .1, Balanced: true}
	}, penalty)

	// A chain makes decisions by comparing sums over the rows. In another order of the rows, one decision may differ, and then all
	// later decisions do.
	sampled := func(workers func(int) any) *estimatortest.Options {
		return with(estimatortest.Options{Skip: map[string]string{
			"row-permutation": "follows a chain in which a rounding may turn a decision",
		}, Workers: workers})
	}
	estimatortest.Regressor(t, "gabasr.Regressor", func() estimators.Regressor { return &gabasr.Regressor{Pairs: 10} },
		sampled(func(w int) any { return &gabasr.Regressor{Pairs: 10, Workers: w} }))
	estimatortest.Regressor(t, "gabasr.Regressor (pairs, two chains)", func() estimators.Regressor {
		return &gabasr.Regressor{Pairs: 6, Features: gabasr.Paired, Sweeps: 8, Chains: 2}
	}, sampled(func(w int) any {
		return &gabasr.Regressor{Pairs: 6, Features: gabasr.Paired, Sweeps: 8, Chains: 2, Workers: w}
	}))
	parabola := sampled(func(w int) any { return &gabasr.Regressor{Pairs: 6, Sweeps: 8, Chains: 2, Trend: 2, Workers: w} })
	parabola.Skip["more-columns-than-rows"] = "a trend with a flat prior needs more rows than coefficients, and the error reports this"
	estimatortest.Regressor(t, "gabasr.Regressor (parabola)", func() estimators.Regressor {
		return &gabasr.Regressor{Pairs: 6, Sweeps: 8, Chains: 2, Trend: 2}
	}, parabola)
	estimatortest.Regressor(t, "gabasr.Regressor (all pairs)", func() estimators.Regressor {
		return &gabasr.Regressor{Pairs: 9, Features: gabasr.AllPairs, Sweeps: 5}
	}, sampled(nil))
	estimatortest.Classifier(t, "gabasr.Classifier", func() estimators.Classifier { return &gabasr.Classifier{Pairs: 10, Sweeps: 10} },
		sampled(func(w int) any { return &gabasr.Classifier{Pairs: 10, Sweeps: 10, Workers: w} }))
	estimatortest.Classifier(t, "gabasr.Classifier (Pólya-Gamma, pairs)", func() estimators.Classifier {
		return &gabasr.Classifier{Pairs: 6, Features: gabasr.Paired, Likelihood: gabasr.PolyaGamma, Sweeps: 8}
	}, sampled(nil))
	estimatortest.Classifier(t, "gabasr.Classifier (surrogate)", func() estimators.Classifier {
		return &gabasr.Classifier{Pairs: 6, Likelihood: gabasr.Surrogate, Sweeps: 5}
	}, sampled(nil))

	steps := []transformers.Transformer{&scalers.StandardScaler{}}
	estimatortest.Regressor(t, "selection.Regressor", func() estimators.Regressor { return &selection.Regressor{Preprocess: steps} },
		with(estimatortest.Options{Workers: func(w int) any {
			return &selection.Regressor{Preprocess: steps, Search: &entropy.Search{}, Workers: w}
		}}))
	estimatortest.Regressor(t, "stacking.Regressor", func() estimators.Regressor {
		return &stacking.Regressor{Models: []estimators.Regressor{&lssvm.Regressor{}, &ridge.Regressor{}}}
	}, with(estimatortest.Options{}))
	estimatortest.Regressor(t, "stacking.Regressor (folds)", func() estimators.Regressor {
		return &stacking.Regressor{Models: []estimators.Regressor{&svm.Regressor{}, &lssvm.Regressor{}}}
	}, with(estimatortest.Options{}))
	estimatortest.Classifier(t, "stacking.Classifier", func() estimators.Classifier {
		return &stacking.Classifier{Models: []estimators.Classifier{&lssvm.Classifier{}, &toy.Centroid{}}}
	}, with(estimatortest.Options{}))
	filled := []transformers.Transformer{&columnwise.Imputer{}}
	fillsItself := &pipeline.Regressor{Steps: filled, Final: &ridge.Regressor{Ridge: .1}}
	classifies := &pipeline.Classifier{Steps: filled, Final: &toy.Centroid{}}
	ofAllRows := map[string]string{
		"weighted-fit": "fits its imputers on the rows without their weights", "repeated-rows": "has means of all rows, equal ones among them",
		"smoother": "treats a NaN as a gap",
	}
	countsGaps := with(estimatortest.Options{Gaps: true, Skip: maps.Clone(ofAllRows)})
	maps.Copy(ofAllRows, deals)
	dealsGaps := with(estimatortest.Options{Gaps: true, Skip: ofAllRows})
	estimatortest.Regressor(t, "pipeline.Regressor (gaps are those of Final)", func() estimators.Regressor {
		return &pipeline.Regressor{Final: fillsItself}
	}, countsGaps)
	for _, method := range []conformal.Method{conformal.CrossValidation, conformal.Split} {
		estimatortest.Regressor(t, fmt.Sprintf("conformal.Regressor (gaps, %v)", method), func() estimators.Regressor {
			return &conformal.Regressor{Method: method, Estimator: fillsItself}
		}, dealsGaps)
		estimatortest.Classifier(t, fmt.Sprintf("conformal.Classifier (gaps, %v)", method), func() estimators.Classifier {
			return &conformal.Classifier{Method: method, Estimator: &calibration.Classifier{Estimator: classifies}}
		}, dealsGaps)
	}
	estimatortest.Classifier(t, "calibration.Classifier (gaps)", func() estimators.Classifier {
		return &calibration.Classifier{Estimator: classifies}
	}, dealsGaps)
	estimatortest.Regressor(t, "stacking.Regressor (gaps)", func() estimators.Regressor {
		return &stacking.Regressor{Models: []estimators.Regressor{fillsItself, &pipeline.Regressor{Steps: filled, Final: &lssvm.Regressor{}}}}
	}, dealsGaps)
	estimatortest.Classifier(t, "stacking.Classifier (gaps)", func() estimators.Classifier {
		return &stacking.Classifier{Models: []estimators.Classifier{classifies, &pipeline.Classifier{Steps: filled, Final: &lssvm.Classifier{}}}}
	}, dealsGaps)
	estimatortest.Regressor(t, "selection.Regressor (candidates that fill gaps)", func() estimators.Regressor {
		other := &pipeline.Regressor{Steps: filled, Final: &lssvm.Regressor{}}
		return &selection.Regressor{Space: selection.Candidates[estimators.Regressor](fillsItself, other), Search: &grid.Search{}}
	}, countsGaps)
	kinds := []families.Family{families.Matern{Nu: 2.5}, families.Laplacian{}}
	estimatortest.Regressor(t, "selection.Regressor (kinds)", func() estimators.Regressor { return &selection.Regressor{Kinds: kinds} }, gaps)
	estimatortest.Classifier(t, "selection.Classifier (kinds)", func() estimators.Classifier { return &selection.Classifier{Kinds: kinds} }, gaps)
	estimatortest.Regressor(t, "selection.Regressor (grid)", func() estimators.Regressor {
		return &selection.Regressor{Preprocess: steps, Search: &grid.Search{Points: 4}}
	}, with(estimatortest.Options{Skip: drawsFolds, Workers: func(w int) any {
		return &selection.Regressor{Preprocess: steps, Search: &grid.Search{Points: 4}, Workers: w}
	}}))
	estimatortest.Regressor(t, "selection.Regressor (golden section)", func() estimators.Regressor {
		return &selection.Regressor{Preprocess: steps, Search: &entropy.GoldenSection{}}
	}, with(estimatortest.Options{Skip: ridgeByRows, Workers: func(w int) any {
		return &selection.Regressor{Preprocess: steps, Search: &entropy.GoldenSection{}, Workers: w}
	}}))
	estimatortest.Classifier(t, "selection.Classifier", func() estimators.Classifier { return &selection.Classifier{Preprocess: steps} },
		with(estimatortest.Options{Skip: drawsFolds, Workers: func(w int) any {
			return &selection.Classifier{Preprocess: steps, Search: &entropy.Search{}, Workers: w}
		}}))
	estimatortest.Classifier(t, "selection.Classifier (grid)", func() estimators.Classifier {
		return &selection.Classifier{Preprocess: steps, Search: &grid.Search{Points: 4}}
	}, with(estimatortest.Options{Skip: drawsFolds, Workers: func(w int) any {
		return &selection.Classifier{Preprocess: steps, Search: &grid.Search{Points: 4}, Workers: w}
	}}))
	estimatortest.Classifier(t, "selection.Classifier (halving)", func() estimators.Classifier {
		return &selection.Classifier{Preprocess: steps, Search: &grid.Halving{Points: 4, LeastRows: 10}}
	}, with(estimatortest.Options{Skip: drawsFolds, Workers: func(w int) any {
		return &selection.Classifier{Preprocess: steps, Search: &grid.Halving{Points: 4, LeastRows: 10}, Workers: w}
	}}))
	// If no choice depends on the folds, a weight of 2 has the same effect as repeating the row.
	estimatortest.Regressor(t, "selection.Regressor (no choice)", func() estimators.Regressor {
		return &selection.Regressor{Space: selection.Kernels(func(kernels.Kernel) estimators.Regressor { return &toy.Ridge{} }), Search: &grid.Search{Points: 2}}
	}, plain)
	estimatortest.Classifier(t, "selection.Classifier (no choice)", func() estimators.Classifier {
		return &selection.Classifier{Space: selection.Kernels(func(kernels.Kernel) estimators.Classifier { return &toy.Centroid{} }), Search: &grid.Search{Points: 2}}
	}, plain)
	estimatortest.Regressor(t, "selection.Regressor (no weights)", func() estimators.Regressor {
		return &selection.Regressor{Space: selection.Kernels(func(kernels.Kernel) estimators.Regressor { return leastRegressor{&toy.Ridge{}} })}
	}, plain)

	t.Log("\n" + table.String())

	var tested []string
	for _, name := range table.Types() {
		typ, _, _ := strings.Cut(name, " ")
		tested = append(tested, typ)
	}
	declared.Lists(t, "TestAll", tested, map[string]string{
		"forecast.Forecaster": "needs a series, not rows", "text.TFIDF": "needs documents, not rows",
	}, filepath.Join("..", ".."), "Fit")
}

// TestModelFilesKnowAll checks that every type that occurs in settings is registered. Otherwise a model that contains the type
// could not be stored.
func TestModelFilesKnowAll(t *testing.T) {
	var known []string
	for _, name := range registry.Names() {
		typ, _ := registry.Named(name)
		known = append(known, typ.Of.String())
	}
	declared.Lists(t, "the registry", known, nil, filepath.Join("..", ".."), "Fit", "Eval", "Kernel", "Choose", "Split")
}

// leastTransformer, leastRegressor and leastClassifier can be cloned, as a pipeline requires, and have no other capability.
type leastTransformer struct{ transformers.Transformer }

func (l leastTransformer) Clone() transformers.Transformer {
	return leastTransformer{&scalers.UnitRows{}}
}

type leastRegressor struct{ estimators.Regressor }

func (l leastRegressor) Clone() estimators.Regressor { return leastRegressor{&toy.Ridge{}} }

type leastClassifier struct{ estimators.Classifier }

func (l leastClassifier) Clone() estimators.Classifier { return leastClassifier{&toy.Centroid{}} }
