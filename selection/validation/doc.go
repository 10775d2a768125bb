// Package validation measures estimators on rows that they have not seen.
//
// [CrossValidateRegressor] and [CrossValidateClassifier] score any estimator over the folds of a [Splitter], by the
// metrics of package metrics or others. If build returns a pipeline, its steps are fitted on the training rows of each
// fold alone.
//
//	KFold                   each row is tested once, Repeats times over
//	StratifiedKFold         the same with the classes dealt evenly
//	ShuffleSplit            independent draws of a test part
//	StratifiedShuffleSplit  the same with each class in proportion
//	GroupKFold              the rows of a group are never on both sides
//	StratifiedGroupKFold    the same with the classes dealt as evenly as groups allow
//	TimeSeriesSplit         tested rows come after those of training
//
// A splitter is a function of the number of rows, the labels and its seed. Any type with a Split method is one.
//
// [Scores] has the scores of each fold. To compare two estimators, cross-validate both on the same folds and take
// [Scores.Minus], a paired test that allows for what the folds share. [ScoreRegressor] and [ScoreClassifier] score an
// estimator that is already fitted.
package validation
