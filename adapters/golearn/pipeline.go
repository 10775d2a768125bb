package golearn

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/sjwhitworth/golearn/base"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// Pipeline is a base.Classifier that consists of steps, fitted to the training grid one after the other, and a final classifier.
//
// Fit fits clones of the transformers, and of a Final that is a type of this package. If Fit fails, the model is unchanged. A
// golearn classifier cannot be copied, so it is fitted in place. If its own Fit fails, the Pipeline counts as not fitted.
//
// The steps do not receive the class attribute. In Predict the class is a column of zeros, whatever the grid contains, so that
// neither a step nor Final can read a test label. Errors name their step.
type Pipeline struct {
	// Steps are applied in order; there may be none.
	Steps []Step
	// Final is a Classifier, a Regressor, a Pipeline, a Bagging, a Refitted, or a golearn classifier.
	Final base.Classifier
	// NoOneHot rejects categorical features before a Transform step. By default, each level in the training rows becomes a
	// column.
	NoOneHot bool

	adapter[pipelineModel]
}

type pipelineModel struct {
	trained // with the schema of the first step, if there is one
	steps   []fittedStep
	final   base.Classifier
}

const pipelineKind = "golearn.Pipeline"

var _ gridEstimator = (*Pipeline)(nil)

// Fit fits the steps and Final to the rows of grid. It is FitContext with a background context.
func (p *Pipeline) Fit(grid base.FixedDataGrid) (err error) {
	defer fault.Recover(&err)
	return fit(context.Background(), p, grid)
}

// FitContext fits the steps and Final to the rows of grid, which has one class attribute. Errors name their step. It returns
// ErrParam for a nil Final, a nil grid or a filter that panics. It returns ErrShape for no rows, no features, or unless there is
// exactly one class attribute. It also returns ErrNotFinite, the errors of the transformers and of Final, or ctx's error.
func (p *Pipeline) FitContext(ctx context.Context, grid base.FixedDataGrid) (err error) {
	defer fault.Recover(&err)
	return fit(ctx, p, grid)
}

// finalSteps is the assumed duration of the fit of Final relative to that of a step, for the estimate of progress.
const finalSteps = 4

func (p *Pipeline) fitTable(ctx context.Context, t *gridtable.Table) error {
	if p.Final == nil {
		return fault.Param("input", "Final", nil, "a classifier")
	}
	y, err := t.Values(&t.Classes[0])
	if err != nil {
		return err
	}
	if t.RowNumbers != nil {
		if t, err = t.Copy(); err != nil {
			return err
		}
	}
	m := &pipelineModel{trained: keep(t), final: copyOf(p.Final)}
	// A step returns a table with new features, but without a class. The class stays that of the training grid.
	class := gridtable.NewCells(m.Target, y)
	cur := t.WithClass(class)
	first, rest := progress.Two(ctx, float64(len(p.Steps)), finalSteps)
	parts := progress.Open(first)
	for i, s := range p.Steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		f, next, err := s.fit(parts.Step(i, len(p.Steps)), cur, p.NoOneHot)
		if err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
		m.steps = append(m.steps, f)
		cur = next.WithClass(class)
		cur.OneVsAll = t.OneVsAll
	}
	m.readFirst()
	if err := fitInner(rest, m.final, cur); err != nil {
		if inPlace(m.final) {
			p.fitted = nil
		}
		return inFinal(err)
	}
	p.fitted = m
	return nil
}

func (m *pipelineModel) kind() string { return pipelineKind }

func (m *pipelineModel) readFirst() {
	if len(m.steps) > 0 {
		m.Schema = *m.steps[0].reads()
	}
}

func (m *pipelineModel) predict(t *gridtable.Table) (gridtable.Cells, error) {
	return ofFinal(m, t, answer)
}

// ofFinal calls f with the fitted Final and the rows after the steps.
func ofFinal[R any](m *pipelineModel, t *gridtable.Table, f func(m predictor, t *gridtable.Table) (R, error)) (out R, err error) {
	steps := m.steps
	if t.Rows == 0 {
		steps, t = nil, &gridtable.Table{} // steps need rows
	}
	for i, s := range steps {
		if t, err = s.apply(t); err != nil {
			return out, fmt.Errorf("step %d: %w", i, err)
		}
	}
	out, err = ofInner(m.final, t, m.Target, f)
	return out, inFinal(err)
}

func inFinal(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("final: %w", err)
}

// PredictProba returns the class probabilities of Final, with columns in the order of Labels. For a grid without rows it returns
// the empty matrix. It returns the errors of Predict. If Final does not compute probabilities, the error wraps
// errors.ErrUnsupported.
func (p *Pipeline) PredictProba(grid base.FixedDataGrid) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return predictProba(p, grid)
}

func (m *pipelineModel) proba(t *gridtable.Table) (*mat.Dense, error) {
	return ofFinal(m, t, predictor.proba)
}

// PredictVariance returns Final's mean and variance for each row of grid. Both are nil for a grid without rows. If a Nystroem step
// approximates the kernel, the variance does not include the error of the approximation. To include it, put a pipeline.Regressor
// that contains the step and the final model into a Regressor. PredictVariance returns the errors of Predict. If Final does not
// compute variances, the error wraps errors.ErrUnsupported.
func (p *Pipeline) PredictVariance(grid base.FixedDataGrid) (mean, variance []float64, err error) {
	defer fault.Recover(&err)
	return predictVariance(p, grid)
}

func (m *pipelineModel) variance(t *gridtable.Table) (pair, error) {
	return ofFinal(m, t, predictor.variance)
}

