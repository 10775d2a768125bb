// Package estimatortest is the contract of estimators and transformers as a
// suite of checks that runs on any type, of this module or not:
//
//	func TestConformance(t *testing.T) {
//		estimatortest.Regressor(t, "mypackage.Regressor", func() estimators.Regressor {
//			return &mypackage.Regressor{}
//		}, nil)
//	}
//
// Classifier, Transformer and MultiRegressor do the same for their kinds.
//
// The function is called for each fit and has to return a new, unfitted, equally
// configured value every time; one that is quick to fit on 40 rows of three
// columns is best. Every check is a subtest with the check's name, so
//
//	go test -run TestConformance/mypackage.Regressor/marshal-flipped
//
// runs a single one. Run the suite with -race too: the check
// concurrent-predict is what gives the race detector something to see.
//
// Checks lists the checks with a sentence for each. A check of a capability that
// the type lacks is skipped and says so. Where a type departs from the contract
// on purpose, Options.Skip takes the check's name and the reason; both are
// printed. At the end a Table shows every type against every check; several
// types share one through Options.Table.
package estimatortest
