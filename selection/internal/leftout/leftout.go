// Package leftout returns the results of fitted machines for left-out rows: a residual for numbers, and the probability of the true
// class for classes.
package leftout

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/stack"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

// Of returns the leave-one-out result of a machine for each row, the variances of these results if the machine has them, and their
// [Score]. The target is nil for classes, and the labels are nil for numbers. If the machine has no results of single rows, the
// results are nil. The score is then that of its Details, or NaN.
func Of(ctx context.Context, machine any, target []float64, labels []int, weights []float64) (left, variances []float64, score float64,
	err error) {
	score = math.NaN()
	switch e := machine.(type) {
	case *lssvm.Classifier:
		left, err = ofClasses(e, labels)
	case *falkon.Classifier:
		if e.Loss != falkon.LogisticLoss {
			return nil, nil, score, nil
		}
		left, err = ofClasses(e, labels)
	case interface{ Details() falkon.Details }:
		if target != nil {
			_, variance := stat.PopMeanVariance(target, weights)
			score = e.Details().LeaveOneOut / variance
		}
		return nil, nil, score, nil
	case estimators.LeaveOneOutPredictor:
		left, err = e.LeaveOneOutResiduals(ctx)
		if m, ok := machine.(*lssvm.Regressor); ok && err == nil && len(left) > 0 && m.Groups == nil {
			variances, err = m.LeaveOneOutVariances(ctx)
		}
	}
	if err != nil || len(left) == 0 { // a single row has no others
		return nil, nil, score, err
	}
	score, err = Score(left, target, weights)
	return left, variances, score, err
}

// ofClasses returns the leave-one-out probability of the true class of each row.
func ofClasses(c interface {
	Classes() []int
	LeaveOneOutProba() (*mat.Dense, error)
}, labels []int) ([]float64, error) {
	p, err := c.LeaveOneOutProba()
	if err != nil {
		return nil, err
	}
	names, out := c.Classes(), make([]float64, len(labels))
	for i, label := range labels {
		at, _ := slices.BinarySearch(names, label)
		out[i] = p.At(i, at)
	}
	return out, nil
}

// Score returns the NMSE of residuals, or the mean log loss of the probabilities of the true classes if the target is nil.
func Score(left, target, weights []float64) (float64, error) {
	if target != nil {
		predicted := make([]float64, len(target))
		floats.SubTo(predicted, target, left)
		return metrics.NMSE(target, predicted, weights)
	}
	losses := make([]float64, len(left))
	for i, p := range left {
		losses[i] = stack.Loss(p, false)
	}
	return stat.Mean(losses, weights), nil
}

// Folds returns the fold of each of the given rows. Equal rows have the same fold.
func Folds(merged *distinct.Rows, rows, folds int) []int {
	order := rand.New(rand.NewPCG(0, 0x6c65617665)).Perm(merged.Len()) // the random stream "leave"
	out := make([]int, rows)
	for i := range out {
		at := i
		if merged.Index != nil {
			at = merged.Index[i]
		}
		out[i] = order[at] % folds
	}
	return out
}
