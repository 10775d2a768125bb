package validation

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
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/groups"
	"github.com/kernelearn/kernelearn/internal/numeral"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/selection/internal/folds"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/sparse"
)

// Options holds the settings of a cross-validation. A nil *Options stands for the zero value.
type Options struct {
	// Splitter makes the folds. If it is nil, KFold{} is used for regressors and [StratifiedKFold]{} for classifiers. These two,
	// [ShuffleSplit] and [StratifiedShuffleSplit] divide the distinct rows of x, so that a row and its copies are never separated.
	// Other splitters divide all rows.
	Splitter Splitter

	// Groups holds the group of each row, such as a patient or a day. With a nil Splitter, the folds are those of [GroupKFold] for
	// regressors and of [StratifiedGroupKFold] for classifiers. Estimators that are an [estimators.Grouper] receive the groups of
	// the rows that they are fitted to.
	Groups []int

	// Metrics holds the metrics to compute. If it is nil, NMSE is used for regressors and Accuracy for classifiers.
	Metrics []metrics.Metric

	// Weights holds a weight > 0 for each row. The weights are passed to the estimator's FitWeighted and to the metrics. If Weights
	// is nil, there are no weights. The mean over the folds is not weighted.
	Weights []float64

	// Workers is the number of folds that are computed at the same time. If it is 0, GOMAXPROCS is used.
	Workers int

	// If Observe is not nil, it is called after each fold and regularly during the folds.
	Observe func(estimators.Step)
}

// Scores is the result of a cross-validation.
type Scores struct {
	// Metrics lists the names of the metrics.
	Metrics []string

	// Values holds the scores, as [metric][fold].
	Values [][]float64

	// TrainRows and TestRows hold the numbers of rows, as [fold].
	TrainRows, TestRows []int

	// FitSeconds holds the duration of each fit in seconds, as [fold].
	FitSeconds []float64

	// PredictSeconds holds, in seconds, the time taken to predict and to compute the metrics, as [fold].
	PredictSeconds []float64
}

// Mean returns the mean over the folds of the named metric. It returns NaN if there is no such metric.
func (s Scores) Mean(metric string) float64 {
	mean, _ := s.meanAndSD(metric)
	return mean
}

// SD returns the standard deviation of the named metric over the folds, with the number of folds minus one as the divisor. It
// measures how much the score of a single fold varies; for the error of Mean see [Scores.StandardError]. It returns NaN if there is
// no such metric or only one fold.
func (s Scores) SD(metric string) float64 {
	_, sd := s.meanAndSD(metric)
	return sd
}

// StandardError returns the standard error of Mean: SD divided by the square root of the number of folds. It returns NaN if there
// is no such metric or only one fold. Folds share training rows, and repeated folds also share test rows. Their scores are
// therefore correlated, and the true error of Mean is larger. More repeats reduce the result, but not the true error. To compare
// two estimators, cross-validate both on the same folds and call [Scores.Minus].
func (s Scores) StandardError(metric string) float64 {
	for i, name := range s.Metrics {
		if name == metric {
			return s.SD(metric) / math.Sqrt(float64(len(s.Values[i])))
		}
	}
	return math.NaN()
}

// String returns a table of the metrics, with the mean over the folds and its [Scores.StandardError].
func (s Scores) String() string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "metric\tmean\tstandard error\n")
	for _, name := range s.Metrics {
		fmt.Fprintf(w, "%s\t%s\t%s\n", name, numeral.OrDash("%.4g", s.Mean(name)), numeral.OrDash("%.2g", s.StandardError(name)))
	}
	_ = w.Flush() // writing to a strings.Builder never fails
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
	return math.NaN(), math.NaN()
}

// CrossValidateRegressor fits a clone of the model to the training rows of each fold of x (n×d) and y (n), and scores the clone on
// the test rows. The model itself is not fitted. The folds of sparse rows are sparse. To preprocess within the folds, pass a
// pipeline, which may also fill gaps (NaN in x). It returns [estimators.ErrShape], [estimators.ErrNotFinite],
// [estimators.ErrParam], or ctx's error. If folds fail, it returns the error of the first of them, with the fold's number. If there
// are Weights that the estimator does not accept, this error wraps errors.ErrUnsupported.
func CrossValidateRegressor(ctx context.Context, model estimators.Regressor, x mat.Matrix, y []float64,
	opt *Options) (_ Scores, err error) {
	defer check.Begin(&ctx)(&err)
	if err := check.Vector("y", y); err != nil {
		return Scores{}, err
	}
	return crossValidate(ctx, model, x, y, nil, opt, KFold{}, metrics.ForRegression(), folds.RegressionScorer)
}

