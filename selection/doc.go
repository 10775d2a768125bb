// Package selection chooses a kernel's parameter and measures estimators.
//
// [Regressor] and [Classifier] are estimators that choose their kernel when they are fitted. With nothing set,
//
//	r := &selection.Regressor{}
//
// they fill gaps, make the columns even in two ways (standardised, and by Yeo-Johnson), learn a Matérn kernel of ν
// = 5/2 after each, and predict the mean of the models, or the better one alone where its leave-one-out error is
// clearly less. Print their Result to see what was chosen.
//
// Otherwise they choose among the kernels of a [Space], by a [Strategy]. Strategies swap by one field:
//
//	r := &selection.Regressor{
//		Preprocess: []transformers.Transformer{&transformers.StandardScaler{}},
//		Space:      selection.Over(func(k kernels.Kernel) estimators.Regressor { return &svm.Regressor{Kernel: k} }, kernels.RBFFamily{}),
//		Search:     &selection.Entropy{}, // or &selection.Grid{}
//	}
//
// A space is the kernels of a family or of several ([Over]), of a family of two parameters ([OverTwo]), each for a
// learner that a function builds, or estimators as they are ([Among]). With a Strategy and no space it is the RBF
// kernels, for an Entropy also those of Matérn 5/2, for package lssvm.
//
// # Shape
//
// Shape learns a length for each column, and the ridge: by the gradient of the log evidence of the contrasts of the
// targets, which do not know the constant. With C = K + λ diag(1/w), η = C⁻¹1, s = 1'η, P = C⁻¹ - ηη'/s, a = Py and
// Q = y'Py for n rows,
//
//	F = -(n-1)/2 ln(2πQ/(n-1)) - ln|C|/2 - ln(s)/2 - (n-1)/2,   dF/dC = ((n-1) aa'/Q - P)/2
//
// so that all derivatives together cost a Cholesky factor and an inverse, however many columns there are (Rasmussen
// and Williams, 2006, 5.8 and 5.9). Without a prior the lengths follow the noise of few rows: the logarithm of each
// has a Student t density around that of the best length for all columns. Over nine sets at 30 rows, and 50 columns
// of noise beside 60, learning with it never costs much, where the leave-one-out error of the same rows warns of
// nothing.
//
// For classes the evidence of targets ±1 as if they were numbers chooses lengths that do worse than one for all
// columns; Laplace's approximation of the evidence of a classifier does better (Rasmussen and Williams, 2006, 3.4
// and 5.5.1), and is what is taken. docs/measured/shape.md has the numbers of all this.
//
// # Entropy
//
// The von Neumann entropy of the kernel matrix (package measures) rises from 0 to 1 as a family goes from a kernel
// that can only underfit to one that can only memorise, whatever the data's scale, and good models mostly lie
// between 0.1 and 0.5 (Belanche-Muñoz and Wiejacha, Entropy 25, 2023, 154). Entropy therefore looks for the
// parameters at a few entropies, some ten kernel matrices of up to 300 rows, and scores those without fitting the
// learner: at all ridges of kernel ridge regression, by the exact leave-one-out error and the evidence, from the
// same reduction of the matrix as its eigenvalues. With more rows the best and its neighbours are then scored on
// more, and on all of them: at all ridges up to 600 rows, and of more where the features of a few pivots are as
// good as the matrix; at the few of a search for the best to 1200; at the ridge found on a third of them (800 to
// 2000) beyond, with narrower kernels, which more rows bear. A neighbour is looked at where few rows say that its
// ridge lies: smoother kernels want smaller ones. Of several families the best kernel of each is scored on more
// rows, and the better family goes on. The learner is then fitted once, and a machine of package lssvm that was
// scored on all rows is that fit.
//
// Of the pairs of a kernel and a ridge whose leave-one-out error is within half a standard error of the least (a
// twentieth of more than 600 rows) it takes the one of the largest evidence: the least error is often luck, and the
// evidence alone trusts that the kernel is right. Other scores can be asked for: the leave-one-out error or the
// evidence alone, and a cross-validation of the learner itself at the few parameters. docs/measured/selector.md has the
// numbers.
//
// The score is the very error of lssvm's machines. It is also that of ridge regression on features
// ([FeatureLearner]: a pipeline of a Nyström map or random features and a ridge.Regressor is one): there kernels
// are scored on the learner's own features of all rows. For other learners it stands in for theirs, and keeps to
// ridges from MinRidge on: kernel ridge regression makes use of eigenvalues of 10⁻⁸ of the largest where targets
// are free of noise, with kernels so smooth that a sparse machine cannot predict with them at all. With the
// relevance vector machine that floor took the error over eleven sets, as a ratio to a grid's, from 1.18 to 0.97.
// Where the best ridge is that floor the score says little of the learner. Up to 2000 rows it then decides itself,
// in five folds, among two to four kernels: those of the least error and of the most evidence, of each family.
// Learners that have a second parameter want it to follow the kernel, as the C of package svm does where it is not
// given; with one C for all kernels the chosen one is no better than the median heuristic's.
//
// What the paper does otherwise: it takes any parameter within [0.3, 0.5] that a golden-section-like search meets,
// which never ends where its interval misses the band, and whose single entropy fails on nearly linear targets. Its
// measure and its kernels are unchanged here, and its search is available as [GoldenSection], so that its results
// can be repeated.
//
// # Grid
//
// Grid fits the learner at each of its points in each fold: the baseline. Halving fits at all of them on a part of
// the rows and at fewer and fewer on more.
//
// Both compare whole estimators as well, those of Among, with kernels or without; of [AmongNamed] and
// [AmongValues], settings on named axes, by name.
//
// # Several kernels
//
// Families are searched and compared by their scores. Of two parameters (two length scales, a degree and a shift)
// the search goes over one with the other fixed, and back, until the score no longer improves. That finds a valley,
// not always the deepest, at a few times the cost of one parameter. The squared distances or inner products that
// all the kernels of a search are made of are computed once (kernels.Shared).
//
// # Many rows
//
// Up to 1000 rows an entropy comes from all eigenvalues. Beyond, Entropy takes rigorous bounds from a partial
// Cholesky factorisation on random pivots (measures.LowRankEntropy), which grows until the bounds say on which side
// of every target the entropy lies; beyond 20 000 from three draws of 5000 rows, with a standard error. Scores then
// come from the features of the pivots, once those leave little beside the ridge, or exactly from 1000 rows. 100
// 000 rows take seconds, besides the learner's fit.
//
// With nothing set, more than 5000 rows are handed over to package falkon: Shape then learns the lengths on
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
// Every search is a [Run]: it keeps the trace, whose rows have all that was decided in fields of their own, calls
// Observe with each, and counts. Regressor and Classifier have its settings.
//
// Resume: a search goes on from the rows that Observe saw, or that a Result's Trace has, which are JSON. It ends in
// the same Result.
//
// Budget: once it is spent, nothing more is begun. The best of what was seen is taken and fitted with; Result has
// [StatusBudget], a warning with the counts, and a trace that says what was not scored. Each of several families
// may use an equal part of what is left. What has begun is ended, one point is looked at in any case, and the last
// fit is not counted: a budget is overrun by that much, and never leaves a caller without a model. A context that
// ends does: it is an error, and the model fitted before stays.
//
// # A strategy of your own
//
// A [Strategy] has a Name and a Choose, which looks at points through the Run. This one tries a few at random:
//
//	func (s *Random) Choose(ctx context.Context, r *selection.Run) (selection.Choice, error) {
//		...
//		rows, err := r.CrossValidate(ctx, selection.Trials{Points: points, Folds: folds, Metric: metric})
//		...
//		best, err := r.Best("random", measure, rows)
//		return selection.Choice{Iteration: best, Status: selection.StatusGrid, Target: math.NaN(), Measure: measure}, err
//	}
//
// It then has budgets, resuming, several families and two parameters like the others. Package selectiontest checks
// the contract.
//
// # Weights
//
// FitWeighted gives each row a weight > 0, where the learner takes weights:
//
//   - the learner gets them, on all rows and, in a fold, those of its training rows;
//   - LeaveOneOut is the weighted mean of the squared residuals of the weighted machine;
//     LogEvidence takes a row's noise to have the variance λs²/w;
//   - a metric gets those of a fold's test rows, and the mean over the folds is plain;
//   - the entropy, its ceiling, a family's start and the preprocessing know none.
//
// For a learner of fixed settings a weight of 2 is the row given twice; for a score it is not, because a row that
// is there twice is not quite left out when one of them is.
//
// # Cross-validation
//
// [CrossValidateRegressor] and [CrossValidateClassifier] score any estimator over a Splitter's folds, by the
// metrics of package metrics or others. Preprocessing is fitted on the training rows of each fold alone.
//
//	KFold                   each row is tested once, Repeats times over
//	StratifiedKFold         the same with the classes dealt evenly
//	ShuffleSplit            independent draws of a test part
//	StratifiedShuffleSplit  the same with each class in proportion
//	GroupKFold              the rows of a group are never on both sides
//	StratifiedGroupKFold    the same with the classes dealt as evenly as groups allow
//	TimeSeriesSplit         tested rows come after those of training
//
// A splitter is a function of the number of rows, the labels and its seed; any type with a Split method is one.
//
// Kernels that differ in kind, and so are no family, are compared by package ranking. What was learnt, column by
// column, says package inspection.
package selection
