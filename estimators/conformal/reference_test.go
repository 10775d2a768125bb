package conformal

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/smoother"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
)

// ends holds the bounds of a reference interval. If a bound is infinite, its pointer is nil.
type ends [2]*float64

func (e ends) assert(t *testing.T, low, high, tolerance float64, name string) {
	t.Helper()
	for i, got := range []float64{low, high} {
		if e[i] == nil {
			assert.True(t, math.IsInf(got, 2*i-1), "%s: end %d: %v, want infinite", name, i, got)
			continue
		}
		assert.InDelta(t, *e[i], got, tolerance, "%s: end %d", name, i)
	}
}

type kernelRidge struct {
	X                   [][]float64
	Y                   []float64
	Gamma, Ridge        float64
	Weights             []float64
	XTest               [][]float64 `json:"X_test"`
	WeightsTest         []float64   `json:"weights_test"`
	LikelihoodRatio     []float64   `json:"likelihood_ratio"`
	LikelihoodRatioTest []float64   `json:"likelihood_ratio_test"`
	Group               []int
	GroupTest           []int `json:"group_test"`
	Cases               []struct {
		Intercept, Weights bool
		LooResiduals       []float64 `json:"loo_residuals"`
		InverseDiagonal    []float64 `json:"inverse_diagonal"`
		Test               []struct {
			Predict           float64
			VarianceFactor    float64 `json:"variance_factor"`
			VarianceQuadratic float64 `json:"variance_quadratic"`
			B                 []float64
			Intervals         map[string]map[string]ends
		}
	}
	Degenerate []struct {
		Name           string
		X              [][]float64
		Y              []float64
		Row            []float64 `json:"x"`
		Ridge          float64
		Intercept      bool
		Alpha, Predict float64
		Full           ends
	}
}

func dense(rows [][]float64) *mat.Dense {
	out := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, r := range rows {
		out.SetRow(i, r)
	}
	return out
}

func column(v []float64) *mat.Dense { return mat.NewDense(len(v), 1, append([]float64(nil), v...)) }

const tolerance = 1e-8

func load[T any](t *testing.T, name string) (out T) {
	t.Helper()
	golden.Load(t, name, &out)
	return out
}

// every returns the intervals of a row by all methods. The keys are the names of the methods in the reference.
func every(r influenced, ratios []float64, ratio float64, groups []int, group int, level float64) map[string][2]float64 {
	rows := rowsUpTo(len(r.a))
	out := map[string][2]float64{}
	put := func(name string, m Method, of members) {
		low, high := r.interval(m, of, level)
		out[name] = [2]float64{low, high}
	}
	put("full", Full, members{rows: rows})
	put("jackknife_plus", JackknifePlus, members{rows: rows})
	put("jackknife_minmax", JackknifeMinMax, members{rows: rows})
	put("full_likelihood_ratio", Full, members{rows: rows, ratios: ratios, ratio: ratio})
	put("full_mondrian", Full, members{rows: counted(rows, groups, group)})
	return out
}

func TestKernelReference(t *testing.T) {
	ref := load[kernelRidge](t, "kernel_ridge.json")
	kernel := kernels.RBF{Gamma: ref.Gamma}
	x, test := dense(ref.X), dense(ref.XTest)
	withB := 0
	for _, c := range ref.Cases {
		name := fmt.Sprintf("intercept %v, weights %v", c.Intercept, c.Weights)
		var own []float64
		if c.Weights {
			own = ref.Weights
		}
		k, err := kernels.Matrix(t.Context(), kernel, x, nil)
		require.NoError(t, err)
		m, err := smoother.NewKernel(t.Context(), k, column(ref.Y), own, ref.Ridge, c.Intercept)
		require.NoError(t, err)
		a, d := m.Rows()
		for i := range d {
			assert.InDelta(t, c.LooResiduals[i], a.At(i, 0)/d[i], tolerance, name)
			assert.InDelta(t, c.InverseDiagonal[i], d[i], tolerance, name)
		}
		cross, err := kernels.Cross(t.Context(), kernel, test, x, nil)
		require.NoError(t, err)
		f, b, s, err := m.Influence(t.Context(), cross, []float64{1, 1, 1, 1})
		require.NoError(t, err)
		outputs, err := m.Outputs(t.Context(), cross)
		require.NoError(t, err)
		assert.Equal(t, f, outputs)
		for i, row := range c.Test {
			if c.Weights {
				s[i] += ref.Ridge * (1/ref.WeightsTest[i] - 1)
			}
			assert.InDelta(t, row.Predict, f.At(i, 0), tolerance, name)
			assert.InDelta(t, row.VarianceFactor, s[i], tolerance, name)
			if row.B != nil {
				withB++
				assert.InDeltaSlice(t, row.B, b.RawRowView(i), tolerance, name)
			}
			r := influenced{a: mat.Col(nil, 0, a), c: d, b: b.RawRowView(i), f: f.At(i, 0), s: s[i]}
			for alpha, want := range row.Intervals {
				var level float64
				_, err := fmt.Sscan(alpha, &level)
				require.NoError(t, err)
				for method, got := range every(r, ref.LikelihoodRatio, ref.LikelihoodRatioTest[i], ref.Group, ref.GroupTest[i], 1-level) {
					require.Contains(t, want, method)
					want[method].assert(t, got[0], got[1], tolerance, fmt.Sprintf("%s, row %d, %s at %s", name, i, method, alpha))
				}
			}
		}
	}
	assert.Positive(t, withB)
}

