package calibration

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

// If each row occurs twice, with any weights, the probabilities are the same as if it occurs once. A link therefore never uses the
// score of a row that is in the fit.
func TestEachRowTwice(t *testing.T) {
	x, y := clouds(150, 3, 4)
	test, _ := clouds(50, 3, 5)
	twice := mat.NewDense(300, 2, nil)
	twice.Stack(x, x)
	for m := Automatic; m <= Isotonic; m++ {
		for _, folds := range []int{0, 5} {
			var p [3]*mat.Dense
			for i, fit := range []func(c *Classifier) error{
				func(c *Classifier) error { return c.Fit(t.Context(), x, y) },
				func(c *Classifier) error { return c.Fit(t.Context(), twice, slices.Concat(y, y)) },
				func(c *Classifier) error {
					return c.FitWeighted(t.Context(), twice, slices.Concat(y, y), slices.Repeat([]float64{1e-3}, 300))
				},
			} {
				c := &Classifier{Estimator: &lssvm.Classifier{}, Method: m, Folds: folds}
				require.NoError(t, fit(c))
				var err error
				p[i], err = c.PredictProba(test)
				require.NoError(t, err)
			}
			assert.InDeltaSlice(t, p[0].RawMatrix().Data, p[1].RawMatrix().Data, 1e-8, "%v, %d folds", m, folds)
			assert.InDeltaSlice(t, p[0].RawMatrix().Data, p[2].RawMatrix().Data, 1e-8, "%v, %d folds, weighted", m, folds)
		}
	}
}

// The rows of a group are nearly equal and have the same class, so a machine with a narrow kernel memorises them. Without Groups,
// the link is fitted to scores that are too good.
func TestGroupsAreLeftOut(t *testing.T) {
	const each = 4
	draw := func(n int, seed uint64) (*mat.Dense, []int, []int) {
		centres, of := clouds(n, 2, seed)
		rng := rand.New(rand.NewPCG(seed, 2))
		x, y, groups := mat.NewDense(each*n, 2, nil), make([]int, each*n), make([]int, each*n)
		for i := range y {
			row := centres.RawRowView(i / each)
			x.SetRow(i, []float64{row[0] + .01*rng.NormFloat64(), row[1] + .01*rng.NormFloat64()})
			y[i], groups[i] = of[i/each], i/each*3-7
		}
		return x, y, groups
	}
	x, y, groups := draw(100, 6)
	test, truth, _ := draw(500, 7)
	loss := func(c *Classifier) float64 {
		c.Estimator, c.Method = &lssvm.Classifier{Kernel: kernels.RBF{Gamma: 3}, Ridge: .02}, Platt
		require.NoError(t, c.Fit(t.Context(), x, y))
		p, err := c.PredictProba(test)
		require.NoError(t, err)
		out, err := metrics.LogLoss(truth, c.Classes(), p, nil)
		require.NoError(t, err)
		return out
	}
	rows, whole := loss(&Classifier{}), loss(&Classifier{Groups: groups})
	t.Log(rows, whole)
	assert.Less(t, whole, .7*rows)

	var c Classifier
	c.SetGroups(groups[:3])
	err := c.Fit(t.Context(), x, y)
	require.ErrorIs(t, err, estimators.ErrShape)
	assert.ErrorContains(t, err, "Groups has 3 entries, x has 400 rows")
}

// grouped records the groups that it receives.
type grouped struct {
	lssvm.Classifier
	seen *[][]int
}

func (g *grouped) SetGroups(groups []int) { *g.seen = append(*g.seen, groups) }
func (g *grouped) Clone() estimators.Classifier {
	return &grouped{seen: g.seen}
}

func TestEstimatorGetsGroups(t *testing.T) {
	x, y := clouds(40, 2, 8)
	groups := make([]int, 40)
	for i := range groups {
		groups[i] = i / 4
	}
	seen := [][]int{}
	c := Classifier{Estimator: &grouped{seen: &seen}, Groups: groups}
	require.NoError(t, c.Fit(t.Context(), x, y))
	require.Len(t, seen, 6)
	assert.Equal(t, groups, seen[0])
	counts := map[int]int{}
	for _, part := range seen[1:] {
		assert.Len(t, part, 32)
		for _, g := range part {
			counts[g]++
		}
	}
	for g := range 10 {
		assert.Equal(t, 16, counts[g], "group %d is in four fits", g)
	}
}
