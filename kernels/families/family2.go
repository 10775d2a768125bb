package families

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
)

// Family2 is a kernel with two free parameters. A search varies them in turn. To vary one, it uses the [Family] that results from
// fixing the other with [Fixed].
type Family2 interface {
	// Kernel returns the kernel for values of the parameters. It rounds the value of a parameter that is an integer.
	Kernel(first, second float64) kernels.Kernel
	// Start returns the values at which a search on the rows of x begins.
	Start(ctx context.Context, x mat.Matrix) (first, second float64, err error)
	// Bounds returns the ranges of the search, with 0 < lo < hi.
	Bounds() (lo, hi [2]float64)
	// Integer reports for each parameter whether it is an integer.
	Integer() [2]bool
	// String returns the name of the family, which models store.
	String() string
}

// Fixed is the [Family] that results from fixing one of the parameters of a [Family2].
type Fixed struct {
	Family Family2

	// Second selects the fixed parameter: the second if it is true, otherwise the first.
	Second bool

	// Value is the value of the fixed parameter.
	Value float64
}

var _ Family = Fixed{}

// Kernel returns the kernel for a value of the other parameter.
func (f Fixed) Kernel(param float64) kernels.Kernel {
	if f.Second {
		return f.Family.Kernel(param, f.Value)
	}
	return f.Family.Kernel(f.Value, param)
}

// free returns the index of the parameter that is not fixed.
func (f Fixed) free() int {
	if f.Second {
		return 0
	}
	return 1
}

// Start returns the initial value of the other parameter.
func (f Fixed) Start(ctx context.Context, x mat.Matrix) (_ float64, err error) {
	defer check.Begin(&ctx)(&err)
	first, second, err := f.Family.Start(ctx, x)
	return [2]float64{first, second}[f.free()], err
}

// Bounds returns the bounds of the other parameter.
func (f Fixed) Bounds() (lo, hi float64) {
	l, h := f.Family.Bounds()
	return l[f.free()], h[f.free()]
}

// Integer reports whether the other parameter is an integer.
func (f Fixed) Integer() bool { return f.Family.Integer()[f.free()] }

// String returns, for example, "ShiftedPolynomial(second=1)".
func (f Fixed) String() string {
	which := "first"
	if f.Second {
		which = "second"
	}
	return fmt.Sprintf("%v(%s=%v)", f.Family, which, f.Value)
}

// ShiftedPolynomial is the family of normalised polynomials with integer degrees p ≥ 1 and shifts c > 0,
//
//	k(x, z) = ((<x,z> + c) / √((|x|²+c)(|z|²+c)))^p
//
// which is [Polynomial] for c = 1. A larger shift gives more weight to lower powers, like a smaller degree, and the entropy
// decreases with c. The shift is in units of the squared norm of a row.
type ShiftedPolynomial struct{}

// startShift is the shift at which a search over ShiftedPolynomial starts.
const startShift = 1.0

// Kernel returns Normalized{Polynomial{Degree: degree, Coef0: shift}}.
func (ShiftedPolynomial) Kernel(degree, shift float64) kernels.Kernel {
	lo, hi := Polynomial{}.Bounds()
	return kernels.Normalized{Kernel: kernels.Polynomial{Degree: int(math.Round(min(max(degree, lo), hi))), Coef0: shift}}
}

// Start returns 12 and 1.
func (ShiftedPolynomial) Start(context.Context, mat.Matrix) (degree, shift float64, err error) {
	defer fault.Recover(&err)
	return startDegree, startShift, nil
}

// Bounds returns 1 and 1e12 for the degree and 1e-12 and 1e12 for the shift.
func (ShiftedPolynomial) Bounds() (lo, hi [2]float64) {
	return [2]float64{1, minParam}, [2]float64{maxParam, maxParam}
}

// Integer returns true for the degree.
func (ShiftedPolynomial) Integer() [2]bool { return [2]bool{true, false} }

// String returns "ShiftedPolynomial".
func (ShiftedPolynomial) String() string { return "ShiftedPolynomial" }

// Sum is the mean of a kernel from each of two families, (k₁ + k₂)/2, for example for two length scales, or for a trend and the
// deviations from it. If the diagonals of both kernels are 1, so is that of the mean.
type Sum struct{ First, Second Family }

// Product is the product of a kernel from each of two families.
type Product struct{ First, Second Family }

var (
	_ Family2 = ShiftedPolynomial{}
	_ Family2 = Sum{}
	_ Family2 = Product{}
)

// Kernel returns the sum of the two kernels, each multiplied by 1/2.
func (f Sum) Kernel(first, second float64) kernels.Kernel {
	return kernels.Sum{kernels.Scaled{Kernel: f.First.Kernel(first), Factor: 0.5},
		kernels.Scaled{Kernel: f.Second.Kernel(second), Factor: 0.5}}
}

// Kernel returns the product of the two kernels.
func (f Product) Kernel(first, second float64) kernels.Kernel {
	return kernels.Product{f.First.Kernel(first), f.Second.Kernel(second)}
}

// Start returns the initial values of both families.
func (f Sum) Start(ctx context.Context, x mat.Matrix) (first, second float64, err error) {
	defer check.Begin(&ctx)(&err)
	if first, err = f.First.Start(ctx, x); err != nil {
		return 0, 0, err
	}
	second, err = f.Second.Start(ctx, x)
	return first, second, err
}

// Start returns the initial values of both families.
func (f Product) Start(ctx context.Context, x mat.Matrix) (first, second float64, err error) {
	defer check.Begin(&ctx)(&err)
	return Sum(f).Start(ctx, x)
}

// Bounds returns the bounds of both families.
func (f Sum) Bounds() (lo, hi [2]float64) {
	lo[0], hi[0] = f.First.Bounds()
	lo[1], hi[1] = f.Second.Bounds()
	return lo, hi
}

// Bounds returns the bounds of both families.
func (f Product) Bounds() (lo, hi [2]float64) { return Sum(f).Bounds() }

// Integer returns the values of both families.
func (f Sum) Integer() [2]bool { return [2]bool{f.First.Integer(), f.Second.Integer()} }

// Integer returns the values of both families.
func (f Product) Integer() [2]bool { return [2]bool{f.First.Integer(), f.Second.Integer()} }

// String returns, for example, "Sum(RBF, NormalizedPolynomial)".
func (f Sum) String() string { return fmt.Sprintf("Sum(%v, %v)", f.First, f.Second) }

// String returns, for example, "Product(RBF, ELM)".
func (f Product) String() string { return fmt.Sprintf("Product(%v, %v)", f.First, f.Second) }
