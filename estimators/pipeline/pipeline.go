// Package pipeline makes one estimator of transformers and an estimator.
//
// Fit fits a clone of each step on what the step before gives, and a clone of
// the final estimator on what the last step gives; Predict and its kin send
// their rows the same way. So what a step learns, a mean or a set of landmarks,
// it learns from the training rows alone, also within each fold of a
// cross-validation.
//
// A pipeline has the method of every capability; where its parts lack one, the
// method's error wraps errors.ErrUnsupported, and Supports says so beforehand.
// In errors a step is named by its index in Steps and its type:
//
//	pipeline: Regressor: step 2 (StandardScaler): x[17,3] is NaN
package pipeline

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/transformers"
)

// estimator is what estimators.Regressor (Y is float64) and
// estimators.Classifier (Y is int) have in common.
type estimator[Y float64 | int] interface {
	Fit(ctx context.Context, x mat.Matrix, y []Y) error
	Predict(x mat.Matrix) ([]Y, error)
}

// chain is a pipeline's steps and final estimator, configured or fitted. E is
// estimators.Regressor or estimators.Classifier; name is the pipeline's type as
// errors name it.
type chain[Y float64 | int, E estimator[Y]] struct {
	name  string
	steps []transformers.Transformer
	final E
}

// clone returns an unfitted copy; its errors name the part that is nil or that
// cannot be cloned.
func (c *chain[Y, E]) clone() (*chain[Y, E], error) {
	out := &chain[Y, E]{name: c.name, steps: make([]transformers.Transformer, len(c.steps))}
	for i, s := range c.steps {
		if isNil(s) {
			return nil, fault.Param(c.name, fmt.Sprintf("Steps[%d]", i), nil, "a transformer")
		}
		t, err := estimators.Clone(c.stepName(i), s)
		if err != nil {
			return nil, err
		}
		out.steps[i] = t
	}
	if isNil(c.final) {
		return nil, fault.Param(c.name, "Final", nil, "an estimator")
	}
	final, err := estimators.Clone(c.finalName(), c.final)
	if err != nil {
		return nil, err
	}
	out.final = final
	return out, nil
}

// isNil also finds a nil pointer within an interface that is not nil.
func isNil(v any) bool {
	if v == nil {
		return true
	}
	r := reflect.ValueOf(v)
	return r.Kind() == reflect.Pointer && r.IsNil()
}

// stepName stands before the errors of step i.
func (c *chain[Y, E]) stepName(i int) string {
	full := typeName(c.steps[i])
	return fmt.Sprintf("%s: step %d (%s)", c.name, i, full[strings.LastIndexByte(full, '.')+1:])
}

// finalName stands before the errors of the final estimator. It keeps the
// package, since most are called Regressor or Classifier.
func (c *chain[Y, E]) finalName() string {
	return fmt.Sprintf("%s: final (%s)", c.name, typeName(c.final))
}

func typeName(v any) string { return strings.TrimPrefix(fmt.Sprintf("%T", v), "*") }

// fit returns a fitted copy. The weights, if not nil, go to the final estimator.
func (c *chain[Y, E]) fit(ctx context.Context, x mat.Matrix, y []Y, weights []float64) (*chain[Y, E], error) {
	out, err := c.clone()
	if err != nil {
		return nil, err
	}
	for i, s := range out.steps {
		if err := s.Fit(ctx, x); err != nil {
			return nil, fmt.Errorf("%s: %w", out.stepName(i), err)
		}
		if x, err = s.Transform(x); err != nil {
			return nil, fmt.Errorf("%s: %w", out.stepName(i), err)
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("%s: %w", out.stepName(i), err)
		}
	}
	if weights == nil {
		err = out.final.Fit(ctx, x, y)
	} else {
		var weighted estimators.WeightedFitter[Y]
		if weighted, err = capable[estimators.WeightedFitter[Y]](out, estimators.Weighted); err != nil {
			return nil, err
		}
		err = weighted.FitWeighted(ctx, x, y, weights)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", out.finalName(), err)
	}
	return out, nil
}

// fitWeighted is fit with the weights that FitWeighted was given.
func (c *chain[Y, E]) fitWeighted(ctx context.Context, x mat.Matrix, y []Y, weights []float64) (*chain[Y, E], error) {
	if isNil(c.final) {
		return nil, fault.Param(c.name, "Final", nil, "an estimator")
	}
	if _, err := capable[estimators.WeightedFitter[Y]](c, estimators.Weighted); err != nil {
		return nil, err
	}
	if err := check.Weights(c.name, weights, len(y)); err != nil {
		return nil, err
	}
	return c.fit(ctx, x, y, weights)
}

// rows sends x through the steps.
func (c *chain[Y, E]) rows(x mat.Matrix) (mat.Matrix, error) {
	_, z, err := c.lastRows(x)
	return z, err
}

// lastRows sends x through the steps; before is what the last one of them was given.
func (c *chain[Y, E]) lastRows(x mat.Matrix) (before, z mat.Matrix, err error) {
	z = x
	for i, s := range c.steps {
		before = z
		if z, err = s.Transform(before); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", c.stepName(i), err)
		}
	}
	return before, z, nil
}

func (c *chain[Y, E]) predict(x mat.Matrix) ([]Y, error) {
	x, err := c.rows(x)
	if err != nil {
		return nil, err
	}
	y, err := c.final.Predict(x)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.finalName(), err)
	}
	return y, nil
}

