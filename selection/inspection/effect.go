package inspection

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/enum"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/interval"
)

// Band is the kind of an effect's band.
type Band int

// The kinds of bands. ExactBand and BoundBand are central intervals of a normal distribution.
const (
	// NoBand: the estimator has no variance, the effect is that of a probability, or no band was requested. In these cases use
	// [Options].Spread.
	NoBand Band = iota
	// ExactBand is the band of the posterior of the mean function, without noise. It includes all covariances between the averaged
	// rows. It is available for the machines of package lssvm, alone, in pipelines or in searches. For the mean of models of a
	// search it is the band of a mixture.
	ExactBand
	// BoundBand is derived from an upper bound: the standard deviation of a mean is at most the mean of the standard deviations.
	// The latter are those of new observations, so they include the noise.
	BoundBand
	// SpreadBand contains the central fraction Level of the rows' predictions at each point. It shows how the rows differ due to
	// their other columns, and not how accurate the mean is. It is available for any estimator; see [Options].Spread.
	SpreadBand
)

// String returns "none", "exact", "bound" or "spread".
func (b Band) String() string {
	return enum.Name("Band", int(b), "none", "exact", "bound", "spread")
}

// Effect is the mean prediction over rows as a function of a column, or of related columns.
type Effect struct {
	Name    string // name of the column or the category, or all names of copies
	Columns []int  // column indices, ascending
	// At holds the values of the column in ascending order. For copies it holds the values of the first column. For a category it
	// holds 0, 1, 2 and so on, one for each of Levels.
	At     []float64
	Levels []string  // levels of a category; nil for numbers
	Share  []float64 // fraction of the rows that each value represents; they sum to 1
	Mean   []float64 // mean predictions
	Low    []float64 // ends of the band; nil without one
	High   []float64
	Band   Band
	Level  float64   // probability of the band; 0 without one
	Rows   []float64 // values of the averaged rows in the units of At, without gaps
}

