// Package threshold chooses the probability above which a classifier predicts a class. The choice depends on the precision, the
// recall or the costs on rows that the classifier was not fitted to.
//
// A classifier predicts the most probable class. If one class is rare, or one kind of mistake costs more than the other, another
// threshold leads to better decisions with the same probabilities. For example, you can find nine of ten frauds (MinRecall), raise
// an alarm only if it is nearly always right (MinPrecision), or minimise the cost (FalsePositiveCost, FalseNegativeCost).
//
// The training rows are divided into folds, and each row is predicted by a model that was fitted to the other folds. If the
// estimator has closed-form leave-one-out predictions, they are used instead. The threshold is chosen on these probabilities.
// [Classifier.Choice] reports the scores on the rows on which the threshold was chosen, so they are slightly optimistic if one of
// the classes has few rows.
package threshold
