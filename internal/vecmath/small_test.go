package vecmath_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kernelearn/kernelearn/internal/vecmath"
)

func TestDotAndSquaredDistance(t *testing.T) {
	x, z := []float64{1, -2, 3}, []float64{4, 5, -6}
	assert.Equal(t, 4.-10-18, vecmath.Dot(x, z))
	assert.Equal(t, 9.+49+81, vecmath.SquaredDistance(x, z))
	assert.Zero(t, vecmath.Dot(nil, nil))
	assert.Equal(t, -1.0, vecmath.Sum([]float64{1e100, 1, -1e100, -1}), "in their order")
}

func TestSigmoid(t *testing.T) {
	assert.Equal(t, .5, vecmath.Sigmoid(0))
	assert.InDelta(t, 0.7310585786300049, vecmath.Sigmoid(1), 1e-16)
	for _, v := range []float64{.3, 2, 40, 800, math.Inf(1)} {
		assert.InDelta(t, 1, vecmath.Sigmoid(v)+vecmath.Sigmoid(-v), 1e-15, "%v", v)
	}
	assert.InEpsilon(t, math.Exp(-700), vecmath.Sigmoid(-700), 1e-14, "small ones keep their digits")
}

func TestSoftplus(t *testing.T) {
	assert.InDelta(t, math.Ln2, vecmath.Softplus(0), 1e-16)
	assert.InDelta(t, 1.3132616875182228, vecmath.Softplus(1), 1e-15)
	assert.Equal(t, 800., vecmath.Softplus(800))
	assert.InEpsilon(t, math.Exp(-700), vecmath.Softplus(-700), 1e-14, "small ones keep their digits")
}

func TestSoftmax(t *testing.T) {
	z := []float64{math.Log(1), math.Log(2), math.Log(5)}
	assert.InDelta(t, math.Log(8), vecmath.Softmax(z), 1e-15)
	assert.InDeltaSlice(t, []float64{.125, .25, .625}, z, 1e-15)
	z = []float64{1000, 1000 + math.Log(3)}
	assert.InDelta(t, 1000+math.Log(4), vecmath.Softmax(z), 1e-12)
	assert.InDeltaSlice(t, []float64{.25, .75}, z, 1e-13)
}
