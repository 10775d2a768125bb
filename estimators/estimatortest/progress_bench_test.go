package estimatortest_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

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
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/inspection"
	"github.com/kernelearn/kernelearn/selection/ranking"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/shape"
	"github.com/kernelearn/kernelearn/selection/stacking"
	"github.com/kernelearn/kernelearn/selection/threshold"
	"github.com/kernelearn/kernelearn/selection/validation"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/pca"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

var (
	progressScale = flag.Float64("progress.scale", 1, "BenchmarkProgress: rows are multiplied by it")
	progressOnly  = flag.String("progress.only", "", "BenchmarkProgress: what the name has in it")
)

// BenchmarkProgress prints a table for fits and searches that take about five seconds:
//
//	go test -run - -bench Progress -benchtime 1x ./estimators/estimatortest
//
// It lists the time of the first step, the longest pause between steps, the pause before the end, the number of steps, and the mean
// difference between Done and the elapsed share of the time. On a busy machine, other programs lengthen the pauses.
func BenchmarkProgress(b *testing.B) {
	if testing.Short() {
		b.Skip("minutes")
	}
	fmt.Printf("\nBLAS %T, %d processors\n\n", fast.Implementation(), runtime.GOMAXPROCS(0))
	fmt.Println("| what | rows × columns | a fit, s | first step, s | greatest pause, s | greatest pause, processor s | last step before the end, s | steps | Done is off by |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	for _, c := range progressing() {
		if strings.Contains(c.name, *progressOnly) {
			c.row()
		}
	}
}

// longFit is a fit that takes some seconds and reports its steps to observe.
type longFit struct {
	name    string
	rows, d int
	run     func(ctx context.Context, f manyRows) error
}

// manyRows holds the data of a fit.
type manyRows struct {
	x      *mat.Dense
	y      []float64
	labels []int
}

