// Package golearn lets the estimators of this module stand where golearn code
// expects a base.Classifier.
//
// # The drop-in
//
// One line changes. Where there was
//
//	cls := knn.NewKnnClassifier("euclidean", "linear", 2)
//
// there now is
//
//	cls := &golearn.Classifier{Estimator: &lssvm.Classifier{}}
//
// or, for the search of package selection, which makes columns even, fills gaps and
// chooses a kernel,
//
//	cls := &golearn.Classifier{}
//
// and Fit, Predict, the confusion matrix, golearn's cross-validation, bagging
// and one-versus-all go on as before. [Regressor] does the same for a float
// class attribute, with the convention of golearn's LinearRegression: Predict
// gives a grid with one float attribute of the target's name.
//
// # What is done with a grid
//
// Every attribute but the class is a feature. A float attribute is one column
// of the matrix that the estimator sees, a binary one a column of 0 and 1, and
// a categorical one a column for each category that the training rows hold
// (NoOneHot refuses categorical features instead), or, of more than 32, one column
// of codes for an estimator that takes categories (estimators.Categorizer), as the
// search does. At Predict attributes are matched by name and type and categories by
// their text, so a grid that was parsed from another file, with its columns or
// categories in another order, is read correctly; columns that Fit did not see are
// ignored, and a category that it did not see sets none of its attribute's columns,
// or differs from all, which Inspect counts.
// The grid may lack the class attribute and may have no rows.
//
// The class attribute is categorical, binary, or a float of 0 and 1, which is
// predicted as 0 or 1. golearn's meta.OneVsAllModel, which hands over such a class
// and compares the predictions of several models, gets scores between 0 and 1, and so
// does a Classifier whose Scores field is set.
// grids.WithClass chooses another attribute as the class.
//
// # Pipelines
//
// A [Pipeline] is a base.Classifier too. Its steps are transformers of this
// module (Transform) or golearn filters (Filter), and its Final is one of this
// package's types, another Pipeline, or a golearn classifier:
//
//	p := &golearn.Pipeline{
//		Steps: []golearn.Step{golearn.Transform(&scalers.StandardScaler{})},
//		Final: knn.NewKnnClassifier("euclidean", "linear", 2),
//	}
//
// The steps are fitted on the training grid only. A filter never touches the
// class, and at Predict it gets cells under the attributes that it was trained
// on, so that it works on a separately parsed grid.
//
// # Saving
//
// Save writes a model file as a whole or not at all, and Load refuses, with
// estimators.ErrBadModel, a file that was cut short or changed, and then keeps
// the model it had. Configuration is not stored: Load into a value that is
// configured as the saved one was. SaveWithPrefix and LoadWithPrefix put the
// same bytes, under one key, into the archives of golearn's composites.
//
// # Data
//
// Package [github.com/kernelearn/kernelearn/adapters/golearn/grids] makes grids of CSV files, matrices, slices and structs, and divides
// their rows. Grids that golearn makes of CSV and ARFF files or of a dataframe-go frame are taken as they are.
//
// # Evaluation
//
// golearn's folds and bagging draw without a seed. [CrossValidateClassifier] and [Bagging] repeat, shuffle no
// grid in place, and report errors; [CrossValidateRegressor] and
// [SummarizeRegression] are for numbers.
//
// # What is refused
//
// All of this is an error that names the attribute and the row, never a panic,
// and comes with a grid of no rows: a NaN or an infinity in a feature, a training grid without rows,
// without features, or with more or fewer than one class attribute, a class
// cell that is missing, a feature that the grid to predict lacks or has as
// another type. A Classifier's or a Regressor's field Missing lets a NaN through to
// the estimator, or puts the feature's mean in its place; without an Estimator a NaN is
// let through, because the search that takes its place fills gaps.
//
// The package imports golearn's base and evaluation packages. They need no C
// compiler, and neither does anything here; golearn's knn, linear_models and
// ensemble do.
package golearn
