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
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/shape"
)

// withoutSeconds returns a result as text, without the times.
func withoutSeconds(t *testing.T, r *search.Result) string {
	c := r.Clone()
	for _, one := range append([]*search.Result{c}, c.Others...) {
		one.Seconds = 0
		for i := range one.Trace {
			one.Trace[i].Seconds = 0
		}
	}
	data, err := json.MarshalIndent(c, "", " ")
	require.NoError(t, err)
	return string(data)
}

// A search that is cancelled after three rows and resumed from their JSON has the same Result as an uninterrupted search. It does
// not compute known points again.
func TestResume(t *testing.T) {
	x, y := problemOf(90, 2, .3, 4)
	for name, strategy := range map[string]search.Strategy{
		"entropy":                   &entropy.Search{},
		"entropy, evidence":         &entropy.Search{Score: entropy.LogEvidence},
		"entropy, cross-validation": &entropy.Search{Score: entropy.CrossValidation},
		"entropy, low rank":         &entropy.Search{Method: entropy.LowRank, MaxRank: 30},
		"entropy, on rows":          &entropy.Search{Method: entropy.LowRank, MaxRank: 4, MinRidge: .01},
		"entropy, subsamples":       &entropy.Search{Method: entropy.Subsample},
		"grid":                      &grid.Search{Points: 7},
		"halving":                   &grid.Halving{Points: 7},
		"shape":                     &shape.Search{},
		"shape, on blocks":          &shape.Search{MaxRows: 40},
		"golden section":            &entropy.GoldenSection{Lo: 1e-3, Hi: 1e3},
	} {
		t.Run(name, func(t *testing.T) {
			fit := func(ctx context.Context, observe func(search.TraceRow), resume []search.TraceRow) (*Regressor, error) {
				r := &Regressor{Space: over(families.RBF{}), Search: strategy, Workers: 1, Observe: observe, Resume: resume}
				return r, r.Fit(ctx, x, y)
			}
			whole, err := fit(ctx, nil, nil)
			require.NoError(t, err)

			cancelled, cancel := context.WithCancel(ctx)
			defer cancel()
			var rows []search.TraceRow
			after := 3
			if name == "golden section" {
				after = 2
			}
			_, err = fit(cancelled, func(r search.TraceRow) {
				if rows = append(rows, r); len(rows) == after {
					cancel()
				}
			}, nil)
			require.ErrorIs(t, err, context.Canceled)
			data, err := json.Marshal(rows)
			require.NoError(t, err)
			var read []search.TraceRow
			require.NoError(t, json.Unmarshal(data, &read))

			again := 0
			resumed, err := fit(ctx, func(search.TraceRow) { again++ }, read)
			require.NoError(t, err)
			assert.Equal(t, withoutSeconds(t, whole.Result()), withoutSeconds(t, resumed.Result()))

			// With the complete trace, only the last fit remains.
			fits := 0
			r := &Regressor{
				Space: Kernels(func(k kernels.Kernel) estimators.Regressor {
					fits++
					return &lssvm.Regressor{Kernel: k}
				}, families.RBF{}),
				Search: strategy,
				Resume: whole.Result().Trace,
			}
			require.NoError(t, r.Fit(ctx, x, y))
			assert.Equal(t, withoutSeconds(t, whole.Result()), withoutSeconds(t, r.Result()))
			assert.LessOrEqual(t, fits, 3, "one to fit, two to query its methods")
			assert.Equal(t, len(whole.Result().Trace), len(r.Result().Trace))
		})
	}
}

// A search can also be resumed if its finalists are scored on more rows, on features or on folds.
func TestResumeFinalists(t *testing.T) {
	machine := func(k kernels.Kernel) estimators.Regressor { return &lssvm.Regressor{Kernel: k} }
	for name, c := range map[string]struct {
		n, d  int
		noise float64
		build func(kernels.Kernel) estimators.Regressor
		basis search.Basis
	}{
		"all rows":   {700, 8, .05, machine, search.OnMatrix},
		"few pivots": {700, 2, .3, machine, search.OnPivots},
		"all ridges": {450, 2, .3, machine, search.OnMatrix},
		"features":   {350, 2, .3, onNystroem, search.OnFeatures},
		"learner":    {90, 2, 0, machineOf, search.OnFolds},
	} {
		t.Run(name, func(t *testing.T) {
			x, y := problemOf(c.n, c.d, c.noise, 4)
			fit := func(resume []search.TraceRow) (*Regressor, []search.TraceRow) {
				var rows []search.TraceRow
				r := &Regressor{
					Space: Kernels(c.build), Search: &entropy.Search{}, Resume: resume,
					Observe: func(row search.TraceRow) {
						if row.Step == nil {
							rows = append(rows, row)
						}
					},
				}
				require.NoError(t, r.Fit(ctx, x, y))
				return r, rows
			}
			whole, rows := fit(nil)
			assert.Equal(t, c.basis, rows[len(rows)-1].Basis)
			assert.Positive(t, rows[len(rows)-1].Round)
			for _, known := range []int{len(rows), len(rows) - 2} {
				resumed, again := fit(rows[:known])
				assert.Equal(t, withoutSeconds(t, whole.Result()), withoutSeconds(t, resumed.Result()))
				for i := range rows[:known] {
					if c.basis == search.OnFolds {
						break // recalled rows are not observed
					}
					assert.Equal(t, rows[i].Seconds, again[min(i, len(again)-1)].Seconds, "row %d was computed again", i)
				}
			}
		})
	}
}

// If a search is cancelled at any step, also between two points, the resumed search returns the same result. No row contains values
// that were computed after its context had ended.
func TestResumeFromAnyStep(t *testing.T) {
	x, y := problemOf(90, 2, .3, 4)
	fit := func(ctx context.Context, observe func(search.TraceRow), resume []search.TraceRow) (*Regressor, error) {
		r := &Regressor{Space: over(families.RBF{}), Search: &entropy.Search{Method: entropy.LowRank, MaxRank: 4, MinRidge: .01}, Workers: 1, Observe: observe, Resume: resume}
		return r, r.Fit(ctx, x, y)
	}
	whole, err := fit(ctx, nil, nil)
	require.NoError(t, err)
	want, ended := withoutSeconds(t, whole.Result()), 0
	for after := 1; after < 60; after += 2 {
		cancelled, cancel := context.WithCancel(ctx)
		var rows []search.TraceRow
		_, err := fit(cancelled, func(r search.TraceRow) {
			if rows = append(rows, r); len(rows) == after {
				cancel()
			}
		}, nil)
		cancel()
		if err == nil {
			break
		}
		ended++
		require.ErrorIs(t, err, context.Canceled)
		resumed, err := fit(ctx, nil, rows)
		require.NoError(t, err)
		require.Equal(t, want, withoutSeconds(t, resumed.Result()), "cancelled at step %d", after)
	}
	assert.Greater(t, ended, 20)
}
