package golearn

import (
	"context"
	"fmt"
	"strings"

	"github.com/sjwhitworth/golearn/base"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/transformers"
)

const pipelineName = "golearn: Pipeline"

// Pipeline is a base.Classifier: steps, fitted on the training grid one after
// the other, and a final classifier behind them.
//
// Fit fits clones of the transformers and of a Final of this package, and assigns
// them last: a Fit that fails leaves the model fitted before. A classifier of
// golearn cannot be copied. It is fitted in place, and where its own Fit fails the
// Pipeline counts as not fitted.
//
// The class attribute passes by the steps. At Predict it is a column of zeros,
// whatever the grid holds, so that no step and no Final can read a test label.
type Pipeline struct {
	// Steps are applied in order; there may be none.
	Steps []Step
	// Final is a Classifier, a Regressor, a Pipeline, a Bagging, or a classifier of
	// golearn.
	Final base.Classifier
	// NoOneHot refuses categorical features before a Transform step. The default,
	// false, gives each category that the training rows hold a column.
	NoOneHot bool

	fitted *pipelineModel
}

type pipelineModel struct {
	input []column // the training features, where there are no steps
	steps []fittedStep
	class column
	final base.Classifier
}

// ours is what this package's classifiers can do beyond golearn's.
type ours interface {
	base.Classifier
	estimators.Wrapper
	FitContext(ctx context.Context, grid base.FixedDataGrid) error
	Inspect(grid base.FixedDataGrid) (Inspection, error)
	persistent
}

var (
	_ ours = (*Classifier)(nil)
	_ ours = (*Regressor)(nil)
	_ ours = (*Pipeline)(nil)
)

// Fit learns from the rows of grid. It is FitContext without a context.
func (p *Pipeline) Fit(grid base.FixedDataGrid) error {
	return p.FitContext(context.Background(), grid)
}

// FitContext fits the steps and Final to the rows of grid, which has one class
// attribute. Errors say which step they come from: ErrParam for a nil Final or
// grid, a filter that panics; ErrShape for no rows, no features or not one class
// attribute; ErrNotFinite; one that wraps errors.ErrUnsupported for a transformer
// without a Clone method; those of the transformers, of Final, and ctx's.
func (p *Pipeline) FitContext(ctx context.Context, grid base.FixedDataGrid) error {
	m, err := p.fitSteps(withScores(ctx, grid), grid)
	if err != nil {
		return fmt.Errorf("%s: %w", pipelineName, err)
	}
	p.fitted = m
	return nil
}

func (p *Pipeline) fitSteps(ctx context.Context, grid base.FixedDataGrid) (*pipelineModel, error) {
	final, err := cloneFinal(p.Final)
	if err != nil {
		return nil, err
	}
	class, err := trainingGrid(grid)
	if err != nil {
		return nil, err
	}
	cls, err := readClass(grid, class)
	if err != nil {
		return nil, err
	}
	m := &pipelineModel{class: cls.column, final: final}
	cur := grid
	for i, s := range p.Steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f, out, err := s.fit(ctx, cur, cls, p.NoOneHot)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i, err)
		}
		m.steps = append(m.steps, f)
		cur = out
	}
	if len(p.Steps) == 0 {
		// golearn's classifiers meet dense grids only, and those of one training:
		// some misread views, and some compare attributes by pointer.
		t, err := readTable(grid, cls)
		if err != nil {
			return nil, err
		}
		if cur, err = mixedGrid(t.Columns, t.Bits, t.Rows, cls); err != nil {
			return nil, err
		}
		m.input = t.Columns
	}
	if err := fitFinal(ctx, final, cur); err != nil {
		if inPlace(final) {
			p.fitted = nil
		}
		return nil, fmt.Errorf("final: %w", err)
	}
	return m, nil
}

func readClass(grid base.FixedDataGrid, class base.Attribute) (_ *classCells, err error) {
	defer guard("reading the class", &err)
	readers, err := bind(grid, []base.Attribute{class})
	if err != nil {
		return nil, err
	}
	bits, err := readers[0].all()
	return &classCells{column: readers[0].column, bits: bits}, err
}

