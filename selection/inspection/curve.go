package inspection

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/validation"
)

const (
	defaultSizes = 5

	orderStream = 0x6f72646572 // the random stream "order"
)

// CurveOptions holds the settings of learning and validation curves. A nil *CurveOptions stands for the defaults. A curve takes one
// fit per point and fold.
type CurveOptions struct {
	// Splitter makes the folds; nil: KFold{} for regressors, StratifiedKFold{} for classifiers.
	Splitter validation.Splitter
	// Metric is the score; its zero value: NMSE for regressors, Accuracy for classifiers.
	Metric metrics.Metric
	// Weights, one > 0 per row, are passed to the estimator's FitWeighted and to the metric; nil: none.
	Weights []float64
	Seed    uint64 // for the order of rows in a learning curve
	Workers int    // parallel fits; 0: GOMAXPROCS
	// If Observe is not nil, it is called after each fit, by one goroutine at a time. A learning curve starts with the fewest rows.
	Observe func(estimators.Step)
}

// Setting is the setting that a validation curve varies.
type Setting struct {
	Name   string
	Values []float64 // its values, in the order of the points
	// Labels holds one label per value if the values are indices of choices; nil: they are numbers.
	Labels []string
}

// Curve holds the scores of an estimator on its training rows and on held-out rows, as a function of one quantity.
type Curve struct {
	Setting        string // the quantity: "rows", or the setting's name
	Metric         string // name of the metric
	LargerIsBetter bool   // for the metric
	Points         []CurvePoint
}

// CurvePoint holds the scores at one value. NaN means that a fit failed or was not started.
type CurvePoint struct {
	At         float64   // number of rows, or value of the setting
	Label      string    // label of the value, if the setting has Labels
	Train      []float64 // [fold], score on the training rows
	HeldOut    []float64 // [fold], score on the held-out rows
	FitSeconds []float64 // [fold]
}

// TrainMean returns the mean of Train over the folds, and the standard deviation with denominator n-1. Folds share rows, so the
// deviation does not measure the error of the mean.
func (p CurvePoint) TrainMean() (mean, sd float64) { return meanAndSD(p.Train) }

// HeldOutMean returns the mean and the standard deviation of HeldOut, as TrainMean does.
func (p CurvePoint) HeldOutMean() (mean, sd float64) { return meanAndSD(p.HeldOut) }

// Best returns the index of the point with the best mean of HeldOut, or the first in a tie. It returns -1 if there is none.
func (c Curve) Best() int {
	best, score := -1, math.NaN()
	for i, p := range c.Points {
		mean, _ := p.HeldOutMean()
		if !math.IsNaN(mean) && (best < 0 || c.LargerIsBetter && mean > score || !c.LargerIsBetter && mean < score) {
			best, score = i, mean
		}
	}
	return best
}

// String returns a table.
func (c Curve) String() string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%s\t%s, rows of the fit\ts.d.\theld out\ts.d.\t\n", c.Setting, c.Metric)
	for _, p := range c.Points {
		train, trainSD := p.TrainMean()
		held, heldSD := p.HeldOutMean()
		fmt.Fprintf(w, "%s\t%.4g\t%.2g\t%.4g\t%.2g\t\n", p.name(), train, trainSD, held, heldSD)
	}
	_ = w.Flush() // writing to a strings.Builder does not fail
	return out.String()
}

func (p CurvePoint) name() string {
	if p.Label != "" {
		return p.Label
	}
	return fmt.Sprintf("%.6g", p.At)
}

// RegressorLearningCurve fits clones of the model on increasing numbers of training rows in each fold of x (n×d) and y (n), and
// scores them on these rows and on the held-out rows. Within a fold, larger sizes include the rows of smaller ones, drawn with
// Seed. Sizes must ascend. If they are nil, five sizes are used, each twice the preceding one, up to the smallest number of
// training rows of a fold. To preprocess, pass a pipeline. It returns ErrParam, ErrShape or ErrNotFinite. If a fit fails or ctx
// ends, it returns the first error, by size and fold, with the results so far.
func RegressorLearningCurve(ctx context.Context, model estimators.Regressor, x mat.Matrix, y []float64, sizes []int,
	opt *CurveOptions) (_ Curve, err error) {
	defer check.Begin(&ctx)(&err)
	j, err := newRegressorCurve("RegressorLearningCurve", x, y, opt)
	if err != nil {
		return Curve{}, err
	}
	return j.learning(ctx, model, sizes)
}

// ClassifierLearningCurve is like RegressorLearningCurve, for classifiers and labels y. Each size is stratified by class.
func ClassifierLearningCurve(ctx context.Context, model estimators.Classifier, x mat.Matrix, y []int, sizes []int,
	opt *CurveOptions) (_ Curve, err error) {
	defer check.Begin(&ctx)(&err)
	j, err := newClassifierCurve("ClassifierLearningCurve", x, y, opt)
	if err != nil {
		return Curve{}, err
	}
	return j.learning(ctx, model, sizes)
}

