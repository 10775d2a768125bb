package metrics

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

func TestRegressionByHand(t *testing.T) {
	get := must(t)
	y, p := []float64{1, 2, 4}, []float64{1, 4, 1}
	assert.InDelta(t, math.Sqrt(13.0/3), get(RMSE(y, p, nil)), 1e-15)
	assert.InDelta(t, 5.0/3, get(MAE(y, p, nil)), 1e-15)
	w := []float64{1, 3, 2} // the rows 1, 2, 2, 2, 4, 4: mean 15/6
	assert.InDelta(t, math.Sqrt((3*4+2*9)/6.0), get(RMSE(y, p, w)), 1e-15)
	assert.InDelta(t, (3*2+2*3)/6.0, get(MAE(y, p, w)), 1e-15)
	assert.InDelta(t, 30/(2.25+3*.25+2*2.25), get(NMSE(y, p, w)), 1e-15)
}

// exactRMSE and exactNMSE compute RMSE and NMSE with 3000 bits and an unbounded exponent.
func exactRMSE(y, p []float64) float64 {
	sum := wide(0)
	for i := range y {
		d := wide(0).Sub(wide(y[i]), wide(p[i]))
		sum.Add(sum, d.Mul(d, d))
	}
	v, _ := sum.Quo(sum, wide(float64(len(y)))).Sqrt(sum).Float64()
	return v
}

func exactNMSE(y, p []float64) float64 {
	mean, above, below := wide(0), wide(0), wide(0)
	for _, v := range y {
		mean.Add(mean, wide(v))
	}
	mean.Quo(mean, wide(float64(len(y))))
	for i := range y {
		d := wide(0).Sub(wide(y[i]), wide(p[i]))
		above.Add(above, d.Mul(d, d))
		e := wide(0).Sub(wide(y[i]), mean)
		below.Add(below, e.Mul(e, e))
	}
	v, _ := above.Quo(above, below).Float64()
	return v
}

func wide(v float64) *big.Float { return new(big.Float).SetPrec(3000).SetFloat64(v) }

func TestExtremeTargets(t *testing.T) {
	get := must(t)
	for _, tc := range [][2][]float64{
		{{1e300, -1e300, 3e300}, {1.1e300, -1e300, 2.5e300}},
		{{1e200, 2e200, 4e200}, {1e200, 2e200, 3e200}},
		{{math.MaxFloat64, -math.MaxFloat64, 0}, {-math.MaxFloat64 / 4, math.MaxFloat64 / 8, 0}},
		{{1e-300, 2e-300, 4e-300}, {1e-300, 2e-300, 3e-300}},
		{{1e-310, 2e-310, 4e-310}, {1e-310, 2e-310, 3e-310}},
		{{1e300, 1e300, 2e300, 5}, {1e300, 1e300, 2e300, 1e-290}},
		{{1e160, 1, 2}, {1e160, 3, 2}},
	} {
		y, p := tc[0], tc[1]
		assert.InEpsilon(t, exactRMSE(y, p), get(RMSE(y, p, nil)), 1e-13, "%v", tc)
		nmse, want := get(NMSE(y, p, nil)), exactNMSE(y, p)
		if want == 0 { // below the smallest number
			assert.Equal(t, 0.0, nmse)
		} else {
			assert.InEpsilon(t, want, nmse, 1e-12, "%v", tc)
		}
		assert.InDelta(t, 1-nmse, get(R2(y, p, nil)), 1e-15)
		assert.LessOrEqual(t, get(MAE(y, p, nil)), get(RMSE(y, p, nil))*(1+1e-15))
	}
	assert.True(t, math.IsInf(get(RMSE([]float64{math.MaxFloat64}, []float64{-math.MaxFloat64}, nil)), 1), "twice the largest number")
	assert.Equal(t, 0.0, get(RMSE([]float64{1e300}, []float64{1e300}, nil)))
	// The computed mean of ten times 0.1 is not 0.1.
	tenths, other := slices.Repeat([]float64{.1}, 10), slices.Repeat([]float64{.2}, 10)
	assert.NotEqual(t, .1, rowWeights(nil).mean(tenths))
	assert.True(t, math.IsInf(get(NMSE(tenths, other, nil)), 1))
	// Only the ratios of the weights matter, however large they are.
	huge := []float64{1e308, 1.5e308, 1e308}
	y, p := []float64{1, 2, 4}, []float64{1, 4, 1}
	assert.InEpsilon(t, get(NMSE(y, p, []float64{2, 3, 2})), get(NMSE(y, p, huge)), 1e-14)
	assert.InEpsilon(t, get(MAE(y, p, []float64{2, 3, 2})), get(MAE(y, p, huge)), 1e-14)
}

