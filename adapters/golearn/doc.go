// Package golearn makes the estimators of this module usable as a base.Classifier in golearn code.
//
// # The drop-in
//
// One line changes. Instead of
//
//	cls := knn.NewKnnClassifier("euclidean", "linear", 2)
//
// write
//
//	cls := &golearn.Classifier{Estimator: &lssvm.Classifier{}}
//
// or, for the search of package selection, which scales columns, fills gaps and chooses a kernel,
//
//	cls := &golearn.Classifier{}
//
// Fit, Predict, the confusion matrix, golearn's cross-validation, bagging and one-versus-all work as before. [Regressor] does the
// same for a float class attribute, with the convention of golearn's LinearRegression: Predict returns a grid with one float
// attribute that has the target's name.
//
// # Features and classes of a grid
//
// Every attribute except for the class is a feature:
//
//   - A float attribute is one column of the estimator's matrix, and a binary attribute is a column of 0 and 1.
//   - A categorical attribute becomes a column for each level of the training rows. NoOneHot rejects categorical features instead.
//   - With more than 32 levels it becomes one column of codes if the estimator accepts categories (estimators.Categorizer), as
//     the search does.
//
// Predict matches attributes by name and type, and levels by their text. It therefore correctly reads a grid that was parsed
// from another file, whose columns or levels are in another order. Attributes that the training grid lacks are ignored. A
// level that the training rows lack sets none of its attribute's columns, or has a code that differs from all others, and
// Inspect counts it. The grid may lack the class attribute and may have no rows.
//
// The class attribute is categorical, binary, or a float of 0 and 1, which is predicted as 0 or 1. golearn's meta.OneVsAllModel
// passes such a float class and compares the predictions of several models. It receives scores between 0 and 1. A Classifier whose
// Scores field is set also returns scores. grids.WithClass chooses another attribute as the class.
//
// # Pipelines
//
// A [Pipeline] is also a base.Classifier. Its steps are transformers of this module (Transform) or golearn filters (Filter), and
// its Final is a type of this package, another Pipeline, or a golearn classifier:
//
//	p := &golearn.Pipeline{
//		Steps: []golearn.Step{golearn.Transform(&scalers.StandardScaler{})},
//		Final: knn.NewKnnClassifier("euclidean", "linear", 2),
//	}
//
// The steps are fitted only to the training grid. A filter never changes the class. At Predict it receives cells under the
// attributes that it was trained on, so that it works on a separately parsed grid.
//
// # Saving
//
// Save writes a complete model file or none. Load rejects a file that was truncated or changed, with estimators.ErrBadModel, and
// leaves the model unchanged. Configuration is not stored: Load into a value with the configuration of the saved one.
// SaveWithPrefix writes the same bytes, under one key, to an archive of a golearn composite, and LoadWithPrefix reads them.
//
// # Data
//
// Package [github.com/kernelearn/kernelearn/adapters/golearn/grids] creates grids from CSV files, matrices, slices and structs, and
// divides their rows. Grids that golearn creates from CSV and ARFF files or from a dataframe-go frame are read without changes.
//
// # Evaluation
//
// golearn's folds and bagging draw without a seed. [CrossValidateClassifier] and [Bagging] are reproducible, do not shuffle a grid
// in place, and report errors. [CrossValidateRegressor] and [SummarizeRegression] do the same for numeric targets.
//
// # Errors
//
// Invalid input is an error that names the attribute and the row, never a panic. The grid that is returned with an error has no
// rows. These are errors:
//
//   - a NaN or an infinity in a feature;
//   - a training grid without rows, without features, or with more or fewer than one class attribute;
//   - a class cell that is missing;
//   - a feature that the grid to predict lacks or has as another type.
//
// With the field Missing of a Classifier or a Regressor, a NaN is passed to the estimator, or replaced with the feature's mean.
// Without an Estimator, a NaN is passed to the default search, which fills gaps.
//
// The package imports golearn's base and evaluation packages. They need no C compiler, and neither does this package. golearn's
// knn, linear_models and ensemble need one.
package golearn
