package inspection

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/validation"
)

const (
	defaultRepeats = 10

	permuteStream = 0x7065726d757465 // the random stream "permute"
	maxRepeats    = 1 << 20
)

// ImportanceOptions holds the settings of permutation importance. A nil *ImportanceOptions stands for the defaults. For d columns,
// all rows are predicted d·Repeats + 1 times.
type ImportanceOptions struct {
	// Names are the names of the columns, as in [Options].
	Names []string
	// Metric scores the predictions; its zero value: NMSE for regressors, Accuracy for classifiers.
	Metric metrics.Metric
	// Weights holds the weights of the metric, one > 0 per row; nil: 1 each.
	Weights []float64
	Repeats int    `zero:"10" most:"1048576"` // permutations of each column; 0: 10
	Seed    uint64 // for the permutations
	Workers int    // parallel predictions, each with a copy of the rows; 0: GOMAXPROCS
	// If Observe is not nil, it is called after each prediction, by one goroutine at a time.
	Observe func(estimators.Step)
}

// Importance is the loss of score when a column, or a set of related columns, is permuted among the rows.
type Importance struct {
	Name    string    // name of the column or the category, or all names of copies
	Columns []int     // column indices, ascending
	Losses  []float64 // loss of score for each permutation; larger means more important
	Mean    float64   // of Losses
	// SE is the standard error of Mean due to the permutations: the standard deviation of Losses over the square root of their
	// number. It does not account for the choice of the rows. It is NaN for a single permutation.
	SE float64
}

// Importances are sorted by mean loss, largest first.
type Importances struct {
	Columns        []Importance
	Metric         string  // name of the metric
	LargerIsBetter bool    // for the metric
	Score          float64 // score of the original rows
}

// String returns a table.
func (r Importances) String() string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "column\tloss of %s\ts.e.\t\n", r.Metric)
	for _, v := range r.Columns {
		se := "-"
		if !math.IsNaN(v.SE) {
			se = fmt.Sprintf("%.4f", v.SE)
		}
		fmt.Fprintf(w, "%s\t%.4f\t%s\t\n", v.Name, v.Mean, se)
	}
	_ = w.Flush() // writing to a strings.Builder does not fail
	return out.String() + fmt.Sprintf("%s of the rows as they are: %.4g\n", r.Metric, r.Score)
}

// RegressorImportances returns permutation importance (L. Breiman, Machine Learning 45, 2001, 5). This is the loss in a metric of a
// fitted regressor when a column of x (n×d) is permuted. The rows and their targets y (n) should not be training rows, on which
// columns that were used only to memorise noise also seem important. Related columns are permuted together. If other columns
// contain the same information as a column, it may have an importance, or share one with them, although it could be dropped without
// a loss. Gaps are permuted like values. It returns ErrParam for an invalid option, ErrShape, ErrNotFinite, the errors of Predict
// and of the metric, or ctx's error.
func RegressorImportances(ctx context.Context, r estimators.Regressor, x mat.Matrix, y []float64,
	opt *ImportanceOptions) (_ Importances, err error) {
	defer check.Begin(&ctx)(&err)
	if err := check.Vector("y", y); err != nil {
		return Importances{}, err
	}
	return importances(ctx, "RegressorImportances", r, x, len(y), opt, metrics.ForRegression(),
		func(m metrics.Metric, x *mat.Dense, weights []float64) (float64, error) {
			return validation.ScoreRegressor(r, m, x, y, weights)
		})
}

// ClassifierImportances is like RegressorImportances, for a fitted classifier and labels.
func ClassifierImportances(ctx context.Context, c estimators.Classifier, x mat.Matrix, y []int,
	opt *ImportanceOptions) (_ Importances, err error) {
	defer check.Begin(&ctx)(&err)
	return importances(ctx, "ClassifierImportances", c, x, len(y), opt, metrics.ForClassification(),
		func(m metrics.Metric, x *mat.Dense, weights []float64) (float64, error) {
			return validation.ScoreClassifier(c, m, x, y, weights)
		})
}