// Means are correct although the ratio of two weights is not a finite number.
func TestExtremeWeights(t *testing.T) {
	get := must(t)
	w := []float64{1e300, 1e-300, 1e-300}
	labels := []int{0, 1, 1}
	assert.Equal(t, 0.5, get(AUC(labels, 1, []float64{1, 0, 2}, w)))
	assert.InDelta(t, math.Sqrt(.5), get(GMean(labels, []int{0, 1, 0}, w)), 1e-15)
	assert.Equal(t, 1.0, get(Accuracy(labels, []int{0, 1, 0}, w)))
	assert.Equal(t, 3.0, get(MAE([]float64{1, 2, 3}, []float64{4, 2, 2}, w)))
	assert.False(t, math.IsNaN(get(NMSE([]float64{1, 2, 3}, []float64{1, 2, 2}, w))))
}

// In every function that accepts weights, a weight of 2 is equivalent to repeating the row. The results with weights of 1 are
// bit-identical to those without weights, and the scale of the weights does not matter.
func TestWeightsAreRepeats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n := rapid.IntRange(4, 20).Draw(t, "n")
		weights := make([]float64, n)
		ones := slices.Repeat([]float64{1}, n)
		scaled := make([]float64, n)
		var repeated []int
		for i := range weights {
			times := 1 + rng.IntN(3)
			weights[i], scaled[i] = float64(times), 0.3*float64(times)
			for range times {
				repeated = append(repeated, i)
			}
		}
		y, a, b := make([]float64, n), make([]float64, n), make([]float64, n)
		labels, guesses := make([]int, n), make([]int, n)
		proba := mat.NewDense(n, 3, nil)
		for i := range y {
			y[i], a[i], b[i] = rng.NormFloat64(), rng.NormFloat64(), 0.1+rng.Float64()
			labels[i], guesses[i] = i%3, rng.IntN(3)
			p := []float64{rng.Float64() + .01, rng.Float64() + .01, rng.Float64() + .01}
			sum := p[0] + p[1] + p[2]
			proba.SetRow(i, []float64{p[0] / sum, p[1] / sum, p[2] / sum})
		}
		above := make([]float64, n)
		for i := range above {
			above[i] = a[i] + b[i]
		}
		classes := []int{0, 1, 2}
		share := func(s, _ float64, err error) (float64, error) { return s, err }
		width := func(_, w float64, err error) (float64, error) { return w, err }
		for name, f := range map[string]func(rows []int, w []float64) (float64, error){
			"NMSE":     func(r []int, w []float64) (float64, error) { return NMSE(at(y, r), at(a, r), w) },
			"R2":       func(r []int, w []float64) (float64, error) { return R2(at(y, r), at(a, r), w) },
			"RMSE":     func(r []int, w []float64) (float64, error) { return RMSE(at(y, r), at(a, r), w) },
			"MAE":      func(r []int, w []float64) (float64, error) { return MAE(at(y, r), at(a, r), w) },
			"Accuracy": func(r []int, w []float64) (float64, error) { return Accuracy(at(labels, r), at(guesses, r), w) },
			"GMean":    func(r []int, w []float64) (float64, error) { return GMean(at(labels, r), at(guesses, r), w) },
			"AUC":      func(r []int, w []float64) (float64, error) { return AUC(at(labels, r), 1, at(a, r), w) },
			"AUCOfScores": func(r []int, w []float64) (float64, error) {
				return AUCOfScores(at(labels, r), classes, rowsOf(proba, r), w)
			},
			"LogLoss": func(r []int, w []float64) (float64, error) {
				return LogLoss(at(labels, r), classes, rowsOf(proba, r), w)
			},
			"Brier": func(r []int, w []float64) (float64, error) { return Brier(at(labels, r), classes, rowsOf(proba, r), w) },
			"Coverage": func(r []int, w []float64) (float64, error) {
				return share(Coverage(at(y, r), at(a, r), at(above, r), w))
			},
			"width": func(r []int, w []float64) (float64, error) {
				return width(Coverage(at(y, r), at(a, r), at(above, r), w))
			},
			"NormalCoverage": func(r []int, w []float64) (float64, error) {
				return share(NormalCoverage(at(y, r), at(a, r), at(b, r), .8, w))
			},
			"LogDensity": func(r []int, w []float64) (float64, error) { return LogDensity(at(y, r), at(a, r), at(b, r), w) },
		} {
			all := make([]int, n)
			for i := range all {
				all[i] = i
			}
			want, err := f(repeated, nil)
			require.NoError(t, err, name)
			got, err := f(all, weights)
			require.NoError(t, err, name)
			require.InDelta(t, want, got, 1e-11*(1+math.Abs(want)), name)
			got, err = f(all, scaled)
			require.NoError(t, err, name)
			require.InDelta(t, want, got, 1e-11*(1+math.Abs(want)), name)
			plain, err := f(all, nil)
			require.NoError(t, err, name)
			got, err = f(all, ones)
			require.NoError(t, err, name)
			require.Equal(t, plain, got, name)
		}
	})
}

