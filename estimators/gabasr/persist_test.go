package gabasr

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/gabasr/internal/features"
	"github.com/kernelearn/kernelearn/internal/codec"
)

func TestHostilePayloads(t *testing.T) {
	x, y, labels := problem(20, 1)
	r := &Regressor{Pairs: 3, Features: Paired, Sweeps: 5, Chains: 1, Covariances: 1, Trend: 2}
	require.NoError(t, r.Fit(ctx, x, y))
	try := func(change func(s *storedRegressor)) error {
		data, err := r.MarshalBinary()
		require.NoError(t, err)
		var s storedRegressor
		_, err = codec.Unmarshal(data, regressorKind, version, &s)
		require.NoError(t, err)
		change(&s)
		data, err = codec.Marshal(regressorKind, version, s)
		require.NoError(t, err)
		return (&Regressor{}).UnmarshalBinary(data)
	}
	require.NoError(t, try(func(*storedRegressor) {}))
	first := func(s *storedRegressor) *features.Draw { return s.Learned.Machines[0].Draws[1] } // the only draw with a factor
	follower := func(s *storedRegressor) *features.Draw { return s.Learned.Machines[0].Draws[2] }
	line := func(s *storedRegressor) *features.Polynomial { return &s.Learned.Trend[1] }
	for name, change := range map[string]func(s *storedRegressor){
		"scale":             func(s *storedRegressor) { s.Scale = 0 },
		"mean":              func(s *storedRegressor) { s.Mean = math.Inf(1) },
		"no trend":          func(s *storedRegressor) { s.Learned.Trend = nil },
		"trend's column":    func(s *storedRegressor) { line(s).Column = 2 },
		"trend's order":     func(s *storedRegressor) { line(s).Column = 0 },
		"trend's centre":    func(s *storedRegressor) { line(s).Centre = math.NaN() },
		"trend's inverse":   func(s *storedRegressor) { line(s).Inverse = 0 },
		"trend's shifts":    func(s *storedRegressor) { line(s).Shift = nil },
		"trend's shift":     func(s *storedRegressor) { line(s).Shift[0] = math.Inf(1) },
		"trend's norms":     func(s *storedRegressor) { line(s).Norm = line(s).Norm[1:] },
		"trend's norm":      func(s *storedRegressor) { line(s).Norm[1] = 0 },
		"trend's degrees":   func(s *storedRegressor) { line(s).Kept = nil },
		"a degree twice":    func(s *storedRegressor) { line(s).Kept = []int{1, 1} },
		"a degree beyond":   func(s *storedRegressor) { line(s).Kept = []int{1, 3} },
		"trend of many":     func(s *storedRegressor) { line(s).Shift = make(codec.Floats, 9); line(s).Norm = make(codec.Floats, 10) },
		"holder before":     func(s *storedRegressor) { follower(s).Holder = -3 },
		"holder behind":     func(s *storedRegressor) { follower(s).Holder = 1 },
		"holder far":        func(s *storedRegressor) { follower(s).Holder = math.MinInt },
		"holder without":    func(s *storedRegressor) { follower(s).Holder = -2 },
		"holder and factor": func(s *storedRegressor) { follower(s).Factor = first(s).Factor },
		"no holder":         func(s *storedRegressor) { follower(s).Holder = 0 },
		"features":          func(s *storedRegressor) { s.Learned.Features = 9 },
		"other features":    func(s *storedRegressor) { s.Learned.Features = int(Stationary) },
		"no machine":        func(s *storedRegressor) { s.Learned.Machines = nil },
		"two machines":      func(s *storedRegressor) { s.Learned.Machines = append(s.Learned.Machines, s.Learned.Machines[0]) },
		"no draws":          func(s *storedRegressor) { s.Learned.Machines[0].Draws = nil },
		"nil draw":          func(s *storedRegressor) { s.Learned.Machines[0].Draws[0] = nil },
		"R-hat":             func(s *storedRegressor) { s.Learned.Machines[0].RHat = -1 },
		"baseline":          func(s *storedRegressor) { s.Learned.Machines[0].Baseline = math.NaN() },
		"objective":         func(s *storedRegressor) { s.Learned.Report.Objective = math.Inf(1) },
		"columns":           func(s *storedRegressor) { s.Learned.Scaling.Columns = []int{1, 0} },
		"column beyond":     func(s *storedRegressor) { s.Learned.Scaling.Columns[1] = 2 },
		"inverse":           func(s *storedRegressor) { s.Learned.Scaling.Inverse[0] = -1 },
		"no frequencies":    func(s *storedRegressor) { first(s).W = codec.Matrix{} },
		"hostile matrix":    func(s *storedRegressor) { first(s).W.Rows = math.MaxInt32 },
		"no local":          func(s *storedRegressor) { first(s).V = codec.Matrix{} },
		"weights":           func(s *storedRegressor) { first(s).Coefficients = first(s).Coefficients[1:] },
		"infinite weight":   func(s *storedRegressor) { first(s).Coefficients[0] = math.Inf(1) },
		"factor":            func(s *storedRegressor) { first(s).Factor = first(s).Factor[1:] },
		"factor's diagonal": func(s *storedRegressor) { first(s).Factor[0] = 0 },
		"shape":             func(s *storedRegressor) { first(s).Shape = 0 },
		"rate":              func(s *storedRegressor) { first(s).Rate = math.NaN() },
		"count":             func(s *storedRegressor) { first(s).Mixture[0].N++ },
		"no mixture":        func(s *storedRegressor) { first(s).Mixture = nil },
		"mean of a part":    func(s *storedRegressor) { first(s).Mixture[0].Mu = nil },
		"root of a part":    func(s *storedRegressor) { first(s).Local[0].Root[2] = 0 },
	} {
		assert.ErrorIs(t, try(change), estimators.ErrBadModel, name)
	}

	classes := make([]int, 20)
	for i, l := range labels {
		classes[i] = int(l)
	}
	c := &Classifier{Pairs: 3, Sweeps: 2, Chains: 1}
	require.NoError(t, c.Fit(ctx, x, classes))
	tryClasses := func(change func(s *storedClassifier)) error {
		data, err := c.MarshalBinary()
		require.NoError(t, err)
		var s storedClassifier
		_, err = codec.Unmarshal(data, classifierKind, version, &s)
		require.NoError(t, err)
		change(&s)
		data, err = codec.Marshal(classifierKind, version, s)
		require.NoError(t, err)
		return (&Classifier{}).UnmarshalBinary(data)
	}
	require.NoError(t, tryClasses(func(*storedClassifier) {}))
	for name, change := range map[string]func(s *storedClassifier){
		"one class":    func(s *storedClassifier) { s.Classes = s.Classes[:1] },
		"order":        func(s *storedClassifier) { s.Classes = []int{3, 1} },
		"three":        func(s *storedClassifier) { s.Classes = []int{1, 2, 3} },
		"links":        func(s *storedClassifier) { s.Links = nil },
		"slope":        func(s *storedClassifier) { s.Links[0].Slope = -1 },
		"offset":       func(s *storedClassifier) { s.Links[0].Offset = math.Inf(-1) },
		"likelihood":   func(s *storedClassifier) { s.Likelihood = 7 },
		"no variances": func(s *storedClassifier) { s.Likelihood = int(PolyaGamma) },
	} {
		assert.ErrorIs(t, tryClasses(change), estimators.ErrBadModel, name)
	}
}

