package selection

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/numeral"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/search"
)

// The family with the better score is chosen, and the scores of the others are reported.
func TestFamilies(t *testing.T) {
	x, y := problemOf(100, 2, .2, 6)
	all := []families.Family{families.Polynomial{}, families.RBF{}, families.Laplacian{}}
	var alone []float64
	for _, f := range all {
		r := &Regressor{Space: over(f), Search: &entropy.Search{Score: entropy.LeaveOneOut}}
		require.NoError(t, r.Fit(ctx, x, y))
		alone = append(alone, r.Result().Score)
	}
	for i, strategy := range []search.Strategy{&entropy.Search{Score: entropy.LeaveOneOut}, nil, &entropy.Search{Score: entropy.LogEvidence}, &grid.Search{Points: 3}, &grid.Halving{Points: 3}} {
		r := &Regressor{Space: over(all...), Search: strategy}
		require.NoError(t, r.Fit(ctx, x, y))
		res := r.Result()
		require.Len(t, res.Others, 2)
		for _, o := range res.Others {
			switch {
			case strategy == nil: // the evidence decides if the errors are close
				assert.LessOrEqual(t, res.Score, 1.2*o.Score)
			case res.LargerIsBetter:
				assert.GreaterOrEqual(t, res.Score, o.Score)
			default:
				assert.LessOrEqual(t, res.Score, o.Score)
			}
			assert.Contains(t, res.String(), "not chosen: "+numeral.Rounded(o.Kernel))
		}
		if i == 0 {
			assert.Equal(t, min(alone[0], alone[1], alone[2]), res.Score)
		}
		data, err := r.MarshalBinary()
		require.NoError(t, err)
		read := &Regressor{Space: over(all...), Search: strategy}
		require.NoError(t, read.UnmarshalBinary(data))
		want, err := r.Predict(x)
		require.NoError(t, err)
		got, err := read.Predict(x)
		require.NoError(t, err)
		assert.Equal(t, want, got)
		assert.Len(t, read.Result().Others, 2)
		assert.ErrorIs(t, (&Regressor{Space: over(families.ELM{})}).UnmarshalBinary(data), estimators.ErrBadModel)
	}
	for want, r := range map[string]*Regressor{
		"a Search that scores": {Space: over(all...), Search: &entropy.Search{Targets: []float64{.3}, Score: entropy.CrossValidation}},
		"family RBF: ":         {Space: over(all[1:]...), MaxKernelBytes: 10},
	} {
		assert.ErrorContains(t, r.Fit(ctx, x, y), want)
		_ = r.Supports(estimators.Variance)
	}
}

func TestResultString(t *testing.T) {
	x, y := problemOf(40, 2, .2, 6)
	r := &Regressor{Space: over(families.RBF{}), Search: &entropy.Search{Targets: []float64{.3}}}
	require.NoError(t, r.Fit(ctx, x, y))
	res := r.Result()
	text := res.String()
	assert.Contains(t, text, "entropy: "+numeral.Rounded(res.Kernel)+", ok, entropy 0.")
	assert.Contains(t, text, "leave-one-out NMSE")
	assert.Contains(t, text, "towards entropy 0.3")
	for _, row := range res.Trace {
		assert.Equal(t, "RBF", row.Family)
	}
	data, err := json.Marshal(res)
	require.NoError(t, err)
	var read search.Result
	require.NoError(t, json.Unmarshal(data, &read))
	assert.Equal(t, text, read.String())
	assert.Contains(t, search.Result{Entropy: math.NaN(), Score: math.NaN(), Trace: []search.TraceRow{{EntropyRow: search.EntropyRow{Entropy: math.NaN()}}}}.String(), " -  ")
}
