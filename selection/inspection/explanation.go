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

// Scale says which number is explained.
type Scale int

// The scales.
const (
	// PredictionScale is what Predict returns, in the units of the targets, or the probability of a class.
	PredictionScale Scale = iota
	// ModelScale is what the models themselves compute: for targets of which a search has taken the logarithm or a power, the mean of
	// that, and for classes the decision value, of a search that has kept one model that of the model. It is a sum of kernel values
	// in more cases, and so explained exactly.
	ModelScale
)

// String returns "prediction" or "model".
func (s Scale) String() string { return enum.Name("Scale", int(s), "prediction", "model") }

// Method says how an explanation is computed.
type Method int

// The methods.
const (
	// AutomaticMethod is ClosedForm where there is one that takes at most 2³² multiplications, some ten seconds of a processor.
	// Otherwise it is Permutations, or AllCoalitions where these take no more predictions.
	AutomaticMethod Method = iota
	// ClosedForm: the function is a sum of kernels that are sums of products over the columns, whose Shapley values have a closed form.
	ClosedForm
	// AllCoalitions: predictions for all sets of columns, of at most 20 columns. The values are exact.
	AllCoalitions
	// Permutations: columns joined in random orders. The values have standard errors.
	Permutations
)

// String returns "automatic", "closed form", "all coalitions" or "permutations".
func (m Method) String() string {
	return enum.Name("Method", int(m), "automatic", "closed form", "all coalitions", "permutations")
}

// ExplainOptions are the settings of an explanation. Nil means the defaults.
type ExplainOptions struct {
	// Names are those of the columns, as in [Options].
	Names []string
	// Rows is how many rows of the background are averaged over, drawn by Seed where more are given. The cost grows with it.
	Rows   int `zero:"100"`
	Scale  Scale
	Method Method
	// Orders is how many random orders of the columns are tried for each row of the background, each with its reverse, by
	// Permutations. Of d columns each takes 2(d-1) predictions. Twice as many make standard errors 0.7 times as large.
	Orders  int    `zero:"4" least:"2"`
	Seed    uint64 // of the rows and the orders
	Workers int    // 0: GOMAXPROCS
	// Observe, if not nil, is called as the work goes on, by one goroutine at a time.
	Observe func(estimators.Step)
}

// Contribution is the Shapley value of a column, or of columns that go together.
type Contribution struct {
	Name    string    // of the column; of the category; of copies all names
	Columns []int     // their indices, ascending
	Cells   []float64 // what the row has in them
	Level   string    // of a category, that the row has; "" for numbers
	// Value is by how much the column moves the prediction from the base, in the units of the prediction.
	Value float64
	// SE is the standard error of Value that comes from the orders, 0 if Value is exact. That there could be other rows in the
	// background is not in it.
	SE float64
}

// Label returns the name with what the row has, for example "height = 1.7" or "make = audi".
func (c Contribution) Label() string {
	switch {
	case c.Level != "":
		return c.Name + " = " + c.Level
	case math.IsNaN(c.Cells[0]):
		return c.Name + " is missing"
	}
	return fmt.Sprintf("%s = %.4g", c.Name, c.Cells[0])
}

// Explanation says which columns of a row make a prediction differ from the mean.
type Explanation struct {
	Prediction float64 // for the row
	Base       float64 // the mean prediction over the background
	// Contributions sum to Prediction - Base, the largest first, whatever its sign.
	Contributions []Contribution
	Scale         Scale
	Method        Method
	// Reason says why AutomaticMethod did not take the closed form; "" if it did, and with other methods.
	Reason string
	Rows   int // of the background, over which the mean is
}

// String returns a table for people.
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
	_ = w.Flush() // a strings.Builder takes everything
	fmt.Fprintf(&out, "prediction %.4g, mean of %d rows %.4g, by %v\n", e.Prediction, e.Rows, e.Base, e.Method)
	if e.Reason != "" {
		fmt.Fprintf(&out, "no closed form: %s\n", e.Reason)
	}
	return out.String()
}

// Explain returns why a fitted regressor predicts what it does for a row (d): the Shapley value of each column for a game in which the
// columns that have not joined are those of rows of the background (m×d), such as the rows of Fit (the interventional game; D. Janzing,
// L. Minorics and P. Blöbaum, AISTATS 2020). A value says what the model does with the column, and nothing of what causes the target.
// Columns that go together, levels of a category and copies, have one value.
//
// The values are exact for sums of kernels that are products over the columns, see the documentation of the package, at a cost of
// O(m n d²/2) for n rows of the machine, times 71 for a Matérn kernel of ν = 5/2. Any other regressor is asked for predictions,
// 2(d-1)·Orders for each row of the background. A gap (NaN) is for estimators that take gaps, and is explained like a value.
// Errors: ErrParam for an option, ErrShape, ErrNotFinite for an infinity, ErrTooLarge, one that wraps errors.ErrUnsupported if Method is
// ClosedForm and there is none, those of Predict, or ctx's.
func Explain(ctx context.Context, r estimators.Regressor, row []float64, background mat.Matrix,
	opt *ExplainOptions) (_ Explanation, err error) {
	defer check.Begin(&ctx)(&err)
	t, err := newExplained("Explain", r, row, background, opt)
	if err != nil {
		return Explanation{}, err
	}
	defer estimators.BeginFit(&ctx, t.Observe)(&err)
	if _, err := r.Predict(t.row); err != nil { // not fitted, or on other columns
		return Explanation{}, err
	}
	models := modelsOf(r)
	bent := slices.ContainsFunc(models, func(m model) bool { return m.bent })
	switch {
	case bent && t.Scale == ModelScale:
		return t.explain(ctx, meanOf(models), models, 0, "")
	case bent:
		return t.explain(ctx, numbers(r).column(0), nil, 0, "the models predict a function of the targets; ModelScale explains that")
	}
	return t.explain(ctx, numbers(r).column(0), models, 0, "")
}

// ExplainClass is Explain for the probability of a class, or for its decision value if Scale is ModelScale. Probabilities have no
// closed form. The error wraps errors.ErrUnsupported if the classifier does not give what is explained, and is ErrParam if it does not
// know the class.
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

// class returns the place of a class, for a classifier that predicts the row.
func (t *explained) class(c estimators.Classifier, class int) (int, error) {
	if _, err := c.Predict(t.row); err != nil { // not fitted, or on other columns
		return 0, err
	}
	at := slices.Index(c.Classes(), class)
	if at < 0 {
		return 0, fault.Param(t.typ, "class", class, fmt.Sprintf("one of %v", c.Classes()))
	}
	return at, nil
}

// decisions returns the scores of a classifier, and its models: of one model its own scores, since the mean that a search makes of
// a single model is one of probabilities.
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

// column returns one of the outputs.
func (f outputs) column(at int) shapley.Function {
	return func(x *mat.Dense) ([]float64, error) {
		y, err := f(x)
		if err != nil {
			return nil, err
		}
		return mat.Col(nil, at, y), nil
	}
}

// meanOf returns what the models predict, without what a search does to the mean of it.
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

// explained is a row beside a background, which are the drawn rows.
type explained struct {
	*inspected
	ExplainOptions
	row     *mat.Dense // 1×d
	players []feature  // that differ from some row of the background
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

// explain explains f: by the closed form of an output of the models, unless why says that there is none, or else by predictions.
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

// sample completes an explanation of f by predictions.
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

// contributions returns those of all features, from the values of the players.
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
