package pipeline

import (
	"context"
	"iter"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers"
)

const (
	classifierName = "pipeline: Classifier"
	classifierKind = "pipeline.Classifier"
)

// folding lets a search mark the classifier as fitted to a fold.
type folding = classes.Folding

// Classifier applies Steps, in their order, and then Final. Steps may be empty. Final is required. Fit fits clones
// ([estimators.Clone]) and leaves Steps and Final unchanged. Fitting therefore never changes the configuration, and a new
// configuration does not change the fitted parts.
//
// The cost is the sum of the costs of the parts. The errors are those of the parts, preceded by the name of the part. If a part is
// nil, the error is [estimators.ErrParam].
//
// See also [Regressor], [Transformer].
type Classifier struct {
	Steps []transformers.Transformer
	Final estimators.Classifier

	// Names are as in [Regressor].
	Names []string `settings:"-"`

	// If Observe is not nil, it is called during and after the fit of each step, and during and after the iterations of Final.
	Observe func(estimators.Step)

	folding
	learnt[[]int, []int, estimators.Classifier]
}

func (p *Classifier) configured() *chain[[]int, []int, estimators.Classifier] {
	return &chain[[]int, []int, estimators.Classifier]{
		steps: &Transformer{Steps: p.Steps, Name: classifierName, Names: p.Names}, final: p.Final, fold: p.IsFold(),
	}
}

// Fit fits clones of the steps and of Final to x (n×d) and the n labels y.
func (p *Classifier) Fit(ctx context.Context, x mat.Matrix, y []int) (err error) {
	defer estimators.BeginFit(&ctx, p.Observe)(&err)
	return p.keep(p.configured().fit(ctx, x, y, nil))
}

// FitWeighted is like Fit, with a weight for each row, which is passed to Final. Transformers do not accept weights, so the steps
// are fitted to the rows without weights. For Final, a weight of 2 is therefore equivalent to giving the row twice. It is not for a
// step that counts rows, such as a StandardScaler.
func (p *Classifier) FitWeighted(ctx context.Context, x mat.Matrix, y []int, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, p.Observe)(&err)
	return p.keep(fitWeighted(ctx, p.configured(), x, y, weights))
}

// CheckRowCount calls CheckRowCount of Final. It returns nil if Final does not have that method. It computes nothing.
func (p *Classifier) CheckRowCount(rows int) error { return p.configured().checkRows(rows) }

// CheckSmoother calls CheckSmoother of Final. It returns nil if Final does not have that method. It computes nothing.
func (p *Classifier) CheckSmoother(fitted, rows int) error {
	return p.configured().checkSmoother(fitted, rows)
}

// FitBlocks implements [streaming.BlockFitter] if the steps and Final have FitBlocks. The steps and then Final are fitted one after
// the other, each to the output of the steps before it. The stream is read once for each pass of a part, a few thousand rows at a
// time. If a part has no FitBlocks, the error wraps errors.ErrUnsupported.
func (p *Classifier) FitBlocks(ctx context.Context, blocks iter.Seq2[streaming.Block[int], error]) (err error) {
	defer estimators.BeginFit(&ctx, p.Observe)(&err)
	return p.keep(fitBlocks(ctx, p.configured(), blocks))
}

// NewStages implements [streaming.StagedFitter] if the steps and Final are Mergeable. It returns the stages of each step, one after
// the other, and then those of Final. Their statistics receive the rows that the first step receives. If a part is not Mergeable,
// the error wraps errors.ErrUnsupported.
func (p *Classifier) NewStages() (streaming.Stages[int], error) {
	return newChainStages(p.configured())
}

// FitStages implements [streaming.StagedFitter]. The pipeline then uses the parts of the stages. If two pipelines use the same
// stages, they share these parts, so that PartialFit on one of them affects both.
func (p *Classifier) FitStages(ctx context.Context, s streaming.Stages[int]) (err error) {
	defer estimators.BeginFit(&ctx, p.Observe)(&err)
	return p.keep(takeStages(ctx, p.configured(), s))
}

// PartialFit implements [estimators.PartialFitter] with the method of Final. The steps are fitted only to the rows of the first
// call, and transform all later rows for Final. PartialFit can continue after FitStages, and after Fit and UnmarshalBinary if Final
// can.
func (p *Classifier) PartialFit(ctx context.Context, x mat.Matrix, y []int) (err error) {
	defer estimators.BeginFit(&ctx, p.Observe)(&err)
	return p.keep(partialFit(ctx, p.configured(), p.fitted, x, y))
}

// MarshalStatistics implements [estimators.Continuer] with the method of Final. The steps are fitted only to the first rows.
func (p *Classifier) MarshalStatistics() ([]byte, error) {
	return p.fitted.marshalStatistics(p.configured)
}

// UnmarshalStatistics implements [estimators.Continuer] with the method of Final.
func (p *Classifier) UnmarshalStatistics(data []byte) error {
	return p.fitted.unmarshalStatistics(p.configured, data)
}

