package methods

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/interval"
	"github.com/kernelearn/kernelearn/selection/metrics"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/process"
)

// Measures lists all measures in the order of the report. The cells of a method omit a measure for which it lacks the numbers.
var Measures = []metrics.Metric{
	{Name: "NMSE", Values: metrics.NMSE},
	{Name: "RMSE", Values: metrics.RMSE},
	{Name: "MAE", Values: metrics.MAE},
	{Name: "R2", LargerIsBetter: true, Values: metrics.R2},
	{Name: "NLPD", Variance: nlpd},
	{Name: "CRPS", Variance: crps},
	{Name: Coverage},
	{Name: Width},
	{Name: Below},
	{Name: "Accuracy", LargerIsBetter: true, Labels: metrics.Accuracy},
	{Name: "GMean", LargerIsBetter: true, Labels: metrics.GMean},
	{Name: "AUC", LargerIsBetter: true, Scores: metrics.AUCOfScores},
	{Name: "LogLoss", Proba: metrics.LogLoss},
	{Name: "Brier", Proba: metrics.Brier},
}

// Coverage and Width refer to the method's own intervals if it returns some. Otherwise they refer to the intervals of a normal
// distribution with the predicted mean and variance.
const (
	Coverage      = "Coverage95"
	Width         = "Width95"
	Below         = "Below95" // the share above the intervals is 1 - Coverage95 - Below95
	IntervalLevel = 0.95
	// leastVariance replaces smaller variances in NLPD. It is a fraction of the variance of the targets.
	leastVariance = 1e-12
)

// nlpd returns the mean negative log density of the targets under normal predictions. It is in units of the targets' standard
// deviation, so that sets can be compared.
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

// crps returns the continuous ranked probability score of normal predictions, in standard deviations of the targets.
func crps(y, mean, variance, weights []float64) (float64, error) {
	score, err := metrics.CRPS(y, mean, variance, weights)
	return score / stat.PopStdDev(y, nil), err
}

// interval returns the method's own 95% intervals if it has some, and otherwise those of a normal distribution.
func (f Fitted) interval() (low, high []float64, err error) {
	err = errors.ErrUnsupported
	if f.Interval != nil {
		low, high, err = f.Interval()
	}
	if errors.Is(err, errors.ErrUnsupported) && f.Variance != nil {
		low, high, err = interval.Normal(IntervalLevel)(f.Variance())
	}
	return low, high, err
}

// ofIntervals returns the given measure: the share of targets in the intervals, the share below them, or the mean width of the
// intervals in standard deviations of the targets.
func (f Fitted) ofIntervals(measure string, y []float64) (float64, error) {
	low, high, err := f.interval()
	if err != nil {
		return 0, err
	}
	if measure == Below {
		below := 0.
		for i, v := range y {
			if v < low[i] {
				below++
			}
		}
		return below / float64(len(y)), nil
	}
	share, width, err := metrics.Coverage(y, low, high, nil)
	if measure == Width {
		return width / stat.PopStdDev(y, nil), err
	}
	return share, err
}

// Fitted is a fitted method with functions that return the numbers for measures. If the method does not provide some numbers, their
// function is nil, or its error wraps errors.ErrUnsupported.
type Fitted struct {
	values   func() ([]float64, error)
	Variance func() (mean, variance []float64, err error)
	Interval func() (low, high []float64, err error) // 95% intervals
	labels   func() ([]int, error)
	Scores   func() (*mat.Dense, error)
	Proba    func() (*mat.Dense, error)
	Classes  []int
}

// Problem holds the rows of a cell.
type Problem struct {
	Task       string
	Seed       uint64
	X, Test    *mat.Dense
	Y          []float64
	Categories []int         // columns whose cells are codes
	Allowance  time.Duration // seconds of the method Budgeted
}

// Learn fits a method's estimator and measures the time of the fit.
func (m Method) Learn(p Problem) (f Fitted, model any, fitSeconds float64, err error) {
	ctx, test := context.Background(), p.Test
	if p.Task == RegressionTask {
		e := p.onTableRegressor(m.Regressor(p.Seed))
		begun := process.Seconds()
		err = e.Fit(ctx, p.X, p.Y)
		fitSeconds = (process.Seconds() - begun).Seconds()
		f.values = func() ([]float64, error) { return e.Predict(test) }
		if v, ok := e.(estimators.VariancePredictor); ok {
			f.Variance = func() (mean, variance []float64, err error) { return v.PredictVariance(test) }
		}
		if v, ok := e.(estimators.IntervalPredictor); ok && estimators.Supports(e, estimators.Interval) {
			f.Interval = func() (low, high []float64, err error) { return v.PredictInterval(test, IntervalLevel) }
		}
		return f, e, fitSeconds, err
	}
	e := p.onTableClassifier(m.classifier(p.Seed))
	labels := roundedLabels(p.Y)
	begun := process.Seconds()
	if err = e.Fit(ctx, p.X, labels); err != nil {
		return f, e, 0, err
	}
	fitSeconds = (process.Seconds() - begun).Seconds()
	f.Classes = e.Classes()
	f.labels = func() ([]int, error) { return e.Predict(test) }
	if p, ok := e.(estimators.ProbaPredictor); ok {
		f.Proba = func() (*mat.Dense, error) { return p.PredictProba(test) }
		f.Scores = f.Proba
	}
	if d, ok := e.(estimators.DecisionPredictor); ok && estimators.Supports(e, estimators.Decision) {
		f.Scores = func() (*mat.Dense, error) { return d.Decision(test) }
	}
	return f, e, fitSeconds, nil
}

// roundedLabels converts labels that are stored as floating-point numbers.
func roundedLabels(y []float64) []int {
	out := make([]int, len(y))
	for i, v := range y {
		out[i] = int(v)
	}
	return out
}

// Predicted holds the predictions of one call of Predict.
type Predicted struct {
	Values []float64
	Labels []int
}

func (f Fitted) Predict() (p Predicted, err error) {
	if f.values != nil {
		p.Values, err = f.values()
		return p, err
	}
	p.Labels, err = f.labels()
	return p, err
}

// Measure computes all measures for which the method provides the numbers.
func (f Fitted) Measure(y []float64, p Predicted) (map[string]float64, error) {
	out := map[string]float64{}
	for _, m := range Measures {
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

func (f Fitted) take(m metrics.Metric, y []float64, p Predicted) (float64, error) {
	switch {
	case (m.Name == Coverage || m.Name == Width || m.Name == Below) && p.Values != nil:
		return f.ofIntervals(m.Name, y)
	case m.Values != nil && p.Values != nil:
		return m.Values(y, p.Values, nil)
	case m.Variance != nil && f.Variance != nil:
		mean, variance, err := f.Variance()
		if err != nil {
			return 0, err
		}
		return m.Variance(y, mean, variance, nil)
	case m.Labels != nil && p.Labels != nil:
		return m.Labels(roundedLabels(y), p.Labels, nil)
	case m.Scores != nil && f.Scores != nil:
		return f.score(m.Scores, f.Scores, y)
	case m.Proba != nil && f.Proba != nil:
		return f.score(m.Proba, f.Proba, y)
	}
	return 0, errors.ErrUnsupported
}

func (f Fitted) score(measure func([]int, []int, *mat.Dense,
	[]float64) (float64, error), of func() (*mat.Dense, error), y []float64) (float64, error) {
	s, err := of()
	if err != nil {
		return 0, err
	}
	return measure(roundedLabels(y), f.Classes, s, nil)
}
