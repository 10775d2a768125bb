package validation

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/groups"
	"github.com/kernelearn/kernelearn/internal/settings"
)

// GroupKFold cuts the rows into Folds parts, each the test part once, and keeps the rows of a group together: patients,
// machines, days, of which a model is to predict others than those that it has seen. The largest group first, each goes to
// the part with the fewest rows so far, so that the parts are as even as whole groups allow by that rule; of groups of a size chance
// decides. Groups belong to the rows of x, all of them.
type GroupKFold struct {
	// Groups has the group of each row. Any numbers are allowed.
	Groups []int

	// Folds is the number of folds. If it is 0, it is 3.
	Folds int `zero:"3" least:"2"`
	Seed  uint64
}

// Split returns Folds folds. Errors: ErrParam; ErrShape for fewer groups than folds, or Groups of another length than n.
func (g GroupKFold) Split(n int, _ []int) ([]Fold, error) {
	return groupFolds("validation: GroupKFold", g, g.Groups, g.Folds, g.Seed, n, nil)
}

// StratifiedGroupKFold is [GroupKFold] whose parts also have the classes in the proportions of all rows, as nearly as whole
// groups allow: those that hold the largest shares of classes first, each group goes to the part that leaves the
// shares that the parts have of each class the least apart.
type StratifiedGroupKFold struct {
	// Groups has the group of each row. Any numbers are allowed.
	Groups []int

	// Folds is the number of folds. If it is 0, it is 3.
	Folds int `zero:"3" least:"2"`
	Seed  uint64
}

// Split returns Folds folds. Errors: ErrParam; ErrShape for fewer groups than folds, or Groups or labels of another length
// than n.
func (g StratifiedGroupKFold) Split(n int, labels []int) ([]Fold, error) {
	if len(labels) != n {
		return nil, fault.Shape("labels has", len(labels), "entries", "want %d", n)
	}
	return groupFolds("validation: StratifiedGroupKFold", g, g.Groups, g.Folds, g.Seed, n, labels)
}

func groupFolds(typ string, config Splitter, of []int, k int, seed uint64, n int, labels []int) ([]Fold, error) {
	if err := settings.Check(typ, config); err != nil {
		return nil, err
	}
	k = cmp.Or(k, defaultFolds)
	if err := groups.Check(of, n, k); err != nil {
		return nil, fmt.Errorf("%s: %w", typ, err)
	}
	if err := check.Numbers(fmt.Sprintf("%s: %d folds of %d rows", typ, k, n), float64(n)*float64(k), "take fewer Folds"); err != nil {
		return nil, err
	}
	out := make([]Fold, k)
	for row, part := range groups.Deal(of, labels, slices.Repeat([]float64{1}, k), stream(seed, 0)) {
		for f := range out {
			if part == f {
				out[f].Test = append(out[f].Test, row)
			} else {
				out[f].Train = append(out[f].Train, row)
			}
		}
	}
	return out, nil
}
