package golearn

import (
	"fmt"

	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
)

const (
	refittedName = "golearn: Refitted"
	refittedKind = "golearn.Refitted"
)

// Model is what golearn's models have in common.
type Model interface {
	Fit(base.FixedDataGrid) error
	Predict(base.FixedDataGrid) (base.FixedDataGrid, error)
}

// Refitted makes a base.Classifier of a model of golearn that is none, such as its
// LinearRegression, which cannot be saved: for the Final of a Pipeline and for golearn's
// cross-validation. It stores the training grid, and Load fits a new model to it: the same
// one, if fitting draws nothing at random. A panic of the model is an error.
type Refitted struct {
	New func() Model // returns a new, unfitted model at each call

	train table
	model Model
}

var _ base.Classifier = (*Refitted)(nil)

// Fit fits a new model to the grid. Errors: ErrParam for a nil New or a model that panics,
// ErrShape for a grid without rows or with other than one class, and the model's.
func (r *Refitted) Fit(grid base.FixedDataGrid) error {
	class, err := trainingGrid(grid)
	if err != nil {
		return fmt.Errorf("%s: %w", refittedName, err)
	}
	cls, err := readClass(grid, class)
	if err != nil {
		return fmt.Errorf("%s: %w", refittedName, err)
	}
	t, err := readTable(grid, cls)
	if err != nil {
		return fmt.Errorf("%s: %w", refittedName, err)
	}
	m, err := r.fitted(t)
	if err != nil {
		return err
	}
	r.train, r.model = t, m
	return nil
}

// fitted returns a new model fitted to a table.
func (r *Refitted) fitted(t table) (_ Model, err error) {
	if r.New == nil {
		return nil, fault.Param(refittedName, "New", nil, "a function that returns a model")
	}
	m := r.New()
	if m == nil {
		return nil, fault.Param(refittedName, "New", "a function that returns nil", "one that returns a model")
	}
	defer guard(fmt.Sprintf("Fit of %T", m), &err)
	grid, err := mixedGrid(t.Columns, t.Bits, t.Rows, &classCells{column: t.Class, bits: t.Labels})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", refittedName, err)
	}
	if err := m.Fit(grid); err != nil {
		return nil, fmt.Errorf("%s: %T: %w", refittedName, m, err)
	}
	return m, nil
}

// Predict is the model's. Errors: ErrNotFitted, ErrParam for a model that panics, and the
// model's.
func (r *Refitted) Predict(grid base.FixedDataGrid) (_ base.FixedDataGrid, err error) {
	if r.model == nil {
		return empty(column{}), fault.NotFitted(refittedName)
	}
	defer guard(fmt.Sprintf("Predict of %T", r.model), &err)
	return r.model.Predict(grid)
}

// String names the model.
func (r *Refitted) String() string {
	if r.model == nil {
		return "Refitted"
	}
	return fmt.Sprintf("Refitted(%T)", r.model)
}

type refittedPayload struct {
	Type  string
	Train filterPayload
}

// MarshalBinary returns the training grid. Errors: ErrNotFitted.
func (r *Refitted) MarshalBinary() ([]byte, error) {
	if r.model == nil {
		return nil, fault.NotFitted(refittedName)
	}
	out := refittedPayload{Type: fmt.Sprintf("%T", r.model), Train: filterPayload{
		Columns: r.train.Columns, Rows: r.train.Rows, Class: r.train.Class, Labels: pack(r.train.Labels),
	}}
	for _, b := range r.train.Bits {
		out.Train.Cells = append(out.Train.Cells, pack(b))
	}
	return codec.Marshal(refittedKind, payloadVersion, out)
}

// UnmarshalBinary reads what MarshalBinary of a Refitted of the same model wrote, and fits
// anew. Errors: ErrBadModel, and Fit's; they leave r as it was.
func (r *Refitted) UnmarshalBinary(data []byte) error {
	var in refittedPayload
	if _, err := codec.Unmarshal(data, refittedKind, payloadVersion, &in); err != nil {
		return err
	}
	t, err := in.Train.table()
	if err != nil {
		return fault.BadModel(refittedKind, "the training grid: %v", err)
	}
	m, err := r.fitted(t)
	if err != nil {
		return err
	}
	if got := fmt.Sprintf("%T", m); got != in.Type {
		return fault.BadModel(refittedKind, "written with a %s, New returns a %s", in.Type, got)
	}
	r.train, r.model = t, m
	return nil
}

// Save writes the training grid to path, as a whole or not at all.
func (r *Refitted) Save(path string) error { return save(refittedName, path, r) }

// Load reads what Save of a Refitted of the same model wrote, and fits anew.
func (r *Refitted) Load(path string) error { return load(refittedName, path, r) }

// SaveWithPrefix writes the training grid into an archive of golearn, under one key, and
// leaves the archive open.
func (r *Refitted) SaveWithPrefix(w *base.ClassifierSerializer, prefix string) error {
	return saveWithPrefix(refittedName, w, prefix, r)
}

// LoadWithPrefix reads what SaveWithPrefix wrote, and fits anew.
func (r *Refitted) LoadWithPrefix(d *base.ClassifierDeserializer, prefix string) error {
	return loadWithPrefix(refittedName, refittedKind, d, prefix, r)
}

// GetMetadata returns the name and version of the format.
func (r *Refitted) GetMetadata() base.ClassifierMetadataV1 { return metadata(refittedKind) }
