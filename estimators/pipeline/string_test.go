package pipeline

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

func TestString(t *testing.T) {
	x, y := mat.NewDense(4, 2, []float64{1, 2, 3, 5, 8, 1, 0, 4}), []float64{1, 2, 3, 5}
	inner := &Transformer{Steps: []transformers.Transformer{&scalers.StandardScaler{}}}
	columns := &ColumnTransformer{Parts: []ColumnPart{{Columns: []int{1}, Of: &scalers.RMSScaler{}}, {Columns: []int{0}}}}
	r := &Regressor{Steps: []transformers.Transformer{inner, columns}, Final: &ridge.Regressor{}}
	assert.Equal(t, "pipeline.Regressor(pipeline.Transformer(scalers.StandardScaler; not fitted), "+
		"pipeline.ColumnTransformer([1]: scalers.RMSScaler, [0]: as they are; not fitted), ridge.Regressor; not fitted)", fmt.Sprint(r))
	require.NoError(t, inner.Fit(t.Context(), x))
	require.NoError(t, columns.Fit(t.Context(), x.Slice(0, 4, 0, 2)))
	assert.Equal(t, "pipeline.Transformer(scalers.StandardScaler; fitted on 2 columns)", fmt.Sprint(inner))
	assert.Equal(t, "pipeline.ColumnTransformer([1]: scalers.RMSScaler, [0]: as they are; fitted on 2 columns)", fmt.Sprint(columns))

	c := &Classifier{Final: &lssvm.Classifier{Ridge: 1}}
	assert.Equal(t, "pipeline.Classifier(lssvm.Classifier; not fitted)", fmt.Sprint(c))
	require.NoError(t, c.Fit(t.Context(), x.Slice(0, 4, 0, 1), []int{0, 1, 0, 1}))
	assert.Equal(t, "pipeline.Classifier(lssvm.Classifier; fitted on 1 column)", fmt.Sprint(c))
	data, err := c.MarshalBinary()
	require.NoError(t, err)
	read := &Classifier{Final: &lssvm.Classifier{}}
	require.NoError(t, read.UnmarshalBinary(data))
	assert.Contains(t, fmt.Sprint(read), "fitted on 1 column)")

	m := &MultiRegressor{}
	assert.Equal(t, "pipeline.MultiRegressor(no Final; not fitted)", fmt.Sprint(m))
	m.Final = &ridge.MultiRegressor{Ridge: 1}
	require.NoError(t, m.Fit(t.Context(), x, mat.NewDense(4, 1, y)))
	assert.Equal(t, "pipeline.MultiRegressor(ridge.MultiRegressor; fitted on 2 columns)", fmt.Sprint(m))
}

// The columns that Final receives have the names that the steps return for them.
func TestFeatureNamesOfAPipeline(t *testing.T) {
	x, y := mat.NewDense(4, 2, []float64{1, 2, 3, 5, 8, 1, 0, 4}), []float64{1, 2, 3, 5}
	r := &Regressor{Steps: []transformers.Transformer{&columnwise.OneHot{Columns: []int{1}}, &scalers.StandardScaler{}}, Final: &ridge.Regressor{}}
	_, err := r.FeatureNames(nil)
	require.ErrorIs(t, err, fault.ErrNotFitted)
	require.NoError(t, r.Fit(t.Context(), x, y))
	names, err := r.FeatureNames([]string{"age", "make"})
	require.NoError(t, err)
	assert.Equal(t, []string{"age", "make=1", "make=2", "make=4", "make=5"}, names)
	assert.Len(t, r.FittedFinal().(*ridge.Regressor).Coefficients(), len(names))
	_, err = r.FeatureNames([]string{"age"})
	assert.ErrorIs(t, err, fault.ErrShape)
}
