// Package fault defines the errors of the module. Public packages have aliases for the errors that their users encounter. Therefore
// errors.Is and errors.As work across packages. For example, an error from kernels that a pipeline returns is still the same error.
package fault

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// These are the sentinel errors. Every error that a package of this module creates wraps exactly one of them.
var (
	ErrParam     = errors.New("invalid parameter")
	ErrShape     = errors.New("shape mismatch")
	ErrNotFinite = errors.New("value is not finite")
	ErrNotPSD    = errors.New("matrix is not positive semi-definite")
	ErrNotFitted = errors.New("not fitted")
	ErrTooLarge  = errors.New("too large")
	ErrBadModel  = errors.New("bad model data")
)

// ParamError reports a configuration field or argument outside its range.
type ParamError struct {
	Type  string // the configured type, for example "lssvm: Regressor"
	Field string
	Value any
	Want  string // for example ">= 0"
}

func (e *ParamError) Error() string {
	return fmt.Sprintf("%s: %s = %v, want %s", e.Type, e.Field, short(fmt.Sprint(e.Value)), short(e.Want))
}

// Unwrap returns ErrParam.
func (e *ParamError) Unwrap() error { return ErrParam }

// Param returns a ParamError.
func Param(typ, field string, value any, want string) error {
	return &ParamError{Type: typ, Field: field, Value: value, Want: want}
}

// ShapeError reports a wrong count of rows, columns, labels or classes. Its text is "<What> <Got> <Unit>, <Want>", such as "x has
// 12 columns, fitted on 13".
type ShapeError struct {
	Type string // type or function that was called, such as "lssvm: Regressor"; may be empty
	What string // for example "x has"
	Got  int
	Unit string // for example "columns"
	Want string // for example "fitted on 13"

	fitted int // number of columns to which a model was fitted, for errors about columns
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("%s%s %d %s, %s", prefix(e.Type), e.What, e.Got, e.Unit, short(e.Want))
}

// Unwrap returns ErrShape.
func (e *ShapeError) Unwrap() error { return ErrShape }

// Shape returns a ShapeError.
func Shape(what string, got int, unit, wantFormat string, args ...any) error {
	return &ShapeError{What: what, Got: got, Unit: unit, Want: fmt.Sprintf(wantFormat, args...)}
}

// Columns returns the ShapeError for input whose number of columns differs from the number to which a model was fitted.
func Columns(name string, got, fitted int) error {
	return ColumnsOf(name, got, fitted, "fitted on %d", fitted)
}

// ColumnsOf is like Columns, with another text for the expected number.
func ColumnsOf(name string, got, fitted int, wantFormat string, args ...any) error {
	return &ShapeError{What: name + " has", Got: got, Unit: "columns", Want: fmt.Sprintf(wantFormat, args...), fitted: fitted}
}

// FittedColumns returns the number of columns to which a model was fitted if err is a ShapeError about columns, and 0 otherwise.
func FittedColumns(err error) int {
	var s *ShapeError
	if errors.As(err, &s) {
		return s.fitted
	}
	return 0
}

// NotFiniteError reports a NaN or an infinity in the input. Col is -1 for a vector.
type NotFiniteError struct {
	Type     string // type or function that was called, such as "lssvm: Regressor"; may be empty
	Name     string
	Row, Col int
	Value    float64
	Overflow string // name of a result that overflows, shown instead of the element
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
	if e.Name == "x" && v == "NaN" { // gaps in x can be filled
		hint = gapHint
	}
	return fmt.Sprintf("%s%s[%d,%d] is %s%s", prefix(e.Type), e.Name, e.Row, e.Col, v, hint)
}

// gapHint advises on a NaN in rows.
const gapHint = " (counted from 0): fill gaps with columnwise.Imputer"

// Unwrap returns ErrNotFinite.
func (e *NotFiniteError) Unwrap() error { return ErrNotFinite }

// EmptyStatistics returns the error for a fit from empty statistics. called is the name of the type, such as "columnwise: Imputer".
func EmptyStatistics(called string) error {
	return fmt.Errorf("%s: %w", called, Shape("the statistics have", 0, "rows", "want at least 1"))
}

// FromRow adds first to the row of a NotFiniteError for a block of rows that begins with row first. It returns other errors
// unchanged.
func FromRow(err error, first int) error {
	e, ok := err.(*NotFiniteError)
	if !ok {
		return err
	}
	moved := *e
	moved.Row += first
	return &moved
}

// NotPSDError reports a matrix that is indefinite even with the largest jitter that was tried.
type NotPSDError struct {
	Type   string // type or function that was called, such as "lssvm: Regressor"; may be empty
	What   string
	Jitter float64 // largest jitter that was tried, relative to the mean of the diagonal
}

func (e *NotPSDError) Error() string {
	return fmt.Sprintf("%s%s is not positive definite, even with %.0e of its mean diagonal added", prefix(e.Type), e.What, e.Jitter)
}

// Unwrap returns ErrNotPSD.
func (e *NotPSDError) Unwrap() error { return ErrNotPSD }

// NotFittedError reports that a method that needs a fitted model was called before Fit.
type NotFittedError struct{ Type string }

func (e *NotFittedError) Error() string { return e.Type + ": not fitted: call Fit first" }

// Unwrap returns ErrNotFitted.
func (e *NotFittedError) Unwrap() error { return ErrNotFitted }

// NotFitted returns a NotFittedError.
func NotFitted(typ string) error { return &NotFittedError{Type: typ} }

// TooLargeError reports that a computation would need more memory than a limit.
type TooLargeError struct {
	Type         string // type or function that was called, such as "lssvm: Regressor"; may be empty
	What         string
	Bytes, Limit int64
	Hint         string // what the user can do
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

// BadModelError reports model data that is truncated or corrupt, has another kind or version, or does not match the configuration
// of its receiver.
type BadModelError struct {
	Kind   string // the kind that was expected
	Reason string
}

func (e *BadModelError) Error() string { return e.Kind + ": bad model data: " + e.Reason }

// Unwrap returns ErrBadModel.
func (e *BadModelError) Unwrap() error { return ErrBadModel }

// BadModel returns a BadModelError.
func BadModel(kind, format string, args ...any) error {
	return &BadModelError{Kind: kind, Reason: short(fmt.Sprintf(format, args...))}
}

// longest is the largest length of a value or of a reason in an error, because a list may have a million entries.
const longest = 400

// short returns the beginning and the end of a text that is longer than longest, and other texts unchanged.
func short(s string) string {
	if len(s) <= longest {
		return s
	}
	return strings.ToValidUTF8(s[:longest-100]+" ... "+s[len(s)-100:], "")
}
