package sampler

import (
	"math"
	"math/rand/v2"
)

// polyaGamma draws from PG(1, z) exactly, by L. Devroye's alternating series for the Jacobi distribution J*(1, z/2). A quarter of
// such a draw has the distribution PG(1, z) (N. Polson, J. Scott and J. Windle, JASA 108, 2013).
func polyaGamma(z float64, rng *rand.Rand) float64 {
	const cut = 0.64 // the boundary between the two series
	z = math.Abs(z) / 2
	rate := math.Pi*math.Pi/8 + z*z/2
	tail := tailShare(z, rate, cut)
	for {
		var x float64
		if rng.Float64() < tail {
			x = cut + rng.ExpFloat64()/rate
		} else {
			x = truncatedInverseGaussian(z, cut, rng)
		}
		sum := jacobiTerm(0, x, cut)
		y := rng.Float64() * sum
		for n := 1; ; n++ {
			if n%2 == 1 {
				if sum -= jacobiTerm(n, x, cut); y <= sum {
					return x / 4
				}
			} else if sum += jacobiTerm(n, x, cut); y > sum {
				break
			}
		}
	}
}

func jacobiTerm(n int, x, cut float64) float64 {
	k := float64(n) + 0.5
	if x > cut {
		return math.Pi * k * math.Exp(-k*k*math.Pi*math.Pi*x/2)
	}
	return math.Pi * k * math.Pow(2/(math.Pi*x), 1.5) * math.Exp(-2*k*k/x)
}

// tailShare returns the probability that the proposal lies beyond the cut.
func tailShare(z, rate, cut float64) float64 {
	root := math.Sqrt(1 / cut)
	base := math.Log(rate) + rate*cut
	logPhi := func(v float64) float64 { return math.Log(math.Erfc(-v/math.Sqrt2) / 2) }
	below := math.Exp(base-z+logPhi(root*(cut*z-1))) + math.Exp(base+z+logPhi(-root*(cut*z+1)))
	return 1 / (1 + 4/math.Pi*below)
}

// truncatedInverseGaussian draws from the inverse Gaussian distribution with mean 1/z and shape 1, given that the draw is below the
// cut.
func truncatedInverseGaussian(z, cut float64, rng *rand.Rand) float64 {
	if z*cut < 1 {
		for {
			e := rng.ExpFloat64()
			if e*e > 2*rng.ExpFloat64()/cut {
				continue
			}
			x := cut / ((1 + cut*e) * (1 + cut*e))
			if rng.Float64() <= math.Exp(-z*z*x/2) {
				return x
			}
		}
	}
	mean := 1 / z
	for {
		y := rng.NormFloat64()
		y *= y
		x := mean + mean*mean*y/2 - mean/2*math.Sqrt(4*mean*y+mean*mean*y*y)
		if rng.Float64() > mean/(mean+x) {
			x = mean * mean / x
		}
		if x <= cut && x > 0 {
			return x
		}
	}
}
