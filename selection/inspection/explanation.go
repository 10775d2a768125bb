package inspection

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/enum"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/selection/internal/shapley"
)

const (
	defaultBackground = 100
	defaultOrders     = 4
)

// Scale selects which output is explained.
type Scale int

// The scales.
const (
	// PredictionScale explains the result of Predict, in the units of the targets, or the probability of a class.
	PredictionScale Scale = iota
	// ModelScale explains the output of the models. If a search has transformed the targets, it is the mean of the logarithm or
	// power. For classes it is the decision value, which is the model's own if a search has kept a single model. This output is
	// more often a sum of kernel values, which can be explained exactly.
	ModelScale
)

// String returns "prediction" or "model".
func (s Scale) String() string { return enum.Name("Scale", int(s), "prediction", "model") }

// Method selects how an explanation is computed.
type Method int

// The methods.
const (
	// AutomaticMethod uses ClosedForm if it exists and takes at most 2³² multiplications, about ten seconds on one processor.
	// Otherwise it uses Permutations, or AllCoalitions if these take no more predictions.
	AutomaticMethod Method = iota
	// ClosedForm applies if the function is a sum of kernels that are sums of products over the columns.
	ClosedForm
	// AllCoalitions predicts with every subset of the columns, for at most 20 columns. The values are exact.
	AllCoalitions
	// Permutations adds columns in random orders. The values have standard errors.
	Permutations
)

// String returns "automatic", "closed form", "all coalitions" or "permutations".
func (m Method) String() string {
	return enum.Name("Method", int(m), "automatic", "closed form", "all coalitions", "permutations")
}

// ExplainOptions holds the settings of an explanation. A nil *ExplainOptions stands for the defaults.
type ExplainOptions struct {
	// Names are the names of the columns, as in [Options].
	Names []string
	// Rows is the number of background rows to average over, sampled with Seed if there are more. The cost is proportional to it.
	Rows   int `zero:"100"`
	Scale  Scale
	Method Method
	// Orders is the number of random orders of the columns per background row for Permutations, each with its reverse. Each pair
	// takes 2(d-1) predictions for d columns. Twice as many orders multiply the standard errors by 0.7.
	Orders  int    `zero:"4" least:"2"`
	Seed    uint64 // for sampling the rows and drawing the orders
	Workers int    // 0: GOMAXPROCS
	// If Observe is not nil, it is called with the progress, by one goroutine at a time.
	Observe func(estimators.Step)
}

// Contribution is the Shapley value of a column, or of related columns.
type Contribution struct {
	Name    string    // name of the column or the category, or all names of copies
	Columns []int     // column indices, ascending
	Cells   []float64 // values of the row in these columns
	Level   string    // level of a category in the row; "" for numbers
	// Value is the contribution to the difference between the prediction and the base, in the units of the prediction.
	Value float64
	// SE is the standard error of Value due to the random orders, and 0 if Value is exact. It does not account for the choice of
	// the background.
	SE float64
}

// Label returns the name with the row's value, for example "height = 1.7" or "make = audi".
func (c Contribution) Label() string {
	switch {
	case c.Level != "":
		return c.Name + " = " + c.Level
	case math.IsNaN(c.Cells[0]):
		return c.Name + " is missing"
	}
	return fmt.Sprintf("%s = %.4g", c.Name, c.Cells[0])
}

// Explanation attributes the difference between one prediction and the mean prediction to the columns.
type Explanation struct {
	Prediction float64 // for the row
	Base       float64 // mean prediction over the background
	// Contributions sum to Prediction - Base. They are sorted by absolute value, largest first.
	Contributions []Contribution
	Scale         Scale
	Method        Method
	// Reason explains why AutomaticMethod did not use the closed form. It is "" if the closed form was used, or for any other
	// Method.
	Reason string
	Rows   int // number of background rows
}

