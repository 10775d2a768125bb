// Package samplestats computes the statistics that feature maps of kernels need: a uniform sample of the distinct rows, and exact
// sums of the columns.
package samplestats

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/exact"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/rowsample"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
)

// LeastRows is the smallest number of distinct rows that the statistics of a map keep. If there are fewer, they keep all.
const LeastRows = 4096

// RowsFor returns the number of rows to keep for a map with the given number of landmarks.
func RowsFor(landmarks int) int { return max(LeastRows, 4*landmarks) }

// Statistics keeps the distinct rows whose hashes with the seed are smallest, and exact sums of the columns. The sample is uniform.
// It depends neither on the order of the rows nor on their division into parts.
type Statistics struct {
	Type   string
	Means  bool // whether columns are summed
	n, d   int
	Sample rowsample.Sample
	sums   []exact.Sum
}

// String returns the name with the settings.
func (s *Statistics) String() string { return s.Type + " " + s.settings() }

func (s *Statistics) settings() string {
	return fmt.Sprintf("(Seed %d, %d rows, means %v)", s.Sample.Seed, s.Sample.Limit, s.Means)
}

// Rows implements Statistics.
func (s *Statistics) Rows() int { return s.n }

// Clone implements Statistics.
func (s *Statistics) Clone() streaming.Statistics[streaming.None] { return s.copied() }

func (s *Statistics) copied() *Statistics {
	out := *s
	out.Sample, out.sums = s.Sample.Clone(), slices.Clone(s.sums)
	for j, c := range s.sums {
		out.sums[j] = c.Clone()
	}
	return &out
}

// AddBlock implements Statistics. It costs O(nd).
func (s *Statistics) AddBlock(ctx context.Context, b streaming.Block[streaming.None]) (err error) {
	defer fault.RecoverAs(s.Type, &err)
	ctx = check.Context(ctx)
	rows, err := rowmap.BlockRows(s.Type, b, nil)
	if err != nil {
		return err
	}
	n, d := rows.Dims()
	if s.n > 0 && d != s.d {
		return fault.Shape("x has", d, "columns", "the statistics have %d", s.d)
	}
	block := &Statistics{n: n, d: d}
	if s.Means {
		block.sums = make([]exact.Sum, d)
	}
	for from := 0; from < n; from += rowmap.PieceRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		piece := rows.Slice(from, min(from+rowmap.PieceRows, n), 0, d).(*mat.Dense)
		for i := 0; i < piece.RawMatrix().Rows && s.Means; i++ {
			for j, v := range piece.RawRowView(i) {
				block.sums[j].Add(v)
			}
		}
		part := s.Sample.Pick(piece)
		if from == 0 {
			block.Sample = *part
		} else {
			block.Sample.Merge(part)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s.take(block)
	return nil
}

// take adds o, whose rows have the same width.
func (s *Statistics) take(o *Statistics) {
	if o.n == 0 {
		return
	}
	s.n, s.d = s.n+o.n, o.d
	s.Sample.Merge(&o.Sample)
	if s.sums == nil {
		s.sums = make([]exact.Sum, len(o.sums))
	}
	for j, c := range o.sums {
		s.sums[j].Merge(c)
	}
}

// like returns other if it holds statistics of the same type and settings. Otherwise it returns an error.
func (s *Statistics) like(other streaming.Statistics[streaming.None]) (*Statistics, error) {
	o, ok := other.(*Statistics)
	if !ok || o == nil || o.Type != s.Type || o.settings() != s.settings() {
		return nil, rowmap.OtherStatistics(s.Type, other, s)
	}
	return o, nil
}

// Merge implements Statistics.
func (s *Statistics) Merge(other streaming.Statistics[streaming.None]) error {
	o, err := s.like(other)
	if err != nil {
		return err
	}
	if s.n > 0 && o.n > 0 && o.d != s.d {
		return fault.Shape("the other statistics have", o.d, "columns", "these have %d", s.d)
	}
	s.take(o.copied())
	return nil
}

// learnt returns the sampled rows and the column means. If no rows are kept, it returns the means as the only row.
func (s *Statistics) learnt() (rows *mat.Dense, means codec.Floats) {
	for _, c := range s.sums {
		means = append(means, exact.Moments{N: s.n, Sum: c}.Mean())
	}
	if rows = s.Sample.Rows(); rows == nil {
		rows = mat.NewDense(1, s.d, nil)
		copy(rows.RawRowView(0), means)
	}
	return rows, means
}

type storedSample struct {
	Settings string
	Rows     int
	Width    int
	Kept     codec.Matrix
	Sums     []exact.Sum
}

func (s *Statistics) kind() string {
	return rowmap.FileKind(s.Type) + " statistics"
}

// MarshalBinary implements encoding.BinaryMarshaler.
func (s *Statistics) MarshalBinary() ([]byte, error) {
	out := storedSample{Settings: s.settings(), Rows: s.n, Width: s.d, Sums: s.sums, Kept: s.Sample.Store()}
	return codec.Marshal(s.kind(), rowmap.Version, out)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler.
func (s *Statistics) UnmarshalBinary(data []byte) error {
	kind := s.kind()
	var in storedSample
	if _, err := codec.Unmarshal(data, kind, rowmap.Version, &in); err != nil {
		return err
	}
	sample, err := s.Sample.Restore(in.Kept, in.Rows, in.Width)
	want := 0
	if s.Means && in.Rows > 0 {
		want = in.Width
	}
	switch {
	case err != nil:
		return fault.BadModel(kind, "%v", err)
	case in.Settings != s.settings():
		return fault.BadModel(kind, "those of settings %q, these have %q", in.Settings, s.settings())
	case in.Rows < 0 || (in.Rows == 0) != (in.Width == 0) || in.Width < 0 || len(in.Sums) != want:
		return fault.BadModel(kind, "%d rows of %d columns, and %d sums", in.Rows, in.Width, len(in.Sums))
	}
	out := &Statistics{Type: s.Type, Means: s.Means, n: in.Rows, d: in.Width, sums: in.Sums, Sample: sample}
	for j, c := range out.sums {
		if mean := (exact.Moments{N: in.Rows, Sum: c}).Mean(); mean-mean != 0 {
			return fault.BadModel(kind, "a mean of %v in column %d", mean, j)
		}
	}
	*s = *out
	return nil
}

// Learn checks the statistics of a map and calls f with the sampled rows and the means.
func Learn(ctx context.Context, s streaming.Statistics[streaming.None], fresh *Statistics,
	f func(rows *mat.Dense, means codec.Floats) error) error {
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
	return f(own.learnt())
}

func (s *Statistics) ColumnCount() int { return s.d }

// MarshalText implements encoding.TextMarshaler, so that JSON holds the bytes as a base64 string.
func (s *Statistics) MarshalText() ([]byte, error) { return codec.Text(s) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Statistics) UnmarshalText(text []byte) error { return codec.FromText(s.kind(), s, text) }
