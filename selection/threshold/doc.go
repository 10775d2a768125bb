// Package threshold chooses above which probability a classifier decides for a class, by precision, recall or costs on rows that it has not
// seen.
//
// A classifier predicts the most probable class. Where one class is rare, or one kind of mistake costs more than the other, another
// threshold decides better with the same probabilities: find nine of ten frauds (MinRecall), raise an alarm only if it is nearly always
// right (MinPrecision), or pay the least (FalsePositiveCost, FalseNegativeCost).
//
// The rows of Fit are divided into folds. Each is predicted by the model fitted to the others, or in closed form with each row left out,
// and the threshold is chosen on these probabilities. What [Classifier.Choice] reports is measured on the rows on which the threshold was
// chosen, so it is a little optimistic if one of the classes has few rows.
package threshold
