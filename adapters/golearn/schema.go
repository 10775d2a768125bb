package golearn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/enum"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
)

// Missing sets how a gap, which is a NaN in a float feature, is treated. A gap in a categorical feature is a level like the
// others ("?" in the grids of grids.ReadCSV).
type Missing int

const (
	// Refuse is the zero value. It makes a gap an error that names the attribute and the row. Without an Estimator it means Pass, since
	// the default search fills gaps.
	Refuse Missing = iota
	// Pass passes a gap to the estimator. Use it for estimators that fill gaps themselves.
	Pass
	// Impute replaces a gap with the mean of the feature over the training rows, in Fit and in Predict. If the feature has no
	// number in the training rows, the gap is replaced with 0. For other statistics put a columnwise.Imputer into a Pipeline.
	Impute
)

var missingNames = []string{"Refuse", "Pass", "Impute"}

// String returns the constant's name.
func (m Missing) String() string {
	return enum.Name("Missing", int(m), missingNames...)
}

// gapsOf returns how gaps are treated for the configured estimator, which may be nil.
func gapsOf(estimator any, m Missing) Missing {
	if estimator == nil && m == Refuse {
		return Pass
	}
	return m
}

func (m Missing) check() error {
	if m < 0 || int(m) >= len(missingNames) {
		return fault.Param("input", "Missing", int(m), "Refuse, Pass or Impute")
	}
	return nil
}

// schema holds the features of a training grid. It converts other rows to the columns of the estimator's matrix.
type schema struct {
	Columns  []gridtable.Column // those of categorical features hold the levels of the training rows
	NoOneHot bool
	Missing  Missing
	// Fills holds, with Impute, the number that replaces a NaN in each matrix column.
	Fills codec.Floats `cbor:",omitempty"`
}

// mostDummies is the largest number of levels of a feature for which an estimator that also accepts codes receives a column for
// each level. With few levels it fits a length for each, and predictions are slightly better.
const mostDummies = 32

// learn returns the schema of a training table for an estimator, and the matrix of its rows.
func learn(ctx context.Context, t *gridtable.Table, noOneHot bool, missing Missing, estimator any) (*schema, *mat.Dense, error) {
	if err := missing.check(); err != nil {
		return nil, nil, err
	}
	s := &schema{NoOneHot: noOneHot, Missing: missing}
	seen := *t
	seen.Features = slices.Clone(t.Features)
	for j := range seen.Features {
		c := &seen.Features[j]
		if c.Column.Kind == gridtable.CategoricalKind {
			if noOneHot {
				return nil, nil, fault.Param("input", "feature", strconv.Quote(c.Column.Name)+", which is categorical",
					"float or binary features only, or NoOneHot = false")
			}
			if err := t.Present(c); err != nil {
				return nil, nil, err
			}
			c.Column.Code = len(c.Column.Values) > mostDummies && estimators.Supports(estimator, estimators.Categorizing)
		}
		s.Columns = append(s.Columns, c.Column.Owned())
	}
	estimators.SetCategories(estimator, gridtable.Codes(s.Columns))
	estimators.SetColumnNames(estimator, gridtable.MatrixNames(s.Columns))
	if missing != Impute {
		x, err := s.encoder().Matrix(&seen)
		return s, x, err
	}
	seen.Matrix = nil // x is written to
	x, err := gridtable.Encoder{Columns: s.Columns}.Matrix(&seen)
	if err != nil {
		return nil, nil, err
	}
	var mean columnwise.Imputer
	if err := mean.Fit(ctx, x); err != nil {
		return nil, nil, t.Explain(s.Columns, err)
	}
	s.Fills = mean.Values()
	for i := range t.Rows {
		for k, v := range x.RawRowView(i) {
			if math.IsNaN(v) {
				x.Set(i, k, s.Fills[k])
			}
		}
	}
	return s, x, nil
}

