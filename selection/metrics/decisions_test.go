package metrics

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// The scores agree with scikit-learn 1.2.1: matthews_corrcoef, balanced_accuracy_score, fbeta_score, top_k_accuracy_score and
// mean_pinball_loss.
func TestDecisionsOfScikitLearn(t *testing.T) {
	get := must(t)
	y, p := []int{0, 1, 2, 2, 1, 0, 2, 2, 1, 0}, []int{0, 2, 2, 2, 1, 0, 0, 2, 1, 1}
	scores := mat.NewDense(10, 3, []float64{0.51, 0.95, 0.14, 0.95, 0.31, 0.42, 0.83, 0.41, 0.55, 0.03, 0.75, 0.54, 0.33, 0.79, 0.3,
		0.45, 0.13, 0.4, 0.2, 0.26, 0.75, 0.28, 0.49, 0.98, 0.96, 0.72, 0.54, 0.28, 0.16, 0.97})
	labels := []int{0, 1, 2}
	for _, c := range []struct {
		weights []float64
		want    []float64
	}{
		{nil, []float64{0.5454545454545454, 0.6944444444444443, 0.75, 0.6666666666666666, 0.9, 0.4}},
		{[]float64{1, 2, 1, .5, 1, 3, 1, 1, 2, 1}, []float64{0.5601707974484653, 0.7047619047619048, 0.6756756756756757, 0.7142857142857143,
			0.8518518518518519, 0.4444444444444444}},
	} {
		got := []float64{get(MCC(y, p, c.weights)), get(BalancedAccuracy(y, p, c.weights)), get(FBeta(y, p, 2, 2, c.weights)),
			get(FBeta(y, p, 1, .5, c.weights)), get(TopK(y, labels, scores, 2, c.weights)), get(TopK(y, labels, scores, 1, c.weights))}
		assert.InDeltaSlice(t, c.want, got, 1e-14)
	}
	confusion, err := NewConfusion(y, p, nil)
	assert.NoError(t, err)
	assert.InDelta(t, 0.75, confusion.FBeta(2, 2), 1e-15)
	assert.InDelta(t, 2.0/3, confusion.F1(1), 1e-15)
	assert.True(t, math.IsNaN(confusion.FBeta(9, 1)), "no such class")
	assert.InDelta(t, 0.275, get(Pinball([]float64{1, 2, 3, 4.5}, []float64{1.5, 1, 3, 6}, .9, nil)), 1e-15)
	assert.InDelta(t, 0.605, get(Pinball([]float64{1, 2, 3, 4.5}, []float64{1.5, 1, 3, 6}, .1, []float64{1, 2, 3, 4})), 1e-15)
	assert.InDelta(t, 0.75, get(ForFBeta(2, 2).Labels(y, p, nil)), 1e-15)
	assert.InDelta(t, 0.9, get(ForTopK(2).Scores(y, labels, scores, nil)), 1e-15)
	assert.Equal(t, []string{"F0.5", "Top3"}, []string{ForFBeta(1, .5).Name, ForTopK(3).Name})
}

func TestDecisionsAtTheEdge(t *testing.T) {
	get := must(t)
	assert.Zero(t, get(MCC([]int{1, 1, 2}, []int{1, 1, 1}, nil)), "one class predicted for all rows")
	assert.InDelta(t, 1, get(MCC([]int{1, 5, 2}, []int{1, 5, 2}, nil)), 1e-15)
	assert.InDelta(t, -1, get(MCC([]int{1, 1, 2, 2}, []int{2, 2, 1, 1}, nil)), 1e-15)
	assert.Zero(t, get(FBeta([]int{1, 2}, []int{1, 1}, 2, 1, nil)), "nothing predicted as the class")
	assert.InDelta(t, 1, get(FBeta([]int{1, 2}, []int{1, 2}, 2, 1e200, nil)), 1e-15, "a β whose square is too large")
	// If three scores are equal, each of them is among the first two with probability 2/3.
	assert.InDelta(t, 2.0/3, get(TopK([]int{1}, []int{0, 1, 2}, mat.NewDense(1, 3, []float64{4, 4, 4}), 2, nil)), 1e-15)
	assert.InDelta(t, 1, get(TopK([]int{1}, []int{0, 1, 2}, mat.NewDense(1, 3, []float64{4, math.Inf(1), 4}), 9, nil)), 1e-15)
}

