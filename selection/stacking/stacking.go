package stacking

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/groups"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/stack"
	"github.com/kernelearn/kernelearn/selection/internal/average"
	"github.com/kernelearn/kernelearn/selection/internal/folds"
	"github.com/kernelearn/kernelearn/selection/validation"
)

// seen is a fitted model with its predictions for rows that it was not fitted to. For each row it holds the residual of a target,
// or the probability of the class. With targets it also holds the variances, which are nil if the model has none.
type seen[E any] struct {
	model           E
	left, variances []float64
}

// task holds the parts of one Fit that depend on the kind of targets.
type task[Y float64 | int, E folds.Learner[Y]] struct {
	typ      string
	models   []E
	splitter validation.Splitter
	// exact returns the leave-one-out predictions of a fitted model. The result ok is false if the model cannot compute them.
	exact func(ctx context.Context, e E) (left, variances []float64, ok bool, err error)
	// predict stores the predictions of a model for rows that it was not fitted to. It sets the variances to nil if the model has
	// none.
	predict func(e E, test folds.Rows[Y], at []int, out *seen[E]) error
	shares  func(left [][]float64, weights []float64) []float64
}

// fitted holds the models that have a share, the largest share first.
type fitted[E any] struct {
	parts  []average.Part[E]
	of     []int   // indices in Models
	factor float64 // multiplies their variance
}

func (t task[Y, E]) fit(ctx context.Context, rows folds.Rows[Y], labels []int) (out fitted[E], err error) {
	if len(t.models) == 0 {
		return out, fault.Param(t.typ, "Models", 0, "at least one")
	}
	for i, m := range t.models {
		if check.IsNil(m) {
			return out, fault.Param(t.typ, fmt.Sprintf("Models[%d]", i), nil, "an estimator")
		}
		if rows.Weights != nil && !estimators.Supports(m, estimators.Weighted) {
			return out, estimators.Unsupported(fmt.Sprintf("%s: Models[%d]", t.typ, i), m, estimators.Weighted)
		}
	}
	n, _ := rows.X.Dims()
	if rows.Groups != nil {
		if err := groups.Check(rows.Groups, n, 2); err != nil {
			return out, fmt.Errorf("%s: %w", t.typ, err)
		}
	}
	chain, _, err := folds.FitChain(progress.Detach(ctx), t.typ, nil, nil, rows.X, nil) // without steps, FitChain only checks the columns
	if err != nil {
		return out, err
	}
	merged := distinct.Merge(rows.X, nil)
	weights := stack.Weights(n, rows.Weights, merged.Index)
	var divided []validation.Fold
	all := make([]seen[E], len(t.models))
	group := progress.Open(ctx)
	for i := range all {
		first, rest := progress.Two(group.Step(i, len(all)), 1, 4)
		one := &all[i]
		one.model = estimators.Clone(t.models[i])
		err := folds.Fit(first, t.typ, one.model, rows)
		if err != nil {
			return out, fmt.Errorf("%s: Models[%d]: %w", t.typ, i, err)
		}
		ok := false
		if one.left, one.variances, ok, err = t.exact(rest, one.model); err == nil && !ok {
			if divided == nil {
				divided, err = t.divide(merged, n, labels, weights)
			}
			if err == nil {
				err = t.again(rest, t.models[i], rows, divided, one)
			}
		}
		if err != nil {
			return out, fmt.Errorf("%s: Models[%d]: %w", t.typ, i, err)
		}
	}
	var tested []int
	for i, w := range weights {
		if w > 0 {
			tested = append(tested, i)
		}
	}
	left, variances := make([][]float64, len(all)), make([][]float64, len(all))
	for k, s := range all {
		left[k], variances[k] = linalg.Pick(s.left, tested), linalg.Pick(s.variances, tested)
	}
	weights = linalg.Pick(weights, tested)
	shares := t.shares(left, weights)
	for k := range all {
		if shares[k] > 0 {
			out.of = append(out.of, k)
		}
	}
	slices.SortStableFunc(out.of, func(a, b int) int { return cmp.Compare(shares[b], shares[a]) })
	for _, k := range out.of {
		out.parts = append(out.parts, average.Part[E]{Share: shares[k], Model: all[k].model, Chain: chain})
	}
	out.factor = stack.VarianceFactor(left, variances, shares, weights)
	return out, nil
}

// divide returns the folds of all rows, and sets the weights of rows that are in no test fold to 0.
func (t task[Y, E]) divide(merged *distinct.Rows, n int, labels []int, weights []float64) ([]validation.Fold, error) {
	first := labels
	if labels != nil && merged.Repeated() {
		first = merged.MostFrequent(labels)
	}
	divided, err := validation.SplitDistinct(t.splitter, merged, first, labels)
	if err != nil {
		return nil, err
	}
	divided = validation.SpreadDistinct(divided, merged)
	tested := make([]bool, n)
	for _, f := range divided {
		for _, i := range f.Test {
			if tested[i] {
				return nil, fault.Param(t.typ, "Splitter", fmt.Sprintf("%T", t.splitter), "one whose test parts have no row in common")
			}
			tested[i] = true
		}
	}
	for i := range weights {
		if !tested[i] {
			weights[i] = 0
		}
	}
	return divided, nil
}