func longRows(n, d int) manyRows {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	f := manyRows{mat.NewDense(n, d, nil), make([]float64, n), make([]int, n)}
	for i := range n {
		row := f.x.RawRowView(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		f.y[i] = math.Sin(2*row[0]) + row[1]*row[2] + .3*row[3] + .2*rng.NormFloat64()
		if f.y[i] > .3 {
			f.labels[i] = 1
		}
	}
	return f
}

func progressing() []longFit {
	rbf := kernels.RBF{Gamma: .05}
	regress := func(name string, rows, d int, e estimators.Regressor) longFit {
		return longFit{name, rows, d, func(ctx context.Context, f manyRows) error { return e.Fit(ctx, f.x, f.y) }}
	}
	classify := func(name string, rows, d int, e estimators.Classifier) longFit {
		return longFit{name, rows, d, func(ctx context.Context, f manyRows) error { return e.Fit(ctx, f.x, f.labels) }}
	}
	several := func(name string, rows, d int, e estimators.MultiRegressor) longFit {
		return longFit{name, rows, d, func(ctx context.Context, f manyRows) error {
			y := mat.NewDense(len(f.y), 3, nil)
			for i, v := range f.y {
				y.SetRow(i, []float64{v, v * v, f.x.At(i, 1) - v})
			}
			return e.Fit(ctx, f.x, y)
		}}
	}
	detect := func(name string, rows, d int, e estimators.Detector) longFit {
		return longFit{name, rows, d, func(ctx context.Context, f manyRows) error { return e.Fit(ctx, f.x) }}
	}
	transform := func(name string, rows, d int, t transformers.Transformer) longFit {
		return longFit{name, rows, d, func(ctx context.Context, f manyRows) error { return t.Fit(ctx, f.x) }}
	}
	search := func(name string, rows int, s search.Strategy) longFit {
		return regress("selection.Regressor, "+name, rows, 10, &selection.Regressor{Search: s})
	}
	return []longFit{
		regress("lssvm.Regressor", 4000, 10, &lssvm.Regressor{}),
		regress("lssvm.Regressor, all ridges", 1500, 10, &lssvm.Regressor{Kernel: rbf}),
		regress("lssvm.Regressor, ridge given", 8000, 10, &lssvm.Regressor{Kernel: rbf, Ridge: .1}),
		classify("lssvm.Classifier", 4000, 10, &lssvm.Classifier{}),
		regress("ridge.Regressor", 20000, 1200, &ridge.Regressor{}),
		regress("ridge.Regressor, columns", 1500, 8000, &ridge.Regressor{}),
		{"ridge.DirectKernel", 3500, 10, func(ctx context.Context, f manyRows) error {
			k, err := kernels.Matrix(context.Background(), rbf, f.x, nil)
			if err != nil {
				return err
			}
			return (&ridge.DirectKernel{}).Fit(ctx, k, f.y)
		}},
		several("ridge.MultiRegressor", 20000, 1200, &ridge.MultiRegressor{}),
		several("lssvm.MultiRegressor", 4000, 10, &lssvm.MultiRegressor{}),
		several("falkon.MultiRegressor", 60000, 10, &falkon.MultiRegressor{}),
		several("pipeline.MultiRegressor", 30000, 10, &pipeline.MultiRegressor{Steps: []transformers.Transformer{
			&scalers.StandardScaler{}, &featuremap.Nystroem{Components: 1000}}, Final: &ridge.MultiRegressor{}}),
		detect("svm.OneClass", 10000, 10, &svm.OneClass{Kernel: rbf, Nu: .5}),
		detect("novelty.Density", 20000, 10, &novelty.Density{}),
		regress("svm.Regressor", 9000, 10, &svm.Regressor{}),
		classify("svm.Classifier", 9000, 10, &svm.Classifier{Probabilities: true}),
		regress("rvm.Regressor", 3000, 10, &rvm.Regressor{}),
		classify("rvm.Classifier", 2000, 10, &rvm.Classifier{}),
		classify("eem.Classifier", 60000, 20, &eem.Classifier{Units: 1200, Activation: featuremap.Tanh}),
		classify("eem.KernelClassifier", 60000, 10, &eem.KernelClassifier{Kernel: rbf, Components: 1000}),
		classify("elm.Classifier", 30000, 10, &elm.Classifier{Units: 1000, Activation: featuremap.Tanh}),
		regress("falkon.Regressor", 60000, 10, &falkon.Regressor{}),
		regress("falkon.Regressor, gradients", 60000, 10, &falkon.Regressor{Components: 2000, Solver: falkon.ConjugateGradients}),
		classify("falkon.Classifier", 30000, 10, &falkon.Classifier{Loss: falkon.LogisticLoss}),
		regress("gabasr.Regressor", 3000, 4, &gabasr.Regressor{}),
		classify("gabasr.Classifier", 2000, 4, &gabasr.Classifier{}),
		regress("conformal.Regressor, CV+", 2500, 10, &conformal.Regressor{Method: conformal.CrossValidation, Estimator: &lssvm.Regressor{}}),
		classify("conformal.Classifier", 3000, 10, &conformal.Classifier{Estimator: &lssvm.Classifier{}}),
		classify("calibration.Classifier", 3000, 10, &calibration.Classifier{Estimator: &svm.Classifier{}}),
		regress("stacking.Regressor", 2500, 10, &stacking.Regressor{}),
		classify("stacking.Classifier", 2500, 10, &stacking.Classifier{}),
		{"forecast.Forecaster", 2500, 10, func(ctx context.Context, f manyRows) error {
			return (&forecast.Forecaster{Horizon: 4}).Fit(ctx, f.y, nil)
		}},
		classify("threshold.Classifier", 2500, 10, &threshold.Classifier{}),
		regress("pipeline.Regressor", 30000, 10, &pipeline.Regressor{Steps: []transformers.Transformer{
			&scalers.StandardScaler{}, &featuremap.Nystroem{Components: 1000}}, Final: &ridge.Regressor{}}),
		transform("featuremap.Nystroem", 4000, 10, &featuremap.Nystroem{Kernel: rbf, Components: 4000}),
		transform("pca.KernelPCA", 3000, 10, &pca.KernelPCA{Kernel: rbf, Components: 500}),
		transform("pca.PCA", 40000, 1200, &pca.PCA{}),
		transform("columnwise.PowerTransformer", 400000, 40, &columnwise.PowerTransformer{}),
		{"transformers.TransformContext", 200000, 10, func(ctx context.Context, f manyRows) error {
			map_ := &featuremap.RandomFourier{Components: 200}
			if err := map_.Fit(context.Background(), f.x); err != nil {
				return err
			}
			_, err := transformers.TransformContext(ctx, map_, f.x)
			return err
		}},
		regress("selection.Regressor", 3000, 10, &selection.Regressor{}),
		classify("selection.Classifier", 2000, 10, &selection.Classifier{}),
		search("entropy.Search", 6000, &entropy.Search{}),
		search("grid.Search", 1200, &grid.Search{}),
		search("grid.Halving", 1500, &grid.Halving{}),
		search("entropy.GoldenSection", 2000, &entropy.GoldenSection{}),
		search("shape.Search", 4000, &shape.Search{}),
		{"validation.CrossValidateRegressor", 2500, 10, func(ctx context.Context, f manyRows) error {
			_, err := validation.CrossValidateRegressor(ctx, &lssvm.Regressor{}, f.x, f.y, nil)
			return err
		}},
		{"ranking.ForRegression", 1200, 10, func(ctx context.Context, f manyRows) error {
			_, err := ranking.ForRegression(ctx, []kernels.Kernel{rbf, kernels.RBF{Gamma: .2}, kernels.Matern{Nu: 1.5, Length: 3}},
				func(k kernels.Kernel) estimators.Regressor { return &lssvm.Regressor{Kernel: k} }, f.x, f.y, nil)
			return err
		}},
		{"inspection.RegressorLearningCurve", 1500, 10, func(ctx context.Context, f manyRows) error {
			_, err := inspection.RegressorLearningCurve(ctx, &lssvm.Regressor{}, f.x, f.y, []int{len(f.y) / 4, len(f.y) / 2}, nil)
			return err
		}},
		{"inspection.RegressorImportances", 3000, 10, func(ctx context.Context, f manyRows) error {
			m := &lssvm.Regressor{Kernel: rbf, Ridge: .1}
			if err := m.Fit(context.Background(), f.x, f.y); err != nil {
				return err
			}
			_, err := inspection.RegressorImportances(ctx, m, f.x, f.y, &inspection.ImportanceOptions{Repeats: 30})
			return err
		}},
	}
}

// row prints a line of the table.
func (c longFit) row() {
	f := longRows(int(float64(c.rows)**progressScale), c.d)
	runtime.GC()
	type moment struct {
		at         time.Duration
		done, used float64
		where      string
	}
	var mu sync.Mutex
	var steps []moment
	var begun time.Time
	ctx := estimators.Observed(&firstCheck{Context: context.Background(), look: func() { begun = time.Now() }}, func(s estimators.Step) {
		mu.Lock()
		defer mu.Unlock()
		m := moment{at: time.Since(begun), done: s.Done, used: processorSeconds()}
		if traceSteps {
			m.where = string(debug.Stack())
		}
		steps = append(steps, m)
	})
	begun = time.Now()
	err := c.run(ctx, f)
	took := time.Since(begun)
	if err != nil || len(steps) == 0 {
		fmt.Fprintf(os.Stderr, "%s: %d steps, %v\n", c.name, len(steps), err)
		return
	}
	var pause, used, off float64
	for i, s := range steps {
		if i > 0 {
			before := steps[i-1]
			if d := (s.at - before.at).Seconds(); d > pause {
				pause = d
				if traceSteps {
					fmt.Fprintf(os.Stderr, "%s: %.2f s from %.2f s, %.3f done, to %.3f, until\n%s\n", c.name, d, before.at.Seconds(), before.done, s.done, s.where)
				}
			}
			used = max(used, s.used-before.used)
		}
		off += math.Abs(s.done-s.at.Seconds()/took.Seconds()) / float64(len(steps))
	}
	last := steps[max(0, len(steps)-2)] // the step before the last one, since the last one is the end
	fmt.Printf("| %s | %d × %d | %.2f | %.2f | %.2f | %.2f | %.2f | %d | %.2f |\n", c.name, len(f.y), c.d, took.Seconds(), steps[0].at.Seconds(), pause, used,
		(took - last.at).Seconds(), len(steps), off)
}

// traceSteps selects whether the stack is printed at the end of the longest pause.
var traceSteps = os.Getenv("KERNELEARN_TRACE_STEPS") != ""

// firstCheck is a context that calls a function at its first check. The time before this check is not part of the fit.
type firstCheck struct {
	context.Context
	once sync.Once
	look func()
}

// Err returns the error of the context, and counts as a check.
func (l *firstCheck) Err() error {
	l.once.Do(l.look)
	return l.Context.Err()
}

// few is the number of steps of some fits to few rows.
const few = 5

// least returns the smallest allowed number of steps in a fit to 400 rows.
func (c longFit) least() int {
	switch c.name {
	case "columnwise.PowerTransformer", "transformers.TransformContext", "pca.PCA", "ridge.Regressor":
		return 1 // with 400 rows, or with one column, the only step is at the end
	}
	return 10
}
