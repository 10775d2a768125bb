package selection

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/groups"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

// CVOptions says how to cross-validate. Nil means the zero value.
type CVOptions struct {
	// Splitter makes the folds. If it is nil, it is KFold{} for regressors and [StratifiedKFold]{} for classifiers.
	// These two, [ShuffleSplit] and [StratifiedShuffleSplit] divide the distinct rows of x, so that a row and its
	// copies are in the same part. Other splitters divide the rows as they like.
	Splitter Splitter

	// Groups has the group of each row, such as the patient or the day that it belongs to. With a nil Splitter the folds
	// are those of [GroupKFold] for regressors and of [StratifiedGroupKFold] for classifiers. The estimators get the groups
	// of the rows that they are fitted to if they are an [estimators.Grouper].
	Groups []int

	// Metrics are the metrics. If they are nil, the metric is NMSE for regressors and Accuracy for classifiers.
	Metrics []metrics.Metric

	// Weights, one > 0 for each row, are passed to the estimator's FitWeighted and to the metrics. If they are nil,
	// there are no weights. The mean over the folds is not weighted.
	Weights []float64

	// Workers is the number of folds at a time. If it is 0, it is GOMAXPROCS.
	Workers int

	// If Observe is not nil, it is called after each fold, and meanwhile.
	Observe func(estimators.Step)
}

// Scores is the outcome of a cross-validation.
type Scores struct {
	// Metrics has the names of the metrics.
	Metrics []string

	// Values has the scores, as [metric][fold].
	Values [][]float64

	// TrainRows and TestRows have the numbers of rows, as [fold].
	TrainRows, TestRows []int

	// FitSeconds has the seconds of each fit, as [fold].
	FitSeconds []float64

	// PredictSeconds has the seconds of each prediction, including the metrics, as [fold].
	PredictSeconds []float64
}

// Mean returns the mean over the folds of the named metric. It returns NaN if there is no such metric.
func (s Scores) Mean(metric string) float64 {
	mean, _ := s.meanAndSD(metric)
	return mean
}

// SD returns the standard deviation over the folds of the named metric, with the number of folds minus one as the
// divisor. It returns NaN if there is no such metric or only one fold. It says how much the score of one fold varies.
// For the error of Mean see [Scores.StandardError].
func (s Scores) SD(metric string) float64 {
	_, sd := s.meanAndSD(metric)
	return sd
}

// StandardError returns the standard error of Mean: SD divided by the square root of the number of folds. It returns NaN if
// there is no such metric or only one fold. Folds share training rows, and repeated folds test rows too, so that their
// scores depend on each other and the true error of Mean is larger; more repeats make this number smaller but not the
// error. To compare two estimators, cross-validate both on the same folds and take [Scores.Minus].
func (s Scores) StandardError(metric string) float64 {
	for i, name := range s.Metrics {
		if name == metric {
			return s.SD(metric) / math.Sqrt(float64(len(s.Values[i])))
		}
	}
	return missing
}

// String returns a table of the metrics, with the mean over the folds and its [Scores.StandardError].
func (s Scores) String() string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "metric\tmean\tstandard error\n")
	for _, name := range s.Metrics {
		fmt.Fprintf(w, "%s\t%s\t%s\n", name, orDash("%.4g", s.Mean(name)), orDash("%.2g", s.StandardError(name)))
	}
	_ = w.Flush() // a strings.Builder takes everything
	return out.String()
}

func (s Scores) meanAndSD(metric string) (mean, sd float64) {
	for i, name := range s.Metrics {
		if name != metric {
			continue
		}
		n := float64(len(s.Values[i]))
		for _, v := range s.Values[i] {
			mean += v / n
		}
		for _, v := range s.Values[i] {
			sd += (v - mean) * (v - mean)
		}
		return mean, math.Sqrt(sd / (n - 1))
	}
	return missing, missing
}

// CrossValidateRegressor fits what build returns, a new regressor at each call, on the training rows of each fold
// of x (n×d) and y (n), and scores it on the test rows. To preprocess, build a pipeline; x may have gaps, as NaN,
// where it fills them. Errors: [estimators.ErrShape], [estimators.ErrNotFinite], [estimators.ErrParam], the first
// fold's that failed, with its number (one that wraps errors.ErrUnsupported for Weights that the estimator does not
// take), or the error of ctx.
func CrossValidateRegressor(ctx context.Context, build func() estimators.Regressor, x mat.Matrix, y []float64, opt *CVOptions) (_ Scores, err error) {
	defer fault.Recover(&err)
	ctx = check.Context(ctx)
	if err := check.Vector("y", y); err != nil {
		return Scores{}, err
	}
	return crossValidate(ctx, build, x, y, nil, opt, KFold{}, DefaultRegressionMetric(), regressionScorer)
}

// CrossValidateClassifier is like [CrossValidateRegressor], for classifiers. y are the labels.
func CrossValidateClassifier(ctx context.Context, build func() estimators.Classifier, x mat.Matrix, y []int, opt *CVOptions) (_ Scores, err error) {
	defer fault.Recover(&err)
	ctx = check.Context(ctx)
	return crossValidate(ctx, build, x, y, y, opt, StratifiedKFold{}, DefaultClassificationMetric(), classificationScorer)
}

// DefaultRegressionMetric returns NMSE.
func DefaultRegressionMetric() metrics.Metric {
	return metrics.Metric{Name: "NMSE", Values: metrics.NMSE}
}

// DefaultClassificationMetric returns Accuracy.
func DefaultClassificationMetric() metrics.Metric {
	return metrics.Metric{Name: "Accuracy", LargerIsBetter: true, Labels: metrics.Accuracy}
}

