package pipeline

import (
	"context"
	"encoding"
	"iter"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	fitsteps "github.com/kernelearn/kernelearn/estimators/internal/progress"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/interval"
	"github.com/kernelearn/kernelearn/internal/own"
	"github.com/kernelearn/kernelearn/transformers"
)

const (
	regressorName = "pipeline: Regressor"
	regressorKind = "pipeline.Regressor"
)

// Regressor is Steps, in order, before Final. Empty Steps are allowed; Final is required. Every part must have a
// Clone method of its kind, as all of this module have: Fit fits clones and leaves Steps and Final as they are, so
// a Regressor's configuration is never changed by fitting it, and what was fitted is not changed by configuring it
// anew.
//
// It costs what its parts cost. Errors are those of the parts, with the part named in front, and
// [estimators.ErrParam] for a nil part.
//
// See also [MultiRegressor], [Transformer].
type Regressor struct {
	Steps []transformers.Transformer
	Final estimators.Regressor

	// Observe, if not nil, is called after each step that is fitted, as Final's is after its iterations, and meanwhile.
	Observe func(estimators.Step)

	fitted *chain[float64, estimators.Regressor]
}

var (
	_ estimators.Regressor                    = (*Regressor)(nil)
	_ estimators.VariancePredictor            = (*Regressor)(nil)
	_ estimators.IntervalPredictor            = (*Regressor)(nil)
	_ estimators.PartialFitter[float64]       = (*Regressor)(nil)
	_ estimators.BlockFitter[float64]         = (*Regressor)(nil)
	_ estimators.WeightedFitter[float64]      = (*Regressor)(nil)
	_ estimators.Reporter                     = (*Regressor)(nil)
	_ estimators.Cloner[estimators.Regressor] = (*Regressor)(nil)
	_ estimators.Wrapper                      = (*Regressor)(nil)
	_ encoding.BinaryMarshaler                = (*Regressor)(nil)
	_ encoding.BinaryUnmarshaler              = (*Regressor)(nil)
)

func (p *Regressor) configured() *chain[float64, estimators.Regressor] {
	return &chain[float64, estimators.Regressor]{steps: &Transformer{Steps: p.Steps, Name: regressorName}, final: p.Final}
}

// Fit fits clones of the steps and of Final on x (n×d) and the n targets y.
func (p *Regressor) Fit(ctx context.Context, x mat.Matrix, y []float64) (err error) {
	defer fault.Recover(&err)
	ctx = check.Context(ctx)
	ctx, end := fitsteps.Begin(ctx, p.Observe)
	defer end(&err)
	fitted, err := p.configured().fit(ctx, x, y, nil)
	if err != nil {
		return err
	}
	p.fitted = fitted
	return nil
}

// FitWeighted is like Fit, with a weight for each row, which Final gets. Transformers know no weights: the steps
// are fitted on the rows as they are, so that a weight of 2 equals the row given twice for Final, but not for a
// step that counts rows, such as a StandardScaler.
func (p *Regressor) FitWeighted(ctx context.Context, x mat.Matrix, y, weights []float64) (err error) {
	defer fault.Recover(&err)
	ctx = check.Context(ctx)
	ctx, end := fitsteps.Begin(ctx, p.Observe)
	defer end(&err)
	fitted, err := p.configured().fitWeighted(ctx, x, y, weights)
	if err != nil {
		return err
	}
	p.fitted = fitted
	return nil
}

// CheckRows is Final's, where it has one: nil otherwise. It computes nothing.
func (p *Regressor) CheckRows(rows int) error { return p.configured().checkRows(rows) }

// FitBlocks implements [estimators.BlockFitter] where the steps and Final have FitBlocks: each step is fitted on
// what those before it give for the stream, one after the other, then Final. The stream is read as often as they
// read it, some thousand rows at a time. Without FitBlocks of a part the error wraps errors.ErrUnsupported.
func (p *Regressor) FitBlocks(ctx context.Context, blocks iter.Seq2[estimators.Block[float64], error]) (err error) {
	defer fault.Recover(&err)
	ctx = check.Context(ctx)
	ctx, end := fitsteps.Begin(ctx, p.Observe)
	defer end(&err)
	fitted, err := p.configured().fitBlocks(ctx, blocks)
	if err != nil {
		return err
	}
	p.fitted = fitted
	return nil
}

