package kernels

import (
	"cmp"
	"fmt"
	"math"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// The defaults of Matern.
const (
	defaultNu     = 1.5
	defaultLength = 1.0
)

// Matern is the Matérn kernel of smoothness ν = 3/2 or 5/2, with r = |x-z|/ℓ:
//
//	ν = 3/2:  k(x, z) = (1 + √3 r) exp(-√3 r)
//	ν = 5/2:  k(x, z) = (1 + √5 r + 5r²/3) exp(-√5 r)
//
// positive definite; its functions have one (3/2) or two (5/2) derivatives, where
// the RBF, its limit for ν → ∞ with γ = 1/(2ℓ²), has all. ℓ is in feature units.
type Matern struct {
	Nu     float64 // 1.5 or 2.5; 0 means 1.5
	Length float64 // ℓ > 0; 0 means 1
}

var _ interface {
	Kernel
	Radial
	Validator
} = Matern{}

func (k Matern) withDefaults() Matern {
	return Matern{Nu: cmp.Or(k.Nu, defaultNu), Length: cmp.Or(k.Length, defaultLength)}
}

// scaled returns √(2ν)·r of a squared distance, which is finite: where r² overflows
// the kernel is 0 as it is for the largest number. k has its defaults.
func (k Matern) scaled(squared float64) float64 {
	return min(math.Sqrt(2*k.Nu*squared)/k.Length, 1e150)
}

// polynomial returns the factor before exp(-s).
func (k Matern) polynomial(s float64) float64 {
	if k.Nu == 2.5 {
		return 1 + s + s*s/3
	}
	return 1 + s
}

// Eval returns k(x, z). Cost O(d).
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

// Validate returns an ErrParam error unless Nu is 1.5 or 2.5 and Length is finite
// and positive, or they are 0.
func (k Matern) Validate() error {
	if nu := k.withDefaults().Nu; nu != 1.5 && nu != 2.5 {
		return fault.Param("kernels: Matern", "Nu", k.Nu, "1.5 or 2.5, or 0 for the default")
	}
	return positive("Matern", "Length", k.Length)
}

// OfSquaredDistances implements Radial.
func (k Matern) OfSquaredDistances(dst, squared []float64) {
	k = k.withDefaults()
	var exps [stripe]float64
	for len(dst) > 0 {
		n := min(len(dst), stripe)
		for i, d := range squared[:n] {
			dst[i] = k.scaled(d)
		}
		vecmath.Exp(exps[:n], -1, dst[:n])
		for i, s := range dst[:n] {
			dst[i] = k.polynomial(s) * exps[i]
		}
		dst, squared = dst[n:], squared[n:]
	}
}
