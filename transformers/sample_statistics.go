package transformers

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/exact"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/rowhash"
)

// sampleRows is the least number of different rows that the statistics of a map keep, if there are as many.
const sampleRows = 4096

// rowsFor is how many are kept for a map that sits on so many of them.
func rowsFor(landmarks int) int { return max(sampleRows, 4*landmarks) }

// sampleStatistics are those of maps of kernels: of the different rows those whose hash with the seed is least,
// which is a uniform sample that neither the order of the rows nor their parts change; and exact sums of the
// columns.
type sampleStatistics struct {
	typ   string
	seed  uint64
	limit int  // rows that are kept
	means bool // whether columns are summed
	n, d  int
	kept  []sampled // ascending, no two the same
	sums  []exact.Sum
}

type sampled struct {
	hash uint64
	row  []float64
}

func (a sampled) compare(b sampled) int {
	if c := cmp.Compare(a.hash, b.hash); c != 0 {
		return c
	}
	return slices.Compare(a.row, b.row)
}

// hashed is the hash of a row, in which -0 is 0.
func hashed(seed uint64, row []float64) uint64 {
	h := seed ^ rowhash.Seed
	for _, v := range row {
		h = rowhash.Number(h, v+0)
	}
	for range 2 { // so that each bit depends on each number
		high, low := bits.Mul64(h^0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9)
		h = high ^ low
	}
	return h
}

// String names them, with their settings.
func (s *sampleStatistics) String() string { return s.typ + " " + s.settings() }

func (s *sampleStatistics) settings() string {
	return fmt.Sprintf("(Seed %d, %d rows, means %v)", s.seed, s.limit, s.means)
}

// Rows implements Statistics.
func (s *sampleStatistics) Rows() int { return s.n }

// Clone implements Statistics. Rows that are kept are never written to.
func (s *sampleStatistics) Clone() Statistics { return s.copied() }

func (s *sampleStatistics) copied() *sampleStatistics {
	out := *s
	out.kept, out.sums = slices.Clone(s.kept), slices.Clone(s.sums)
	for j, c := range s.sums {
		out.sums[j] = c.Clone()
	}
	return &out
}

// AddBlock implements Statistics. Cost O(nd).
func (s *sampleStatistics) AddBlock(ctx context.Context, x *mat.Dense) error {
	rows, err := check.Dense("x", x)
	if err != nil {
		return err
	}
	n, d := rows.Dims()
	if s.n > 0 && d != s.d {
		return fault.Shape("x has", d, "columns", "the statistics have %d", s.d)
	}
	block := &sampleStatistics{n: n, d: d}
	if s.means {
		block.sums = make([]exact.Sum, d)
	}
	for i := range n {
		if i%pieceRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		row := rows.RawRowView(i)
		for j := range block.sums {
			block.sums[j].Add(row[j])
		}
		h := hashed(s.seed, row)
		if s.limit == 0 || len(s.kept) == s.limit && h > s.kept[s.limit-1].hash {
			continue
		}
		own := slices.Clone(row)
		for j := range own {
			own[j] += 0 // -0 is 0
		}
		block.kept = append(block.kept, sampled{h, own})
		if len(block.kept) > 2*s.limit {
			block.sort(s.limit)
		}
	}
	block.sort(s.limit)
	if err := ctx.Err(); err != nil {
		return err
	}
	s.take(block)
	return nil
}

// sort puts what is kept in order, each row once, and leaves the first.
func (s *sampleStatistics) sort(limit int) {
	slices.SortFunc(s.kept, sampled.compare)
	s.kept = slices.CompactFunc(s.kept, func(a, b sampled) bool { return a.compare(b) == 0 })
	s.kept = s.kept[:min(limit, len(s.kept))]
}

// take takes in rows of the same width.
func (s *sampleStatistics) take(o *sampleStatistics) {
	if o.n == 0 {
		return
	}
	s.n, s.d = s.n+o.n, o.d
	s.kept = append(slices.Clone(s.kept), o.kept...)
	s.sort(s.limit)
	if s.sums == nil {
		s.sums = make([]exact.Sum, len(o.sums))
	}
	for j, c := range o.sums {
		s.sums[j].Merge(c)
	}
}

