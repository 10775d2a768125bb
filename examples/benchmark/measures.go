package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

// measures are all that are taken, in the order of the report. One that a method
// has not the numbers for is left out of its cells.
var measures = []metrics.Metric{
	{Name: "NMSE", Values: metrics.NMSE},
	{Name: "RMSE", Values: metrics.RMSE},
	{Name: "MAE", Values: metrics.MAE},
	{Name: "R2", LargerIsBetter: true, Values: metrics.R2},
	{Name: "Coverage95", Variance: coverage95},
	{Name: "Accuracy", LargerIsBetter: true, Labels: metrics.Accuracy},
	{Name: "GMean", LargerIsBetter: true, Labels: metrics.GMean},
	{Name: "AUC", LargerIsBetter: true, Scores: metrics.AUCOfScores},
	{Name: "LogLoss", Proba: metrics.LogLoss},
	{Name: "Brier", Proba: metrics.Brier},
}

// coverage95 is the share of targets in the central 95% intervals.
func coverage95(y, mean, variance, weights []float64) (float64, error) {
	share, _, err := metrics.NormalCoverage(y, mean, variance, .95, weights)
	return share, err
}

// fitted is a method that has learned and can be asked for what measures want. The
// functions are nil, or their error wraps errors.ErrUnsupported, where it has not
// got that.
type fitted struct {
	values   func() ([]float64, error)
	variance func() (mean, variance []float64, err error)
	labels   func() ([]int, error)
	scores   func() (*mat.Dense, error)
	proba    func() (*mat.Dense, error)
	classes  []int
}

var started = time.Now()

// learn fits a method's estimator and times it.
func (m method) learn(task string, seed uint64, x *mat.Dense, y []float64, test *mat.Dense) (f fitted, model any, seconds float64, err error) {
	ctx := context.Background()
	if task == regressionTask {
		e := m.regressor(seed)
		begun := processorTime()
		err = e.Fit(ctx, x, y)
		seconds = (processorTime() - begun).Seconds()
		f.values = func() ([]float64, error) { return e.Predict(test) }
		if v, ok := e.(estimators.VariancePredictor); ok {
			f.variance = func() (mean, variance []float64, err error) { return v.PredictVariance(test) }
		}
		return f, e, seconds, err
	}
	e := m.classifier(seed)
	labels := whole(y)
	begun := processorTime()
	if err = e.Fit(ctx, x, labels); err != nil {
		return f, e, 0, err
	}
	seconds = (processorTime() - begun).Seconds()
	f.classes = e.Classes()
	f.labels = func() ([]int, error) { return e.Predict(test) }
	if p, ok := e.(estimators.ProbaPredictor); ok {
		f.proba = func() (*mat.Dense, error) { return p.PredictProba(test) }
		f.scores = f.proba
	}
	if d, ok := e.(estimators.DecisionPredictor); ok && estimators.Supports(e, estimators.Decision) {
		f.scores = func() (*mat.Dense, error) { return d.Decision(test) }
	}
	return f, e, seconds, nil
}

func whole(y []float64) []int {
	out := make([]int, len(y))
	for i, v := range y {
		out[i] = int(v)
	}
	return out
}

// predicted holds what one call of Predict gave.
type predicted struct {
	values []float64
	labels []int
}

func (f fitted) predict() (p predicted, err error) {
	if f.values != nil {
		p.values, err = f.values()
		return p, err
	}
	p.labels, err = f.labels()
	return p, err
}

// measure takes all measures that there are the numbers for.
func (f fitted) measure(y []float64, p predicted) (map[string]float64, error) {
	out := map[string]float64{}
	for _, m := range measures {
		v, err := f.take(m, y, p)
		if errors.Is(err, errors.ErrUnsupported) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%s is %v", m.Name, v)
		}
		out[m.Name] = v
	}
	return out, nil
}

func (f fitted) take(m metrics.Metric, y []float64, p predicted) (float64, error) {
	switch {
	case m.Values != nil && p.values != nil:
		return m.Values(y, p.values, nil)
	case m.Variance != nil && f.variance != nil:
		mean, variance, err := f.variance()
		if err != nil {
			return 0, err
		}
		return m.Variance(y, mean, variance, nil)
	case m.Labels != nil && p.labels != nil:
		return m.Labels(whole(y), p.labels, nil)
	case m.Scores != nil && f.scores != nil:
		return f.score(m.Scores, f.scores, y)
	case m.Proba != nil && f.proba != nil:
		return f.score(m.Proba, f.proba, y)
	}
	return 0, errors.ErrUnsupported
}

func (f fitted) score(measure func([]int, []int, *mat.Dense, []float64) (float64, error), of func() (*mat.Dense, error), y []float64) (float64, error) {
	s, err := of()
	if err != nil {
		return 0, err
	}
	return measure(whole(y), f.classes, s, nil)
}
