package inspection

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/conformal"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/gabasr"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/stacking"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/pca"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// houses returns rows with three numbers, a category with four codes and an irrelevant column, and their positive targets.
func houses(n int, seed uint64) (*mat.Dense, []float64) {
	x := uniform(n, 5, -1, 1, seed)
	y := make([]float64, n)
	for i := range y {
		code := math.Floor(2 * (x.At(i, 3) + 1))
		x.Set(i, 3, code)
		y[i] = math.Sin(3*x.At(i, 0))*(1+x.At(i, 1)) + x.At(i, 2)*x.At(i, 2) + 0.5*math.Mod(code, 2) + 0.05*math.Sin(float64(97*i))
	}
	return x, y
}

// defined computes the Shapley values of groups of columns from their definition, with predictions for all coalitions.
func defined(t *testing.T, predict func(x *mat.Dense) ([]float64, error), groups [][]int, row []float64, background *mat.Dense) []float64 {
	t.Helper()
	m, _ := background.Dims()
	players := len(groups)
	v := make([]float64, 1<<players)
	for s := range v {
		rows := mat.DenseCopyOf(background)
		for p, columns := range groups {
			for _, j := range columns {
				for z := 0; z < m && s>>p&1 == 1; z++ {
					rows.Set(z, j, row[j])
				}
			}
		}
		y, err := predict(rows)
		require.NoError(t, err)
		for _, a := range y {
			v[s] += a / float64(m)
		}
	}
	phi := make([]float64, players)
	for s := range v {
		size := 0
		for p := range players {
			size += s >> p & 1
		}
		weight := math.Gamma(float64(size+1)) * math.Gamma(float64(players-size)) / math.Gamma(float64(players+1))
		for p := range players {
			if s>>p&1 == 0 {
				phi[p] += weight * (v[s|1<<p] - v[s])
			}
		}
	}
	return phi
}

// inOrder returns the values of an explanation in the order of the given groups of columns.
func inOrder(t *testing.T, e Explanation, groups [][]int) []float64 {
	t.Helper()
	out := make([]float64, len(groups))
	require.Len(t, e.Contributions, len(groups))
	for i, g := range groups {
		for _, c := range e.Contributions {
			if c.Columns[0] == g[0] {
				assert.Equal(t, g, c.Columns)
				out[i] = c.Value
			}
		}
	}
	return out
}

// assertSums checks that the values are sorted and sum to the prediction minus the base.
func assertSums(t *testing.T, e Explanation) {
	t.Helper()
	total := 0.0
	for i, c := range e.Contributions {
		total += c.Value
		if i > 0 {
			assert.LessOrEqual(t, math.Abs(c.Value), math.Abs(e.Contributions[i-1].Value))
		}
	}
	assert.InDelta(t, e.Prediction-e.Base, total, 1e-9*max(1, math.Abs(e.Prediction)))
}

func singles(d int) (out [][]int) {
	for j := range d {
		out = append(out, []int{j})
	}
	return out
}

