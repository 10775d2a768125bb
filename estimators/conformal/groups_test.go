package conformal_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/conformal"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/kernels"
)

// waves returns rows of two features and a target with noise of standard deviation .3.
func waves(rng *rand.Rand, n int) (*mat.Dense, []float64) {
	x, y := mat.NewDense(n, 2, nil), make([]float64, n)
	for i := range y {
		x.SetRow(i, []float64{2 * rng.NormFloat64(), rng.NormFloat64()})
		y[i] = math.Sin(x.At(i, 0)) + .3*x.At(i, 1) + .3*rng.NormFloat64()
	}
	return x, y
}

// copied returns the rows, followed by copies of the first ones.
func copied(x *mat.Dense, again int) *mat.Dense {
	n, d := x.Dims()
	out := mat.NewDense(n+again, d, nil)
	out.Stack(x, x.Slice(0, again, 0, d))
	return out
}

// If some rows are copied, the intervals stay bit-identical, because copies count once. Observations that happen to have equal
// features count as separate rows.
func TestCopiesCountOnce(t *testing.T) {
	for _, n := range []int{60, 260} {
		x, y := waves(rand.New(rand.NewPCG(1, uint64(n))), n)
		test, _ := waves(rand.New(rand.NewPCG(2, 3)), 40)
		for _, m := range []conformal.Method{conformal.Automatic, conformal.Full, conformal.JackknifePlus, conformal.CrossValidation, conformal.Split} {
			once, twice := conformal.Regressor{Method: m}, conformal.Regressor{Method: m}
			require.NoError(t, once.Fit(t.Context(), x, y))
			low, high, err := once.PredictInterval(test, .9)
			require.NoError(t, err)
			for _, again := range []int{n, n / 3} {
				require.NoError(t, twice.Fit(t.Context(), copied(x, again), slices.Concat(y, y[:again])))
				low2, high2, err := twice.PredictInterval(test, .9)
				require.NoError(t, err)
				assert.Equal(t, low, low2)
				assert.Equal(t, high, high2)
			}
		}
		observed := slices.Concat(y, y)
		for i := range y {
			observed[n+i] += .1
		}
		r := conformal.Regressor{Method: conformal.Split}
		require.NoError(t, r.Fit(t.Context(), copied(x, n), observed))
		fitted, err := r.Chosen().(*lssvm.Regressor).LeaveOneOutResiduals(t.Context())
		require.NoError(t, err)
		assert.Len(t, fitted, n) // half of them
	}
}

func TestCopiesOfAClassCountOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	x, y := waves(rng, 240)
	at := make([]int, len(y))
	for i, v := range y {
		if v > .8 { // a rare class
			at[i] = 1
		}
	}
	var rare []int
	for i, k := range at {
		if k == 1 {
			rare = append(rare, i)
		}
	}
	oversampled, labels := mat.DenseCopyOf(x), slices.Clone(at)
	for range 7 {
		next := mat.NewDense(len(labels)+len(rare), 2, nil)
		next.Copy(oversampled)
		for i, row := range rare {
			next.SetRow(len(labels)+i, x.RawRowView(row))
		}
		oversampled, labels = next, append(labels, slices.Repeat([]int{1}, len(rare))...)
	}
	test, _ := waves(rng, 60)
	for _, m := range []conformal.Method{conformal.Full, conformal.CrossValidation, conformal.Split} {
		var sets [2][][]int
		for i, rows := range []*mat.Dense{x, oversampled} {
			c := conformal.Classifier{Method: m}
			require.NoError(t, c.Fit(t.Context(), rows, [][]int{at, labels}[i]))
			var err error
			sets[i], err = c.PredictSet(test, .9)
			require.NoError(t, err)
		}
		assert.Equal(t, sets[0], sets[1], "%v", m)
	}
}

