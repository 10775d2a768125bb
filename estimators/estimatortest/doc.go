// Package estimatortest implements the contract of estimators and transformers as a suite of checks. It runs on any type, whether
// from this module or not:
//
//	func TestConformance(t *testing.T) {
//		estimatortest.Regressor(t, "mypackage.Regressor", func() estimators.Regressor {
//			return &mypackage.Regressor{}
//		}, nil)
//	}
//
// Classifier, Transformer, MultiRegressor and Detector do the same for types of these kinds.
//
// The function is called for each fit and must return a new, unfitted value with the same configuration every time. A fit of the
// value to 40 rows of three columns should be fast. Every check is a subtest with the check's name, so
//
//	go test -run TestConformance/mypackage.Regressor/marshal-flipped
//
// runs a single check. Run the suite with -race too: the check concurrent-predict is meant for the race detector.
//
// Checks returns the checks with a sentence for each. If the type lacks a capability, the checks of the capability are skipped,
// with a message. If a type departs from the contract on purpose, add the check's name and the reason to Options.Skip. The reason
// is printed. At the end a Table shows the result of every check for every type. Several types can share a table through
// Options.Table.
package estimatortest