// predictTo is predict into dst.
func (c *chain[Y, E]) predictTo(dst []Y, x mat.Matrix) error {
	return c.fewOrAll(x, func(z mat.Matrix) error { return rowwise.Predict[Y](c.final, dst, z) })
}

// fewOrAll sends rows through the steps, few of them without allocating, and calls f, a
// method of the final estimator.
func (c *chain[Y, E]) fewOrAll(x mat.Matrix, f func(z mat.Matrix) error) error {
	if !rowwise.IsFew(x) {
		z, err := c.rows(x)
		if err != nil {
			return err
		}
		return c.ofFinal(f(z))
	}
	b := rowwise.NewBuffers()
	defer b.Release()
	z, at, err := rowwise.Through(b, c.steps, x)
	if err != nil {
		return fmt.Errorf("%s: %w", c.stepName(at), err)
	}
	return c.ofFinal(f(z))
}

// ofFinal names the final estimator in front of its error.
func (c *chain[Y, E]) ofFinal(err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", c.finalName(), err)
	}
	return nil
}

// capable returns the final estimator as the capability's interface, or an
// error that wraps errors.ErrUnsupported.
func capable[C any, Y float64 | int, E estimator[Y]](c *chain[Y, E], capability estimators.Capability) (C, error) {
	v, ok := any(c.final).(C)
	if !ok || !estimators.Supports(c.final, capability) {
		return v, estimators.Unsupported(c.name, c.final, capability)
	}
	return v, nil
}

// through sends x through the fitted steps and calls f, a method of the final
// estimator that the capability C provides. It tells first whether the
// configured Final has the capability, then whether the pipeline is fitted.
func through[C any, Y float64 | int, E estimator[Y]](configured func() *chain[Y, E], fitted *chain[Y, E], capability estimators.Capability, x mat.Matrix, f func(C, mat.Matrix) error) error {
	final, err := able[C](configured, fitted, capability)
	if err != nil {
		return err
	}
	if x, err = fitted.rows(x); err != nil {
		return err
	}
	return fitted.ofFinal(f(final, x))
}

// able returns the fitted final estimator as the capability's interface.
func able[C any, Y float64 | int, E estimator[Y]](configured func() *chain[Y, E], fitted *chain[Y, E], capability estimators.Capability) (C, error) {
	if fitted != nil {
		return capable[C](fitted, capability)
	}
	c := configured()
	if !isNil(c.final) {
		if v, err := capable[C](c, capability); err != nil {
			return v, err
		}
	}
	var none C
	return none, fault.NotFitted(c.name)
}

// supports answers for the capabilities that both kinds of pipeline have.
func (c *chain[Y, E]) supports(capability estimators.Capability) bool {
	for _, s := range c.steps {
		switch capability {
		case estimators.Cloning:
			if _, ok := s.(estimators.Cloner[transformers.Transformer]); !ok {
				return false
			}
		case estimators.Marshalling:
			if !estimators.Supports(s, estimators.Marshalling) {
				return false
			}
		}
	}
	return estimators.Supports(c.final, capability)
}

// copied returns the parts of a Clone. A Clone cannot fail; a part that cannot
// be cloned is taken over, and Fit will refuse it as it did before.
func (c *chain[Y, E]) copied() ([]transformers.Transformer, E) {
	var steps []transformers.Transformer
	for _, s := range c.steps {
		steps = append(steps, cloneOr(s))
	}
	return steps, cloneOr(c.final)
}

func cloneOr[T any](part T) T {
	if isNil(part) {
		return part
	}
	if c, err := estimators.Clone("", part); err == nil {
		return c
	}
	return part
}

// report is that of the final estimator, or the zero Report where it has none.
func (c *chain[Y, E]) report() estimators.Report {
	if c == nil || !estimators.Supports(c.final, estimators.Reporting) {
		return estimators.Report{}
	}
	if r, ok := any(c.final).(estimators.Reporter); ok {
		return r.Report()
	}
	return estimators.Report{}
}

// payload is what a pipeline of either kind stores.
type payload struct {
	Steps []estimators.Part
	Final estimators.Part
}

const payloadVersion = 1

func (c *chain[Y, E]) marshal(kind string) ([]byte, error) {
	var p payload
	for i, s := range c.steps {
		stored, err := estimators.MakePart(c.stepName(i), s)
		if err != nil {
			return nil, err
		}
		p.Steps = append(p.Steps, stored)
	}
	var err error
	if p.Final, err = estimators.MakePart(c.finalName(), c.final); err != nil {
		return nil, err
	}
	return codec.Marshal(kind, payloadVersion, p)
}

// unmarshal returns the fitted chain that data holds, in clones of the
// configured parts.
func (c *chain[Y, E]) unmarshal(kind string, data []byte) (*chain[Y, E], error) {
	var p payload
	if _, err := codec.Unmarshal(data, kind, payloadVersion, &p); err != nil {
		return nil, err
	}
	if len(p.Steps) != len(c.steps) {
		return nil, fault.BadModel(kind, "the data holds %d steps, configured are %d", len(p.Steps), len(c.steps))
	}
	out, err := c.clone()
	if err != nil {
		return nil, err
	}
	for i, stored := range p.Steps {
		if err := stored.Into(kind, fmt.Sprintf("step %d", i), out.steps[i]); err != nil {
			return nil, err
		}
	}
	if err := p.Final.Into(kind, "final", out.final); err != nil {
		return nil, err
	}
	return out, nil
}