func regressors() map[string]estimators.Regressor {
	lengths := []float64{0.5, 1, 0.7, 2, 3}
	scaled := func(r estimators.Regressor, steps ...transformers.Transformer) estimators.Regressor {
		return &pipeline.Regressor{Steps: steps, Final: r}
	}
	laplacian := kernels.ARD{Kernel: kernels.Laplacian{}, Lengths: lengths, Categories: []int{3}}
	return map[string]estimators.Regressor{
		"lssvm, Matérn": &lssvm.Regressor{}, "lssvm, Laplacian with a category": &lssvm.Regressor{Kernel: laplacian},
		"lssvm, additive": &lssvm.Regressor{Kernel: kernels.Additive{Kernel: kernels.RBF{}, Lengths: lengths}},
		"lssvm, sum":      &lssvm.Regressor{Kernel: kernels.Sum{kernels.RBF{Gamma: 0.3}, laplacian, kernels.Linear{}}},
		"falkon":          &falkon.Regressor{Kernel: kernels.RBF{Gamma: 0.5}, Components: 30},
		"svm":             &svm.Regressor{Kernel: kernels.RBF{Gamma: 0.5}},
		"rvm":             &rvm.Regressor{Kernels: []kernels.Kernel{kernels.RBF{Gamma: 0.5}, kernels.Linear{}}},
		"ridge":           &ridge.Regressor{},
		"stack":           &stacking.Regressor{Models: []estimators.Regressor{&lssvm.Regressor{}, &ridge.Regressor{}, &lssvm.Regressor{Kernel: laplacian}}},
		"pipeline":        scaled(&lssvm.Regressor{}, &scalers.StandardScaler{}, &columnwise.PowerTransformer{}),
		"one-hot": scaled(&lssvm.Regressor{Kernel: kernels.RBF{Gamma: 0.3}}, &pipeline.ColumnTransformer{
			Parts: []pipeline.ColumnPart{{Columns: []int{3}, Of: &columnwise.OneHot{}}}, Rest: &scalers.StandardScaler{},
		}),
		"pipeline in a stack": &stacking.Regressor{Models: []estimators.Regressor{scaled(&ridge.Regressor{}, &scalers.MinMaxScaler{}), &lssvm.Regressor{}}},
		"conformal":           &conformal.Regressor{Estimator: &lssvm.Regressor{Kernel: kernels.RBF{Gamma: 0.5}, Ridge: 0.1}},
		"search":              &selection.Regressor{Categories: []int{3}, Target: selection.PlainTarget},
	}
}

// Functions that are sums of products are explained exactly and on the original columns. This also holds for rows with gaps if the
// estimator accepts them.
func TestExplainInClosedForm(t *testing.T) {
	x, y := houses(80, 1)
	rows, _ := houses(7, 2)
	background := rows.Slice(0, 6, 0, 5).(*mat.Dense)
	row := rows.RawRowView(6)
	for name, r := range regressors() {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, r.Fit(ctx, x, y))
			e, err := Explain(ctx, r, row, background, nil)
			require.NoError(t, err)
			assert.Equal(t, ClosedForm, e.Method, e.Reason)
			assert.Empty(t, e.Reason)
			assertSums(t, e)
			want := defined(t, numbers(r).column(0), singles(5), row, background)
			assert.InDeltaSlice(t, want, inOrder(t, e, singles(5)), 1e-9)
			one, err := Explain(ctx, r, row, background, &ExplainOptions{Workers: 1})
			require.NoError(t, err)
			assert.Equal(t, one, e, "on any number of workers")
		})
	}
}

func TestExplainGaps(t *testing.T) {
	x, y := houses(80, 1)
	background, _ := houses(6, 2)
	row := []float64{0.3, math.NaN(), 0.5, 2, math.NaN()}
	background.Set(0, 0, math.NaN())
	background.Set(2, 1, math.NaN())
	impute := &pipeline.Regressor{Steps: []transformers.Transformer{&columnwise.Imputer{}, &scalers.StandardScaler{}}, Final: &lssvm.Regressor{}}
	search := &selection.Regressor{Target: selection.PlainTarget}
	for _, r := range []estimators.Regressor{impute, search} {
		require.NoError(t, r.Fit(ctx, x, y))
		e, err := Explain(ctx, r, row, background, nil)
		require.NoError(t, err)
		assert.Equal(t, ClosedForm, e.Method, e.Reason)
		want := defined(t, numbers(r).column(0), singles(5), row, background)
		assert.InDeltaSlice(t, want, inOrder(t, e, singles(5)), 1e-9)
		assert.Contains(t, e.String(), "column 1 is missing")
	}
	_, err := Explain(ctx, fittedTo(t, &lssvm.Regressor{}, x, y), row, background, nil)
	assert.ErrorIs(t, err, estimators.ErrNotFinite, "an estimator that rejects gaps")
}

func fittedTo(t *testing.T, r estimators.Regressor, x *mat.Dense, y []float64) estimators.Regressor {
	t.Helper()
	require.NoError(t, r.Fit(ctx, x, y))
	return r
}