// encoder returns the encoder of the estimator's matrix.
func (s *schema) encoder() gridtable.Encoder {
	e := gridtable.Encoder{Columns: s.Columns, Replaces: s.Missing == Impute}
	if s.Missing != Pass {
		e.Gap = s.gap
	}
	return e
}

// gap returns the number that replaces a NaN. It returns an error for a NaN that is not replaced, and for an infinity.
func (s *schema) gap(name string, column, row int, v float64) (float64, error) {
	if s.Missing == Impute && math.IsNaN(v) {
		return s.Fills[column], nil
	}
	err := gridtable.NotFinite(name, row, v)
	if math.IsNaN(v) { // an error with Refuse
		err = fmt.Errorf("%w: set Missing to Impute or Pass", err)
	}
	return 0, err
}

// give calls f with the matrix of a table. To an error of f for a NaN or an infinity, which contains only the number of a column,
// it adds the name of the attribute.
func give[R any](s *schema, t *gridtable.Table, f func(x *mat.Dense) (R, error)) (out R, err error) {
	x, err := s.encoder().Matrix(t)
	if err != nil {
		return out, err
	}
	out, err = f(x)
	return out, t.Explain(s.Columns, err)
}

// Inspection describes how a fitted model reads a grid.
type Inspection struct {
	Rows int
	// Ignored lists the attributes that the training grid lacks, in the grid's order, without class attributes.
	Ignored []string
	// Unseen maps the name of a categorical feature to the number of rows whose level does not occur in the training rows.
	// Features without such rows are omitted. In such a row, all of the feature's columns are 0, or its code differs from those of
	// all training rows.
	Unseen map[string]int
}

// inspect reads a table as a model would, and returns its Inspection.
func (s *schema) inspect(t *gridtable.Table) (Inspection, error) {
	out := Inspection{Rows: t.Rows, Unseen: map[string]int{}}
	aligned, err := t.Align(s.Columns)
	if err == nil {
		err = s.encoder().Check(aligned, out.Unseen)
	}
	if err != nil {
		return Inspection{}, err
	}
	wanted := make(map[string]bool, len(s.Columns))
	for _, c := range s.Columns {
		wanted[c.Name] = true
	}
	for _, n := range t.Names() {
		if !wanted[n] {
			out.Ignored = append(out.Ignored, n)
		}
	}
	return out, nil
}

// fits returns an error unless the configuration in a file equals that of the receiver.
func (s *schema) fits(modelKind string, noOneHot bool, missing Missing) error {
	if s.NoOneHot != noOneHot {
		return fault.BadModel(modelKind, "written with NoOneHot = %t, the receiver has %t", s.NoOneHot, noOneHot)
	}
	if s.Missing != missing {
		return fault.BadModel(modelKind, "written with Missing = %v, the receiver has %v", s.Missing, missing)
	}
	return nil
}

// validate returns an error unless the schema, which was read from a file, is valid.
func (s *schema) validate() error {
	if len(s.Columns) == 0 {
		return errors.New("no feature")
	}
	if err := s.Missing.check(); err != nil {
		return err
	}
	if (s.Missing == Impute && len(s.Fills) != gridtable.MatrixWidth(s.Columns)) || (s.Missing != Impute && len(s.Fills) > 0) ||
		!s.Fills.Finite() {
		return fmt.Errorf("%d fill values for %d columns with Missing = %v, or one is not finite", len(s.Fills),
			gridtable.MatrixWidth(s.Columns),
			s.Missing)
	}
	for _, c := range s.Columns {
		if err := c.Validate(); err != nil {
			return err
		}
		if c.Kind == gridtable.CategoricalKind && len(c.Values) == 0 {
			return fmt.Errorf("the feature %q has no category", c.Name)
		}
	}
	if n, ok := celltext.Duplicate(gridtable.Names(s.Columns)); ok {
		return fmt.Errorf("the feature %q twice", n)
	}
	return nil
}