// RegressorValidationCurve fits a regressor for each value of a setting to the training rows of each fold. It scores the regressor
// on these rows and on the held-out rows. Each call of build must return a new regressor. The score of the best point is
// optimistic, since the same rows chose it. It returns the errors of RegressorLearningCurve.
func RegressorValidationCurve(ctx context.Context, s Setting, build func(value float64) estimators.Regressor, x mat.Matrix, y []float64,
	opt *CurveOptions) (_ Curve, err error) {
	defer check.Begin(&ctx)(&err)
	j, err := newRegressorCurve("RegressorValidationCurve", x, y, opt)
	if err != nil {
		return Curve{}, err
	}
	return j.validation(ctx, s, build)
}

// ClassifierValidationCurve is like RegressorValidationCurve, for classifiers and labels y.
func ClassifierValidationCurve(ctx context.Context, s Setting, build func(value float64) estimators.Classifier, x mat.Matrix, y []int,
	opt *CurveOptions) (_ Curve, err error) {
	defer check.Begin(&ctx)(&err)
	j, err := newClassifierCurve("ClassifierValidationCurve", x, y, opt)
	if err != nil {
		return Curve{}, err
	}
	return j.validation(ctx, s, build)
}

// fitter holds the methods that regressors and classifiers have in common.
type fitter[Y float64 | int] interface {
	Fit(ctx context.Context, x mat.Matrix, y []Y) error
	Predict(x mat.Matrix) ([]Y, error)
}

// curves computes curves on validated rows.
type curves[Y float64 | int, E fitter[Y]] struct {
	CurveOptions
	typ    string
	x      *mat.Dense
	y      []Y
	labels []int // nil for a regression
	folds  []validation.Fold
	score  func(e E, m metrics.Metric, x mat.Matrix, y []Y, weights []float64) (float64, error)
}

func newRegressorCurve(typ string, x mat.Matrix, y []float64, opt *CurveOptions) (*curves[float64, estimators.Regressor], error) {
	if err := check.Vector("y", y); err != nil {
		return nil, err
	}
	j := &curves[float64, estimators.Regressor]{typ: "inspection: " + typ, y: y, score: validation.ScoreRegressor}
	return j, j.begin(x, opt, validation.KFold{}, metrics.ForRegression())
}

func newClassifierCurve(typ string, x mat.Matrix, y []int, opt *CurveOptions) (*curves[int, estimators.Classifier], error) {
	j := &curves[int, estimators.Classifier]{typ: "inspection: " + typ, y: y, labels: y, score: validation.ScoreClassifier}
	return j, j.begin(x, opt, validation.StratifiedKFold{}, metrics.ForClassification())
}

func (j *curves[Y, E]) begin(x mat.Matrix, opt *CurveOptions, splitter validation.Splitter, metric metrics.Metric) (err error) {
	if opt != nil {
		j.CurveOptions = *opt
	}
	if j.Splitter == nil {
		j.Splitter = splitter
	}
	if isZero(j.Metric) {
		j.Metric = metric
	}
	if err := settings.Check(j.typ, j.CurveOptions); err != nil {
		return err
	}
	if j.x, err = check.DenseGaps("x", x, check.Anywhere); err != nil {
		return err
	}
	n, _ := j.x.Dims()
	if err := check.Rows("y", len(j.y), n); err != nil {
		return err
	}
	if j.Weights != nil {
		if err := check.Weights(j.typ, j.Weights, n); err != nil {
			return err
		}
	}
	j.folds, err = validation.Split(j.Splitter, n, j.labels)
	return err
}

// learning computes a curve over the number of rows.
func (j *curves[Y, E]) learning(ctx context.Context, model E, sizes []int) (Curve, error) {
	if check.IsNil(model) {
		return Curve{}, fault.Param(j.typ, "model", nil, "an estimator")
	}
	all := len(j.folds[0].Train)
	for _, f := range j.folds {
		all = min(all, len(f.Train))
	}
	if sizes == nil {
		for i := range defaultSizes {
			sizes = append(sizes, max(1, all>>(defaultSizes-1-i)))
		}
		sizes = slices.Compact(sizes)
	}
	out := Curve{Setting: "rows"}
	for i, size := range sizes {
		if size < 1 || size > all || i > 0 && size <= sizes[i-1] {
			return Curve{}, fault.Param(j.typ, fmt.Sprintf("sizes[%d]", i), size,
				fmt.Sprintf("ascending, and at most %d, the rows of the smallest training part", all))
		}
		out.Points = append(out.Points, CurvePoint{At: float64(size)})
	}
	orders := make([][]int, len(j.folds))
	for f := range orders {
		orders[f] = j.order(f)
	}
	// Sort the rows, so that a fit to all of them agrees with that of a cross-validation.
	return j.run(ctx, out, func(int) E { return estimators.Clone(model) },
		func(p, f int) []int { return slices.Sorted(slices.Values(orders[f][:sizes[p]])) })
}