// like returns other as such statistics, if they are.
func (s *sampleStatistics) like(other Statistics) (*sampleStatistics, error) {
	o, ok := other.(*sampleStatistics)
	if !ok || o == nil || o.typ != s.typ || o.settings() != s.settings() {
		return nil, otherStatistics(s.typ, other, s)
	}
	return o, nil
}

// Merge implements Statistics.
func (s *sampleStatistics) Merge(other Statistics) error {
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

// sample is the rows that are kept, or where none are to be, one row of the means; and the means.
func (s *sampleStatistics) sample() (rows *mat.Dense, means codec.Floats) {
	for _, c := range s.sums {
		means = append(means, exact.Moments{N: s.n, Sum: c}.Mean())
	}
	if len(s.kept) == 0 {
		rows = mat.NewDense(1, s.d, nil)
		rows.SetRow(0, append(means, make([]float64, s.d-len(means))...))
		return rows, means
	}
	rows = mat.NewDense(len(s.kept), s.d, nil)
	for i, k := range s.kept {
		rows.SetRow(i, k.row)
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

func (s *sampleStatistics) kind() string { return strings.Replace(s.typ, ": ", ".", 1) + " statistics" }

// MarshalBinary implements encoding.BinaryMarshaler.
func (s *sampleStatistics) MarshalBinary() ([]byte, error) {
	out := storedSample{Settings: s.settings(), Rows: s.n, Width: s.d, Sums: s.sums}
	if len(s.kept) > 0 {
		out.Kept = codec.Matrix{Rows: len(s.kept), Cols: s.d}
		for _, k := range s.kept {
			out.Kept.Data = append(out.Kept.Data, k.row...)
		}
	}
	return codec.Marshal(s.kind(), version, out)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler.
func (s *sampleStatistics) UnmarshalBinary(data []byte) error {
	kind := s.kind()
	var in storedSample
	if _, err := codec.Unmarshal(data, kind, version, &in); err != nil {
		return err
	}
	rows, err := in.Kept.Dense()
	want := 0
	if s.means && in.Rows > 0 {
		want = in.Width
	}
	switch {
	case err != nil:
		return fault.BadModel(kind, "%v", err)
	case in.Settings != s.settings():
		return fault.BadModel(kind, "those of settings %q, these have %q", in.Settings, s.settings())
	case in.Rows < 0 || (in.Rows == 0) != (in.Width == 0) || in.Width < 0 || len(in.Sums) != want:
		return fault.BadModel(kind, "%d rows of %d columns, and %d sums", in.Rows, in.Width, len(in.Sums))
	case in.Kept.Rows > min(s.limit, in.Rows) || in.Kept.Rows > 0 && in.Kept.Cols != in.Width || (in.Kept.Rows == 0) != (s.limit == 0 || in.Rows == 0):
		return fault.BadModel(kind, "%d rows of %d columns are kept of %d", in.Kept.Rows, in.Kept.Cols, in.Rows)
	}
	out := &sampleStatistics{typ: s.typ, seed: s.seed, limit: s.limit, means: s.means, n: in.Rows, d: in.Width, sums: in.Sums}
	for j, c := range out.sums {
		if mean := (exact.Moments{N: in.Rows, Sum: c}).Mean(); mean-mean != 0 {
			return fault.BadModel(kind, "a mean of %v in column %d", mean, j)
		}
	}
	for i := range in.Kept.Rows {
		out.kept = append(out.kept, sampled{hashed(s.seed, rows.RawRowView(i)), rows.RawRowView(i)})
	}
	out.sort(s.limit)
	*s = *out
	return nil
}

// learnSample checks the statistics of a map and calls f with what they keep.
func learnSample(ctx context.Context, s Statistics, fresh *sampleStatistics, f func(rows *mat.Dense, means codec.Floats) error) error {
	own, err := fresh.like(s)
	if err != nil {
		return err
	}
	if err := someRows(fresh.typ, s); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return f(own.sample())
}