func TestKernelDegenerate(t *testing.T) {
	ref := load[kernelRidge](t, "kernel_ridge.json")
	kernel := kernels.RBF{Gamma: ref.Gamma}
	for _, c := range ref.Degenerate {
		x, row := dense(c.X), dense([][]float64{c.Row})
		k, err := kernels.Matrix(t.Context(), kernel, x, nil)
		require.NoError(t, err)
		m, err := smoother.NewKernel(t.Context(), k, column(c.Y), nil, c.Ridge, c.Intercept)
		require.NoError(t, err)
		cross, err := kernels.Cross(t.Context(), kernel, row, x, nil)
		require.NoError(t, err)
		f, b, s, err := m.Influence(t.Context(), cross, []float64{1})
		require.NoError(t, err)
		a, d := m.Rows()
		low, high := influenced{a: mat.Col(nil, 0, a), c: d, b: b.RawRowView(0), f: f.At(0, 0), s: s[0]}.interval(Full, members{rows: rowsUpTo(len(d))}, 1-c.Alpha)
		assert.InDelta(t, c.Predict, f.At(0, 0), tolerance, c.Name)
		c.Full.assert(t, low, high, tolerance, c.Name)
	}
}

// The intervals agree with the reference, whose features are T⁻ᵀk of the first eight rows.
func TestLandmarksReference(t *testing.T) {
	ref := load[kernelRidge](t, "landmarks.json")
	kernel := kernels.RBF{Gamma: ref.Gamma}
	x := dense(ref.X)
	const landmarks = 8
	k, err := kernels.Matrix(t.Context(), kernel, x.Slice(0, landmarks, 0, 2), nil)
	require.NoError(t, err)
	chol, err := linalg.NewCholesky(t.Context(), "", k)
	require.NoError(t, err)
	features := func(rows mat.Matrix) *mat.Dense {
		z, err := kernels.Cross(t.Context(), kernel, rows, x.Slice(0, landmarks, 0, 2), nil)
		require.NoError(t, err)
		u := mat.NewTriDense(landmarks, mat.Upper, nil)
		for i := range landmarks {
			for j := i; j < landmarks; j++ {
				u.SetTri(i, j, chol.Upper().Data[i*chol.Upper().Stride+j])
			}
		}
		var out mat.Dense
		require.NoError(t, out.Solve(u.T(), z.T()))
		return mat.DenseCopyOf(out.T())
	}
	for _, c := range ref.Cases {
		name := fmt.Sprintf("intercept %v, weights %v", c.Intercept, c.Weights)
		var own []float64
		if c.Weights {
			own = ref.Weights
		}
		m, err := smoother.NewFeatures(t.Context(), features(x), column(ref.Y), own, ref.Ridge, c.Intercept)
		require.NoError(t, err)
		a, d := m.Rows()
		for i := range d {
			assert.InDelta(t, c.LooResiduals[i], a.At(i, 0)/d[i], tolerance, name)
		}
		f, b, s, err := m.Influence(t.Context(), features(dense(ref.XTest)))
		require.NoError(t, err)
		for i, row := range c.Test {
			assert.InDelta(t, row.Predict, f.At(i, 0), tolerance, name)
			assert.InDelta(t, row.VarianceQuadratic, s[i]/ref.Ridge-1, tolerance, name)
			if c.Weights {
				s[i] += ref.Ridge * (1/ref.WeightsTest[i] - 1)
			}
			r := influenced{a: mat.Col(nil, 0, a), c: d, b: b.RawRowView(i), f: f.At(i, 0), s: s[i]}
			for alpha, want := range row.Intervals {
				var level float64
				_, err := fmt.Sscan(alpha, &level)
				require.NoError(t, err)
				low, high := r.interval(Full, members{rows: rowsUpTo(len(d))}, 1-level)
				want["full"].assert(t, low, high, tolerance, name+" full at "+alpha)
				low, high = r.interval(Full, members{rows: rowsUpTo(len(d))[landmarks:]}, 1-level)
				want["full_rows_not_landmarks"].assert(t, low, high, tolerance, name+" without landmarks at "+alpha)
			}
		}
	}
}

