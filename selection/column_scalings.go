package selection

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/stack"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/internal/folds"
	"github.com/kernelearn/kernelearn/selection/internal/leftout"
	"github.com/kernelearn/kernelearn/selection/internal/scalings"
	"github.com/kernelearn/kernelearn/selection/internal/targetmap"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/shape"
	"github.com/kernelearn/kernelearn/transformers"
)

// defaultFamily is the family of kernels that the zero value learns.
var defaultFamily = families.Matern{Nu: 2.5}

// defaultKinds are the kinds that the zero value learns. A third one, Matérn 3/2, made a fit a fifth longer and did not reduce the
// geometric mean of the errors. This was measured on 11 sets with numeric targets, with ten splits for each of the seeds 7 and 8.
var defaultKinds = []families.Family{defaultFamily, families.Laplacian{}}

// warmSteps limits the steps of a search that begins with the lengths of another kind. For separable classes the evidence of
// targets ±1 never stops growing.
const warmSteps = 20

// commonSteps limits the steps of the search for one length of all columns, which begins at the best of a grid.
const commonSteps = 5

// exclusionRatio is the ratio of leave-one-out errors beyond which a model is excluded, if there are no leave-one-out predictions
// of single rows: on landmarks and with Groups. It was chosen on 14 sets, with ten splits of seed 7. The geometric mean of the
// errors is the same for ratios from 1.15 to 1.5, and 2% less than if no model is excluded.
const exclusionRatio = 1.25

// setCategories passes the categories of x to the first step, which may move or change columns. If there are no steps, it stores
// them in own for the search.
func setCategories(steps []transformers.Transformer, own *[]int, columns []int) {
	if (&pipeline.Transformer{Steps: steps}).SetCategories(columns); len(steps) == 0 {
		*own = columns
	}
}

// validateCategories checks the columns that the caller declares as categories.
func (c engine[Y, E]) validateCategories() error {
	if len(c.categories) == 0 {
		return nil
	}
	for i, j := range c.categories {
		if j < 0 || slices.Contains(c.categories[:i], j) {
			return fault.Param(c.Type, fmt.Sprintf("Categories[%d]", i), j, "the index of a column, each once")
		}
	}
	if _, ok := c.strategy.(*shape.Search); !ok {
		return fault.Param(c.Type, "Categories", c.categories,
			"nil unless a shape.Search learns the kernel: columnwise.OneHot encodes them for others, and kernels.ARD has Categories")
	}
	return nil
}

// validateKinds checks the caller's kinds.
func (c engine[Y, E]) validateKinds() error {
	switch {
	case c.given == nil:
		return nil
	case c.scalings == nil:
		return fault.Param(c.Type, "Kinds", len(c.given), "nil with Space or Search")
	case len(c.given) == 0:
		return fault.Param(c.Type, "Kinds", 0, "at least one, or nil for Matérn 5/2 and Laplacian")
	}
	for i, kind := range c.given {
		if check.IsNil(kind) || slices.ContainsFunc(c.given[:i], func(f families.Family) bool { return f.String() == kind.String() }) {
			return fault.Param(c.Type, fmt.Sprintf("Kinds[%d]", i), kind, "families with distinct names")
		}
	}
	return nil
}

// withScaling returns the search over the given kinds on columns with the scaling w, with its part of the Budget.
func (c engine[Y, E]) withScaling(w scalings.Scaling, kinds ...families.Family) engine[Y, E] {
	if n := len(c.categories); n > 0 { // allSteps moved them to the front
		first := make([]int, n)
		for j := range first {
			first[j] = j
		}
		c.categories, c.space.categories = first, first
	}
	c.scalings, c.columns, c.strategy = nil, w.Name, &shape.Search{}
	c.names = nil // indicator columns of gaps have no names
	c.steps = []transformers.Transformer{w.Step(len(c.categories))}
	c.space.families = kinds
	if c.Budget > 0 {
		c.Budget = max(1, c.Budget/time.Duration(max(1, c.searches)))
	}
	if c.Groups != nil {
		c.strategy = &entropy.Search{Score: entropy.CrossValidation}
	}
	return c
}

