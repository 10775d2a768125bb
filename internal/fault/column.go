package fault

import (
	"errors"
	"fmt"
	"strings"
)

// columnError is an error of data with the names of columns that it knows by number.
type columnError struct {
	text   string
	column string // that has a value that is not finite; "" for another number of columns
	err    error
}

func (e *columnError) Error() string { return e.text }

// Unwrap returns the error that knows numbers.
func (e *columnError) Unwrap() error { return e.err }

// NameColumns names the columns of x in an error that knows them by number: the one that has a value that is not finite, and those that
// are wanted where there are more or fewer. Errors that name columns already, and others, stay as they are. Nil names are unknown.
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

// NamedColumn returns the column that NameColumns named in an error, "" for none, and the error as it was before, if nothing has wrapped
// it since.
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