// The levels of a category are one player, and so are the copies of a column. A column that does not change is not a player.
func TestExplainGroups(t *testing.T) {
	plain, y := houses(60, 3)
	x := mat.NewDense(60, 9, nil)
	names := []string{"size", "age", "colour=red", "colour=green", "colour=blue", "colour=grey", "size in feet", "constant", "noise"}
	for i := range y {
		x.SetRow(i, []float64{plain.At(i, 0), plain.At(i, 1), 0, 0, 0, 0, 3.28 * plain.At(i, 0), 4, plain.At(i, 4)})
		x.Set(i, 2+int(plain.At(i, 3)), 1)
	}
	r := fittedTo(t, &lssvm.Regressor{Kernel: kernels.RBF{Gamma: 0.4}}, x, y)
	background, row := x.Slice(0, 30, 0, 9).(*mat.Dense), x.RawRowView(45)
	e, err := Explain(ctx, r, row, background, &ExplainOptions{Names: names})
	require.NoError(t, err)
	assert.Equal(t, ClosedForm, e.Method, e.Reason)
	groups := [][]int{{0, 6}, {1}, {2, 3, 4, 5}, {7}, {8}}
	want := defined(t, numbers(r).column(0), groups, row, background)
	assert.InDeltaSlice(t, want, inOrder(t, e, groups), 1e-9)
	assertSums(t, e)
	for _, c := range e.Contributions {
		switch c.Columns[0] {
		case 0:
			assert.Equal(t, "size, size in feet", c.Name)
		case 2:
			colour := []string{"red", "green", "blue", "grey"}[int(plain.At(45, 3))]
			assert.Equal(t, "colour = "+colour, c.Label())
		case 7:
			assert.Zero(t, c.Value, "a constant moves nothing")
			assert.Equal(t, "constant = 4", c.Label())
		}
	}
}

// other predicts with a function that differs from the machine that it embeds.
type other struct{ *lssvm.Regressor }

func (o other) Predict(x mat.Matrix) ([]float64, error) {
	y, err := o.Regressor.Predict(x)
	for i := range y {
		y[i] *= y[i]
	}
	return y, err
}

// liar returns the Expansion of another machine.
type liar struct {
	estimators.Regressor
	of *lssvm.Regressor
}

func (l liar) Expansion() (estimators.Expansion, error) { return l.of.Expansion() }

// wrong returns an Expansion whose shape does not match its rows.
type wrong struct {
	estimators.Regressor
	of estimators.Expansion
}

func (w wrong) Expansion() (estimators.Expansion, error) { return w.of, nil }

func TestExplainWrongExpansions(t *testing.T) {
	x, y := houses(30, 1)
	r := fittedTo(t, &lssvm.Regressor{Kernel: kernels.RBF{}}, x, y)
	k, rows, one := kernels.RBF{}, mat.NewDense(2, 5, nil), mat.NewDense(2, 1, nil)
	for want, p := range map[string]estimators.ExpansionPart{
		"want Rows and Coefficients": {Kernel: k, Rows: rows}, "3 rows of Coefficients": {Kernel: k, Rows: rows, Coefficients: mat.NewDense(3, 1, nil)},
		"2 rows of 4 columns": {Kernel: k, Rows: mat.NewDense(2, 4, nil), Coefficients: one}, "of 2 outputs": {Kernel: k, Rows: rows, Coefficients: mat.NewDense(2, 2, nil)},
		"Gamma": {Kernel: kernels.RBF{Gamma: -1}, Rows: rows, Coefficients: one}, "a kernel": {Rows: rows, Coefficients: one},
		"ARD has lengths for 2": {Kernel: kernels.ARD{Kernel: k, Lengths: []float64{1, 2}}, Rows: rows, Coefficients: one},
	} {
		of := estimators.Expansion{Parts: []estimators.ExpansionPart{p}, Intercepts: []float64{0}}
		_, err := Explain(ctx, wrong{r, of}, x.RawRowView(0), x, nil)
		assert.ErrorContains(t, err, want)
		assert.False(t, errors.As(err, new(*estimators.PanicError)), "%v", err)
	}
}

