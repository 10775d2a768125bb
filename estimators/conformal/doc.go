// Package conformal gives predictions intervals, and classes sets, with a guarantee that holds for any
// distribution and any estimator: of rows exchangeable with those of Fit, the share that is promised lies
// within.
//
// [Regressor] and [Classifier] wrap an estimator. [Method] says how an interval or a set is made and what
// it promises; [Score] how odd a class is for a row.
//
// # One system of all rows
//
// For an estimator with the capability estimators.Smoothing, which is linear in its targets once its settings are
// chosen, leaving out a row and adding one are a few operations on numbers that one system of all rows has
// ([estimators.Smoother] has a, c, b, s and f). With a new row of target f + t added, row i has the studentised
// residual |a - bt/s|/√(c + b²/s), and the new one |t|/√s. The first is no less than the second for -L ≤ t ≤ U,
// signs such that a ≥ 0,
//
//	U = as/(R + b),  L = as/(R - b),  R = √(sc + b²)
//
// and the interval is [f - L₍ₖ₎, f + U₍ₖ₎] with the k-th smallest, k = ⌈level(n+1)⌉: [Full]. It is infinite
// where k > n, that is for fewer than level/(1-level) rows. U is |e|√(c(s + b²/c)) - be with e = a/c: the
// ends are those of jackknife+ with studentised residuals, which by this has the whole guarantee.
//
// For classes a least-squares machine for each, targets ±1, shares a system, and a class is kept whose
// margin, the best other decision less its own, is no larger than those of enough rows, each left out
// of the machines that have the new row with that class among them.
//
// # Choosing settings costs coverage
//
// Rows that chose a kernel or a ridge are predicted better, left out, than others. At 90% and 50 rows a
// kernel of twelve and a ridge chosen by all rows cover .87, lengths of ten columns .74. So one part of the
// rows chooses, and only the scores of the others count (Held): the system is still of all of them, and
// the guarantee is exact. Up to 200 rows that would choose badly, and [CrossValidation] chooses
// anew without each part. SameRows lets all rows do both.
//
// # Targets whose spread changes
//
// The intervals of one system are nearly as wide where the noise is small as where it is large, and so are those of a machine whose
// variance has one noise. The guarantee holds on average over the rows, but not in each part of them. With Spread a score is |y - f(x)| /
// σ(x) (Lei and others, Journal of the American Statistical Association 113, 2018, 1094), with σ(x) = exp g(x), or that times the
// standard deviation of f, and f and g learnt from rows whose scores do not count: those that choose, of Split, and those without the
// fold, of CV+. The intervals are f(x) ± qσ(x). For Split this is the guarantee of split conformal prediction; f and g are one function
// of the other rows. For CV+ it is that of the theorem of Barber and others, whose proof holds for any score of a function that is learnt
// without the fold. g learns log max(|e|, δ) of residuals e of rows that are left out, with δ a tenth of their median, and predicts
// nothing beyond the range of these. A constant factor of σ changes nothing.
//
// # Copies and groups
//
// A copy of a row says of a new row nothing that the row does not, but its score would count. So rows that are equal in
// the features and the target count once, where most rows that are equal in the features have the same target. Otherwise
// equal rows are observations by themselves. With Groups whole groups are exchangeable: they are left out together, and
// each of the m scores of a group counts 1/m (Lee, Barber and Willett, Distribution-free inference with hierarchical data,
// 2023).
//
// # Guarantees
//
// A row to be predicted is exchangeable with those whose scores count: drawn alike, and not chosen by
// what is known of its target. A series over time is not. With Group the promise is kept in each group by
// itself; with LikelihoodRatio rows to be predicted may be distributed in another way that is known.
//
// Sources: V. Vovk, A. Gammerman and G. Shafer, Algorithmic Learning in a Random World, 2005. E. Burnaev and
// V. Vovk, Efficiency of conformalized ridge regression, COLT 2014. R. F. Barber, E. J. Candès, A. Ramdas
// and R. J. Tibshirani, Predictive inference with the jackknife+, Annals of Statistics 2021. R. J. Tibshirani,
// R. F. Barber, E. J. Candès and A. Ramdas, Conformal prediction under covariate shift, NeurIPS 2019. Y. Romano,
// M. Sesia and E. J. Candès, Classification with valid and adaptive coverage, NeurIPS 2020. A. Angelopoulos,
// S. Bates, J. Malik and M. I. Jordan, Uncertainty sets for image classifiers using conformal prediction,
// ICLR 2021. M. Sadinle, J. Lei and L. Wasserman, Least ambiguous set-valued classifiers, JASA 2019.
package conformal
