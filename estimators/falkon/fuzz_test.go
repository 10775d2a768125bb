package falkon

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/kernels"
)

// FuzzFit fits rows with arbitrary bits. Every model predicts finite numbers, and every error is a documented one.
func FuzzFit(f *testing.F) {
	seed := func(values ...float64) []byte {
		var out []byte
		for _, v := range values {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		}
		return out
	}
	f.Add(uint8(1), uint8(0), seed(1, 2, 3, 4, 5, 6))
	f.Add(uint8(2), uint8(1), seed(1e300, -1e300, 1e-300, 5e-324, 0, 0, 1, 1, 1, 2, 2, 2))
	f.Add(uint8(1), uint8(5), seed(7, 7, 7, 7, 7, 7, 7, 7))
	f.Add(uint8(0), uint8(3), seed(1, 1, 2, 5, 3, 1, 4, 2, 5, 2, 6, 1))
	f.Fuzz(func(t *testing.T, columns, choice uint8, data []byte) {
		d := int(columns%3) + 1
		n := min(len(data)/8/(d+1), 20)
		if n < 1 {
			return
		}
		value := func(i int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:])) }
		x, y, labels := mat.NewDense(n, d, nil), make([]float64, n), make([]int, n)
		for i := range n {
			for j := range d {
				x.Set(i, j, value(i*(d+1)+j))
			}
			y[i] = value(i*(d+1) + d)
			labels[i] = int(data[8*(i*(d+1)+d)] % 3)
		}
		k := []kernels.Kernel{nil, kernels.Linear{}, kernels.Matern{Nu: 2.5}}[choice%3]
		solver := []Solver{Direct, ConjugateGradients}[choice/3%2]
		loss := []Loss{SquaredLoss, LogisticLoss}[choice/6%2]

		r := &Regressor{Kernel: k, Solver: solver, Workers: 1}
		if err := r.Fit(ctx, x, y); err != nil {
			documented(t, err)
		} else if mean, variance, err := r.PredictVariance(x); err != nil {
			documented(t, err)
		} else {
			for i := range mean {
				assert.False(t, math.IsNaN(mean[i]) || math.IsNaN(variance[i]) || variance[i] < 0, "mean %v, variance %v", mean[i], variance[i])
			}
		}
		c := &Classifier{Kernel: k, Solver: solver, Loss: loss, Workers: 1}
		if err := c.Fit(ctx, x, labels); err != nil {
			documented(t, err)
			return
		}
		p, err := c.PredictProba(x)
		if err != nil {
			documented(t, err)
			return
		}
		for i := range n {
			assert.InDelta(t, 1, mat.Sum(p.Slice(i, i+1, 0, len(c.Classes()))), 1e-9)
		}
	})
}

func documented(t *testing.T, err error) {
	t.Helper()
	for _, known := range []error{estimators.ErrShape, estimators.ErrNotFinite, estimators.ErrNotPSD} {
		if errors.Is(err, known) {
			return
		}
	}
	t.Errorf("%v is not a documented error", err)
}
