// Package validation measures estimators on rows that they were not fitted to.
//
// [CrossValidateRegressor] and [CrossValidateClassifier] score any estimator over the folds of a [Splitter], with the metrics of
// package metrics or others. If the model is a pipeline, its steps are fitted only to the training rows of each fold.
//
//	KFold                   tests each row once, Repeats times
//	StratifiedKFold         the same, with the classes in proportion
//	ShuffleSplit            draws independent test parts
//	StratifiedShuffleSplit  the same, with the classes in proportion
//	GroupKFold              keeps the rows of a group in one part
//	StratifiedGroupKFold    the same, with the classes in proportion where groups allow it
//	TimeSeriesSplit         tests rows that come after the training rows
//
// A splitter is a function of the number of rows, the labels and its seed. Any type with the method Split is a splitter.
//
// [Scores] holds the scores of each fold. To compare two estimators, cross-validate both on the same folds and call [Scores.Minus],
// a paired test that accounts for the rows that folds share. [ScoreRegressor] and [ScoreClassifier] score an estimator that is
// already fitted.
package validation
