package transformers

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// summary is what statistics keep of a column. C is a pointer to a struct of fields that
// files have.
type summary[C any] interface {
	// add takes in values, in memory that it may write to.
	add(values []float64) error
	// fits says why those of o cannot be taken in.
	fits(o C) error
	// merge takes in what o holds, which stays as it is.
	merge(o C)
	clone() C
	// restore takes from that of no values what files do not hold, and says what is wrong with what was
	// read, of so many rows.
	restore(rows int, fresh C) error
}

// reversible is a summary that values can be taken out of again.
type reversible[C any] interface {
	// unmerge takes out what o holds, or says that it cannot have been taken in.
	unmerge(o C) error
}

// columnStatistics are those of transformers that learn of each column by itself.
type columnStatistics[C summary[C]] struct {
	typ      string                // of the transformer: "transformers: Imputer"
	settings string                // those that count for the statistics
	gap      func(column int) bool // where NaN is no error
	start    func(d int) error     // looks at the width of the first rows; may be nil
	fresh    func(j int) C         // that of no values
	n        int
	columns  []C
}

var (
	_ Statistics = (*columnStatistics[*extremes])(nil)
	_ Unmerger   = (*columnStatistics[*extremes])(nil)
)

// String names them, with their settings.
func (s *columnStatistics[C]) String() string { return strings.TrimSpace(s.typ + " " + s.settings) }

// empty returns statistics of no rows, of the same settings.
func (s *columnStatistics[C]) empty() *columnStatistics[C] {
	out := *s
	out.n, out.columns = 0, nil
	return &out
}

// Rows implements Statistics.
func (s *columnStatistics[C]) Rows() int { return s.n }

// Clone implements Statistics.
func (s *columnStatistics[C]) Clone() Statistics {
	out := s.empty()
	out.n = s.n
	for _, c := range s.columns {
		out.columns = append(out.columns, c.clone())
	}
	return out
}

// like returns other as such statistics, if they are.
func (s *columnStatistics[C]) like(other Statistics) (*columnStatistics[C], error) {
	o, ok := other.(*columnStatistics[C])
	if !ok || o == nil || o.typ != s.typ || o.settings != s.settings {
		return nil, otherStatistics(s.typ, other, s)
	}
	return o, nil
}

