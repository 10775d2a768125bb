package elm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/internal/orthogonal"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

const classifierType = "elm: Classifier"

// folding is embedded in Classifier, so that a search can report that it fits a fold.
type folding = classes.Folding

// Classifier is the weighted extreme learning machine. The zero value is ready to use. It has 250 units with many widths, centred
// on training rows, equal weights of the rows, and a ridge chosen by exact leave-one-out. Features should have comparable scales,
// or be in [0, 1] for the paper's own activations (see [featuremap.Activation]). It does not predict probabilities. The machine of
// package eem with the same units does.
//
// See also Classifier in package eem, and Classifier in package lssvm.
type Classifier struct {
	// Units is the number of hidden units. If it is 0, 250 is used.
	Units      int `zero:"250"`
	Activation featuremap.Activation

	// Ridge is λ, which is added to the diagonal of the units' product matrix H'WH. If it is 0, λ is chosen by the leave-one-out
	// error.
	Ridge float64 `zero:"the choice by leave-one-out"`

	// NoRidge selects the pseudo-inverse, as in the paper. Ridge must then be 0.
	NoRidge bool

	// Balanced gives each row the weight n/(K·the number of rows in its class), so that all K classes have the same total weight.
	Balanced bool

	// ClassWeights maps a label to a factor > 0 for the weights of the rows of that class. The factor of all other classes is 1. If
	// Balanced is set, the two factors are multiplied.
	ClassWeights map[int]float64

	// Groups holds the group of each training row, such as a patient or a day, as an arbitrary number. The rows of a group are left
	// out together, so that the ridge is chosen for new groups. If it is nil, equal rows are left out together.
	Groups []int `settings:"-"`

	// Seed determines the hidden units.
	Seed uint64

	// Workers is the number of goroutines. If it is 0, GOMAXPROCS is used.
	Workers int

	// If Observe is not nil, it is called when the outputs of the units have been computed, after each ridge that leave-one-out
	// evaluates, and when the machines are solved. Objective is the weighted unexplained share of the squared targets. In the first
	// step it is the share without coefficients, then the share on the rows left out, and in the last step the share as in Report.
	Observe func(estimators.Step)

	folding
	m *model
}

type model struct {
	ridge   float64
	hidden  *featuremap.RandomHidden
	width   int
	classes []int
	beta    *mat.Dense // h×K, or h×1 for two classes
	report  estimators.Report
}

// SetGroups sets Groups. It implements [estimators.Grouper].
func (c *Classifier) SetGroups(groups []int) { c.Groups = groups }

// Fit fits the model to x (n×d) and n labels y. It returns [estimators.ErrParam], [estimators.ErrShape] (also for a single class),
// [estimators.ErrNotFinite], or the error of ctx.
func (c *Classifier) Fit(ctx context.Context, x mat.Matrix, y []int) (err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	return c.fit(ctx, x, y, nil)
}

// FitWeighted is like Fit, but with a weight > 0 for each row, which is multiplied by the weight of its class. The number of rows
// of a class is then the sum of their weights. A weight of 2 has the same effect as repeating the row. If the ridge is chosen, only
// the ratios of the weights matter.
func (c *Classifier) FitWeighted(ctx context.Context, x mat.Matrix, y []int, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	return c.fit(ctx, x, y, check.Given(weights))
}

func (c *Classifier) classWeights() classes.Weights {
	return classes.Weights{Balanced: c.Balanced, Of: c.ClassWeights, Part: c.IsFold()}
}

func (c *Classifier) validate() error {
	if c.NoRidge && c.Ridge != 0 {
		return fault.Param(classifierType, "Ridge", c.Ridge, "0 with NoRidge")
	}
	return cmp.Or(settings.Check(classifierType, c), c.classWeights().Validate(classifierType))
}