// NewStages implements [estimators.StagedFitter] where the steps and Final are Mergeable: the stages of each step,
// one after the other, and of Final, with statistics that take rows as they come to the first step. Where a part is
// not, the error wraps errors.ErrUnsupported.
func (p *Regressor) NewStages() (estimators.Stages[float64], error) {
	s, err := newChainStages(p.configured())
	if err != nil {
		return nil, err
	}
	return s, nil
}

// FitStages implements [estimators.StagedFitter]. The pipeline has the parts of the stages then: two pipelines that
// take over the same stages share them, and so what PartialFit does to one.
func (p *Regressor) FitStages(ctx context.Context, s estimators.Stages[float64]) (err error) {
	defer fault.Recover(&err)
	ctx = check.Context(ctx)
	ctx, end := fitsteps.Begin(ctx, p.Observe)
	defer end(&err)
	fitted, err := p.configured().fromStages(ctx, s)
	if err != nil {
		return err
	}
	p.fitted = fitted
	return nil
}

// PartialFit implements [estimators.PartialFitter] with Final's. The steps learn from the rows of the first call
// alone, all later rows go through them to Final. It goes on after FitStages; and after Fit and UnmarshalBinary
// where Final does.
func (p *Regressor) PartialFit(ctx context.Context, x mat.Matrix, y []float64) (err error) {
	defer fault.Recover(&err)
	ctx = check.Context(ctx)
	ctx, end := fitsteps.Begin(ctx, p.Observe)
	defer end(&err)
	fitted, err := p.configured().partialFit(ctx, p.fitted, x, y)
	if err != nil {
		return err
	}
	p.fitted = fitted
	return nil
}

// MarshalStatistics implements [estimators.Continuer] with Final's: the steps learn from the first rows alone.
func (p *Regressor) MarshalStatistics() ([]byte, error) {
	final, err := able[estimators.Continuer](p.configured, p.fitted, estimators.Continuing)
	if err != nil {
		return nil, err
	}
	data, err := final.MarshalStatistics()
	return data, p.fitted.ofFinal(err)
}

// UnmarshalStatistics implements [estimators.Continuer] with Final's.
func (p *Regressor) UnmarshalStatistics(data []byte) error {
	final, err := able[estimators.Continuer](p.configured, p.fitted, estimators.Continuing)
	if err != nil {
		return err
	}
	return p.fitted.ofFinal(final.UnmarshalStatistics(data))
}

// Predict sends x (m×d) through the fitted steps to the fitted final estimator.
func (p *Regressor) Predict(x mat.Matrix) (_ []float64, err error) {
	defer fault.Recover(&err)
	if p.fitted == nil {
		return nil, fault.NotFitted(regressorName)
	}
	return p.fitted.predict(x)
}

// PredictTo is like Predict but writes the predictions to dst, which has one entry for each row of x. Up to sixteen
// rows of a dense matrix allocate nothing where the steps have TransformTo and Final has PredictTo, as all of this
// module.
func (p *Regressor) PredictTo(dst []float64, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	if p.fitted == nil {
		return fault.NotFitted(regressorName)
	}
	return p.fitted.predictTo(dst, x)
}

// PredictVariance implements [estimators.VariancePredictor] with Final's. Where the last step leaves out a part of
// a kernel and says so by RowResiduals ([transformers.Nystroem]), and Final is a ridge machine with PriorVariance,
// the variance of that part is added: without it the variance of a pipeline would shrink as rows move away from all
// landmarks. With every training row as a landmark it is the variance of the machine of the kernel itself (package
// lssvm).
func (p *Regressor) PredictVariance(x mat.Matrix) (mean, variance []float64, err error) {
	defer fault.Recover(&err)
	final, err := able[estimators.VariancePredictor](p.configured, p.fitted, estimators.Variance)
	if err != nil {
		return nil, nil, err
	}
	z, err := p.fitted.rows(x)
	if err != nil {
		return nil, nil, err
	}
	if mean, variance, err = final.PredictVariance(z); err != nil {
		return nil, nil, p.fitted.ofFinal(err)
	}
	unseen, err := p.unseen(x, z)
	if err != nil {
		return nil, nil, err
	}
	for i, v := range unseen {
		variance[i] += v
		if s := variance[i]; s-s != 0 {
			return nil, nil, &fault.NotFiniteError{Name: regressorName + ": variance", Row: i, Col: -1, Value: s}
		}
	}
	return mean, variance, nil
}

