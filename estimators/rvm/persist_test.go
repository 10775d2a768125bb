package rvm

import (
	"cmp"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/rvm/internal/basis"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
)

var goldenRows = mat.NewDense(12, 1, []float64{-3, -2.5, -2, -1.5, -1, -0.5, 0.5, 1, 1.5, 2, 2.5, 3})

// Golden files stay readable and give the same predictions as a fit with the current code, up to differences in rounding between
// computers.
func TestGoldenFilesStayReadable(t *testing.T) {
	rounding := map[string]float64{"Regressor-v1.keln": 1e-3, "Classifier-v1.keln": 1e-3} // the choice of lengths amplifies rounding errors
	y := []float64{9.1, 6.2, 4.1, 2.2, 1, 0.2, 0.3, 1.1, 2.2, 4, 6.3, 9}
	at := mat.NewDense(3, 1, []float64{-2.2, 0, 7})
	wide := []kernels.Kernel{kernels.RBF{Gamma: 0.2}, kernels.RBF{Gamma: 2}}
	for name, r := range map[string]*Regressor{
		"Regressor-v1.keln":         {},
		"Regressor-kernels-v1.keln": {Kernels: wide},
		"Regressor-ard-v1.keln":     {Kernel: kernels.RBF{Gamma: 0.2}, InterceptPrior: ARDPrior, NoCalibration: true},
	} {
		require.NoError(t, r.Fit(ctx, goldenRows, y))
		rounding := cmp.Or(rounding[name], 1e-6)
		read := &Regressor{Kernel: r.Kernel, Kernels: r.Kernels}
		require.NoError(t, read.UnmarshalBinary(golden.Model(t, name, r.MarshalBinary)), name)
		mean, variance, err := r.PredictVariance(at)
		require.NoError(t, err)
		gotMean, gotVariance, err := read.PredictVariance(at)
		require.NoError(t, err)
		assert.InDeltaSlice(t, mean, gotMean, rounding, name)
		assert.InDeltaSlice(t, variance, gotVariance, rounding, name)
		assert.Equal(t, r.RelevanceIndices(), read.RelevanceIndices(), name)
		assert.InDelta(t, r.LogEvidence(), read.LogEvidence(), rounding, name)
	}
	for name, c := range map[string]*Classifier{"Classifier-v1.keln": {}, "Classifier-kernels-v1.keln": {Kernels: wide}} {
		rounding := cmp.Or(rounding[name], 1e-6)
		require.NoError(t, c.Fit(ctx, goldenRows, []int{1, 1, 1, 2, 2, 2, 2, 2, 2, 5, 5, 5}))
		read := &Classifier{Kernels: c.Kernels}
		require.NoError(t, read.UnmarshalBinary(golden.Model(t, name, c.MarshalBinary)), name)
		p, err := c.PredictProba(at)
		require.NoError(t, err)
		got, err := read.PredictProba(at)
		require.NoError(t, err)
		assert.True(t, mat.EqualApprox(p, got, rounding), name)
		assert.Equal(t, c.Classes(), read.Classes(), name)
		assert.Equal(t, len(c.Machines()), len(read.Machines()), name)
	}
}

