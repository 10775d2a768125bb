package pipeline

import (
	"context"
	"encoding"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline/internal/stream"
	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/interval"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/registry"
	"github.com/kernelearn/kernelearn/transformers"
)

const (
	multiName = "pipeline: MultiRegressor"
	multiKind = "pipeline.MultiRegressor"
)

// MultiRegressor is a [Regressor] for several targets of each row. It applies Steps, in their order, before Final,
// which must have a Clone method. Fit fits clones and leaves Steps and Final unchanged.
//
// See also [Regressor], [Transformer].
type MultiRegressor struct {
	Steps []transformers.Transformer
	Final estimators.MultiRegressor

	// If Observe is not nil, it is called as in [Regressor].
	Observe func(estimators.Step)

	fitted *multiChain
}

var (
	_ estimators.MultiRegressor                    = (*MultiRegressor)(nil)
	_ estimators.MultiVariancePredictor            = (*MultiRegressor)(nil)
	_ estimators.MultiIntervalPredictor            = (*MultiRegressor)(nil)
	_ estimators.MultiPredictorTo                  = (*MultiRegressor)(nil)
	_ estimators.MultiWeightedFitter               = (*MultiRegressor)(nil)
	_ estimators.Reporter                          = (*MultiRegressor)(nil)
	_ estimators.Cloner[estimators.MultiRegressor] = (*MultiRegressor)(nil)
	_ estimators.Wrapper                           = (*MultiRegressor)(nil)
	_ encoding.BinaryMarshaler                     = (*MultiRegressor)(nil)
	_ encoding.BinaryUnmarshaler                   = (*MultiRegressor)(nil)
	_ graph.Grapher                                = (*MultiRegressor)(nil)
)

// multiChain is a fitted one.
type multiChain struct {
	steps *Transformer
	final estimators.MultiRegressor
}

// ofFinal names the final estimator in front of its error.
func (c *multiChain) ofFinal(err error) error {
	if err != nil {
		return fault.AddPlace(multiFinal(c.final), err)
	}
	return nil
}

func multiFinal(final estimators.MultiRegressor) string {
	return fmt.Sprintf("%s: final (%s)", multiName, strings.TrimPrefix(fmt.Sprintf("%T", final), "*"))
}

// rows sends x through the steps.
func (c *multiChain) rows(x mat.Matrix) (mat.Matrix, error) {
	return c.steps.transformSteps(c.steps.fitted.Steps, x)
}

// unfitted is a chain of clones, of which the steps wait for their fit.
func (p *MultiRegressor) unfitted() (*multiChain, error) {
	if check.IsNil(p.Final) {
		return nil, fault.Param(multiName, "Final", nil, "an estimator")
	}
	final, err := estimators.Clone(multiFinal(p.Final), p.Final)
	if err != nil {
		return nil, err
	}
	return &multiChain{steps: &Transformer{Steps: p.Steps, Name: multiName}, final: final}, nil
}

// Fit fits clones of the steps and of Final on x (n×d) and the targets y (n×k).
func (p *MultiRegressor) Fit(ctx context.Context, x, y mat.Matrix) (err error) {
	defer estimators.BeginFit(&ctx, p.Observe)(&err)
	c, err := p.unfitted()
	if err != nil {
		return err
	}
	first, rest := progress.Two(ctx, float64(len(c.steps.Steps)), finalSteps)
	z, err := c.steps.FitTransform(first, x)
	if err != nil {
		return err
	}
	if err := c.ofFinal(c.final.Fit(rest, z, y)); err != nil {
		return err
	}
	p.fitted = c
	return nil
}