// cloneFinal copies a final classifier of this package; one of golearn is itself.
func cloneFinal(c base.Classifier) (base.Classifier, error) {
	switch v := c.(type) {
	case nil:
		return nil, fault.Param(pipelineName, "Final", nil, "a classifier")
	case *Classifier:
		return v.Clone(), nil
	case *Regressor:
		return v.Clone(), nil
	case *Pipeline:
		return v.Clone(), nil
	case *Bagging:
		return v.Clone(), nil
	}
	return c, nil
}

// inPlace reports whether fitting c changes the value that the user configured.
func inPlace(c base.Classifier) bool {
	if p, ok := c.(*Pipeline); ok {
		return p.Final != nil && inPlace(p.Final)
	}
	_, ok := c.(ours)
	return !ok
}

func fitFinal(ctx context.Context, c base.Classifier, grid base.FixedDataGrid) (err error) {
	if o, ok := c.(ours); ok {
		return o.FitContext(ctx, grid)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	defer guard(fmt.Sprintf("%T", c), &err)
	return c.Fit(grid)
}

// Predict returns Final's prediction for the rows of grid, in their order. Errors
// say which step they come from: ErrNotFitted; ErrShape for a missing feature;
// ErrParam for one of another type; ErrNotFinite; those of the steps and of Final.
func (p *Pipeline) Predict(grid base.FixedDataGrid) (base.FixedDataGrid, error) {
	m := p.fitted
	if m == nil {
		return empty(column{}), fault.NotFitted(pipelineName)
	}
	cur, err := m.before(grid)
	if err != nil {
		return empty(m.class), fmt.Errorf("%s: %w", pipelineName, err)
	}
	if cur == nil {
		return classGrid(m.class, nil)
	}
	out, err := predictFinal(m.final, cur)
	if err != nil {
		return empty(m.class), fmt.Errorf("%s: final: %w", pipelineName, err)
	}
	return out, nil
}

func predictFinal(c base.Classifier, grid base.FixedDataGrid) (out base.FixedDataGrid, err error) {
	if _, ok := c.(ours); !ok {
		defer guard(fmt.Sprintf("%T", c), &err)
	}
	out, err = c.Predict(grid)
	if out == nil && err == nil {
		err = fault.Param("Final", fmt.Sprintf("prediction of %T", c), nil, "a grid")
	}
	return out, err
}

// before returns the grid that Final sees, and nil for one of no rows.
func (m *pipelineModel) before(grid base.FixedDataGrid) (base.FixedDataGrid, error) {
	if grid == nil {
		return nil, fault.Param("input", "grid", nil, "a grid")
	}
	rows, err := sizeOf(grid)
	if err != nil {
		return nil, err
	}
	if rows == 0 {
		_, err := m.inspect(grid)
		return nil, err
	}
	// Shared by all steps, and only read: no bits stands for zeros.
	cls := &classCells{column: m.class}
	cur := grid
	for i, s := range m.steps {
		out, err := s.apply(cur, cls)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i, err)
		}
		cur = out
	}
	if len(m.steps) == 0 {
		cols, bits, rows, err := aligned(grid, m.input)
		if err != nil {
			return nil, err
		}
		return mixedGrid(cols, bits, rows, cls)
	}
	return cur, nil
}

func sizeOf(grid base.FixedDataGrid) (rows int, err error) {
	defer guard("reading the grid", &err)
	_, rows = grid.Size()
	return rows, nil
}

func (m *pipelineModel) inspect(grid base.FixedDataGrid) (Inspection, error) {
	if len(m.steps) > 0 {
		return m.steps[0].inspect(grid)
	}
	return inspectAligned(grid, m.input)
}

// Inspect reads grid as Predict would and says what is ignored and which
// categories are not known. Errors as Predict's.
func (p *Pipeline) Inspect(grid base.FixedDataGrid) (Inspection, error) {
	if p.fitted == nil {
		return Inspection{}, fault.NotFitted(pipelineName)
	}
	if grid == nil {
		return Inspection{}, fault.Param(pipelineName, "grid", nil, "a grid")
	}
	out, err := p.fitted.inspect(grid)
	if err != nil {
		return Inspection{}, fmt.Errorf("%s: %w", pipelineName, err)
	}
	return out, nil
}

