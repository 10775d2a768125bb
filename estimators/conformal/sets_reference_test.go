package conformal

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/smoother"
	"github.com/kernelearn/kernelearn/kernels"
)

type setsReference struct {
	Probabilities struct {
		P       [][]float64
		Labels  []int
		U       []float64
		PTest   [][]float64 `json:"p_test"`
		UTest   []float64   `json:"u_test"`
		Penalty float64     `json:"raps_lambda"`
		Free    int         `json:"raps_k"`
		Results map[string]struct {
			Scores []float64
			Sets   map[string]struct {
				Threshold *float64
				Sets      [][]int
			}
		}
		Mondrian map[string]struct {
			Thresholds []*float64
			Sets       [][]int
		} `json:"mondrian_lac"`
	}
	LeastSquares struct {
		X            [][]float64
		Labels       []int
		Gamma, Ridge float64
		Weights      []float64
		XTest        [][]float64 `json:"X_test"`
		Cases        []struct {
			Weights bool
			Loo     [][]float64 `json:"loo_decision"`
			Test    []struct {
				Decision []float64
				Labels   []struct {
					Margin    float64
					Full      float64 `json:"p_full"`
					Jackknife float64 `json:"p_jackknife_plus"`
				}
				Full      map[string][]int
				Jackknife map[string][]int `json:"jackknife_plus"`
			}
		}
	} `json:"least_squares"`
}

// set returns the classes that are in the set for a level, according to their p-values.
func set(p []float64, level float64, rows []int) []int {
	out := []int{}
	for k, v := range p {
		if keeps(v, level, float64(rows[k])) {
			out = append(out, k)
		}
	}
	return out
}

func repeated(v, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = v
	}
	return out
}

func TestSetsOfProbabilities(t *testing.T) {
	ref := load[setsReference](t, "classes.json").Probabilities
	own := map[string]scoring{
		"lac": {of: LeastAmbiguous}, "aps": {of: Adaptive}, "aps_u1": {of: Adaptive},
		"raps": {of: RegularisedAdaptive, penalty: ref.Penalty, free: ref.Free}, "raps_u1": {of: RegularisedAdaptive, penalty: ref.Penalty, free: ref.Free},
	}
	classesOf := len(ref.P[0])
	for name, want := range ref.Results {
		s, ok := own[name]
		require.True(t, ok, name)
		share := func(u float64) float64 {
			if len(name) > 3 && name[len(name)-2:] == "u1" {
				return 1
			}
			return u
		}
		scores, buffer := make([]float64, len(ref.P)), make([]float64, classesOf)
		for i, p := range ref.P {
			s.scores(buffer, p, share(ref.U[i]))
			scores[i] = buffer[ref.Labels[i]]
		}
		assert.InDeltaSlice(t, want.Scores, scores, tolerance, name)
		for alpha, sets := range want.Sets {
			var level float64
			_, err := fmt.Sscan(alpha, &level)
			require.NoError(t, err)
			threshold := kth(append([]float64(nil), scores...), rank(1-level, len(scores)))
			if sets.Threshold == nil {
				assert.True(t, math.IsInf(threshold, 1))
			} else {
				assert.InDelta(t, *sets.Threshold, threshold, tolerance, name)
			}
			for i, p := range ref.PTest {
				s.scores(buffer, p, share(ref.UTest[i]))
				values := make([]float64, classesOf)
				for k, v := range buffer {
					values[k] = pValue(scores, v)
				}
				assert.Equal(t, sets.Sets[i], set(values, 1-level, repeated(len(scores), classesOf)), "%s at %s, row %d", name, alpha, i)
			}
		}
	}
	for alpha, want := range ref.Mondrian {
		var level float64
		_, err := fmt.Sscan(alpha, &level)
		require.NoError(t, err)
		for i, p := range ref.PTest {
			values, rows := make([]float64, classesOf), make([]int, classesOf)
			for k, v := range p {
				var scores []float64
				for j, label := range ref.Labels {
					if label == k {
						scores = append(scores, 1-ref.P[j][k])
					}
				}
				rows[k], values[k] = len(scores), pValue(scores, 1-v)
			}
			assert.Equal(t, want.Sets[i], set(values, 1-level, rows), "by class at %s, row %d", alpha, i)
		}
	}
}

func TestSetsOfLeastSquares(t *testing.T) {
	ref := load[setsReference](t, "classes.json").LeastSquares
	kernel := kernels.RBF{Gamma: ref.Gamma}
	x, test := dense(ref.X), dense(ref.XTest)
	for _, c := range ref.Cases {
		var own []float64
		if c.Weights {
			own = ref.Weights
		}
		_, at, err := classes.Distinguish(ref.Labels)
		require.NoError(t, err)
		k, err := kernels.Matrix(t.Context(), kernel, x, nil)
		require.NoError(t, err)
		machine, err := smoother.NewKernel(t.Context(), k, targets(at, 3), own, ref.Ridge, true)
		require.NoError(t, err)
		a, d := machine.Rows()
		m := newLeastSquares(rowsOf(a), d, at)
		decision := make([]float64, 3)
		for i := range d {
			m.leftOut(decision, i, nil, nil, 1)
			assert.InDeltaSlice(t, c.Loo[i], decision, tolerance)
		}
		cross, err := kernels.Cross(t.Context(), kernel, test, x, nil)
		require.NoError(t, err)
		f, b, s, err := machine.Influence(t.Context(), cross, []float64{1, 1, 1, 1, 1})
		require.NoError(t, err)
		n := len(d)
		for i, row := range c.Test {
			assert.InDeltaSlice(t, row.Decision, f.RawRowView(i), tolerance)
			full, jackknife := make([]float64, 3), make([]float64, 3)
			for class, want := range row.Labels {
				assert.InDelta(t, want.Margin, margin(f.RawRowView(i), class), tolerance)
				full[class] = m.fullP(rowsUpTo(n), f.RawRowView(i), b.RawRowView(i), s[i], class)
				jackknife[class] = m.jackknifeP(rowsUpTo(n), f.RawRowView(i), b.RawRowView(i), class)
				assert.InDelta(t, want.Full, full[class], tolerance)
				assert.InDelta(t, want.Jackknife, jackknife[class], tolerance)
			}
			for alpha := range row.Full {
				var level float64
				_, err := fmt.Sscan(alpha, &level)
				require.NoError(t, err)
				assert.Equal(t, row.Full[alpha], set(full, 1-level, repeated(n, 3)))
				assert.Equal(t, row.Jackknife[alpha], set(jackknife, 1-level, repeated(n, 3)))
			}
		}
	}
}