// FuzzFit checks that a fit to arbitrary rows with arbitrary fields returns a model or an error.
func FuzzFit(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6}, uint8(2), uint8(3), uint8(0))
	f.Add([]byte{0, 0, 0, 255, 0, 9, 9, 9}, uint8(1), uint8(1), uint8(1))
	f.Add([]byte{200}, uint8(1), uint8(4), uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, width, pairs, kind uint8) {
		d := int(width)%4 + 1
		n := min(len(data)/(d+1), 12)
		if n == 0 {
			return
		}
		x, y := make([]float64, n*d), make([]float64, n)
		value := func(b byte) float64 { return (float64(b) - 128) * math.Pow(10, float64(b%13)-6) }
		for i := range x {
			x[i] = value(data[i])
		}
		for i := range y {
			y[i] = value(data[n*d+i])
		}
		r := &Regressor{Pairs: int(pairs) % 12, Features: Map(kind % 3), Sweeps: 2, Chains: 1, NoScaling: kind%2 == 1, Trend: int(kind) % 4}
		rows := mat.NewDense(n, d, x)
		if err := r.Fit(ctx, rows, y); err != nil {
			return
		}
		if _, _, err := r.PredictVariance(rows); err != nil {
			t.Fatal(err)
		}
	})
}

// A file is rejected if it claims more columns than it has numbers for.
func TestWidthOfAFile(t *testing.T) {
	x, y := mat.NewDense(40, 3, nil), make([]float64, 40)
	for i := range y {
		x.SetRow(i, []float64{float64(i), 7, float64(i * i % 11)})
		y[i] = math.Sin(float64(i))
	}
	r := &Regressor{Pairs: 3, Sweeps: 4, Chains: 1}
	require.NoError(t, r.Fit(ctx, x, y))
	assert.Len(t, r.m.Scaling.Constant, 1)
	assert.InDelta(t, 7, r.m.Scaling.Constant[0], 1e-12, "the mean of the column that is left out")
	s := storedRegressor{Learned: r.m.store(), Mean: r.m.mean, Scale: r.m.scale}
	s.Learned.Scaling.Width = math.MaxInt32
	data, err := codec.Marshal(regressorKind, version, s)
	require.NoError(t, err)
	assert.ErrorIs(t, new(Regressor).UnmarshalBinary(data), estimators.ErrBadModel)
}