// PredictInterval returns Final's interval of the given level for each row of grid, like [Regressor.PredictInterval]. With a
// Nystroem step, it has the same limitation as PredictVariance.
func (p *Pipeline) PredictInterval(grid base.FixedDataGrid, level float64) (low, high []float64, err error) {
	defer fault.Recover(&err)
	return predictInterval(p, grid, level)
}

func (m *pipelineModel) interval(t *gridtable.Table, level float64) (pair, error) {
	return ofFinal(m, t, intervalOf(level))
}

// PredictSet returns Final's sets of classes of the given level for each row of grid, like [Classifier.PredictSet].
func (p *Pipeline) PredictSet(grid base.FixedDataGrid, level float64) (_ [][]string, err error) {
	defer fault.Recover(&err)
	return predictSet(p, grid, level)
}

func (m *pipelineModel) sets(t *gridtable.Table, level float64) ([][]string, error) {
	return ofFinal(m, t, setsOf(level))
}

// Labels returns the classes of Final if it is a type of this package. It returns nil before Fit and for other types.
func (p *Pipeline) Labels() []string {
	if final, ok := p.Fitted().(interface{ Labels() []string }); ok {
		return final.Labels()
	}
	return nil
}

// Fitted returns the fitted final classifier, or nil before Fit. It must not be fitted again. It accepts grids that the steps have
// transformed.
func (p *Pipeline) Fitted() base.Classifier {
	if p.fitted == nil {
		return nil
	}
	return p.fitted.final
}

// Report returns the report of the fitted Final. It returns the zero Report before Fit or if Final has none.
func (p *Pipeline) Report() estimators.Report { return reportOf(p.Fitted()) }

// Supports reports whether the method of a capability would work. Proba, Variance, Interval, Sets and Reporting depend on Final.
// Marshalling also depends on the transformers. A golearn Final is marshalled with its own SaveWithPrefix.
func (p *Pipeline) Supports(capability estimators.Capability) bool {
	w := estimators.Wrapped{Estimators: inside(p.Final)}
	for _, s := range p.Steps {
		if s.transform != nil {
			w.Steps = append(w.Steps, s.transform)
		}
	}
	return supports(p, capability, w)
}

// Clone returns an unfitted copy with the same configuration. The copy shares a golearn Final and the functions of Filter steps
// with the original. [estimators.Clone] calls this method.
func (p *Pipeline) Clone() *Pipeline {
	out := &Pipeline{Final: copyOf(p.Final), NoOneHot: p.NoOneHot, Steps: make([]Step, len(p.Steps))}
	for i, s := range p.Steps {
		out.Steps[i] = Step{transform: estimators.Clone(s.transform), build: s.build}
	}
	return out
}

// String lists the steps and Final.
func (p *Pipeline) String() string {
	parts := make([]string, 0, len(p.Steps)+1)
	for _, s := range p.Steps {
		if s.transform != nil {
			parts = append(parts, fmt.Sprintf("%T", s.transform))
		} else {
			parts = append(parts, "filter")
		}
	}
	final, state := "no Final", "fitted"
	if p.Final != nil {
		final = p.Final.String()
	}
	if p.fitted == nil {
		state = "not fitted"
	}
	return "golearn.Pipeline(" + strings.Join(append(parts, final), ", ") + "; " + state + ")"
}

type pipelinePayload struct {
	Trained trained
	Steps   []stepPayload
	Final   modelPart
}

func (m *pipelineModel) payload() (any, error) {
	out := pipelinePayload{Trained: m.trained}
	for i, s := range m.steps {
		sp, err := s.payload()
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i, err)
		}
		out.Steps = append(out.Steps, sp)
	}
	var err error
	out.Final, err = makeModelPart(m.final)
	return out, inFinal(err)
}

// UnmarshalBinary decodes the output of MarshalBinary of a Pipeline with the same configuration, and calls the builders of its
// filters again. It returns ErrBadModel, with the reason, for data that is truncated, changed, or from another configuration, and
// for errors of the builders. It returns ErrParam for a nil Final. If it returns an error, the model is unchanged, with one
// exception: if a golearn Final fails to decode itself, the Pipeline is not fitted.
func (p *Pipeline) UnmarshalBinary(data []byte) error {
	if p.Final == nil {
		return fault.Param(p.name(), "Final", nil, "a classifier")
	}
	var in pipelinePayload
	if err := readPayload(p, data, &in); err != nil {
		return err
	}
	m, err := p.restored(&in)
	if err != nil {
		return named(p, err)
	}
	if err := in.Final.unmarshalInto(pipelineKind, m.final); err != nil {
		var s spoiled
		if inPlace(m.final) && errors.As(err, &s) {
			p.fitted = nil
		}
		return named(p, inFinal(err))
	}
	p.fitted = m
	return nil
}

// restored decodes everything except for Final.
func (p *Pipeline) restored(in *pipelinePayload) (*pipelineModel, error) {
	if len(in.Steps) != len(p.Steps) {
		return nil, fault.BadModel(pipelineKind, "written with %d steps, the receiver has %d", len(in.Steps), len(p.Steps))
	}
	m := &pipelineModel{trained: in.Trained, final: copyOf(p.Final)}
	for i, s := range p.Steps {
		f, err := s.restore(in.Steps[i], p.NoOneHot)
		if err != nil {
			err = fmt.Errorf("step %d: %w", i, err)
			if !errors.Is(err, fault.ErrBadModel) { // a builder failed on the rows of the file
				err = fmt.Errorf("%w: %w", fault.ErrBadModel, err)
			}
			return nil, err
		}
		m.steps = append(m.steps, f)
	}
	m.readFirst()
	if err := m.fits(pipelineKind, m.Schema.NoOneHot, Pass); err != nil {
		return nil, err
	}
	return m, inFinal(in.Final.fits(pipelineKind, m.final))
}
