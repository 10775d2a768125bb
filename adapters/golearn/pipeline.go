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

// Pipeline is a base.Classifier: steps, fitted on the training grid one after
// the other, and a final classifier behind them.
//
// Fit fits clones of the transformers and of a Final of this package, and assigns
// them last: a Fit that fails leaves the model fitted before. A classifier of
// golearn cannot be copied. It is fitted in place, and where its own Fit fails the
// Pipeline counts as not fitted.
//
// The class attribute passes by the steps. At Predict it is a column of zeros,
// whatever the grid holds, so that no step and no Final can read a test label. Errors
// say which step they come from.
type Pipeline struct {
	// Steps are applied in order; there may be none.
	Steps []Step
	// Final is a Classifier, a Regressor, a Pipeline, a Bagging, a Refitted, or a
	// classifier of golearn.
	Final base.Classifier
	// NoOneHot refuses categorical features before a Transform step. The default,
	// false, gives each category that the training rows hold a column.
	NoOneHot bool

	adapter[pipelineModel]
}

type pipelineModel struct {
	trained // its schema is the first step's, where there is one
	steps   []fittedStep
	final   base.Classifier
}

const pipelineKind = "golearn.Pipeline"

var _ gridEstimator = (*Pipeline)(nil)

// Fit learns from the rows of grid. It is FitContext without a context.
func (p *Pipeline) Fit(grid base.FixedDataGrid) (err error) {
	defer fault.Recover(&err)
	return fit(context.Background(), p, grid)
}

// FitContext fits the steps and Final to the rows of grid, which has one class
// attribute. Errors say which step they come from: ErrParam for a nil Final or
// grid, a filter that panics; ErrShape for no rows, no features or not one class
// attribute; ErrNotFinite; those of the transformers, of Final, and ctx's.
func (p *Pipeline) FitContext(ctx context.Context, grid base.FixedDataGrid) (err error) {
	defer fault.Recover(&err)
	return fit(ctx, p, grid)
}

// finalSteps is how many steps take as long as the final model, for the estimate of progress.
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
	// What comes after a step has another table's features, and this one's class.
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

// ofFinal gives f the rows as the steps leave them.
func ofFinal[R any](m *pipelineModel, t *gridtable.Table, f func(m predictor, t *gridtable.Table) (R, error)) (out R, err error) {
	steps := m.steps
	if t.Rows == 0 {
		steps, t = nil, &gridtable.Table{} // they want rows
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

// PredictProba returns Final's class probabilities, columns in the order of
// Labels, and the empty matrix for a grid of no rows. Errors as Predict's, and one
// that wraps errors.ErrUnsupported if Final gives no probabilities.
func (p *Pipeline) PredictProba(grid base.FixedDataGrid) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return predictProba(p, grid)
}

func (m *pipelineModel) proba(t *gridtable.Table) (*mat.Dense, error) {
	return ofFinal(m, t, predictor.proba)
}

// PredictVariance returns Final's mean and variance for each row of grid; both are
// nil for a grid of no rows. What a Nystroem step leaves out of its kernel is not in them:
// for that put a pipeline.Regressor, with both, into a Regressor. Errors as Predict's, and
// one that wraps errors.ErrUnsupported if Final gives no variance.
func (p *Pipeline) PredictVariance(grid base.FixedDataGrid) (mean, variance []float64, err error) {
	defer fault.Recover(&err)
	return predictVariance(p, grid)
}

func (m *pipelineModel) variance(t *gridtable.Table) (pair, error) {
	return ofFinal(m, t, predictor.variance)
}

// PredictInterval returns Final's interval of that level for each row of grid, as
// Regressor's does. What PredictVariance says of a Nystroem step holds here.
func (p *Pipeline) PredictInterval(grid base.FixedDataGrid, level float64) (low, high []float64, err error) {
	defer fault.Recover(&err)
	return predictInterval(p, grid, level)
}

func (m *pipelineModel) interval(t *gridtable.Table, level float64) (pair, error) {
	return ofFinal(m, t, intervalOf(level))
}

// PredictSet returns Final's sets of classes of that level for each row of grid, as Classifier's does.
func (p *Pipeline) PredictSet(grid base.FixedDataGrid, level float64) (_ [][]string, err error) {
	defer fault.Recover(&err)
	return predictSet(p, grid, level)
}

func (m *pipelineModel) sets(t *gridtable.Table, level float64) ([][]string, error) {
	return ofFinal(m, t, setsOf(level))
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
func (p *Pipeline) Report() estimators.Report { return reportOf(p.Fitted()) }

// Supports reports whether the method of a capability would work. Proba, Variance, Interval,
// Sets and Reporting depend on Final; Marshalling on the transformers too.
// A Final of golearn is marshalled through its own SaveWithPrefix.
func (p *Pipeline) Supports(capability estimators.Capability) bool {
	w := estimators.Wrapped{Estimators: inside(p.Final)}
	for _, s := range p.Steps {
		if s.transform != nil {
			w.Steps = append(w.Steps, s.transform)
		}
	}
	return supports(p, capability, w)
}

// Clone returns an unfitted copy with the same configuration, in which a Final of golearn's own and the functions of Filter
// steps are shared. [estimators.Clone] calls it.
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

// UnmarshalBinary reads what MarshalBinary of an equally configured Pipeline
// wrote, and calls the builders of its filters again. Errors: ErrBadModel for data
// that is cut short, changed, or of another configuration, and it says which;
// ErrParam for a nil Final; those of the builders, as ErrBadModel too. They leave the model as it was,
// but for a Final of golearn that fails to read itself after all else was right:
// the Pipeline is then not fitted.
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

// restored reads all but Final.
func (p *Pipeline) restored(in *pipelinePayload) (*pipelineModel, error) {
	if len(in.Steps) != len(p.Steps) {
		return nil, fault.BadModel(pipelineKind, "written with %d steps, the receiver has %d", len(in.Steps), len(p.Steps))
	}
	m := &pipelineModel{trained: in.Trained, final: copyOf(p.Final)}
	for i, s := range p.Steps {
		f, err := s.restore(in.Steps[i], p.NoOneHot)
		if err != nil {
			err = fmt.Errorf("step %d: %w", i, err)
			if !errors.Is(err, fault.ErrBadModel) { // the rows that a filter is trained on anew are the file's
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