// CrossValidateClassifier is like [CrossValidateRegressor], for classifiers and labels y.
func CrossValidateClassifier(ctx context.Context, model estimators.Classifier, x mat.Matrix, y []int,
	opt *Options) (_ Scores, err error) {
	defer check.Begin(&ctx)(&err)
	return crossValidate(ctx, model, x, y, y, opt, StratifiedKFold{}, metrics.ForClassification(), folds.ClassificationScorer)
}

// givenRows returns the rows of x, which are sparse if x is. It also returns the error of the first gap, or nil if there is none.
func givenRows[Y float64 | int](x mat.Matrix) (rows folds.Rows[Y], gap, err error) {
	if sparse.Is(x) {
		rows.Sparse, err = sparse.From("x", x)
		return rows, nil, err
	}
	if rows.X, err = check.DenseGaps("x", x, check.Anywhere); err != nil {
		return rows, nil, err
	}
	return rows, check.Finite("x", rows.X), nil
}

func crossValidate[Y float64 | int, E folds.Learner[Y]](
	ctx context.Context, model E, x mat.Matrix, y []Y, labels []int, opt *Options,
	splitter Splitter, metric metrics.Metric, makeScorer func(metrics.Metric) (folds.Scoring[Y, E], error),
) (_ Scores, err error) {
	o := Options{}
	if opt != nil {
		o = *opt
	}
	typ := "validation: CrossValidateRegressor"
	if labels != nil {
		typ = "validation: CrossValidateClassifier"
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
	if check.IsNil(model) {
		return Scores{}, fault.Param(typ, "model", nil, "an estimator")
	}
	out := Scores{}
	scorers := make([]folds.Scoring[Y, E], len(o.Metrics))
	for i, m := range o.Metrics {
		var err error
		if scorers[i], err = makeScorer(m); err != nil {
			return Scores{}, err
		}
		out.Metrics = append(out.Metrics, m.Name)
	}
	rows, gap, err := givenRows[Y](x)
	if err != nil {
		return Scores{}, err
	}
	rows.Y, rows.Weights, rows.Groups = y, o.Weights, o.Groups
	n, _ := x.Dims()
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
	parts, err := splitTogether(o.Splitter, rows, labels)
	if err != nil {
		return Scores{}, err
	}
	j := folds.Job[Y, E]{
		Type: typ, Builds: []func() E{func() E { return estimators.Clone(model) }},
		Rows:  rows,
		Folds: folds.Converted[folds.Fold](parts), Scorers: scorers, Workers: o.Workers,
	}
	defer estimators.BeginFit(&ctx, o.Observe)(&err)
	progress.Counts(ctx)
	fitted := 0
	j.Observe = func(_, fold int, _ folds.Cell) {
		fitted++
		progress.Tell(ctx, progress.Step{Iteration: fitted, Total: len(parts), Message: fmt.Sprintf("fold %d", fold)})
	}
	cells, err := j.Evaluate(ctx)
	if err != nil {
		return Scores{}, err
	}
	out.Values = make([][]float64, len(o.Metrics))
	for f, c := range cells[0] {
		if c.Err != nil && gap != nil && errors.Is(c.Err, fault.ErrNotFinite) {
			return Scores{}, fmt.Errorf("%s: %w, as the first step of a pipeline (fold %d: %w)", typ, gap, f, c.Err)
		}
		if c.Err != nil {
			return Scores{}, fmt.Errorf("%s: fold %d: %w", typ, f, c.Err)
		}
		for m, v := range c.Scores {
			out.Values[m] = append(out.Values[m], v)
		}
		out.TrainRows = append(out.TrainRows, len(parts[f].Train))
		out.TestRows = append(out.TestRows, len(parts[f].Test))
		out.FitSeconds = append(out.FitSeconds, c.FitTime.Seconds())
		out.PredictSeconds = append(out.PredictSeconds, c.Scored.Seconds())
	}
	return out, nil
}
