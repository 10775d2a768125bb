package threshold

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/selection/internal/folds"
	"github.com/kernelearn/kernelearn/selection/validation"
)

const defaultFolds = 5

// leaveOut returns the probabilities of the class for the left-out rows, and the indices of these rows.
func (c *Classifier) leaveOut(ctx context.Context, chosen estimators.Classifier, rows folds.Rows[int], positive int) (
	p []float64, tested []int, err error) {
	if c.Splitter == nil && c.Groups == nil {
		if closed, ok := chosen.(interface{ LeaveOneOutProba() (*mat.Dense, error) }); ok {
			all, err := closed.LeaveOneOutProba()
			if err != nil {
				return nil, nil, err
			}
			for i := range rows.Y {
				tested = append(tested, i)
			}
			return probability(all, chosen.Classes(), positive), tested, nil
		}
	}
	divided, err := c.divide(rows)
	if err != nil {
		return nil, nil, err
	}
	seen := make([]bool, len(rows.Y))
	group := progress.Open(ctx)
	for i, f := range divided {
		for _, row := range f.Test {
			if seen[row] {
				return nil, nil, fault.Param(classifierType, "Splitter", fmt.Sprintf("%T", c.Splitter),
					"one whose test parts have no row in common")
			}
			seen[row] = true
		}
		one := c.clone()
		if err := folds.Fit(group.Step(i, len(divided)), classifierType, one, rows.Pick(f.Train)); err != nil {
			return nil, nil, fmt.Errorf("%s: fold %d: %w", classifierType, i, err)
		}
		got, err := one.(estimators.ProbaPredictor).PredictProba(rows.Pick(f.Test).X)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: fold %d: %w", classifierType, i, err)
		}
		p, tested = append(p, probability(got, one.Classes(), positive)...), append(tested, f.Test...)
	}
	return p, tested, nil
}

// divide returns the folds. Copies of a row are in the same fold.
func (c *Classifier) divide(rows folds.Rows[int]) ([]validation.Fold, error) {
	splitter := c.Splitter
	switch {
	case splitter != nil:
	case c.Groups != nil:
		splitter = validation.StratifiedGroupKFold{Groups: c.Groups, Folds: defaultFolds}
	default:
		splitter = validation.StratifiedKFold{Folds: defaultFolds}
	}
	merged, first := distinct.Merge(rows.X, nil), rows.Y
	if merged.Repeated() {
		first = merged.MostFrequent(rows.Y)
	}
	divided, err := validation.SplitDistinct(splitter, merged, first, rows.Y)
	if err != nil {
		return nil, err
	}
	return validation.SpreadDistinct(divided, merged), nil
}
