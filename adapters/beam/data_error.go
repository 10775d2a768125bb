package kernelbeam

import (
	"context"
	"fmt"

	"github.com/kernelearn/kernelearn/adapters/beam/internal/rowblocks"
)

// DataError names the row or the file that a model cannot be fitted to. If an error of package estimators applies, DataError
// unwraps to it.
type DataError struct {
	File   string // "" for a PCollection
	Line   int64  // line of a CSV file with its header, or row of a Parquet file, both from 1; 0: the file
	ID     string // the ID of a Row
	Reason string
	Err    error
}

// Error implements error.
func (e *DataError) Error() string { return "kernelbeam: " + e.place() + ": " + e.Reason }

// Unwrap returns Err.
func (e *DataError) Unwrap() error { return e.Err }

func (e *DataError) place() string {
	switch {
	case e.File == "" && e.ID == "":
		return "a row of the PCollection"
	case e.File == "":
		return fmt.Sprintf("row %q of the PCollection", e.ID)
	case e.Line == 0:
		return e.File
	default:
		return fmt.Sprintf("%s:%d", e.File, e.Line)
	}
}

// newDataError converts a finding to an error with its line number.
func newDataError(ctx context.Context, f *rowblocks.Finding) *DataError {
	e := &DataError{File: f.File, ID: f.ID, Reason: f.Reason, Err: f.Sentinel()}
	switch {
	case f.File == "" || f.At < 0:
	case f.Line > 0:
		e.Line = f.Line
	case f.Parquet:
		e.Line = f.At + 1
	default:
		line, err := rowblocks.LineAt(ctx, f.File, f.At)
		if err != nil {
			e.Reason = fmt.Sprintf("byte %d: %s", f.At, e.Reason)
		}
		e.Line = line
	}
	return e
}
