package toy_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/testkit/toy"
)

// Package estimatortest runs the conformance suite on both types. The tests here check their computations.

var line = mat.NewDense(4, 1, []float64{0, 1, 2, 3})

func TestRidgeOnALine(t *testing.T) {
	r := &toy.Ridge{Penalty: 1e-12}
	require.NoError(t, r.Fit(context.Background(), line, []float64{1, 3, 5, 7}))
	got, err := r.Predict(mat.NewDense(1, 1, []float64{10}))
	require.NoError(t, err)
	assert.InDelta(t, 21, got[0], 1e-9)
	assert.True(t, estimators.Supports(r, estimators.Variance))
}

func TestCentroidOnALine(t *testing.T) {
	c := &toy.Centroid{}
	require.NoError(t, c.Fit(context.Background(), line, []int{5, 5, -1, -1}))
	got, err := c.Predict(mat.NewDense(2, 1, []float64{1.4, 1.6}))
	require.NoError(t, err)
	assert.Equal(t, []int{5, -1}, got)
	p, err := c.PredictProba(mat.NewDense(1, 1, []float64{1.5}))
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{0.5, 0.5}, p.RawRowView(0), 1e-15)
}
