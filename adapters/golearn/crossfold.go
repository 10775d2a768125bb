package golearn

import (
	"context"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/evaluation"

	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// CrossValidateClassifier is like golearn's GenerateCrossFoldValidationConfusionMatrices, but uses stratified folds that depend on
// a seed (see grids.Folds). It fits cls to the training rows of each fold, and counts its predictions for the test rows. The
// context is checked before each fold and passed to the models of this package. It returns the errors of grids.Folds, those of cls
// with the fold's number, or ctx's error. If a golearn classifier panics, the panic is returned as an error of cls.
func CrossValidateClassifier(ctx context.Context, grid base.FixedDataGrid, cls base.Classifier, folds int,
	seed uint64) (_ []evaluation.ConfusionMatrix, err error) {
	defer fault.Recover(&err)
	return crossValidate(ctx, "CrossValidateClassifier", grid, cls, folds, seed,
		func(test, predicted base.FixedDataGrid) (evaluation.ConfusionMatrix, error) {
			return evaluation.GetConfusionMatrix(test, predicted)
		})
}

// CrossValidateRegressor is like CrossValidateClassifier, for a float class attribute and a model that predicts it, such as a
// Regressor.
func CrossValidateRegressor(ctx context.Context, grid base.FixedDataGrid, model base.Classifier, folds int,
	seed uint64) (_ []RegressionSummary, err error) {
	defer fault.Recover(&err)
	return crossValidate(ctx, "CrossValidateRegressor", grid, model, folds, seed, SummarizeRegression)
}

func crossValidate[S any](ctx context.Context, function string, grid base.FixedDataGrid, model base.Classifier, folds int, seed uint64,
	score func(test, predicted base.FixedDataGrid) (S, error)) ([]S, error) {
	if model == nil {
		return nil, fault.Param("golearn: "+function, "model", nil, "a classifier")
	}
	return gridtable.EachFold(ctx, "golearn: "+function, grid, gridtable.ReadTraining, folds, seed,
		func(train, test *gridtable.Table) (out S, err error) {
			if err := fitInner(ctx, model, train); err != nil {
				return out, err
			}
			class, err := ofInner(model, test, train.Classes[0].Column, answer)
			if err != nil {
				return out, err
			}
			predicted, err := gridtable.ClassGrid(class)
			if err != nil {
				return out, err
			}
			truth, err := test.Grid()
			if err != nil {
				return out, err
			}
			return score(truth, predicted)
		})
}
