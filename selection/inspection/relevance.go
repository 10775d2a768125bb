package inspection

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
)

// Relevance describes how much a column, or a set of related columns, matters to predictions. The package documentation has the
// formulas.
type Relevance struct {
	Name    string // name of the column or the category, or all names of copies
	Columns []int  // column indices, ascending
	// Length is the kernel's length in standard deviations of the column. It is +Inf for a constant column, and NaN if the kernel
	// has no length or depends on a combination of several columns.
	Length float64
	// Relevance is the fraction of the variance of the predictions due to the column, alone and in interactions: the total effect.
	// It is 0 for a constant column.
	Relevance float64
	// FirstOrder is the fraction due to the column alone.
	FirstOrder float64
}

// Relevances holds relevances in descending order.
type Relevances []Relevance

// String returns a table.
func (r Relevances) String() string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "column\tlength\tfirst order\trelevance\t\n")
	for _, v := range r {
		length := "-"
		if !math.IsNaN(v.Length) && !math.IsInf(v.Length, 0) {
			length = fmt.Sprintf("%.3g", v.Length)
		}
		fmt.Fprintf(w, "%s\t%s\t%.3f\t%.3f\t\n", v.Name, length, v.FirstOrder, v.Relevance)
	}
	_ = w.Flush() // writing to a strings.Builder does not fail
	return out.String()
}

// outputs computes the predictions for rows: one column, or one column per class.
type outputs func(x *mat.Dense) (*mat.Dense, error)

func numbers(r estimators.Regressor) outputs {
	return func(x *mat.Dense) (*mat.Dense, error) {
		y, err := r.Predict(x)
		if err != nil {
			return nil, err
		}
		return mat.NewDense(len(y), 1, y), nil
	}
}

func probabilities(typ string, c estimators.Classifier) (outputs, error) {
	p, ok := c.(estimators.ProbaPredictor)
	if !ok || !estimators.Supports(c, estimators.Proba) {
		return nil, estimators.Unsupported(typ, c, estimators.Proba)
	}
	return func(x *mat.Dense) (*mat.Dense, error) { return p.PredictProba(x) }, nil
}

// RegressorRelevances returns how much each column of x (n×d) matters to the predictions of a fitted regressor, largest relevance
// first. The rows should resemble the training rows, and often are the training rows. Gaps (NaN) require an estimator that accepts
// gaps, and do not count as values of a column. It returns ErrParam for an invalid option, ErrNotFinite for an infinity, the errors
// of Predict, or ctx's error.
func RegressorRelevances(ctx context.Context, r estimators.Regressor, x mat.Matrix, opt *Options) (_ Relevances, err error) {
	defer check.Begin(&ctx)(&err)
	t, err := newTable("RegressorRelevances", r, x, opt)
	if err != nil {
		return nil, err
	}
	return t.relevances(ctx, r, numbers(r))
}

// ClassifierRelevances is like RegressorRelevances, for the probabilities of a fitted classifier. If the classifier has none, the
// error wraps errors.ErrUnsupported.
func ClassifierRelevances(ctx context.Context, c estimators.Classifier, x mat.Matrix, opt *Options) (_ Relevances, err error) {
	defer check.Begin(&ctx)(&err)
	t, err := newTable("ClassifierRelevances", c, x, opt)
	if err != nil {
		return nil, err
	}
	f, err := probabilities(t.typ, c)
	if err != nil {
		return nil, err
	}
	return t.relevances(ctx, c, f)
}

// rounding is a ratio of variance to mean square. Below it, predictions differ only by rounding.
const rounding = 1e-24

func (t *inspected) relevances(ctx context.Context, e any, f outputs) (Relevances, error) {
	base, err := f(t.drawn)
	if err != nil {
		return nil, err
	}
	lengths, err := t.lengths(e)
	if err != nil {
		return nil, err
	}
	total := spread(base)
	out := make(Relevances, len(t.features))
	for i, of := range t.features {
		together, alone, err := t.explained(ctx, of, f, base)
		if err != nil {
			return nil, err
		}
		out[i] = Relevance{Name: of.name, Columns: of.columns, Length: lengths[i]}
		if total > rounding*mat.Norm(base, 2)*mat.Norm(base, 2)/float64(base.RawMatrix().Rows) {
			out[i].Relevance, out[i].FirstOrder = together/total, alone/total
		}
		t.observe(i+1, len(t.features), of.name)
	}
	slices.SortStableFunc(out, func(a, b Relevance) int { return cmp.Compare(b.Relevance, a.Relevance) })
	return out, nil
}

// spread returns the variance over the rows, summed over the outputs.
func spread(f *mat.Dense) (sum float64) {
	m, k := f.Dims()
	for c := range k {
		var s moments
		for i := range m {
			s.add(f.At(i, c), 1)
		}
		sum += s.variance()
	}
	return sum
}

// explained returns two parts of a feature's variance: the mean over the rows of the variance over the points, and the variance
// over the points of the mean over the rows.
func (t *inspected) explained(ctx context.Context, of feature, f outputs, base *mat.Dense) (together, alone float64, err error) {
	grid := t.grid(of)
	if len(grid) < 2 {
		return 0, 0, nil
	}
	m, k := base.Dims()
	rows, means, each := mat.DenseCopyOf(t.drawn), make([]moments, k), make([]moments, m*k)
	for _, p := range grid {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		t.moved(rows, of, p)
		at, err := f(rows)
		if err != nil {
			return 0, 0, err
		}
		for c := range k {
			mean := 0.0
			for i := range m {
				each[i*k+c].add(at.At(i, c), p.share)
				mean += at.At(i, c) / float64(m)
			}
			means[c].add(mean, p.share)
		}
	}
	for _, s := range each {
		together += s.variance() / float64(m)
	}
	for _, s := range means {
		alone += s.variance()
	}
	return together, alone, nil
}

// moments holds the weighted mean of the values added so far, and the weighted sum of their squared deviations from it.
type moments struct{ weight, mean, square float64 }

func (s *moments) add(v, weight float64) {
	s.weight += weight
	d := v - s.mean
	s.mean += d * weight / s.weight
	s.square += weight * d * (v - s.mean)
}

func (s *moments) variance() float64 { return max(0, s.square/s.weight) }
