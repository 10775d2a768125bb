package vecmath

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// bigPi has enough bits to reduce the largest float64.
var bigPi = pi(1400)

// bigSincos returns the sine and the cosine of x to about 200 bits.
func bigSincos(x float64) (sin, cos *big.Float) {
	const precision = 1400
	half := new(big.Float).SetMantExp(bigPi, -1)
	rest := new(big.Float).SetPrec(precision).SetFloat64(x)
	quarters := new(big.Float).SetPrec(precision).Quo(rest, half)
	quarters.Add(quarters, big.NewFloat(math.Copysign(0.5, x)))
	n, _ := quarters.Int(nil)
	rest.Sub(rest, new(big.Float).SetPrec(precision).Mul(half, new(big.Float).SetPrec(precision).SetInt(n)))
	sin, cos = series(new(big.Float).SetPrec(300).Set(rest))
	switch new(big.Int).And(n, big.NewInt(3)).Int64() {
	case 1:
		return cos, sin.Neg(sin)
	case 2:
		return sin.Neg(sin), cos.Neg(cos)
	case 3:
		return cos.Neg(cos), sin
	}
	return sin, cos
}

// sincosArguments returns arguments of all sizes. They include those next to each zero of either function, where the reduction
// loses most, and both sides of each point where the table's index changes. They also include arguments near zeros, where the
// rounding of the table would count most.
func sincosArguments() (x []float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		x = append(x, 3*rng.NormFloat64(), 100*rng.NormFloat64(), farthest*(2*rng.Float64()-1),
			math.Ldexp(rng.Float64()-0.5, -rng.IntN(60)), math.Ldexp(rng.Float64()-0.5, rng.IntN(1024)))
		x = append(x, math.Pi/2*float64(rng.IntN(9)-4)+math.Copysign((0.5+rng.Float64())*angleHigh, rng.Float64()-0.5))
	}
	half := new(big.Float).SetMantExp(bigPi, -1)
	for n := int64(1); float64(n) < farthest*2/math.Pi+9; n++ {
		v, _ := new(big.Float).SetPrec(300).Mul(half, new(big.Float).SetInt64(n)).Float64()
		x = append(x, v, -math.Nextafter(v, 0))
	}
	for k := -circle; k <= circle; k++ {
		edge := (float64(k) + 0.5) * angleHigh
		x = append(x, edge, math.Nextafter(edge, 9), float64(k)*angleHigh)
	}
	x = append(x, -0.007325680267358402) // a table of kh without offsets would fail here
	// The float64 nearest to a multiple of π/2, and the bounds.
	x = append(x, 6381956970095103*0x1p797, math.MaxFloat64, farthest, math.Nextafter(farthest, 9e9), -farthest)
	return x
}

func TestSincosTo2Ulps(t *testing.T) {
	x := sincosArguments()
	sin, cos := make([]float64, len(x)), make([]float64, len(x))
	Sincos(sin, cos, x)
	worst := [2]float64{}
	var at [2]float64
	for i, v := range x {
		s, c := bigSincos(v)
		for j, u := range []float64{ulps(sin[i], s), ulps(cos[i], c)} {
			if u > worst[j] {
				worst[j], at[j] = u, v
			}
		}
	}
	t.Logf("worst: %.3f ulp at %v, %.3f ulp at %v", worst[0], at[0], worst[1], at[1])
	for _, w := range worst {
		assert.LessOrEqual(t, w, 2.0)
		assert.Greater(t, w, 0.5, "nothing was measured")
	}
}

func TestSincosSpecialValues(t *testing.T) {
	x := []float64{0, math.NaN(), math.Inf(1), math.Inf(-1), 5e-324}
	sin, cos := make([]float64, 5), make([]float64, 5)
	Sincos(sin, cos, x)
	assert.Equal(t, []float64{0, 1, 5e-324, 1}, []float64{sin[0], cos[0], sin[4], cos[4]})
	for i := 1; i < 4; i++ {
		assert.True(t, math.IsNaN(sin[i]) && math.IsNaN(cos[i]), x[i])
	}
	Sincos(nil, nil, nil)
}

func TestSincosInPlace(t *testing.T) {
	x := []float64{-1, 0.5, 2, 1e9}
	sin, cos := make([]float64, 4), append(make([]float64, 0, 9), 7, 7, 7, 7, 7)
	Sincos(sin, cos, x)
	assert.Equal(t, 7.0, cos[:5][4], "no more than len(x) are written")
	for i, v := range x {
		s, c := math.Sincos(v)
		assert.InDelta(t, s, sin[i], 1e-15)
		assert.InDelta(t, c, cos[i], 1e-15)
	}
	other := append([]float64(nil), x...)
	Sincos(x, make([]float64, 4), x)
	assert.Equal(t, sin, x)
	Sincos(make([]float64, 4), other, other)
	assert.Equal(t, cos[:4], other)
}

// BenchmarkSincos times typical arguments of random features, and a loop over math.Sincos in the same run. "ratio" is the loop's
// time divided by ours. There are so many arguments that the processor cannot learn their quadrants.
func BenchmarkSincos(b *testing.B) {
	const n = 1 << 16
	rng := rand.New(rand.NewPCG(1, 1))
	x, s, c := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = 5 * rng.NormFloat64()
	}
	var ours, loop stopwatch
	b.ReportAllocs()
	for b.Loop() {
		ours.time(func() { Sincos(s, c, x) })
		loop.time(func() {
			for i, v := range x {
				s[i], c[i] = math.Sincos(v)
			}
		})
	}
	b.ReportMetric(loop.nanoseconds()/ours.nanoseconds(), "ratio")
	b.ReportMetric(ours.nanoseconds()/n, "ns/sincos")
	b.ReportMetric(loop.nanoseconds()/n, "ns/math.Sincos")
}
