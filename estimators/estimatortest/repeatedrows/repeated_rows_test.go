// Package repeatedrows_test tests the effects of equal rows and weights on all types that choose their settings by default. It is a
// separate package because its tests take long.
package repeatedrows_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/calibration"
	"github.com/kernelearn/kernelearn/estimators/conformal"
	"github.com/kernelearn/kernelearn/estimators/elm"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/gabasr"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

// tuned lists the regressors that choose their settings by default.
var tuned = map[string]func() estimators.Regressor{
	"conformal": func() estimators.Regressor { return &conformal.Regressor{} },
	"falkon":    func() estimators.Regressor { return &falkon.Regressor{} },
	"gabasr":    func() estimators.Regressor { return &gabasr.Regressor{} },
	"lssvm":     func() estimators.Regressor { return &lssvm.Regressor{} },
	"ridge":     func() estimators.Regressor { return &ridge.Regressor{} },
	"rvm":       func() estimators.Regressor { return &rvm.Regressor{} },
	"selection": func() estimators.Regressor { return &selection.Regressor{} },
	"svm":       func() estimators.Regressor { return &svm.Regressor{} },
}

// tunedClassifiers lists the classifiers that choose their settings by default.
var tunedClassifiers = map[string]func() estimators.Classifier{
	"calibration": func() estimators.Classifier { return &calibration.Classifier{} },
	"conformal":   func() estimators.Classifier { return &conformal.Classifier{} },
	"elm":         func() estimators.Classifier { return &elm.Classifier{} },
	"falkon":      func() estimators.Classifier { return &falkon.Classifier{} },
	"gabasr":      func() estimators.Classifier { return &gabasr.Classifier{} },
	"lssvm":       func() estimators.Classifier { return &lssvm.Classifier{} },
	"rvm":         func() estimators.Classifier { return &rvm.Classifier{} },
	"selection":   func() estimators.Classifier { return &selection.Classifier{} },
	"svm":         func() estimators.Classifier { return &svm.Classifier{Probabilities: true} },
}

// repeat returns the rows in their order with counts[i] copies of row i. The second and later copies are at random positions after
// the first.
func repeat[Y any](x *mat.Dense, y []Y, counts []int, seed uint64) (*mat.Dense, []Y) {
	rng := rand.New(rand.NewPCG(seed, 3))
	type copied struct {
		row   int
		place float64
	}
	var order []copied
	for i, count := range counts {
		order = append(order, copied{i, float64(i)})
		for range count - 1 {
			order = append(order, copied{i, float64(i) + rng.Float64()*float64(len(counts)-i)})
		}
	}
	slices.SortStableFunc(order, func(a, b copied) int {
		if a.place < b.place {
			return -1
		}
		return 1
	})
	_, d := x.Dims()
	rows, targets := mat.NewDense(len(order), d, nil), make([]Y, len(order))
	for to, from := range order {
		rows.SetRow(to, x.RawRowView(from.row))
		targets[to] = y[from.row]
	}
	return rows, targets
}

// wave returns rows whose targets are a sine plus a line, with noise of standard deviation 0.3.
func wave(n int, seed uint64) (*mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(seed, 44))
	x, y := mat.NewDense(n, 2, nil), make([]float64, n)
	for i := range y {
		x.SetRow(i, []float64{2 * rng.NormFloat64(), 2 * rng.NormFloat64()})
		y[i] = math.Sin(x.At(i, 0)) + .3*x.At(i, 1) + .3*rng.NormFloat64()
	}
	return x, y
}

// rare returns rows of two classes: a cluster, and a smaller cluster at its edge with a twelfth of the rows.
func rare(n int, seed uint64) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(seed, 45))
	x, y := mat.NewDense(n, 2, nil), make([]int, n)
	for i := range y {
		x.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64()})
		if i%12 == 0 {
			y[i] = 1
			x.SetRow(i, []float64{1.5 + .7*rng.NormFloat64(), 1 + .7*rng.NormFloat64()})
		}
	}
	return x, y
}

// repeatedSizes returns the numbers of rows with which a type is tested. Above 1500 rows, lssvm, which calibration and conformal
// wrap, uses another algorithm. Above 5000 rows, selection uses other machines. Its test TestRepeatedRowsOfMany lowers that limit.
func repeatedSizes(name string) []int {
	sizes := []int{60, 200}
	if testing.Short() {
		return sizes
	}
	switch name {
	case "selection":
		return append(sizes, 1000)
	case "calibration", "conformal", "lssvm", "gabasr":
		return append(sizes, 2000)
	}
	return append(sizes, 6000)
}

