package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
)

type curveReference struct {
	Cases []struct {
		Y                 []int
		Scores, Weights   []float64
		FPR, TPR          []float64
		Thresholds        []float64
		AUC               float64
		Precision, Recall []float64
		PR_thresholds     []float64
		AP                float64
	}
	Many struct {
		Y       []int
		Scores  [][]float64
		AUC, AP []float64
		Mean_AP float64
	}
	Calibration struct {
		Y                 []int
		P                 []float64
		Uniform, Quantile struct{ Frequency, Mean []float64 }
	}
	Wilson []struct {
		K, N             int
		Level, Low, High float64
	}
}

// The curves agree with scikit-learn, for scores with and without ties and weights.
func TestCurvesAreThoseOfScikitLearn(t *testing.T) {
	var ref curveReference
	golden.Load(t, "sklearn_curves.json", &ref)
	require.Len(t, ref.Cases, 6)
	const tol = 1e-13
	for i, c := range ref.Cases {
		roc, err := ROC(c.Y, 1, c.Scores, c.Weights)
		require.NoError(t, err)
		assert.LessOrEqual(t, golden.MaxError(roc.FalsePositive, c.FPR), tol, i)
		assert.LessOrEqual(t, golden.MaxError(roc.TruePositive, c.TPR), tol, i)
		assert.Equal(t, c.Thresholds, roc.Thresholds[1:], i)
		assert.True(t, math.IsInf(roc.Thresholds[0], 1))
		assert.InDelta(t, c.AUC, roc.Area, tol, i)
		pr, err := PrecisionRecall(c.Y, 1, c.Scores, c.Weights)
		require.NoError(t, err)
		assert.LessOrEqual(t, golden.MaxError(pr.Precision, c.Precision), tol, i)
		assert.LessOrEqual(t, golden.MaxError(pr.Recall, c.Recall), tol, i)
		assert.Equal(t, c.PR_thresholds, pr.Thresholds, i)
		assert.InDelta(t, c.AP, pr.AveragePrecision, tol, i)
	}
	many, classes := golden.Dense(ref.Many.Scores), []int{0, 1, 2, 3}
	rocs, err := ROCOfScores(ref.Many.Y, classes, many, nil)
	require.NoError(t, err)
	prs, err := PrecisionRecallOfScores(ref.Many.Y, classes, many, nil)
	require.NoError(t, err)
	for k, class := range classes {
		assert.Equal(t, class, rocs[k].Class)
		assert.InDelta(t, ref.Many.AUC[k], rocs[k].Area, tol)
		assert.Equal(t, class, prs[k].Class)
		assert.InDelta(t, ref.Many.AP[k], prs[k].AveragePrecision, tol)
	}
	assert.InDelta(t, ref.Many.Mean_AP, must(t)(AveragePrecisionOfScores(ref.Many.Y, classes, many, nil)), tol)
}

// Bins of both kinds and their intervals agree with scikit-learn and scipy.
func TestReliabilityIsThatOfScikitLearn(t *testing.T) {
	var ref curveReference
	golden.Load(t, "sklearn_curves.json", &ref)
	c := ref.Calibration
	for binning, want := range map[Binning]struct{ Frequency, Mean []float64 }{EqualWidth: c.Uniform, EqualCount: c.Quantile} {
		bins, err := Calibration(c.Y, 1, c.P, 10, binning)
		require.NoError(t, err)
		var frequency, mean []float64
		for _, b := range bins {
			frequency, mean = append(frequency, b.Frequency), append(mean, b.Mean)
		}
		assert.LessOrEqual(t, golden.MaxError(frequency, want.Frequency), 1e-13, binning)
		assert.LessOrEqual(t, golden.MaxError(mean, want.Mean), 1e-13, binning)
	}
	for _, w := range ref.Wilson {
		low, high, err := Bin{Frequency: float64(w.K) / float64(w.N), Count: w.N}.Interval(w.Level)
		require.NoError(t, err)
		assert.InDelta(t, w.Low, low, 1e-13)
		assert.InDelta(t, w.High, high, 1e-13)
	}
}

// A weight of 2 is equivalent to repeating the row, and the order of rows does not matter.
func TestCurvesOfWeightsAndOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 0))
	var y, twice []int
	var s, w, sTwice []float64
	for i := range 40 {
		label, score := i%3/2, float64(rng.IntN(7))
		y, s, w = append(y, label), append(s, score), append(w, float64(1+i%2))
		for range 1 + i%2 {
			twice, sTwice = append(twice, label), append(sTwice, score)
		}
	}
	a, err := ROC(y, 1, s, w)
	require.NoError(t, err)
	b, err := ROC(twice, 1, sTwice, nil)
	require.NoError(t, err)
	assert.Equal(t, b, a, "sums of small whole numbers are exact")
	p, err := PrecisionRecall(y, 1, s, w)
	require.NoError(t, err)
	q, err := PrecisionRecall(twice, 1, sTwice, nil)
	require.NoError(t, err)
	assert.Equal(t, q, p)
	slices.Reverse(y)
	slices.Reverse(s)
	slices.Reverse(w)
	c, err := ROC(y, 1, s, w)
	require.NoError(t, err)
	assert.Equal(t, a, c)
	assert.Equal(t, 1.0, a.TruePositive[len(a.TruePositive)-1])
	assert.Equal(t, 1.0, a.FalsePositive[len(a.FalsePositive)-1])
	assert.Equal(t, 1.0, p.Recall[len(p.Recall)-1])
	assert.Equal(t, must(t)(AUC(y, 1, s, w)), a.Area)
}

