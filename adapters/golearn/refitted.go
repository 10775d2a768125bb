package golearn

import (
	"context"
	"fmt"

	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Model is the common interface of golearn's models.
type Model interface {
	Fit(base.FixedDataGrid) error
	Predict(base.FixedDataGrid) (base.FixedDataGrid, error)
}

// Refitted turns a golearn model into a base.Classifier. An example is golearn's LinearRegression, which is not a base.Classifier
// and cannot be saved. A Refitted can be the Final of a Pipeline, and works in golearn's cross-validation. A file of it contains
// the training grid, and Load fits a new model to this grid. The new model is the same if its fit is deterministic. If the model
// panics, the panic becomes an error.
//
// The model receives a copy of the training grid. Predict passes it a grid with the same attributes, matched by name and type,
// whose class is a column of zeros.
type Refitted struct {
	New func() Model // returns a new, unfitted model at each call

	adapter[refittedModel]
}

type refittedModel struct {
	trained
	inner Model
	train *gridtable.Table
}

const refittedKind = "golearn.Refitted"

var _ gridEstimator = (*Refitted)(nil)

// Fit fits a new model to the grid. It is FitContext with a background context.
func (r *Refitted) Fit(grid base.FixedDataGrid) (err error) {
	defer fault.Recover(&err)
	return fit(context.Background(), r, grid)
}

// FitContext fits a new model to the grid. If it returns an error, the model is unchanged. It returns ErrParam for a nil New or a
// model that panics. It returns ErrShape for a grid without rows, or unless there is exactly one class. It also returns the error
// of the model, or ctx's error. The context is checked before the model is fitted.
func (r *Refitted) FitContext(ctx context.Context, grid base.FixedDataGrid) (err error) {
	defer fault.Recover(&err)
	return fit(ctx, r, grid)
}

func (r *Refitted) fitTable(_ context.Context, t *gridtable.Table) error {
	m, err := r.build()
	if err != nil {
		return err
	}
	if t, err = t.Copy(); err != nil {
		return err
	}
	r.fitted, err = refit(m, t, r.fitted)
	return err
}

func (r *Refitted) build() (Model, error) {
	if r.New == nil {
		return nil, fault.Param("input", "New", nil, "a function that returns a model")
	}
	m := r.New()
	if m == nil {
		return nil, fault.Param("input", "New", "a function that returns nil", "one that returns a model")
	}
	return m, nil
}

// refit fits a new model to a table, and keeps the old one if that fails.
func refit(m Model, t *gridtable.Table, old *refittedModel) (*refittedModel, error) {
	grid, err := t.Grid()
	if err == nil {
		err = fitGuarded(m, grid)
	}
	if err != nil {
		return old, fmt.Errorf("%T: %w", m, err)
	}
	return &refittedModel{keep(t), m, t}, nil
}

func (m *refittedModel) kind() string { return refittedKind }

func (m *refittedModel) predict(t *gridtable.Table) (gridtable.Cells, error) {
	return ask(m.inner, t, m.Target)
}

// Supports reports whether the method of a capability would work. Only Marshalling is supported.
func (r *Refitted) Supports(capability estimators.Capability) bool {
	return supports(r, capability, estimators.Wrapped{})
}

// String returns the name of the model.
func (r *Refitted) String() string {
	if r.fitted == nil {
		return "golearn.Refitted(not fitted)"
	}
	return fmt.Sprintf("golearn.Refitted(%T)", r.fitted.inner)
}

type refittedPayload struct {
	Type  string
	Train gridtable.Stored
}

func (m *refittedModel) payload() (any, error) {
	return refittedPayload{Type: fmt.Sprintf("%T", m.inner), Train: m.train.Store()}, nil
}

// UnmarshalBinary decodes the output of MarshalBinary of a Refitted with the same model, and fits the model again. It returns
// ErrBadModel, ErrParam for a nil New, or the error of the model. If it returns an error, r is unchanged.
func (r *Refitted) UnmarshalBinary(data []byte) error {
	m, err := r.build()
	if err != nil {
		return named(r, err)
	}
	var in refittedPayload
	if err := readPayload(r, data, &in); err != nil {
		return err
	}
	if got := fmt.Sprintf("%T", m); got != in.Type {
		return fault.BadModel(refittedKind, "written with a %s, New returns a %s", in.Type, got)
	}
	t, err := in.Train.Table()
	if err != nil {
		return fault.BadModel(refittedKind, "the training grid: %v", err)
	}
	r.fitted, err = refit(m, t, r.fitted)
	return named(r, err)
}