// AddBlock implements Statistics: the rows are summed by themselves first.
func (s *columnStatistics[C]) AddBlock(ctx context.Context, x *mat.Dense) (err error) {
	defer fault.RecoverAs(s.typ, &err)
	ctx = check.Context(ctx)
	rows, err := check.DenseGaps("x", x, s.gap)
	if err != nil {
		return err
	}
	n, d := rows.Dims()
	if err := s.width(d); err != nil {
		return err
	}
	block := s.empty()
	block.n = n
	for j := range d {
		block.columns = append(block.columns, s.fresh(j))
	}
	for from := 0; from < n; from += pieceRows {
		piece := rows.Slice(from, min(from+pieceRows, n), 0, d).(*mat.Dense)
		err := onWorkers(ctx, 1, piece, func(j int, values []float64) error {
			if err := block.columns[j].add(values); err != nil {
				return fmt.Errorf("%s: column %d has %w", s.typ, j, err)
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

// width looks at the number of columns of more rows.
func (s *columnStatistics[C]) width(d int) error {
	switch {
	case s.n > 0 && d != len(s.columns):
		return fault.Shape("x has", d, "columns", "the statistics have %d", len(s.columns))
	case s.n == 0 && s.start != nil:
		return s.start(d)
	}
	return nil
}

// Merge implements Statistics.
func (s *columnStatistics[C]) Merge(other Statistics) error {
	o, err := s.like(other)
	if err != nil {
		return err
	}
	if s.n > 0 && o.n > 0 && len(o.columns) != len(s.columns) {
		return fault.Shape("the other statistics have", len(o.columns), "columns", "these have %d", len(s.columns))
	}
	if s.n == 0 || o == s {
		o = o.Clone().(*columnStatistics[C])
	}
	return s.take(o)
}

// take takes in what fits; of no rows it may keep the columns of o.
func (s *columnStatistics[C]) take(o *columnStatistics[C]) error {
	switch {
	case o.n == 0:
		return nil
	case s.n == 0:
		s.n, s.columns = o.n, o.columns
		return nil
	}
	for j, c := range s.columns {
		if err := c.fits(o.columns[j]); err != nil {
			return fmt.Errorf("%s: column %d has %w", s.typ, j, err)
		}
	}
	for j, c := range s.columns {
		c.merge(o.columns[j])
	}
	s.n += o.n
	return nil
}

// Unmerge implements Unmerger.
func (s *columnStatistics[C]) Unmerge(other Statistics) error {
	o, err := s.like(other)
	if err != nil {
		return err
	}
	switch {
	case o.n > s.n:
		return fault.Shape("the other statistics have", o.n, "rows", "these have %d", s.n)
	case o.n > 0 && len(o.columns) != len(s.columns):
		return fault.Shape("the other statistics have", len(o.columns), "columns", "these have %d", len(s.columns))
	}
	left := make([]C, len(s.columns))
	for j, c := range s.columns {
		left[j] = c.clone()
		r, ok := any(left[j]).(reversible[C])
		if !ok {
			return fmt.Errorf("%s: what its statistics keep is no sum, and rows cannot be taken out: %w", s.typ, errors.ErrUnsupported)
		}
		if o.n == 0 {
			continue
		}
		if err := r.unmerge(o.columns[j]); err != nil {
			return fmt.Errorf("column %d: %v: %w", j, err, fault.Param(s.typ, "statistics", fmt.Sprintf("%d rows to take out", o.n), "rows that were taken in"))
		}
	}
	if s.n -= o.n; s.n == 0 {
		left = nil
	}
	s.columns = left
	return nil
}

type storedColumns[C any] struct {
	Settings string
	Rows     int
	Columns  []C
}

func (s *columnStatistics[C]) kind() string {
	return strings.Replace(s.typ, ": ", ".", 1) + " statistics"
}

// MarshalBinary implements encoding.BinaryMarshaler.
func (s *columnStatistics[C]) MarshalBinary() ([]byte, error) {
	return codec.Marshal(s.kind(), version, storedColumns[C]{s.settings, s.n, s.columns})
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler.
func (s *columnStatistics[C]) UnmarshalBinary(data []byte) error {
	kind := s.kind()
	var in storedColumns[C]
	if _, err := codec.Unmarshal(data, kind, version, &in); err != nil {
		return err
	}
	switch {
	case in.Settings != s.settings:
		return fault.BadModel(kind, "those of settings %q, these have %q", in.Settings, s.settings)
	case in.Rows < 0 || (in.Rows == 0) != (len(in.Columns) == 0):
		return fault.BadModel(kind, "%d rows of %d columns", in.Rows, len(in.Columns))
	}
	if s.start != nil && in.Rows > 0 {
		if err := s.start(len(in.Columns)); err != nil {
			return fault.BadModel(kind, "%v", err)
		}
	}
	for j, c := range in.Columns {
		if check.IsNil(c) {
			return fault.BadModel(kind, "column %d is missing", j)
		}
		if err := c.restore(in.Rows, s.fresh(j)); err != nil {
			return fault.BadModel(kind, "column %d: %v", j, err)
		}
	}
	s.n, s.columns = in.Rows, in.Columns
	return nil
}

func (s *columnStatistics[C]) columnCount() int { return len(s.columns) }

// MarshalText implements encoding.TextMarshaler: in JSON the bytes are a string, in base64.
func (s *columnStatistics[C]) MarshalText() ([]byte, error) { return codec.Text(s) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *columnStatistics[C]) UnmarshalText(text []byte) error {
	return codec.FromText(s.kind(), s, text)
}