func at[T any](v []T, rows []int) []T {
	out := make([]T, len(rows))
	for i, r := range rows {
		out[i] = v[r]
	}
	return out
}

func rowsOf(m *mat.Dense, rows []int) *mat.Dense {
	_, k := m.Dims()
	out := mat.NewDense(len(rows), k, nil)
	for i, r := range rows {
		out.SetRow(i, m.RawRowView(r))
	}
	return out
}

func TestLogLossAndBrier(t *testing.T) {
	get := must(t)
	classes := []int{-1, 4, 9}
	y := []int{4, -1, 9}
	p := mat.NewDense(3, 3, []float64{.2, .7, .1, .5, .25, .25, 0, 0, 1})
	assert.InDelta(t, -(math.Log(.7)+math.Log(.5))/3, get(LogLoss(y, classes, p, nil)), 1e-15)
	assert.InDelta(t, (.04+.09+.01+.25+.0625+.0625)/3, get(Brier(y, classes, p, nil)), 1e-15)
	// The columns may be in any order.
	turned := mat.NewDense(3, 3, []float64{.1, .2, .7, .25, .5, .25, 1, 0, 0})
	assert.InDelta(t, get(LogLoss(y, classes, p, nil)), get(LogLoss(y, []int{9, -1, 4}, turned, nil)), 1e-15)
	assert.InDelta(t, get(Brier(y, classes, p, nil)), get(Brier(y, []int{9, -1, 4}, turned, nil)), 1e-15)
	// The losses of a confident wrong prediction, and of equal probabilities, are those of the documentation.
	wrong := mat.NewDense(1, 2, []float64{1, 0})
	assert.InDelta(t, 36.04, get(LogLoss([]int{1}, []int{0, 1}, wrong, nil)), 0.005)
	assert.Equal(t, 2.0, get(Brier([]int{1}, []int{0, 1}, wrong, nil)))
	even := mat.NewDense(1, 4, []float64{.25, .25, .25, .25})
	assert.InDelta(t, math.Log(4), get(LogLoss([]int{1}, []int{0, 1, 2, 3}, even, nil)), 1e-15)
	assert.InDelta(t, 0.75, get(Brier([]int{1}, []int{0, 1, 2, 3}, even, nil)), 1e-15)
	// A probability that exceeds 1 by rounding does not reduce the loss below 0.
	assert.Equal(t, 0.0, get(LogLoss([]int{0}, []int{0, 1}, mat.NewDense(1, 2, []float64{1 + 1e-9, -1e-9}), nil)))
	// For two classes, Brier is twice the mean squared error of the probability of the positive class.
	rng := rand.New(rand.NewPCG(3, 3))
	labels, two, half := make([]int, 40), mat.NewDense(40, 2, nil), 0.0
	for i := range labels {
		q := rng.Float64()
		labels[i] = rng.IntN(2)
		two.SetRow(i, []float64{1 - q, q})
		half += (q - float64(labels[i])) * (q - float64(labels[i])) / 40
	}
	assert.InDelta(t, 2*half, get(Brier(labels, []int{0, 1}, two, nil)), 1e-14)
}

