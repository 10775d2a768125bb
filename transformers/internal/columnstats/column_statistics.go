// Package columnstats computes the statistics of single columns that transformers need: exact sums, extremes, counts and ranks. It
// computes them from all rows at once, from a stream, or as [Statistics] of parts that are merged.
package columnstats

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
)

// Summary summarises a column in statistics. C is a pointer to a struct whose fields are stored in files.
type Summary[C any] interface {
	// add adds values, and may overwrite them.
	add(values []float64) error
	// fits returns an error if o cannot be merged.
	fits(o C) error
	// merge adds o, which it does not change.
	merge(o C)
	clone() C
	// restore copies the fields that files do not contain from an empty summary. It returns an error if the summary is invalid for
	// the given number of rows.
	restore(rows int, fresh C) error
}

// reversible is a summary from which values can be removed.
type reversible[C any] interface {
	// unmerge removes the values of o. It returns an error if o cannot have been merged before.
	unmerge(o C) error
}

// Statistics holds the summaries for a transformer that treats each column separately.
type Statistics[C Summary[C]] struct {
	Type     string                // name of the transformer, such as "columnwise: Imputer"
	Settings string                // the settings on which the statistics depend
	Gap      func(column int) bool // reports whether NaN is allowed
	Start    func(d int) error     // checks the width of the first rows; nil: no check
	Fresh    func(j int) C         // returns an empty summary
	N        int
	Columns  []C
}

// String returns the name with the settings.
func (s *Statistics[C]) String() string { return strings.TrimSpace(s.Type + " " + s.Settings) }

// empty returns statistics without rows and with the same settings.
func (s *Statistics[C]) empty() *Statistics[C] {
	out := *s
	out.N, out.Columns = 0, nil
	return &out
}

// Rows implements Statistics.
func (s *Statistics[C]) Rows() int { return s.N }

// Clone implements Statistics.
func (s *Statistics[C]) Clone() streaming.Statistics[streaming.None] {
	out := s.empty()
	out.N = s.N
	for _, c := range s.Columns {
		out.Columns = append(out.Columns, c.clone())
	}
	return out
}

// like returns other if it holds statistics of the same type and settings. Otherwise it returns an error.
func (s *Statistics[C]) like(other streaming.Statistics[streaming.None]) (*Statistics[C], error) {
	o, ok := other.(*Statistics[C])
	if !ok || o == nil || o.Type != s.Type || o.Settings != s.Settings {
		return nil, rowmap.OtherStatistics(s.Type, other, s)
	}
	return o, nil
}

