package closedform

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/selection/search"
)

// MachineTargets returns the targets of the machine of package lssvm (n×k): those of a regression, or ±1 for classes. It returns
// the targets of all rows, and the means over equal rows. It also returns the number of classes.
func MachineTargets(r *search.Run) (given, mean *mat.Dense, names int, err error) {
	if labels := r.GivenLabels; labels != nil {
		distinctLabels, at, err := classes.Distinguish(labels)
		if err != nil {
			return nil, nil, 0, err
		}
		given, names = classes.AgainstRest(at, len(distinctLabels)), len(distinctLabels)
	} else {
		given = mat.NewDense(len(r.GivenTargets), 1, slices.Clone(r.GivenTargets))
	}
	if !r.Distinct.Repeated() {
		return given, given, names, nil
	}
	return given, r.Distinct.Mean(given), names, nil
}
