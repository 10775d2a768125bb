// Package stacking averages any estimators. It determines the shares that predict best on rows that the estimators were not fitted
// to (D. H. Wolpert, Neural Networks 5, 1992; L. Breiman, Machine Learning 24, 1996).
//
// The machines of package lssvm compute their leave-one-out predictions exactly and without further fits. All other estimators are
// fitted again without each of a few folds. Shares are at least 0 and sum to 1. They are shrunk towards equal shares, so that they
// do not depend on only a few rows. A model with a share below 2% is removed from the predictions and from the model file.
//
// selection.Regressor and selection.Classifier weight their own models with the same method.
package stacking
