package stack

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A model is hopeless if its error is larger in most rows, but not if it is larger in a single row.
func TestHopeless(t *testing.T) {
	best, worse, outlier := make([]float64, 100), make([]float64, 100), make([]float64, 100)
	for i := range best {
		best[i], worse[i], outlier[i] = .1, .1+.1*float64(i%3), .1
	}
	outlier[7] = 3
	assert.True(t, Hopeless(worse, best, true))
	assert.False(t, Hopeless(outlier, best, true))
	assert.False(t, Hopeless(best, best, true))
	assert.False(t, Hopeless(nil, best, true), "without any information")

	sure, unsure := make([]float64, 100), make([]float64, 100)
	for i := range sure {
		sure[i], unsure[i] = .9, .5+.1*float64(i%2)
	}
	assert.True(t, Hopeless(unsure, sure, false))
	assert.False(t, Hopeless(sure, unsure, false))
	assert.InDelta(t, 36.04, Loss(0, false), .01)
}
