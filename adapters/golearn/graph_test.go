package golearn_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/graph"
)

// The columns of the graph are those of the estimator's matrix: temperature, grey and sunny.
func TestGraphOfFitted(t *testing.T) {
	rows := mat.NewDense(2, 3, []float64{21, 0, 1, 8, 1, 0})
	c := &golearn.Classifier{Estimator: &lssvm.Classifier{}}
	g, x := graph.New(3)
	_, err := graph.Build(c, x)
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
	require.NoError(t, c.Fit(parse(weather)))
	out, err := graph.Build(c, x)
	require.NoError(t, err)
	assert.Equal(t, []int{0, 1}, out.Classes, "indices of %v", c.Labels())
	want, err := c.Fitted().(*lssvm.Classifier).PredictProba(rows)
	require.NoError(t, err)
	got, err := g.Run(rows, out.Proba)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(want, got[0], 1e-12))
	_, narrow := graph.New(2)
	_, err = graph.Build(c, narrow)
	assert.ErrorIs(t, err, estimators.ErrShape)

	r := &golearn.Regressor{Estimator: &ridge.Regressor{}}
	_, err = graph.Build(r, x)
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
	require.NoError(t, r.Fit(parse("a,b,y\n1,2,3\n2,1,5\n4,4,1\n5,1,2\n")))
	g, x = graph.New(2)
	out, err = graph.Build(r, x)
	require.NoError(t, err)
	two := mat.NewDense(1, 2, []float64{3, 3})
	y, err := r.Fitted().Predict(two)
	require.NoError(t, err)
	got, err = g.Run(two, out.Mean)
	require.NoError(t, err)
	assert.InDelta(t, y[0], got[0].At(0, 0), 1e-12)

	for _, m := range []any{&golearn.Pipeline{}, &golearn.Bagging{}, &golearn.Refitted{}} {
		_, err = graph.Build(m, x)
		assert.ErrorIs(t, err, errors.ErrUnsupported, "%T reads grids", m)
	}
}
