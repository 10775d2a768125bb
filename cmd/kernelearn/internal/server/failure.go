package server

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators"
)

// statusClientGone is the status in the log and the metrics for a client that closed its connection before the answer.
const statusClientGone = 499

// failure is an error with its HTTP status and the number of the row that caused it.
type failure struct {
	status int
	err    error
	row    int // from 1; 0: no particular row
	column string
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func failf(status int, format string, args ...any) error {
	return &failure{status: status, err: fmt.Errorf(format, args...)}
}

// failureOf returns the failure that a client receives for an error.
func failureOf(err error) *failure {
	if f := new(failure); errors.As(err, &f) {
		return f
	}
	out := &failure{status: http.StatusInternalServerError, err: err}
	if cell := new(table.CellError); errors.As(err, &cell) {
		out.row, out.column = cell.Row, cell.Column
	}
	switch {
	case errors.As(err, new(*estimators.PanicError)): // also a ParamError
	case errors.As(err, new(*http.MaxBytesError)), errors.Is(err, estimators.ErrTooLarge):
		out.status = http.StatusRequestEntityTooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		out.status, out.err = http.StatusRequestTimeout, errors.New("the body came too slowly")
	case errors.Is(err, context.DeadlineExceeded):
		out.status, out.err = http.StatusServiceUnavailable, errors.New("the predictions took too long: send fewer rows")
	case errors.Is(err, context.Canceled):
		out.status = statusClientGone
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, csv.ErrBareQuote), errors.Is(err, csv.ErrQuote):
		out.status = http.StatusBadRequest
	case errors.Is(err, estimators.ErrParam), errors.Is(err, estimators.ErrShape), errors.Is(err, estimators.ErrNotFinite):
		out.status = http.StatusUnprocessableEntity
	}
	return out
}

// longest is the largest number of bytes that an error quotes from a body.
const longest = 500

func shorten(text string) string {
	if len(text) <= longest {
		return text
	}
	return strings.ToValidUTF8(text[:longest], "") + "..."
}

// reply returns the failure in JSON. The text of an internal error is only in the log.
func (f *failure) reply() *reply {
	text := shorten(f.Error())
	if f.status == http.StatusInternalServerError {
		text = "internal error: see the log of the server"
	}
	out, err := jsonReply(struct {
		Error  string `json:"error"`
		Row    int    `json:"row,omitempty"`
		Column string `json:"column,omitempty"`
	}{text, f.row, shorten(f.column)})
	if err != nil { // impossible for texts and integers
		return &reply{contentType: textType}
	}
	return out
}
