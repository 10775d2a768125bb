// Package entropy searches kernels by the von Neumann entropy of their matrices.
//
// The von Neumann entropy of the kernel matrix (package measures) rises from 0, for a kernel that can only underfit, to 1, for a
// kernel that can only memorise, regardless of the scale of the data. Good models usually have entropies between 0.1 and 0.5
// (Belanche-Muñoz and Wiejacha, Entropy 25, 2023, 154). [Search] therefore finds the parameters that give a few target entropies,
// which takes about ten kernel matrices of up to 300 rows. It scores these parameters without fitting the learner. The scores are
// the exact leave-one-out error and the evidence of kernel ridge regression at all ridges, from the same reduction of the matrix as
// its eigenvalues.
//
// With more rows, the best parameter and its neighbours are then scored on more rows, and finally on all of them. Up to 600 rows,
// all ridges are scored. With more rows, all ridges are also scored if the features of a few pivots are as good as the matrix.
// Otherwise, up to 1200 rows, only the ridges that a search for the best one visits are scored. Beyond that, only the ridge found
// on a third of the rows (800 to 2000) is used, and narrower kernels are included, because more rows can support them. Each
// neighbour is scored around the ridge that few rows suggest for it, because smoother kernels need smaller ridges. With several
// families, the best kernel of each is scored on more rows, and the search continues with the better family. The learner is then
// fitted once. If it is a machine of package lssvm that was already scored on all rows, that machine is used.
//
// Among pairs of a kernel and a ridge whose leave-one-out error is within half a standard error of the smallest (a twentieth above
// 600 rows), the strategy chooses the one with the largest evidence. The smallest error is often luck, and the evidence alone
// assumes that the kernel is right. Alternative scores are the leave-one-out error or the evidence alone, and a cross-validation of
// the learner itself at the few parameters. docs/measured/selector.md shows the measurements.
//
// For the machines of package lssvm, the score is exactly their error. The same holds for ridge regression on features
// (selection.FeatureLearner, such as a pipeline of a Nyström map or random features and a ridge.Regressor): kernels are then scored
// on the learner's own features of all rows. For other learners it is a substitute for their own score, with ridges of at least
// MinRidge. Without noise in the targets, kernel ridge regression prefers kernels so smooth that it depends on eigenvalues as small
// as 10⁻⁸ of the largest. A sparse machine cannot predict with such kernels. For the relevance vector machine this limit changed
// the error over eleven sets, relative to a grid, from 1.18 to 0.97. If the best ridge is this limit, the score says little about
// the learner. Up to 2000 rows a cross-validation of the learner in five folds then decides among two to four kernels: those with
// the smallest error and the largest evidence of each family. Learners with a second parameter should adapt it to the kernel, as
// package svm does with C by default. With one C for all kernels, the chosen kernel is no better than that of the median heuristic.
//
// The paper proceeds differently. It accepts the first parameter with an entropy in [0.3, 0.5] that a variant of golden section
// search finds. That search does not terminate if its interval misses the band, and a single entropy does not suffice for nearly
// linear targets. Its measure and its kernels are used unchanged here. Its search is available as [GoldenSection], so that its
// results can be reproduced.
//
// # Many rows
//
// Up to 1000 rows an entropy is computed from all eigenvalues. With more rows, [Search] uses rigorous bounds from a partial
// Cholesky factorisation on random pivots (measures.LowRankEntropy). The factorisation grows until the bounds decide on which side
// of every target the entropy lies. Above 20 000 rows the bounds come from three samples of 5000 rows, with a standard error.
// Scores then come from the features of the pivots if the remainder of the matrix is small compared with the ridge, and otherwise
// from the exact matrix of 1000 rows. With 100 000 rows this takes seconds in addition to the learner's fit.
package entropy
