// Package groups divides groups of rows, such as those of one patient, among parts.
package groups

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// group is a set of rows that stay together.
type group struct {
	rows   []int
	shares []float64 // fractions of the rows of each class
	weight float64   // the sum of their squares
}

// partSums holds the sums over the groups of one part so far.
type partSums struct {
	rows   float64 // per unit of size
	shares []float64
	empty  bool
}

// Check returns an ErrShape error unless there is a group for each of n rows, and there are at least want different groups.
func Check(groups []int, n, want int) error {
	if len(groups) != n {
		return fault.Shape("Groups has", len(groups), "entries", "x has %d rows", n)
	}
	if got := Count(groups); got < want {
		return fault.Shape("Groups has", got, "different groups", "want at least %d", want)
	}
	return nil
}

// Deal returns the part of each row. There must be at least as many groups as sizes. Labels are the classes of the rows, or nil for
// a single class. The sizes of the parts are approximately in proportion to sizes, overall and within each class, as far as
// undivided groups allow. No part is empty. Groups of equal size and classes are assigned in random order.
func Deal(groups, labels []int, sizes []float64, rng *rand.Rand) []int {
	all, classes := gathered(groups, labels)
	order := rng.Perm(len(all)) // breaks ties
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(all[b].weight, all[a].weight) })
	parts := make([]partSums, len(sizes))
	for f := range parts {
		parts[f] = partSums{shares: make([]float64, classes), empty: true}
	}
	empty := len(parts)
	out := make([]int, len(groups))
	for at, g := range order {
		best, least := -1, 0.0
		for f, p := range parts {
			if empty == len(all)-at && !p.empty {
				continue // the remaining groups must fill the parts that are still empty
			}
			// grows is the increase of a sum over the parts, of the squared class fractions divided by the size of the part. It is
			// smallest where the parts stay balanced.
			grows := 0.0
			for c, share := range all[g].shares {
				grows += share * (2*p.shares[c] + share) / sizes[f]
			}
			if best < 0 || grows < least*(1-1e-12) || grows <= least*(1+1e-12) && p.rows < parts[best].rows {
				best, least = f, grows
			}
		}
		if parts[best].empty {
			parts[best].empty = false
			empty--
		}
		for c, share := range all[g].shares {
			parts[best].shares[c] += share
		}
		parts[best].rows += float64(len(all[g].rows)) / sizes[best]
		for _, row := range all[g].rows {
			out[row] = best
		}
	}
	return out
}

// Shares returns, for each row, 1 divided by the number of rows of its group, so that each group counts once.
func Shares(groups []int) []float64 {
	rows := map[int]int{}
	for _, g := range groups {
		rows[g]++
	}
	out := make([]float64, len(groups))
	for i, g := range groups {
		out[i] = 1 / float64(rows[g])
	}
	return out
}

// Count returns the number of different groups.
func Count(groups []int) int {
	seen := map[int]bool{}
	for _, g := range groups {
		seen[g] = true
	}
	return len(seen)
}

// gathered returns the groups in ascending order, with their fractions of the rows of each class, and the number of classes.
func gathered(groups, labels []int) (out []group, classes int) {
	class, count := map[int]int{}, []float64{}
	at := make([]int, len(groups))
	for i := range groups {
		label := 0
		if labels != nil {
			label = labels[i]
		}
		c, seen := class[label]
		if !seen {
			c = len(count)
			class[label], count = c, append(count, 0)
		}
		at[i] = c
		count[c]++
	}
	rows := map[int][]int{}
	for i, g := range groups {
		rows[g] = append(rows[g], i)
	}
	for _, g := range slices.Sorted(maps.Keys(rows)) {
		one := group{rows: rows[g], shares: make([]float64, len(count))}
		for _, row := range one.rows {
			one.shares[at[row]] += 1 / count[at[row]]
		}
		for _, s := range one.shares {
			one.weight += s * s
		}
		out = append(out, one)
	}
	return out, len(count)
}
