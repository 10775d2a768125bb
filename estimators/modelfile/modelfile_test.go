package modelfile_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/modelfile"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers"
)

var (
	ctx  = context.Background()
	rows = mat.NewDense(6, 2, []float64{0, 1, 1, 0, 2, 3, 3, 2, 4, 5, 5, 4})
	y    = []float64{1, 2, 3, 4, 5, 6}
)

func fittedPipeline(t *testing.T) *pipeline.Regressor {
	t.Helper()
	model := &pipeline.Regressor{
		Steps: []transformers.Transformer{&transformers.StandardScaler{Clip: true}},
		Final: &lssvm.Regressor{Kernel: kernels.Sum{kernels.RBF{Gamma: .5}, kernels.Scaled{Kernel: kernels.Linear{}, Factor: .1}}, Ridge: .1, Seed: 7, Observe: func(estimators.Step) {}},
	}
	require.NoError(t, model.Fit(ctx, rows, y))
	return model
}

func TestAPipelineIsReadWithoutAValue(t *testing.T) {
	model := fittedPipeline(t)
	path := filepath.Join(t.TempDir(), "model.keln")
	require.NoError(t, modelfile.SaveNoted(path, model, modelfile.Notes{Columns: []string{"a", "b"}}))
	got, err := modelfile.Load[*pipeline.Regressor](path)
	require.NoError(t, err)
	want, err := model.Predict(rows)
	require.NoError(t, err)
	have, err := got.Predict(rows)
	require.NoError(t, err)
	assert.Equal(t, want, have)
	model.Final.(*lssvm.Regressor).Observe = nil
	assert.Equal(t, model.Final, got.Final)
	info, err := modelfile.DescribeFile(path)
	require.NoError(t, err)
	t.Log("\n" + info.String())
}