// CRPS agrees with the integral of the squared difference of the distribution functions.
func TestCRPSByQuadrature(t *testing.T) {
	get := must(t)
	for _, c := range [][3]float64{{0, 0, 1}, {3, 1, 4}, {-2, 5, .25}, {1e3, 0, 9}} {
		y, mean, sigma := c[0], c[1], math.Sqrt(c[2])
		normal := distuv.Normal{Mu: mean, Sigma: sigma}
		low, high := min(y, mean-12*sigma), max(y, mean+12*sigma)
		below := quad.Fixed(func(v float64) float64 { return math.Pow(normal.CDF(v), 2) }, low, y, 2000, nil, 0)
		above := quad.Fixed(func(v float64) float64 { return math.Pow(1-normal.CDF(v), 2) }, y, high, 2000, nil, 0)
		assert.InEpsilon(t, below+above, get(CRPS([]float64{y}, []float64{mean}, []float64{c[2]}, nil)), 1e-6, "%v", c)
	}
	assert.InDelta(t, 2, get(CRPS([]float64{3}, []float64{1}, []float64{0}, nil)), 0, "no variance: the absolute error")
	assert.InDelta(t, 2, get(CRPS([]float64{3}, []float64{1}, []float64{5e-324}, nil)), 1e-12)
	// A weight is equivalent to repetitions of the row.
	assert.InDelta(t, get(CRPS([]float64{1, 1, 4}, []float64{0, 0, 2}, []float64{1, 1, 3}, nil)),
		get(CRPS([]float64{1, 4}, []float64{0, 2}, []float64{1, 3}, []float64{2, 1})), 1e-15)
}

func TestErrorsOfDecisions(t *testing.T) {
	one := []float64{1}
	nan := mat.NewDense(1, 2, []float64{1, math.NaN()})
	for _, c := range []struct {
		text string
		err  error
		is   error
	}{
		{"metrics: MCC: y has 0 entries", of(MCC(nil, nil, nil)), fault.ErrShape},
		{"metrics: BalancedAccuracy: predicted has 2 entries, y has 1", of(BalancedAccuracy([]int{1}, []int{1, 2}, nil)), fault.ErrShape},
		{"metrics: FBeta: beta = 0, want > 0 and finite", of(FBeta([]int{1}, []int{1}, 1, 0, nil)), fault.ErrParam},
		{"metrics: FBeta: beta = NaN", of(FBeta([]int{1}, []int{1}, 1, math.NaN(), nil)), fault.ErrParam},
		{"metrics: TopK: k = 0, want >= 1", of(TopK([]int{1}, []int{1, 2}, nan, 0, nil)), fault.ErrParam},
		{"metrics: TopK: scores", of(TopK([]int{1}, []int{1, 2}, nan, 1, nil)), fault.ErrNotFinite},
		{"metrics: TopK: classes has 0 entries equal to y[0], which is 7", of(TopK([]int{7}, []int{1, 2}, nan, 1, nil)), fault.ErrShape},
		{"metrics: CRPS: variance[0] = -1, want >= 0", of(CRPS(one, one, []float64{-1}, nil)), fault.ErrParam},
		{"metrics: CRPS: mean has 0 entries, y has 1", of(CRPS(one, nil, one, nil)), fault.ErrShape},
		{"metrics: Pinball: level = 1, want in (0, 1)", of(Pinball(one, one, 1, nil)), fault.ErrParam},
		{"metrics: Pinball: quantiles has 2 entries, y has 1", of(Pinball(one, []float64{1, 2}, .5, nil)), fault.ErrShape},
	} {
		assert.ErrorContains(t, c.err, c.text)
		assert.ErrorIs(t, c.err, c.is, c.text)
	}
}