func TestCalibrationByHand(t *testing.T) {
	y := []int{1, 0, 1, 1, 0, 0, 1, 1}
	p := []float64{.05, .1, .1, .25, .3, .5, .95, 1}
	bins, err := Calibration(y, 1, p, 4, EqualWidth)
	require.NoError(t, err)
	want := []Bin{{0, .25, .25 / 3, 2.0 / 3, 3}, {.25, .5, .275, .5, 2}, {.5, .75, .5, 0, 1}, {.75, 1, .975, 1, 2}}
	sameBins(t, want, bins)
	ece := (3*math.Abs(2.0/3-.25/3) + 2*.225 + .5 + 2*.025) / 8
	assert.InDelta(t, ece, CalibrationError(bins), 1e-15)

	bins, err = Calibration(y, 1, p, 4, EqualCount)
	require.NoError(t, err)
	// The second of two equal probabilities stays in the bin of the first.
	want = []Bin{{.05, .1, .25 / 3, 2.0 / 3, 3}, {.25, .25, .25, 1, 1}, {.3, .5, .4, 0, 2}, {.95, 1, .975, 1, 2}}
	sameBins(t, want, bins)

	bins, err = Calibration([]int{3, 3, 5}, 5, []float64{.5, .5, .5}, 0, EqualCount)
	require.NoError(t, err)
	sameBins(t, []Bin{{.5, .5, .5, 1.0 / 3, 3}}, bins)
	assert.True(t, math.IsNaN(CalibrationError(nil)))
	// Probabilities that are outside [0, 1] by rounding are accepted.
	bins, err = Calibration([]int{0, 1}, 1, []float64{-5e-7, 1 + 5e-7}, 2, EqualWidth)
	require.NoError(t, err)
	sameBins(t, []Bin{{0, .5, 0, 0, 1}, {.5, 1, 1, 1, 1}}, bins)
}

func sameBins(t *testing.T, want, got []Bin) {
	t.Helper()
	require.Len(t, got, len(want))
	for i, w := range want {
		g := got[i]
		assert.InDeltaSlice(t, []float64{w.Low, w.High, w.Mean, w.Frequency}, []float64{g.Low, g.High, g.Mean, g.Frequency}, 1e-15, "bin %d", i)
		assert.Equal(t, w.Count, g.Count, "bin %d", i)
	}
}

