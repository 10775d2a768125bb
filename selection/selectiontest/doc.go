// Package selectiontest checks the contract of a search.Strategy with a suite of checks. It is for strategies of this module and
// for third-party strategies:
//
//	func TestMyStrategy(t *testing.T) {
//		selectiontest.Strategy(t, func() search.Strategy { return &mysearch.Random{Points: 10} }, nil)
//	}
//
// The function must return an equally configured strategy on each call. Every check is a subtest with the check's name, so
//
//	go test -run 'TestMyStrategy/.*/resume'
//
// runs a single check. Also run the suite with -race: the check shared runs a strategy from several goroutines. [Checks] lists the
// checks with a sentence for each. Options.Skip omits a check that does not apply to a strategy, and states the reason. At the end
// a [Table] shows the outcome of every check for every strategy. Several strategies can share one table through Options.Table.
package selectiontest
