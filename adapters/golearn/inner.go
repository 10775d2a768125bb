package golearn

import (
	"context"
	"fmt"

	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// A model within a Pipeline or a Bagging is either a model of this package, which reads tables, or a stranger: a classifier of
// golearn or of a third party. A stranger receives grids. These are dense grids with their own attributes, because some classifiers
// of golearn misread views and some write to attributes.

// fitInner fits a model to a table.
func fitInner(ctx context.Context, c base.Classifier, t *gridtable.Table) error {
	if o, ok := embedding.As[gridEstimator](c); ok {
		return named(o, o.fitTable(ctx, t))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	grid, err := t.Grid()
	if err != nil {
		return err
	}
	return fitGuarded(c, grid)
}

func fitGuarded(c Model, grid base.FixedDataGrid) (err error) {
	defer gridtable.Guard(fmt.Sprintf("Fit of %T", c), &err)
	return c.Fit(grid)
}

func predictGuarded(c Model, grid base.FixedDataGrid) (out base.FixedDataGrid, err error) {
	defer gridtable.Guard(fmt.Sprintf("Predict of %T", c), &err)
	if out, err = c.Predict(grid); err == nil && out == nil {
		err = fault.Param("golearn", fmt.Sprintf("prediction of %T", c), nil, "a grid")
	}
	return out, err
}

// ofInner calls a function with a fitted model and the table, in the form that the model reads. The argument target is the class of
// the model's training grid.
func ofInner[R any](c base.Classifier, t *gridtable.Table, target gridtable.Column,
	f func(m predictor, t *gridtable.Table) (R, error)) (R, error) {
	if o, ok := embedding.As[gridEstimator](c); ok {
		return aligned(o, t, f)
	}
	return f(&stranger{trained{Target: target}, c}, t)
}

// ask returns the class cells that a stranger predicts for the rows of t. The stranger receives a class of zeros.
func ask(c Model, t *gridtable.Table, class gridtable.Column) (gridtable.Cells, error) {
	grid, err := t.WithClass(gridtable.Zeros(class)).Grid()
	if err != nil {
		return gridtable.Cells{}, err
	}
	predicted, err := predictGuarded(c, grid)
	if err != nil {
		return gridtable.Cells{}, err
	}
	p, err := gridtable.ReadLabelled(predicted)
	if err != nil {
		return gridtable.Cells{}, fmt.Errorf("the prediction of %T: %w", c, err)
	}
	if p.Rows != t.Rows {
		return gridtable.Cells{}, fault.Shape(fmt.Sprintf("the prediction of %T has", c), p.Rows, "rows", "want %d", t.Rows)
	}
	values, err := p.Values(&p.Classes[0])
	return gridtable.NewCells(p.Classes[0].Column, values), err
}

// stranger is a fitted model that is not a type of this package.
type stranger struct {
	trained
	inner Model
}

func (s *stranger) predict(t *gridtable.Table) (gridtable.Cells, error) {
	return ask(s.inner, t, s.Target)
}

// copyOf returns a copy of a model of this package. It returns a stranger itself.
func copyOf(c base.Classifier) base.Classifier {
	if o, ok := embedding.As[gridEstimator](c); ok {
		return estimators.Clone(o)
	}
	return c
}

// inside returns the capabilities of an inner model, for the Supports method of the outer model. A stranger is marshalled with its
// own SaveWithPrefix, and cannot be copied.
func inside(c base.Classifier) []any {
	if o, ok := embedding.As[gridEstimator](c); ok || c == nil {
		return []any{o}
	}
	return []any{marshals{}}
}

type marshals struct{}

func (marshals) Supports(c estimators.Capability) bool { return c == estimators.Marshalling }

// inPlace reports whether fitting c changes the value that the user configured.
func inPlace(c base.Classifier) bool {
	if p, ok := c.(*Pipeline); ok {
		return p.Final != nil && inPlace(p.Final)
	}
	_, ok := embedding.As[gridEstimator](c)
	return !ok
}
