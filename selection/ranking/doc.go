// Package ranking compares a list of kernels on the same rows. The criterion is a measure of their matrices, which takes one pass
// over each matrix and no fit, or the cross-validated score of a learner.
//
//	r, err := ranking.ForClassification(ctx, candidates, nil, x, y, &ranking.Options{By: ranking.FSM})
//	fmt.Print(r) // a table, best first
//
// Use it to compare kernels of different kinds. To choose the parameter of one kind, use selection.Regressor or
// selection.Classifier.
//
// # Measures and the entropy
//
// Measures are computed on the training rows. A kernel that distinguishes every row from every other is therefore best according to
// FSM, and one that distinguishes almost none may be best according to the centred alignment (package measures). For this reason, a
// ranking by a measure lists the kernels with an entropy between MinEntropy and MaxEntropy first. The kernels outside this band
// follow with a mark, the nearest first. The entropy takes O(n³) time and the memory of the matrix, while the measures take O(n²)
// time and O(n) memory. NoEntropy omits the entropy, for candidates that are known to be comparable.
//
// Cross-validation scores rows that the learner was not fitted to, and needs no such band.
//
// Errors are those of package estimators.
package ranking
