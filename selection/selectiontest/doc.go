// Package selectiontest is the contract of a search.Strategy as a suite of checks that
// runs on any of them, of this module or not:
//
//	func TestMyStrategy(t *testing.T) {
//		selectiontest.Strategy(t, func() search.Strategy { return &mysearch.Random{Points: 10} }, nil)
//	}
//
// The function returns an equally configured strategy at each call. Every check is a subtest
// with the check's name, so
//
//	go test -run 'TestMyStrategy/.*/resume'
//
// runs a single one. Run the suite with -race too: the check shared is what gives the race
// detector something to see. [Checks] lists the checks with a sentence for each. A check that
// does not suit a strategy is left out by Options.Skip, with a reason. At the end a [Table]
// shows every strategy against every check; several share one through Options.Table.
package selectiontest
