package estimatortest_test

import (
	"math"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/conformal"
	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/estimators/gabasr"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/testkit/filefuzz"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

// rewritten returns a file after change has modified the fields of its payload.
func rewritten(t *testing.T, data []byte, kind string, version int, change func(fields map[string]any)) []byte {
	t.Helper()
	fields := map[string]any{}
	body := data[16+int(data[5]) : len(data)-32]
	require.NoError(t, cbor.Unmarshal(body, &fields))
	change(fields)
	out, err := codec.Marshal(kind, version, fields)
	require.NoError(t, err)
	return out
}

func marshalled(t *testing.T, e interface{ MarshalBinary() ([]byte, error) }) []byte {
	t.Helper()
	data, err := e.MarshalBinary()
	require.NoError(t, err)
	return data
}

// Each file that the fuzzing campaign found is rejected, or decoded to a value that works.
func TestFilesThatWereFound(t *testing.T) {
	ctx := t.Context()
	x, y, labels := rowsOfFiles()

	t.Run("rows that are none", func(t *testing.T) { // was a panic
		c := &conformal.Classifier{Estimator: &lssvm.Classifier{Ridge: .1}, Method: conformal.Split}
		require.NoError(t, c.Fit(ctx, x, labels))
		data := rewritten(t, marshalled(t, c), "conformal.Classifier", 1, func(f map[string]any) { f["Rows"] = codec.Matrix{} })
		require.ErrorIs(t, c.UnmarshalBinary(data), estimators.ErrBadModel)
		r := &conformal.Regressor{Estimator: &lssvm.Regressor{Ridge: .1}, Method: conformal.Split}
		require.NoError(t, r.Fit(ctx, x, y))
		data = rewritten(t, marshalled(t, r), "conformal.Regressor", 1, func(f map[string]any) { f["Rows"] = codec.Matrix{} })
		require.ErrorIs(t, r.UnmarshalBinary(data), estimators.ErrBadModel)
	})

	t.Run("a width without rows", func(t *testing.T) { // allocated 17 GB
		wide := &eem.Classifier{Units: 3, Activation: featuremap.Tanh} // a classifier whose units depend only on the width
		stages, err := wide.NewStages()
		require.NoError(t, err)
		s, err := stages.NewStatistics()
		require.NoError(t, err)
		require.NoError(t, s.AddBlock(ctx, streaming.Block[int]{X: x, Y: labels}))
		data := rewritten(t, marshalled(t, s), "eem.Classifier statistics", 1, func(f map[string]any) { f["Width"] = math.MaxInt32 })
		fresh, err := stages.NewStatistics()
		require.NoError(t, err)
		subject := &filefuzz.Subject{Name: "statistics", New: func() any { return fresh }, Files: [][]byte{marshalled(t, s)}}
		require.NoError(t, subject.Prepare())
		if _, err := subject.Check(data); err != nil {
			t.Error(err)
		}
	})

	t.Run("a width without means", func(t *testing.T) { // a few bytes can claim any number of columns
		constant := mat.DenseCopyOf(x)
		for i := range y {
			constant.Set(i, 1, 3)
		}
		r := &gabasr.Regressor{Pairs: 3, Sweeps: 4}
		require.NoError(t, r.Fit(ctx, constant, y))
		data := rewritten(t, marshalled(t, r), "gabasr.Regressor", 1, func(f map[string]any) {
			delete(f["Learned"].(map[any]any)["Scaling"].(map[any]any), "Constant")
		})
		require.ErrorIs(t, new(gabasr.Regressor).UnmarshalBinary(data), estimators.ErrBadModel)
	})

	t.Run("a Result of another choice", func(t *testing.T) { // it was accepted, but then encoded to a file that was rejected
		r := &selection.Regressor{Search: &grid.Search{Points: 3}}
		require.NoError(t, r.Fit(ctx, x, y))
		data := rewritten(t, marshalled(t, r), "selection.Regressor", 1, func(f map[string]any) { f["Result"] = []byte("{}") })
		require.ErrorIs(t, (&selection.Regressor{Search: &grid.Search{Points: 3}}).UnmarshalBinary(data), estimators.ErrBadModel)
	})

	t.Run("coefficients that overflow", func(t *testing.T) { // gave infinite predictions
		r := &lssvm.Regressor{Kernel: kernels.RBF{Gamma: .5}, Ridge: .1}
		require.NoError(t, r.Fit(ctx, x, y))
		n, _ := x.Dims()
		huge := codec.Matrix{Rows: n, Cols: 1, Data: make(codec.Floats, n)}
		for i := range n {
			huge.Data[i] = 1e308
		}
		data := rewritten(t, marshalled(t, r), "lssvm.Regressor", 1, func(f map[string]any) { f["Alpha"] = huge })
		if err := r.UnmarshalBinary(data); err != nil {
			require.ErrorIs(t, err, estimators.ErrBadModel)
			return
		}
		_, err := r.Predict(mat.DenseCopyOf(x))
		require.ErrorIs(t, err, estimators.ErrNotFinite)
	})

	t.Run("statistics have a name", func(t *testing.T) { // was a panic
		for _, s := range fileSubjects(t) {
			if named, ok := s.New().(interface{ String() string }); ok {
				assert.NotEmpty(t, named.String(), s.Name)
			}
		}
	})
}
