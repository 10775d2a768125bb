package pipeline

import (
	"context"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline/internal/stream"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/interval"
	"github.com/kernelearn/kernelearn/transformers"
)

const (
	multiName = "pipeline: MultiRegressor"
	multiKind = "pipeline.MultiRegressor"
)

// MultiRegressor is a [Regressor] for several targets. It applies Steps, in their order, and then Final. Fit fits clones and leaves
// Steps and Final unchanged.
//
// See also [Regressor], [Transformer].
type MultiRegressor struct {
	Steps []transformers.Transformer
	Final estimators.MultiRegressor

	// Names holds the names of the columns of x, as in [Regressor].
	Names []string `settings:"-"`

	// If Observe is not nil, it is called as in [Regressor].
	Observe func(estimators.Step)

	learnt[mat.Matrix, *mat.Dense, estimators.MultiRegressor]
}

func (p *MultiRegressor) configured() *chain[mat.Matrix, *mat.Dense, estimators.MultiRegressor] {
	return &chain[mat.Matrix, *mat.Dense, estimators.MultiRegressor]{
		steps: &Transformer{Steps: p.Steps, Name: multiName, Names: p.Names}, final: p.Final,
	}
}

// Fit fits clones of the steps and of Final to x (n×d) and the targets y (n×k).
func (p *MultiRegressor) Fit(ctx context.Context, x, y mat.Matrix) (err error) {
	defer estimators.BeginFit(&ctx, p.Observe)(&err)
	return p.keep(p.configured().fit(ctx, x, y, nil))
}

// FitWeighted is like Fit, with a weight for each row, which is passed to Final. The steps do not use weights, as in [Regressor].
func (p *MultiRegressor) FitWeighted(ctx context.Context, x, y mat.Matrix, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, p.Observe)(&err)
	c := p.configured()
	if err := c.takesWeights(); err != nil {
		return err
	}
	return p.keep(c.fit(ctx, x, y, check.Given(weights))) // Final checks the weights
}

// CheckRowCount calls CheckRowCount of Final. It returns nil if Final does not have that method. It computes nothing.
func (p *MultiRegressor) CheckRowCount(rows int) error { return p.configured().checkRows(rows) }

// Predict transforms x (m×d) with the fitted steps and predicts with the fitted final estimator.
func (p *MultiRegressor) Predict(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return p.predict(multiName, x)
}

// PredictTo is like Predict but writes to dst (m×k). Up to sixteen rows of a dense matrix are predicted without
// allocating memory if the steps have TransformTo and Final has PredictTo.
func (p *MultiRegressor) PredictTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	if p.fitted == nil {
		return fault.NotFitted(multiName)
	}
	return p.fitted.steps.Pass(x, func(z mat.Matrix) error {
		if to, ok := embedding.As[estimators.MultiPredictorTo](p.fitted.final); ok {
			return p.fitted.ofFinal(to.PredictTo(dst, z))
		}
		y, err := p.fitted.final.Predict(z)
		if err != nil {
			return p.fitted.ofFinal(err)
		}
		return stream.CopyTo(dst, y)
	})
}

// PredictVariance implements [estimators.MultiVariancePredictor] with the method of Final. As in [Regressor], it adds the variance
// of the part of a kernel that the last step leaves out.
func (p *MultiRegressor) PredictVariance(x mat.Matrix) (mean, variance *mat.Dense, err error) {
	defer fault.Recover(&err)
	final, err := able[estimators.MultiVariancePredictor](p.configured, p.fitted, estimators.Variance)
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
	unseen, priors, err := p.unseen(x, z)
	if err != nil {
		return nil, nil, err
	}
	for i, v := range unseen {
		floats.AddScaled(variance.RawRowView(i), v, priors)
	}
	if err := check.Finite(multiName+": variance", variance); err != nil {
		return nil, nil, err
	}
	return mean, variance, nil
}

