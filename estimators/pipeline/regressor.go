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

// Regressor applies Steps, in their order, and then Final. Steps may be empty. Final is required. Fit fits clones
// ([estimators.Clone]) and leaves Steps and Final unchanged. Fitting therefore never changes the configuration, and a new
// configuration does not change the fitted parts. Without Steps, Final receives gaps, NaN in x, unchanged.
//
// The cost is the sum of the costs of the parts. The errors are those of the parts, preceded by the name of the part. If a part is
// nil, the error is [estimators.ErrParam].
//
// See also [MultiRegressor], [Transformer].
type Regressor struct {
	Steps []transformers.Transformer
	Final estimators.Regressor

	// Names holds the names of the columns of x. It is nil if they are not known. Steps and Final also receive names if the steps
	// before them have FeatureNames. Model files contain the names from Fit.
	Names []string `settings:"-"`

	// If Observe is not nil, it is called during and after the fit of each step, and during and after the iterations of Final.
	Observe func(estimators.Step)

	learnt[[]float64, []float64, estimators.Regressor]
}

func (p *Regressor) configured() *chain[[]float64, []float64, estimators.Regressor] {
	steps := &Transformer{Steps: p.Steps, Name: regressorName, Names: p.Names}
	return &chain[[]float64, []float64, estimators.Regressor]{steps: steps, final: p.Final}
}

// Fit fits clones of the steps and of Final to x (n×d) and the n targets y.
func (p *Regressor) Fit(ctx context.Context, x mat.Matrix, y []float64) (err error) {
	defer estimators.BeginFit(&ctx, p.Observe)(&err)
	return p.keep(p.configured().fit(ctx, x, y, nil))
}

// FitWeighted is like Fit, with a weight for each row, which is passed to Final. Transformers do not accept weights, so the steps
// are fitted to the rows without weights. For Final, a weight of 2 is therefore equivalent to giving the row twice. It is not for a
// step that counts rows, such as a StandardScaler.
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

// FitBlocks implements [streaming.BlockFitter] if the steps and Final have FitBlocks. The steps and then Final are fitted one after
// the other, each to the output of the steps before it. The stream is read once for each pass of a part, a few thousand rows at a
// time. If a part has no FitBlocks, the error wraps errors.ErrUnsupported.
func (p *Regressor) FitBlocks(ctx context.Context, blocks iter.Seq2[streaming.Block[float64], error]) (err error) {
	defer estimators.BeginFit(&ctx, p.Observe)(&err)
	return p.keep(fitBlocks(ctx, p.configured(), blocks))
}

// NewStages implements [streaming.StagedFitter] if the steps and Final are Mergeable. It returns the stages of each step, one after
// the other, and then those of Final. Their statistics receive the rows that the first step receives. If a part is not Mergeable,
// the error wraps errors.ErrUnsupported.
func (p *Regressor) NewStages() (streaming.Stages[float64], error) {
	return newChainStages(p.configured())
}

// FitStages implements [streaming.StagedFitter]. The pipeline then uses the parts of the stages. If two pipelines use the same
// stages, they share these parts, so that PartialFit on one of them affects both.
func (p *Regressor) FitStages(ctx context.Context, s streaming.Stages[float64]) (err error) {
	defer estimators.BeginFit(&ctx, p.Observe)(&err)
	return p.keep(takeStages(ctx, p.configured(), s))
}

// PartialFit implements [estimators.PartialFitter] with the method of Final. The steps are fitted only to the rows of the first
// call, and transform all later rows for Final. PartialFit can continue after FitStages, and after Fit and UnmarshalBinary if Final
// can.
func (p *Regressor) PartialFit(ctx context.Context, x mat.Matrix, y []float64) (err error) {
	defer estimators.BeginFit(&ctx, p.Observe)(&err)
	return p.keep(partialFit(ctx, p.configured(), p.fitted, x, y))
}

// MarshalStatistics implements [estimators.Continuer] with the method of Final. The steps are fitted only to the first rows.
func (p *Regressor) MarshalStatistics() ([]byte, error) {
	return p.fitted.marshalStatistics(p.configured)
}

// UnmarshalStatistics implements [estimators.Continuer] with the method of Final.
func (p *Regressor) UnmarshalStatistics(data []byte) error {
	return p.fitted.unmarshalStatistics(p.configured, data)
}

// Predict transforms x (m×d) with the fitted steps and predicts with the fitted final estimator.
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

// PredictVariance implements [estimators.VariancePredictor] with the method of Final. If the last step leaves out a part of a
// kernel and has RowResiduals ([featuremap.Nystroem]), and Final is a ridge machine with PriorVariance, PredictVariance adds the
// variance of that part. Without this term the variance would decrease with the distance from all landmarks. If every training row
// is a landmark, the variance equals that of the machine with the kernel itself (package lssvm).
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

// PredictInterval implements [estimators.IntervalPredictor] with the method of Final. If PredictVariance adds a term to the
// variance of Final, the interval is that of a normal distribution with the mean and variance of PredictVariance.
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

// priorVariance is implemented by ridge machines for one target.
type priorVariance interface{ PriorVariance() float64 }

// unseen returns the variance of the part of a kernel that the steps leave out at each row of x. z holds the transformed rows. It
// returns nil if the steps leave out nothing, or if Final is not a ridge machine.
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

// Supports reports whether the configured parts support c.
func (p *Regressor) Supports(c estimators.Capability) bool { return p.configured().supports(p, c) }

// Report returns the Report of the fitted final estimator. It returns the zero Report before Fit, and if Final has no Report.
func (p *Regressor) Report() estimators.Report { return p.fitted.report() }

// SetGroups sets the groups of Final if it is an [estimators.Grouper]. It implements [estimators.Grouper].
func (p *Regressor) SetGroups(groups []int) { estimators.SetGroups(p.Final, groups) }

// SetCategories sets the categories of the first of Steps, for example of a [ColumnTransformer] with a part that chooses
// Categories. If there are no Steps, it sets those of Final. If that step or Final is not an [estimators.Categorizer], it does
// nothing. With Steps, the Categories of Final are positions in its input, because Steps can move or change the columns. It
// implements [estimators.Categorizer].
func (p *Regressor) SetCategories(columns []int) { p.configured().setCategories(columns) }

// FittedSteps returns the fitted steps, or nil before Fit. The slice is a copy, but Predict uses its elements. They must not be
// fitted again.
func (p *Regressor) FittedSteps() []transformers.Transformer { return p.fittedSteps() }

// FittedFinal returns the fitted final estimator, or nil before Fit. Predict uses it, so it must not be fitted again.
func (p *Regressor) FittedFinal() estimators.Regressor { return p.fittedFinal() }

// MarshalBinary implements encoding.BinaryMarshaler. It encodes the fitted parts and their types, not their configuration.
func (p *Regressor) MarshalBinary() ([]byte, error) {
	return p.marshal(regressorName, regressorKind)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. The data is decoded into clones of the configured steps and Final, so p
// must have the configuration of the encoded pipeline. It returns [estimators.ErrBadModel] if the number of steps or the type of a
// step differs. After an error p is unchanged.
func (p *Regressor) UnmarshalBinary(data []byte) error {
	return p.keep(p.configured().unmarshal(regressorKind, data))
}
