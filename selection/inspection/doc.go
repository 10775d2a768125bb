// Package inspection explains what a fitted estimator has learnt: how much each column matters to its predictions, and how the
// predictions depend on a column. It only needs predictions, so it works with any estimator, on the original columns before any
// preprocessing.
//
//	RegressorRelevances, ClassifierRelevances   how much each column matters, as a table
//	RegressorEffect, ClassifierEffect           the mean prediction along one column, with a band
//	RegressorImportances, ...                   by how much the score is worse without each column
//	RegressorLearningCurve, ...                 scores as the number of training rows grows
//	RegressorValidationCurve, ...               scores as one setting changes
//	Component                                   one component of an additive function
//	Explain, ExplainClass                       by how much each column moves one prediction
//	Neighbours, ClassNeighbours                 the training rows with the largest weights in one prediction
//
// Curves of labels and scores (ROC, precision-recall and reliability) are in package metrics. Package effectplot draws all of them.
//
// Related columns are changed together. They are the levels of one category, recognised by their names, name=level. With ten
// rows or more, exact copies of a column, even in other units, are also related. The effect of a single copy would be an arbitrary
// share of the column's effect.
//
// # Relevance
//
// Let f be the prediction. Let a column take the values v[g], which represent fractions p[g] of the rows, while rows x[i] keep
// their other columns. If f[i,g] is the prediction for row i with value v[g],
//
//	relevance    (1/m) Σ[i] var[g] f[i,g] / var[i] f(x[i])
//	first order  var[g] (1/m) Σ[i] f[i,g] / var[i] f(x[i])
//
// are the total and the first-order effect of A. Saltelli and others (Computer Physics Communications 181, 2010, 259). They are the
// variance due to the column when all others stay unchanged, and the variance due to the column alone, relative to the variance of
// the predictions for the original rows. They assume that a column's values can be set freely. If the two differ, the column
// interacts with others. For independent columns both are fractions of that variance, the first orders sum to at most 1 and the
// relevances to at least 1. For dependent columns they are not, because a row with a value from another row need not resemble any
// row. Of two columns with nearly the same content each may matter less than both together. If two large effects cancel on the
// original rows, each exceeds 1. Relevance describes what was learnt, not how accurate the predictions are. The loss of score when
// a column is permuted is another quantity, permutation importance: see [RegressorImportances].
//
// For classes f is the probability of each class, and variances are sums over the classes.
//
// Length is the kernel's length: the distance in a column over which the function changes, in standard deviations of that column
// after preprocessing, as in kernels.ARD and kernels.Matern. Above about 10 the column acts linearly or not at all. With a small
// length the function oscillates in the column, whatever its contribution to the variance. The length of related columns is 1 over
// the root of Σ 1/length², so a column and its copy together have the length that a single column would have. If several models are
// averaged, 1/length² is the mean over the models, weighted by their shares.
//
// # Effects
//
// An effect is (1/m) Σ[i] f[i,g] over g, partial dependence (J. H. Friedman, Annals of Statistics 29, 2001, 1189). The band shows
// how well the training rows determine that mean, given the kernel and the ridge. It includes neither the uncertainty of the kernel
// and the ridge, nor the variation of the mean with other rows. See [Band] for the kinds of bands.
//
// # Shapley values
//
// An [Explanation] of f(x) has a value φ for each player, a column or related columns, with Σ φ = f(x) - mean f(z) over the rows z
// of a background. Let v(S) be the mean over z of f at the row that takes the players S from x and all others from z. The value of
// a player is the mean change of v when the player joins, over all orders in which the players can join (L. S. Shapley, 1953). A
// player that changes nothing has value 0, and players with the same role in f have equal values if they are equal in x and z.
//
// If f is Σ α[i] k(x, x[i]) + b, and k is a product with one factor per player, the mean over all orders is an integral of a
// polynomial, and ⌈d/2⌉ nodes give it exactly (G. Owen, Management Science 18, 1972, P64). This covers RBF, Laplacian and periodic
// kernels with any lengths and categories, and products of kernels of different columns. For sums of kernels and of models the
// values are sums. A kernel of a single player is a factor, which covers additive and linear kernels. A Matérn or rational
// quadratic kernel is a mixture of RBF kernels over all lengths, and 71 (ν = 5/2), 101 (3/2) or 246 (1/2) of them give 14 digits.
// The sum of kernel values is compared with the estimator's prediction on 16 mixed rows.
//
// Other functions f are explained with predictions: for each row z the players join in a few random orders and in their reverses.
// The values sum to f(x) - f(z), and have standard errors. If there are only a few players, evaluating all sets needs no more
// predictions, and the values are exact.
package inspection
