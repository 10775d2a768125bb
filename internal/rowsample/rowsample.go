// Package rowsample keeps a uniform sample of distinct rows that depends neither on their order nor on their division into blocks:
// the rows with the smallest seeded hashes.
package rowsample

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/rowhash"
)

// Sample is a sample of at most Limit rows. The zero value has a Limit of 0 and keeps no rows.
type Sample struct {
	Seed  uint64
	Limit int
	kept  []sampled // distinct, in ascending order, never modified
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

// hashed returns the hash of a row. It treats -0 as 0.
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

// Pick returns a sample that contains only the rows of x that could enter s. The rows must be finite.
func (s *Sample) Pick(x *mat.Dense) *Sample {
	out := &Sample{Seed: s.Seed, Limit: s.Limit}
	n, _ := x.Dims()
	for i := 0; i < n && s.Limit > 0; i++ {
		row := x.RawRowView(i)
		h := hashed(s.Seed, row)
		if len(s.kept) == s.Limit && h > s.kept[s.Limit-1].hash {
			continue
		}
		own := slices.Clone(row)
		for j := range own {
			own[j] += 0 // replaces -0
		}
		out.kept = append(out.kept, sampled{h, own})
		if len(out.kept) > 2*s.Limit {
			out.sort()
		}
	}
	out.sort()
	return out
}

// sort sorts the rows, removes duplicates, and keeps the first Limit.
func (s *Sample) sort() {
	slices.SortFunc(s.kept, sampled.compare)
	s.kept = slices.CompactFunc(s.kept, func(a, b sampled) bool { return a.compare(b) == 0 })
	s.kept = s.kept[:min(s.Limit, len(s.kept))]
}

// Merge includes the rows of a sample with the same seed and limit.
func (s *Sample) Merge(o *Sample) {
	s.kept = append(slices.Clone(s.kept), o.kept...)
	s.sort()
}

// Clone returns an independent copy.
func (s *Sample) Clone() Sample {
	out := *s
	out.kept = slices.Clone(s.kept)
	return out
}

// Rows returns the rows in the order of their hashes. It returns nil for an empty sample.
func (s *Sample) Rows() *mat.Dense {
	if len(s.kept) == 0 {
		return nil
	}
	out := mat.NewDense(len(s.kept), len(s.kept[0].row), nil)
	for i, k := range s.kept {
		out.SetRow(i, k.row)
	}
	return out
}

// Store returns the file form.
func (s *Sample) Store() codec.Matrix { return codec.FromDense(s.Rows()) }

// Restore returns a sample with the seed and limit of s and the stored rows. It returns an error unless the stored rows are a
// possible sample of this many rows and columns.
func (s *Sample) Restore(in codec.Matrix, rows, columns int) (Sample, error) {
	kept, err := in.Dense()
	switch {
	case err != nil:
		return Sample{}, err
	case in.Rows > min(s.Limit, rows) || in.Rows > 0 && in.Cols != columns || (in.Rows == 0) != (s.Limit == 0 || rows == 0):
		return Sample{}, fmt.Errorf("a sample of %d rows of %d columns from %d rows of %d columns", in.Rows, in.Cols, rows, columns)
	}
	out := Sample{Seed: s.Seed, Limit: s.Limit}
	for i := range in.Rows {
		row := kept.RawRowView(i)
		out.kept = append(out.kept, sampled{hashed(s.Seed, row), row})
	}
	out.sort()
	return out, nil
}