// PredictInterval implements [estimators.IntervalPredictor] with Final's, or, where PredictVariance adds to Final's
// variance, under the normal distribution that it gives.
func (p *Regressor) PredictInterval(x mat.Matrix, level float64) (low, high []float64, err error) {
	defer fault.Recover(&err)
	final, err := able[estimators.IntervalPredictor](p.configured, p.fitted, estimators.Interval)
	if err != nil {
		return nil, nil, err
	}
	if err := interval.Level(regressorName, level); err != nil {
		return nil, nil, err
	}
	z, err := p.fitted.rows(x)
	if err != nil {
		return nil, nil, err
	}
	unseen, err := p.unseen(x, z)
	switch {
	case err != nil:
		return nil, nil, err
	case unseen == nil:
		low, high, err = final.PredictInterval(z, level)
		return low, high, p.fitted.ofFinal(err)
	}
	return interval.Normal(level)(p.PredictVariance(x))
}

// unseen returns the variance, at each row of x that became z, of what the steps leave out
// of a kernel; nil where they leave out nothing, or where Final is no ridge machine.
func (p *Regressor) unseen(x, z mat.Matrix) ([]float64, error) {
	prior, ok := own.As[interface{ PriorVariance() float64 }](p.fitted.final)
	if !ok || !estimators.Supports(p.fitted.final, estimators.Variance) {
		return nil, nil
	}
	out, err := p.fitted.steps.leftOut(x, z)
	floats.Scale(prior.PriorVariance(), out)
	return out, err
}

// Supports reports whether the configured parts can do c.
func (p *Regressor) Supports(c estimators.Capability) bool { return p.configured().supports(p, c) }

// Report returns the fitted final estimator's, or the zero Report before Fit and
// where Final has none.
func (p *Regressor) Report() estimators.Report { return p.fitted.report() }

// Clone returns an unfitted Regressor with clones of the steps and of Final. A
// part that has no Clone is shared, and the copy's Fit refuses it as p's does.
func (p *Regressor) Clone() estimators.Regressor {
	return &Regressor{Steps: cloneSteps(p.Steps), Final: cloneOr(p.Final), Observe: p.Observe}
}

// FittedSteps returns the fitted steps, or nil before Fit. The slice is a copy;
// its elements are the ones that Predict uses and must not be fitted again.
func (p *Regressor) FittedSteps() []transformers.Transformer {
	if p.fitted == nil {
		return nil
	}
	return p.fitted.steps.FittedSteps()
}

// FittedFinal returns the fitted final estimator, or nil before Fit. It is the
// one that Predict uses and must not be fitted again.
func (p *Regressor) FittedFinal() estimators.Regressor {
	if p.fitted == nil {
		return nil
	}
	return p.fitted.final
}

// MarshalBinary implements encoding.BinaryMarshaler. It stores what is fitted
// and the types of the parts, not their configuration.
func (p *Regressor) MarshalBinary() ([]byte, error) {
	if p.fitted == nil {
		return nil, fault.NotFitted(regressorName)
	}
	return p.fitted.marshal(regressorKind)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. The data goes into clones of the configured steps and
// Final, so p must be configured as the one that was stored: another number of steps, or another type of one, is
// [estimators.ErrBadModel]. After an error p is as it was.
func (p *Regressor) UnmarshalBinary(data []byte) error {
	fitted, err := p.configured().unmarshal(regressorKind, data)
	if err != nil {
		return err
	}
	p.fitted = fitted
	return nil
}
