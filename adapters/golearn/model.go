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

// gridEstimator is the common interface of Classifier, Regressor, Pipeline, Bagging and Refitted. A type that embeds one of them is
// a stranger (package embedding), since its own methods would not be called.
type gridEstimator interface {
	base.Classifier
	estimators.Wrapper
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
	kind() string // name in files: "golearn.Classifier"
	name() string // the name in errors, such as "golearn: Classifier"
	// fitTable fits the model to a training table. If it fails, the model is unchanged.
	fitTable(ctx context.Context, t *gridtable.Table) error
	// model returns the fitted model, or nil before Fit.
	model() model
}

// model is a fitted model of one of the five types.
type model interface {
	predictor
	kind() string // can be called on a nil model
	reads() *schema
	payload() (any, error) // the form in which a file stores the model
}

// predictor is a fitted model, either a type of this package or a stranger. If a table has no rows, its results are empty.
type predictor interface {
	class() gridtable.Column // the class of the training grid
	// predict returns a class cell for each row of t. The table has at least one row, and the columns that the model reads.
	predict(t *gridtable.Table) (gridtable.Cells, error)
	proba(t *gridtable.Table) (*mat.Dense, error)
	variance(t *gridtable.Table) (pair, error)                // mean and variance
	interval(t *gridtable.Table, level float64) (pair, error) // lower and upper bound
	sets(t *gridtable.Table, level float64) ([][]string, error)
}

type pair struct{ first, second []float64 }

// trained holds the parts of the training grid that each of the five types keeps.
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

// keep returns the parts of a training table that a model keeps if it reads the features unchanged.
func keep(t *gridtable.Table) trained {
	return trained{schema{Columns: t.Columns(), Missing: Pass}, t.Classes[0].Column.Owned()}
}

// adapter is embedded in each of the five types. It holds the fitted model, and implements the methods that need only the fitted
// model. M is the type of the model, and *M implements the interface model.
type adapter[M any] struct{ fitted *M }

func (a *adapter[M]) kind() string { return any(a.fitted).(model).kind() }

func (a *adapter[M]) name() string { return strings.Replace(a.kind(), ".", ": ", 1) }

func (a *adapter[M]) model() model {
	if a.fitted == nil {
		return nil
	}
	return any(a.fitted).(model)
}

// Predict returns a grid with the same rows in the same order, and the class as its only attribute. The documentation of the type
// describes the form of the class. It returns ErrNotFitted, ErrShape for a missing feature, ErrParam for a feature of another type,
// ErrNotFinite, or the errors of the fitted model. With an error, the grid has no rows.
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

// Inspect reads grid like Predict and returns the ignored attributes and the unknown levels. It returns the errors of Predict,
// except for errors of the fitted model.
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

// MarshalBinary encodes the fitted model. It returns ErrNotFitted before Fit. If a part of the model cannot be marshalled, the
// error wraps errors.ErrUnsupported.
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

// Save writes the fitted model to path, completely or not at all. If it fails, the previous file is unchanged. It returns the
// errors of MarshalBinary and of the file system.
func (a *adapter[M]) Save(path string) error {
	data, err := a.MarshalBinary()
	if err != nil {
		return err
	}
	return named(a, atomicfile.WriteBytes(path, data))
}

// SaveWithPrefix writes the fitted model under one key to a golearn archive, and leaves the archive open. It returns the errors of
// MarshalBinary.
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

// named prefixes an error with the name of the type.
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

// opened is the interface of the five types for functions that need only the fitted model.
type opened interface {
	name() string
	model() model
}

// predictWith reads the rows of a grid for a fitted model and calls f with the model and the table.
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

// aligned calls f with a fitted model and the columns of t that it reads. A table without rows and columns is not aligned.
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

// supports reports whether o, whose methods accept grids, supports a capability. This depends on the wrapped model.
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

// featuresOf returns the names of the columns of an estimator's matrix.
func featuresOf(o gridEstimator) []string {
	m := o.model()
	if m == nil {
		return nil
	}
	return gridtable.MatrixNames(m.reads().Columns)
}
