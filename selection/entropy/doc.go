// Package entropy searches kernels by the von Neumann entropy of their matrices.
//
// The von Neumann entropy of the kernel matrix (package measures) rises from 0 to 1 as a family goes from a kernel
// that can only underfit to one that can only memorise, whatever the scale of the data is. Good models mostly lie
// between 0.1 and 0.5 (Belanche-Muñoz and Wiejacha, Entropy 25, 2023, 154). [Search] therefore looks for the
// parameters of a few entropies, which takes about ten kernel matrices of up to 300 rows. It scores these parameters
// without fitting the learner: at all ridges of kernel ridge regression, by the exact leave-one-out error and the
// evidence, from the same reduction of the matrix as its eigenvalues.
//
// With more rows the best parameter and its neighbours are then scored on more rows, and on all of them. Up to 600
// rows this is done at all ridges, and with more rows as well if the features of a few pivots are as good as the
// matrix. Otherwise, up to 1200 rows, it is done at the few ridges of a search for the best one. Beyond, it is done
// at the ridge that was found on a third of the rows (800 to 2000), with narrower kernels, which more rows can
// support. Each neighbour is scored around the ridge that few rows suggest for it, because smoother kernels need
// smaller ridges. With several families the best kernel of each is scored on more rows, and the better family goes
// on. The learner is then fitted once. A machine of package lssvm that was scored on all rows is already that fit.
//
// The strategy considers the pairs of a kernel and a ridge whose leave-one-out error is within half a standard error
// of the least (a twentieth with more than 600 rows), and takes the one of the largest evidence. The least error is
// often luck, and the evidence alone trusts that the kernel is right. Other scores can be set: the leave-one-out
// error or the evidence alone, or a cross-validation of the learner itself at the few parameters.
// docs/measured/selector.md has the measurements.
//
// The score is exactly the error of the machines of package lssvm. It is also that of ridge regression on features
// (selection.FeatureLearner, such as a pipeline of a Nyström map or random features and a ridge.Regressor): kernels are then
// scored on the learner's own features of all rows. For other learners it stands in for their own score, with ridges
// of at least MinRidge. If targets have no noise, kernel ridge regression uses eigenvalues of 10⁻⁸ of the largest,
// with kernels so smooth that a sparse machine cannot predict with them at all. With the relevance vector machine
// this limit changed the error over eleven sets, relative to a grid, from 1.18 to 0.97. If the best ridge is this
// limit, the score says little about the learner. With up to 2000 rows the learner then decides itself, in five
// folds, among two to four kernels: those of the least error and of the most evidence, of each family. Learners with
// a second parameter need it to follow the kernel, as the C of package svm does if it is not given. With one C for
// all kernels the chosen kernel is no better than that of the median heuristic.
//
// The paper does this differently. It takes any parameter within [0.3, 0.5] that a search like golden section meets.
// That search does not end if its interval misses the band, and its single entropy fails on nearly linear targets.
// Its measure and its kernels are unchanged here, and its search is available as [GoldenSection], so that its results
// can be repeated.
//
// # Many rows
//
// Up to 1000 rows an entropy comes from all eigenvalues. With more rows, [Search] takes rigorous bounds from a partial
// Cholesky factorisation on random pivots (measures.LowRankEntropy). The factorisation grows until the bounds say on
// which side of every target the entropy lies. Beyond 20 000 rows the bounds come from three draws of 5000 rows, with
// a standard error. Scores then come from the features of the pivots, once these leave little beside the ridge, or
// exactly from 1000 rows. With 100 000 rows this takes seconds, besides the learner's fit.
package entropy
