// Package ranking compares given kernels on given rows. It uses a measure of their matrices, in one pass each and without a fit, or
// the cross-validated score of a learner.
//
//	r, err := ranking.ForClassification(ctx, candidates, nil, x, y, &ranking.Options{By: ranking.FSM})
//	fmt.Print(r) // a table, best first
//
// It is for kernels of different kinds. selection.Regressor and selection.Classifier choose the parameter of one kind.
//
// # Measures and the entropy
//
// Measures are computed on the training rows, so a kernel that distinguishes every row from every other is best for FSM, and one
// that distinguishes almost none may be best for the centred alignment (package measures). So a ranking by a measure puts the
// kernels with an entropy between MinEntropy and MaxEntropy first. After them it lists, marked, those outside the band, the nearest
// first. The entropy takes O(n³) time and the memory of the matrix, while the measures take O(n²) and O(n). NoEntropy omits it, for
// candidates that are known to be comparable.
//
// Cross-validation scores rows that the learner has not seen, and needs no such band.
//
// Errors are those of package estimators.
package ranking
