package kernelbeam

import (
	"context"
	"fmt"

	"github.com/kernelearn/kernelearn/adapters/beam/internal/rowblocks"
)

// DataError reports a row or a file to which a model cannot be fitted. It unwraps to an error of package estimators, if one
// applies.
type DataError struct {
	File   string // "" for a PCollection
	Line   int64  // line in a CSV file, including its header, or row in a Parquet file; both count from 1; 0: the entire file
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

// newDataError converts a finding to a DataError, which includes the line number.
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
