// Package stacking holds the mean of any estimators, with shares that predict best what each has predicted of rows that it has not
// seen (D. H. Wolpert, Neural Networks 5, 1992; L. Breiman, Machine Learning 24, 1996).
//
// What an estimator says of a row without it is exact, at no further fit, where it can be computed (the machines of package
// lssvm); others are fitted again without each of a few folds. Shares are at least 0 and their sum is 1. They are drawn
// toward equal ones, so that few rows do not decide, and a model of less than 2% is left out: of the predictions and of
// the model file.
//
// It is the mathematics by which selection.Regressor and selection.Classifier weigh their own models.
package stacking