// allSteps returns the steps that come before the scalings.
func (c engine[Y, E]) allSteps() []transformers.Transformer {
	if c.scalings == nil {
		return c.steps
	}
	return append(slices.Clone(c.steps), scalings.Filling(c.categories))
}

// fitScalings fits one model per scaling and kind, and keeps the models with a positive share and their weighted mean.
func (c engine[Y, E]) fitScalings(ctx context.Context, x *mat.Dense, merged *distinct.Rows, y []Y, weights, target []float64,
	labels []int) (*fitted[E], error) {
	first, rest := progress.Two(ctx, 1, 50)
	chain, filled, err := folds.FitChain(first, c.Type, c.allSteps(), c.names, merged.X, targetsOf(c.steps, merged, y))
	if err != nil {
		return nil, err
	}
	c.signed = target != nil && !(floats.Min(target) > 0)
	encoded := c.manyLevels(filled)
	if c.Groups == nil {
		c.parts = distinct.Parts(merged, x, y, len(c.categories) > 0, c.mostParted())
	}
	given := folds.Rows[Y]{X: merged.Spread(filled), Y: y, Weights: weights, Groups: c.Groups}
	seconds := 0.
	if c.drafts(merged.Len()) {
		var drafting context.Context
		drafting, rest = progress.Two(rest, 1, 10)
		if c, seconds, err = c.draft(drafting, given, merged, target, labels); err != nil {
			return nil, err
		}
	}
	if c.Groups != nil || c.needsFalkon(merged.Len()) {
		c.kinds = c.kinds[:1] // models are stacked by leave-one-out results of single rows, which do not exist here
	}
	ways := c.scalings
	if len(encoded) > 0 {
		ways = append(slices.Clone(ways), scalings.WithMeans(encoded))
	}
	fitting, last := rest, rest
	if c.hasLogistic(merged.Len()) {
		fitting, last = progress.Two(rest, 6, 1)
	}
	parts, plain, seen, err := c.fitParts(fitting, ways, filled, merged, given, target, labels)
	if err != nil {
		return nil, err
	}
	if c.hasLogistic(merged.Len()) {
		part, err := c.fitLogistic(last, parts, given, labels)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	rowWeights := stack.Weights(len(y), weights, distinct.MergeParts(given.X, c.parts, nil).Index)
	kept := c.share(parts, rowWeights)
	if c.single {
		kept = kept[:1]
		kept[0].result.Share, kept[0].result.VarianceFactor = 1, 0
		for _, p := range parts[1:] {
			p.result.Share = 0
		}
	}
	out := &fitted[E]{
		chain: chain, result: mergedResult(append(parts, plain...)), parts: kept, transformation: seen.Transformation, encoded: encoded,
	}
	out.result.Seconds += seconds
	if seen.Transformation != nil {
		seen.Transformation.Noise = noise(kept, seen.Apply(target), rowWeights)
	}
	for _, p := range append(parts, plain...) {
		p.left, p.variances, p.scaled, p.transformation = nil, nil, nil, seen.Transformation
	}
	out.inner = c.mean(kept)
	return out, nil
}

// fitParts fits one model per scaling and kind to rows without gaps. The argument merged holds the distinct rows. If the
// transformation of the targets is chosen, it first fits a model of the untransformed targets, and returns it in plain if a
// transformation is better.
func (c engine[Y, E]) fitParts(ctx context.Context, ways []scalings.Scaling, filled *mat.Dense, merged *distinct.Rows, given folds.Rows[Y],
	target []float64, labels []int) (parts, plain []*fitted[E], seen targetmap.Map, err error) {
	var means []float64 // mean targets of equal rows
	if target != nil {
		means = merged.Mean(mat.NewDense(len(target), 1, slices.Clone(target))).RawMatrix().Data
	}
	seen, others, err := c.target(progress.Detach(ctx), means)
	if err != nil {
		return nil, nil, seen, err
	}
	common := c.hasCommonLength(merged.Len()) && filled.RawMatrix().Cols > 1
	if c.searches = len(ways) * len(c.kinds); common {
		c.searches++
	}
	if len(others) > 0 {
		c.searches++ // a model of the untransformed targets, which may not be the chosen ones
	}
	weights := given.Weights
	rowWeights := stack.Weights(len(given.Y), weights, distinct.MergeParts(given.X, c.parts, nil).Index)
	fail := func(w scalings.Scaling, err error) error {
		return fmt.Errorf("%s: columns %s: %w", c.Type, w.Name, err)
	}
	group := progress.Open(ctx)
	for i, w := range ways {
		scaling, learning := progress.Two(group.Step(i, len(ways)), 1, 44)
		steps := c.withScaling(w).steps
		own, even, err := folds.FitChain(scaling, c.Type, steps, nil, filled, targetsOf(steps, merged, given.Y))
		if err != nil {
			return nil, nil, seen, fail(w, err)
		}
		if i == 1 && scalings.IsStandardisation(own) {
			continue // no column was transformed, so the models would be the same
		}
		even = merged.Spread(even)
		if i == 0 && len(others) > 0 { // the first model chooses the transformation of the targets
			var first context.Context
			first, learning = progress.Two(learning, 1, 3)
			if plain, err = c.fitKinds(first, w, c.kinds[:1], nil, targetmap.Map{}, given, own, even, target, labels); err != nil {
				return nil, nil, seen, fail(w, err)
			}
			if seen, err = c.better(progress.Detach(ctx), plain[0], others, even, target, weights, rowWeights); err != nil {
				return nil, nil, seen, err
			}
			if seen.Transformation == nil {
				parts, plain = plain, nil
			}
		}
		if transformedTargets, ok := any(seen.Apply(target)).([]Y); ok && seen.Transformation != nil {
			given.Y = transformedTargets
		}
		var last context.Context
		if i == 0 && common {
			learning, last = progress.Two(learning, 10, 1)
		}
		more, err := c.fitKinds(learning, w, c.kinds, parts, seen, given, own, even, seen.Apply(target), labels)
		if err != nil {
			return nil, nil, seen, fail(w, err)
		}
		if i == 0 && common {
			part, err := c.fitCommonLength(last, w, seen, given, own, even, seen.Apply(target), labels)
			if err != nil {
				return nil, nil, seen, fail(w, err)
			}
			more = append(more, part)
		}
		for _, p := range more {
			if err := c.leaveFoldsOut(progress.Detach(ctx), w, p, merged, filled, given, seen.Apply(target), labels); err != nil {
				return nil, nil, seen, err
			}
		}
		parts = append(parts, more...)
	}
	return parts, plain, seen, nil
}

// fitKinds fits one model per kind on scaled columns. The first may already be fitted: done then holds it.
func (c engine[Y, E]) fitKinds(ctx context.Context, w scalings.Scaling, kinds []families.Family, done []*fitted[E], seen targetmap.Map,
	given folds.Rows[Y], own *pipeline.Transformer, even *mat.Dense, target []float64, labels []int) (parts []*fitted[E], err error) {
	group := progress.Open(ctx)
	label := seen.Label(w.Name)
	var first *fitted[E]
	for i, kind := range kinds {
		if i == 0 && len(done) == 1 && done[0].result.Columns == label {
			first = done[0]
			continue
		}
		one := c.withScaling(w, kind)
		one.columns = label
		if i > 0 {
			one.strategy = &shape.Search{Lengths: first.result.Lengths, MaxIterations: warmSteps}
		}
		if known := c.lengths[kind.String()]; known != nil {
			one.strategy = &shape.Search{Lengths: known, MaxIterations: warmSteps}
		}
		learning, leaving := progress.Two(group.Step(i, len(kinds)), 10, 1)
		part, err := one.fitOn(learning, given, own, even, target, labels)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			first = part
		}
		part.result.Columns, part.scaled = label, even
		if err := part.leaveOut(leaving, target, labels, given.Weights); err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// hasCommonLength reports whether a model with one length for all columns joins the stack of a fit to n distinct rows. It needs
// leave-one-out results of single rows, and joins neither the caller's kinds nor the models of a draft.
func (c engine[Y, E]) hasCommonLength(n int) bool {
	return c.given == nil && c.Groups == nil && !c.drafting && !c.drafts(n) && !c.needsFalkon(n)
}

// fitCommonLength fits a model with one length for all columns, which minimises the leave-one-out error. The evidence can favour
// lengths that predict badly, for example if many targets are exactly 0, or if all columns matter equally. The shares then favour
// this model.
func (c engine[Y, E]) fitCommonLength(ctx context.Context, w scalings.Scaling, seen targetmap.Map, given folds.Rows[Y],
	own *pipeline.Transformer, even *mat.Dense, target []float64, labels []int) (*fitted[E], error) {
	one := c.withScaling(w, c.kinds[0])
	one.columns = seen.Label(w.Name) + ", one length" // another label, because Resume recognises rows by it
	one.strategy = &shape.Search{Groups: make([]int, even.RawMatrix().Cols), Objective: shape.LeaveOneOutError, NoRestarts: true,
		MaxIterations: commonSteps}
	learning, leaving := progress.Two(ctx, 10, 1)
	part, err := one.fitOn(learning, given, own, even, target, labels)
	if err != nil {
		return nil, err
	}
	part.result.Columns, part.joins, part.scaled = one.columns, true, even
	return part, part.leaveOut(leaving, target, labels, given.Weights)
}

// leaveOut computes the leave-one-out results of a part.
func (f *fitted[E]) leaveOut(ctx context.Context, target []float64, labels []int, weights []float64) (err error) {
	f.left, f.variances, f.result.LeaveOneOut, err = leftout.Of(ctx, f.inner, target, labels, weights)
	return err
}

// share assigns the parts their shares of the mean, sorts them, and returns those with a positive share. The sum of the weights is
// the effective number of rows.
func (c engine[Y, E]) share(parts []*fitted[E], weights []float64) []*fitted[E] {
	if !slices.ContainsFunc(parts, func(p *fitted[E]) bool { return p.left == nil }) {
		return stacked(parts, weights)
	}
	slices.SortStableFunc(parts, func(a, b *fitted[E]) int {
		return cmp.Compare(a.result.LeaveOneOut, b.result.LeaveOneOut)
	})
	kept := parts
	for i, p := range parts {
		if p.result.LeaveOneOut > exclusionRatio*parts[0].result.LeaveOneOut {
			kept = parts[:i]
			break
		}
	}
	for _, p := range kept {
		p.result.Share = 1 / float64(len(kept))
	}
	return kept
}

// stacked assigns the shares that give the best leave-one-out predictions.
func stacked[E any](parts []*fitted[E], weights []float64) []*fitted[E] {
	left, variances := make([][]float64, len(parts)), make([][]float64, len(parts))
	for k, p := range parts {
		left[k], variances[k] = p.left, p.variances
	}
	shares := stack.OfNumbers
	if classesOfModel(parts[0].inner) != nil {
		shares = stack.OfClasses
	}
	of := shares(left, weights)
	factor := stack.VarianceFactor(left, variances, of, weights)
	for k, p := range parts {
		p.result.Share, p.result.VarianceFactor = of[k], factor
	}
	slices.SortStableFunc(parts, func(a, b *fitted[E]) int { return cmp.Compare(b.result.Share, a.result.Share) })
	kept := slices.IndexFunc(parts, func(p *fitted[E]) bool { return p.result.Share == 0 })
	if kept < 0 {
		return parts
	}
	return parts[:kept]
}

// mergedResult returns a copy of the best part's result. If that part has one length for all columns or logistic loss, the best
// other part with a positive share takes its place. The results of the other parts are in Others, and their counts, seconds and warnings
// are added.
func mergedResult[E any](parts []*fitted[E]) *search.Result {
	best := max(0, slices.IndexFunc(parts, func(p *fitted[E]) bool { return !p.joins && p.result.Share > 0 }))
	out := parts[best].result.Clone()
	out.Strategy = "scalings"
	for _, p := range slices.Concat(parts[:best], parts[best+1:]) {
		out.Others = append(out.Others, p.result.Clone())
		out.Fits += p.result.Fits
		out.Seconds += p.result.Seconds
		out.KernelMatrices += p.result.KernelMatrices
		out.Evaluations += p.result.Evaluations
		for _, w := range p.result.Warnings {
			out.Warnings = append(out.Warnings, "columns "+p.result.Columns+": "+w)
		}
	}
	return out
}

// storeScalings adds the models of the scalings, each in the form of a file, to the stored form.
func (c engine[Y, E]) storeScalings(kind string, s *stored, f *fitted[E]) (err error) {
	c.scalings = nil
	for _, p := range f.parts {
		data, err := c.marshal(kind, &fitted[E]{chain: p.chain, inner: p.inner, result: p.result})
		if err != nil {
			return err
		}
		s.Transformation, s.Encoded = f.transformation, f.encoded
		s.Names, s.Parts = append(s.Names, p.result.Columns), append(s.Parts, data)
	}
	return nil
}

// restoreScalings reads the models of the scalings.
func (c engine[Y, E]) restoreScalings(kind string, s *stored, f *fitted[E]) error {
	if len(s.Parts) == 0 || len(s.Names) != len(s.Parts) {
		return fault.BadModel(kind, "%d models of %d scalings of columns, want as many", len(s.Parts), len(s.Names))
	}
	outside := func(j int) bool { return j < 0 || j >= len(c.categories) }
	if slices.ContainsFunc(s.Encoded, outside) || !slices.IsSorted(s.Encoded) {
		return fault.BadModel(kind, "encoded categories %v, want ascending numbers from 0 to %d", s.Encoded, len(c.categories)-1)
	}
	ways := append(slices.Clone(c.scalings), scalings.WithMeans(s.Encoded))
	total := 0.0
	for i, name := range s.Names {
		columns, _, _ := strings.Cut(name, ",") // the transformation of the targets follows the comma
		at := slices.IndexFunc(ways, func(w scalings.Scaling) bool { return w.Name == columns })
		if at < 0 {
			return fault.BadModel(kind, "columns %q, want one of the scalings of the zero value", name)
		}
		part, err := c.withScaling(ways[at], c.kinds...).unmarshal(kind, s.Parts[i])
		if err != nil {
			return err
		}
		if part.result.Columns != name {
			return fault.BadModel(kind, "columns %q, and a Result of columns %q", name, part.result.Columns)
		}
		if !(part.result.Share > 0) {
			return fault.BadModel(kind, "a share of %v", part.result.Share)
		}
		total += part.result.Share
		f.parts = append(f.parts, part)
		if own, first := classesOfModel(part.inner), classesOfModel(f.parts[0].inner); !slices.Equal(own, first) {
			return fault.BadModel(kind, "models of classes %v and %v, want the same", first, own)
		}
	}
	if !(math.Abs(total-1) < 1e-9) {
		return fault.BadModel(kind, "shares of %v in all, want 1", total)
	}
	if s.Transformation != nil && (!s.Transformation.Valid() || c.targetOf == PlainTarget) {
		return fault.BadModel(kind, "targets that are mapped by %+v", *s.Transformation)
	}
	f.transformation, f.encoded = s.Transformation, s.Encoded
	for _, p := range f.parts {
		p.transformation = f.transformation
	}
	f.inner = c.mean(f.parts)
	return nil
}

func classesOfModel(e any) []int {
	if c, ok := e.(estimators.Classifier); ok {
		return c.Classes()
	}
	return nil
}
