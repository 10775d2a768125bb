package distinct

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDiffer(t *testing.T) {
	assert.InDelta(t, 4./6, Differ([]float64{7, 7, 1, 1}), 1e-15, "four of six pairs")
	assert.Equal(t, 1., Differ([]float64{1, 2, 3}))
	assert.Zero(t, Differ([]float64{5, 5, 5}))
	assert.Zero(t, Differ([]float64{5}))
}

func TestMostCommon(t *testing.T) {
	values := []float64{0, 2, 0, 1, 0}
	assert.Equal(t, .6, MostCommon(values, nil))
	assert.Equal(t, .5, MostCommon(values, []float64{1, 4, 1, 1, 1}))
	assert.Zero(t, MostCommon(nil, nil))
}
