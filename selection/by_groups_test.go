package selection

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/shape"
	"github.com/kernelearn/kernelearn/selection/validation"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// visits returns rows of patients. A level and a mark, in two columns, are the same at each visit of a patient. For a new patient
// only the first column is informative.
func visits(rng *rand.Rand, patients, each int) (x *mat.Dense, y []float64, groups []int) {
	n := patients * each
	x, y, groups = mat.NewDense(n, 3, nil), make([]float64, n), make([]int, n)
	for p := range patients {
		level, a, b := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		for i := p * each; i < (p+1)*each; i++ {
			x.SetRow(i, []float64{2 * rng.NormFloat64(), a + .02*rng.NormFloat64(), b + .02*rng.NormFloat64()})
			groups[i], y[i] = 100-p, math.Sin(x.At(i, 0))+level+.2*rng.NormFloat64()
		}
	}
	return x, y, groups
}

func TestSearchesByGroups(t *testing.T) {
	for name, strategy := range map[string]func() *Regressor{
		"nothing set": func() *Regressor { return &Regressor{} },
		"entropy":     func() *Regressor { return &Regressor{Search: &entropy.Search{}} },
	} {
		if testing.Short() && name != "nothing set" {
			continue
		}
		plain, grouped, covered, rows := 0., 0., [2]float64{}, 0.
		for seed := range uint64(6) {
			rng := rand.New(rand.NewPCG(seed, 2))
			x, y, groups := visits(rng, 50, 4)
			test, want, _ := visits(rng, 80, 2)
			for i, g := range [][]int{nil, groups} {
				r := strategy()
				r.Groups = g
				require.NoError(t, r.Fit(t.Context(), x, y))
				p, err := r.Predict(test)
				require.NoError(t, err)
				e, err := metrics.NMSE(want, p, nil)
				require.NoError(t, err)
				if i == 0 {
					plain += e / 6
				} else {
					grouped += e / 6
				}
				low, high, err := r.PredictInterval(test, .9)
				require.NoError(t, err)
				for j, v := range want {
					if v >= low[j] && v <= high[j] {
						covered[i]++
					}
				}
			}
			rows += float64(len(want))
		}
		t.Logf("%s: NMSE %.3f, by groups %.3f; coverage %.3f, %.3f", name, plain, grouped, covered[0]/rows, covered[1]/rows)
		assert.Less(t, grouped, plain, name)
		assert.Greater(t, covered[1]/rows, .85, name)
	}
}

// notes is a learner that records the groups with which it was fitted.
type notes struct {
	mu   sync.Mutex
	seen [][]int
}

type noted struct {
	lssvm.Regressor
	to *notes
}

func (n *noted) Clone() estimators.Regressor { return &noted{to: n.to} }

func (n *noted) SetGroups(groups []int) {
	n.to.mu.Lock()
	defer n.to.mu.Unlock()
	n.to.seen = append(n.to.seen, groups)
}

// Folds do not divide groups, and each fit receives the groups of its rows, also within a pipeline.
func TestLearnersGetTheirGroups(t *testing.T) {
	x, y, groups := visits(rand.New(rand.NewPCG(3, 4)), 9, 4)
	count := func(part []int) map[int]int {
		out := map[int]int{}
		for _, g := range part {
			out[g]++
		}
		return out
	}
	check := func(n *notes, fits int) {
		t.Helper()
		require.Len(t, n.seen, fits)
		for _, part := range n.seen {
			for g, c := range count(part) {
				assert.Equal(t, 4, c, "group %d", g)
			}
		}
	}
	n := &notes{}
	r := Regressor{
		Groups: groups, Search: &grid.Search{},
		Space: Candidates[estimators.Regressor](
			&noted{Regressor: lssvm.Regressor{Ridge: .01}, to: n},
			&noted{Regressor: lssvm.Regressor{Ridge: .1}, to: n},
		),
	}
	require.NoError(t, r.Fit(t.Context(), x, y))
	check(n, 7)
	assert.Len(t, n.seen[6], 36)

	n = &notes{}
	_, err := validation.CrossValidateRegressor(t.Context(), &pipeline.Regressor{
		Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: &noted{to: n},
	}, x, y, &validation.Options{Groups: groups})
	require.NoError(t, err)
	check(n, 3)
}

func TestGroupsOfAClassifier(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	x, y, groups := visits(rng, 20, 6)
	at := make([]int, len(y))
	for i, v := range y {
		if v > 0 {
			at[i] = 1
		}
	}
	c := Classifier{Groups: groups}
	require.NoError(t, c.Fit(t.Context(), x, at))
	p, err := c.PredictProba(x)
	require.NoError(t, err)
	data, err := c.MarshalBinary()
	require.NoError(t, err)
	var loaded Classifier
	require.NoError(t, loaded.UnmarshalBinary(data))
	q, err := loaded.PredictProba(x)
	require.NoError(t, err)
	assert.True(t, mat.Equal(p, q))
}

// A clone has the complete configuration.
func TestClonesHaveGroups(t *testing.T) {
	r, c := &Regressor{Groups: []int{1, 2}}, &Classifier{Groups: []int{3}}
	assert.Equal(t, r.Groups, estimators.Clone(r).Groups)
	assert.Equal(t, c.Groups, estimators.Clone(c).Groups)
}

func TestGroupsOfSearchesErrors(t *testing.T) {
	x, y, groups := visits(rand.New(rand.NewPCG(3, 4)), 9, 4)
	for _, c := range []struct {
		r    Regressor
		want error
		says string
	}{
		{Regressor{Groups: groups[1:]}, fault.ErrShape, "selection: Regressor: Groups has 35 entries, x has 36 rows"},
		{Regressor{Groups: slices.Repeat([]int{1}, 36)}, fault.ErrShape, "1 different groups"},
		{Regressor{Groups: groups, Search: &shape.Search{}}, fault.ErrParam, "Search"},
	} {
		err := c.r.Fit(t.Context(), x, y)
		require.ErrorIs(t, err, c.want)
		assert.ErrorContains(t, err, c.says)
	}
	_, err := validation.CrossValidateRegressor(t.Context(), &lssvm.Regressor{}, x, y, &validation.Options{Groups: groups[1:], Splitter: validation.KFold{}})
	require.ErrorIs(t, err, fault.ErrShape)
	assert.ErrorContains(t, err, "validation: CrossValidateRegressor: Groups has 35 entries")
}
