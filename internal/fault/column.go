package fault

import (
	"errors"
	"fmt"
	"strings"
)

// columnError adds the names of columns to a data error that contains their numbers.
type columnError struct {
	text   string
	column string // name of the column of the value that is not finite; "" if the number of columns is wrong
	err    error
}

func (e *columnError) Error() string { return e.text }

// Unwrap returns the error with column numbers.
func (e *columnError) Unwrap() error { return e.err }

// NameColumns adds the names of the columns of x to an error that contains their numbers: the column of a value that is not finite,
// or all expected columns if their number is wrong. All other errors, and errors that already contain names, are returned
// unchanged. If the names are not known, names is nil.
func NameColumns(err error, names []string) error {
	if err == nil || len(names) == 0 { // before anything is allocated
		return err
	}
	var named *columnError
	if errors.As(err, &named) {
		return err
	}
	var value *NotFiniteError
	if errors.As(err, &value) && value.Name == "x" && value.Overflow == "" && value.Col >= 0 && value.Col < len(names) {
		return &columnError{fmt.Sprintf("column %q, row %d: %v", names[value.Col], value.Row, err), names[value.Col], err}
	}
	if FittedColumns(err) == len(names) {
		return &columnError{fmt.Sprintf("%v: %s", err, short(strings.Join(names, ", "))), "", err}
	}
	return err
}

// NamedColumn returns the column whose name NameColumns added to an error, or "". It also returns the error without the name,
// unless another error wraps it.
func NamedColumn(err error) (column string, before error) {
	var named *columnError
	if !errors.As(err, &named) || named.column == "" {
		return "", err
	}
	if own, ok := err.(*columnError); ok {
		err = own.err
	}
	return named.column, err
}
