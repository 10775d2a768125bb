package kernels

import (
	"cmp"
	"fmt"
	"math"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/single"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/kernels/internal/blocks"
)

// The defaults of Matern.
const (
	defaultNu     = 1.5
	defaultLength = 1.0
)

// Matern is the Matérn kernel with smoothness ν = 1/2, 3/2 or 5/2, where r = |x-z|/ℓ:
//
//	ν = 1/2:  k(x, z) = exp(-r)
//	ν = 3/2:  k(x, z) = (1 + √3 r) exp(-√3 r)
//	ν = 5/2:  k(x, z) = (1 + √5 r + 5r²/3) exp(-√5 r)
//
// It is positive definite. Functions learnt with it have no derivative (ν = 1/2), one (3/2) or two (5/2). Those of the RBF have all
// derivatives. The RBF with γ = 1/(2ℓ²) is the limit for ν → ∞. For ν = 1/2 it is the exponential kernel of the Euclidean distance,
// while [Laplacian] uses the Manhattan distance. ℓ has the unit of the features (C. E. Rasmussen and C. K. I. Williams, Gaussian
// Processes for Machine Learning, 2006, section 4.2.1).
//
// See also [RBF], [RationalQuadratic].
type Matern struct {
	// Nu is 0.5, 1.5 or 2.5. If it is 0, 1.5 is used.
	Nu float64

	// Length is ℓ > 0. If it is 0, 1 is used.
	Length float64
}

var _ distanceKernel = Matern{}

func (k Matern) withDefaults() Matern {
	return Matern{Nu: cmp.Or(k.Nu, defaultNu), Length: cmp.Or(k.Length, defaultLength)}
}

// scaled returns √(2ν)·r for a squared distance. The result is finite. If r² overflows, the kernel is 0, as for the largest number.
// The zero fields of k must have been replaced with their defaults.
func (k Matern) scaled(squared float64) float64 {
	return min(math.Sqrt(2*k.Nu*squared)/k.Length, 1e150)
}

// polynomial returns the factor of exp(-s).
func (k Matern) polynomial(s float64) float64 {
	switch k.Nu {
	case 0.5:
		return 1
	case 2.5:
		return 1 + s + s*s/3
	}
	return 1 + s
}

// Eval returns k(x, z). The cost is O(d).
func (k Matern) Eval(x, z []float64) float64 {
	checkLen(x, z)
	k = k.withDefaults()
	s := k.scaled(vecmath.SquaredDistance(x, z))
	return k.polynomial(s) * math.Exp(-s)
}

// String returns, for example, "Matern(nu=1.5, length=2)".
func (k Matern) String() string {
	k = k.withDefaults()
	return fmt.Sprintf("Matern(nu=%v, length=%v)", k.Nu, k.Length)
}

// Validate returns an ErrParam error unless Nu is 0, 0.5, 1.5 or 2.5, and Length is finite and at least 0.
func (k Matern) Validate() error {
	if nu := k.withDefaults().Nu; nu != 0.5 && nu != 1.5 && nu != 2.5 {
		return fault.Param("kernels: Matern", "Nu", k.Nu, "0.5, 1.5 or 2.5, or 0 for the default")
	}
	return positive("Matern", "Length", k.Length)
}

// Params returns ℓ.
func (k Matern) Params() []Param {
	return []Param{{Name: "length", Kind: KindLength, Value: k.withDefaults().Length}}
}

// WithParams returns the Matern with the same ν and another ℓ.
func (k Matern) WithParams(values []float64) Kernel {
	checkParams(k, len(values), 1)
	return Matern{Nu: k.Nu, Length: param(values[0])}
}

// EvalGradient implements Differentiable: ∂k/∂ ln ℓ = -k'(r) r.
func (k Matern) EvalGradient(dst, x, z []float64) { evalGradient(k, dst, x, z) }

// OfSquaredDistances implements Radial.
func (k Matern) OfSquaredDistances(dst, squared []float64) { k.evaluate(maternValue, dst, squared) }

func (k Matern) singlesOfSquaredDistances() func(v []float32) {
	k = k.withDefaults()
	per := 2 * k.Nu / k.Length / k.Length
	if !blocks.IsSingleFactor(per) {
		return nil
	}
	var linear, quadratic float32
	switch k.Nu {
	case 1.5:
		linear = 1
	case 2.5:
		linear, quadratic = 1, 1./3
	}
	return func(v []float32) { single.Matern(v, float32(per), linear, quadratic) }
}

// SlopesOfSquaredDistances implements [RadialSlopes]. With s = √(2ν) r, each slope is 1/ℓ² times e^-s/s for ν = 1/2 (0 for equal
// rows), 3e^-s for 3/2, and (5/3)(1 + s)e^-s for 5/2.
func (k Matern) SlopesOfSquaredDistances(dst, squared []float64) {
	k.evaluate(maternSlope, dst, squared)
}

// gradientOfSquaredDistances sets dst to the slopes times the squared distances.
func (k Matern) gradientOfSquaredDistances(_ int, dst, squared []float64) {
	k.evaluate(maternLength, dst, squared)
}

// maternFunction selects a function of s = √(2ν)·r and exp(-s).
type maternFunction int

const (
	maternValue  maternFunction = iota
	maternSlope                 // -k'(r)/r
	maternLength                // the derivative in ln ℓ
)

// evaluate sets dst to a function of the squared distances, piece by piece.
func (k Matern) evaluate(f maternFunction, dst, squared []float64) {
	k = k.withDefaults()
	var exps [blocks.Stripe]float64
	for len(dst) > 0 {
		n := min(len(dst), blocks.Stripe)
		s := dst[:n]
		k.distances(s, squared[:n])
		vecmath.Exp(exps[:n], -1, s)
		switch f {
		case maternValue:
			k.values(s, exps[:n])
		case maternSlope:
			k.slopes(s, exps[:n])
		default:
			k.lengths(s, exps[:n])
		}
		dst, squared = dst[n:], squared[n:]
	}
}

// distances sets s to √(2ν)·r for squared distances, as scaled does for a single one.
func (k Matern) distances(s, squared []float64) {
	const extreme = 1e150 // above this value 2ν/ℓ² is close to the limits of float64
	if per := 2 * k.Nu / k.Length / k.Length; per > 1/extreme && per < extreme {
		vecmath.Roots(s, per, 1e300, squared)
		return
	}
	for i, d := range squared {
		s[i] = k.scaled(d)
	}
}

func (k Matern) values(s, exps []float64) {
	switch k.Nu {
	case 0.5:
		copy(s, exps)
	case 1.5:
		vecmath.Quadratics(s, 0, exps)
	default:
		vecmath.Quadratics(s, 1.0/3, exps)
	}
}

func (k Matern) slopes(s, exps []float64) {
	perUnit := 1 / k.Length / k.Length
	switch k.Nu {
	case 0.5:
		for i, e := range exps {
			if s[i] == 0 {
				continue // infinite, but its factor is 0
			}
			s[i] = perUnit * e / s[i]
		}
	case 1.5:
		for i, e := range exps {
			s[i] = 3 * perUnit * e
		}
	default:
		for i, e := range exps {
			s[i] = 5.0 / 3 * perUnit * (1 + s[i]) * e
		}
	}
}

func (k Matern) lengths(s, exps []float64) {
	switch k.Nu {
	case 0.5:
		for i, e := range exps {
			s[i] *= e
		}
	case 1.5:
		for i, e := range exps {
			s[i] *= s[i] * e
		}
	default:
		for i, e := range exps {
			s[i] *= s[i] * (1 + s[i]) / 3 * e
		}
	}
}
