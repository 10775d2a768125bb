package selection

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/calibration"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/validation"
)

// A search accepts splitters for groups and for time.
func TestSearchesByGroupAndTimeSplitters(t *testing.T) {
	n := 48
	x, y, groups := mat.NewDense(n, 1, nil), make([]float64, n), make([]int, n)
	for i := range n {
		x.Set(i, 0, float64(i)/8)
		y[i], groups[i] = math.Sin(float64(i)/8), i/4
	}
	for _, s := range []validation.Splitter{validation.GroupKFold{Groups: groups}, validation.TimeSeriesSplit{Splits: 3, Gap: 1}} {
		require.NoError(t, (&Regressor{Search: &grid.Search{Points: 5, Splitter: s}}).Fit(ctx, x, y))
	}
	wrong := &Regressor{Search: &grid.Search{Points: 5, Splitter: validation.GroupKFold{Groups: groups[:5]}}}
	assert.ErrorIs(t, wrong.Fit(ctx, x, y), fault.ErrShape)
}

// The training rows of a fold may lack a class that ClassWeights names, also if wrappers contain the classifier. If no row has the
// class, Fit returns an error.
func TestFoldsWithoutAWeightedClass(t *testing.T) {
	x, labels := mat.NewDense(30, 1, nil), make([]int, 30)
	for i := range labels {
		x.Set(i, 0, float64(i))
		labels[i] = i % 2
	}
	labels[0], labels[1] = 2, 2 // both rows are in the test part of the first fold
	rows := make([]int, 30)
	for i := range rows {
		rows[i] = i
	}
	folds := fixed{{Train: rows[4:], Test: rows[:4]}}
	weighted := func(label int) *lssvm.Classifier {
		return &lssvm.Classifier{Kernel: kernels.RBF{Gamma: .1}, Ridge: .1, ClassWeights: map[int]float64{label: 2}}
	}
	for name, build := range map[string]func(label int) estimators.Classifier{
		"lssvm":       func(label int) estimators.Classifier { return weighted(label) },
		"pipeline":    func(label int) estimators.Classifier { return &pipeline.Classifier{Final: weighted(label)} },
		"calibration": func(label int) estimators.Classifier { return &calibration.Classifier{Estimator: weighted(label)} },
		"selection": func(label int) estimators.Classifier {
			return &Classifier{Search: &grid.Search{Points: 2}, Space: Kernels(func(kernels.Kernel) estimators.Classifier { return weighted(label) })}
		},
	} {
		_, err := validation.CrossValidateClassifier(ctx, build(2), x, labels, &validation.Options{Splitter: folds})
		assert.NoError(t, err, name)
		err = build(3).Fit(ctx, x, labels)
		assert.ErrorIs(t, err, estimators.ErrParam, name)
		assert.ErrorContains(t, err, "ClassWeights[3]", name)
	}
}
