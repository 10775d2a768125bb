package pipeline

import (
	"context"
	"encoding"
	"iter"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	fitsteps "github.com/kernelearn/kernelearn/estimators/internal/progress"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/transformers"
)

const (
	classifierName = "pipeline: Classifier"
	classifierKind = "pipeline.Classifier"
)

// Classifier is Steps, in order, before Final. Empty Steps are allowed; Final is required. Every part must have a
// Clone method of its kind, as all of this module have: Fit fits clones and leaves Steps and Final as they are, so
// a Classifier's configuration is never changed by fitting it, and what was fitted is not changed by configuring it
// anew.
//
// It costs what its parts cost. Errors are those of the parts, with the part named in front, and
// [estimators.ErrParam] for a nil part.
//
// See also [Regressor], [Transformer].
type Classifier struct {
	Steps []transformers.Transformer
	Final estimators.Classifier

	// Observe, if not nil, is called after each step that is fitted, as Final's is after its iterations, and meanwhile.
	Observe func(estimators.Step)

	fitted *chain[int, estimators.Classifier]
}

var (
	_ estimators.Classifier                    = (*Classifier)(nil)
	_ estimators.ProbaPredictor                = (*Classifier)(nil)
	_ estimators.DecisionPredictor             = (*Classifier)(nil)
	_ estimators.SetPredictor                  = (*Classifier)(nil)
	_ estimators.PartialFitter[int]            = (*Classifier)(nil)
	_ estimators.BlockFitter[int]              = (*Classifier)(nil)
	_ estimators.WeightedFitter[int]           = (*Classifier)(nil)
	_ estimators.Reporter                      = (*Classifier)(nil)
	_ estimators.Cloner[estimators.Classifier] = (*Classifier)(nil)
	_ estimators.Wrapper                       = (*Classifier)(nil)
	_ encoding.BinaryMarshaler                 = (*Classifier)(nil)
	_ encoding.BinaryUnmarshaler               = (*Classifier)(nil)
)

func (p *Classifier) configured() *chain[int, estimators.Classifier] {
	return &chain[int, estimators.Classifier]{steps: &Transformer{Steps: p.Steps, Name: classifierName}, final: p.Final}
}