// String returns a table.
func (e Effect) String() string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%s\tshare\tmean\t", e.Name)
	if e.Band != NoBand {
		fmt.Fprintf(w, "low\thigh\t(%v)", e.Band)
	}
	fmt.Fprintln(w)
	for g, v := range e.At {
		at := fmt.Sprintf("%.4g", v)
		if e.Levels != nil {
			at = e.Levels[g]
		}
		fmt.Fprintf(w, "%s\t%.3f\t%.4g\t", at, e.Share[g], e.Mean[g])
		if e.Band != NoBand {
			fmt.Fprintf(w, "%.4g\t%.4g\t", e.Low[g], e.High[g])
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // writing to a strings.Builder does not fail
	return out.String()
}

// RegressorEffect returns the effect of a column of x (n×d), together with related columns, on the predictions of a fitted
// regressor. The rows should resemble the training rows. For machines of package lssvm the band is exact, at the cost of a factor
// of the kernel matrix, O(n³), unless the machine already has one. For other estimators with a variance it is an upper bound. It
// returns ErrParam for an invalid option or column, ErrNotFinite for an infinity, ErrShape for a column without a value, the errors
// of the predictions, or ctx's error.
func RegressorEffect(ctx context.Context, r estimators.Regressor, x mat.Matrix, column int, opt *Options) (_ Effect, err error) {
	defer check.Begin(&ctx)(&err)
	t, err := newTable("RegressorEffect", r, x, opt)
	if err != nil {
		return Effect{}, err
	}
	out, f, grid, err := t.begin(column)
	if err != nil {
		return Effect{}, err
	}
	machines, exact := machinesOf(r)
	v, varies := r.(estimators.VariancePredictor)
	switch {
	case t.NoBand:
	case t.Spread:
		return out, t.spreads(ctx, &out, numbers(r), 0, f, grid)
	case exact:
		out.Band = ExactBand
		mean, variance, err := t.averages(ctx, machines, f, grid)
		if err != nil {
			return Effect{}, err
		}
		return out, t.band(&out, mean, variance)
	case varies && estimators.Supports(r, estimators.Variance):
		out.Band = BoundBand
		mean, variance, err := t.bounds(ctx, v, f, grid)
		if err != nil {
			return Effect{}, err
		}
		return out, t.band(&out, mean, variance)
	}
	out.Mean, err = t.means(ctx, numbers(r), 0, f, grid)
	return out, err
}

// ClassifierEffect is like RegressorEffect, for the probability of a class. The only band is that of [Options].Spread. It returns
// ErrParam for an unknown class. If the classifier has no probabilities, the error wraps errors.ErrUnsupported.
func ClassifierEffect(ctx context.Context, c estimators.Classifier, x mat.Matrix, column, class int, opt *Options) (_ Effect, err error) {
	defer check.Begin(&ctx)(&err)
	t, err := newTable("ClassifierEffect", c, x, opt)
	if err != nil {
		return Effect{}, err
	}
	f, err := probabilities(t.typ, c)
	if err != nil {
		return Effect{}, err
	}
	at := slices.Index(c.Classes(), class)
	if at < 0 && c.Classes() != nil {
		return Effect{}, fault.Param(t.typ, "class", class, fmt.Sprintf("one of %v", c.Classes()))
	}
	out, of, grid, err := t.begin(column)
	if err != nil {
		return Effect{}, err
	}
	if t.Spread && !t.NoBand {
		return out, t.spreads(ctx, &out, f, at, of, grid)
	}
	out.Mean, err = t.means(ctx, f, at, of, grid)
	return out, err
}

// begin returns the effect of a column without its means and its band. It also returns the column's feature and its points.
func (t *inspected) begin(column int) (Effect, feature, []point, error) {
	f, err := t.feature(column)
	if err != nil {
		return Effect{}, f, nil, err
	}
	grid := t.grid(f)
	if len(grid) == 0 {
		return Effect{}, f, nil, fault.Shape(f.name+" has", 0, "values", "at least 1 that is not a gap")
	}
	out := Effect{Name: f.name, Columns: f.columns}
	for g, p := range grid {
		out.Share = append(out.Share, p.share)
		if f.levels != nil {
			out.At, out.Levels = append(out.At, float64(g)), append(out.Levels, f.level(p))
			continue
		}
		out.At = append(out.At, p.values[0])
	}
	m, _ := t.drawn.Dims()
	for i := range m {
		row := pick(t.drawn.RawRowView(i), f.columns)
		if f.levels == nil && !math.IsNaN(row[0]) {
			out.Rows = append(out.Rows, row[0])
		}
		if g := slices.IndexFunc(grid, func(p point) bool { return slices.Equal(p.values, row) }); f.levels != nil && g >= 0 {
			out.Rows = append(out.Rows, float64(g))
		}
	}
	return out, f, grid, nil
}

// eachPoint calls do once for each point of a feature, with the sampled rows at this point.
func (t *inspected) eachPoint(ctx context.Context, f feature, grid []point, do func(g int, rows *mat.Dense) error) error {
	rows := mat.DenseCopyOf(t.drawn)
	for g, p := range grid {
		if err := ctx.Err(); err != nil {
			return err
		}
		t.moved(rows, f, p)
		if err := do(g, rows); err != nil {
			return err
		}
		t.observe(g+1, len(grid), f.name)
	}
	return nil
}

// means returns the mean of an output at each point.
func (t *inspected) means(ctx context.Context, f outputs, output int, of feature, grid []point) ([]float64, error) {
	out := make([]float64, len(grid))
	return out, t.eachPoint(ctx, of, grid, func(g int, rows *mat.Dense) error {
		at, err := f(rows)
		if err != nil {
			return err
		}
		m, _ := at.Dims()
		for i := range m {
			out[g] += at.At(i, output) / float64(m)
		}
		return nil
	})
}

// spreads computes the mean of an output and the quantiles over the rows at each point, and stores them in an effect.
func (t *inspected) spreads(ctx context.Context, e *Effect, f outputs, output int, of feature, grid []point) error {
	e.Band, e.Level = SpreadBand, t.Level
	e.Mean, e.Low, e.High = make([]float64, len(grid)), make([]float64, len(grid)), make([]float64, len(grid))
	return t.eachPoint(ctx, of, grid, func(g int, rows *mat.Dense) error {
		at, err := f(rows)
		if err != nil {
			return err
		}
		v := mat.Col(nil, output, at)
		slices.Sort(v)
		m := len(v)
		// Leave out equal numbers of rows on both sides; (1 - 0.8)/2 of 200 is 20 only up to rounding.
		outside := int((1-t.Level)/2*float64(m) + 1e-9)
		e.Low[g], e.High[g] = v[outside], v[m-1-outside]
		for _, a := range v {
			e.Mean[g] += a / float64(m)
		}
		return nil
	})
}

// bounds returns the mean prediction at each point, and the square of the mean standard deviation.
func (t *inspected) bounds(ctx context.Context, v estimators.VariancePredictor, f feature,
	grid []point) (mean, variance []float64, err error) {
	mean, variance = make([]float64, len(grid)), make([]float64, len(grid))
	err = t.eachPoint(ctx, f, grid, func(g int, rows *mat.Dense) error {
		y, of, err := v.PredictVariance(rows)
		if err != nil {
			return err
		}
		deviation := 0.0
		for i := range y {
			mean[g] += y[i] / float64(len(y))
			deviation += math.Sqrt(of[i]) / float64(len(y))
		}
		variance[g] = deviation * deviation
		return nil
	})
	return mean, variance, err
}

// band computes the band from means and variances, and stores it in an effect.
func (t *inspected) band(e *Effect, mean, variance []float64) (err error) {
	e.Mean, e.Level = mean, t.Level
	e.Low, e.High, err = interval.Normal(t.Level)(mean, variance, nil)
	return err
}