// again fits a clone without each fold and stores its predictions for the rows of that fold.
func (t task[Y, E]) again(ctx context.Context, model E, rows folds.Rows[Y], divided []validation.Fold, out *seen[E]) error {
	n, _ := rows.X.Dims()
	out.left, out.variances = make([]float64, n), make([]float64, n)
	group := progress.Open(ctx)
	for i, f := range divided {
		one := estimators.Clone(model)
		if err := folds.Fit(group.Step(i, len(divided)), t.typ, one, rows.Pick(f.Train)); err != nil {
			return fmt.Errorf("fold %d: %w", i, err)
		}
		if err := t.predict(one, rows.Pick(f.Test), f.Test, out); err != nil {
			return fmt.Errorf("fold %d: %w", i, err)
		}
	}
	return nil
}

// Share is a model with its share of the mean.
type Share[E any] struct {
	Share float64
	// Model is a fitted model. The caller must not fit it again.
	Model E
}

func (f *fitted[E]) shares() (out []Share[E]) {
	if f == nil {
		return nil
	}
	for _, p := range f.parts {
		out = append(out, Share[E]{p.Share, p.Model})
	}
	return out
}

// supports does the same as estimators.Supports for the mean of the models that have a share, or for all Models before Fit.
func (f *fitted[E]) supports(wrapper any, models []E, c estimators.Capability) bool {
	w := estimators.Wrapped{Own: []estimators.Capability{estimators.Reporting, estimators.Grouping}}
	if f != nil && c != estimators.Categorizing { // Categorizing concerns the next Fit, and therefore all Models
		models = nil
		for _, p := range f.parts {
			models = append(models, p.Model)
		}
	}
	for _, m := range models {
		w.Estimators = append(w.Estimators, m)
	}
	return w.Supports(wrapper, c)
}

// setCategories sets the categories of all models if each of them supports categories.
func setCategories[E any](wrapper any, models []E, columns []int) {
	if !estimators.Supports(wrapper, estimators.Categorizing) {
		return
	}
	for _, m := range models {
		estimators.SetCategories(m, columns)
	}
}

// setColumnNames sets the column names of all models if each of them supports names.
func setColumnNames[E any](wrapper any, models []E, names []string) {
	if !estimators.Supports(wrapper, estimators.Naming) {
		return
	}
	for _, m := range models {
		estimators.SetColumnNames(m, names)
	}
}

// columnNames returns the names of the first model that has names.
func (f *fitted[E]) columnNames() []string {
	if f == nil {
		return nil
	}
	for _, p := range f.parts {
		if names := estimators.ColumnNames(p.Model); names != nil {
			return names
		}
	}
	return nil
}

// each returns an error for the first model that does not support c.
func (f *fitted[E]) each(typ string, c estimators.Capability) error {
	if f == nil {
		return fault.NotFitted(typ)
	}
	for _, p := range f.parts {
		if !estimators.Supports(p.Model, c) {
			return estimators.Unsupported(typ, p.Model, c)
		}
	}
	return nil
}

// rows checks the rows of a prediction.
func (f *fitted[E]) rows(typ string, x mat.Matrix) (*mat.Dense, error) {
	if f == nil {
		return nil, fault.NotFitted(typ)
	}
	return check.DenseGaps("x", x, check.Anywhere) // the models themselves check for gaps
}

// stored is the form in which a file holds a fitted mean.
type stored struct {
	Of     []int // indices of the models that have a share
	Shares codec.Floats
	Models []estimators.NestedModel
	Chain  []byte
	Factor float64
}

const version = 1

func (f *fitted[E]) marshal(kind, typ string) ([]byte, error) {
	if f == nil {
		return nil, fault.NotFitted(typ)
	}
	s := stored{Of: f.of, Factor: f.factor}
	for _, p := range f.parts {
		m, err := estimators.NestModel(typ, p.Model)
		if err != nil {
			return nil, err
		}
		s.Shares, s.Models = append(s.Shares, p.Share), append(s.Models, m)
	}
	var err error
	if s.Chain, err = f.parts[0].Chain.MarshalBinary(); err != nil {
		return nil, err
	}
	return codec.Marshal(kind, version, s)
}

func unmarshal[E any](kind, typ string, data []byte, models []E) (*fitted[E], error) {
	var s stored
	if _, err := codec.Unmarshal(data, kind, version, &s); err != nil {
		return nil, err
	}
	if len(s.Of) == 0 || len(s.Shares) != len(s.Of) || len(s.Models) != len(s.Of) || !(s.Factor >= 0) {
		return nil, fault.BadModel(kind, "%d models with %d shares", len(s.Models), len(s.Shares))
	}
	chain := folds.Chain(typ, nil, nil)
	if err := chain.UnmarshalBinary(s.Chain); err != nil {
		return nil, err
	}
	out, total := &fitted[E]{of: s.Of, factor: s.Factor}, 0.0
	for k, i := range s.Of {
		if i < 0 || i >= len(models) || check.IsNil(models[i]) {
			return nil, fault.BadModel(kind, "Models[%d] has a share, this value has %d models", i, len(models))
		}
		one := estimators.Clone(models[i])
		if err := s.Models[k].UnmarshalInto(kind, fmt.Sprintf("Models[%d]", i), one); err != nil {
			return nil, err
		}
		if !(s.Shares[k] > 0) {
			return nil, fault.BadModel(kind, "a share of %v", s.Shares[k])
		}
		total += s.Shares[k]
		out.parts = append(out.parts, average.Part[E]{Share: s.Shares[k], Model: one, Chain: chain})
	}
	if !(total > 1-1e-9 && total < 1+1e-9) {
		return nil, fault.BadModel(kind, "shares of %v in all, want 1", total)
	}
	return out, nil
}