// String returns a table.
func (e Explanation) String() string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "column\tcontribution\t")
	if e.Method == Permutations {
		fmt.Fprint(w, "s.e.\t")
	}
	fmt.Fprintln(w)
	for _, c := range e.Contributions {
		fmt.Fprintf(w, "%s\t%+.4g\t", c.Label(), c.Value)
		if e.Method == Permutations {
			fmt.Fprintf(w, "%.2g\t", c.SE)
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // writing to a strings.Builder does not fail
	fmt.Fprintf(&out, "prediction %.4g, mean of %d rows %.4g, by %v\n", e.Prediction, e.Rows, e.Base, e.Method)
	if e.Reason != "" {
		fmt.Fprintf(&out, "no closed form: %s\n", e.Reason)
	}
	return out.String()
}

// Explain explains the prediction of a fitted regressor for a row (d). It returns the Shapley value of each column for the
// interventional game (D. Janzing, L. Minorics and P. Blöbaum, AISTATS 2020). In this game, columns that have not joined take their
// values from rows of the background (m×d), such as the training rows. A value describes how the model uses the column, and not
// what causes the target. Related columns, levels of a category and copies, share one value.
//
// The values are exact for sums of kernels that are products over the columns (see the package documentation). The cost is O(m n
// d²/2) for a machine of n rows, times 71 for a Matérn kernel with ν = 5/2. Other regressors are explained with 2(d-1)·Orders
// predictions per background row. Gaps (NaN) require an estimator that accepts gaps, and are explained like values. It returns
// ErrParam for an invalid option, ErrShape, ErrNotFinite for an infinity, ErrTooLarge, the errors of Predict, or ctx's error. If
// Method is ClosedForm and there is no closed form, the error wraps errors.ErrUnsupported.
func Explain(ctx context.Context, r estimators.Regressor, row []float64, background mat.Matrix,
	opt *ExplainOptions) (_ Explanation, err error) {
	defer check.Begin(&ctx)(&err)
	t, err := newExplained("Explain", r, row, background, opt)
	if err != nil {
		return Explanation{}, err
	}
	defer estimators.BeginFit(&ctx, t.Observe)(&err)
	if _, err := r.Predict(t.row); err != nil { // not fitted, or fitted on other columns
		return Explanation{}, err
	}
	models := modelsOf(r)
	transformed := slices.ContainsFunc(models, func(m model) bool { return m.transformed })
	switch {
	case transformed && t.Scale == ModelScale:
		return t.explain(ctx, meanOf(models), models, 0, "")
	case transformed:
		return t.explain(ctx, numbers(r).column(0), nil, 0, "the models predict a function of the targets; ModelScale explains that")
	}
	return t.explain(ctx, numbers(r).column(0), models, 0, "")
}

// ExplainClass is like Explain, for the probability of a class, or for its decision value if Scale is ModelScale. Probabilities
// have no closed form. It returns ErrParam for an unknown class. If the classifier lacks the explained output, the error wraps
// errors.ErrUnsupported.
func ExplainClass(ctx context.Context, c estimators.Classifier, row []float64, background mat.Matrix, class int,
	opt *ExplainOptions) (_ Explanation, err error) {
	defer check.Begin(&ctx)(&err)
	t, err := newExplained("ExplainClass", c, row, background, opt)
	if err != nil {
		return Explanation{}, err
	}
	defer estimators.BeginFit(&ctx, t.Observe)(&err)
	at, err := t.class(c, class)
	if err != nil {
		return Explanation{}, err
	}
	if t.Scale == ModelScale {
		f, models, err := decisions(t.typ, c)
		if err != nil {
			return Explanation{}, err
		}
		return t.explain(ctx, f.column(at), models, at, "")
	}
	f, err := probabilities(t.typ, c)
	if err != nil {
		return Explanation{}, err
	}
	return t.explain(ctx, f.column(at), nil, at, "a probability is no sum of kernel values; ModelScale explains the decision value")
}

// class returns the position of a class in the outputs. It first checks that the classifier can predict the row.
func (t *explained) class(c estimators.Classifier, class int) (int, error) {
	if _, err := c.Predict(t.row); err != nil { // not fitted, or fitted on other columns
		return 0, err
	}
	at := slices.Index(c.Classes(), class)
	if at < 0 {
		return 0, fault.Param(t.typ, "class", class, fmt.Sprintf("one of %v", c.Classes()))
	}
	return at, nil
}

// decisions returns the decision values of a classifier, and its models. If there is a single model, its own decision values are
// returned, since the decision values of a mean in a search are mean probabilities.
func decisions(typ string, c estimators.Classifier) (outputs, []model, error) {
	models := modelsOf(c)
	d, ok := any(nil), len(models) == 1
	if ok {
		d, ok = models[0].estimator, estimators.Supports(models[0].estimator, estimators.Decision)
	}
	if !ok {
		d, models = c, []model{{share: 1, transform: identity, estimator: c}}
	}
	scores, err := estimators.Capable[estimators.DecisionPredictor](typ, d, estimators.Decision)
	if err != nil {
		return nil, nil, err
	}
	return func(x *mat.Dense) (*mat.Dense, error) {
		z, err := models[0].transform(x)
		if err != nil {
			return nil, err
		}
		return scores.Decision(z)
	}, models, nil
}

// column returns the function that computes a single output.
func (f outputs) column(at int) shapley.Function {
	return func(x *mat.Dense) ([]float64, error) {
		y, err := f(x)
		if err != nil {
			return nil, err
		}
		return mat.Col(nil, at, y), nil
	}
}

// meanOf returns the function that computes the mean of the models' predictions, before a search transforms it back.
func meanOf(models []model) shapley.Function {
	return func(x *mat.Dense) ([]float64, error) {
		out := make([]float64, x.RawMatrix().Rows)
		for _, m := range models {
			z, err := m.transform(x)
			if err != nil {
				return nil, err
			}
			y, err := m.estimator.(estimators.Regressor).Predict(z)
			if err != nil {
				return nil, err
			}
			for i, v := range y {
				out[i] += m.share * v
			}
		}
		return out, nil
	}
}

// explained holds a row to explain. Its background is the sampled rows.
type explained struct {
	*inspected
	ExplainOptions
	row     *mat.Dense // 1×d
	players []feature  // features that differ from some background row
}

func newExplained(typ string, e any, row []float64, background mat.Matrix, opt *ExplainOptions) (*explained, error) {
	t := &explained{}
	if opt != nil {
		t.ExplainOptions = *opt
	}
	if err := settings.Check("inspection: "+typ, t.ExplainOptions); err != nil {
		return nil, err
	}
	o := &t.ExplainOptions
	o.Rows, o.Orders = cmp.Or(o.Rows, defaultBackground), cmp.Or(o.Orders, defaultOrders)
	var err error
	if t.inspected, err = newTable(typ, e, background, &Options{Names: o.Names, Rows: o.Rows, Seed: o.Seed}); err != nil {
		return nil, err
	}
	n, d := t.x.Dims()
	if len(row) != d {
		return nil, fault.Shape("row has", len(row), "entries", "background has %d columns", d)
	}
	if t.row, err = check.DenseGaps("row", mat.NewDense(1, d, slices.Clone(row)), check.Anywhere); err != nil {
		return nil, err
	}
	all := mat.NewDense(n+1, d, nil)
	all.Stack(t.x, t.row)
	t.features = featuresOf(all, t.inspected.Names)
	for _, f := range t.features {
		if t.changes(f) {
			t.players = append(t.players, f)
		}
	}
	return t, nil
}

// changes reports whether the row differs from the background in a feature.
func (t *explained) changes(f feature) bool {
	m, _ := t.drawn.Dims()
	for z := range m {
		for _, j := range f.columns {
			if !same(t.drawn.At(z, j), t.row.At(0, j)) {
				return true
			}
		}
	}
	return false
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// explain explains f with the closed form of an output of the models. If why gives a reason against the closed form, it uses
// predictions.
func (t *explained) explain(ctx context.Context, f shapley.Function, models []model, output int, why string) (out Explanation, err error) {
	y, err := f(t.row)
	if err != nil {
		return out, err
	}
	base, err := f(t.drawn)
	if err != nil {
		return out, err
	}
	out = Explanation{Prediction: y[0], Base: stat.Mean(base, nil), Scale: t.Scale, Rows: len(base)}
	if t.Method == Permutations || t.Method == AllCoalitions {
		return t.sample(ctx, f, out)
	}
	if why == "" {
		phi, err := t.closedForm(ctx, f, models, output, out.Prediction-out.Base)
		switch {
		case errors.As(err, new(noClosedForm)):
			why = err.Error()
		case err != nil:
			return Explanation{}, err
		default:
			out.Method, out.Contributions = ClosedForm, t.contributions(phi, make([]float64, len(phi)))
			return out, nil
		}
	}
	if t.Method == ClosedForm {
		return Explanation{}, fmt.Errorf("%s: no closed form: %s: %w", t.typ, why, errors.ErrUnsupported)
	}
	out.Reason = why
	return t.sample(ctx, f, out)
}

// sample completes an explanation of f by predicting, with all coalitions or with random orders.
func (t *explained) sample(ctx context.Context, f shapley.Function, out Explanation) (Explanation, error) {
	s := shapley.Sampling{Orders: t.Orders, Seed: t.ExplainOptions.Seed, Workers: t.Workers}
	for _, p := range t.players {
		s.Groups = append(s.Groups, p.columns)
	}
	out.Method = Permutations
	if s.All = t.Method == AllCoalitions || t.Method == AutomaticMethod && s.AllCostLess(); s.All {
		out.Method = AllCoalitions
	}
	phi, se, err := shapley.Sample(ctx, s, t.row.RawRowView(0), t.drawn, f)
	if err != nil {
		return Explanation{}, fault.AddName(t.typ, err)
	}
	out.Contributions = t.contributions(phi, se)
	return out, nil
}

// contributions returns the contributions of all features, given the values of the players.
func (t *explained) contributions(phi, se []float64) (out []Contribution) {
	for _, f := range t.features {
		c := Contribution{Name: f.name, Columns: f.columns, Cells: pick(t.row.RawRowView(0), f.columns)}
		if f.levels != nil {
			c.Level = f.level(point{values: c.Cells})
		}
		if p := slices.IndexFunc(t.players, func(p feature) bool { return p.columns[0] == f.columns[0] }); p >= 0 {
			c.Value, c.SE = phi[p], se[p]
		}
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b Contribution) int { return cmp.Compare(math.Abs(b.Value), math.Abs(a.Value)) })
	return out
}