// Functions without a closed form are explained with predictions, and the explanation has the reason.
func TestExplainByPredictions(t *testing.T) {
	x, y := houses(80, 1)
	background, _ := houses(30, 2)
	row := []float64{0.3, 0.8, -0.5, 2, 0.1}
	machine := &lssvm.Regressor{Kernel: kernels.RBF{Gamma: 0.5}}
	require.NoError(t, machine.Fit(ctx, x, y))
	mixed := &pipeline.Regressor{Steps: []transformers.Transformer{&pca.PCA{Components: 3}}, Final: &lssvm.Regressor{}}
	scaled := &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.UnitRows{}}, Final: &lssvm.Regressor{}}
	for want, r := range map[string]estimators.Regressor{
		"the steps before *lssvm.Regressor mix column 0 with column 1":  fittedTo(t, mixed, x, y),
		"the steps before *lssvm.Regressor mix column 0 with column 1 ": fittedTo(t, scaled, x, y),
		"not a product":                        fittedTo(t, &lssvm.Regressor{Kernel: kernels.Polynomial{Degree: 2}}, x, y),
		"hidden is not an estimators.Expander": hidden{machine},
		"other is not an estimators.Expander":  other{machine},
		"*gabasr.Regressor is no":              fittedTo(t, &gabasr.Regressor{Sweeps: 10, Chains: 1}, x, y),
		"not the sum":                          liar{fittedTo(t, &lssvm.Regressor{}, x, y), machine},
	} {
		e, err := Explain(ctx, r, row, background, &ExplainOptions{Orders: 3})
		require.NoError(t, err, want)
		assert.Equal(t, Permutations, e.Method, want)
		assert.Contains(t, e.Reason, strings.TrimSpace(want))
		assertSums(t, e)
		exact, err := Explain(ctx, r, row, background, &ExplainOptions{Orders: 8})
		require.NoError(t, err)
		assert.Equal(t, AllCoalitions, exact.Method, "32 coalitions cost no more than 64 predictions")
		values := defined(t, numbers(r).column(0), singles(5), row, background)
		assert.InDeltaSlice(t, values, inOrder(t, exact, singles(5)), 1e-9)
		for _, c := range e.Contributions {
			assert.LessOrEqual(t, math.Abs(c.Value-values[c.Columns[0]]), 5*c.SE+1e-12, "%s: %s", want, c.Name)
			assert.Positive(t, c.SE)
		}
	}
}

// The values of random orders are within four standard errors of the exact values. The standard errors fall with the square root of
// the number of orders.
func TestPermutationsAgreeWithTheClosedForm(t *testing.T) {
	x, y := houses(100, 1)
	background, _ := houses(40, 2)
	row := []float64{0.3, 0.8, -0.5, 2, 0.1}
	r := fittedTo(t, &lssvm.Regressor{}, x, y)
	exact, err := Explain(ctx, r, row, background, nil)
	require.NoError(t, err)
	require.Equal(t, ClosedForm, exact.Method, exact.Reason)
	want := inOrder(t, exact, singles(5))
	e, err := Explain(ctx, r, row, background, &ExplainOptions{Method: Permutations, Orders: 3, Seed: 5})
	require.NoError(t, err)
	assert.Equal(t, Permutations, e.Method)
	assert.Empty(t, e.Reason)
	assertSums(t, e)
	for _, c := range e.Contributions {
		assert.LessOrEqual(t, math.Abs(c.Value-want[c.Columns[0]]), 4*c.SE, c.Name)
	}
	again, err := Explain(ctx, r, row, background, &ExplainOptions{Method: Permutations, Orders: 3, Seed: 5, Workers: 1})
	require.NoError(t, err)
	assert.Equal(t, e, again, "the same seed, other workers")
	different, err := Explain(ctx, r, row, background, &ExplainOptions{Method: Permutations, Orders: 3, Seed: 6})
	require.NoError(t, err)
	assert.NotEqual(t, inOrder(t, e, singles(5)), inOrder(t, different, singles(5)))
	assert.Contains(t, e.String(), "s.e.")
}

