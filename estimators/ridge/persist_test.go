package ridge

import (
	"encoding"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
)

type stored interface {
	estimators.Regressor
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// Model files of version 1 stay readable and give the same predictions as a fit with the current code, up to the rounding of the
// computer that wrote them.
func TestGoldenFilesStayReadable(t *testing.T) {
	tall := golden.Dense([][]float64{{1, 2}, {0, 1}, {3, -1}, {2, 2}})
	wide := golden.Dense([][]float64{{1, 2, 0, 4}, {0, 1, 5, -1}, {3, -1, 0, 2}})
	kernel := golden.Dense([][]float64{{2, 1, 0}, {1, 2, 1}, {0, 1, 2}})
	y := []float64{1, 2, 0, 4}
	for name, c := range map[string]struct {
		fitted, read stored
		x            *mat.Dense
	}{
		"Regressor-v1.keln":      {&Regressor{}, &Regressor{}, tall},
		"Regressor-wide-v1.keln": {&Regressor{Ridge: 0.5}, &Regressor{}, wide},
		"DirectKernel-v1.keln":   {&DirectKernel{}, &DirectKernel{}, kernel},
	} {
		n, _ := c.x.Dims()
		require.NoError(t, c.fitted.Fit(ctx, c.x, y[:n]))
		data := golden.Model(t, name, c.fitted.MarshalBinary)
		require.NoError(t, c.read.UnmarshalBinary(data), name)
		want, err := c.fitted.Predict(c.x)
		require.NoError(t, err)
		got, err := c.read.Predict(c.x)
		require.NoError(t, err)
		assert.InDeltaSlice(t, want, got, 1e-8, name)
		if v, ok := c.fitted.(estimators.VariancePredictor); ok {
			_, want, err := v.PredictVariance(c.x)
			require.NoError(t, err)
			_, got, err := c.read.(estimators.VariancePredictor).PredictVariance(c.x)
			require.NoError(t, err)
			assert.InDeltaSlice(t, want, got, 1e-8, name)
		}
		again, err := c.read.MarshalBinary()
		require.NoError(t, err)
		assert.Equal(t, data, again, name)
	}
}

func TestHostilePayloads(t *testing.T) {
	good := func() storedModel {
		return storedModel{
			Means: []float64{0}, Target: []float64{0}, Coefficients: codec.Matrix{Rows: 1, Cols: 1, Data: []float64{1}},
			Ridges: []float64{1}, Noise: []float64{0}, Unit: 1, Factors: []storedFactor{{Packed: []float64{1}}},
		}
	}
	wide := func() storedModel {
		s := good()
		s.Basis = codec.Matrix{Rows: 1, Cols: 1, Data: []float64{1}}
		return s
	}
	for _, s := range []storedModel{good(), wide()} {
		data, err := codec.Marshal(regressorKind, 1, s)
		require.NoError(t, err)
		require.NoError(t, (&Regressor{}).UnmarshalBinary(data), "the changes below are its only faults")
	}
	inf := math.Inf(1)
	for name, change := range map[string]func(s *storedModel){
		"no coefficients": func(s *storedModel) { s.Coefficients = codec.Matrix{} },
		"means":           func(s *storedModel) { s.Means = []float64{1, 2} },
		"infinite mean":   func(s *storedModel) { s.Means[0] = inf },
		"infinite target": func(s *storedModel) { s.Target[0] = inf },
		"ridge":           func(s *storedModel) { s.Ridges[0] = 0 },
		"noise":           func(s *storedModel) { s.Noise[0] = -1 },
		"spread":          func(s *storedModel) { s.Spread = -1 },
		"jitter":          func(s *storedModel) { s.Report.Jitter = math.NaN() },
		"factor":          func(s *storedModel) { s.Factors[0].Packed = []float64{1, 2} },
		"factor not > 0":  func(s *storedModel) { s.Factors[0].Packed = []float64{0} },
		"two targets":     func(s *storedModel) { s.Coefficients = codec.Matrix{Rows: 2, Cols: 1, Data: []float64{1, 1}} },
		"unit":            func(s *storedModel) { s.Unit = -1 },
		"infinite factor": func(s *storedModel) { s.Factors[0].Packed = []float64{inf} },
		"infinite loo":    func(s *storedModel) { s.LOO = codec.Matrix{Rows: 1, Cols: 1, Data: []float64{inf}} },
		"basis rows":      func(s *storedModel) { s.Basis = codec.Matrix{Rows: 2, Cols: 1, Data: []float64{1, 1}} },
		"basis columns":   func(s *storedModel) { s.Basis = codec.Matrix{Rows: 1, Cols: 2, Data: []float64{1, 1}} },
		"basis numbers":   func(s *storedModel) { s.Basis = codec.Matrix{Rows: 1, Cols: 1, Data: []float64{inf}} },
	} {
		s := good()
		change(&s)
		data, err := codec.Marshal(regressorKind, 1, s)
		require.NoError(t, err)
		assert.ErrorIs(t, (&Regressor{}).UnmarshalBinary(data), estimators.ErrBadModel, name)
	}
	for name, s := range map[string]storedDirect{
		"none":      {Ridge: 1},
		"ridge":     {Coefficients: []float64{1}},
		"infinite":  {Coefficients: []float64{inf}, Ridge: 1},
		"bias":      {Coefficients: []float64{1}, Ridge: 1, Bias: inf},
		"residuals": {Coefficients: []float64{1}, Ridge: 1, LOO: []float64{1, 2}},
	} {
		data, err := codec.Marshal(directKernelKind, 1, s)
		require.NoError(t, err)
		assert.ErrorIs(t, (&DirectKernel{}).UnmarshalBinary(data), estimators.ErrBadModel, name)
	}
}

// FuzzFit fits to arbitrary rows and targets of any size. A fit returns a documented error, or the predictions are finite and the
// variances are not negative.
func FuzzFit(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8}, uint8(2), false)
	f.Add([]byte{255, 0, 255, 0, 1, 1, 1, 1, 9, 9, 9, 9}, uint8(5), true)
	f.Fuzz(func(t *testing.T, raw []byte, columns uint8, noIntercept bool) {
		d := 1 + int(columns)%8
		n := min(len(raw)/(d+1), 20)
		if n == 0 {
			return
		}
		x, y := mat.NewDense(n, d, nil), make([]float64, n)
		for i := range n {
			for j := range d {
				x.Set(i, j, math.Sinh(float64(int8(raw[i*(d+1)+j]))))
			}
			y[i] = float64(int8(raw[i*(d+1)+d]))
		}
		r := &Regressor{NoIntercept: noIntercept}
		if err := r.Fit(ctx, x, y); err != nil {
			if !errors.Is(err, estimators.ErrNotFinite) && !errors.Is(err, estimators.ErrNotPSD) {
				t.Fatal(err)
			}
			return
		}
		mean, variance, err := r.PredictVariance(x)
		if err != nil && !errors.Is(err, estimators.ErrNotFinite) {
			t.Fatal(err)
		}
		for i, v := range variance {
			if !(v >= 0) || mean[i]-mean[i] != 0 {
				t.Fatalf("row %d: mean %v, variance %v", i, mean[i], v)
			}
		}
	})
}
