package svm

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/kernels"
)

// A file contains only those training rows that are support vectors.
func TestFilesHoldSupportVectors(t *testing.T) {
	x, y := blobs(300, 2, 0.2, 1)
	c := &Classifier{Kernel: kernels.RBF{Gamma: 0.5}}
	require.NoError(t, c.Fit(ctx, x, y))
	data, err := c.MarshalBinary()
	require.NoError(t, err)
	require.Less(t, len(c.SupportIndices()), 100)
	assert.Less(t, len(data), 600+len(c.SupportIndices())*(3*8+3))
}

func TestUnmarshalChecksTheKernel(t *testing.T) {
	x, y := blobs(12, 2, 0.3, 1)
	c := &Classifier{Kernel: kernels.RBF{Gamma: 0.5}}
	require.NoError(t, c.Fit(ctx, x, y))
	data, err := c.MarshalBinary()
	require.NoError(t, err)
	for _, k := range []kernels.Kernel{nil, kernels.RBF{Gamma: 2}, kernels.Linear{}} {
		assert.ErrorIs(t, (&Classifier{Kernel: k}).UnmarshalBinary(data), estimators.ErrBadModel)
	}
	assert.ErrorIs(t, (&Regressor{Kernel: c.Kernel}).UnmarshalBinary(data), estimators.ErrBadModel)
}

func TestHostilePayloads(t *testing.T) {
	x, y := blobs(12, 3, 0.3, 1)
	c := &Classifier{Probabilities: true}
	require.NoError(t, c.Fit(ctx, x, y))
	good, err := c.MarshalBinary()
	require.NoError(t, err)
	for name, change := range map[string]func(s *storedClassifier){
		"order":       func(s *storedClassifier) { s.Classes = []int{10, 30, 20} },
		"one class":   func(s *storedClassifier) { s.Classes = []int{10} },
		"four":        func(s *storedClassifier) { s.Classes = []int{10, 20, 30, 40} },
		"slopes":      func(s *storedClassifier) { s.Slopes = s.Slopes[1:] },
		"offsets":     func(s *storedClassifier) { s.Offsets = nil },
		"falling":     func(s *storedClassifier) { s.Slopes[1] = -1 },
		"infinite":    func(s *storedClassifier) { s.Offsets[1] = math.Inf(1) },
		"width":       func(s *storedClassifier) { s.Machine.Width = 3 },
		"no width":    func(s *storedClassifier) { s.Machine.Width = 0 },
		"indices":     func(s *storedClassifier) { s.Machine.Indices[0] = s.Machine.Indices[1] },
		"negative":    func(s *storedClassifier) { s.Machine.Indices[0] = -1 },
		"fewer":       func(s *storedClassifier) { s.Machine.Indices = s.Machine.Indices[1:] },
		"vectors":     func(s *storedClassifier) { s.Machine.Vectors = codec.Matrix{} },
		"coefficient": func(s *storedClassifier) { s.Machine.Entries.Values[0] = math.NaN() },
		"nothing":     func(s *storedClassifier) { s.Machine.Entries.Values[0] = 0 },
		"no vector":   func(s *storedClassifier) { s.Machine.Entries.At[0] = len(s.Machine.Indices) },
		"no entry":    func(s *storedClassifier) { s.Machine.Entries.At[0] = -1 },
		"twice":       func(s *storedClassifier) { s.Machine.Entries.At[1] = s.Machine.Entries.At[0] },
		"too many":    func(s *storedClassifier) { s.Machine.Entries.Counts[1]++ },
		"too few":     func(s *storedClassifier) { s.Machine.Entries.Counts[2]-- },
		"below":       func(s *storedClassifier) { s.Machine.Entries.Counts[0] = -1 },
		"sizes":       func(s *storedClassifier) { s.Machine.Entries.At = s.Machine.Entries.At[1:] },
		"machines":    func(s *storedClassifier) { s.Machine.Entries.Counts = s.Machine.Entries.Counts[1:] },
		"intercepts":  func(s *storedClassifier) { s.Machine.Intercepts = s.Machine.Intercepts[1:] },
		"intercept":   func(s *storedClassifier) { s.Machine.Intercepts[0] = math.Inf(-1) },
		"objective":   func(s *storedClassifier) { s.Machine.Report.Objective = math.NaN() },
		"matrix":      func(s *storedClassifier) { s.Machine.Matrix = true },
		"beyond": func(s *storedClassifier) {
			s.Machine.Matrix, s.Machine.Vectors, s.Machine.Width = true, codec.Matrix{}, s.Machine.Indices[len(s.Machine.Indices)-1]
		},
	} {
		var s storedClassifier
		_, err := codec.Unmarshal(good, classifierKind, version, &s)
		require.NoError(t, err)
		change(&s)
		data, err := codec.Marshal(classifierKind, version, s)
		require.NoError(t, err)
		assert.ErrorIs(t, (&Classifier{}).UnmarshalBinary(data), estimators.ErrBadModel, name)
	}
}

// FuzzFit fits rows of arbitrary bits. Every model predicts finite numbers, and every error is one of the documented ones.
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
	f.Add(uint8(1), uint8(2), seed(7, 7, 7, 7, 7, 7, 7, 7))
	f.Add(uint8(1), uint8(1), seed(1e150, 1, 2e150, 2, 3e150, 3, -1e150, 5))
	f.Fuzz(func(t *testing.T, columns, kernel uint8, data []byte) {
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
		k := []kernels.Kernel{nil, kernels.Linear{}, kernels.Tanh{Gamma: 1, Coef0: -1}}[kernel%3]
		r := &Regressor{Kernel: k, Workers: 1, MaxIterations: 20000, CacheBytes: int64(columns / 3)}
		if err := r.Fit(ctx, x, y); err != nil {
			documented(t, err)
		} else {
			mean, err := r.Predict(x)
			if err != nil {
				documented(t, err)
			}
			for _, v := range mean {
				assert.Zero(t, v-v, "%v is not finite", v)
			}
		}
		c := &Classifier{Kernel: k, Workers: 1, MaxIterations: 20000, CacheBytes: int64(columns / 3), Probabilities: true}
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
			assert.InDelta(t, 1, floats.Sum(p.RawRowView(i)), 1e-9)
		}
	})
}

func documented(t *testing.T, err error) {
	t.Helper()
	for _, known := range []error{estimators.ErrShape, estimators.ErrNotFinite} {
		if errors.Is(err, known) {
			return
		}
	}
	t.Errorf("%v is not a documented error", err)
}
