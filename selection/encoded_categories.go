package selection

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/selection/internal/folds"
	"github.com/kernelearn/kernelearn/selection/internal/leftout"
	"github.com/kernelearn/kernelearn/selection/internal/scalings"
)

// encodedFolds is the number of folds that score a model with encoded categories.
const encodedFolds = 5

// manyLevels returns the categories with at least leastLevels levels. They are the first columns of x. It returns nil on landmarks
// and with Groups, where no rows are left out and an encoded model could not be scored. It also returns nil if a fit has a draft,
// because with many rows the levels can be learnt without encoding.
func (c engine[Y, E]) manyLevels(x *mat.Dense) []int {
	n, _ := x.Dims()
	if c.Groups != nil || c.needsFalkon(n) || c.drafts(n) {
		return nil
	}
	return scalings.ManyLevels(x, len(c.categories))
}

// leaveFoldsOut sets the out-of-fold results of a part with encoded categories. Its own leave-one-out predictions would be too
// good, since the encoded columns of other rows contain the row's target. Therefore the columns, and a machine with the kernel and
// the ridge of the part, are fitted again without each fold.
func (c engine[Y, E]) leaveFoldsOut(ctx context.Context, w scalings.Scaling, part *fitted[E], merged *distinct.Rows, filled *mat.Dense,
	given folds.Rows[Y], target []float64, labels []int) (err error) {
	if len(w.Encoded) == 0 || part.left == nil {
		return nil
	}
	rows := given
	rows.X = merged.Spread(filled)
	fold := leftout.Folds(merged, len(rows.Y), encodedFolds)
	left, variances := make([]float64, len(fold)), make([]float64, len(fold))
	for f := range encodedFolds {
		var in, out []int
		for i, own := range fold {
			if own == f {
				out = append(out, i)
			} else {
				in = append(in, i)
			}
		}
		if len(out) == 0 {
			continue
		}
		train := rows.Pick(in)
		apart := distinct.Merge(train.X, nil)
		steps := c.withScaling(w).steps
		chain, even, err := folds.FitChain(ctx, c.Type, steps, nil, apart.X, targetsOf(steps, apart, train.Y))
		if err != nil {
			return err
		}
		train.X = apart.Spread(even)
		trained := c
		trained.parts = linalg.Pick(c.parts, in)
		_, train = trained.merge(train.X, train)
		one := estimators.Clone(part.inner)
		if err := folds.Fit(ctx, c.Type, one, train); err != nil {
			if target != nil || ctx.Err() != nil {
				return err
			}
			continue // the other folds have a single class, so the probabilities of this fold stay 0
		}
		z, err := chain.Transform(linalg.Rows(rows.X, out))
		if err != nil {
			return err
		}
		switch e := any(one).(type) {
		case *lssvm.Regressor:
			mean, variance, err := e.PredictVariance(z)
			if err != nil {
				return err
			}
			for k, i := range out {
				left[i], variances[i] = target[i]-mean[k], variance[k]
			}
		case *lssvm.Classifier:
			p, err := e.PredictProba(z)
			if err != nil {
				return err
			}
			for k, i := range out {
				if at, ok := slices.BinarySearch(e.Classes(), labels[i]); ok { // the probability stays 0 otherwise
					left[i] = p.At(k, at)
				}
			}
		}
	}
	part.left, part.scaled = left, nil // encoded columns contain the targets of rows, so a machine cannot leave out single rows
	if part.variances != nil {
		part.variances = variances
	}
	part.result.LeaveOneOut, err = leftout.Score(left, target, given.Weights)
	return err
}
