package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

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
	{Name: "NLPD", Variance: nlpd},
	{Name: coverageName},
	{Name: widthName},
	{Name: "Accuracy", LargerIsBetter: true, Labels: metrics.Accuracy},
	{Name: "GMean", LargerIsBetter: true, Labels: metrics.GMean},
	{Name: "AUC", LargerIsBetter: true, Scores: metrics.AUCOfScores},
	{Name: "LogLoss", Proba: metrics.LogLoss},
	{Name: "Brier", Proba: metrics.Brier},
}

// Coverage and width are of the method's own intervals, where it has some, and otherwise
// of those of a normal distribution with its mean and variance.
const (
	coverageName  = "Coverage95"
	widthName     = "Width95"
	intervalLevel = 0.95
	// leastVariance is what a smaller variance counts as in NLPD, of that of the targets.
	leastVariance = 1e-12
)

// nlpd is the mean negative log density of the targets under normal predictions, all in
// units of the targets' standard deviation, so that sets can be compared.
func nlpd(y, mean, variance, weights []float64) (float64, error) {
	whole := stat.PopVariance(y, nil)
	if !(whole > 0) {
		return 0, fmt.Errorf("the targets of the test rows are all the same: %w", errors.ErrUnsupported)
	}
	floored := make([]float64, len(variance))
	for i, v := range variance {
		floored[i] = max(v, leastVariance*whole)
	}
	density, err := metrics.LogDensity(y, mean, floored, weights)
	return -density - math.Log(whole)/2, err
}

// ofIntervals is the share of targets in the central 95% intervals, and their mean width in
// standard deviations of the targets.
func (f fitted) ofIntervals(y []float64) (share, width float64, err error) {
	err = errors.ErrUnsupported
	if f.interval != nil {
		var low, high []float64
		if low, high, err = f.interval(); err == nil {
			share, width, err = metrics.Coverage(y, low, high, nil)
		}
	}
	if errors.Is(err, errors.ErrUnsupported) && f.variance != nil {
		var mean, variance []float64
		if mean, variance, err = f.variance(); err == nil {
			share, width, err = metrics.NormalCoverage(y, mean, variance, intervalLevel, nil)
		}
	}
	return share, width / stat.PopStdDev(y, nil), err
}

// fitted is a method that has learned and can be asked for what measures want. The
// functions are nil, or their error wraps errors.ErrUnsupported, where it has not
// got that.
type fitted struct {
	values   func() ([]float64, error)
	variance func() (mean, variance []float64, err error)
	interval func() (low, high []float64, err error) // of 95%
	labels   func() ([]int, error)
	scores   func() (*mat.Dense, error)
	proba    func() (*mat.Dense, error)
	classes  []int
}

var started = time.Now()

// seconds is what fits and predictions are timed by: the time of the processor, or where a
// cell has several threads that of the clock.
var seconds = processorTime

func clockTime() time.Duration { return time.Since(started) }

// learn fits a method's estimator and times it.
func (m method) learn(task string, seed uint64, x *mat.Dense, y []float64,
	test *mat.Dense) (f fitted, model any, fitSeconds float64, err error) {
	ctx := context.Background()
	if task == regressionTask {
		e := m.regressor(seed)
		begun := seconds()
		err = e.Fit(ctx, x, y)
		fitSeconds = (seconds() - begun).Seconds()
		f.values = func() ([]float64, error) { return e.Predict(test) }
		if v, ok := e.(estimators.VariancePredictor); ok {
			f.variance = func() (mean, variance []float64, err error) { return v.PredictVariance(test) }
		}
		if v, ok := e.(estimators.IntervalPredictor); ok && estimators.Supports(e, estimators.Interval) {
			f.interval = func() (low, high []float64, err error) { return v.PredictInterval(test, intervalLevel) }
		}
		return f, e, fitSeconds, err
	}
	e := m.classifier(seed)
	labels := whole(y)
	begun := seconds()
	if err = e.Fit(ctx, x, labels); err != nil {
		return f, e, 0, err
	}
	fitSeconds = (seconds() - begun).Seconds()
	f.classes = e.Classes()
	f.labels = func() ([]int, error) { return e.Predict(test) }
	if p, ok := e.(estimators.ProbaPredictor); ok {
		f.proba = func() (*mat.Dense, error) { return p.PredictProba(test) }
		f.scores = f.proba
	}
	if d, ok := e.(estimators.DecisionPredictor); ok && estimators.Supports(e, estimators.Decision) {
		f.scores = func() (*mat.Dense, error) { return d.Decision(test) }
	}
	return f, e, fitSeconds, nil
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
	case m.Name == coverageName && p.values != nil:
		share, _, err := f.ofIntervals(y)
		return share, err
	case m.Name == widthName && p.values != nil:
		_, width, err := f.ofIntervals(y)
		return width, err
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

func (f fitted) score(measure func([]int, []int, *mat.Dense,
	[]float64) (float64, error), of func() (*mat.Dense, error), y []float64) (float64, error) {
	s, err := of()
	if err != nil {
		return 0, err
	}
	return measure(whole(y), f.classes, s, nil)
}
