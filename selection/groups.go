package selection

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// GroupKFold cuts the rows into Folds parts, each the test part once, and keeps the rows of a group together: patients,
// machines, days, of which a model is to predict others than those that it has seen. The largest group first, each goes to
// the part with the fewest rows so far, so that the parts are as even as whole groups allow by that rule; of groups of a size chance
// decides. Groups belong to the rows of x, all of them.
type GroupKFold struct {
	// Groups has the group of each row. Any numbers are allowed.
	Groups []int

	// Folds is the number of folds. If it is 0, it is 3.
	Folds int
	Seed  uint64
}

// Split returns Folds folds. Errors: ErrParam; ErrShape for fewer groups than folds, or Groups of another length than n.
func (g GroupKFold) Split(n int, _ []int) ([]Fold, error) {
	return groupFolds("selection: GroupKFold", g.Groups, g.Folds, g.Seed, n, make([]int, max(n, 0)))
}

// StratifiedGroupKFold is [GroupKFold] whose parts also have the classes in the proportions of all rows, as nearly as whole
// groups allow: those that hold the largest shares of classes first, each group goes to the part that leaves the
// shares that the parts have of each class the least apart.
type StratifiedGroupKFold struct {
	// Groups has the group of each row. Any numbers are allowed.
	Groups []int

	// Folds is the number of folds. If it is 0, it is 3.
	Folds int
	Seed  uint64
}

// Split returns Folds folds. Errors: ErrParam; ErrShape for fewer groups than folds, or Groups or labels of another length
// than n.
func (g StratifiedGroupKFold) Split(n int, labels []int) ([]Fold, error) {
	if len(labels) != n {
		return nil, fault.Shape("labels has", len(labels), "entries", "want %d", n)
	}
	return groupFolds("selection: StratifiedGroupKFold", g.Groups, g.Folds, g.Seed, n, labels)
}

// group is rows that stay together.
type group struct {
	rows   []int
	shares []float64 // of each class
	weight float64   // the sum of their squares
}

// groupPart is what a part has so far.
type groupPart struct {
	rows   int
	shares []float64
}

func groupFolds(typ string, groups []int, k int, seed uint64, n int, labels []int) ([]Fold, error) {
	if k == 0 {
		k = defaultFolds
	}
	switch {
	case k < 2:
		return nil, fault.Param(typ, "Folds", k, ">= 2, or 0 for the default")
	case len(groups) != n:
		return nil, fmt.Errorf("%s: %w", typ, fault.Shape("Groups has", len(groups), "entries", "x has %d rows", n))
	}
	all, classes := gathered(groups, labels)
	if len(all) < k {
		return nil, fmt.Errorf("%s: %w", typ, fault.Shape("Groups has", len(all), "different groups", "want at least one for each of %d folds", k))
	}
	if err := check.Numbers(fmt.Sprintf("%s: %d folds of %d rows", typ, k, n), float64(n)*float64(k), "take fewer Folds"); err != nil {
		return nil, err
	}
	// The shuffled order decides between equals.
	order := permutation(len(all), seed, 0)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(all[b].weight, all[a].weight) })
	parts := make([]groupPart, k)
	for f := range parts {
		parts[f].shares = make([]float64, classes)
	}
	part := make([]int, n)
	for _, g := range order {
		best, least := -1, 0.0
		for f, p := range parts {
			// What the sum over all parts of the squared shares grows by: least where the parts stay even, and 0 where a part is
			// empty, so that none stays so.
			grows := 0.0
			for c, share := range all[g].shares {
				grows += 2 * share * p.shares[c]
			}
			if best < 0 || grows < least-1e-12 || grows <= least+1e-12 && p.rows < parts[best].rows {
				best, least = f, grows
			}
		}
		for c, share := range all[g].shares {
			parts[best].shares[c] += share
		}
		parts[best].rows += len(all[g].rows)
		for _, row := range all[g].rows {
			part[row] = best
		}
	}
	out := make([]Fold, k)
	for f := range out {
		for row, p := range part {
			if p == f {
				out[f].Test = append(out[f].Test, row)
			} else {
				out[f].Train = append(out[f].Train, row)
			}
		}
	}
	return out, nil
}

// gathered returns the groups, ascending, with the share of the rows of each class that they hold, and the number of classes.
func gathered(groups, labels []int) (out []group, classes int) {
	class, count := map[int]int{}, []float64{}
	for _, l := range labels {
		c, seen := class[l]
		if !seen {
			c = len(count)
			class[l], count = c, append(count, 0)
		}
		count[c]++
	}
	rows := map[int][]int{}
	for i, g := range groups {
		rows[g] = append(rows[g], i)
	}
	for _, g := range slices.Sorted(maps.Keys(rows)) {
		one := group{rows: rows[g], shares: make([]float64, len(count))}
		for _, row := range one.rows {
			c := class[labels[row]]
			one.shares[c] += 1 / count[c]
		}
		for _, s := range one.shares {
			one.weight += s * s
		}
		out = append(out, one)
	}
	return out, len(count)
}
