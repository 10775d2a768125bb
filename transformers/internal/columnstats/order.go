package columnstats

import (
	"context"
	"math"
	"slices"
	"sort"

	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
)

// Order holds the values of a column at some ranks.
type Order struct {
	N        int
	Largest  float64
	brackets []*bracket
	all      *Ranked // used instead if there are few values
}

// Pair returns the values at ranks i and i+1. Rank i must be one of those requested.
func (o *Order) Pair(i int) (first, second float64) {
	for _, b := range o.brackets {
		if b.index == i {
			return b.pair()
		}
	}
	return o.all.Pair(i)
}

// ReadOrders finds the exact values at some ranks, and at the ranks after them, in each column of a stream. It ignores gaps. The
// function wanted returns the ranks for a given number of values. If a sketch does not hold all values, a second pass counts the
// values that may have these ranks.
func ReadOrders(ctx context.Context, rows *rowmap.Stream, workers int, wanted func(n int) []int) ([]*Order, error) {
	columns, err := ReadRanks(ctx, rows, workers)
	if err != nil {
		return nil, err
	}
	out, open := make([]*Order, len(columns)), false
	for j, r := range columns {
		out[j] = &Order{N: r.N, Largest: r.Largest}
		if r.Missed == 0 {
			out[j].all = r
			continue
		}
		open = true
		for _, i := range wanted(r.N) {
			out[j].brackets = append(out[j].brackets, r.bracket(i))
		}
	}
	if !open {
		return out, nil
	}
	_, err = ReadColumns(ctx, rows, workers, func(j int) []*bracket { return out[j].brackets },
		func(brackets *[]*bracket, values []float64) error {
			values = slices.DeleteFunc(values, math.IsNaN)
			for _, b := range *brackets {
				b.add(values)
			}
			return nil
		})
	return out, err
}

// bracket is an interval that contains two consecutive values of a column. Counting all values in the interval identifies the two.
type bracket struct {
	index     int     // the rank of the first of the two values
	low, high float64 // the interval is (low, high]
	below     int     // number of values that are at most low
	within    map[float64]int
}

// bracket returns a bracket for ranks i and i+1. It contains at most about six times missed distinct values.
func (r *Ranked) bracket(i int) *bracket {
	b := &bracket{index: i, low: math.Inf(-1), high: math.Inf(1), within: map[float64]int{}}
	if k := sort.Search(len(r.upTo), func(k int) bool { return r.upTo[k]+r.Missed > i }); k > 0 {
		b.low = r.values[k-1]
	}
	if k := sort.Search(len(r.upTo), func(k int) bool { return r.upTo[k]-r.Missed >= i+2 }); k < len(r.upTo) {
		b.high = r.values[k]
	}
	return b
}

func (b *bracket) add(values []float64) {
	for _, v := range values {
		switch {
		case v <= b.low:
			b.below++
		case v < b.high:
			b.within[v]++
		}
	}
}

// pair returns the two values of the bracket.
func (b *bracket) pair() (first, second float64) {
	keys := make([]float64, 0, len(b.within))
	for v := range b.within {
		keys = append(keys, v)
	}
	slices.Sort(keys)
	at := func(i int) float64 {
		rank := b.below
		for _, v := range keys {
			if rank += b.within[v]; rank > i {
				return v
			}
		}
		return b.high
	}
	return at(b.index), at(b.index + 1)
}
