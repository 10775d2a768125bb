package sampler

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/weights"
)

// The mean and variance of PG(1, z) are tanh(z/2)/2z and (sinh z - z)/(4z³cosh²(z/2)).
func TestPolyaGammaMoments(t *testing.T) {
	const draws = 200000
	for _, z := range []float64{0, 0.3, 1, 3, 3.5, 8, 40} {
		rng := rand.New(rand.NewPCG(4, math.Float64bits(z)))
		sum, square := 0.0, 0.0
		for range draws {
			v := polyaGamma(z, rng)
			sum, square = sum+v/draws, square+v*v/draws
		}
		mean, variance := 0.25, 1.0/24
		if z > 0 {
			mean = math.Tanh(z/2) / (2 * z)
			variance = (math.Tanh(z/2)*2 - z/math.Pow(math.Cosh(z/2), 2)) / (4 * z * z * z)
		}
		assert.InDelta(t, mean, sum, 5*math.Sqrt(variance/draws), "mean at %v", z)
		assert.InDelta(t, variance, square-sum*sum, 0.03*variance, "variance at %v", z)
	}
}

// Wishart(dof, b⁻¹) has the mean dof·b⁻¹, and its diagonal elements have the variance 2·dof·b⁻¹².
func TestWishartMoments(t *testing.T) {
	const draws, dof = 40000, 4.5
	b := mat.NewSymDense(3, []float64{2, 0.5, 0.1, 0.5, 1, -0.3, 0.1, -0.3, 1.5})
	var inverse mat.Dense
	assert.NoError(t, inverse.Inverse(b))
	rng := rand.New(rand.NewPCG(9, 9))
	mean, square := mat.NewDense(3, 3, nil), mat.NewDense(3, 3, nil)
	for range draws {
		l := wishart(ctx, dof, b, rng)
		var w mat.Dense
		w.Mul(l, l.T())
		for i := range 3 {
			for j := range 3 {
				mean.Set(i, j, mean.At(i, j)+w.At(i, j)/draws)
				square.Set(i, j, square.At(i, j)+w.At(i, j)*w.At(i, j)/draws)
			}
		}
	}
	for i := range 3 {
		for j := range 3 {
			v := inverse.At(i, j)
			variance := dof * (v*v + inverse.At(i, i)*inverse.At(j, j))
			assert.InDelta(t, dof*v, mean.At(i, j), 5*math.Sqrt(variance/draws))
			assert.InDelta(t, variance, square.At(i, j)-mean.At(i, j)*mean.At(i, j), 0.06*variance)
		}
	}
}

// The periodogram of a wave has its peak at the wave's frequency.
func TestPeriodogram(t *testing.T) {
	n := 200
	x, y := mat.NewDense(n, 1, nil), make([]float64, n)
	rng := rand.New(rand.NewPCG(2, 2))
	for i := range y {
		v := 10 * rng.Float64()
		x.Set(i, 0, v)
		y[i] = 5 + 2*v - 0.3*v*v + math.Sin(7*v)
	}
	s := periodogram(x, y, weights.NewCounts(nil, n), 0)
	best := 0
	for k, p := range s.power {
		if p > s.power[best] {
			best = k
		}
	}
	assert.InDelta(t, 7, float64(best+1)*s.step, s.step)
	near := 0
	draws := s.draw(100, 1, rng)
	for i := range 100 {
		if math.Abs(draws.At(i, 0)-7) < 3*s.step {
			near++
		}
	}
	assert.Greater(t, near, 30, "evenly drawn ones are within 3 steps of 200 once in 33")
	assert.Nil(t, periodogram(mat.NewDense(20, 1, nil), make([]float64, 20), weights.NewCounts(nil, 20), 0), "one place")
	assert.Nil(t, periodogram(mat.NewDense(10, 2, nil), make([]float64, 10), weights.NewCounts(nil, 10), 0), "two columns")
	assert.NotNil(t, newTwoPlaces(), "two places have no parabola")
}

func newTwoPlaces() *spectrum {
	x, y := mat.NewDense(20, 1, nil), make([]float64, 20)
	for i := range y {
		x.Set(i, 0, float64(i%2))
		y[i] = float64(i)
	}
	return periodogram(x, y, weights.NewCounts(nil, 20), 0)
}

// The split R̂ of predictions agrees with values computed by hand, from the means of the half chains and the variance of an
// observation within them.
func TestSplitRHat(t *testing.T) {
	chain := func(variance float64, means ...float64) (out []snapshot) {
		for _, m := range means {
			out = append(out, snapshot{means: []float64{m, -m}, variances: []float64{variance, variance}})
		}
		return out
	}
	assert.True(t, math.IsNaN(splitRHat(nil)))
	assert.True(t, math.IsNaN(splitRHat([][]snapshot{chain(1, 1, 2, 3)})), "a half of one sweep")
	assert.Equal(t, 1.0, splitRHat([][]snapshot{chain(1, 2, 2, 2, 2), chain(1, 2, 2, 2, 2)}))
	// The means of the halves are .5 and 2.5, and their variance is 2. Within a half, the variance is .5 between the sweeps, plus 3
	// for an observation.
	assert.InDelta(t, math.Sqrt(1+2/3.5), splitRHat([][]snapshot{chain(3, 0, 1, 2, 3)}), 1e-12)
	// The halves (1.5, 1.5) and (3.5, 3.5) of the two chains have a variance of 4/3 between them, and of .5 + 2 within them.
	assert.InDelta(t, math.Sqrt(1+4./3/2.5), splitRHat([][]snapshot{chain(2, 1, 2, 1, 2), chain(2, 3, 4, 3, 4)}), 1e-12)
	// If the number of sweeps is odd, the middle one belongs to neither half.
	assert.Equal(t, splitRHat([][]snapshot{chain(3, 0, 1, 2, 3)}), splitRHat([][]snapshot{chain(3, 0, 1, 99, 2, 3)}))
	// Here the halves are certain of different labels.
	assert.Equal(t, math.Inf(1), splitRHat([][]snapshot{chain(0, 1, 1, 1, 1), chain(0, 0, 0, 0, 0)}))
}
