// Package selection chooses a kernel's parameter and measures estimators.
//
// [Regressor] and [Classifier] are estimators that choose their kernel when they are fitted. With nothing set,
//
//	r := &selection.Regressor{}
//
// they fill gaps, transform the columns in two ways (standardised, and by Yeo-Johnson), and learn two kinds of kernels
// after each: a Matérn kernel of ν = 5/2, which is smooth, and a Laplacian one, which follows steps. They predict the mean of
// the four models, each with the share that it earns on rows that it has not seen. Columns that name things are
// their Categories. Print their Result to see what was chosen.
//
// Otherwise they choose among the kernels of a [Space], by a [search.Strategy]. One field changes the strategy:
//
//	r := &selection.Regressor{
//		Preprocess: []transformers.Transformer{&scalers.StandardScaler{}},
//		Space: selection.Kernels(func(k kernels.Kernel) estimators.Regressor {
//			return &svm.Regressor{Kernel: k}
//		}, families.RBF{}),
//		Search:     &entropy.Search{}, // or &grid.Search{}
//	}
//
// A space holds the kernels of a family or of several ([Kernels]) or of a family of two parameters ([Kernels2]), each for
// a learner that a function builds, or it holds whole estimators ([Candidates]). With a Strategy and no space it is the
// RBF kernels for package lssvm. For an [entropy.Search] it also has the kernels of Matérn 5/2.
//
// # Strategies
//
// [shape.Search] learns a length for each column by the gradient of the evidence. It is what happens with nothing set.
// [entropy.Search] finds kernels whose matrices have certain entropies, and scores them without fitting the learner.
// [entropy.GoldenSection] is the search of the paper that the entropy comes from.
//
// [grid.Search] fits the learner at each of its points in each fold. It is the baseline. [grid.Halving] fits all points on a part
// of the rows, and then fewer and fewer points on more rows.
//
// Both can also compare whole estimators, those of [Candidates], with kernels or without. [NamedCandidates] and [CandidateGrid]
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
// With nothing set, of more than 5000 rows a draft of 1000 chooses the scaling of the columns, and package lssvm solves the system
// of all rows. What does not fit in memory, or has a Budget, is handed over to package falkon, and [shape.Search] then learns the
// lengths on landmarks. An [entropy.Search] takes bounds of the entropies of many rows. With 100 000 rows this takes seconds, besides
// the learner's fit.
//
// # A run
//
// Every search is a [search.Run]: it keeps the trace, resumes, and ends at the Budget. Package search says how, and how to
// write a strategy of your own.
//
// # Weights
//
// FitWeighted gives each row a weight > 0, where the learner takes weights:
//
//   - the learner gets them, on all rows and, in a fold, those of its training rows;
//   - [entropy.LeaveOneOut] is the weighted mean of the squared residuals of the weighted machine;
//     [entropy.LogEvidence] takes a row's noise to have the variance λs²/w;
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
// Rows of a few categories are often equal by chance: they are separate observations, and whether their targets agree
// shows how noisy the targets are. A Regressor or Classifier with nothing set takes equal rows for such observations if
// each is there three times in the mean and there are at most eight times as many pairs of equal rows as there would be of
// independent columns; of one column that is no category their targets have to differ too. It deals them to up to five
// parts and leaves one part out at a time.
//
// Package validation measures estimators by cross-validation. Package ranking compares kernels that differ in kind and
// therefore are no family. Package inspection says what was learnt, column by column.
//
// [grid.Halving]: https://pkg.go.dev/github.com/kernelearn/kernelearn/selection/grid#Halving
// [grid.Search]: https://pkg.go.dev/github.com/kernelearn/kernelearn/selection/grid#Search
package selection
