package golearn

import (
	"context"
	"encoding"
	"errors"
	"fmt"
	"strings"

	"github.com/sjwhitworth/golearn/base"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// ours is what Classifier, Regressor, Pipeline, Bagging and Refitted are to each other and
// to the functions of this file, which do what is the same in all of them.
type ours interface {
	base.Classifier
	estimators.Wrapper
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
	kind() string
	// fitTable fits to a training table, and changes nothing where it fails.
	fitTable(ctx context.Context, t *table) error
	// model is what was fitted; nil before.
	model() model
	clone() base.Classifier
}

// model is a fitted one of them.
type model interface {
	reads() *schema
	class() column // what it was trained to predict
	// predict returns a class cell for each row of t, which is aligned to reads and has at
	// least one.
	predict(t *table) (cells, error)
}

// What a model may give besides; for a table of no rows it is empty.
type (
	probabilistic interface {
		proba(t *table) (*mat.Dense, error)
	}
	varying interface {
		variance(t *table) (moments, error)
	}
	moments struct{ mean, variance []float64 }
)

// own returns c as one of this package's types. A type that embeds one of them is a
// stranger: its own methods would be passed by.
func own(c base.Classifier) (ours, bool) {
	switch v := c.(type) {
	case *Classifier:
		return v, true
	case *Regressor:
		return v, true
	case *Pipeline:
		return v, true
	case *Bagging:
		return v, true
	case *Refitted:
		return v, true
	}
	return nil, false
}

// named puts the type before an error.
func named(o ours, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name(o), err)
}

func name(o ours) string { return strings.Replace(o.kind(), ".", ": ", 1) }

func fit(ctx context.Context, o ours, grid base.FixedDataGrid) error {
	t, err := training(grid)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = o.fitTable(ctx, t)
	}
	return named(o, err)
}

// through reads the rows of a grid as a fitted model does and gives both to f.
func through[R any](o ours, grid base.FixedDataGrid, f func(m model, t *table) (R, error)) (out R, err error) {
	m := o.model()
	if m == nil {
		return out, fault.NotFitted(name(o))
	}
	t, err := read(grid)
	if err == nil {
		t, err = t.align(m.reads().Columns)
	}
	if err == nil {
		out, err = f(m, t)
	}
	return out, named(o, err)
}

func predict(o ours, grid base.FixedDataGrid) (base.FixedDataGrid, error) {
	class, err := through(o, grid, answer)
	if err == nil {
		return classGrid(class)
	}
	if m := o.model(); m != nil {
		return noRows(m.class()), err
	}
	return noRows(column{}), err
}

func predictProba(o ours, grid base.FixedDataGrid) (*mat.Dense, error) {
	return through(o, grid, probaOf)
}

func predictVariance(o ours, grid base.FixedDataGrid) (mean, variance []float64, err error) {
	out, err := through(o, grid, varianceOf)
	return out.mean, out.variance, err
}

func inspect(o ours, grid base.FixedDataGrid) (Inspection, error) {
	m := o.model()
	if m == nil {
		return Inspection{}, fault.NotFitted(name(o))
	}
	t, err := read(grid)
	if err != nil {
		return Inspection{}, named(o, err)
	}
	out, err := m.reads().inspect(t)
	return out, named(o, err)
}

func answer(m model, t *table) (cells, error) {
	if t.n == 0 {
		return held(m.class(), nil), nil
	}
	return m.predict(t)
}

func probaOf(m model, t *table) (*mat.Dense, error) {
	if p, ok := m.(probabilistic); ok {
		return p.proba(t)
	}
	return nil, without(estimators.Proba)
}

func varianceOf(m model, t *table) (moments, error) {
	if v, ok := m.(varying); ok {
		return v.variance(t)
	}
	return moments{}, without(estimators.Variance)
}

func without(c estimators.Capability) error {
	return fmt.Errorf("no %v: %w", c, errors.ErrUnsupported)
}

// capable returns an estimator as the interface of a capability.
func capable[C any](e any, c estimators.Capability) (C, error) {
	out, ok := e.(C)
	if !ok || !estimators.Supports(e, c) {
		return out, estimators.Unsupported("Estimator", e, c)
	}
	return out, nil
}

func reportOf(e any) estimators.Report {
	if r, ok := e.(estimators.Reporter); ok && estimators.Supports(e, estimators.Reporting) {
		return r.Report()
	}
	return estimators.Report{}
}

// featuresOf names the columns of the matrix that an estimator sees.
func featuresOf(o ours) []string {
	m := o.model()
	if m == nil {
		return nil
	}
	return expanded(m.reads().Columns)
}

// cloneOrShare is for Clone methods, which cannot fail.
func cloneOrShare[E any](e E) E {
	if c, err := estimators.Clone("", e); err == nil {
		return c
	}
	return e
}