// AddBlock implements Statistics. It first computes the statistics of the block separately.
func (s *Statistics[C]) AddBlock(ctx context.Context, b streaming.Block[streaming.None]) (err error) {
	defer fault.RecoverAs(s.Type, &err)
	ctx = check.Context(ctx)
	rows, err := rowmap.BlockRows(s.Type, b, s.Gap)
	if err != nil {
		return err
	}
	n, d := rows.Dims()
	if err := s.width(d); err != nil {
		return err
	}
	block := s.empty()
	block.N = n
	for j := range d {
		block.Columns = append(block.Columns, s.Fresh(j))
	}
	for from := 0; from < n; from += rowmap.PieceRows {
		piece := rows.Slice(from, min(from+rowmap.PieceRows, n), 0, d).(*mat.Dense)
		err := EachColumnOn(ctx, 1, piece, func(j int, values []float64) error {
			if err := block.Columns[j].add(values); err != nil {
				return fmt.Errorf("%s: column %d has %w", s.Type, j, err)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.take(block)
}

// width returns an error if rows with d columns cannot be added.
func (s *Statistics[C]) width(d int) error {
	switch {
	case s.N > 0 && d != len(s.Columns):
		return fault.Shape("x has", d, "columns", "the statistics have %d", len(s.Columns))
	case s.N == 0 && s.Start != nil:
		return s.Start(d)
	}
	return nil
}

// Merge implements Statistics.
func (s *Statistics[C]) Merge(other streaming.Statistics[streaming.None]) error {
	o, err := s.like(other)
	if err != nil {
		return err
	}
	if s.N > 0 && o.N > 0 && len(o.Columns) != len(s.Columns) {
		return fault.Shape("the other statistics have", len(o.Columns), "columns", "these have %d", len(s.Columns))
	}
	if s.N == 0 || o == s {
		o = o.Clone().(*Statistics[C])
	}
	return s.take(o)
}

// take merges o, which has the same type, settings and width. If s has no rows, it may keep the columns of o.
func (s *Statistics[C]) take(o *Statistics[C]) error {
	switch {
	case o.N == 0:
		return nil
	case s.N == 0:
		s.N, s.Columns = o.N, o.Columns
		return nil
	}
	for j, c := range s.Columns {
		if err := c.fits(o.Columns[j]); err != nil {
			return fmt.Errorf("%s: column %d has %w", s.Type, j, err)
		}
	}
	for j, c := range s.Columns {
		c.merge(o.Columns[j])
	}
	s.N += o.N
	return nil
}

// Unmerge implements Unmerger.
func (s *Statistics[C]) Unmerge(other streaming.Statistics[streaming.None]) error {
	o, err := s.like(other)
	if err != nil {
		return err
	}
	switch {
	case o.N > s.N:
		return fault.Shape("the other statistics have", o.N, "rows", "these have %d", s.N)
	case o.N > 0 && len(o.Columns) != len(s.Columns):
		return fault.Shape("the other statistics have", len(o.Columns), "columns", "these have %d", len(s.Columns))
	}
	left := make([]C, len(s.Columns))
	for j, c := range s.Columns {
		left[j] = c.clone()
		r, ok := any(left[j]).(reversible[C])
		if !ok {
			return fmt.Errorf("%s: its statistics are not sums, so rows cannot be removed: %w", s.Type, errors.ErrUnsupported)
		}
		if o.N == 0 {
			continue
		}
		if err := r.unmerge(o.Columns[j]); err != nil {
			return fmt.Errorf("column %d: %v: %w", j, err, fault.Param(s.Type, "statistics", fmt.Sprintf("%d rows to remove", o.N),
				"rows that were added"))
		}
	}
	if s.N -= o.N; s.N == 0 {
		left = nil
	}
	s.Columns = left
	return nil
}

type storedColumns[C any] struct {
	Settings string
	Rows     int
	Columns  []C
}

func (s *Statistics[C]) kind() string {
	return rowmap.FileKind(s.Type) + " statistics"
}

// MarshalBinary implements encoding.BinaryMarshaler.
func (s *Statistics[C]) MarshalBinary() ([]byte, error) {
	return codec.Marshal(s.kind(), rowmap.Version, storedColumns[C]{s.Settings, s.N, s.Columns})
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler.
func (s *Statistics[C]) UnmarshalBinary(data []byte) error {
	kind := s.kind()
	var in storedColumns[C]
	if _, err := codec.Unmarshal(data, kind, rowmap.Version, &in); err != nil {
		return err
	}
	switch {
	case in.Settings != s.Settings:
		return fault.BadModel(kind, "those of settings %q, these have %q", in.Settings, s.Settings)
	case in.Rows < 0 || (in.Rows == 0) != (len(in.Columns) == 0):
		return fault.BadModel(kind, "%d rows of %d columns", in.Rows, len(in.Columns))
	}
	if s.Start != nil && in.Rows > 0 {
		if err := s.Start(len(in.Columns)); err != nil {
			return fault.BadModel(kind, "%v", err)
		}
	}
	for j, c := range in.Columns {
		if check.IsNil(c) {
			return fault.BadModel(kind, "column %d is missing", j)
		}
		if err := c.restore(in.Rows, s.Fresh(j)); err != nil {
			return fault.BadModel(kind, "column %d: %v", j, err)
		}
	}
	s.N, s.Columns = in.Rows, in.Columns
	return nil
}

func (s *Statistics[C]) ColumnCount() int { return len(s.Columns) }

// MarshalText implements encoding.TextMarshaler, so that JSON holds the bytes as a base64 string.
func (s *Statistics[C]) MarshalText() ([]byte, error) { return codec.Text(s) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Statistics[C]) UnmarshalText(text []byte) error {
	return codec.FromText(s.kind(), s, text)
}

// Learn stores the result of f for the statistics s. The statistics must have rows, and a summary of the same type as fresh for
// each column.
func Learn[M rowmap.Stored, C Summary[C]](ctx context.Context, l *rowmap.State[M], s streaming.Statistics[streaming.None],
	fresh *Statistics[C],
	f func(*Statistics[C]) (*M, error)) error {
	own, err := fresh.like(s)
	if err != nil {
		return err
	}
	if s.Rows() == 0 {
		return fault.EmptyStatistics(fresh.Type)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	m, err := f(own)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	l.Fitted, l.Sums = m, own.Clone()
	return nil
}