func TestCurvesOfFewClasses(t *testing.T) {
	two := mat.NewDense(4, 2, []float64{.9, .1, .2, .8, .6, .4, .7, .3})
	y := []int{4, 7, 4, 7}
	rocs, err := ROCOfScores(y, []int{4, 7}, two, nil)
	require.NoError(t, err)
	require.Len(t, rocs, 1)
	assert.Equal(t, 7, rocs[0].Class)
	assert.Equal(t, 0.75, rocs[0].Area)
	prs, err := PrecisionRecallOfScores(y, []int{4, 7}, two, nil)
	require.NoError(t, err)
	require.Len(t, prs, 1)
	assert.InDelta(t, 0.5+0.5*2/3, prs[0].AveragePrecision, 1e-15)
	assert.Equal(t, 0.5, prs[0].Base)
	assert.Equal(t, prs[0].AveragePrecision, must(t)(AveragePrecisionOfScores(y, []int{4, 7}, two, nil)))
	three := mat.NewDense(2, 3, []float64{2, 1, 0, 1, 2, 0})
	rocs, err = ROCOfScores([]int{0, 1}, []int{0, 1, 2}, three, nil)
	require.NoError(t, err)
	assert.Len(t, rocs, 2, "a class that does not occur has no curve")
	// Infinite scores are valid.
	c, err := ROC([]int{0, 1}, 1, []float64{math.Inf(-1), math.Inf(1)}, nil)
	require.NoError(t, err)
	assert.Equal(t, 1.0, c.Area)
	all, err := PrecisionRecall([]int{1, 1}, 1, []float64{1, 2}, nil)
	require.NoError(t, err)
	assert.Equal(t, 1.0, all.AveragePrecision)
}

func TestCurveErrors(t *testing.T) {
	p := mat.NewDense(1, 2, []float64{.5, .5})
	err := func(_ any, err error) error { return err }
	for text, got := range map[string]error{
		"y has 0 entries":                     err(ROC(nil, 1, nil, nil)),
		"scores has 1 entries, y has 2":       err(PrecisionRecall([]int{0, 1}, 1, []float64{1}, nil)),
		"y has 2 rows of class 1":             err(ROC([]int{1, 1}, 1, []float64{1, 2}, nil)),
		"y has 0 rows of class 3":             err(PrecisionRecall([]int{1, 1}, 3, []float64{1, 2}, nil)),
		"y has 0 rows of class 5":             err(AveragePrecision([]int{1, 1}, 5, []float64{1, 2}, nil)),
		"scores has 0 rows":                   err(ROCOfScores([]int{1}, []int{1, 2}, nil, nil)),
		"scores has 2 columns, classes has 3": err(PrecisionRecallOfScores([]int{1}, []int{1, 2, 3}, p, nil)),
		"scores has 2 columns, classes has 1": err(AveragePrecisionOfScores([]int{1}, []int{1}, p, nil)),
		"y has 0 rows of the classes":         err(ROCOfScores([]int{9}, []int{1, 2, 3}, mat.NewDense(1, 3, nil), nil)),
		"weights has 2 entries, y has 1":      err(ROC([]int{1}, 1, []float64{1}, []float64{1, 2})),
		"the bin has 0 rows":                  err(interval(Bin{}, .9)),
	} {
		assert.ErrorIs(t, got, fault.ErrShape, text)
		assert.ErrorContains(t, got, text)
	}
	assert.ErrorIs(t, err(ROC([]int{0, 1}, 1, []float64{1, math.NaN()}, nil)), fault.ErrNotFinite)
	assert.ErrorIs(t, err(PrecisionRecall([]int{0, 1}, 1, []float64{math.NaN(), 1}, nil)), fault.ErrNotFinite)
	for _, level := range []float64{0, 1, -1, math.NaN()} {
		assert.ErrorIs(t, err(interval(Bin{Count: 1}, level)), fault.ErrParam)
	}
}

func interval(b Bin, level float64) (float64, error) {
	low, _, err := b.Interval(level)
	return low, err
}

// Wilson's interval covers the true probability of a coin in 95% of the cases, averaged over the probabilities.
func TestBinIntervalCovers(t *testing.T) {
	const n = 30
	covered := 0.0
	for step := range 99 {
		p := float64(step+1) / 100
		for k := range n + 1 {
			low, high, err := Bin{Frequency: float64(k) / n, Count: n}.Interval(.95)
			require.NoError(t, err)
			if low <= p && p <= high {
				lg, _ := math.Lgamma(n + 1)
				lk, _ := math.Lgamma(float64(k) + 1)
				lr, _ := math.Lgamma(float64(n-k) + 1)
				covered += math.Exp(lg-lk-lr+float64(k)*math.Log(p)+float64(n-k)*math.Log(1-p)) / 99
			}
		}
	}
	assert.InDelta(t, .95, covered, .01)
}