func (c *Classifier) fit(ctx context.Context, x mat.Matrix, y []int, weights []float64) error {
	if err := c.validate(); err != nil {
		return err
	}
	xd, err := check.Labelled(x, len(y))
	if err != nil {
		return err
	}
	m := &model{report: estimators.Report{Converged: true, Iterations: 1}}
	var at []int
	if m.classes, at, err = c.classWeights().Distinguish(classifierType, y, weights); err != nil {
		return err
	}
	merged := distinct.Merge(xd, c.classWeights().Rows(m.classes, at, weights)) // so that a row and its copies are left out together
	if c.chooses() {
		merged = merged.Relative()
	}
	groups, err := merged.Groups(c.Groups, len(y))
	if err != nil {
		return fault.AddName(classifierType, err)
	}
	xd = merged.X
	n, d := xd.Dims()
	m.width = d
	m.hidden = &featuremap.RandomHidden{Units: c.Units, Activation: c.Activation, Seed: c.Seed, Workers: c.Workers}
	if err := m.hidden.Fit(progress.Detach(ctx), xd); err != nil {
		return err
	}
	_, shifts := m.hidden.UnitWeights()
	rows, hidden := float64(n), float64(len(shifts))
	order, choice := min(rows, hidden), 0.
	if c.chooses() {
		choice = order*order*(6*order+10*rows) + 4*rows*max(hidden-rows, 0)*rows
	}
	parts := progress.Parts(ctx, rows*hidden*float64(d+20), choice, order*order*(order/3+rows))
	h, err := m.outputs(parts[0], xd)
	if err != nil {
		return err
	}
	_, units := h.Dims()
	total := 2
	if c.chooses() {
		total += loo.MaxEvaluations
	}
	progress.Counts(ctx)
	progress.Tell(ctx, progress.Step{Iteration: 1, Total: total, Objective: 1,
		Message: fmt.Sprintf("outputs of %d units for %d rows", units, n)})
	if err := ctx.Err(); err != nil {
		return err
	}
	t := merged.Mean(classes.AgainstRest(at, len(m.classes)))
	for i, v := range merged.Weights {
		root := math.Sqrt(v)
		scale(h.RawRowView(i), root)
		scale(t.RawRowView(i), root)
	}
	ridge := c.Ridge
	if c.chooses() {
		ridge, err = c.choose(parts[1], m, h, t, groups)
	}
	m.ridge = ridge
	switch {
	case err != nil:
	case ridge == 0:
		err = m.pseudoInverse(parts[2], h, t)
	default:
		err = m.solve(parts[2], h, t, ridge, n < units)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	_, machines := t.Dims()
	progress.Tell(ctx, progress.Step{Iteration: total, Total: total, Objective: m.report.Objective,
		Message: fmt.Sprintf("%d machines solved", machines)})
	c.m = m
	return nil
}

// chooses reports whether Fit chooses the ridge.
func (c *Classifier) chooses() bool { return c.Ridge == 0 && !c.NoRidge }

// choose returns the ridge with the smallest leave-one-out error for weighted h (n×h) and t (n×K). The squared errors are weighted
// as in the fit. It costs O(h³ + nh²), with n and h exchanged if there are fewer rows.
func (c *Classifier) choose(ctx context.Context, m *model, h, t *mat.Dense, groups [][]int) (float64, error) {
	n, units := h.Dims()
	squares := func(of *mat.Dense) (sum float64) {
		rows, _ := of.Dims()
		for i := range rows {
			row := of.RawRowView(i)
			sum += fast.Dot(linalg.Vector(row), linalg.Vector(row))
		}
		return sum
	}
	all, scale := squares(t), squares(h)/float64(n)
	order, long := float64(min(n, units)), float64(max(n, units))
	parts := progress.Parts(ctx, 4*max(0, float64(units-n)), float64(n), 6*order+2*float64(n), 1500*long/order)
	if units > n {
		// With H' = QR, the rows of R' are the rows of H in the basis Q, as n numbers each. The leverages and predictions are the
		// same.
		r, err := orthogonal.ThinQR(parts[0], mat.DenseCopyOf(h.T()))
		if err != nil {
			return 0, err
		}
		h = mat.DenseCopyOf(r.T())
	}
	gram := mat.NewSymDense(h.RawMatrix().Cols, nil)
	if err := fast.SymOuterKContext(parts[1], gram, 1, h.T()); err != nil {
		return 0, err
	}
	problem, err := loo.NewLinear(parts[2], gram, h, t, make([]float64, n), all, scale, c.Workers)
	if err != nil {
		return 0, err
	}
	problem.LeaveGroupsOut(groups)
	best, err := problem.Search(parts[3], func(i int, ridge, objective float64) {
		progress.Tell(ctx, progress.Step{Iteration: 1 + i, Total: 2 + loo.MaxEvaluations, Objective: objective,
			Message: fmt.Sprintf("ridge %.3g", ridge)})
	})
	if err != nil {
		return 0, err
	}
	m.report.Iterations = best.Evaluations
	if w := best.Warning(); w != "" {
		m.report.Warnings = append(m.report.Warnings, w)
	}
	if best.Ridge == 0 {
		return scale, nil
	}
	return best.Ridge, nil
}

// outputsRows is the minimum number of rows that are mapped between two checks of a context.
const outputsRows = 1536

// outputs returns the outputs of the units for the rows of x. It maps the rows in blocks and checks ctx between them, because
// Transform has no context.
func (m *model) outputs(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	n, d := x.Dims()
	if n < 2*outputsRows {
		return m.hidden.Transform(x)
	}
	_, shifts := m.hidden.UnitWeights()
	if err := check.Numbers(fmt.Sprintf("%s: outputs of %d units for %d rows", classifierType, len(shifts), n),
		float64(n)*float64(len(shifts)), "take fewer Units, or eem.Classifier, which is fitted to blocks of rows"); err != nil {
		return nil, err
	}
	out := mat.NewDense(n, len(shifts), nil)
	loop := progress.NewLoop(ctx)
	defer loop.End()
	for first := 0; first < n; {
		loop.Report(float64(first) / float64(n))
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		last := first + outputsRows
		if n-last < outputsRows { // there is no small last block, because its rows would be mapped one by one
			last = n
		}
		err := m.hidden.TransformTo(out.Slice(first, last, 0, len(shifts)).(*mat.Dense), x.Slice(first, last, 0, d))
		var notFinite *fault.NotFiniteError
		if errors.As(err, &notFinite) {
			at := *notFinite
			at.Row += first
			err = &at
		}
		if err != nil {
			return nil, err
		}
		first = last
	}
	return out, ctx.Err()
}

func scale(v []float64, by float64) {
	for i := range v {
		v[i] *= by
	}
}

// pseudoInverse computes the coefficients for weighted h and t with the pseudo-inverse, and overwrites h and t.
func (m *model) pseudoInverse(ctx context.Context, h, t *mat.Dense) error {
	n, units := h.Dims()
	t2 := 0.0
	for i := range n {
		for _, v := range t.RawRowView(i) {
			t2 += v * v
		}
	}
	beta, rank, residual, err := orthogonal.MinNorm(ctx, h, t)
	if err != nil {
		return err
	}
	m.beta = beta
	m.report.Objective = residual / t2
	if most := min(n, units); rank < most {
		m.report.Warnings = append(m.report.Warnings, fmt.Sprintf("the units have rank %d of %d in numbers", rank, most))
	}
	return m.finite()
}

// solve computes the coefficients for weighted h and t. If dual is true, the linear system has a row for each row of h, otherwise a
// row for each unit.
func (m *model) solve(ctx context.Context, h, t *mat.Dense, ridge float64, dual bool) error {
	n, units := h.Dims()
	of, order := mat.Matrix(h.T()), units
	if dual {
		of, order = h, n
	}
	gram := mat.NewSymDense(order, nil)
	first, rest := progress.Two(ctx, float64(max(n, units)), float64(order)/3)
	if err := fast.SymOuterKContext(first, gram, 1, of); err != nil {
		return err
	}
	for i := range order {
		gram.SetSym(i, i, gram.At(i, i)+ridge)
	}
	chol, err := linalg.NewCholesky(rest, "product of the units + the ridge", gram)
	if err != nil {
		return err
	}
	if m.report.Jitter = chol.Jitter(); m.report.Jitter > 0 {
		m.report.Warnings = append(m.report.Warnings, fmt.Sprintf("a ridge of %g leaves a singular system: %.2g was added to its diagonal",
			ridge, m.report.Jitter))
	}
	m.beta = &mat.Dense{}
	if dual {
		a := mat.DenseCopyOf(t)
		if err = chol.Solve(ctx, a); err == nil {
			err = fast.MulContext(ctx, m.beta, h.T(), a)
		}
	} else if err = fast.MulContext(ctx, m.beta, h.T(), t); err == nil {
		err = chol.Solve(ctx, m.beta)
	}
	var fitted mat.Dense
	if err == nil {
		err = fast.MulContext(ctx, &fitted, h, m.beta)
	}
	if err != nil {
		return err
	}
	fitted.Sub(&fitted, t)
	residual, all := mat.Norm(&fitted, 2), mat.Norm(t, 2)
	m.report.Objective = residual * residual / (all * all)
	return m.finite()
}

func (m *model) finite() error {
	r, k := m.beta.Dims()
	for i := range r {
		for j := range k {
			if v := m.beta.At(i, j); v-v != 0 {
				return &fault.NotFiniteError{Name: classifierType + ": coefficient", Row: i, Col: j, Value: v}
			}
		}
	}
	return nil
}

// Decision returns outputs (r×K) for the rows of x (r×d). They are about 1 for the row's class and -1 for the others. With two
// classes the columns are -f and f, where f is the output of the single machine.
func (c *Classifier) Decision(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	m := c.m
	if m == nil {
		return nil, fault.NotFitted(classifierType)
	}
	xd, err := check.Wide("x", x, m.width)
	if err != nil {
		return nil, err
	}
	if rows, _ := xd.Dims(); rows == 1 { // for a single row, blocks would only cost time
		one := mat.NewDense(1, len(m.classes), nil)
		return one, c.DecisionTo(one, xd)
	}
	h, err := m.hidden.Transform(xd)
	if err != nil {
		return nil, err
	}
	var out mat.Dense
	fast.Mul(&out, h, m.beta)
	n, k := out.Dims()
	for i := range n {
		for j := range k {
			if v := out.At(i, j); v-v != 0 {
				return nil, &fault.NotFiniteError{Name: classifierType + ": output", Row: i, Col: j, Value: v}
			}
		}
	}
	return classes.Scores(&out), nil
}

// Predict returns the class with the largest output for each row of x (r×d). In a tie it returns the first of the tied classes. It
// costs O(rhd).
func (c *Classifier) Predict(x mat.Matrix) (_ []int, err error) {
	defer fault.Recover(&err)
	return classes.Labels(c.Classes()).Predict(c.Decision(x))
}

// Classes returns the labels of the last Fit in ascending order. It returns nil before Fit.
func (c *Classifier) Classes() []int {
	if c.m == nil {
		return nil
	}
	return slices.Clone(c.m.classes)
}

// Coefficients returns β, h×K, or h×1 for two classes. It returns nil before Fit.
func (c *Classifier) Coefficients() *mat.Dense {
	if c.m == nil {
		return nil
	}
	return mat.DenseCopyOf(c.m.beta)
}

// ChosenRidge returns the ridge λ of the last Fit, whether it was set or chosen. It returns 0 for the pseudo-inverse and before
// Fit.
func (c *Classifier) ChosenRidge() float64 {
	if c.m == nil {
		return 0
	}
	return c.m.ridge
}

// Report describes the last Fit. Objective is the weighted unexplained share of the squared targets.
func (c *Classifier) Report() estimators.Report {
	if c.m == nil {
		return estimators.Report{}
	}
	return c.m.report.Clone()
}

func (c *Classifier) rowWidth() int {
	if c.m == nil {
		return 0
	}
	return c.m.width
}

func (c *Classifier) labels() []int {
	if c.m == nil {
		return nil
	}
	return c.m.classes
}

// row computes the outputs of one row.
func (c *Classifier) row(out, x []float64) {
	h, k := c.m.beta.Dims()
	p := rowwise.Scratch(h)
	defer rowwise.Release(p)
	clear(out)
	if c.m.hidden.TransformRow(*p, x) != nil {
		out[0] = math.NaN() // an activation is not finite
		return
	}
	for i, v := range *p {
		for j, b := range c.m.beta.RawRowView(i) {
			out[j] += v * b
		}
	}
	if k == 1 {
		classes.SetBoth(out, out[0])
	}
}

// PredictTo is like Predict but writes the predictions to dst, which has one entry for each row of x. Up to sixteen rows of a dense
// matrix are predicted one by one without allocating memory. Their scores agree with those of Decision up to rounding.
func (c *Classifier) PredictTo(dst []int, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return rowwise.Labels(classifierType, dst, x, c.rowWidth(), c.labels(), c.Predict, c.row)
}

// DecisionTo is like Decision but writes to dst, which has a row for each row of x and a column for each class. Like PredictTo, it
// does not allocate memory.
func (c *Classifier) DecisionTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return rowwise.Scores(classifierType, dst, x, c.rowWidth(), len(c.labels()), c.Decision, c.row)
}
