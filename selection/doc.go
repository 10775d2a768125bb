// Package selection chooses kernels and their parameters.
//
// [Regressor] and [Classifier] are estimators that choose their kernel when they are fitted. With default settings,
//
//	r := &selection.Regressor{}
//
// they fill gaps, transform the columns in two ways (standardised, and by Yeo-Johnson), and learn two kinds of kernels on each
// scaling: a Matérn kernel with ν = 5/2, which is smooth, and a Laplacian kernel, which can follow steps. They predict the
// weighted mean of these four models and of a fifth with one length for all columns. For classes, a sixth model has logistic loss.
// The shares of the models are those that best predict left-out rows. List the columns of names in Categories. Print their Result
// to see the choice.
//
// Otherwise they choose among the kernels of a [Space] with a [search.Strategy]. One field changes the strategy:
//
//	r := &selection.Regressor{
//		Preprocess: []transformers.Transformer{&scalers.StandardScaler{}},
//		Space: selection.Kernels(func(k kernels.Kernel) estimators.Regressor {
//			return &svm.Regressor{Kernel: k}
//		}, families.RBF{}),
//		Search:     &entropy.Search{}, // or &grid.Search{}
//	}
//
// A space holds the kernels of one or more families ([Kernels]) or of a family with two parameters ([Kernels2]), each for a learner
// that a function builds. It can also hold complete estimators ([Candidates]). With a Strategy and no space it holds the RBF
// kernels for package lssvm, and for an [entropy.Search] also Matérn kernels with ν = 5/2.
//
// # Strategies
//
// [shape.Search] learns one length per column from the gradient of the evidence. The zero value uses it. [entropy.Search] finds
// kernels whose matrices have given entropies, and scores them without fitting the learner. [entropy.GoldenSection] is the search
// of the paper that proposes the entropy.
//
// [grid.Search] fits the learner at each point in each fold. It is the baseline. [grid.Halving] fits all points on a part of the
// rows, and then fewer and fewer points on more rows.
//
// The two grid strategies can also compare complete estimators, those of [Candidates]. [NamedCandidates] and [CandidateGrid] name
// the estimators, the latter by their settings on named axes.
//
// # Several kernels
//
// If there are several families, each is searched, and the best score decides. For two parameters (two lengths, or a degree and a
// shift) the search varies one with the other fixed, alternately, until the score no longer improves. It finds a local minimum at a
// few times the cost of one parameter. The squared distances or inner products that all kernels of a search use are computed once
// (kernels.Shared).
//
// # Many rows
//
// With default settings and more than 5000 rows, a draft on 1000 rows chooses the scaling of the columns, and package lssvm solves
// one linear system with all rows. If it exceeds the memory limit, or is expected to exceed the Budget, package falkon is used,
// and [shape.Search] learns the lengths on landmarks. For many rows, an [entropy.Search] uses bounds on the entropies. With
// 100 000 rows this takes seconds in addition to the learner's fit.
//
// # Searches
//
// Every search is a [search.Run]: it keeps the trace, can be resumed, and ends at the Budget. Package search has the details, and
// explains how to write a strategy.
//
// # Weights
//
// FitWeighted gives each row a weight > 0, if the learner accepts weights:
//
//   - the learner receives them, for all rows and for the training rows of each fold;
//   - [entropy.LeaveOneOut] is the weighted mean of the squared residuals of the weighted machine, and [entropy.LogEvidence]
//     assumes noise of variance λs²/w in a row;
//   - a metric receives those of a fold's test rows, and the mean over folds is unweighted;
//   - the entropy, the initial parameter of a family and the preprocessing do not use them.
//
// Rows that are equal after the preprocessing are merged into one row whose weight is the sum of theirs, because a copy of a
// left-out row reveals its target. The search sees the distinct rows with the mean targets of equal rows, and folds keep equal rows
// together. Therefore, repeating every row changes nothing, and a weight of 2 is equivalent to repeating the row. Only the ratios
// of weights matter: a search scales them so that the distinct rows have mean weight 1, even for a learner with a Ridge or Cost of
// its own. A learner that does not accept weights is fitted on all rows. Steps of Preprocess are fitted on the distinct rows.
//
// Rows of a few categories are often equal by chance. They are separate observations, and the agreement of their targets shows the
// size of the noise. A Regressor or Classifier with default settings treats equal rows as such observations if each occurs three
// times on average, and there are at most eight times as many equal pairs as independent columns would have. For a single column
// that is not a category, targets of equal rows must also differ. It divides the observations among up to five parts, and leaves
// out one part at a time.
//
// Package validation measures estimators with cross-validation. Package ranking compares kernels of different kinds, which do not
// form a family. Package inspection explains fitted models column by column.
//
// [grid.Halving]: https://pkg.go.dev/github.com/kernelearn/kernelearn/selection/grid#Halving
// [grid.Search]: https://pkg.go.dev/github.com/kernelearn/kernelearn/selection/grid#Search
package selection