// The rows of a group share an error, so only the groups are exchangeable. If groups are left out, intervals for rows of new groups
// have the promised coverage. If single rows are left out, they do not.
func TestCoverageOfNewGroups(t *testing.T) {
	const size, level = 6, .8
	trials, groups := 60, 30
	covered := map[string]float64{}
	settings := map[string]func(groups []int) *conformal.Regressor{
		"rows":              func([]int) *conformal.Regressor { return &conformal.Regressor{Method: conformal.CrossValidation} },
		"split of groups":   func(g []int) *conformal.Regressor { return &conformal.Regressor{Method: conformal.Split, Groups: g} },
		"folds of groups":   func(g []int) *conformal.Regressor { return &conformal.Regressor{Groups: g} },
		"groups, read anew": func(g []int) *conformal.Regressor { return &conformal.Regressor{Method: conformal.Split, Groups: g} },
	}
	for trial := range trials {
		rng := rand.New(rand.NewPCG(11, uint64(trial)))
		draw := func(count int) (*mat.Dense, []float64, []int) {
			x, y, of := mat.NewDense(count*size, 2, nil), make([]float64, count*size), make([]int, count*size)
			for g := range count {
				place, shared := 3*rng.NormFloat64(), rng.NormFloat64()
				for i := g * size; i < (g+1)*size; i++ {
					x.SetRow(i, []float64{place + .01*rng.NormFloat64(), .3 * rng.NormFloat64()})
					of[i], y[i] = 17*g-5, x.At(i, 1)+shared+.1*rng.NormFloat64()
				}
			}
			return x, y, of
		}
		x, y, of := draw(groups)
		test, want, _ := draw(10)
		for name, setting := range settings {
			r := setting(of)
			r.Estimator = &lssvm.Regressor{Kernel: kernels.RBF{Gamma: 1}, Ridge: .05}
			require.NoError(t, r.Fit(t.Context(), x, y))
			if name == "groups, read anew" {
				data, err := r.MarshalBinary()
				require.NoError(t, err)
				r = &conformal.Regressor{Estimator: r.Estimator}
				require.NoError(t, r.UnmarshalBinary(data))
			}
			low, high, err := r.PredictInterval(test, level)
			require.NoError(t, err)
			for i, v := range want {
				if v >= low[i] && v <= high[i] {
					covered[name] += 1 / float64(trials*len(want))
				}
			}
		}
	}
	t.Log(covered)
	assert.Less(t, covered["rows"], .7)
	// 600 groups give a standard error of .016
	assert.InDelta(t, level+.5/float64(groups/2+1), covered["split of groups"], .06)
	assert.Greater(t, covered["folds of groups"], level-.05)
	assert.Equal(t, covered["split of groups"], covered["groups, read anew"])
}

func TestGroupsOfAClassifier(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	x, y := waves(rng, 120)
	at, of := make([]int, len(y)), make([]int, len(y))
	for i, v := range y {
		of[i] = i / 4
		if v > 0 {
			at[i] = 3
		}
	}
	for _, m := range []conformal.Method{conformal.Automatic, conformal.CrossValidation, conformal.Split} {
		c := conformal.Classifier{Method: m, Groups: of, NoRandom: true}
		require.NoError(t, c.Fit(t.Context(), x, at))
		want, err := c.PredictSet(x, .9)
		require.NoError(t, err)
		data, err := c.MarshalBinary()
		require.NoError(t, err)
		var loaded conformal.Classifier
		require.NoError(t, loaded.UnmarshalBinary(data))
		got, err := loaded.PredictSet(x, .9)
		require.NoError(t, err)
		assert.Equal(t, want, got)
		if m == conformal.Automatic {
			assert.Equal(t, conformal.CrossValidation, c.ChosenMethod())
		}
	}
}

func TestGroupsErrors(t *testing.T) {
	x, y := waves(rand.New(rand.NewPCG(5, 6)), 12)
	for _, c := range []struct {
		r    conformal.Regressor
		want error
		says string
	}{
		{conformal.Regressor{Groups: []int{1, 2}}, estimators.ErrShape, "Groups has 2 entries, x has 12 rows"},
		{conformal.Regressor{Groups: make([]int, 12)}, estimators.ErrShape, "Groups has 1 different groups, want at least 2"},
		{conformal.Regressor{Groups: make([]int, 12), Method: conformal.Full}, estimators.ErrParam, "Method"},
		{conformal.Regressor{Groups: make([]int, 12), LikelihoodRatio: func([]float64) float64 { return 1 }}, estimators.ErrParam, "LikelihoodRatio"},
	} {
		err := c.r.Fit(t.Context(), x, y)
		require.ErrorIs(t, err, c.want)
		assert.ErrorContains(t, err, c.says)
	}
	c := conformal.Classifier{Groups: make([]int, 12), Method: conformal.JackknifePlus}
	assert.ErrorIs(t, c.Fit(t.Context(), x, []int{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}), estimators.ErrParam)
}

// The set for a level contains the sets for lower levels and, without AllowEmpty, the class that Predict returns.
func TestSetsGrowWithTheLevel(t *testing.T) {
	levels := []float64{.05, .2, .35, .5, .65, .8, .9, .95, .99}
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 9))
		x, y := waves(rng, 90)
		test, _ := waves(rng, 60)
		at := make([]int, len(y))
		for i, v := range y {
			at[i] = int(math.Floor(v+.5*rng.NormFloat64())) & 3
		}
		for _, m := range []conformal.Method{conformal.Full, conformal.JackknifePlus, conformal.CrossValidation, conformal.Split} {
			for _, empty := range []bool{false, true} {
				c := conformal.Classifier{
					Method: m, AllowEmpty: empty, Score: conformal.Score(seed % 3),
					Estimator: &lssvm.Classifier{Kernel: kernels.RBF{Gamma: .5}, Ridge: .3},
				}
				require.NoError(t, c.Fit(t.Context(), x, at))
				predicted, err := c.Predict(test)
				require.NoError(t, err)
				before := make([][]int, len(predicted))
				for _, level := range levels {
					sets, err := c.PredictSet(test, level)
					require.NoError(t, err)
					for i, set := range sets {
						assert.Subset(t, set, before[i], "%v at %v, seed %d", m, level, seed)
						if !empty {
							assert.Contains(t, set, predicted[i])
						}
					}
					before = sets
				}
			}
		}
	}
}
