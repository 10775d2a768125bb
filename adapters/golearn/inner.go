package golearn

import (
	"context"
	"fmt"

	"github.com/sjwhitworth/golearn/base"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// A model within another, of a Pipeline or a Bagging, is one of ours, which reads tables,
// or a stranger, a classifier of golearn's or of the user's, which gets grids: dense ones
// with attributes of their own, because some of golearn's misread views and some write to
// attributes.

// fitInner fits a model to a table.
func fitInner(ctx context.Context, c base.Classifier, t *table) error {
	if o, ok := own(c); ok {
		return named(o, o.fitTable(ctx, t))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	grid, err := t.grid()
	if err != nil {
		return err
	}
	return fitGuarded(c, grid)
}

func fitGuarded(c Model, grid base.FixedDataGrid) (err error) {
	defer guard(fmt.Sprintf("Fit of %T", c), &err)
	return c.Fit(grid)
}

func predictGuarded(c Model, grid base.FixedDataGrid) (out base.FixedDataGrid, err error) {
	defer guard(fmt.Sprintf("Predict of %T", c), &err)
	if out, err = c.Predict(grid); err == nil && out == nil {
		err = fault.Param("golearn", fmt.Sprintf("prediction of %T", c), nil, "a grid")
	}
	return out, err
}

// ofInner gives f a fitted model and a table as that reads it. The target is what it was
// trained to predict.
func ofInner[R any](c base.Classifier, t *table, target column, f func(m model, t *table) (R, error)) (out R, err error) {
	o, ok := own(c)
	if !ok {
		return f(stranger{c, target}, t)
	}
	m := o.model()
	if t.n > 0 { // without rows the steps before c were left out
		t, err = t.align(m.reads().Columns)
	}
	if err == nil {
		out, err = f(m, t)
	}
	return out, named(o, err)
}

// stranger is a model that is not ours. It sees a class of zeros.
type stranger struct {
	Model
	target column
}

func (s stranger) reads() *schema { return nil }
func (s stranger) class() column  { return s.target }

func (s stranger) grid(t *table) (base.FixedDataGrid, error) {
	return t.with(constant(s.target)).grid()
}

func (s stranger) predict(t *table) (cells, error) {
	grid, err := s.grid(t)
	if err != nil {
		return cells{}, err
	}
	predicted, err := predictGuarded(s.Model, grid)
	if err != nil {
		return cells{}, err
	}
	p, err := labelled(predicted)
	if err != nil {
		return cells{}, fmt.Errorf("the prediction of %T: %w", s.Model, err)
	}
	if p.n != t.n {
		return cells{}, fault.Shape(fmt.Sprintf("the prediction of %T has", s.Model), p.n, "rows", "want %d", t.n)
	}
	values, err := p.read(&p.classes[0])
	return held(p.classes[0].column, values), err
}

func (s stranger) proba(t *table) (*mat.Dense, error) {
	p, ok := s.Model.(interface {
		PredictProba(base.FixedDataGrid) (*mat.Dense, error)
	})
	if !ok {
		return nil, estimators.Unsupported("Final", s.Model, estimators.Proba)
	}
	grid, err := s.grid(t)
	if err != nil || t.n == 0 {
		return &mat.Dense{}, err
	}
	return p.PredictProba(grid)
}

func (s stranger) variance(t *table) (out moments, err error) {
	v, ok := s.Model.(interface {
		PredictVariance(base.FixedDataGrid) (mean, variance []float64, err error)
	})
	if !ok {
		return out, estimators.Unsupported("Final", s.Model, estimators.Variance)
	}
	grid, err := s.grid(t)
	if err != nil || t.n == 0 {
		return out, err
	}
	out.mean, out.variance, err = v.PredictVariance(grid)
	return out, err
}

// copyOf copies a model of this package; a stranger is itself.
func copyOf(c base.Classifier) base.Classifier {
	if o, ok := own(c); ok {
		return o.clone()
	}
	return c
}

// inPlace reports whether fitting c changes the value that the user configured.
func inPlace(c base.Classifier) bool {
	if p, ok := c.(*Pipeline); ok {
		return p.Final != nil && inPlace(p.Final)
	}
	_, ok := own(c)
	return !ok
}
