package columnstats

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
)

// MostCounted is the largest number of distinct values of a column that are counted at the same time.
const MostCounted = 1 << 16

// FrequentValues counts values with MostCounted counters. When a value arrives for which no counter is free, all counters decrease
// by one, and counters that are 0 are removed (J. Misra and D. Gries, Science of Computer Programming 2, 1982). Each count is
// therefore too low by at most missed.
type FrequentValues struct {
	N      int
	counts map[float64]int
	missed int
}

func (f *FrequentValues) add(values []float64) {
	f.N += len(values)
	for _, v := range values {
		if _, ok := f.counts[v]; ok || len(f.counts) < MostCounted {
			f.counts[v]++
			continue
		}
		f.missed++
		for v, c := range f.counts {
			if c == 1 {
				delete(f.counts, v)
			} else {
				f.counts[v] = c - 1
			}
		}
	}
}

// MostFrequent returns the most frequent value, or the smallest of them in a tie.
func (f *FrequentValues) MostFrequent() (value float64, count int) {
	for v, c := range f.counts {
		if c > count || c == count && v < value {
			value, count = v, c
		}
	}
	return value, count
}

// ReadFrequent counts the values of each column and ignores gaps. If a column has more distinct values than can be counted at the
// same time, a second pass counts the candidates. If another value may be as frequent as the best candidate, it returns
// ErrTooLarge.
func ReadFrequent(ctx context.Context, rows *rowmap.Stream) ([]FrequentValues, error) {
	counted, err := ReadColumns(ctx, rows, 1, func(int) FrequentValues { return FrequentValues{counts: map[float64]int{}} },
		func(f *FrequentValues, values []float64) error {
			f.add(slices.DeleteFunc(values, math.IsNaN))
			return nil
		})
	if err != nil || !slices.ContainsFunc(counted, func(f FrequentValues) bool { return f.missed > 0 }) {
		return counted, err
	}
	for j := range counted {
		if counted[j].missed > 0 {
			for v := range counted[j].counts {
				counted[j].counts[v] = 0
			}
		}
	}
	_, err = ReadColumns(ctx, rows, 1, func(j int) *FrequentValues { return &counted[j] },
		func(f **FrequentValues, values []float64) error {
			if (*f).missed == 0 {
				return nil
			}
			for _, v := range values {
				if _, ok := (*f).counts[v]; ok {
					(*f).counts[v]++
				}
			}
			return nil
		})
	if err != nil {
		return nil, err
	}
	for j, f := range counted {
		if _, count := f.MostFrequent(); count <= f.missed {
			return nil, fmt.Errorf("%s: column %d has more than %d values, and none is in %d of its %d rows: "+
				"no value is clearly the most frequent, use Mean or Median: %w",
				rows.Name, j, MostCounted, f.missed+1, f.N, fault.ErrTooLarge)
		}
	}
	return counted, nil
}