// FitWeighted is like Fit, with a weight for each row, which is passed to Final. The steps do not take weights, as
// in [Regressor].
func (p *MultiRegressor) FitWeighted(ctx context.Context, x, y mat.Matrix, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, p.Observe)(&err)
	c, err := p.unfitted()
	if err != nil {
		return err
	}
	final, err := multiCapable[estimators.MultiWeightedFitter](c.final, estimators.Weighted)
	if err != nil {
		return err
	}
	first, rest := progress.Two(ctx, float64(len(c.steps.Steps)), finalSteps)
	z, err := c.steps.FitTransform(first, x)
	if err != nil {
		return err
	}
	if err := c.ofFinal(final.FitWeighted(rest, z, y, weights)); err != nil {
		return err
	}
	p.fitted = c
	return nil
}

// CheckRows calls CheckRows of Final. It returns nil if Final does not have that method. It computes nothing.
func (p *MultiRegressor) CheckRows(rows int) error {
	if f, ok := p.Final.(interface{ CheckRows(rows int) error }); ok && !check.IsNil(p.Final) {
		return (&multiChain{final: p.Final}).ofFinal(f.CheckRows(rows))
	}
	return nil
}

// multiCapable returns a final estimator as the capability's interface, or an error that wraps errors.ErrUnsupported.
func multiCapable[C any](final estimators.MultiRegressor, capability estimators.Capability) (C, error) {
	v, ok := any(final).(C)
	if !ok || !estimators.Supports(final, capability) {
		return v, estimators.Unsupported(multiName, final, capability)
	}
	return v, nil
}

// multiAble tells first whether the configured Final has the capability, then whether the pipeline is fitted.
func multiAble[C any](p *MultiRegressor, capability estimators.Capability) (C, error) {
	if p.fitted != nil {
		return multiCapable[C](p.fitted.final, capability)
	}
	if !check.IsNil(p.Final) {
		if v, err := multiCapable[C](p.Final, capability); err != nil {
			return v, err
		}
	}
	var none C
	return none, fault.NotFitted(multiName)
}