// If a search takes logarithms of the targets, it is explained with predictions in the units of the targets. On the scale of its
// models it is explained exactly.
func TestExplainBentTargets(t *testing.T) {
	x, y := houses(80, 1)
	for i, v := range y {
		y[i] = math.Exp(2 * v)
	}
	background, _ := houses(6, 2)
	row := []float64{0.3, 0.8, -0.5, 2, 0.1}
	r := &selection.Regressor{Target: selection.LogTarget}
	require.NoError(t, r.Fit(ctx, x, y))
	e, err := Explain(ctx, r, row, background, nil)
	require.NoError(t, err)
	assert.Equal(t, AllCoalitions, e.Method)
	assert.Contains(t, e.Reason, "ModelScale")
	want := defined(t, numbers(r).column(0), singles(5), row, background)
	assert.InDeltaSlice(t, want, inOrder(t, e, singles(5)), 1e-9*e.Prediction)
	assertSums(t, e)

	model, err := Explain(ctx, r, row, background, &ExplainOptions{Scale: ModelScale})
	require.NoError(t, err)
	assert.Equal(t, ClosedForm, model.Method, model.Reason)
	assert.Equal(t, ModelScale, model.Scale)
	want = defined(t, meanOf(modelsOf(r)), singles(5), row, background)
	assert.InDeltaSlice(t, want, inOrder(t, model, singles(5)), 1e-9)
	assertSums(t, model)
}

func TestExplainClass(t *testing.T) {
	x, y := houses(90, 1)
	background, _ := houses(6, 2)
	row := []float64{0.3, 0.8, -0.5, 2, 0.1}
	for _, classes := range []int{2, 3} {
		labels := make([]int, len(y))
		for i, v := range y {
			labels[i] = 5 + min(classes-1, max(0, int(v*1.5)))
		}
		for name, c := range map[string]estimators.Classifier{
			"lssvm": &lssvm.Classifier{}, "falkon": &falkon.Classifier{Kernel: kernels.RBF{Gamma: 0.5}, Components: 30, Loss: falkon.LogisticLoss},
			"pipeline": &pipeline.Classifier{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: &lssvm.Classifier{}},
			"search":   &selection.Classifier{SingleModel: true},
			"svm":      &svm.Classifier{Kernel: kernels.RBF{Gamma: 0.5}, Probabilities: true},
		} {
			require.NoError(t, c.Fit(ctx, x, labels), name)
			e, err := ExplainClass(ctx, c, row, background, 6, nil)
			require.NoError(t, err, name)
			f, err := probabilities("", c)
			require.NoError(t, err)
			assert.Equal(t, AllCoalitions, e.Method, "%s: no closed form of probabilities", name)
			assert.InDeltaSlice(t, defined(t, f.column(1), singles(5), row, background), inOrder(t, e, singles(5)), 1e-9, name)
			assertSums(t, e)

			e, err = ExplainClass(ctx, c, row, background, 6, &ExplainOptions{Scale: ModelScale})
			require.NoError(t, err, name)
			if name == "svm" && classes == 3 {
				assert.Contains(t, e.Reason, "votes")
			} else {
				assert.Equal(t, ClosedForm, e.Method, "%s: %s", name, e.Reason)
			}
			scores, models, err := decisions("", c)
			require.NoError(t, err)
			require.Len(t, models, 1)
			assert.InDeltaSlice(t, defined(t, scores.column(1), singles(5), row, background), inOrder(t, e, singles(5)), 1e-9, name)
			assertSums(t, e)
		}
	}
}