// Fit fits clones of the steps and of Final on x (n×d) and the n labels y.
func (p *Classifier) Fit(ctx context.Context, x mat.Matrix, y []int) (err error) {
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
func (p *Classifier) FitWeighted(ctx context.Context, x mat.Matrix, y []int, weights []float64) (err error) {
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
func (p *Classifier) CheckRows(rows int) error { return p.configured().checkRows(rows) }

// FitBlocks implements [estimators.BlockFitter] where the steps and Final have FitBlocks: each step is fitted on
// what those before it give for the stream, one after the other, then Final. The stream is read as often as they
// read it, some thousand rows at a time. Without FitBlocks of a part the error wraps errors.ErrUnsupported.
func (p *Classifier) FitBlocks(ctx context.Context, blocks iter.Seq2[estimators.Block[int], error]) (err error) {
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
func (p *Classifier) NewStages() (estimators.Stages[int], error) {
	s, err := newChainStages(p.configured())
	if err != nil {
		return nil, err
	}
	return s, nil
}

// FitStages implements [estimators.StagedFitter]. The pipeline has the parts of the stages then: two pipelines that
// take over the same stages share them, and so what PartialFit does to one.
func (p *Classifier) FitStages(ctx context.Context, s estimators.Stages[int]) (err error) {
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
func (p *Classifier) PartialFit(ctx context.Context, x mat.Matrix, y []int) (err error) {
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
func (p *Classifier) MarshalStatistics() ([]byte, error) {
	final, err := able[estimators.Continuer](p.configured, p.fitted, estimators.Continuing)
	if err != nil {
		return nil, err
	}
	data, err := final.MarshalStatistics()
	return data, p.fitted.ofFinal(err)
}

// UnmarshalStatistics implements [estimators.Continuer] with Final's.
func (p *Classifier) UnmarshalStatistics(data []byte) error {
	final, err := able[estimators.Continuer](p.configured, p.fitted, estimators.Continuing)
	if err != nil {
		return err
	}
	return p.fitted.ofFinal(final.UnmarshalStatistics(data))
}

// Predict sends x (m×d) through the fitted steps to the fitted final estimator.
func (p *Classifier) Predict(x mat.Matrix) (_ []int, err error) {
	defer fault.Recover(&err)
	if p.fitted == nil {
		return nil, fault.NotFitted(classifierName)
	}
	return p.fitted.predict(x)
}

// PredictTo is like Predict but writes the predictions to dst, which has one entry for each row of x. Up to sixteen
// rows of a dense matrix allocate nothing where the steps have TransformTo and Final has PredictTo, as all of this
// module.
func (p *Classifier) PredictTo(dst []int, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	if p.fitted == nil {
		return fault.NotFitted(classifierName)
	}
	return p.fitted.predictTo(dst, x)
}

// DecisionTo is Decision into dst, a row for each of x and a column for each of Classes,
// as PredictTo. Without Final's Decision the error wraps errors.ErrUnsupported.
func (p *Classifier) DecisionTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	final, err := able[estimators.DecisionPredictor](p.configured, p.fitted, estimators.Decision)
	if err != nil {
		return err
	}
	return p.fitted.steps.Pass(x, func(z mat.Matrix) error { return p.fitted.ofFinal(rowwise.Decide(final, dst, z)) })
}

// Classes returns the distinct labels that Fit saw, ascending. It returns nil before Fit.
func (p *Classifier) Classes() []int {
	if p.fitted == nil {
		return nil
	}
	return slices.Clone(p.fitted.final.Classes())
}

// PredictProba implements [estimators.ProbaPredictor] with Final's.
func (p *Classifier) PredictProba(x mat.Matrix) (proba *mat.Dense, err error) {
	defer fault.Recover(&err)
	err = through(p.configured, p.fitted, estimators.Proba, x, func(f estimators.ProbaPredictor, z mat.Matrix) (err error) {
		proba, err = f.PredictProba(z)
		return err
	})
	return proba, err
}

// PredictProbaTo is PredictProba into dst, a row for each of x and a column for each of
// Classes, as PredictTo. Without Final's PredictProba the error wraps errors.ErrUnsupported.
func (p *Classifier) PredictProbaTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	final, err := able[estimators.ProbaPredictor](p.configured, p.fitted, estimators.Proba)
	if err != nil {
		return err
	}
	return p.fitted.steps.Pass(x, func(z mat.Matrix) error { return p.fitted.ofFinal(rowwise.Probabilities(final, dst, z)) })
}

// Decision implements [estimators.DecisionPredictor] with Final's.
func (p *Classifier) Decision(x mat.Matrix) (scores *mat.Dense, err error) {
	defer fault.Recover(&err)
	err = through(p.configured, p.fitted, estimators.Decision, x, func(f estimators.DecisionPredictor, z mat.Matrix) (err error) {
		scores, err = f.Decision(z)
		return err
	})
	return scores, err
}

// PredictSet implements [estimators.SetPredictor] with Final's.
func (p *Classifier) PredictSet(x mat.Matrix, level float64) (sets [][]int, err error) {
	defer fault.Recover(&err)
	err = through(p.configured, p.fitted, estimators.Sets, x, func(f estimators.SetPredictor, z mat.Matrix) (err error) {
		sets, err = f.PredictSet(z, level)
		return err
	})
	return sets, err
}

// Supports reports whether the configured parts can do c.
func (p *Classifier) Supports(c estimators.Capability) bool { return p.configured().supports(p, c) }

// Report returns the fitted final estimator's, or the zero Report before Fit and
// where Final has none.
func (p *Classifier) Report() estimators.Report { return p.fitted.report() }

// Clone returns an unfitted Classifier with clones of the steps and of Final. A
// part that has no Clone is shared, and the copy's Fit refuses it as p's does.
func (p *Classifier) Clone() estimators.Classifier {
	return &Classifier{Steps: cloneSteps(p.Steps), Final: cloneOr(p.Final), Observe: p.Observe}
}

// FittedSteps returns the fitted steps, or nil before Fit. The slice is a copy;
// its elements are the ones that Predict uses and must not be fitted again.
func (p *Classifier) FittedSteps() []transformers.Transformer {
	if p.fitted == nil {
		return nil
	}
	return p.fitted.steps.FittedSteps()
}

// FittedFinal returns the fitted final estimator, or nil before Fit. It is the
// one that Predict uses and must not be fitted again.
func (p *Classifier) FittedFinal() estimators.Classifier {
	if p.fitted == nil {
		return nil
	}
	return p.fitted.final
}

// MarshalBinary implements encoding.BinaryMarshaler. It stores what is fitted
// and the types of the parts, not their configuration.
func (p *Classifier) MarshalBinary() ([]byte, error) {
	if p.fitted == nil {
		return nil, fault.NotFitted(classifierName)
	}
	return p.fitted.marshal(classifierKind)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. The data goes into clones of the configured steps and
// Final, so p must be configured as the one that was stored: another number of steps, or another type of one, is
// [estimators.ErrBadModel]. After an error p is as it was.
func (p *Classifier) UnmarshalBinary(data []byte) error {
	fitted, err := p.configured().unmarshal(classifierKind, data)
	if err != nil {
		return err
	}
	p.fitted = fitted
	return nil
}
