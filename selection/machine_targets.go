package selection

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/selection/search"
)

// machineTargets returns the targets of the machine of package lssvm (n×k): those of a regression, or ±1 of classes, of
// all rows given and as means over equal rows, and the number of classes.
func machineTargets(r *search.Run) (given, mean *mat.Dense, names int, err error) {
	if labels := r.GivenLabels(); labels != nil {
		distinctLabels, at, err := classes.Of(labels)
		if err != nil {
			return nil, nil, 0, err
		}
		given, names = classes.AgainstRest(at, len(distinctLabels)), len(distinctLabels)
	} else {
		given = mat.NewDense(len(r.GivenTargets()), 1, slices.Clone(r.GivenTargets()))
	}
	if !r.Distinct().Repeated() {
		return given, given, names, nil
	}
	return given, r.Distinct().Mean(given), names, nil
}

// rowsDiffer returns an ErrShape error if all rows are equal.
func rowsDiffer(r *search.Run) error {
	if n, _ := r.X().Dims(); n > 1 {
		return nil
	}
	n := 1
	if r.Distinct().Repeated() {
		n = len(r.Distinct().Index)
	}
	return fault.Shape("x has", 1, "distinct row", "%d given: the entropy is 0 at every parameter, want at least 2 that differ", n)
}