// PredictProba returns Final's class probabilities, columns in the order of
// Labels, and the empty matrix for a grid of no rows. Errors as Predict's, and one
// that wraps errors.ErrUnsupported if Final gives no probabilities.
func (p *Pipeline) PredictProba(grid base.FixedDataGrid) (*mat.Dense, error) {
	m := p.fitted
	if m == nil {
		return nil, fault.NotFitted(pipelineName)
	}
	final, ok := m.final.(interface {
		PredictProba(base.FixedDataGrid) (*mat.Dense, error)
	})
	if !ok {
		return nil, estimators.Unsupported(pipelineName, m.final, estimators.Proba)
	}
	cur, err := m.before(grid)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", pipelineName, err)
	}
	if cur == nil {
		return &mat.Dense{}, nil
	}
	return final.PredictProba(cur)
}

// PredictVariance returns Final's mean and variance for each row of grid; both are
// nil for a grid of no rows. What a Nystroem step leaves out of its kernel is not in them:
// for that put a pipeline.Regressor, with both, into a Regressor. Errors as Predict's, and one that wraps
// errors.ErrUnsupported if Final gives no variance.
func (p *Pipeline) PredictVariance(grid base.FixedDataGrid) (mean, variance []float64, err error) {
	m := p.fitted
	if m == nil {
		return nil, nil, fault.NotFitted(pipelineName)
	}
	final, ok := m.final.(interface {
		PredictVariance(base.FixedDataGrid) (mean, variance []float64, err error)
	})
	if !ok {
		return nil, nil, estimators.Unsupported(pipelineName, m.final, estimators.Variance)
	}
	cur, err := m.before(grid)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", pipelineName, err)
	}
	if cur == nil {
		return nil, nil, nil
	}
	return final.PredictVariance(cur)
}

// Labels returns the classes of a Final of this package; nil before Fit and for
// others.
func (p *Pipeline) Labels() []string {
	if final, ok := p.Fitted().(interface{ Labels() []string }); ok {
		return final.Labels()
	}
	return nil
}

// Fitted returns the fitted final classifier; nil before Fit. It must not be
// fitted again, and it reads grids as the steps leave them.
func (p *Pipeline) Fitted() base.Classifier {
	if p.fitted == nil {
		return nil
	}
	return p.fitted.final
}

// Report is the report of the fitted Final, and the zero Report before Fit or if
// it makes none.
func (p *Pipeline) Report() estimators.Report {
	return reportOf(p.Fitted())
}

// Supports reports whether the method of a capability would work. Proba, Variance
// and Reporting depend on Final; Cloning and Marshalling on the transformers too.
// A Final of golearn cannot be copied, and is marshalled through its own
// SaveWithPrefix.
func (p *Pipeline) Supports(capability estimators.Capability) bool {
	final, isOurs := p.Final.(ours)
	switch capability {
	case estimators.Cloning, estimators.Marshalling:
		for _, s := range p.Steps {
			if s.transform != nil && !transformerSupports(s.transform, capability) {
				return false
			}
		}
		if !isOurs {
			return p.Final != nil && capability == estimators.Marshalling
		}
	}
	return isOurs && final.Supports(capability)
}

func transformerSupports(t transformers.Transformer, capability estimators.Capability) bool {
	if capability == estimators.Cloning {
		return is[transformers.Cloner](t)
	}
	return estimators.Supports(t, capability)
}

// Clone returns an unfitted, equally configured copy. It is independent but for
// what cannot be copied, which is shared: a Final of golearn, and the functions of
// Filter steps.
func (p *Pipeline) Clone() *Pipeline {
	out := &Pipeline{Final: p.Final, NoOneHot: p.NoOneHot, Steps: make([]Step, len(p.Steps))}
	for i, s := range p.Steps {
		out.Steps[i] = s.clone()
	}
	if final, err := cloneFinal(p.Final); err == nil {
		out.Final = final
	}
	return out
}

// String lists the steps and Final.
func (p *Pipeline) String() string {
	var b strings.Builder
	b.WriteString("golearn.Pipeline(")
	for _, s := range p.Steps {
		if s.transform != nil {
			fmt.Fprintf(&b, "%T, ", s.transform)
		} else {
			b.WriteString("filter, ")
		}
	}
	if p.Final == nil {
		b.WriteString("no Final")
	} else {
		b.WriteString(p.Final.String())
	}
	if p.fitted == nil {
		b.WriteString("; not fitted")
	}
	b.WriteString(")")
	return b.String()
}