// The intervals of CV+ and Split agree with the reference. The machine of package lssvm has a constant and, here, no weights.
func TestFoldsReference(t *testing.T) {
	ref := load[struct {
		X            [][]float64
		Y            []float64
		Gamma, Ridge float64
		XTest        [][]float64 `json:"X_test"`
		Fold         []int
		CVPlus       []struct {
			Intercept, Weights bool
			Residuals          []float64 `json:"out_of_fold_residuals"`
			Test               []map[string]map[string]ends
		} `json:"cv_plus"`
		Split []struct {
			Predict float64
			Scaled  map[string]ends
		}
	}](t, "cv_plus_split.json")
	x, test := dense(ref.X), dense(ref.XTest)
	fitted := func(r *Regressor, learn func(m *model) error) *Regressor {
		r.Estimator = &lssvm.Regressor{Kernel: kernels.RBF{Gamma: ref.Gamma}, Ridge: ref.Ridge}
		m := &model{method: r.Method, rows: x, y: ref.Y}
		require.NoError(t, learn(m))
		r.m = m
		return r
	}
	var parts [][]int
	for i, f := range ref.Fold {
		for f >= len(parts) {
			parts = append(parts, nil)
		}
		parts[f] = append(parts[f], i)
	}
	check := func(r *Regressor, want func(i int, alpha string) ends) {
		for alpha := range ref.Split[0].Scaled {
			var level float64
			_, err := fmt.Sscan(alpha, &level)
			require.NoError(t, err)
			low, high, err := r.PredictInterval(test, 1-level)
			require.NoError(t, err)
			for i := range low {
				want(i, alpha).assert(t, low[i], high[i], tolerance, fmt.Sprintf("%v, row %d at %s", r.Method, i, alpha))
			}
		}
	}
	seen := 0
	for _, c := range ref.CVPlus {
		if !c.Intercept || c.Weights {
			continue
		}
		seen++
		for _, plain := range []bool{true, false} {
			r := &Regressor{Method: CrossValidation, NoScaling: plain}
			fitted(r, func(m *model) error { return m.learnParts(t.Context(), r, parts) })
			check(r, func(i int, alpha string) ends {
				if plain {
					return c.Test[i][alpha]["plain"]
				}
				return c.Test[i][alpha]["scaled"]
			})
			for _, f := range r.m.folds {
				for at, row := range f.rows {
					if plain {
						assert.InDelta(t, math.Abs(c.Residuals[row]), f.scores[at], tolerance)
					}
				}
			}
		}
	}
	assert.Equal(t, 1, seen)

	r := &Regressor{Method: Split}
	fitted(r, func(m *model) (err error) {
		if m.chosen, err = m.fitOn(t.Context(), r, rowsUpTo(18)); err != nil {
			return err
		}
		m.held = rowsUpTo(30)[18:]
		m.folds = []fold[estimators.Regressor]{{fitted: m.chosen, rows: m.held}}
		return m.score(t.Context(), r)
	})
	check(r, func(i int, alpha string) ends { return ref.Split[i].Scaled[alpha] })
	predicted, err := r.Predict(test)
	require.NoError(t, err)
	for i, p := range predicted {
		assert.InDelta(t, ref.Split[i].Predict, p, tolerance)
	}
}