func TestExplainErrors(t *testing.T) {
	x, y := houses(30, 1)
	row := x.RawRowView(0)
	r := fittedTo(t, &lssvm.Regressor{}, x, y)
	for name, c := range map[string]struct {
		r          estimators.Regressor
		row        []float64
		background mat.Matrix
		opt        ExplainOptions
		want       error
	}{
		"not fitted":     {&lssvm.Regressor{}, row, x, ExplainOptions{}, estimators.ErrNotFitted},
		"nil":            {nil, row, x, ExplainOptions{}, estimators.ErrParam},
		"a short row":    {r, row[:4], x, ExplainOptions{}, estimators.ErrShape},
		"another width":  {r, row[:4], x.Slice(0, 30, 0, 4), ExplainOptions{}, estimators.ErrShape},
		"an infinity":    {r, []float64{1, 2, math.Inf(1), 0, 0}, x, ExplainOptions{}, estimators.ErrNotFinite},
		"no background":  {r, row, &mat.Dense{}, ExplainOptions{}, estimators.ErrShape},
		"one order":      {r, row, x, ExplainOptions{Orders: 1}, estimators.ErrParam},
		"negative rows":  {r, row, x, ExplainOptions{Rows: -1}, estimators.ErrParam},
		"names":          {r, row, x, ExplainOptions{Names: []string{"a"}}, estimators.ErrParam},
		"unknown method": {r, row, x, ExplainOptions{Method: 4}, estimators.ErrParam},
		"no closed form": {hidden{r.(*lssvm.Regressor)}, row, x, ExplainOptions{Method: ClosedForm}, errors.ErrUnsupported},
		"unknown scale":  {r, row, x, ExplainOptions{Scale: 7}, estimators.ErrParam},
	} {
		_, err := Explain(ctx, c.r, c.row, c.background, &c.opt)
		assert.ErrorIs(t, err, c.want, name)
	}
	labels := make([]int, 30)
	for i := range labels {
		labels[i] = i % 2
	}
	c := &svm.Classifier{Kernel: kernels.RBF{}}
	require.NoError(t, c.Fit(ctx, x, labels))
	_, err := ExplainClass(ctx, c, row, x, 7, nil)
	assert.ErrorIs(t, err, estimators.ErrParam)
	_, err = ExplainClass(ctx, c, row, x, 1, nil)
	assert.ErrorIs(t, err, errors.ErrUnsupported, "no probabilities")
	_, err = ExplainClass(ctx, &lssvm.Classifier{}, row, x, 1, nil)
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
}

// The closed form and the sampling return the error of their context, and report progress to the end.
func TestExplainCancelledAndObserved(t *testing.T) {
	x, y := houses(300, 1)
	r := fittedTo(t, &lssvm.Regressor{}, x, y)
	for _, method := range []Method{ClosedForm, AllCoalitions, Permutations} {
		done := 0.0
		opt := &ExplainOptions{Method: method, Orders: 3, Observe: func(s estimators.Step) {
			assert.GreaterOrEqual(t, s.Done, done)
			done = s.Done
		}}
		_, err := Explain(ctx, r, x.RawRowView(0), x, opt)
		require.NoError(t, err)
		assert.Equal(t, 1.0, done)
		own, cancel := context.WithCancel(ctx)
		opt.Observe = func(estimators.Step) { cancel() }
		_, err = Explain(own, r, x.RawRowView(0), x, opt)
		assert.ErrorIs(t, err, context.Canceled)
	}
}

// An expensive closed form is used only on request.
func TestExplainTakesNoHours(t *testing.T) {
	x := uniform(400, 60, -1, 1, 1)
	y := mat.Col(nil, 0, x)
	r := fittedTo(t, &lssvm.Regressor{Kernel: kernels.Matern{Nu: 0.5, Length: 10}, Ridge: 0.1}, x, y)
	e, err := Explain(ctx, r, x.RawRowView(0), x, &ExplainOptions{Orders: 2})
	require.NoError(t, err)
	assert.Equal(t, Permutations, e.Method)
	assert.Contains(t, e.Reason, "multiplications")
	assertSums(t, e)
	exact, err := Explain(ctx, r, x.RawRowView(0), x, &ExplainOptions{Method: ClosedForm, Rows: 2})
	require.NoError(t, err)
	assert.Equal(t, ClosedForm, exact.Method)
	assertSums(t, exact)
	_, err = Explain(ctx, r, x.RawRowView(0), x, &ExplainOptions{Method: AllCoalitions})
	assert.ErrorIs(t, err, estimators.ErrTooLarge)
}

