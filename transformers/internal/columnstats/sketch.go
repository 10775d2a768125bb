package columnstats

import (
	"context"
	"math"
	"slices"
	"sort"

	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
)

// SketchBuffer is the number of values that a level of a sketch can hold. For a million values a sketch holds at most 65 000, which
// take half a megabyte, and its ranks are accurate to 0.06% of the number of values.
const SketchBuffer = 8192

// Sketch stores the order of values that arrive one after another, in memory that grows with the logarithm of their number. A full
// level is sorted, and every second value moves to the level above, where each value represents two of the level below. These are
// alternately the first and the second values of the pairs (G. Manku, S. Rajagopalan and B. Lindsay, SIGMOD 1998; P. Agarwal and
// others, Mergeable summaries, PODS 2012, choose at random). The same values therefore lead to the same sketch, and the error of a
// rank has a known bound.
//
// A level holds k values, each of weight 2^h. Emptying it miscounts the values up to a number v only if an odd number of the k
// values is at most v. The count is too high by 2^h if the first values of the pairs are kept, and too low by 2^h if the second
// values are. If the first values were kept a times and the second values b times, the error is at most max(a, b) 2^h in either
// direction. The choice that was made less often is made next, so that the choices alternate in one stream. For n values a + b ≤
// n/(k 2^h), and levels of weight above n/k are never full. The error over all levels is at most n (log₂(n/k) + 3) / 2k.
//
// Two sketches are merged level by level. The values are combined, and a and b are added, which bounds the combined miscounts. A
// level that is then full is emptied. If its number of values is odd, one value remains. All parts may have kept the first values,
// so max(a, b) is only bounded by a + b. The error over all levels is then at most n (log₂(n/k) + 1) / k, for any parts in any
// order.
//
// No library is used, because an exact median and an exact bound of a Winsorizer need an error bound that holds for every stream
// and is computed for the stream at hand. KLL and REQ sketches are randomised, and their bounds hold with a probability. A t-digest
// has no bound. The bounds of DDSketch are relative to the value, so an offset makes them useless.
type Sketch struct {
	N              int
	Least, Largest float64
	levels         []level
}

type level struct {
	values          []float64
	firsts, seconds int // how often the first and the second values of the pairs moved up
}

func (s *Sketch) add(values []float64) {
	for _, v := range values {
		if s.N == 0 {
			s.Least, s.Largest = v, v
		}
		s.N++
		s.Least, s.Largest = min(s.Least, v), max(s.Largest, v)
		s.put(0, v)
	}
}

func (s *Sketch) put(h int, v float64) {
	if h == len(s.levels) {
		s.levels = append(s.levels, level{})
	}
	s.levels[h].values = append(s.levels[h].values, v)
	if len(s.levels[h].values) < SketchBuffer {
		return
	}
	s.empty(h)
}

// empty moves every second value of level h up.
func (s *Sketch) empty(h int) {
	l := &s.levels[h]
	full := l.values
	slices.Sort(full)
	from := 0
	if l.firsts > l.seconds {
		from = 1
		l.seconds++
	} else {
		l.firsts++
	}
	pairs := len(full) / 2 * 2
	up := make([]float64, 0, pairs/2)
	for i := from; i < pairs; i += 2 {
		up = append(up, full[i])
	}
	l.values = append(full[:0], full[pairs:]...)
	for _, v := range up {
		s.put(h+1, v)
	}
}

// merge adds the values of o, which it does not change.
func (s *Sketch) merge(o *Sketch) {
	switch {
	case o.N == 0:
		return
	case s.N == 0:
		s.Least, s.Largest = o.Least, o.Largest
	}
	s.N += o.N
	s.Least, s.Largest = min(s.Least, o.Least), max(s.Largest, o.Largest)
	for h := range o.levels {
		if h == len(s.levels) {
			s.levels = append(s.levels, level{})
		}
		l, other := &s.levels[h], o.levels[h]
		l.firsts, l.seconds = l.firsts+other.firsts, l.seconds+other.seconds
		l.values = append(l.values, other.values...)
	}
	for h := 0; h < len(s.levels); h++ {
		if len(s.levels[h].values) >= SketchBuffer {
			s.empty(h)
		}
	}
}

func (s *Sketch) clone() *Sketch {
	out := *s
	out.levels = slices.Clone(s.levels)
	for h := range out.levels {
		out.levels[h].values = slices.Clone(out.levels[h].values)
	}
	return &out
}

// missed returns the bound on the error of a rank, as a number of values. It is 0 while all values are stored.
func (s *Sketch) missed() int {
	out := 0
	for h, l := range s.levels {
		out += max(l.firsts, l.seconds) << h
	}
	return out
}

// Ranked holds the stored values of a sketch in ascending order. For each of them it holds the number of values that are at most as
// large.
type Ranked struct {
	values         []float64
	upTo           []int
	N, Missed      int
	Least, Largest float64
}

func (s *Sketch) Rank() *Ranked {
	r := &Ranked{N: s.N, Missed: s.missed(), Least: s.Least, Largest: s.Largest}
	type weighted struct {
		v float64
		w int
	}
	var all []weighted
	for h, l := range s.levels {
		for _, v := range l.values {
			all = append(all, weighted{v, 1 << h})
		}
	}
	slices.SortFunc(all, func(a, b weighted) int {
		switch {
		case a.v < b.v:
			return -1
		case a.v > b.v:
			return 1
		}
		return 0
	})
	total := 0
	for _, a := range all {
		total += a.w
		if last := len(r.values) - 1; last >= 0 && r.values[last] == a.v {
			r.upTo[last] = total
			continue
		}
		r.values, r.upTo = append(r.values, a.v), append(r.upTo, total)
	}
	return r
}

// valueOfRank returns a value whose rank, counted from 0, differs from i by at most missed. The smallest and the largest value are
// exact.
func (r *Ranked) valueOfRank(i int) float64 {
	switch {
	case i <= 0:
		return r.Least
	case i >= r.N-1:
		return r.Largest
	}
	return r.values[sort.Search(len(r.upTo), func(k int) bool { return r.upTo[k] > i })]
}

// Pair returns the values at ranks i and i+1.
func (r *Ranked) Pair(i int) (first, second float64) { return r.valueOfRank(i), r.valueOfRank(i + 1) }

// ReadRanks reads a stream once, and returns the stored values of a sketch of each column. It ignores gaps.
func ReadRanks(ctx context.Context, rows *rowmap.Stream, workers int) ([]*Ranked, error) {
	sketches, err := ReadColumns(ctx, rows, workers, func(int) (s Sketch) { return s }, func(s *Sketch, values []float64) error {
		s.add(slices.DeleteFunc(values, math.IsNaN))
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]*Ranked, len(sketches))
	for j := range sketches {
		out[j] = sketches[j].Rank()
		sketches[j].levels = nil
	}
	return out, nil
}

// Quantiles returns up to count values at evenly spaced ranks, or all values if there are no more than count.
func (r *Ranked) Quantiles(count int) []float64 {
	out := make([]float64, min(count, r.N))
	for k := range out {
		out[k] = r.valueOfRank(int((float64(k) + .5) / float64(len(out)) * float64(r.N)))
	}
	return out
}
