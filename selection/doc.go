// Package selection chooses a kernel's parameter and measures estimators.
//
// [Regressor] and [Classifier] are estimators that choose their kernel when they are fitted. With nothing set,
//
//	r := &selection.Regressor{}
//
// they fill gaps, transform the columns in two ways (standardised, and by Yeo-Johnson), and learn a Matérn kernel of
// ν = 5/2 after each. They predict the mean of the two models, or use the better one alone if its leave-one-out error
// is clearly less. Print their Result to see what was chosen.
//
// Otherwise they choose among the kernels of a [Space], by a [search.Strategy]. One field changes the strategy:
//
//	r := &selection.Regressor{
//		Preprocess: []transformers.Transformer{&transformers.StandardScaler{}},
//		Space:      selection.Over(func(k kernels.Kernel) estimators.Regressor { return &svm.Regressor{Kernel: k} }, kernels.RBFFamily{}),
//		Search:     &selection.Entropy{}, // or &selection.Grid{}
//	}
//
// A space holds the kernels of a family or of several ([Over]) or of a family of two parameters ([OverTwo]), each for
// a learner that a function builds, or it holds whole estimators ([Among]). With a Strategy and no space it is the
// RBF kernels for package lssvm. For an Entropy it also has the kernels of Matérn 5/2.
//
// # Shape
//
// [Shape] learns a length for each column, and the ridge. It follows the gradient of the log evidence of the
// contrasts of the targets, which does not depend on the constant. With C = K + λ diag(1/w), η = C⁻¹1, s = 1'η, P =
// C⁻¹ - ηη'/s, a = Py and Q = y'Py for n rows,
//
//	F = -(n-1)/2 ln(2πQ/(n-1)) - ln|C|/2 - ln(s)/2 - (n-1)/2,   dF/dC = ((n-1) aa'/Q - P)/2
//
// All derivatives together cost a Cholesky factor and an inverse, however many columns there are (Rasmussen and
// Williams, 2006, 5.8 and 5.9). With few rows and no prior the lengths would follow the noise. The prior is a Student
// t density of the logarithm of each length around that of the best length for all columns. Over nine sets, with 30
// rows or with 50 columns of noise beside 60 rows, learning with it never costs much, while the leave-one-out error
// of the same rows gives no warning.
//
// The climb begins at the best length for all columns, from which a wave or a product of a few columns among many
// cannot be seen. It is therefore compared with climbs from other starts, and the highest top is taken if it is clearly
// higher (docs/measured/hidden.md).
//
// For classes, the evidence of targets ±1 treated as numbers chooses lengths that are worse than one length for all
// columns. Laplace's approximation of the evidence of a classifier is better (Rasmussen and Williams, 2006, 3.4 and
// 5.5.1), and is used. docs/measured/shape.md has the measurements.
//
// # Entropy
//
// The von Neumann entropy of the kernel matrix (package measures) rises from 0 to 1 as a family goes from a kernel
// that can only underfit to one that can only memorise, whatever the scale of the data is. Good models mostly lie
// between 0.1 and 0.5 (Belanche-Muñoz and Wiejacha, Entropy 25, 2023, 154). [Entropy] therefore looks for the
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
// ([FeatureLearner], such as a pipeline of a Nyström map or random features and a ridge.Regressor): kernels are then
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
// # Grid
//
// [Grid] fits the learner at each of its points in each fold. It is the baseline. [Halving] fits all points on a part
// of the rows, and then fewer and fewer points on more rows.
//
// Both can also compare whole estimators, those of [Among], with kernels or without. [AmongNamed] and [AmongValues]
// have settings on named axes, which they compare by name.
//
// # Several kernels
//
// Several families are searched and compared by their scores. With two parameters (two length scales, a degree and a
// shift) the search goes over one with the other fixed, and back, until the score no longer improves. This finds a
// valley, though not always the deepest, at a few times the cost of one parameter. The squared distances or inner
// products that all kernels of a search use are computed once (kernels.Shared).
//
// # Many rows
//
// Up to 1000 rows an entropy comes from all eigenvalues. With more rows, Entropy takes rigorous bounds from a partial
// Cholesky factorisation on random pivots (measures.LowRankEntropy). The factorisation grows until the bounds say on
// which side of every target the entropy lies. Beyond 20 000 rows the bounds come from three draws of 5000 rows, with
// a standard error. Scores then come from the features of the pivots, once these leave little beside the ridge, or
// exactly from 1000 rows. With 100 000 rows this takes seconds, besides the learner's fit.
//
// With nothing set, more than 5000 rows are handed over to package falkon. Shape then learns the lengths on
// landmarks, by the leave-one-out error
//
//	E = mean of (e/(1-h))²,  e = y - ȳ - z~'u,  h = 1/n + z~'(G + ΛI)⁻¹z~
//
// of ridge regression on features z = T⁻ᵀk(C, x), T'T = K_MM, G = Σ z~z~' of the centred ones, with its gradient
// through the kernel of rows and landmarks and that of the landmarks. [ComplexityRegularised] is (σ²d + D +
// τD/(Λn))/n with d the trace of the hat matrix, D = Σe² + Λ|u|² and τ = Σ k(x,x) - |z|² (G. Meanti, L. Carratino,
// E. De Vito and L. Rosasco, AISTATS 2022).
//
// # A run
//
// Every search is a search.Run: it keeps the trace, resumes, and ends at the Budget. Package search says how, and how to
// write a strategy of your own.
//
// # Weights
//
// FitWeighted gives each row a weight > 0, where the learner takes weights:
//
//   - the learner gets them, on all rows and, in a fold, those of its training rows;
//   - LeaveOneOut is the weighted mean of the squared residuals of the weighted machine;
//     LogEvidence takes a row's noise to have the variance λs²/w;
//   - a metric gets those of a fold's test rows, and the mean over the folds is plain;
//   - the entropy, a family's start and the preprocessing know none.
//
// Rows that are equal after the preprocessing are one row whose weight is the sum of theirs, because a copy of a row
// that is left out tells a learner its target. The search sees the distinct rows, with the means of the targets of equal
// ones, and folds keep equal rows together. So each row twice gives what each row once gives, and a weight of 2 is the
// row given twice. Only the ratios of weights matter: a search divides them so that those of the distinct rows have mean
// 1, also for a learner with a Ridge or Cost of its own. The learner is fitted on all rows given if it takes no weights.
// Steps of Preprocess are fitted on the distinct rows.
//
// Package validation measures estimators by cross-validation. Package ranking compares kernels that differ in kind and
// therefore are no family. Package inspection says what was learnt, column by column.
package selection
