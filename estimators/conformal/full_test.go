package conformal

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/kernels"
)

// fitted is a kernel machine with a constant, solved with gonum as one dense linear system.
type fitted struct {
	x      [][]float64
	kernel kernels.RBF
	ridge  float64
	system mat.Dense // the matrix [K + ridge, 1; 1', 0]
}

func fitTo(t *testing.T, x [][]float64, kernel kernels.RBF, ridge float64) *fitted {
	t.Helper()
	n := len(x)
	f := &fitted{x: x, kernel: kernel, ridge: ridge}
	a := mat.NewDense(n+1, n+1, nil)
	for i := range x {
		for j := range x {
			a.Set(i, j, kernel.Eval(x[i], x[j]))
		}
		a.Set(i, i, a.At(i, i)+ridge)
		a.Set(i, n, 1)
		a.Set(n, i, 1)
	}
	require.NoError(t, f.system.Inverse(a))
	return f
}

// at returns the prediction for row from the targets y, and its variance in units of the ridge.
func (f *fitted) at(y, row []float64) (mean, variance float64) {
	n := len(f.x)
	k := mat.NewVecDense(n+1, nil)
	for i, r := range f.x {
		k.SetVec(i, f.kernel.Eval(r, row))
	}
	k.SetVec(n, 1)
	var weights mat.VecDense
	weights.MulVec(&f.system, k)
	for i, v := range y {
		mean += weights.AtVec(i) * v
	}
	return mean, f.kernel.Eval(row, row) + f.ridge - mat.Dot(k, &weights)
}

// ranked returns the number of rows whose leave-one-out residual, divided by its standard deviation, is at least as large as that
// of the last row.
func ranked(t *testing.T, x [][]float64, y []float64, kernel kernels.RBF, ridge float64) (count int, smallestGap float64) {
	t.Helper()
	scores := make([]float64, len(x))
	for i := range x {
		var others [][]float64
		var targets []float64
		for j := range x {
			if j != i {
				others, targets = append(others, x[j]), append(targets, y[j])
			}
		}
		mean, variance := fitTo(t, others, kernel, ridge).at(targets, x[i])
		scores[i] = math.Abs(y[i]-mean) / math.Sqrt(variance)
	}
	last := scores[len(x)-1]
	smallestGap = math.Inf(1)
	for _, s := range scores[:len(x)-1] {
		if s >= last {
			count++
		}
		smallestGap = min(smallestGap, math.Abs(s-last))
	}
	return count, smallestGap
}

// The interval contains the targets that full conformal prediction with refitted machines would keep. At each bound, the new row
// and another row have equal residuals. Beyond it, too few rows have larger residuals.
func TestFullIsRefitted(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	const n, level = 14, 0.8
	kernel, ridge := kernels.RBF{Gamma: 0.7}, 0.3
	var x [][]float64
	var y []float64
	for range n {
		row := []float64{rng.NormFloat64(), rng.NormFloat64()}
		x, y = append(x, row), append(y, math.Sin(row[0])+row[1]/2+0.2*rng.NormFloat64())
	}
	r := &Regressor{Estimator: &lssvm.Regressor{Kernel: kernel, Ridge: ridge}, Method: Full, SameRows: true}
	require.NoError(t, r.Fit(t.Context(), dense(x), y))
	for _, row := range [][]float64{{0, 0}, {1.5, -0.5}, {4, 4}} {
		low, high, err := r.PredictInterval(dense([][]float64{row}), level)
		require.NoError(t, err)
		keeps := func(target float64) bool {
			count, _ := ranked(t, append(x[:n:n], row), append(y[:n:n], target), kernel, ridge)
			return float64(count+1) > (1-level)*(n+1)
		}
		for end, v := range map[float64]float64{-1: low[0], 1: high[0]} {
			_, gap := ranked(t, append(x[:n:n], row), append(y[:n:n], v), kernel, ridge)
			assert.Less(t, gap, 1e-9, "row %v, end %v", row, v)
			assert.True(t, keeps(v-end*1e-7), "row %v, end %v", row, v)
			assert.False(t, keeps(v+end*1e-7), "row %v, end %v", row, v)
		}
		middle := (low[0] + high[0]) / 2
		for i := range 21 { // the kept targets of a grid form one interval without interruptions
			target := middle + (float64(i)/10-1)*0.999*(high[0]-middle)
			assert.True(t, keeps(target))
		}
		for _, far := range []float64{1.1, 2, 5} {
			assert.False(t, keeps(middle+far*(high[0]-middle)))
			assert.False(t, keeps(middle-far*(middle-low[0])))
		}
	}
}
