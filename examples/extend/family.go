package extend

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
)

// RationalQuadraticFamily is RationalQuadratic over 1/ℓ, so that its entropy rises with the
// parameter.
type RationalQuadraticFamily struct {
	Alpha float64 // 0 means DefaultAlpha
}

var _ kernels.Family = RationalQuadraticFamily{}

// At returns RationalQuadratic{Alpha: f.Alpha, Length: 1 / rate}.
func (f RationalQuadraticFamily) At(rate float64) kernels.Kernel {
	return RationalQuadratic{Alpha: f.Alpha, Length: 1 / rate}
}

// Start returns the inverse of a typical distance, as kernels.MaternFamily does.
func (RationalQuadraticFamily) Start(ctx context.Context, x mat.Matrix) (float64, error) {
	return kernels.MaternFamily{}.Start(ctx, x)
}

// Bounds returns 1e-12 and 1e12.
func (RationalQuadraticFamily) Bounds() (lo, hi float64) { return 1e-12, 1e12 }

// Integer returns false.
func (RationalQuadraticFamily) Integer() bool { return false }

// String returns, for example, "RationalQuadratic(alpha=1)".
func (f RationalQuadraticFamily) String() string {
	return fmt.Sprintf("RationalQuadratic(alpha=%v)", RationalQuadratic{Alpha: f.Alpha}.withDefaults().Alpha)
}
