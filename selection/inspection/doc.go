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
//
// Curves of labels and scores, ROC, precision against recall and reliability, are in package
// metrics; package effectplot draws all of them.
//
// Columns that stand for one thing are looked at together: those that the names call levels
// of one category, name=category, and exact copies of one column, also in other units. The
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
package inspection