// By default the background has at most 100 rows. Another seed draws other rows.
func TestExplainDrawsItsBackground(t *testing.T) {
	x, y := houses(300, 1)
	r := fittedTo(t, &lssvm.Regressor{}, x, y)
	e, err := Explain(ctx, r, x.RawRowView(0), x, nil)
	require.NoError(t, err)
	assert.Equal(t, 100, e.Rows)
	other, err := Explain(ctx, r, x.RawRowView(0), x, &ExplainOptions{Seed: 1})
	require.NoError(t, err)
	assert.NotEqual(t, e.Base, other.Base)
	all, err := Explain(ctx, r, x.RawRowView(0), x, &ExplainOptions{Rows: 1000})
	require.NoError(t, err)
	assert.Equal(t, 300, all.Rows)
	assertSums(t, all)
}

func TestExplanationString(t *testing.T) {
	e := Explanation{Prediction: 3, Base: 1, Rows: 5, Method: Permutations, Reason: "it is a tree", Contributions: []Contribution{
		{Name: "height", Columns: []int{0}, Cells: []float64{1.7}, Value: 2.5, SE: 0.25},
		{Name: "make", Columns: []int{1, 2}, Cells: []float64{0, 1}, Level: "audi", Value: -0.5},
	}}
	assert.Equal(t, "        column  contribution  s.e.\n  height = 1.7          +2.5  0.25\n   make = audi          -0.5     0\n"+
		"prediction 3, mean of 5 rows 1, by permutations\nno closed form: it is a tree\n", e.String())
	e.Method, e.Reason = ClosedForm, ""
	assert.NotContains(t, e.String(), "s.e.")
	assert.Contains(t, e.String(), "closed form")
	assert.Equal(t, "Scale(5)", Scale(5).String())
	assert.Equal(t, "automatic", AutomaticMethod.String())
	assert.Equal(t, "Method(-1)", Method(-1).String())
}

// If the background is a single row, the base is its prediction. If it is the explained row, all contributions are 0.
func TestExplainAgainstOneRow(t *testing.T) {
	x, y := houses(60, 1)
	r := fittedTo(t, &lssvm.Regressor{}, x, y)
	one := x.Slice(3, 4, 0, 5).(*mat.Dense)
	row := x.RawRowView(9)
	for _, method := range []Method{ClosedForm, AllCoalitions, Permutations} {
		e, err := Explain(ctx, r, row, one, &ExplainOptions{Method: method})
		require.NoError(t, err)
		assert.Equal(t, method, e.Method)
		assert.InDelta(t, predict(t, r, one)[0], e.Base, 1e-12)
		assertSums(t, e)
		own, err := Explain(ctx, r, one.RawRowView(0), one, &ExplainOptions{Method: method})
		require.NoError(t, err)
		require.Len(t, own.Contributions, 5)
		for _, c := range own.Contributions {
			assert.Zero(t, c.Value)
		}
	}
}

// A category with many levels, which enters a search both as a category and as the mean targets of its levels, is one player.
func TestExplainEncodedCategories(t *testing.T) {
	const levels = 60
	x, y := uniform(300, 3, -1, 1, 1), make([]float64, 300)
	for i := range y {
		level := int(levels / 2 * (x.At(i, 0) + 1))
		x.Set(i, 0, float64(level*31%levels))
		effect := 4*float64(level)/levels - 2
		y[i] = effect + effect*x.At(i, 1) + 0.1*x.At(i, 2)
	}
	r := &selection.Regressor{Categories: []int{0}, Target: selection.PlainTarget}
	require.NoError(t, r.Fit(ctx, x, y))
	background, row := x.Slice(0, 8, 0, 3).(*mat.Dense), x.RawRowView(100)
	e, err := Explain(ctx, r, row, background, nil)
	require.NoError(t, err)
	assert.Equal(t, ClosedForm, e.Method, e.Reason)
	assert.InDeltaSlice(t, defined(t, numbers(r).column(0), singles(3), row, background), inOrder(t, e, singles(3)), 1e-9)
	encoded := false
	for _, m := range r.Models() {
		z, err := m.Transform(x)
		require.NoError(t, err)
		encoded = encoded || z.RawMatrix().Cols > 3
	}
	assert.True(t, encoded, "some model sees four columns")
}
