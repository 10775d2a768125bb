package shapley

import "math"

// node is a Gaussian kernel exp(-rate·r²) of a mixture, with its weight.
type node struct{ weight, rate float64 }

// mixtureError bounds the error of the trapezoidal rule in v = ln u, and the mass that is cut off at its ends.
const mixtureError = 1e-14

// maternNodes returns the Matérn kernel of smoothness ν as a mixture (Rasmussen and Williams, 2006, section 4.2.1):
//
//	k(r) = (1/Γ(ν)) ∫ u^(ν-1) exp(-u) exp(-ν r²/(2 u ℓ²)) du
func maternNodes(nu, length float64) []node {
	return gammaMixture(nu, func(u float64) float64 { return nu / (2 * u) / length / length })
}

// rationalNodes returns the rational quadratic kernel as a mixture (eq. 4.19 in the same section):
//
//	k(r) = (1/Γ(α)) ∫ u^(α-1) exp(-u) exp(-u r²/(2αℓ²)) du
func rationalNodes(alpha, length float64) []node {
	return gammaMixture(alpha, func(u float64) float64 { return u / (2 * alpha) / length / length })
}

// gammaMixture returns the mixture over u, where u has a gamma distribution of the given shape.
func gammaMixture(shape float64, rate func(u float64) float64) (out []node) {
	logGamma, _ := math.Lgamma(shape)
	logDensity := func(v float64) float64 { return shape*v - math.Exp(v) - logGamma } // as a density of v = ln u
	step, mode := mixtureStep(shape), math.Log(shape)
	floor := logDensity(mode) + math.Log(mixtureError)
	first, last := 0, 0
	for logDensity(mode+float64(first)*step) > floor && -first <= mostTerms {
		first--
	}
	for logDensity(mode+float64(last)*step) > floor && last <= mostTerms {
		last++
	}
	total := 0.0
	for i := first; i <= last; i++ {
		v := mode + float64(i)*step
		n := node{math.Exp(logDensity(v)) * step, rate(math.Exp(v))}
		total += n.weight
		out = append(out, n)
	}
	for i := range out { // normalise the total weight to 1
		out[i].weight /= total
	}
	return out
}

// mixtureStep returns the step of the trapezoidal rule. On the line Im v = θ the integrand is at most cos(θ)^-shape times the real
// one. Therefore the error of the rule is at most cos(θ)^-shape exp(-2πθ/step), for the best θ < π/2 (L. N. Trefethen and J. A. C.
// Weideman, SIAM Review 56, 2014, 385).
func mixtureStep(shape float64) (step float64) {
	for theta := 0.01; theta < math.Pi/2; theta += 0.01 {
		step = max(step, 2*math.Pi*theta/(-math.Log(mixtureError)-shape*math.Log(math.Cos(theta))))
	}
	return step
}