// With default settings, repeating every row changes nothing, and repeating three of ten rows changes almost nothing.
func TestRepeatedRowsOfTargets(t *testing.T) {
	probe, truth := wave(500, 12)
	for name, build := range tuned {
		for _, n := range repeatedSizes(name) {
			t.Run(fmt.Sprint(name, ", ", n, " rows"), func(t *testing.T) {
				fit := func(x *mat.Dense, y []float64) (p, low, high []float64, nmse float64) {
					r := build()
					require.NoError(t, r.Fit(context.Background(), x, y))
					p, err := r.Predict(probe)
					require.NoError(t, err)
					nmse, err = metrics.NMSE(truth, p, nil)
					require.NoError(t, err)
					if name != "svm" {
						low, high, err = r.(estimators.IntervalPredictor).PredictInterval(probe, .95)
						require.NoError(t, err)
					}
					return p, low, high, nmse
				}
				covers := func(low, high []float64) {
					if name == "svm" {
						return
					}
					inside := 0
					for i, v := range truth {
						if low[i] <= v && v <= high[i] {
							inside++
						}
					}
					// 475 of 500 rows are expected. The standard deviation of their number is 5 for correct intervals, and about 10
					// more for intervals from 60 rows.
					assert.Greater(t, inside, 440)
				}
				x, y := wave(n, 11)
				p, low, high, once := fit(x, y)
				covers(low, high)

				twice := slices.Repeat([]int{2}, n)
				x2, y2 := repeat(x, y, twice, 1)
				p2, low2, high2, _ := fit(x2, y2)
				assert.InDeltaSlice(t, p, p2, 1e-6)
				assert.True(t, floats.EqualApprox(low, low2, 1e-6), "the lower ends of the intervals")
				assert.True(t, floats.EqualApprox(high, high2, 1e-6), "the upper ends of the intervals")

				for i := range twice {
					if i%10 > 2 {
						twice[i] = 1
					}
				}
				x3, y3 := repeat(x, y, twice, 2)
				_, low3, high3, some := fit(x3, y3)
				covers(low3, high3)
				assert.Less(t, some, 1.2*once, "NMSE, once %v", once)
			})
		}
	}
}

// Repeating every row changes nothing. If each row of a rare class is repeated eight times, the class is predicted more often, and
// the order of the scores stays the same.
func TestRepeatedRowsOfClasses(t *testing.T) {
	probe, truth := rare(2000, 32)
	for name, build := range tunedClassifiers {
		for _, n := range repeatedSizes(name) {
			t.Run(fmt.Sprint(name, ", ", n, " rows"), func(t *testing.T) {
				fit := func(x *mat.Dense, y []int) (scores []float64, auc, gmean float64) {
					c := build()
					require.NoError(t, c.Fit(context.Background(), x, y))
					p, err := c.Predict(probe)
					require.NoError(t, err)
					gmean, err = metrics.GMean(truth, p, nil)
					require.NoError(t, err)
					var of *mat.Dense
					if estimators.Supports(c, estimators.Proba) {
						of, err = c.(estimators.ProbaPredictor).PredictProba(probe)
					} else {
						of, err = c.(estimators.DecisionPredictor).Decision(probe)
					}
					require.NoError(t, err)
					scores = mat.Col(nil, 1, of)
					auc, err = metrics.AUC(truth, 1, scores, nil)
					require.NoError(t, err)
					return scores, auc, gmean
				}
				x, y := rare(n, 31)
				once, auc, gmean := fit(x, y)

				counts := slices.Repeat([]int{2}, n)
				x2, y2 := repeat(x, y, counts, 1)
				twice, _, _ := fit(x2, y2)
				assert.InDeltaSlice(t, once, twice, 1e-6)

				for i := range counts {
					counts[i] = 1 + 7*y[i]
				}
				x8, y8 := repeat(x, y, counts, 2)
				_, auc8, gmean8 := fit(x8, y8)
				assert.Greater(t, auc8, auc-.03)
				if name != "conformal" { // conformal counts a row and its copies once
					assert.Greater(t, gmean8, gmean)
				}
			})
		}
	}
}
