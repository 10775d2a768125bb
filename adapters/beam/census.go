package kernelbeam

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// DataError says which row, or file, cannot be learnt from. It unwraps to an error of package estimators where there is one that fits.
type DataError struct {
	File   string // "" for a PCollection
	Line   int64  // from 1 in a CSV file, the line of names among them; of a Parquet file the row, from 1; 0: all of the file
	ID     string // of a Row
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

// finding is a row, or a file, that something is wrong with.
type finding struct {
	File    string
	At      int64 // -1: all of the file
	ID      string
	Parquet bool
	Reason  string
	Text    string // of the row, as far as maxText
	Kind    int    // in kinds
}

const maxText = 1000

// kinds are the errors that findings may unwrap to.
var kinds = []error{nil, fault.ErrParam, fault.ErrShape, fault.ErrNotFinite, fault.ErrNotPSD, fault.ErrTooLarge, fault.ErrBadModel,
	errors.ErrUnsupported}

func kindOf(err error) int {
	for i, k := range kinds[1:] {
		if errors.Is(err, k) {
			return i + 1
		}
	}
	return 0
}

func (f finding) compare(o finding) int {
	return cmp.Or(cmp.Compare(f.File, o.File), cmp.Compare(f.At, o.At), cmp.Compare(f.ID, o.ID), cmp.Compare(f.Reason, o.Reason))
}

// err returns it as an error, with the number of its line.
func (f finding) err(ctx context.Context) *DataError {
	e := &DataError{File: f.File, ID: f.ID, Reason: f.Reason, Err: kinds[min(f.Kind, len(kinds)-1)]}
	switch {
	case f.File == "" || f.At < 0:
	case f.Parquet:
		e.Line = f.At + 1
	default:
		line, err := lineAt(ctx, f.File, f.At)
		if err != nil {
			e.Reason = fmt.Sprintf("byte %d: %s", f.At, e.Reason)
		}
		e.Line = line
	}
	return e
}

// census is what is known of the rows that a pass has seen, besides the statistics. Those of parts are merged in any order.
type census struct {
	Rows   int64
	Hash   uint64    // the sum of the rows' hashes, by which a later pass knows the same rows
	Bad    int64     // rows that were left out
	Limit  int       // how many of those are kept
	Left   []finding // the first of them, in order
	Fault  *finding  // the first that ends the pass
	Shards []written // files of predictions
}

// written is a file of predictions, with the place of its first row.
type written struct {
	Path, File string
	At         int64
}

// merge takes in what o knows.
func (c *census) merge(o *census) {
	c.Rows, c.Hash, c.Bad = c.Rows+o.Rows, c.Hash+o.Hash, c.Bad+o.Bad
	c.Limit = max(c.Limit, o.Limit)
	for _, f := range o.Left {
		c.leave(f)
	}
	if o.Fault != nil && (c.Fault == nil || o.Fault.compare(*c.Fault) < 0) {
		c.Fault = o.Fault
	}
	c.Shards = append(c.Shards, o.Shards...)
}

// leave keeps f if it is among the first.
func (c *census) leave(f finding) {
	i, _ := slices.BinarySearchFunc(c.Left, f, finding.compare)
	if i < c.Limit {
		c.Left = slices.Insert(c.Left, i, f)
		c.Left = c.Left[:min(len(c.Left), c.Limit)]
	}
}

const censusKind = "kernelbeam.census"

// storedCensus has no methods, so that it is stored field by field.
type storedCensus census

// MarshalBinary implements summary.
func (c *census) MarshalBinary() ([]byte, error) {
	return codec.Marshal(censusKind, 1, storedCensus(*c))
}

// UnmarshalBinary implements summary.
func (c *census) UnmarshalBinary(data []byte) error {
	var in storedCensus
	if _, err := codec.Unmarshal(data, censusKind, 1, &in); err != nil {
		return err
	}
	*c = census(in)
	return nil
}

// absorb implements summary.
func (c *census) absorb(o summary) error {
	other, ok := o.(*census)
	if !ok {
		return fmt.Errorf("kernelbeam: %T and %T cannot be merged", c, o)
	}
	c.merge(other)
	return nil
}

// add implements summary: the collector counts by itself.
func (c *census) add(context.Context, *block) error { return nil }
