// Package ranking compares given kernels on given rows: by a measure of their matrices,
// in one pass each and without a fit, or by the cross-validated score of a learner.
//
//	r, err := ranking.ForClassification(ctx, candidates, nil, x, y, &ranking.Options{By: ranking.FSM})
//	fmt.Print(r) // a table, best first
//
// It is for kernels that differ in kind. The parameter of one kind is the business of
// selection.Regressor and selection.Classifier.
//
// # Measures want the entropy
//
// The measures are taken on the rows that they judge, so the kernel that tells every row
// from every other looks best to FSM, and one that tells hardly any apart may look best
// to the centred alignment (package measures). A ranking by a measure therefore puts the
// kernels with an entropy between MinEntropy and MaxEntropy first, and after them, with a
// mark, those outside, the nearest first. The entropy takes O(n³) and the memory of the
// matrix, where the measures take O(n²) and O(n): NoEntropy leaves it out, for candidates
// that are known to be comparable.
//
// A cross-validation scores rows that the learner has not seen and needs no such band.
//
// Errors are those of package estimators.
package ranking