// Predict sends x (m×d) through the fitted steps to the fitted final estimator.
func (p *MultiRegressor) Predict(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	if p.fitted == nil {
		return nil, fault.NotFitted(multiName)
	}
	z, err := p.fitted.rows(x)
	if err != nil {
		return nil, err
	}
	y, err := p.fitted.final.Predict(z)
	return y, p.fitted.ofFinal(err)
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

// PredictVariance implements [estimators.MultiVariancePredictor] with Final's, and with what the last step leaves
// out of a kernel, as in [Regressor].
func (p *MultiRegressor) PredictVariance(x mat.Matrix) (mean, variance *mat.Dense, err error) {
	defer fault.Recover(&err)
	final, err := multiAble[estimators.MultiVariancePredictor](p, estimators.Variance)
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

// PredictInterval implements [estimators.MultiIntervalPredictor] with Final's, or, where PredictVariance adds to
// Final's variance, under the normal distributions that it gives.
func (p *MultiRegressor) PredictInterval(x mat.Matrix, level float64) (low, high *mat.Dense, err error) {
	defer fault.Recover(&err)
	final, err := multiAble[estimators.MultiIntervalPredictor](p, estimators.Interval)
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

// priorVariances is what a ridge machine of several targets says of each.
type priorVariances interface{ PriorVariances() []float64 }

// unseen returns what the steps leave out of a kernel at each row of x that became z, and by what it is to be multiplied
// for each target; nil where they leave out nothing, or where Final is no ridge machine.
func (p *MultiRegressor) unseen(x, z mat.Matrix) (out, priors []float64, err error) {
	prior, ok := embedding.As[priorVariances](p.fitted.final)
	if !ok || !estimators.Supports(p.fitted.final, estimators.Variance) {
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

// Supports reports whether the configured parts can do c.
func (p *MultiRegressor) Supports(c estimators.Capability) bool {
	return estimators.Wrapped{Estimators: []any{p.Final}, Steps: p.Steps}.Supports(p, c)
}

// Report returns the Report of the fitted final estimator. It returns the zero Report before Fit and if Final has
// none.
func (p *MultiRegressor) Report() estimators.Report {
	if p.fitted == nil || !estimators.Supports(p.fitted.final, estimators.Reporting) {
		return estimators.Report{}
	}
	if r, ok := any(p.fitted.final).(estimators.Reporter); ok {
		return r.Report()
	}
	return estimators.Report{}
}

// SetGroups sets those of Final if it is an [estimators.Grouper]. It implements [estimators.Grouper].
func (p *MultiRegressor) SetGroups(groups []int) { estimators.SetGroups(p.Final, groups) }

// Clone returns an unfitted MultiRegressor with clones of the steps and of Final. A part that has no Clone is
// shared, and Fit of the copy refuses it just as Fit of p does.
func (p *MultiRegressor) Clone() estimators.MultiRegressor {
	return &MultiRegressor{Steps: cloneSteps(p.Steps), Final: cloneOr(p.Final), Observe: p.Observe}
}

// FittedSteps returns the fitted steps, or nil before Fit, as in [Regressor].
func (p *MultiRegressor) FittedSteps() []transformers.Transformer {
	if p.fitted == nil {
		return nil
	}
	return p.fitted.steps.FittedSteps()
}

// FittedFinal returns the fitted final estimator, or nil before Fit, as in [Regressor].
func (p *MultiRegressor) FittedFinal() estimators.MultiRegressor {
	if p.fitted == nil {
		return nil
	}
	return p.fitted.final
}

// MarshalBinary implements encoding.BinaryMarshaler. It stores what is fitted and the types of the parts, not their
// configuration.
func (p *MultiRegressor) MarshalBinary() ([]byte, error) {
	if p.fitted == nil {
		return nil, fault.NotFitted(multiName)
	}
	steps, err := p.fitted.steps.store()
	if err != nil {
		return nil, err
	}
	final, err := estimators.NestModel(multiFinal(p.fitted.final), p.fitted.final)
	if err != nil {
		return nil, err
	}
	return codec.Marshal(multiKind, payloadVersion, payload{Steps: steps, Final: final})
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler, into clones of the configured parts, as in [Regressor].
func (p *MultiRegressor) UnmarshalBinary(data []byte) error {
	var s payload
	if _, err := codec.Unmarshal(data, multiKind, payloadVersion, &s); err != nil {
		return err
	}
	c, err := p.unfitted()
	if err != nil {
		return err
	}
	if err := c.steps.load(multiKind, s.Steps); err != nil {
		return err
	}
	if err := s.Final.UnmarshalInto(multiKind, "final", c.final); err != nil {
		return err
	}
	p.fitted = c
	return nil
}

// Graph implements [graph.Grapher] if all parts do. Mean and variance have a column for each target.
func (p *MultiRegressor) Graph(x graph.Value) (graph.Outputs, error) {
	if p.fitted == nil {
		return graph.Outputs{}, fault.NotFitted(multiName)
	}
	rows, err := p.fitted.steps.Graph(x)
	if err != nil {
		return graph.Outputs{}, err
	}
	z := rows.Rows
	out, err := graph.Build(p.fitted.final, z)
	if err != nil || out.Variance == nil {
		return out, p.fitted.ofFinal(err)
	}
	final := out.Variance
	out.Variance = func() (graph.Value, error) {
		v, err := final()
		prior, ok := embedding.As[priorVariances](p.fitted.final)
		if err != nil || !ok || !estimators.Supports(p.fitted.final, estimators.Variance) {
			return v, err
		}
		unseen, err := p.fitted.steps.leftOutGraph(x, z)
		if err != nil || unseen.IsZero() {
			return v, err
		}
		return v.Add(unseen.Mul(v.Row(prior.PriorVariances()))), nil
	}
	return out, nil
}

func (c *multiChain) parts() []registry.Part {
	if c == nil {
		return nil
	}
	return append(stepParts(c.steps.FittedSteps()), registry.Part{Name: "Final", Value: c.final})
}