// order returns the training rows of a fold in the order in which a learning curve adds them. The rows of each class are in random
// order, and spread evenly.
func (j *curves[Y, E]) order(f int) []int {
	rows := slices.Clone(j.folds[f].Train)
	rng := rand.New(rand.NewPCG(j.Seed, orderStream+uint64(f)))
	rng.Shuffle(len(rows), func(a, b int) { rows[a], rows[b] = rows[b], rows[a] })
	if j.labels == nil {
		return rows
	}
	count, seen := map[int]int{}, map[int]int{}
	for _, r := range rows {
		count[j.labels[r]]++
	}
	place := make(map[int]float64, len(rows))
	for _, r := range rows {
		label := j.labels[r]
		place[r] = (float64(seen[label]) + 0.5) / float64(count[label])
		seen[label]++
	}
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(place[a], place[b]) })
	return rows
}

// validation computes a curve over the values of a setting.
func (j *curves[Y, E]) validation(ctx context.Context, s Setting, build func(value float64) E) (Curve, error) {
	switch {
	case build == nil:
		return Curve{}, fault.Param(j.typ, "build", "nil", "a function that returns an estimator")
	case len(s.Values) == 0:
		return Curve{}, fault.Param(j.typ, "Setting.Values", 0, "at least 1")
	case s.Labels != nil && len(s.Labels) != len(s.Values):
		return Curve{}, fault.Param(j.typ, "Setting.Labels", len(s.Labels), fmt.Sprintf("one for each of %d values, or nil", len(s.Values)))
	}
	if err := check.Vector("Setting.Values", s.Values); err != nil {
		return Curve{}, err
	}
	out := Curve{Setting: cmp.Or(s.Name, "setting")}
	for i, v := range s.Values {
		p := CurvePoint{At: v}
		if s.Labels != nil {
			p.Label = s.Labels[i]
		}
		out.Points = append(out.Points, p)
	}
	return j.run(ctx, out, func(p int) E { return build(s.Values[p]) }, func(_, f int) []int { return j.folds[f].Train })
}

// run computes all points of a curve: it fits and scores each point on each fold.
func (j *curves[Y, E]) run(ctx context.Context, c Curve, build func(point int) E, train func(point, fold int) []int) (_ Curve, err error) {
	c.Metric, c.LargerIsBetter = j.Metric.Name, j.Metric.LargerIsBetter
	folds := len(j.folds)
	for i := range c.Points {
		p := &c.Points[i]
		p.Train, p.HeldOut, p.FitSeconds = make([]float64, folds), make([]float64, folds), make([]float64, folds)
		for f := range folds {
			p.Train[f], p.HeldOut[f], p.FitSeconds[f] = math.NaN(), math.NaN(), math.NaN()
		}
	}
	errs := make([]error, len(c.Points)*folds)
	defer estimators.BeginFit(&ctx, j.Observe)(&err)
	steps := newCounter(ctx, len(errs))
	err = parallel.ForEachPart(ctx, j.Workers, len(errs), func(ctx context.Context, i int) error {
		p, f := &c.Points[i/folds], i%folds
		where := fmt.Sprintf("%s %s, fold %d", c.Setting, p.name(), f)
		err := j.cell(ctx, build(i/folds), train(i/folds, f), p, f)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			errs[i] = fmt.Errorf("%s: %w", where, err)
		}
		steps.done(where)
		return nil
	})
	err = cmp.Or(err, cmp.Or(errs...))
	return c, err
}

// cell fits and scores one point on one fold.
func (j *curves[Y, E]) cell(ctx context.Context, e E, train []int, p *CurvePoint, f int) error {
	if check.IsNil(e) {
		return fault.Param(j.typ, "build", "a function that returns nil", "one that returns an estimator")
	}
	x, y, w := j.pick(train)
	classes.FitsFold(e)
	start := time.Now()
	if err := fit(ctx, j.typ, e, x, y, w); err != nil {
		return err
	}
	seconds := time.Since(start).Seconds()
	learnt, err := j.score(e, j.Metric, x, y, w)
	if err != nil {
		return err
	}
	x, y, w = j.pick(j.folds[f].Test)
	held, err := j.score(e, j.Metric, x, y, w)
	if err != nil {
		return err
	}
	p.Train[f], p.HeldOut[f], p.FitSeconds[f] = learnt, held, seconds
	return nil
}

func (j *curves[Y, E]) pick(rows []int) (x *mat.Dense, y []Y, weights []float64) {
	x = linalg.Rows(j.x, rows)
	for _, r := range rows {
		y = append(y, j.y[r])
		if j.Weights != nil {
			weights = append(weights, j.Weights[r])
		}
	}
	return x, y, weights
}

// fit fits e, with weights if there are any.
func fit[Y float64 | int, E fitter[Y]](ctx context.Context, typ string, e E, x *mat.Dense, y []Y, weights []float64) error {
	if weights == nil {
		return e.Fit(ctx, x, y)
	}
	w, ok := any(e).(estimators.WeightedFitter[Y])
	if !ok || !estimators.Supports(e, estimators.Weighted) {
		return estimators.Unsupported(typ, e, estimators.Weighted)
	}
	return w.FitWeighted(ctx, x, y, weights)
}
