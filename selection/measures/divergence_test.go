package measures

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// integrals computes D_CS = -ln((∫fg)²/(∫f²∫g²)) with the trapezoidal rule.
func integrals(mean, variance [2]float64) float64 {
	density := func(c int, x float64) float64 {
		d := x - mean[c]
		return math.Exp(-d*d/(2*variance[c])) / math.Sqrt(2*math.Pi*variance[c])
	}
	var fg, ff, gg float64
	for x := -60.0; x <= 60; x += 1e-3 {
		f, g := density(0, x), density(1, x)
		fg += f * g
		ff += f * f
		gg += g * g
	}
	return -math.Log(fg * fg / (ff * gg))
}

func TestDivergenceIsThatOfTheDensities(t *testing.T) {
	for _, c := range [][4]float64{{1, 2, 1, 3}, {0, 0, 0.5, 4}, {-2, 1, 1, 1}, {3, 3, 2, 2}} {
		mean, variance := [2]float64{c[0], c[1]}, [2]float64{c[2], c[3]}
		d := divergence(mean, variance)
		assert.InDelta(t, integrals(mean, variance), d.CauchySchwarz, 1e-10)
		assert.InDelta(t, (c[0]-c[1])*(c[0]-c[1])/(c[2]+c[3]), d.Means, 1e-14)
	}
}

func TestDivergenceProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.Float64Range(-10, 10)
		width := rapid.Float64Range(1e-3, 1e3)
		mean := [2]float64{at.Draw(t, "m+"), at.Draw(t, "m-")}
		variance := [2]float64{width.Draw(t, "S+"), width.Draw(t, "S-")}
		d := divergence(mean, variance)
		assert.GreaterOrEqual(t, d.Means, 0.0)
		assert.GreaterOrEqual(t, d.CauchySchwarz, d.Means)
		swapped := divergence([2]float64{mean[1], mean[0]}, [2]float64{variance[1], variance[0]})
		assert.Equal(t, d, swapped)
		s := width.Draw(t, "scale")
		scaled := divergence([2]float64{s * mean[0], s * mean[1]}, [2]float64{s * s * variance[0], s * s * variance[1]})
		assert.InDelta(t, d.Means, scaled.Means, 1e-9*(1+d.Means))
		assert.InDelta(t, d.CauchySchwarz, scaled.CauchySchwarz, 1e-9*(1+d.CauchySchwarz))
	})
}

func TestDivergenceKeepsDigits(t *testing.T) {
	// ln((a+b)/(2√ab)) = ε²/8 for b = a(1+ε). The plain formula gives 0.
	d := divergence([2]float64{}, [2]float64{1, 1 + 1e-9})
	assert.InEpsilon(t, 1.25e-19, d.CauchySchwarz, 1e-6)
	d = divergence([2]float64{}, [2]float64{1e-300, 1e300})
	assert.InEpsilon(t, 300*math.Ln10-math.Ln2, d.CauchySchwarz, 1e-14)
}

func TestDegenerateDivergence(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		mean, variance [2]float64
		want           Divergence
	}{
		{[2]float64{1, 3}, [2]float64{0, 4}, Divergence{inf, 1}},
		{[2]float64{1, 1}, [2]float64{4, 0}, Divergence{inf, 0}},
		{[2]float64{1, 3}, [2]float64{}, Divergence{inf, inf}},
		{[2]float64{3, 3}, [2]float64{}, Divergence{}},
	} {
		d := divergence(c.mean, c.variance)
		assert.Equal(t, c.want, d)
	}
}

func TestDivergenceOfProjection(t *testing.T) {
	z, y := []float64{1, 3, 10, 14, 12}, []int{4, 4, 7, 7, 7}
	d, err := DivergenceOfProjection(z, y)
	require.NoError(t, err)
	want := divergence([2]float64{2, 12}, [2]float64{1, 8. / 3})
	assert.InEpsilon(t, want.CauchySchwarz, d.CauchySchwarz, 1e-13)
	assert.InEpsilon(t, want.Means, d.Means, 1e-13)

	// If all projections of a class are equal, the class is a point, also if they cannot be represented exactly.
	d, err = DivergenceOfProjection([]float64{0.1, 0.1, 0.1, 5, 6}, []int{0, 0, 0, 1, 1})
	require.NoError(t, err)
	assert.Equal(t, math.Inf(1), d.CauchySchwarz)
	assert.InEpsilon(t, 5.4*5.4/0.25, d.Means, 1e-13)
	d, err = DivergenceOfProjection([]float64{0.1, 0.1, 0.1}, []int{0, 0, 1})
	require.NoError(t, err)
	assert.Equal(t, Divergence{}, d)

	_, err = DivergenceOfProjection(z, y[:2])
	assert.ErrorIs(t, err, fault.ErrShape)
	_, err = DivergenceOfProjection(z, []int{1, 2, 3, 3, 3})
	assert.ErrorContains(t, err, "y has 3 classes, want 2")
	_, err = DivergenceOfProjection(nil, nil)
	assert.ErrorIs(t, err, fault.ErrShape)
	_, err = DivergenceOfProjection([]float64{0, math.NaN()}, []int{0, 1})
	assert.ErrorContains(t, err, "z[1] is NaN")
}
