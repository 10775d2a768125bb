package selection

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/kernels/families"
)

// A machine with logistic loss joins the machines of a Classifier, and has a share where classes can be separated. It is stored with
// them. With Kinds, and with Groups, there is none.
func TestLogisticPart(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	const n = 150
	x, y, groups := mat.NewDense(n, 3, nil), make([]int, n), make([]int, n)
	for i := range n {
		y[i], groups[i] = i%3, i/3
		for j := range 3 {
			x.Set(i, j, .4*rng.NormFloat64())
		}
		x.Set(i, y[i], 1+x.At(i, y[i]))
	}
	logistic := func(c *Classifier) (out []*falkon.Classifier) {
		require.NoError(t, c.Fit(ctx, x, y))
		for _, m := range c.Models() {
			if f, ok := m.Estimator.(*falkon.Classifier); ok {
				assert.Equal(t, falkon.LogisticLoss, f.Loss)
				assert.True(t, strings.HasSuffix(m.Columns, logisticLabel), m.Columns)
				assert.Greater(t, m.Share, 0.)
				out = append(out, f)
			}
		}
		return out
	}
	c := &Classifier{}
	require.Len(t, logistic(c), 1)
	for _, r := range append(c.Result().Others, c.Result()) {
		if strings.HasSuffix(r.Columns, logisticLabel) {
			assert.Equal(t, n, r.Landmarks)
			assert.Greater(t, r.LeaveOneOut, 0.)
			assert.Less(t, r.LeaveOneOut, .3)
		}
	}
	assert.NotContains(t, c.Result().Columns, logisticLabel, "a search describes the choice")
	want, err := c.PredictProba(x)
	require.NoError(t, err)
	data, err := c.MarshalBinary()
	require.NoError(t, err)
	read := &Classifier{}
	require.NoError(t, read.UnmarshalBinary(data))
	got, err := read.PredictProba(x)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(want, got, 1e-9))

	assert.Empty(t, logistic(&Classifier{Kinds: []families.Family{families.RBF{}}}))
	assert.Empty(t, logistic(&Classifier{Groups: groups}))
}
