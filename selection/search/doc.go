// Package search defines the contract between a search and its strategy. It provides the common parts of all searches: a trace, a
// budget, and resumption after an interruption.
//
// Every search is a [Run]. It keeps the trace, whose rows record all decisions, calls Observe with each row, and counts entropies,
// kernel matrices and fits. The fields of selection.Regressor and Classifier are its settings. [New] makes a Run of a [Problem]
// without them.
//
// Resume: a search can continue from the rows that Observe received, or from the Trace of a Result. Both can be stored as JSON. The
// continued search has the same Result as an uninterrupted one.
//
// Budget: when it is spent, no new work is started, and the best kernel so far is fitted. The Result then has the status
// [StatusBudget], a warning with the counts, and a trace that marks points without scores. If there are several families, each may
// use an equal part of the remaining time. Work that has started is completed, at least one point is evaluated, and the last fit
// does not count. A budget may therefore be exceeded, but always gives a model. A context does not: when it ends, Fit returns its
// error and keeps the previous model.
//
// # Strategies
//
// A [Strategy] has a Name, and a Choose method that evaluates points through the Run. This one tries a few at random:
//
//	func (s *Random) Choose(ctx context.Context, r *search.Run) (search.Choice, error) {
//		...
//		rows, err := r.CrossValidate(ctx, search.Trials{Points: points, Folds: folds, Metric: metric})
//		...
//		best, err := r.Best("random", measure, rows)
//		return search.Choice{Iteration: best, Status: search.StatusGrid, Target: math.NaN(), Measure: measure}, err
//	}
//
// Without further code, it supports budgets, resumption, several families, and families with two parameters. Package selectiontest
// checks the contract.
package search
