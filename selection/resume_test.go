package selection

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/kernels"
)

// withoutSeconds is a result as text, but for what the clock says.
func withoutSeconds(t *testing.T, r *Result) string {
	c := r.clone()
	c.Seconds = 0
	for i := range c.Trace {
		c.Trace[i].Seconds = 0
	}
	data, err := json.MarshalIndent(c, "", " ")
	require.NoError(t, err)
	return string(data)
}

// A search that is cancelled after three rows and resumed from their JSON ends in the same
// Result as one that never was, without computing again what it had.
func TestResume(t *testing.T) {
	x, y := problemOf(90, 2, .3, 4)
	for name, strategy := range map[string]Strategy{
		"entropy":                   &Entropy{},
		"entropy, evidence":         &Entropy{Score: LogEvidence},
		"entropy, cross-validation": &Entropy{Score: CrossValidation},
		"entropy, low rank":         &Entropy{Method: LowRank, MaxRank: 30},
		"entropy, on rows":          &Entropy{Method: LowRank, MaxRank: 4, MinRidge: .01},
		"entropy, subsamples":       &Entropy{Method: Subsample},
		"grid":                      &Grid{Points: 7},
		"halving":                   &Halving{Points: 7},
		"shape":                     &Shape{},
		"shape, on blocks":          &Shape{MaxRows: 40},
		"golden section":            &GoldenSection{Lo: 1e-3, Hi: 1e3},
	} {
		t.Run(name, func(t *testing.T) {
			search := func(ctx context.Context, observe func(TraceRow), resume []TraceRow) (*Regressor, error) {
				r := &Regressor{Space: over(kernels.RBFFamily{}), Search: strategy, Workers: 1, Observe: observe, Resume: resume}
				return r, r.Fit(ctx, x, y)
			}
			whole, err := search(ctx, nil, nil)
			require.NoError(t, err)

			cancelled, cancel := context.WithCancel(ctx)
			defer cancel()
			var rows []TraceRow
			after := 3
			if name == "golden section" {
				after = 2
			}
			_, err = search(cancelled, func(r TraceRow) {
				if rows = append(rows, r); len(rows) == after {
					cancel()
				}
			}, nil)
			require.ErrorIs(t, err, context.Canceled)
			data, err := json.Marshal(rows)
			require.NoError(t, err)
			var read []TraceRow
			require.NoError(t, json.Unmarshal(data, &read))

			again := 0
			resumed, err := search(ctx, func(TraceRow) { again++ }, read)
			require.NoError(t, err)
			assert.Equal(t, withoutSeconds(t, whole.Result()), withoutSeconds(t, resumed.Result()))

			// From the whole trace nothing is left to compute but the last fit.
			fits := 0
			r := &Regressor{
				Space: Over(func(k kernels.Kernel) estimators.Regressor {
					fits++
					return &lssvm.Regressor{Kernel: k}
				}, kernels.RBFFamily{}),
				Search: strategy,
				Resume: whole.Result().Trace,
			}
			require.NoError(t, r.Fit(ctx, x, y))
			assert.Equal(t, withoutSeconds(t, whole.Result()), withoutSeconds(t, r.Result()))
			assert.LessOrEqual(t, fits, 2, "one to fit, one to ask what it can do")
			assert.Equal(t, len(whole.Result().Trace), len(r.Result().Trace))
		})
	}
}
