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
	"github.com/kernelearn/kernelearn/internal/badtext"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// latin is a kernel whose name is not UTF-8.
type latin struct{ kernels.RBF }

func (latin) String() string { return badtext.Text }

// A model whose notes, settings or kernel names are not UTF-8 is rejected before a file is written.
func TestTextsAreUTF8(t *testing.T) {
	ctx, x := context.Background(), mat.NewDense(4, 2, []float64{1, 2, 2, 1, 3, 5, 4, 4})
	path := filepath.Join(t.TempDir(), "model")
	model := &lssvm.Classifier{}
	require.NoError(t, model.Fit(ctx, x, []int{0, 1, 0, 1}))
	notes := modelfile.Notes{Columns: []string{"a", "b"}, Classes: []string{"no", "yes"}, Comment: "ä"}
	require.NoError(t, modelfile.SaveNoted(path, model, notes))
	n := badtext.ForEachField(&notes, func(field string) {
		err := modelfile.SaveNoted(path, model, notes)
		require.ErrorIs(t, err, estimators.ErrParam, field)
		assert.ErrorContains(t, err, `"j\xe4", want UTF-8`)
		_, err = modelfile.Load[*lssvm.Classifier](path) // the previous file still exists
		require.NoError(t, err)
	})
	assert.Equal(t, 5, n)

	named := &pipeline.Regressor{Steps: []transformers.Transformer{&pipeline.Transformer{Name: badtext.Text, Steps: []transformers.Transformer{&scalers.StandardScaler{}}}}, Final: &lssvm.Regressor{}}
	require.NoError(t, named.Fit(ctx, x, []float64{1, 2, 3, 4}))
	err := modelfile.Save(path, named)
	require.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorContains(t, err, "Name")

	odd := &lssvm.Regressor{Kernel: latin{kernels.RBF{Gamma: 1}}}
	require.NoError(t, odd.Fit(ctx, x, []float64{1, 2, 3, 4}))
	_, err = odd.MarshalBinary()
	require.ErrorIs(t, err, estimators.ErrParam)
}