// isZero reports whether m is the zero value, for which the default metric is used.
func isZero(m metrics.Metric) bool {
	return m.Name == "" && m.Values == nil && m.Variance == nil && m.Labels == nil && m.Scores == nil && m.Proba == nil
}

func importances(ctx context.Context, typ string, e any, x mat.Matrix, targets int, opt *ImportanceOptions, metric metrics.Metric,
	score func(m metrics.Metric, x *mat.Dense, weights []float64) (float64, error)) (_ Importances, err error) {
	o := ImportanceOptions{}
	if opt != nil {
		o = *opt
	}
	if isZero(o.Metric) {
		o.Metric = metric
	}
	t, err := newTable(typ, e, x, &Options{Names: o.Names, Seed: o.Seed})
	if err != nil {
		return Importances{}, err
	}
	if err := settings.Check(t.typ, o); err != nil {
		return Importances{}, err
	}
	o.Repeats = cmp.Or(o.Repeats, defaultRepeats)
	n, _ := t.x.Dims()
	if err := check.Rows("y", targets, n); err != nil {
		return Importances{}, err
	}
	defer estimators.BeginFit(&ctx, o.Observe)(&err)
	base, err := score(o.Metric, t.x, o.Weights)
	if err != nil {
		return Importances{}, err
	}
	sign := 1.0
	if o.Metric.LargerIsBetter {
		sign = -1
	}
	out := Importances{Metric: o.Metric.Name, LargerIsBetter: o.Metric.LargerIsBetter, Score: base}
	for _, f := range t.features {
		out.Columns = append(out.Columns, Importance{Name: f.name, Columns: f.columns, Losses: make([]float64, o.Repeats)})
	}
	steps := newCounter(ctx, len(t.features)*o.Repeats+1)
	steps.done("the rows as they are")
	err = parallel.ForEach(ctx, o.Workers, len(t.features)*o.Repeats, func(i int) error {
		f, repeat := t.features[i/o.Repeats], i%o.Repeats
		// There is one random stream per column and repeat, so that the first five of ten repeats are the same as five repeats.
		rng := rand.New(rand.NewPCG(o.Seed, permuteStream+uint64(f.columns[0])*maxRepeats+uint64(repeat)))
		rows := mat.DenseCopyOf(t.x)
		for to, from := range rng.Perm(n) {
			for _, j := range f.columns {
				rows.Set(to, j, t.x.At(from, j))
			}
		}
		v, err := score(o.Metric, rows, o.Weights)
		if err != nil {
			return fmt.Errorf("%s permuted: %w", f.name, err)
		}
		out.Columns[i/o.Repeats].Losses[repeat] = sign * (v - base)
		steps.done(f.name)
		return nil
	})
	if err != nil {
		return Importances{}, err
	}
	for i := range out.Columns {
		c := &out.Columns[i]
		var sd float64
		c.Mean, sd = meanAndSD(c.Losses)
		c.SE = sd / math.Sqrt(float64(len(c.Losses)))
	}
	slices.SortStableFunc(out.Columns, func(a, b Importance) int { return cmp.Compare(b.Mean, a.Mean) })
	return out, nil
}

// counter counts the completed steps of several goroutines and reports them.
type counter struct {
	sync.Mutex
	ctx    context.Context
	at, of int
}

func newCounter(ctx context.Context, of int) *counter {
	progress.Counts(ctx)
	return &counter{ctx: ctx, of: of}
}

func (c *counter) done(message string) {
	c.Lock()
	defer c.Unlock()
	c.at++
	progress.Tell(c.ctx, progress.Step{Iteration: c.at, Total: c.of, Message: message})
}

// meanAndSD returns the mean and the standard deviation with denominator n-1, which is NaN for a single value. NaN values are
// ignored.
func meanAndSD(v []float64) (mean, sd float64) {
	n := 0.0
	for _, a := range v {
		if !math.IsNaN(a) {
			n++
			mean += (a - mean) / n
		}
	}
	if n == 0 {
		return math.NaN(), math.NaN()
	}
	square := 0.0
	for _, a := range v {
		if !math.IsNaN(a) {
			square += (a - mean) * (a - mean)
		}
	}
	return mean, math.Sqrt(square / (n - 1))
}
