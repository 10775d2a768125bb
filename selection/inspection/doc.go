// Package inspection says what a fitted estimator has learnt: how much each column matters to
// its predictions, and how they follow a column. It asks for predictions alone, so it works
// with any estimator, on the columns as they came, before all preprocessing.
//
//	RegressorRelevances, ClassifierRelevances   how much each column matters, as a table
//	RegressorEffect, ClassifierEffect           the mean prediction along one column, with a band
//	RegressorImportances, ...                   by how much the score is worse without each column
//	RegressorLearningCurve, ...                 scores as the rows of the fit grow
//	RegressorValidationCurve, ...               scores as one setting changes
//	Component                                   one part of a sum of functions of single columns
//	Explain, ExplainClass                       by how much each column moves one prediction
//	Neighbours, ClassNeighbours                 the training rows that weigh most in one prediction
//
// Curves of labels and scores, ROC, precision against recall and reliability, are in package
// metrics; package effectplot draws all of them.
//
// Columns that stand for one thing are looked at together: those that the names call levels
// of one category, name=category, and, with ten rows or more, exact copies of one column, also in other units. The
// effect of a copy alone would be a share of the column's, whichever share the fit gave it.
//
// # Relevance
//
// Let f be what is predicted, and let a column take the values v[g] that stand for shares
// p[g] of the rows, while rows x[i] keep their other columns. With f[i,g] the prediction for
// row i with value g,
//
//	relevance    (1/m) Σ[i] var[g] f[i,g] / var[i] f(x[i])
//	first order  var[g] (1/m) Σ[i] f[i,g] / var[i] f(x[i])
//
// are the total and the first-order effect of A. Saltelli and others (Computer Physics
// Communications 181, 2010, 259), as far as a column's values may be set freely: what varies
// with the column when all others stay, and what varies with it by itself, over the variance
// of the predictions for the rows as they are. Where they differ, the column acts together with
// others. Of columns that are independent both are shares of that variance, the first orders
// sum to at most 1 and the relevances to at least 1. Of dependent ones they are not, because
// rows with a foreign value need not be like any others: of two columns that say nearly the
// same each may matter less than both together, and where two large effects cancel on the rows
// as they are, each is larger than 1. Relevance is about what was learnt; it says nothing of how
// well that predicts. The loss of score when a column is permuted is another thing, permutation
// importance: [RegressorImportances].
//
// Of classes f is the probability of each, and variances are sums over the classes.
//
// Length is what the kernel knows: the distance in a column over which the function changes,
// in standard deviations of that column after preprocessing, as kernels.ARD and kernels.Matern
// have it. Above 10
// or so the column acts as a straight line or not at all; a small one is a column in which
// the function winds, whatever share of its variance that makes. Columns that go together
// have one over the root of Σ 1/length², so a column and its copy have the length of one.
// Where several models are averaged it is of the mean of 1/length² by their shares.
//
// # Effects
//
// An effect is (1/m) Σ[i] f[i,g] over g, partial dependence (J. H. Friedman, Annals of
// Statistics 29, 2001, 1189). The band says how well the rows of Fit determine that average,
// given the kernel and the ridge. It does not say how well those are known, nor how the average
// would change with other rows to average over. See [Band] for which it is.
//
// # Shapley values
//
// An [Explanation] of f(x) has a value φ for each player, a column or columns that go together, with Σ φ = f(x) - mean f(z) over the
// rows z of a background. Let v(S) be the mean over z of f at the row that has the players S of x and all others of z. The value of a
// player is the mean, over all orders in which the players join, of by how much v changes when it does (L. S. Shapley, 1953). A
// player that changes nothing has the value 0, and players that do the same in f have equal values if they are equal in x and z.
//
// If f is Σ α[i] k(x, x[i]) + b and k a product with a factor for each player, the mean over all orders is an integral of a
// polynomial, and exact with ⌈d/2⌉ nodes (G. Owen, Management Science 18, 1972, P64). RBF, Laplacian and periodic kernels, with any
// lengths and categories, and products of kernels of different columns are such. Of a sum of kernels and of models
// the values are the sums, and a kernel of a single player is a factor, which covers additive and linear kernels. A Matérn or a rational
// quadratic kernel is a mixture of RBF kernels of all lengths, of which 71 (ν = 5/2), 101 (3/2) or 246 (1/2) give 14 digits. Whether the
// sum of kernel values is what the estimator predicts is tried on 16 mixed rows.
//
// Any other f is asked for predictions: for each row z the players join in a few random orders and in the reverse of each, which
// gives values that sum to f(x) - f(z), and standard errors. Of few players all sets cost no more, and the values are exact.
package inspection
