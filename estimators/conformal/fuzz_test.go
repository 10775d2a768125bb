package conformal

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/ridge"
)

func documented(t *testing.T, err error) {
	t.Helper()
	for _, known := range []error{estimators.ErrShape, estimators.ErrNotFinite, estimators.ErrNotPSD} {
		if errors.Is(err, known) {
			return
		}
	}
	t.Errorf("%v is not a documented error", err)
}

// FuzzFit fits rows with arbitrary bits. The bounds of every interval are in order and may be infinite, every set contains a class,
// and every error is a documented one.
func FuzzFit(f *testing.F) {
	seed := func(values ...float64) []byte {
		var out []byte
		for _, v := range values {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		}
		return out
	}
	f.Add(uint8(1), uint8(1), uint8(0), seed(1, 2, 3, 4, 5, 6, 2, 2, 9, 9))
	f.Add(uint8(0), uint8(2), uint8(1), seed(1e300, -1e300, 1e-300, 5e-324, 0, 0, 1, 1, 1, 2, 2, 2))
	f.Add(uint8(1), uint8(4), uint8(0), seed(7, 7, 7, 7, 7, 7, 7, 7))
	f.Add(uint8(0), uint8(5), uint8(2), seed(1, 1, 1e8, 2, 3, 1e-8, 4, 4))
	f.Fuzz(func(t *testing.T, columns, method, score uint8, data []byte) {
		d := int(columns%2) + 1
		n := min(len(data)/8/(d+1), 16)
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
		m := Method(int(method) % int(Split+1))
		r := &Regressor{Estimator: &ridge.Regressor{Workers: 1}, Method: m, Folds: 3, SameRows: score%2 == 1, Workers: 1}
		if err := r.Fit(t.Context(), x, y); err != nil {
			documented(t, err)
		} else if low, high, err := r.PredictInterval(x, 0.5); err != nil {
			documented(t, err)
		} else {
			for i := range low {
				assert.LessOrEqual(t, low[i], high[i])
			}
		}
		c := &Classifier{Method: m, Score: Score(int(score) % int(RegularisedAdaptive+1)), Folds: 3, Workers: 1}
		if m == JackknifeMinMax {
			return
		}
		if err := c.Fit(t.Context(), x, labels); err != nil {
			documented(t, err)
		} else if sets, err := c.PredictSet(x, 0.5); err != nil {
			documented(t, err)
		} else {
			for _, set := range sets {
				assert.NotEmpty(t, set)
			}
		}
	})
}
