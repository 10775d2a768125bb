package golearn

import (
	"context"
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/sjwhitworth/golearn/base"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/atomicfile"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/interval"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// gridEstimator is the interface of Classifier, Regressor, Pipeline, Bagging and Refitted that they and the functions of
// this file use. A type that
// embeds one of them is a stranger (package embedding): its own methods would be passed by.
type gridEstimator interface {
	base.Classifier
	estimators.Wrapper
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
	kind() string // as in files: "golearn.Classifier"
	name() string // as in errors: "golearn: Classifier"
	// fitTable fits to a training table, and changes nothing where it fails.
	fitTable(ctx context.Context, t *gridtable.Table) error
	// model is what was fitted; nil before.
	model() model
}

// model is a fitted one of them.
type model interface {
	predictor
	kind() string // of a nil one too
	reads() *schema
	payload() (any, error) // for its file
}

// predictor is a fitted model, ours or a stranger's. What it gives of a table without rows
// is empty.
type predictor interface {
	class() gridtable.Column // what it was trained to predict
	// predict returns a class cell for each row of t, which has at least one, and is as the
	// model reads it.
	predict(t *gridtable.Table) (gridtable.Cells, error)
	proba(t *gridtable.Table) (*mat.Dense, error)
	variance(t *gridtable.Table) (pair, error)                // mean and variance
	interval(t *gridtable.Table, level float64) (pair, error) // the lower and the upper bound
	sets(t *gridtable.Table, level float64) ([][]string, error)
}

type pair struct{ first, second []float64 }

// trained is what each of them keeps of its training grid.
type trained struct {
	Schema schema
	Target gridtable.Column // the class
}

func (t *trained) reads() *schema          { return &t.Schema }
func (t *trained) class() gridtable.Column { return t.Target }

func (*trained) proba(*gridtable.Table) (*mat.Dense, error) {
	return nil, unsupported(estimators.Proba)
}
func (*trained) variance(*gridtable.Table) (pair, error) {
	return pair{}, unsupported(estimators.Variance)
}
func (*trained) interval(*gridtable.Table, float64) (pair, error) {
	return pair{}, unsupported(estimators.Interval)
}
func (*trained) sets(*gridtable.Table, float64) ([][]string, error) {
	return nil, unsupported(estimators.Sets)
}

func (t *trained) fits(kind string, noOneHot bool, missing Missing) error {
	if err := errors.Join(t.Schema.validate(), t.Target.Validate()); err != nil {
		return fault.BadModel(kind, "%v", err)
	}
	return t.Schema.fits(kind, noOneHot, missing)
}

// keep returns what a model that reads the features as they are keeps of a training table.
func keep(t *gridtable.Table) trained {
	return trained{schema{Columns: t.Columns(), Missing: Pass}, t.Classes[0].Column.Owned()}
}

// adapter is what each of the five types embeds: the model that Fit made, and the methods
// that need nothing else. M is the model's type, whose pointers are a model.
type adapter[M any] struct{ fitted *M }

func (a *adapter[M]) kind() string { return any(a.fitted).(model).kind() }

func (a *adapter[M]) name() string { return strings.Replace(a.kind(), ".", ": ", 1) }

func (a *adapter[M]) model() model {
	if a.fitted == nil {
		return nil
	}
	return any(a.fitted).(model)
}

// Predict returns a grid of the same rows, in the same order, with one attribute, the class:
// what the type says of it. Errors: ErrNotFitted; ErrShape for a missing feature; ErrParam
// for one of another type; ErrNotFinite; those of what was fitted. A grid of no rows comes
// with them.
func (a *adapter[M]) Predict(grid base.FixedDataGrid) (_ base.FixedDataGrid, err error) {
	defer fault.Recover(&err)
	class, err := predictWith(a, grid, answer)
	if err == nil {
		return gridtable.ClassGrid(class)
	}
	if m := a.model(); m != nil {
		return gridtable.NoRows(m.class()), err
	}
	return gridtable.NoRows(gridtable.Column{}), err
}

// Inspect reads grid as Predict would and says what it ignores and which categories it does
// not know. Errors as Predict's, but those of what was fitted.
func (a *adapter[M]) Inspect(grid base.FixedDataGrid) (Inspection, error) {
	m := a.model()
	if m == nil {
		return Inspection{}, fault.NotFitted(a.name())
	}
	t, err := gridtable.Read(grid)
	if err != nil {
		return Inspection{}, named(a, err)
	}
	out, err := m.reads().inspect(t)
	return out, named(a, err)
}

// MarshalBinary returns what was fitted. Errors: ErrNotFitted, and one that wraps
// errors.ErrUnsupported if a part of it cannot be marshalled.
func (a *adapter[M]) MarshalBinary() ([]byte, error) {
	m := a.model()
	if m == nil {
		return nil, fault.NotFitted(a.name())
	}
	p, err := m.payload()
	if err != nil {
		return nil, named(a, err)
	}
	return codec.Marshal(a.kind(), payloadVersion, p)
}

// Save writes what was fitted to path, as a whole or not at all: a Save that fails leaves
// the file that was there. Errors as MarshalBinary's, and the file system's.
func (a *adapter[M]) Save(path string) error {
	data, err := a.MarshalBinary()
	if err != nil {
		return err
	}
	return named(a, atomicfile.WriteBytes(path, data))
}

// SaveWithPrefix writes what was fitted into an archive of golearn, under one key, and
// leaves the archive open. Errors as MarshalBinary's.
func (a *adapter[M]) SaveWithPrefix(w *base.ClassifierSerializer, prefix string) error {
	if w == nil {
		return fault.Param(a.name(), "serializer", nil, "a serializer")
	}
	data, err := a.MarshalBinary()
	if err != nil {
		return err
	}
	return named(a, w.WriteBytesForKey(w.Prefix(prefix, archiveKey), data))
}

// GetMetadata returns the name and version of the format.
func (a *adapter[M]) GetMetadata() base.ClassifierMetadataV1 {
	return base.ClassifierMetadataV1{FormatVersion: payloadVersion, ClassifierName: a.kind(), ClassifierVersion: metadataVersion}
}

// named puts the type before an error.
func named(o interface{ name() string }, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", o.name(), err)
}

func fit(ctx context.Context, o gridEstimator, grid base.FixedDataGrid) (err error) {
	ctx, end := progress.Begin(ctx, nil)
	defer end(&err)
	t, err := gridtable.ReadTraining(grid)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = o.fitTable(ctx, t)
	}
	return named(o, err)
}

