// Package search is the contract between a search and its strategy, with what every search has: a trace, a budget, and a
// way to go on where it was interrupted.
//
// Every search is a [Run]. It keeps the trace, whose rows have all decisions in fields of their own, calls Observe
// with each row, and counts. The fields of selection.Regressor and Classifier are its settings. Without them, [New] makes a
// Run of a [Problem].
//
// Resume: a search can continue from the rows that Observe saw, or from the Trace of a Result, which are JSON. It
// ends in the same Result.
//
// Budget: when it is spent, nothing more is begun. The best kernel seen so far is taken and fitted. Result then has
// [StatusBudget], a warning with the counts, and a trace that says what was not scored. Each of several families may
// use an equal part of what is left. Work that has begun is finished, one point is looked at in any case, and the
// last fit is not counted. A budget is overrun by that much, and never leaves the caller without a model. A context
// that ends does: Fit returns its error, and the model fitted before stays.
//
// # A strategy of your own
//
// A [Strategy] has a Name and a Choose, which looks at points through the Run. This one tries a few at random:
//
//	func (s *Random) Choose(ctx context.Context, r *search.Run) (search.Choice, error) {
//		...
//		rows, err := r.CrossValidate(ctx, search.Trials{Points: points, Folds: folds, Metric: metric})
//		...
//		best, err := r.Best("random", measure, rows)
//		return search.Choice{Iteration: best, Status: search.StatusGrid, Target: math.NaN(), Measure: measure}, err
//	}
//
// It then has budgets, resuming, several families and two parameters like the others. Package selectiontest checks
// the contract.
package search
