package selection

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/shape"
	"github.com/kernelearn/kernelearn/selection/validation"
)

// The unit of the targets does not change the choice, as long as their squares do not overflow. The kernel, the ridge and the
// scores stay the same, except for the log evidence. It decreases by the logarithm of the unit for each contrast.
func TestExtremeUnitsOfTargets(t *testing.T) {
	x, y := problemOf(60, 2, 0.1, 1)
	n := float64(len(y))
	for name, strategy := range map[string]func() search.Strategy{
		"entropy":        func() search.Strategy { return &entropy.Search{} },
		"log evidence":   func() search.Strategy { return &entropy.Search{Score: entropy.LogEvidence} },
		"leave-one-out":  func() search.Strategy { return &entropy.Search{Score: entropy.LeaveOneOut} },
		"grid":           func() search.Strategy { return &grid.Search{Splitter: validation.KFold{Folds: 3, Seed: 1}} },
		"halving":        func() search.Strategy { return &grid.Halving{Splitter: validation.KFold{Folds: 3, Seed: 1}} },
		"golden section": func() search.Strategy { return &entropy.GoldenSection{} },
		"shape":          func() search.Strategy { return &shape.Search{} },
	} {
		var want *search.Result
		for _, exponent := range []int{0, 100, 250, 260, 400, -100, -250, -260, -400, -480} {
			times := make([]float64, len(y))
			for i, v := range y {
				times[i] = math.Ldexp(v, exponent)
			}
			r := &Regressor{Search: strategy()}
			require.NoError(t, r.Fit(context.Background(), x, times), "%s, 2^%d", name, exponent)
			got := r.Result()
			if want == nil {
				want = got
			}
			assert.Equal(t, want.Kernel, got.Kernel, "%s, 2^%d", name, exponent)
			assert.Equal(t, math.Float64bits(want.Ridge), math.Float64bits(got.Ridge), "%s, 2^%d", name, exponent)
			score := want.Score
			if name == "log evidence" {
				score -= (n - 1) * float64(exponent) * math.Ln2
			}
			assert.InEpsilon(t, score, got.Score, 1e-12, "%s, 2^%d", name, exponent)
		}
	}
}
