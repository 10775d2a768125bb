package pipeline

import (
	"context"
	"iter"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/interval"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers"
)

const (
	regressorName = "pipeline: Regressor"
	regressorKind = "pipeline.Regressor"
)

// Regressor applies Steps, in their order, before Final. Empty Steps are allowed; Final is required. Fit fits clones
// ([estimators.Clone]) and leaves Steps and Final unchanged. The configuration of a Regressor is therefore never changed
// by fitting it, and the fitted parts are not changed by configuring it again. Without Steps, Final gets gaps, NaN in x, as
// they are.
//
// The cost is the sum of the costs of its parts. Errors are those of the parts, preceded by the name of the part,
// and [estimators.ErrParam] for a nil part.
//
// See also [MultiRegressor], [Transformer].
type Regressor struct {
	Steps []transformers.Transformer
	Final estimators.Regressor

	// Names lists the names of the columns of x, which steps and Final get too, as far as the steps before them name their results; nil:
	// not known. Model files keep those of Fit.
	Names []string `settings:"-"`

	// If Observe is not nil, it is called during and after the fit of each step, and during and after the iterations
	// of Final.
	Observe func(estimators.Step)

	learnt[[]float64, []float64, estimators.Regressor]
}

func (p *Regressor) configured() *chain[[]float64, []float64, estimators.Regressor] {
	steps := &Transformer{Steps: p.Steps, Name: regressorName, Names: p.Names}
	return &chain[[]float64, []float64, estimators.Regressor]{steps: steps, final: p.Final}
}

// Fit fits clones of the steps and of Final on x (n×d) and the n targets y.
func (p *Regressor) Fit(ctx context.Context, x mat.Matrix, y []float64) (err error) {
	defer estimators.BeginFit(&ctx, p.Observe)(&err)
	return p.keep(p.configured().fit(ctx, x, y, nil))
}

// FitWeighted is like Fit, with a weight for each row, which is passed to Final. Transformers do not take weights:
// the steps are fitted on the rows without weights, so that a weight of 2 equals the row given twice for Final, but
// not for a step that counts rows, such as a StandardScaler.
func (p *Regressor) FitWeighted(ctx context.Context, x mat.Matrix, y, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, p.Observe)(&err)
	return p.keep(fitWeighted(ctx, p.configured(), x, y, weights))
}

// CheckRowCount calls CheckRowCount of Final. It returns nil if Final does not have that method. It computes nothing.
func (p *Regressor) CheckRowCount(rows int) error { return p.configured().checkRows(rows) }

// CheckSmoother calls CheckSmoother of Final. It returns nil if Final does not have that method. It computes nothing.
func (p *Regressor) CheckSmoother(fitted, rows int) error {
	return p.configured().checkSmoother(fitted, rows)
}

// FitBlocks implements [streaming.BlockFitter] if the steps and Final have FitBlocks. The steps are fitted one
// after the other, each on the output of the steps before it, and then Final. The stream is read as often as the
// parts read it, some thousand rows at a time. If a part has no FitBlocks, the error wraps errors.ErrUnsupported.
func (p *Regressor) FitBlocks(ctx context.Context, blocks iter.Seq2[streaming.Block[float64], error]) (err error) {
	defer estimators.BeginFit(&ctx, p.Observe)(&err)
	return p.keep(fitBlocks(ctx, p.configured(), blocks))
}

// NewStages implements [streaming.StagedFitter] if the steps and Final are Mergeable. It returns the stages of
// each step, one after the other, and of Final. Their statistics take the rows that the first step takes. If a part
// is not Mergeable, the error wraps errors.ErrUnsupported.
func (p *Regressor) NewStages() (streaming.Stages[float64], error) {
	return newChainStages(p.configured())
}

// FitStages implements [streaming.StagedFitter]. The pipeline then uses the parts of the stages. Two pipelines
// that take over the same stages share these parts, and so the effect of PartialFit on either of them.
func (p *Regressor) FitStages(ctx context.Context, s streaming.Stages[float64]) (err error) {
	defer estimators.BeginFit(&ctx, p.Observe)(&err)
	return p.keep(takeStages(ctx, p.configured(), s))
}

// PartialFit implements [estimators.PartialFitter] with the method of Final. The steps learn only from the rows of
// the first call; all later rows go through them to Final. It can go on after FitStages, and after Fit and
// UnmarshalBinary if Final can.
func (p *Regressor) PartialFit(ctx context.Context, x mat.Matrix, y []float64) (err error) {
	defer estimators.BeginFit(&ctx, p.Observe)(&err)
	return p.keep(partialFit(ctx, p.configured(), p.fitted, x, y))
}

