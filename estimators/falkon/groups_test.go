package falkon

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/kernels"
)

// visits returns rows in groups of the given sizes, in mixed order. The rows of a group are nearly equal, and their targets share
// an error.
func visits(sizes []int, seed uint64) (x *mat.Dense, y []float64, groups []int) {
	rng := rand.New(rand.NewPCG(seed, 9))
	var rows []float64
	for g, size := range sizes {
		a, b, own := 2*rng.NormFloat64(), rng.NormFloat64(), .7*rng.NormFloat64()
		for range size {
			rows = append(rows, a+.05*rng.NormFloat64(), b+.05*rng.NormFloat64())
			y, groups = append(y, math.Sin(a)+own+.1*rng.NormFloat64()), append(groups, 5-2*g)
		}
	}
	x = mat.NewDense(len(y), 2, rows)
	order := rng.Perm(len(y))
	return linalg.Rows(x, order), linalg.Pick(y, order), linalg.Pick(groups, order)
}

// The closed-form error of left-out groups equals that of machines that are fitted without each group, also if a group has more
// rows than there are landmarks.
func TestLeaveGroupsOutIsRefitted(t *testing.T) {
	sizes := []int{40, 1, 6, 3, 1, 1, 9, 2, 12, 5}
	x, y, groups := visits(sizes, 1)
	x.SetRow(7, x.RawRowView(8)) // an equal row in two groups merges the groups
	y[7] = y[8] + .1
	groups[7] = groups[8]
	n := len(y)
	landmarks := linalg.Rows(x, []int{0, 3, 9, 20, 33, 41, 50, 60, 70, 77})
	kernel := kernels.RBF{Gamma: .3}
	for _, c := range []struct{ weighted, origin bool }{{false, false}, {true, false}, {true, true}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			weights := slices.Repeat([]float64{1}, n)
			for i := range weights {
				if c.weighted {
					weights[i] = 1 + float64(i%3)
				}
			}
			weights[7] = weights[8]
			r := &Regressor{Kernel: kernel, Landmarks: landmarks, Ridge: .3, NoIntercept: c.origin, Groups: groups, Solver: Direct}
			require.NoError(t, r.FitWeighted(t.Context(), x, y, weights))
			squares, total := 0.0, 0.0
			for i, v := range y {
				var rows []int
				for k := range y {
					if groups[k] != groups[i] {
						rows = append(rows, k)
					}
				}
				without := &Regressor{Kernel: kernel, Landmarks: landmarks, Ridge: .3, NoIntercept: c.origin, Solver: Direct}
				require.NoError(t, without.FitWeighted(t.Context(), linalg.Rows(x, rows), linalg.Pick(y, rows), linalg.Pick(weights, rows)))
				p, err := without.Predict(x.Slice(i, i+1, 0, 2))
				require.NoError(t, err)
				squares += weights[i] * (v - p[0]) * (v - p[0])
				total += weights[i]
			}
			assert.InEpsilon(t, squares/total, r.Details().LeaveOneOut, 1e-6)
		})
	}
}

// Both solvers choose the ridge, the kernel and the intervals for new groups.
func TestGroupsChooseForNewGroups(t *testing.T) {
	for _, c := range []struct {
		solver Solver
		groups int
		seeds  uint64
	}{{Direct, 60, 4}, {ConjugateGradients, 600, 1}} {
		if testing.Short() && c.solver != Direct {
			continue
		}
		errors, covered, total := [2]float64{}, [2]float64{}, 0.0
		for seed := range c.seeds {
			sizes := slices.Repeat([]int{6}, c.groups)
			x, y, groups := visits(sizes, seed)
			other, targets, _ := visits(slices.Repeat([]int{6}, 60), 100+seed)
			for k, g := range [][]int{nil, groups} {
				r := &Regressor{Groups: g, Seed: seed, Solver: c.solver, Components: min(300, len(y))}
				require.NoError(t, r.Fit(t.Context(), x, y))
				p, err := r.Predict(other)
				require.NoError(t, err)
				low, high, err := r.PredictInterval(other, .9)
				require.NoError(t, err)
				for i, v := range targets {
					errors[k] += (v - p[i]) * (v - p[i])
					if low[i] <= v && v <= high[i] {
						covered[k]++
					}
				}
			}
			total += float64(len(targets))
		}
		t.Logf("%v: mean squared error of new groups %.3f by rows, %.3f by groups; 90%% intervals cover %.3f and %.3f",
			c.solver, errors[0]/total, errors[1]/total, covered[0]/total, covered[1]/total)
		assert.Less(t, errors[1], errors[0], "%v", c.solver)
		assert.Greater(t, covered[1]/total, .8, "%v", c.solver)
		assert.Greater(t, covered[1], covered[0], "%v", c.solver)
	}
}

func TestGroupsOfRows(t *testing.T) {
	x, y, groups := visits(slices.Repeat([]int{4}, 20), 3)
	assert.ErrorIs(t, (&Regressor{Groups: groups[:3]}).Fit(t.Context(), x, y), fault.ErrShape)
	assert.ErrorIs(t, (&Regressor{Groups: make([]int, len(y))}).Fit(t.Context(), x, y), fault.ErrShape)
	labels := make([]int, len(y))
	for i, v := range y {
		if v > 0 {
			labels[i] = 1
		}
	}
	for name, loss := range map[string]Loss{"squared": SquaredLoss, "logistic": LogisticLoss} {
		c := &Classifier{Groups: groups, Loss: loss}
		require.NoError(t, c.Fit(t.Context(), x, labels), name)
		p, err := c.PredictProba(x)
		require.NoError(t, err, name)
		single := &Classifier{Loss: loss}
		require.NoError(t, single.Fit(t.Context(), x, labels), name)
		q, err := single.PredictProba(x)
		require.NoError(t, err, name)
		assert.False(t, mat.EqualApprox(p, q, 1e-6), name)
	}

	// If each row is a group of its own, the model is bit-identical to that without groups.
	own := make([]int, len(y))
	for i := range own {
		own[i] = i
	}
	a, b := &Regressor{}, &Regressor{Groups: own}
	require.NoError(t, a.Fit(t.Context(), x, y))
	require.NoError(t, b.Fit(t.Context(), x, y))
	low, high, err := a.PredictInterval(x, .9)
	require.NoError(t, err)
	l, h, err := b.PredictInterval(x, .9)
	require.NoError(t, err)
	assert.Equal(t, low, l)
	assert.Equal(t, high, h)

	// If the features of a group would need more than MaxBytes, Fit returns an error before it computes them.
	all := make([]int, len(y))
	all[0] = 1
	err = (&Regressor{Groups: all, Components: 20, MaxBytes: 1}).Fit(t.Context(), x, y)
	assert.ErrorIs(t, err, fault.ErrTooLarge)
}