// PredictInterval implements [estimators.MultiIntervalPredictor] with the method of Final. If PredictVariance adds a term to the
// variance of Final, the intervals are those of normal distributions with the mean and variance of PredictVariance.
func (p *MultiRegressor) PredictInterval(x mat.Matrix, level float64) (low, high *mat.Dense, err error) {
	defer fault.Recover(&err)
	final, err := able[estimators.MultiIntervalPredictor](p.configured, p.fitted, estimators.Interval)
	if err != nil {
		return nil, nil, err
	}
	if err := interval.Level(multiName, level); err != nil {
		return nil, nil, err
	}
	z, err := p.fitted.rows(x)
	if err != nil {
		return nil, nil, err
	}
	unseen, _, err := p.unseen(x, z)
	switch {
	case err != nil:
		return nil, nil, err
	case unseen == nil:
		low, high, err = final.PredictInterval(z, level)
		return low, high, p.fitted.ofFinal(err)
	}
	mean, variance, err := p.PredictVariance(x)
	return interval.Matrices(interval.Normal(level), mean, variance, err)
}

// priorVariances is implemented by ridge machines for several targets.
type priorVariances interface{ PriorVariances() []float64 }

// unseen returns the part of a kernel that the steps leave out at each row of x, and the prior variance of each target, by which it
// is multiplied. z holds the transformed rows. The results are nil if the steps leave out nothing, or if Final is not a ridge
// machine.
func (p *MultiRegressor) unseen(x, z mat.Matrix) (out, priors []float64, err error) {
	prior, ok := ridgeMachine[priorVariances](p.fitted)
	if !ok {
		return nil, nil, nil
	}
	out, err = p.fitted.steps.leftOut(x, z)
	return out, prior.PriorVariances(), err
}

// Targets returns the number of targets. It returns 0 before Fit.
func (p *MultiRegressor) Targets() int {
	if p.fitted == nil {
		return 0
	}
	return p.fitted.final.Targets()
}

// Forward implements [estimators.Forwarder] with the fitted final estimator.
func (p *MultiRegressor) Forward(x mat.Matrix, f func(model any, z mat.Matrix) error) error {
	return p.forward(multiName, x, f)
}

// Supports reports whether the configured parts support c.
func (p *MultiRegressor) Supports(c estimators.Capability) bool { return p.configured().supports(p, c) }

// Report returns the Report of the fitted final estimator. It returns the zero Report before Fit, and if Final has no Report.
func (p *MultiRegressor) Report() estimators.Report { return p.fitted.report() }

// SetGroups sets the groups of Final if it is an [estimators.Grouper]. It implements [estimators.Grouper].
func (p *MultiRegressor) SetGroups(groups []int) { estimators.SetGroups(p.Final, groups) }

// SetCategories sets the categories of the first of Steps, or of Final if there are no Steps, as in [Regressor]. It implements
// [estimators.Categorizer].
func (p *MultiRegressor) SetCategories(columns []int) { p.configured().setCategories(columns) }

// FittedSteps returns the fitted steps, or nil before Fit, as in [Regressor].
func (p *MultiRegressor) FittedSteps() []transformers.Transformer { return p.fittedSteps() }

// FittedFinal returns the fitted final estimator, or nil before Fit, as in [Regressor].
func (p *MultiRegressor) FittedFinal() estimators.MultiRegressor { return p.fittedFinal() }

// MarshalBinary implements encoding.BinaryMarshaler. It encodes the fitted parts and their types, not their configuration.
func (p *MultiRegressor) MarshalBinary() ([]byte, error) { return p.marshal(multiName, multiKind) }

// UnmarshalBinary implements encoding.BinaryUnmarshaler. The data is decoded into clones of the configured parts, as in
// [Regressor].
func (p *MultiRegressor) UnmarshalBinary(data []byte) error {
	return p.keep(p.configured().unmarshal(multiKind, data))
}
