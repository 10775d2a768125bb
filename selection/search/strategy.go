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
// entropy.GoldenSection are strategies. A third-party strategy is a type with these two methods, which package selectiontest
// checks.
//
// A strategy holds only configuration and is never modified, so that several estimators may use it at the same time. It computes
// everything through the Run, which keeps the trace and the counts, calls Observe, reuses the rows of Resume, and enforces the
// budget:
//
//   - [Run.Evaluate] computes an entropy or a score of a point in a row of its own;
//   - [Run.CrossValidate] fits and scores the learner at several points.
//
// When the budget is spent, Evaluate returns [ErrBudget] and CrossValidate leaves points without a score. Choose then returns the
// best point so far. The first row of a run, and the first score of a cross-validation, are always computed. An error of ctx is
// returned unchanged.
//
// The same Run on the same rows must lead to the same choice, for any number of workers.
type Strategy interface {
	// Name returns the name of the strategy in a [Result], for example "grid".
	Name() string
	// Choose searches and returns the trace row to fit with. It returns ErrParam for a field out of range or a space that the
	// strategy cannot search, the errors of its computations, or ctx's error.
	Choose(ctx context.Context, r *Run) (Choice, error)
}

// FamilyChooser is a Strategy that compares families itself. For any other strategy, families are searched one after the other, and
// the best score decides.
type FamilyChooser interface {
	Strategy
	// ChooseFamily searches the families of the runs. It returns the position of the chosen run, and the choice in each run. It
	// calls Begin of a run before it searches the family.
	ChooseFamily(ctx context.Context, runs []*Run) (taken int, choices []Choice, err error)
	// Compare returns the position of the best of several choices, one per run.
	Compare(runs []*Run, choices []Choice) int
}

// Choice is the decision of a Strategy.
type Choice struct {
	// Iteration is the Iteration of the chosen trace row.
	Iteration int

	// Status is the outcome of the search. The [Run] changes it to [StatusBudget] if the budget was spent.
	Status Status

	// Target is the target entropy. It is NaN if there was none.
	Target float64

	// Measure describes the scores. It is the zero value if nothing was scored.
	Measure Measure

	// If Values is not nil, it holds further learnt parameters. The kernel is then the kernels.ARD of the family's kernel, whose
	// Params have these values. The lengths of the columns come first.
	Values []float64

	// If Ridge is not 0, it is the ridge for Values, or one of the Ridges of the row. It is used for machines of package lssvm that
	// would otherwise choose a ridge.
	Ridge float64

	// Start holds the strategy's results about the lssvm machine on all rows. Only strategies of this module set it.
	Start loo.Start

	// If Entropy is not nil, it is used if the row of the choice has no entropy.
	Entropy *measures.VonNeumann
}

// Measure holds the name and the direction of scores.
type Measure struct {
	Name           string
	LargerIsBetter bool
}
