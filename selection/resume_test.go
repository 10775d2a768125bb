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
	for name, make := range map[string]func(observe func(TraceRow), resume []TraceRow) Strategy{
		"entropy": func(o func(TraceRow), r []TraceRow) Strategy { return &Entropy{Observe: o, Resume: r} },
		"entropy, evidence": func(o func(TraceRow), r []TraceRow) Strategy {
			return &Entropy{Score: LogEvidence, Observe: o, Resume: r}
		},
		"entropy, cross-validation": func(o func(TraceRow), r []TraceRow) Strategy {
			return &Entropy{Score: CrossValidation, Observe: o, Resume: r, Workers: 1}
		},
		"entropy, low rank": func(o func(TraceRow), r []TraceRow) Strategy {
			return &Entropy{Method: LowRank, MaxRank: 30, Observe: o, Resume: r}
		},
		"entropy, subsamples": func(o func(TraceRow), r []TraceRow) Strategy {
			return &Entropy{Method: Subsample, Observe: o, Resume: r}
		},
		"grid": func(o func(TraceRow), r []TraceRow) Strategy {
			return &Grid{Points: 7, Observe: o, Resume: r, Workers: 1}
		},
		"halving": func(o func(TraceRow), r []TraceRow) Strategy {
			return &Halving{Points: 7, Observe: o, Resume: r, Workers: 1}
		},
		"golden section": func(o func(TraceRow), r []TraceRow) Strategy {
			return &GoldenSection{Lo: 1e-3, Hi: 1e3, Observe: o, Resume: r}
		},
	} {
		t.Run(name, func(t *testing.T) {
			search := func(ctx context.Context, s Strategy) (*Regressor, error) {
				r := &Regressor{Build: func(k kernels.Kernel) estimators.Regressor { return &lssvm.Regressor{Kernel: k} }, Search: s}
				return r, r.Fit(ctx, x, y)
			}
			whole, err := search(ctx, make(nil, nil))
			require.NoError(t, err)

			cancelled, cancel := context.WithCancel(ctx)
			defer cancel()
			var rows []TraceRow
			after := 3
			if name == "golden section" {
				after = 2
			}
			_, err = search(cancelled, make(func(r TraceRow) {
				if rows = append(rows, r); len(rows) == after {
					cancel()
				}
			}, nil))
			require.ErrorIs(t, err, context.Canceled)
			data, err := json.Marshal(rows)
			require.NoError(t, err)
			var read []TraceRow
			require.NoError(t, json.Unmarshal(data, &read))

			again := 0
			resumed, err := search(ctx, make(func(TraceRow) { again++ }, read))
			require.NoError(t, err)
			assert.Equal(t, withoutSeconds(t, whole.Result()), withoutSeconds(t, resumed.Result()))

			// From the whole trace nothing is left to compute but the last fit.
			fits := 0
			r := &Regressor{Search: make(nil, whole.Result().Trace), Build: func(k kernels.Kernel) estimators.Regressor {
				fits++
				return &lssvm.Regressor{Kernel: k}
			}}
			require.NoError(t, r.Fit(ctx, x, y))
			assert.Equal(t, withoutSeconds(t, whole.Result()), withoutSeconds(t, r.Result()))
			assert.LessOrEqual(t, fits, 2, "one to fit, one to ask what it can do")
			assert.Equal(t, len(whole.Result().Trace), len(r.Result().Trace))
		})
	}
}
