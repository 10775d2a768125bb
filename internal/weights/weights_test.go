package weights_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kernelearn/kernelearn/internal/weights"
)

func TestAt(t *testing.T) {
	assert.EqualValues(t, 1, weights.Weight(nil, 3))
	assert.EqualValues(t, 5, weights.Weight([]float64{2, 5}, 1))
}

// Results for weighted rows agree with those for repeated rows.
func TestCounts(t *testing.T) {
	w, v := []float64{1, 3, 2}, []float64{4, -1, 7}
	repeated := []float64{4, -1, -1, -1, 7, 7}
	c, plain := weights.NewCounts(w, 3), weights.NewCounts(nil, 6)
	assert.EqualValues(t, 6, c.Total)
	assert.EqualValues(t, 6, plain.Total)
	assert.InDelta(t, 3, c.Weight(1), 1e-15)
	assert.EqualValues(t, 1, plain.Root(2))
	counted := append([]float64(nil), v...)
	c.Apply(counted)
	dot := func(v []float64) (sum float64) {
		for _, a := range v {
			sum += a * a
		}
		return sum
	}
	assert.InDelta(t, dot(repeated), dot(counted), 1e-12)
	assert.InDelta(t, plain.Centre(repeated), c.Centre(counted), 1e-15)
	assert.InDelta(t, dot(repeated), dot(counted), 1e-12)
	c.Undo(counted)
	assert.InDelta(t, repeated[5], counted[2], 1e-14)
	far := []float64{1e12, 1e12 + 1, 1e12 + 3}
	assert.InDelta(t, 1e12+4.0/3, weights.NewCounts(nil, 3).Centre(far), 1e-3)
	assert.InDelta(t, 0, far[0]+far[1]+far[2], 1e-3)
	assert.False(t, math.IsNaN(far[0]))
}
