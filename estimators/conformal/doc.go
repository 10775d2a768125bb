// Package conformal adds intervals to the predictions of regressors, and sets of classes to those of classifiers. Their guarantee
// holds for any distribution and any estimator: if new rows are exchangeable with the training rows, the intervals or sets contain
// the promised share of the targets or classes.
//
// [Regressor] and [Classifier] wrap an estimator. [Method] selects how an interval or a set is computed and what it guarantees.
// [Score] selects how unusual a class is for a row.
//
// # One linear system with all rows
//
// The predictions of an estimator with the capability estimators.Smoothing are linear in its targets once its settings are chosen.
// Leaving out a row and adding another then costs a few operations on numbers from one linear system with all rows.
// [estimators.Smoother] defines these numbers a, c, b, s and f. If a new row with target f + t is added, row i has the studentised
// residual |a - bt/s|/√(c + b²/s), and the new row has |t|/√s. The first is at least as large as the second for -L ≤ t ≤ U. With
// signs such that a ≥ 0,
//
//	U = as/(R + b),  L = as/(R - b),  R = √(sc + b²)
//
// and the interval of [Full] is [f - L₍ₖ₎, f + U₍ₖ₎] with the k-th smallest values, k = ⌈level(n+1)⌉. It is infinite if k > n, that
// is for fewer than level/(1-level) rows. With e = a/c, U equals |e|√(c(s + b²/c)) - be. The bounds are therefore those of
// jackknife+ with studentised residuals, which thus has the full guarantee.
//
// For classes, a least-squares machine for each class with targets ±1 uses the same system. The margin of a class is the best
// decision of the other classes minus its own. A class is kept if its margin is no larger than the margins of enough rows, where
// each row is left out of machines that contain the new row with this class.
//
// # Choosing settings reduces coverage
//
// The rows that were used to choose a kernel or a ridge have smaller leave-one-out errors than other rows. With a level of 90% and
// 50 rows, the coverage is .87 if all rows choose a ridge and one of twelve kernels. It is .74 if they choose the lengths of ten
// columns. Therefore one part of the rows chooses the settings, and only the scores of the other rows count (Held). The system
// still contains all rows, and the guarantee is exact. With at most 200 rows a part is too small for a good choice, and
// [CrossValidation] chooses the settings again for each fold, on the other folds. SameRows uses all rows for both purposes.
//
// # Targets with changing spread
//
// The intervals of one system are nearly as wide where the noise is small as where it is large. The same holds for a machine whose
// variance has one noise level. The guarantee holds on average over all rows, but not in every region. With Spread, a score is |y -
// f(x)| / σ(x) (Lei and others, Journal of the American Statistical Association 113, 2018, 1094). Here σ(x) is exp g(x), times the
// standard deviation of f if f has one. Both f and g are fitted to rows whose scores do not count: for Split, the rows that choose
// the settings; for CV+, the rows outside the fold. The intervals are f(x) ± qσ(x). For Split this has the guarantee of split
// conformal prediction, because f and g depend only on the other rows. For CV+ it has the guarantee of the theorem of Barber and
// others, whose proof holds for any score that is a function fitted without the fold. The function g is fitted to log max(|e|, δ)
// for residuals e of rows left out, where δ is a tenth of their median. Its predictions are limited to the range of these values. A
// constant factor of σ has no effect.
//
// # Copies and groups
//
// A copy of a row contains no further information about a new row, but its score would count. Therefore rows with equal features
// and targets count once, provided that most rows with equal features have the same target. Otherwise equal rows are treated as
// separate observations. With Groups, the groups are exchangeable: they are left out together, and each of the m scores of a group
// counts 1/m (Lee, Barber and Willett, Distribution-free inference with hierarchical data, 2023).
//
// # Guarantees
//
// The row to be predicted must be exchangeable with the rows whose scores count: it must be drawn in the same way, and must not be
// chosen with knowledge of its target. A time series does not meet this condition. With Group the guarantee holds in each group
// separately. With LikelihoodRatio the rows to be predicted may have another distribution if it is known.
//
// Sources: V. Vovk, A. Gammerman and G. Shafer, Algorithmic Learning in a Random World, 2005. E. Burnaev and V. Vovk, Efficiency of
// conformalized ridge regression, COLT 2014. R. F. Barber, E. J. Candès, A. Ramdas and R. J. Tibshirani, Predictive inference with
// the jackknife+, Annals of Statistics 2021. R. J. Tibshirani, R. F. Barber, E. J. Candès and A. Ramdas, Conformal prediction under
// covariate shift, NeurIPS 2019. Y. Romano, M. Sesia and E. J. Candès, Classification with valid and adaptive coverage, NeurIPS
// 2020. A. Angelopoulos, S. Bates, J. Malik and M. I. Jordan, Uncertainty sets for image classifiers using conformal prediction,
// ICLR 2021. M. Sadinle, J. Lei and L. Wasserman, Least ambiguous set-valued classifiers, JASA 2019.
package conformal
