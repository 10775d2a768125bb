package main

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/validation"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// outcome holds the means over the splits of a set.
type outcome struct {
	rows                         int // training rows
	heuristic, leaveOneOut, best float64
	logRidge                     float64 // of the leave-one-out ridge
	difference                   float64 // the largest
}

// tried returns the fixed ridges. The one that is best on the test rows is chosen from them.
func tried() (ridges []float64) {
	for e := -6.0; e <= 2; e += 0.5 {
		ridges = append(ridges, math.Pow(10, e))
	}
	return ridges
}

func compare(ctx context.Context, set *dataset.Set, splits int, seed uint64, done func()) (outcome, error) {
	n, _ := set.X.Dims()
	folds, err := validation.ShuffleSplit{Splits: splits, Seed: seed}.Split(n, nil)
	if err != nil {
		return outcome{}, err
	}
	var o outcome
	errors := make([]float64, len(tried())) // of the fixed ridges
	for _, fold := range folds {
		s, err := splitOf(set, fold)
		if err != nil {
			return o, err
		}
		o.rows = len(fold.Train)
		heuristic, _, err := s.machine(ctx, lssvm.HeuristicRidge(len(s.y)))
		if err != nil {
			return o, err
		}
		loo, chosen, err := s.machine(ctx, 0)
		if err != nil {
			return o, err
		}
		chain, err := s.chain(ctx)
		if err != nil {
			return o, err
		}
		for i, r := range tried() {
			f, _, err := s.machine(ctx, r)
			if err != nil {
				return o, err
			}
			e, err := s.score(f)
			if err != nil {
				return o, err
			}
			errors[i] += e / float64(splits)
		}
		for to, f := range map[*float64][]float64{&o.heuristic: heuristic, &o.leaveOneOut: loo} {
			e, err := s.score(f)
			if err != nil {
				return o, err
			}
			*to += e / float64(splits)
		}
		o.logRidge += math.Log(chosen) / float64(splits)
		o.difference = max(o.difference, s.differ(chain, heuristic))
		done()
	}
	o.best = errors[0]
	for _, e := range errors {
		o.best = min(o.best, e)
	}
	return o, nil
}

// split is one division of a set. The targets of two classes are -1 and 1, as least squares requires.
type split struct {
	train, test *mat.Dense
	y, yTest    []float64
	classes     bool
}

func splitOf(set *dataset.Set, fold validation.Fold) (*split, error) {
	s := &split{classes: set.Y == nil}
	var labels, labelsTest []int
	s.train, s.y, labels = set.Rows(fold.Train)
	s.test, s.yTest, labelsTest = set.Rows(fold.Test)
	if s.classes {
		s.y, s.yTest = signs(labels), signs(labelsTest)
	}
	var err error
	s.train, s.test, err = dataset.Impute(s.train, s.test)
	return s, err
}

func signs(labels []int) []float64 {
	out := make([]float64, len(labels))
	for i, label := range labels {
		out[i] = 2*float64(label) - 1
	}
	return out
}

// machine returns lssvm's predictions for the test rows, and the ridge. If value is 0, it chooses the ridge with the smallest
// leave-one-out error.
func (s *split) machine(ctx context.Context, value float64) ([]float64, float64, error) {
	scaler := &scalers.StandardScaler{}
	if err := scaler.Fit(ctx, s.train); err != nil {
		return nil, 0, err
	}
	z, err := scaler.Transform(s.train)
	if err != nil {
		return nil, 0, err
	}
	m := &lssvm.Regressor{Ridge: value}
	if err := m.Fit(ctx, z, s.y); err != nil {
		return nil, 0, err
	}
	zt, err := scaler.Transform(s.test)
	if err != nil {
		return nil, 0, err
	}
	f, err := m.Predict(zt)
	return f, m.ChosenRidge(), err
}

// chain returns the predictions of the chain from the paper's Figure 2.
func (s *split) chain(ctx context.Context) ([]float64, error) {
	var model estimators.Regressor = &pipeline.Regressor{
		Steps: []transformers.Transformer{&scalers.StandardScaler{}, &featuremap.KernelMap{}, &featuremap.KernelCenterer{}},
		Final: &ridge.DirectKernel{RidgeRule: ridge.Heuristic},
	}
	if err := model.Fit(ctx, s.train, s.y); err != nil {
		return nil, err
	}
	return model.Predict(s.test)
}

// score returns the error of predictions: NMSE, or the share of wrong signs.
func (s *split) score(f []float64) (float64, error) {
	if !s.classes {
		return metrics.NMSE(s.yTest, f, nil)
	}
	wrong := 0.0
	for i, v := range f {
		if (v >= 0) != (s.yTest[i] > 0) {
			wrong++
		}
	}
	return wrong / float64(len(f)), nil
}

// differ returns the largest difference between two predictions, in standard deviations of the targets.
func (s *split) differ(f, g []float64) float64 {
	scaler := &scalers.StandardScaler{}
	if err := scaler.Fit(context.Background(), mat.NewDense(len(s.y), 1, s.y)); err != nil {
		return math.Inf(1)
	}
	worst := 0.0
	for i, v := range f {
		worst = max(worst, math.Abs(v-g[i])/scaler.Scales()[0])
	}
	return worst
}
