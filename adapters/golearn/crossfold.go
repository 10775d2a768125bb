package golearn

import (
	"context"
	"fmt"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/evaluation"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/selection"
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
	var out []Fold
	err := eachFold("Folds", grid, folds, seed, func(f Fold) error {
		out = append(out, f)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// CrossValidateClassifier is golearn's GenerateCrossFoldValidationConfusionMatrices with
// folds that a seed repeats and that hold each class evenly (see Folds): it fits
// cls anew on the training rows of each fold, and counts its predictions for the
// others. Errors are those of Folds and of cls, with the fold's number; a panic of
// a classifier of golearn is one.
func CrossValidateClassifier(grid base.FixedDataGrid, cls base.Classifier, folds int, seed uint64) ([]evaluation.ConfusionMatrix, error) {
	var out []evaluation.ConfusionMatrix
	err := crossValidate("CrossValidate", grid, cls, folds, seed, func(test, predicted base.FixedDataGrid) error {
		cm, err := evaluation.GetConfusionMatrix(test, predicted)
		out = append(out, cm)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// CrossValidateRegressor is CrossValidate for a float class attribute and a model
// that predicts one, such as a Regressor.
func CrossValidateRegressor(grid base.FixedDataGrid, model base.Classifier, folds int, seed uint64) ([]RegressionSummary, error) {
	var out []RegressionSummary
	err := crossValidate("CrossValidateRegressor", grid, model, folds, seed, func(test, predicted base.FixedDataGrid) error {
		s, err := SummarizeRegression(test, predicted)
		out = append(out, s)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func crossValidate(function string, grid base.FixedDataGrid, cls base.Classifier, folds int, seed uint64, score func(test, predicted base.FixedDataGrid) error) error {
	if cls == nil {
		return fault.Param("golearn: "+function, "classifier", nil, "a classifier")
	}
	number := 0
	return eachFold(function, grid, folds, seed, func(f Fold) error {
		err := fitFinal(context.Background(), cls, f.Train)
		if err == nil {
			var predicted base.FixedDataGrid
			if predicted, err = predictFinal(cls, f.Test); err == nil {
				err = score(f.Test, predicted)
			}
		}
		if err != nil {
			return fmt.Errorf("golearn: %s: fold %d: %w", function, number, err)
		}
		number++
		return nil
	})
}

// eachFold makes the folds one after the other, so that one is in memory at a time.
func eachFold(function string, grid base.FixedDataGrid, folds int, seed uint64, do func(Fold) error) error {
	class, err := classOf(function, grid)
	if err != nil {
		return err
	}
	attrs := grid.AllAttributes()
	readers, err := bindGuarded(grid, attrs)
	if err != nil {
		return fmt.Errorf("golearn: %s: %w", function, err)
	}
	strata, err := strataOf(readers, class)
	if err != nil {
		return fmt.Errorf("golearn: %s: %w", function, err)
	}
	if folds < 2 {
		return fault.Param("golearn: "+function, "folds", folds, ">= 2")
	}
	divisions, err := selection.StratifiedKFold{Folds: folds, Seed: seed}.Split(len(strata), strata)
	if err != nil {
		return fmt.Errorf("golearn: %s: %w", function, err)
	}
	classes := classAttributes(grid)
	for _, d := range divisions {
		var f Fold
		if f.Train, err = copyRowsGuarded(attrs, readers, classes, d.Train); err == nil {
			f.Test, err = copyRowsGuarded(attrs, readers, classes, d.Test)
		}
		if err != nil {
			return fmt.Errorf("golearn: %s: %w", function, err)
		}
		if err := do(f); err != nil {
			return err
		}
	}
	return nil
}

// strataOf numbers the classes of rows; those of a float class are all one.
func strataOf(readers []cells, class base.Attribute) (strata []int, err error) {
	defer guard("reading the grid", &err)
	for j := range readers {
		// Each fold reads each cell: a filter that stands behind it should run once.
		if err := readers[j].hold(); err != nil {
			return nil, err
		}
	}
	for j := range readers {
		r := &readers[j]
		if r.column.Name != class.GetName() || r.column.Kind == floatKind {
			continue
		}
		strata = make([]int, r.rows)
		for i := range strata {
			b, err := r.bits(i)
			if err != nil {
				return nil, err
			}
			strata[i] = int(b)
		}
		return strata, nil
	}
	if len(readers) > 0 {
		strata = make([]int, readers[0].rows)
	}
	return strata, nil
}

func copyRowsGuarded(attrs []base.Attribute, readers []cells, class []base.Attribute, rows []int) (_ *base.DenseInstances, err error) {
	defer guard("reading the grid", &err)
	return copyRows(attrs, readers, class, rows)
}