// Every row is in one bin, within its ends, and equal probabilities share a bin.
func TestCalibrationProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "n")
		steps := rapid.SampledFrom([]int{2, 7, 10, 100, math.MaxInt32}).Draw(t, "steps")
		bins := rapid.IntRange(1, 120).Draw(t, "bins")
		y, p := make([]int, n), make([]float64, n)
		mean, hits := 0.0, 0
		for i := range y {
			y[i] = rapid.IntRange(0, 1).Draw(t, "y")
			p[i] = float64(rapid.IntRange(0, steps).Draw(t, "p")) / float64(steps)
			mean += p[i] / float64(n)
			hits += y[i]
		}
		for _, binning := range []Binning{EqualWidth, EqualCount} {
			got, err := Calibration(y, 1, p, bins, binning)
			require.NoError(t, err)
			require.LessOrEqual(t, len(got), bins)
			count, sum, right := 0, 0.0, 0.0
			for i, b := range got {
				require.Positive(t, b.Count)
				if i > 0 {
					require.GreaterOrEqual(t, b.Low, got[i-1].High)
				}
				inside := 0
				for _, v := range p {
					if v >= b.Low && (v < b.High || v == b.High && (binning == EqualCount || b.High == 1)) {
						inside++
					}
				}
				require.Equal(t, inside, b.Count)
				count += b.Count
				sum += b.Mean * float64(b.Count)
				right += b.Frequency * float64(b.Count)
			}
			require.Equal(t, n, count)
			require.InDelta(t, mean, sum/float64(n), 1e-12)
			require.InDelta(t, hits, right, 1e-9)
			require.GreaterOrEqual(t, CalibrationError(got), math.Abs(mean-float64(hits)/float64(n))-1e-12)
		}
	})
}

func TestConfusionByHand(t *testing.T) {
	y := []int{0, 0, 0, 0, 1, 1, 5, 5, 5}
	p := []int{0, 0, 0, 1, 1, 0, 1, 1, 0}
	c, err := NewConfusion(y, p, nil)
	require.NoError(t, err)
	assert.Equal(t, []int{0, 1, 5}, c.Classes)
	assert.Equal(t, [][]int{{3, 1, 0}, {1, 1, 0}, {1, 2, 0}}, c.Counts)
	assert.Equal(t, 0.75, c.Recall(0))
	assert.Equal(t, 0.6, c.Precision(0))
	assert.InDelta(t, 2*.75*.6/(.75+.6), c.F1(0), 1e-15)
	assert.Equal(t, 0.25, c.Precision(1))
	assert.Equal(t, 0.5, c.Recall(1))
	assert.Equal(t, 0.0, c.Recall(5))
	assert.True(t, math.IsNaN(c.Precision(5)), "nothing was predicted as 5")
	assert.Equal(t, 0.0, c.F1(5))
	assert.InDelta(t, 4.0/9, c.Accuracy(), 1e-15)
	assert.InDelta(t, 1.25/3, c.BalancedAccuracy(), 1e-15)
	for _, v := range []float64{c.Precision(7), c.Recall(7), c.F1(7)} {
		assert.True(t, math.IsNaN(v), "a missing class")
	}

	// The labels are in the caller's order, and one class does not occur.
	c, err = NewConfusion([]int{1, 0}, []int{1, 1}, []int{1, 3, 0})
	require.NoError(t, err)
	assert.Equal(t, [][]int{{1, 0, 0}, {0, 0, 0}, {1, 0, 0}}, c.Counts)
	assert.True(t, math.IsNaN(c.Recall(3)) && math.IsNaN(c.F1(3)))
	assert.Equal(t, 0.5, c.BalancedAccuracy(), "over the classes that have a row")
	var none Confusion
	assert.True(t, math.IsNaN(none.Accuracy()) && math.IsNaN(none.BalancedAccuracy()))
}

func TestConfusionAgreesWithTheOthers(t *testing.T) {
	get := must(t)
	rng := rand.New(rand.NewPCG(4, 4))
	y, p := make([]int, 200), make([]int, 200)
	for i := range y {
		y[i], p[i] = rng.IntN(4), rng.IntN(4)
	}
	c, err := NewConfusion(y, p, nil)
	require.NoError(t, err)
	assert.InDelta(t, get(Accuracy(y, p, nil)), c.Accuracy(), 1e-15)
	product := 1.0
	for _, class := range c.Classes {
		product *= c.Recall(class)
	}
	assert.InDelta(t, get(GMean(y, p, nil)), math.Pow(product, .25), 1e-14)
}