// MarshalStatistics implements [estimators.Continuer] with the method of Final. The steps learn from the first rows
// alone.
func (p *Regressor) MarshalStatistics() ([]byte, error) {
	return p.fitted.marshalStatistics(p.configured)
}

// UnmarshalStatistics implements [estimators.Continuer] with the method of Final.
func (p *Regressor) UnmarshalStatistics(data []byte) error {
	return p.fitted.unmarshalStatistics(p.configured, data)
}

// Predict sends x (m×d) through the fitted steps to the fitted final estimator.
func (p *Regressor) Predict(x mat.Matrix) (_ []float64, err error) {
	defer fault.Recover(&err)
	return p.predict(regressorName, x)
}

// PredictTo is like Predict but writes the predictions to dst, which has one entry for each row of x. Up to sixteen
// rows of a dense matrix are predicted without allocating memory if the steps have TransformTo and Final has
// PredictTo.
func (p *Regressor) PredictTo(dst []float64, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return predictTo(regressorName, p.fitted, dst, x)
}

// PredictVariance implements [estimators.VariancePredictor] with the method of Final. Where the last step leaves
// out a part of a kernel and says so by RowResiduals ([featuremap.Nystroem]), and Final is a ridge machine with
// PriorVariance, the variance of that part is added: without it the variance of a pipeline would shrink as rows
// move away from all landmarks. With every training row as a landmark it is the variance of the machine of the
// kernel itself (package lssvm).
//
// [featuremap.Nystroem]: https://pkg.go.dev/github.com/kernelearn/kernelearn/transformers/featuremap#Nystroem
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

// priorVariance is what a ridge machine of one target says.
type priorVariance interface{ PriorVariance() float64 }

// unseen returns the variance, at each row of x that became z, of what the steps leave out
// of a kernel; nil where they leave out nothing, or where Final is no ridge machine.
func (p *Regressor) unseen(x, z mat.Matrix) ([]float64, error) {
	prior, ok := ridgeMachine[priorVariance](p.fitted)
	if !ok {
		return nil, nil
	}
	out, err := p.fitted.steps.leftOut(x, z)
	floats.Scale(prior.PriorVariance(), out)
	return out, err
}

// Forward implements [estimators.Forwarder] with the fitted final estimator.
func (p *Regressor) Forward(x mat.Matrix, f func(model any, z mat.Matrix) error) error {
	return p.forward(regressorName, x, f)
}

// Supports reports whether the configured parts can do c.
func (p *Regressor) Supports(c estimators.Capability) bool { return p.configured().supports(p, c) }

// Report returns the Report of the fitted final estimator. It returns the zero Report before Fit and if Final has
// none.
func (p *Regressor) Report() estimators.Report { return p.fitted.report() }

// SetGroups sets those of Final if it is an [estimators.Grouper]. It implements [estimators.Grouper].
func (p *Regressor) SetGroups(groups []int) { estimators.SetGroups(p.Final, groups) }

// SetCategories sets those of the first of Steps, such as a [ColumnTransformer] with a part of Categories, or those of Final if there
// are no Steps. It does nothing if that is no [estimators.Categorizer]: the Categories of Final are of the columns that it gets,
// which Steps may have moved or changed. It implements [estimators.Categorizer].
func (p *Regressor) SetCategories(columns []int) { p.configured().setCategories(columns) }

// FittedSteps returns the fitted steps, or nil before Fit. The slice is a copy;
// its elements are the ones that Predict uses and must not be fitted again.
func (p *Regressor) FittedSteps() []transformers.Transformer { return p.fittedSteps() }

// FittedFinal returns the fitted final estimator, or nil before Fit. It is the
// one that Predict uses and must not be fitted again.
func (p *Regressor) FittedFinal() estimators.Regressor { return p.fittedFinal() }

// MarshalBinary implements encoding.BinaryMarshaler. It stores what is fitted
// and the types of the parts, not their configuration.
func (p *Regressor) MarshalBinary() ([]byte, error) {
	return p.marshal(regressorName, regressorKind)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. The data goes into clones of the configured steps and
// Final, so p must be configured as the one that was stored: another number of steps, or another type of one, is
// [estimators.ErrBadModel]. After an error p is unchanged.
func (p *Regressor) UnmarshalBinary(data []byte) error {
	return p.keep(p.configured().unmarshal(regressorKind, data))
}