// Predict transforms x (m×d) with the fitted steps and predicts with the fitted final estimator.
func (p *Classifier) Predict(x mat.Matrix) (_ []int, err error) {
	defer fault.Recover(&err)
	return p.predict(classifierName, x)
}

// PredictTo is like Predict but writes the predictions to dst, which has one entry for each row of x. Up to sixteen
// rows of a dense matrix are predicted without allocating memory if the steps have TransformTo and Final has
// PredictTo.
func (p *Classifier) PredictTo(dst []int, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return predictTo(classifierName, p.fitted, dst, x)
}

// DecisionTo is like Decision but writes to dst, which has a row for each row of x and a column for each class. It allocates memory
// under the same conditions as PredictTo. If Final has no Decision, the error wraps errors.ErrUnsupported.
func (p *Classifier) DecisionTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return callFinal(p.configured, p.fitted, estimators.Decision, x, func(f estimators.DecisionPredictor, z mat.Matrix) error {
		return rowwise.Decide(f, dst, z)
	})
}

// Classes returns the distinct labels of the last Fit in ascending order. It returns nil before Fit.
func (p *Classifier) Classes() []int {
	if p.fitted == nil {
		return nil
	}
	return slices.Clone(p.fitted.final.Classes())
}

// PredictProba implements [estimators.ProbaPredictor] with the method of Final.
func (p *Classifier) PredictProba(x mat.Matrix) (proba *mat.Dense, err error) {
	defer fault.Recover(&err)
	err = callFinal(p.configured, p.fitted, estimators.Proba, x, func(f estimators.ProbaPredictor, z mat.Matrix) (err error) {
		proba, err = f.PredictProba(z)
		return err
	})
	return proba, err
}

// PredictProbaTo is like PredictProba but writes to dst, which has a row for each row of x and a column for each class. It
// allocates memory under the same conditions as PredictTo. If Final has no PredictProba, the error wraps errors.ErrUnsupported.
func (p *Classifier) PredictProbaTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return callFinal(p.configured, p.fitted, estimators.Proba, x, func(f estimators.ProbaPredictor, z mat.Matrix) error {
		return rowwise.Probabilities(f, dst, z)
	})
}

// Decision implements [estimators.DecisionPredictor] with the method of Final.
func (p *Classifier) Decision(x mat.Matrix) (scores *mat.Dense, err error) {
	defer fault.Recover(&err)
	err = callFinal(p.configured, p.fitted, estimators.Decision, x, func(f estimators.DecisionPredictor, z mat.Matrix) (err error) {
		scores, err = f.Decision(z)
		return err
	})
	return scores, err
}

// PredictSet implements [estimators.SetPredictor] with the method of Final.
func (p *Classifier) PredictSet(x mat.Matrix, level float64) (sets [][]int, err error) {
	defer fault.Recover(&err)
	err = callFinal(p.configured, p.fitted, estimators.Sets, x, func(f estimators.SetPredictor, z mat.Matrix) (err error) {
		sets, err = f.PredictSet(z, level)
		return err
	})
	return sets, err
}

// Forward implements [estimators.Forwarder] with the fitted final estimator.
func (p *Classifier) Forward(x mat.Matrix, f func(model any, z mat.Matrix) error) error {
	return p.forward(classifierName, x, f)
}

// Supports reports whether the configured parts support c.
func (p *Classifier) Supports(c estimators.Capability) bool { return p.configured().supports(p, c) }

// Report returns the Report of the fitted final estimator. It returns the zero Report before Fit, and if Final has no Report.
func (p *Classifier) Report() estimators.Report { return p.fitted.report() }

// SetGroups sets the groups of Final if it is an [estimators.Grouper]. It implements [estimators.Grouper].
func (p *Classifier) SetGroups(groups []int) { estimators.SetGroups(p.Final, groups) }

// SetCategories sets the categories of the first of Steps, or of Final if there are no Steps, as in [Regressor]. It implements
// [estimators.Categorizer].
func (p *Classifier) SetCategories(columns []int) { p.configured().setCategories(columns) }

// FittedSteps returns the fitted steps, or nil before Fit. The slice is a copy, but Predict uses its elements. They must not be
// fitted again.
func (p *Classifier) FittedSteps() []transformers.Transformer { return p.fittedSteps() }

// FittedFinal returns the fitted final estimator, or nil before Fit. Predict uses it, so it must not be fitted again.
func (p *Classifier) FittedFinal() estimators.Classifier { return p.fittedFinal() }

// MarshalBinary implements encoding.BinaryMarshaler. It encodes the fitted parts and their types, not their configuration.
func (p *Classifier) MarshalBinary() ([]byte, error) {
	return p.marshal(classifierName, classifierKind)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. The data is decoded into clones of the configured steps and Final, so p
// must have the configuration of the encoded pipeline. It returns [estimators.ErrBadModel] if the number of steps or the type of a
// step differs. After an error p is unchanged.
func (p *Classifier) UnmarshalBinary(data []byte) error {
	return p.keep(p.configured().unmarshal(classifierKind, data))
}
