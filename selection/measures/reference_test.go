package measures

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
)

// referenceFiles returns the names of the files that contain an entropy and alignments.
func referenceFiles(t *testing.T) []string {
	files, err := filepath.Glob("testdata/*.json")
	require.NoError(t, err)
	var out []string
	for _, f := range files {
		if name := filepath.Base(f); name != "kernel_measures.json" && name != "bounds_cases.json" {
			out = append(out, name)
		}
	}
	require.Len(t, out, 10)
	return out
}

// labelsOf converts targets with two values to labels.
func labelsOf(y []float64) []int {
	out := make([]int, len(y))
	for i, v := range y {
		out[i] = int(v)
	}
	return out
}

func symmetric(rows [][]float64) *mat.SymDense {
	out := mat.NewSymDense(len(rows), nil)
	for i, r := range rows {
		for j := i; j < len(r); j++ {
			out.SetSym(i, j, r[j])
		}
	}
	return out
}

// The measures agree with the files of four kernels, including one that is not positive semi-definite. They are computed from the
// stored matrix and from the kernel, and also from the features of the linear kernel.
func TestReferenceMeasures(t *testing.T) {
	var refs []struct {
		Kernel                        string
		X, K                          [][]float64
		Y                             []float64
		KTA, FSM, FSMErr, CSM         float64
		CSMNorm, Dist2, StdPlus, StdM float64
	}
	golden.Load(t, "kernel_measures.json", &refs)
	require.Len(t, refs, 4)
	kernel := map[string]kernels.Kernel{
		"linear": kernels.Linear{}, "rbf": kernels.RBF{Gamma: 1. / 3},
		"poly": kernels.Polynomial{Gamma: 1. / 3, Coef0: 1, Degree: 3}, "tanh": kernels.Tanh{Gamma: 1. / 3},
	}
	for _, ref := range refs {
		want := []float64{ref.KTA, ref.FSM, ref.FSMErr, ref.CSM, ref.CSMNorm, ref.Dist2}
		same := func(from string, m Separability, err error) {
			t.Helper()
			require.NoError(t, err)
			got := []float64{m.KTA, m.FSM, m.FSMErr, m.CSM, m.CSMNorm, m.Distance2}
			assert.LessOrEqual(t, golden.MaxError(got, want), 1e-11, "%s from %s: %v, want %v", ref.Kernel, from, got, want)
		}
		y, x := labelsOf(ref.Y), golden.Dense(ref.X)
		m, err := SeparabilityOfMatrix(ctx, symmetric(ref.K), y, nil)
		same("its matrix", m, err)
		m, err = SeparabilityOfKernel(ctx, kernel[ref.Kernel], x, y, nil)
		same("its rows", m, err)
		if ref.Kernel == "linear" {
			m, err = SeparabilityOfFeatures(ctx, x, y, nil)
			same("its features", m, err)
		}
	}
}

// The alignments agree with those in the entropy files, which also cover real-valued targets and, in one file, the FSM.
func TestReferenceAlignments(t *testing.T) {
	checked, separable := 0, 0
	for _, file := range referenceFiles(t) {
		var ref struct {
			reference
			Y     []float64
			Cases []struct {
				Kernel     string
				Param      float64
				KTA        float64
				CentredKTA float64 `json:"kta_centered_kernel"`
				FSM        *float64
				Cond       *float64
			}
		}
		golden.Load(t, file, &ref)
		x := golden.Dense(ref.X)
		for _, c := range ref.Cases {
			k, rows := kernelOf(t, c.Kernel, c.Param, x)
			label := ref.Name + " " + k.String()
			km, err := kernels.Matrix(ctx, k, rows, nil)
			require.NoError(t, err)
			want := []float64{c.KTA, c.CentredKTA}
			fromMatrix, err := AlignmentOfMatrix(ctx, km, ref.Y, nil)
			require.NoError(t, err)
			fromKernel, err := AlignmentOfKernel(ctx, k, rows, ref.Y, nil)
			require.NoError(t, err)
			for _, a := range []Alignment{fromMatrix, fromKernel} {
				checked++
				assert.LessOrEqual(t, golden.MaxError([]float64{a.KTA, a.CentredKTA}, want), 1e-9, "%s: %+v, want %v", label, a, want)
			}
			cond, err := Condition(ctx, km)
			require.NoError(t, err)
			switch {
			case c.Cond == nil:
				assert.True(t, math.IsInf(cond, 1) || cond > 1e12, "%s: condition %v", label, cond)
			case *c.Cond < 1e12:
				// λmin is only accurate up to the error of the elements of K, about 1e-13 of λmax.
				assert.InEpsilon(t, *c.Cond, cond, 1e-9+1e-13**c.Cond, label)
			default:
				assert.Greater(t, cond, 1e11, label)
			}
			if c.FSM == nil {
				continue
			}
			separable++
			m, err := SeparabilityOfKernel(ctx, k, rows, labelsOf(ref.Y), nil)
			require.NoError(t, err)
			assert.LessOrEqual(t, golden.MaxError([]float64{m.FSM, m.KTA, m.CentredKTA}, append([]float64{*c.FSM}, want...)), 1e-9, label)
		}
	}
	t.Logf("%d alignments, %d with FSM", checked, separable)
	assert.GreaterOrEqual(t, checked, 280)
	assert.GreaterOrEqual(t, separable, 14)
}
