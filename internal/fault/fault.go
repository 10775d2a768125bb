// Package fault defines, once, the errors of the whole module. The public
// packages alias what their users meet, so errors.Is and errors.As work across
// them: an error made in kernels and returned by a pipeline is still the same.
package fault

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// The sentinels. Every error that a package of this module makes unwraps to
// exactly one of them.
var (
	ErrParam     = errors.New("invalid parameter")
	ErrShape     = errors.New("shape mismatch")
	ErrNotFinite = errors.New("value is not finite")
	ErrNotPSD    = errors.New("matrix is not positive semi-definite")
	ErrNotFitted = errors.New("not fitted")
	ErrTooLarge  = errors.New("too large")
	ErrBadModel  = errors.New("bad model data")
)

// ParamError is a configuration field, or an argument, outside its range.
type ParamError struct {
	Type  string // what was configured, for example "lssvm: Regressor"
	Field string
	Value any
	Want  string // for example ">= 0"
}

func (e *ParamError) Error() string {
	return fmt.Sprintf("%s: %s = %v, want %s", e.Type, e.Field, short(fmt.Sprint(e.Value)), short(e.Want))
}

// Unwrap returns ErrParam.
func (e *ParamError) Unwrap() error { return ErrParam }

// Param makes a ParamError.
func Param(typ, field string, value any, want string) error {
	return &ParamError{Type: typ, Field: field, Value: value, Want: want}
}

// ShapeError is a count that does not fit: of rows, columns, labels, classes.
// Its text reads "<What> <Got> <Unit>, <Want>": "x has 12 columns, fitted on 13".
type ShapeError struct {
	Type string // what was called, for example "lssvm: Regressor"; may be empty
	What string // for example "x has"
	Got  int
	Unit string // for example "columns"
	Want string // for example "fitted on 13"

	fitted int // columns that Fit saw, where it is about those
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("%s%s %d %s, %s", prefix(e.Type), e.What, e.Got, e.Unit, short(e.Want))
}

// Unwrap returns ErrShape.
func (e *ShapeError) Unwrap() error { return ErrShape }

// Shape makes a ShapeError.
func Shape(what string, got int, unit, wantFormat string, args ...any) error {
	return &ShapeError{What: what, Got: got, Unit: unit, Want: fmt.Sprintf(wantFormat, args...)}
}

// Columns is the ShapeError of an input that is wider or narrower than the one
// that Fit saw.
func Columns(name string, got, fitted int) error {
	return ColumnsOf(name, got, fitted, "fitted on %d", fitted)
}

// ColumnsOf is Columns in other words.
func ColumnsOf(name string, got, fitted int, wantFormat string, args ...any) error {
	return &ShapeError{What: name + " has", Got: got, Unit: "columns", Want: fmt.Sprintf(wantFormat, args...), fitted: fitted}
}

// FittedColumns returns how many columns Fit saw, where an error of a prediction says it; else 0.
func FittedColumns(err error) int {
	var s *ShapeError
	if errors.As(err, &s) {
		return s.fitted
	}
	return 0
}

// NotFiniteError is a NaN or an infinity in the input. Col is -1 in a vector.
type NotFiniteError struct {
	Type     string // what was called, for example "lssvm: Regressor"; may be empty
	Name     string
	Row, Col int
	Value    float64
	Overflow string // what overflows, in place of the element
}

func (e *NotFiniteError) Error() string {
	if e.Overflow != "" {
		return prefix(e.Type) + e.Overflow + ": " + ErrNotFinite.Error()
	}
	v := "NaN"
	switch {
	case math.IsInf(e.Value, 1):
		v = "+Inf"
	case math.IsInf(e.Value, -1):
		v = "-Inf"
	}
	if e.Col < 0 {
		return fmt.Sprintf("%s%s[%d] is %s", prefix(e.Type), e.Name, e.Row, v)
	}
	hint := ""
	if e.Name == "x" && v == "NaN" { // rows of a table, whose gaps can be filled
		hint = gapHint
	}
	return fmt.Sprintf("%s%s[%d,%d] is %s%s", prefix(e.Type), e.Name, e.Row, e.Col, v, hint)
}

// gapHint says what to do about a NaN in rows.
const gapHint = " (counted from 0): fill gaps with columnwise.Imputer"

// Unwrap returns ErrNotFinite.
func (e *NotFiniteError) Unwrap() error { return ErrNotFinite }

// EmptyStatistics is the error of a fit from statistics of no rows, of what is called: "columnwise: Imputer".
func EmptyStatistics(called string) error {
	return fmt.Errorf("%s: %w", called, Shape("the statistics have", 0, "rows", "want at least 1"))
}

// FromRow returns a NotFiniteError of rows of which the first has this number with its row
// counted from there, and any other error as it is.
func FromRow(err error, first int) error {
	e, ok := err.(*NotFiniteError)
	if !ok {
		return err
	}
	moved := *e
	moved.Row += first
	return &moved
}

// NotPSDError is a matrix that no jitter within the ladder made positive
// definite.
type NotPSDError struct {
	Type   string // what was called, for example "lssvm: Regressor"; may be empty
	What   string
	Jitter float64 // the largest that was tried, relative to the mean diagonal
}

func (e *NotPSDError) Error() string {
	return fmt.Sprintf("%s%s is not positive definite, even with %.0e of its mean diagonal added", prefix(e.Type), e.What, e.Jitter)
}

// Unwrap returns ErrNotPSD.
func (e *NotPSDError) Unwrap() error { return ErrNotPSD }

// NotFittedError is a method that needs a fitted model, called before Fit.
type NotFittedError struct{ Type string }

func (e *NotFittedError) Error() string { return e.Type + ": not fitted: call Fit first" }

// Unwrap returns ErrNotFitted.
func (e *NotFittedError) Unwrap() error { return ErrNotFitted }

// NotFitted makes a NotFittedError.
func NotFitted(typ string) error { return &NotFittedError{Type: typ} }

// TooLargeError is memory over the limit that the caller set.
type TooLargeError struct {
	Type         string // what was called, for example "lssvm: Regressor"; may be empty
	What         string
	Bytes, Limit int64
	Hint         string // the way out
}

func (e *TooLargeError) Error() string {
	s := fmt.Sprintf("%s%s needs %.1f GiB, limit %.1f GiB", prefix(e.Type), e.What, gib(e.Bytes), gib(e.Limit))
	if e.Hint != "" {
		s += ": " + e.Hint
	}
	return s
}

// Unwrap returns ErrTooLarge.
func (e *TooLargeError) Unwrap() error { return ErrTooLarge }

func gib(b int64) float64 { return float64(b) / (1 << 30) }

// BadModelError is model data that is cut short, corrupted, of another kind or
// version, or that does not match the configuration of the value it is read into.
type BadModelError struct {
	Kind   string // what was to be read
	Reason string
}

func (e *BadModelError) Error() string { return e.Kind + ": bad model data: " + e.Reason }

// Unwrap returns ErrBadModel.
func (e *BadModelError) Unwrap() error { return ErrBadModel }

// BadModel makes a BadModelError.
func BadModel(kind, format string, args ...any) error {
	return &BadModelError{Kind: kind, Reason: short(fmt.Sprintf(format, args...))}
}

// longest is how much of a value, or of a reason that names some, an error tells. A list may have a million
// entries.
const longest = 400

// short is the beginning and the end of what is too long.
func short(s string) string {
	if len(s) <= longest {
		return s
	}
	return strings.ToValidUTF8(s[:longest-100]+" ... "+s[len(s)-100:], "")
}