// opened is one of the five types, to the functions that need what was fitted alone.
type opened interface {
	name() string
	model() model
}

// predictWith reads the rows of a grid as a fitted model does and gives both to f.
func predictWith[R any](o opened, grid base.FixedDataGrid, f func(m predictor, t *gridtable.Table) (R, error)) (out R, err error) {
	if o.model() == nil {
		return out, fault.NotFitted(o.name())
	}
	t, err := gridtable.Read(grid)
	if err != nil {
		return out, named(o, err)
	}
	return aligned(o, t, f)
}

// aligned gives f a fitted model and the columns of t that it reads. Of no rows and no
// columns there is nothing to align.
func aligned[R any](o opened, t *gridtable.Table, f func(m predictor, t *gridtable.Table) (R, error)) (out R, err error) {
	m := o.model()
	if t.Rows > 0 || len(t.Features) > 0 {
		t, err = t.Align(m.reads().Columns)
	}
	if err == nil {
		out, err = f(m, t)
	}
	return out, named(o, err)
}

func predictProba(o gridEstimator, grid base.FixedDataGrid) (*mat.Dense, error) {
	return predictWith(o, grid, predictor.proba)
}

func predictVariance(o gridEstimator, grid base.FixedDataGrid) (mean, variance []float64, err error) {
	out, err := predictWith(o, grid, predictor.variance)
	return out.first, out.second, err
}

func predictInterval(o gridEstimator, grid base.FixedDataGrid, level float64) (low, high []float64, err error) {
	if err := interval.Level(o.name(), level); err != nil {
		return nil, nil, err
	}
	out, err := predictWith(o, grid, intervalOf(level))
	return out.first, out.second, err
}

func predictSet(o gridEstimator, grid base.FixedDataGrid, level float64) ([][]string, error) {
	if err := interval.Level(o.name(), level); err != nil {
		return nil, err
	}
	return predictWith(o, grid, setsOf(level))
}

func setsOf(level float64) func(predictor, *gridtable.Table) ([][]string, error) {
	return func(m predictor, t *gridtable.Table) ([][]string, error) { return m.sets(t, level) }
}

func answer(m predictor, t *gridtable.Table) (gridtable.Cells, error) {
	if t.Rows == 0 {
		return gridtable.NewCells(m.class(), nil), nil
	}
	return m.predict(t)
}

func intervalOf(level float64) func(predictor, *gridtable.Table) (pair, error) {
	return func(m predictor, t *gridtable.Table) (pair, error) { return m.interval(t, level) }
}

func unsupported(c estimators.Capability) error {
	return fmt.Errorf("no %v: %w", c, errors.ErrUnsupported)
}

// supports answers for one of the five types, whose methods take grids, by what it wraps.
func supports(o gridEstimator, c estimators.Capability, w estimators.Wrapped) bool {
	if _, ok := reflect.TypeOf(o).MethodByName(c.String()); ok {
		w.Methods = []estimators.Capability{c}
	}
	return w.Supports(o, c)
}

func reportOf(e any) estimators.Report {
	if r, ok := e.(estimators.Reporter); ok && estimators.Supports(e, estimators.Reporting) {
		return r.Report()
	}
	return estimators.Report{}
}

// featuresOf names the columns of the matrix that an estimator sees.
func featuresOf(o gridEstimator) []string {
	m := o.model()
	if m == nil {
		return nil
	}
	return gridtable.MatrixNames(m.reads().Columns)
}