func crossValidate[Y float64 | int, E learner[Y]](
	ctx context.Context, build func() E, x mat.Matrix, y []Y, labels []int, opt *CVOptions,
	splitter Splitter, metric metrics.Metric, makeScorer func(metrics.Metric) (scoring[Y, E], error),
) (_ Scores, err error) {
	o := CVOptions{}
	if opt != nil {
		o = *opt
	}
	typ := "selection: CrossValidateRegressor"
	if labels != nil {
		typ = "selection: CrossValidateClassifier"
	}
	switch {
	case o.Splitter == nil && o.Groups != nil && labels == nil:
		o.Splitter = GroupKFold{Groups: o.Groups}
	case o.Splitter == nil && o.Groups != nil:
		o.Splitter = StratifiedGroupKFold{Groups: o.Groups}
	case o.Splitter == nil:
		o.Splitter = splitter
	}
	if o.Metrics == nil {
		o.Metrics = []metrics.Metric{metric}
	}
	if build == nil {
		return Scores{}, fault.Param(typ, "build", "nil", "a function that returns an estimator")
	}
	out := Scores{}
	scorers := make([]scoring[Y, E], len(o.Metrics))
	for i, m := range o.Metrics {
		var err error
		if scorers[i], err = makeScorer(m); err != nil {
			return Scores{}, err
		}
		out.Metrics = append(out.Metrics, m.Name)
	}
	xd, err := check.DenseGaps("x", x, check.Anywhere)
	if err != nil {
		return Scores{}, err
	}
	n, _ := xd.Dims()
	gap := check.Finite("x", xd) // nil where there is none
	if err := check.Rows("y", len(y), n); err != nil {
		return Scores{}, err
	}
	if o.Weights != nil {
		if err := check.Weights(typ, o.Weights, n); err != nil {
			return Scores{}, err
		}
	}
	if o.Groups != nil {
		if err := groups.Check(o.Groups, n, 1); err != nil {
			return Scores{}, fmt.Errorf("%s: %w", typ, err)
		}
	}
	folds, err := splitTogether(o.Splitter, xd, labels)
	if err != nil {
		return Scores{}, err
	}
	j := job[Y, E]{typ: typ, builds: []func() E{build}, rows: rowSet[Y]{xd, y, o.Weights, o.Groups}, folds: folds, scorers: scorers, workers: o.Workers}
	ctx, end := progress.Begin(ctx, passed(o.Observe))
	defer end(&err)
	progress.Counts(ctx)
	fitted := 0
	j.observe = func(_, fold int, _ cell) {
		fitted++
		progress.Tell(ctx, progress.Step{Iteration: fitted, Total: len(folds), Message: fmt.Sprintf("fold %d", fold)})
	}
	cells, err := j.evaluate(ctx)
	if err != nil {
		return Scores{}, err
	}
	out.Values = make([][]float64, len(o.Metrics))
	for f, c := range cells[0] {
		if c.err != nil && gap != nil && errors.Is(c.err, fault.ErrNotFinite) {
			return Scores{}, fmt.Errorf("%s: %w, as the first step of a pipeline that build returns (fold %d: %w)", j.typ, gap, f, c.err)
		}
		if c.err != nil {
			return Scores{}, fmt.Errorf("%s: fold %d: %w", j.typ, f, c.err)
		}
		for m, v := range c.scores {
			out.Values[m] = append(out.Values[m], v)
		}
		out.TrainRows = append(out.TrainRows, len(folds[f].Train))
		out.TestRows = append(out.TestRows, len(folds[f].Test))
		out.FitSeconds = append(out.FitSeconds, c.fit.Seconds())
		out.PredictSeconds = append(out.PredictSeconds, c.predict.Seconds())
	}
	return out, nil
}

// passed is an observer that hears what observe does.
func passed(observe func(estimators.Step)) func(progress.Step) {
	if observe == nil {
		return nil
	}
	return func(s progress.Step) { observe(stepOf(s)) }
}

func stepOf(s progress.Step) estimators.Step {
	return estimators.Step{Iteration: s.Iteration, Total: s.Total, Objective: s.Objective, Message: s.Message, Done: s.Done, Between: s.Between}
}

// split asks the splitter and checks its answer: it may be of a third party.
func split(s Splitter, n int, labels []int) ([]Fold, error) {
	folds, err := s.Split(n, labels)
	if err != nil {
		return nil, err
	}
	if len(folds) == 0 {
		return nil, fault.Shape("the splitter made", 0, "folds", "want at least 1")
	}
	if err := partsHaveRows(folds); err != nil {
		return nil, err
	}
	for i, f := range folds {
		for _, rows := range [][]int{f.Train, f.Test} {
			for _, r := range rows {
				if r < 0 || r >= n {
					return nil, fault.Shape(fmt.Sprintf("fold %d has row", i), r, "", "x has %d rows", n)
				}
			}
		}
	}
	return folds, nil
}

func partsHaveRows(folds []Fold) error {
	for i, f := range folds {
		if len(f.Train) == 0 || len(f.Test) == 0 {
			return fault.Shape(fmt.Sprintf("fold %d has", i), 0, "rows in one part", "want at least 1")
		}
	}
	return nil
}

// splitTogether divides the rows of x so that equal rows stay together, where the splitter leaves that open.
func splitTogether(s Splitter, x *mat.Dense, labels []int) ([]Fold, error) {
	n, _ := x.Dims()
	if !numbersRows(s) {
		return split(s, n, labels)
	}
	merged := distinct.Merge(x, nil)
	p := rowsOf(merged, nil, labels)
	folds, err := p.foldsOf(s)
	return spreadFolds(folds, merged), err
}
