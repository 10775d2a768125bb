package search

import (
	"context"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/selection/measures"
)

// ErrNoRun is the error that a Strategy returns if its Run is nil.
var ErrNoRun = fault.Param("search: Strategy", "Run", nil, "the one that a Regressor or Classifier gives it")

// Strategy chooses a point of the space of a [Run]. entropy.Search, shape.Search, grid.Search, grid.Halving and
// entropy.GoldenSection are strategies; one of your own is a type with these two methods, which
// package selectiontest checks.
//
// A strategy holds configuration only and is never written to, so that one may serve several
// estimators at the same time. What it computes, it computes through the Run, which keeps
// the trace, calls Observe, recalls what Resume holds, counts, and ends at the budget:
//
//   - [Run.Evaluate] computes something of a point, an entropy or a score, in a row of its own;
//   - [Run.CrossValidate] fits and scores the learner at some points.
//
// When the budget is spent Evaluate returns [ErrBudget] and CrossValidate leaves points without
// a score; Choose then takes the best of what there is. The first row of a run, and the first
// score of a cross-validation, are computed in any case. An error of ctx is returned as it is.
//
// The same Run on the same rows has to lead to the same choice, for any number of workers.
type Strategy interface {
	// Name is what a [Result] calls the strategy, for example "grid".
	Name() string
	// Choose searches and returns the row of the trace to fit with. Errors: ErrParam for a field out of range or a
	// space that the strategy cannot search, those of what it computes, or the error of ctx.
	Choose(ctx context.Context, r *Run) (Choice, error)
}

// FamilyChooser is a Strategy that compares families itself. Any other strategy searches one family after the other, and the
// best score is taken.
type FamilyChooser interface {
	Strategy
	// ChooseFamily searches the families of the runs and returns the position of the run that is taken, with the choice in
	// each run. It calls Begin of a run before it searches the family.
	ChooseFamily(ctx context.Context, runs []*Run) (taken int, choices []Choice, err error)
	// Compare returns the position of the best of some choices, each in its run.
	Compare(runs []*Run, choices []Choice) int
}

// Choice is what a Strategy decides.
type Choice struct {
	// Iteration is the Iteration of the trace row whose point is taken.
	Iteration int

	// Status says how the search ended. The [Run] makes it [StatusBudget] if the budget was spent.
	Status Status

	// Target is the entropy that was aimed at. It is NaN if there was none.
	Target float64

	// Measure is the measure of the scores. It is the zero value if nothing was scored.
	Measure Measure

	// Values, if not nil, are parameters that were learnt beside the point's: the kernel is the
	// kernels.ARD around the family's that has them as its Params, a length for each column
	// first.
	Values []float64

	// Ridge, if not 0, is the one that goes with Values, or one of the Ridges of the row. Machines
	// of package lssvm that would choose theirs take it.
	Ridge float64

	// Start holds what the strategy knows about the lssvm machine on all rows. Only strategies of this module set it.
	Start loo.Start

	// Entropy, if not nil, is used if the row of the choice has no entropy.
	Entropy *measures.VonNeumann
}

// Measure is the name and the sense of scores.
type Measure struct {
	Name           string
	LargerIsBetter bool
}
