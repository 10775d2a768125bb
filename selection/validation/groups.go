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

// GroupKFold divides the rows into Folds parts, and each part is the test part once. It keeps the rows of a group together, for
// example those of a patient, machine or day, so that the scores hold for new groups. It assigns the groups in descending order of
// size, each to the part with the fewest rows so far. Groups of equal size are shuffled. Groups must cover all rows of x.
type GroupKFold struct {
	// Groups holds the group of each row, as any number.
	Groups []int

	// Folds is the number of folds. If it is 0, 3 is used.
	Folds int `zero:"3" least:"2"`
	Seed  uint64
}

// Split returns Folds folds. Errors: ErrParam, and ErrShape if there are fewer groups than folds or Groups does not have n entries.
func (g GroupKFold) Split(n int, _ []int) ([]Fold, error) {
	return groupFolds("validation: GroupKFold", g, g.Groups, g.Folds, g.Seed, n, nil)
}

// StratifiedGroupKFold is a [GroupKFold] whose parts also have the classes in nearly the same proportions as all rows. It assigns
// the groups with the largest shares of a class first. Each group is assigned to the part with which the shares of each class
// differ least between the parts.
type StratifiedGroupKFold struct {
	// Groups holds the group of each row, as any number.
	Groups []int

	// Folds is the number of folds. If it is 0, 3 is used.
	Folds int `zero:"3" least:"2"`
	Seed  uint64
}

// Split returns Folds folds. Errors: ErrParam, and ErrShape if there are fewer groups than folds, or if Groups or labels do not
// have n entries.
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
