package selection

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// Golden files stay readable. Their predictions are those of the kernel that was chosen when they were written. A later release may
// choose another.
func TestGoldenFilesStayReadable(t *testing.T) {
	x, y := problemOf(20, 2, 0.1, 1)
	steps := []transformers.Transformer{&scalers.StandardScaler{}}
	r := &Regressor{Preprocess: steps, Search: &entropy.Search{}}
	require.NoError(t, r.Fit(ctx, x, y))
	read := &Regressor{Preprocess: steps, Search: &entropy.Search{}}
	require.NoError(t, read.UnmarshalBinary(golden.Model(t, "Regressor-v1.keln", r.MarshalBinary)))
	p, err := read.Predict(x)
	require.NoError(t, err)
	for i := range p {
		assert.InDelta(t, y[i], p[i], 0.6)
	}
	assert.Equal(t, "entropy", read.Result().Strategy)
	assert.NotEmpty(t, read.Result().Trace)

	labels := make([]int, 20)
	for i, v := range y {
		if v > 0 {
			labels[i] = 3
		}
	}
	c := &Classifier{Preprocess: steps, Search: &entropy.Search{}}
	require.NoError(t, c.Fit(ctx, x, labels))
	readClassifier := &Classifier{Preprocess: steps, Search: &entropy.Search{}}
	require.NoError(t, readClassifier.UnmarshalBinary(golden.Model(t, "Classifier-v1.keln", c.MarshalBinary)))
	assert.Equal(t, []int{0, 3}, readClassifier.Classes())
	proba, err := readClassifier.PredictProba(x)
	require.NoError(t, err)
	assert.InDelta(t, 20, mat.Sum(proba), 1e-9)
}
