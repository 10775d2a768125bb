//go:build cgo

package methods

import (
	"context"
	"fmt"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/ensemble"
	"github.com/sjwhitworth/golearn/knn"
	"github.com/sjwhitworth/golearn/linear_models"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

const (
	neighbours = 5
	forestSize = 20
	linearC    = 1.0
	linearEps  = 1e-4
)

// golearnCgoMethods lists the methods of golearn that need a C compiler.
var golearnCgoMethods = []Method{
	{
		Name: "golearn-knn", Source: GolearnSource, Unrepeatable: true,
		Configuration: fmt.Sprintf("z-score; golearn's KNN, k = %d, Euclidean, linear search, ties broken at random", neighbours),
		classifier: func(uint64) estimators.Classifier {
			return classification(&golearnClassifier{build: func(int) base.Classifier {
				return knn.NewKnnClassifier("euclidean", "linear",
					neighbours)
			}})
		},
	},
	{
		Name: "golearn-forest", Source: GolearnSource, Unrepeatable: true,
		Configuration: fmt.Sprintf("golearn's RandomForest, %d trees on all features", forestSize),
		classifier: func(uint64) estimators.Classifier {
			return &golearnClassifier{build: func(d int) base.Classifier {
				// with half of the columns of iris, only a quarter of the predictions are right, fewer than by chance
				return ensemble.NewRandomForest(forestSize, d)
			}}
		},
	},
	{
		Name: "golearn-svc", Source: GolearnSource, Env: []string{noCgoCheck},
		Configuration: fmt.Sprintf("to [0, 1], and a column of ones; golearn's LinearSVC, C = %v, with %s, without which Go ends it",
			linearC,
			noCgoCheck),
		classifier: func(uint64) estimators.Classifier {
			return withOnes(func() golearn.Model {
				m, err := linear_models.NewLinearSVC("l2", "l2", false, linearC, linearEps)
				return checked{m, err}
			})
		},
	},
	{
		Name: "golearn-logistic", Source: GolearnSource, Env: []string{noCgoCheck},
		Configuration: fmt.Sprintf("to [0, 1], and a column of ones; golearn's LogisticRegression, C = %v, with %s", linearC, noCgoCheck),
		classifier: func(uint64) estimators.Classifier {
			return withOnes(func() golearn.Model {
				m, err := linear_models.NewLogisticRegression("l2", linearC, linearEps)
				return checked{m, err}
			})
		},
	},
	{
		Name: "golearn-linear", Source: GolearnSource, Unrepeatable: true,
		Configuration: "z-score; golearn's LinearRegression",
		Regressor:     func(uint64) estimators.Regressor { return regression(&golearnRegressor{}) },
	},
}

// noCgoCheck disables the pointer check that golearn's LinearSVC fails.
const noCgoCheck = "GODEBUG=cgocheck=0"

// withOnes returns a linear model of golearn, preceded by the two steps with which it works best. Features are scaled to [0, 1],
// because the model ignores features below zero when it predicts. A column of ones replaces the intercept, which the model lacks.
func withOnes(build func() golearn.Model) estimators.Classifier {
	return &pipeline.Classifier{
		Steps: []transformers.Transformer{&scalers.MinMaxScaler{}, &ones{}},
		Final: &golearnClassifier{numbers: true, build: func(int) base.Classifier { return &golearn.Refitted{New: build} }},
	}
}

// ones adds a column of ones.
type ones struct{}

func (*ones) Fit(context.Context, mat.Matrix) error { return nil }

func (*ones) Transform(x mat.Matrix) (*mat.Dense, error) {
	n, d := x.Dims()
	out := mat.NewDense(n, d+1, nil)
	out.Slice(0, n, 0, d).(*mat.Dense).Copy(x)
	for i := range n {
		out.Set(i, d, 1)
	}
	return out, nil
}

func (*ones) Clone() transformers.Transformer { return &ones{} }

// checked holds a model, or the error of its constructor.
type checked struct {
	golearn.Model
	err error
}

func (c checked) Fit(grid base.FixedDataGrid) error {
	if c.err != nil {
		return c.err
	}
	return c.Model.Fit(grid)
}

// golearnRegressor adapts golearn's LinearRegression to our estimators.
type golearnRegressor struct {
	fitted *golearn.Pipeline
	names  []string
}

func (g *golearnRegressor) Fit(ctx context.Context, x mat.Matrix, y []float64) error {
	_, d := x.Dims()
	names := columnNames(d)
	grid, err := grids.TargetGrid(x, names, "target", y)
	if err != nil {
		return err
	}
	fitted := &golearn.Pipeline{Final: &golearn.Refitted{New: func() golearn.Model { return linear_models.NewLinearRegression() }}}
	if err := fitted.FitContext(ctx, grid); err != nil {
		return err
	}
	g.fitted, g.names = fitted, names
	return nil
}

func (g *golearnRegressor) Predict(x mat.Matrix) ([]float64, error) {
	grid, err := grids.FeatureGrid(x, g.names)
	if err != nil {
		return nil, err
	}
	predicted, err := g.fitted.Predict(grid)
	if err != nil {
		return nil, err
	}
	return grids.Targets(predicted)
}