// Models that were fitted to a design matrix, or that have no vectors, can be stored and read. If the kernel of the reading value
// differs, the error names both kernels.
func TestFilesOfOtherKinds(t *testing.T) {
	x, y := wave(60)
	k, err := kernels.Matrix(ctx, kernels.RBF{}, x, nil)
	require.NoError(t, err)
	for _, prior := range []InterceptPrior{FlatPrior, ARDPrior} {
		r := &Regressor{InterceptPrior: prior}
		require.NoError(t, r.FitDesign(ctx, k, y))
		data, err := r.MarshalBinary()
		require.NoError(t, err)
		read := &Regressor{}
		require.NoError(t, read.UnmarshalBinary(data))
		want, err := r.PredictDesign(k)
		require.NoError(t, err)
		got, err := read.PredictDesign(k)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	r := &Regressor{Kernel: kernels.Matern{}}
	require.NoError(t, r.Fit(ctx, x, y))
	data, err := r.MarshalBinary()
	require.NoError(t, err)
	assert.EqualError(t, (&Regressor{}).UnmarshalBinary(data), "rvm.Regressor: bad model data: fitted with Kernel Matern(nu=1.5, length=1), this value has Kernel nil")

	constant := &Regressor{}
	require.NoError(t, constant.Fit(ctx, x, make([]float64, 60)))
	data, err = constant.MarshalBinary()
	require.NoError(t, err)
	read := &Regressor{}
	require.NoError(t, read.UnmarshalBinary(data))
	assert.True(t, math.IsInf(read.LogEvidence(), 1))

	classes, labels := blobs(60, 3, 1)
	kc, err := kernels.Matrix(ctx, kernels.RBF{}, classes, nil)
	require.NoError(t, err)
	c := &Classifier{}
	require.NoError(t, c.FitDesign(ctx, kc, labels))
	data, err = c.MarshalBinary()
	require.NoError(t, err)
	readClasses := &Classifier{}
	require.NoError(t, readClasses.UnmarshalBinary(data))
	want, err := c.PredictProbaDesign(kc)
	require.NoError(t, err)
	got, err := readClasses.PredictProbaDesign(kc)
	require.NoError(t, err)
	assert.True(t, mat.Equal(want, got))
}

// oneVector returns the support that consists of one relevance vector.
func oneVector() basis.Stored {
	return basis.Stored{
		Kernel: kernels.MakeReference(nil, kernels.RBF{}), Width: 1, Vectors: codec.Matrix{Rows: 1, Cols: 1, Data: []float64{2}}, Rows: []int{3}, Columns: []int{3},
	}
}

func TestHostilePayloads(t *testing.T) {
	inf := math.Inf(1)
	model := func() storedModel { // with a column of ones
		return storedModel{
			Support: oneVector(), Coefficients: []float64{1, 2}, Alphas: []float64{1, 2}, Cov: []float64{1, 0, 1}, Means: []float64{0, 0},
			Noise: 1, Evidence: []float64{-3}, Objective: []float64{3},
		}
	}
	try := func(s storedModel) error {
		data, err := codec.Marshal(regressorKind, version, s)
		require.NoError(t, err)
		return (&Regressor{}).UnmarshalBinary(data)
	}
	require.NoError(t, try(model()))
	for name, change := range map[string]func(s *storedModel){
		"width":           func(s *storedModel) { s.Support.Width = 0 },
		"coefficients":    func(s *storedModel) { s.Coefficients = s.Coefficients[:1] },
		"alphas":          func(s *storedModel) { s.Alphas = nil },
		"means":           func(s *storedModel) { s.Means = []float64{1} },
		"covariance":      func(s *storedModel) { s.Cov = s.Cov[:2] },
		"infinite":        func(s *storedModel) { s.Coefficients[0] = inf },
		"infinite cov":    func(s *storedModel) { s.Cov[2] = inf },
		"intercept":       func(s *storedModel) { s.Intercept = inf },
		"noise":           func(s *storedModel) { s.Noise = -1 },
		"spread":          func(s *storedModel) { s.Spread = math.NaN() },
		"evidence":        func(s *storedModel) { s.Evidence = []float64{math.NaN()} },
		"no evidence":     func(s *storedModel) { s.Evidence = nil },
		"objective":       func(s *storedModel) { s.Objective = nil },
		"negative":        func(s *storedModel) { s.Support.Columns = []int{-1} },
		"vectors":         func(s *storedModel) { s.Support.Vectors = codec.Matrix{} },
		"vector width":    func(s *storedModel) { s.Support.Vectors = codec.Matrix{Rows: 1, Cols: 2, Data: []float64{2, 2}} },
		"infinite vector": func(s *storedModel) { s.Support.Vectors.Data[0] = inf },
		"rows":            func(s *storedModel) { s.Support.Rows = []int{1, 2} },
		"order": func(s *storedModel) {
			s.Support.Columns, s.Support.Rows = []int{9, 3}, nil
			s.Support.Vectors = codec.Matrix{Rows: 2, Cols: 1, Data: []float64{2, 3}}
		},
		"short calibration":   func(s *storedModel) { s.Calibration = []float64{1, 2, 3} },
		"calibration below 1": func(s *storedModel) { s.Calibration = []float64{0.5, 0, 0, 0} },
		"negative scale":      func(s *storedModel) { s.Calibration = []float64{1, -1, 0, 0} },
		"edge beyond the end": func(s *storedModel) { s.Calibration = []float64{1, 1, 2, 0} },
		"infinite span":       func(s *storedModel) { s.Calibration = []float64{1, 1, 0, inf} },
		"two of ones":         func(s *storedModel) { s.Support.Columns, s.Support.Rows, s.Support.Vectors = nil, nil, codec.Matrix{} },
		"matrix":              func(s *storedModel) { s.Support.Design = true },
		"beyond":              func(s *storedModel) { s.Support.Design, s.Support.Vectors, s.Support.Rows = true, codec.Matrix{}, nil },
		"kernel":              func(s *storedModel) { s.Support.Kernel = kernels.MakeReference(kernels.Linear{}, kernels.Linear{}) },
	} {
		s := model()
		change(&s)
		assert.ErrorIs(t, try(s), estimators.ErrBadModel, name)
	}
}

func TestHostileClassPayloads(t *testing.T) {
	inf := math.Inf(1)
	classes := func() storedClassification {
		return storedClassification{
			Support: oneVector(), Labels: []int{1, 2}, Machines: []storedMachine{{Members: []int{0}, Coefficients: []float64{1}, Alphas: []float64{1}, Cov: []float64{1, 0, 1}}},
		}
	}
	tryClasses := func(s storedClassification) error {
		data, err := codec.Marshal(classifierKind, 1, s)
		require.NoError(t, err)
		return (&Classifier{}).UnmarshalBinary(data)
	}
	require.NoError(t, tryClasses(classes()))
	for name, change := range map[string]func(s *storedClassification){
		"labels":     func(s *storedClassification) { s.Labels = []int{2, 1} },
		"one class":  func(s *storedClassification) { s.Labels = []int{2} },
		"machines":   func(s *storedClassification) { s.Labels = []int{1, 2, 3} },
		"width":      func(s *storedClassification) { s.Support.Width = 0 },
		"columns":    func(s *storedClassification) { s.Support.Columns = []int{-1} },
		"vectors":    func(s *storedClassification) { s.Support.Vectors = codec.Matrix{} },
		"bad vector": func(s *storedClassification) { s.Support.Vectors.Data[0] = inf },
		"rows":       func(s *storedClassification) { s.Support.Rows = []int{1, 2} },
		"matrix":     func(s *storedClassification) { s.Support.Design = true },
		"beyond": func(s *storedClassification) {
			s.Support.Design, s.Support.Vectors, s.Support.Rows = true, codec.Matrix{}, nil
		},
		"covariance":   func(s *storedClassification) { s.Machines[0].Cov = nil },
		"coefficients": func(s *storedClassification) { s.Machines[0].Coefficients = nil },
		"infinite":     func(s *storedClassification) { s.Machines[0].Alphas[0] = inf },
		"intercept":    func(s *storedClassification) { s.Machines[0].Intercept = inf },
		"member":       func(s *storedClassification) { s.Machines[0].Members[0] = 1 },
		"negative":     func(s *storedClassification) { s.Machines[0].Members[0] = -1 },
		"another kernel": func(s *storedClassification) {
			s.Support.Kernel = kernels.MakeReference(kernels.Linear{}, kernels.Linear{})
		},
	} {
		s := classes()
		change(&s)
		assert.ErrorIs(t, tryClasses(s), estimators.ErrBadModel, name)
	}
}

// FuzzFit fits to arbitrary rows and targets, and checks that a fit returns a documented error or a finite model.
func FuzzFit(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, uint8(1), uint8(0))
	f.Add([]byte{255, 0, 255, 0, 1, 1, 1, 1, 9, 9, 9, 9}, uint8(2), uint8(1))
	f.Fuzz(func(t *testing.T, raw []byte, columns, way uint8) {
		d := 1 + int(columns)%3
		n := min(len(raw)/(d+1), 20)
		if n == 0 {
			return
		}
		x, y, labels := mat.NewDense(n, d, nil), make([]float64, n), make([]int, n)
		for i := range n {
			for j := range d {
				x.Set(i, j, math.Sinh(float64(int8(raw[i*(d+1)+j]))/4))
			}
			labels[i] = int(raw[i*(d+1)+d]) % 3
			y[i] = float64(int8(raw[i*(d+1)+d]))
		}
		r := intercepts[way%3]
		if err := r.Fit(ctx, x, y); err != nil && !errors.Is(err, estimators.ErrNotFinite) && !errors.Is(err, estimators.ErrNotPSD) {
			t.Fatal(err)
		} else if err == nil {
			mean, variance, err := r.PredictVariance(x)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range variance {
				if !(v >= 0) || !check.IsFinite(mean[i]) {
					t.Fatalf("row %d: mean %v, variance %v", i, mean[i], v)
				}
			}
		}
		c := &Classifier{}
		if err := c.Fit(ctx, x, labels); err != nil {
			if !errors.Is(err, estimators.ErrShape) && !errors.Is(err, estimators.ErrNotFinite) && !errors.Is(err, estimators.ErrNotPSD) {
				t.Fatal(err)
			}
			return
		}
		if _, err := c.PredictProba(x); err != nil {
			t.Fatal(err)
		}
	})
}
