package golearn

import (
	"context"
	"fmt"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/evaluation"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/selection/validation"
)

// Fold is one division of a grid's rows. Both parts are dense copies, with the
// attributes of the grid.
type Fold struct{ Train, Test *base.DenseInstances }

// Folds cuts the rows of grid, shuffled, into as many parts of even size as folds
// says; each is the test part once. Each class of a categorical or a binary class
// attribute is dealt evenly to the parts. The same seed gives the same folds, 0
// included, and the grid stays as it is. The copies take folds times the grid's
// memory. Errors: ErrParam for fewer than 2 folds; ErrShape for fewer rows than
// folds or not one class attribute.
func Folds(grid base.FixedDataGrid, folds int, seed uint64) ([]Fold, error) {
	return eachFold(context.Background(), "Folds", grid, labelled, folds, seed, func(train, test *gridTable) (out Fold, err error) {
		if out.Train, err = train.sharing(); err == nil {
			out.Test, err = test.sharing()
		}
		return out, err
	})
}

// CrossValidateClassifier is golearn's GenerateCrossFoldValidationConfusionMatrices with
// folds that a seed repeats and that hold each class evenly (see Folds): it fits
// cls anew on the training rows of each fold, and counts its predictions for the
// others. Errors are those of Folds and of cls, with the fold's number, a panic of
// a classifier of golearn among them; and ctx's, which is asked before each fold and
// given to the models of this package.
func CrossValidateClassifier(ctx context.Context, grid base.FixedDataGrid, cls base.Classifier, folds int,
	seed uint64) (_ []evaluation.ConfusionMatrix, err error) {
	defer fault.Recover(&err)
	return crossValidate(ctx, "CrossValidateClassifier", grid, cls, folds, seed,
		func(test, predicted base.FixedDataGrid) (evaluation.ConfusionMatrix, error) {
			return evaluation.GetConfusionMatrix(test, predicted)
		})
}

// CrossValidateRegressor is CrossValidateClassifier for a float class attribute and a model
// that predicts one, such as a Regressor.
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
	return eachFold(ctx, function, grid, training, folds, seed, func(train, test *gridTable) (out S, err error) {
		if err := fitInner(ctx, model, train); err != nil {
			return out, err
		}
		class, err := ofInner(model, test, train.classes[0].column, answer)
		if err != nil {
			return out, err
		}
		predicted, err := classGrid(class)
		if err != nil {
			return out, err
		}
		truth, err := test.grid()
		if err != nil {
			return out, err
		}
		return score(truth, predicted)
	})
}

// eachFold calls do with the parts of each fold, one after the other, so that the copies of
// one are in memory at a time.
func eachFold[R any](ctx context.Context, function string, grid base.FixedDataGrid, open func(base.FixedDataGrid) (*gridTable, error),
	folds int, seed uint64, do func(train, test *gridTable) (R, error)) ([]R, error) {
	t, divisions, err := divisions(grid, open, folds, seed)
	if err != nil {
		return nil, fmt.Errorf("golearn: %s: %w", function, err)
	}
	out := make([]R, len(divisions))
	for i, d := range divisions {
		err := ctx.Err()
		if err == nil {
			out[i], err = do(t.pick(nil, d.Train), t.pick(nil, d.Test))
		}
		if err != nil {
			return nil, fmt.Errorf("golearn: %s: fold %d: %w", function, i, err)
		}
	}
	return out, nil
}

func divisions(grid base.FixedDataGrid, open func(base.FixedDataGrid) (*gridTable, error), folds int, seed uint64) (*gridTable,
	[]validation.Fold, error) {
	t, err := divisible(grid, open)
	if err != nil {
		return nil, nil, err
	}
	class, err := t.values(&t.classes[0])
	if err != nil {
		return nil, nil, err
	}
	if folds < 2 {
		return nil, nil, fault.Param("input", "folds", folds, ">= 2")
	}
	if t.classes[0].column.Kind == floatKind {
		clear(class) // all are one
	}
	of, _ := strata(class)
	out, err := validation.StratifiedKFold{Folds: folds, Seed: seed}.Split(t.n, of)
	return t, out, err
}