func TestCoverageByHand(t *testing.T) {
	y := []float64{0, 1, 2, 3}
	share, width, err := Coverage(y, []float64{0, 2, 1, 0}, []float64{1, 3, 2, 2}, nil)
	require.NoError(t, err)
	assert.Equal(t, 0.5, share, "the ends count")
	assert.Equal(t, 1.25, width)
	inf := math.Inf(1)
	share, width, err = Coverage(y, []float64{-inf, inf, -inf, 3}, []float64{inf, inf, 0, 3}, nil)
	require.NoError(t, err)
	assert.Equal(t, 0.5, share)
	assert.True(t, math.IsInf(width, 1))
	_, width, err = Coverage([]float64{0, 0}, []float64{0, inf}, []float64{1, inf}, nil)
	require.NoError(t, err)
	assert.Equal(t, 0.5, width, "a point has no width")
	_, width, err = Coverage([]float64{0, 0}, []float64{-1e308, -1e308}, []float64{.7e308, .7e308}, nil)
	require.NoError(t, err)
	assert.InEpsilon(t, 1.7e308, width, 1e-15, "the mean of large widths")
}

func TestNormalPredictions(t *testing.T) {
	get := must(t)
	rng := rand.New(rand.NewPCG(5, 5))
	const n = 20000
	y, mean, variance := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range y {
		mean[i], variance[i] = rng.NormFloat64(), 0.2+rng.Float64()
		y[i] = mean[i] + math.Sqrt(variance[i])*rng.NormFloat64()
	}
	want := 0.0
	for i := range y {
		want += distuv.Normal{Mu: mean[i], Sigma: math.Sqrt(variance[i])}.LogProb(y[i]) / n
	}
	assert.InDelta(t, want, get(LogDensity(y, mean, variance, nil)), 1e-12)
	for _, level := range []float64{.5, .9, .95, .99} {
		share, width, err := NormalCoverage(y, mean, variance, level, nil)
		require.NoError(t, err)
		assert.InDelta(t, level, share, 4*math.Sqrt(level*(1-level)/n))
		sum := 0.0
		for _, v := range variance {
			d := distuv.Normal{Sigma: math.Sqrt(v)}
			sum += (d.Quantile((1+level)/2) - d.Quantile((1-level)/2)) / n
		}
		assert.InDelta(t, sum, width, 1e-9)
	}
	// The score is proper: predictions with too small or too large variances, or with shifted means, have lower scores.
	for _, factor := range []float64{.5, 2} {
		off := make([]float64, n)
		for i, v := range variance {
			off[i] = v * factor
		}
		assert.Less(t, get(LogDensity(y, mean, off, nil)), want)
	}
	assert.Equal(t, 1.0, first(NormalCoverage([]float64{1, 2}, []float64{1, 2}, []float64{0, 0}, .5, nil)), "a point covers itself")
	// The score is finite although the residuals or their squares overflow.
	assert.InEpsilon(t, -2e300, get(LogDensity([]float64{1e200}, []float64{-1e200}, []float64{1e100}, nil)), 1e-14)
	assert.InEpsilon(t, -4e308/3, get(LogDensity([]float64{1e308}, []float64{-1e308}, []float64{1.5e308}, nil)), 1e-14)
	assert.InDelta(t, stat.Mean([]float64{-.5 * math.Log(2*math.Pi), -.5*math.Log(2*math.Pi) - .5}, nil), get(LogDensity([]float64{0, 1}, []float64{0, 0}, []float64{1, 1}, nil)), 1e-15)
}

func first(v, _ float64, _ error) float64 { return v }
