package extend

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
)

// Matern72Family is the family of Matern72 with the parameter 1/ℓ, so that the entropy rises with the parameter.
type Matern72Family struct{}

var _ families.Family = Matern72Family{}

// Kernel returns Matern72{Length: 1 / rate}.
func (Matern72Family) Kernel(rate float64) kernels.Kernel { return Matern72{Length: 1 / rate} }

// Start returns the inverse of a typical distance, like families.Matern.
func (Matern72Family) Start(ctx context.Context, x mat.Matrix) (float64, error) {
	return families.Matern{}.Start(ctx, x)
}

// Bounds returns 1e-12 and 1e12.
func (Matern72Family) Bounds() (lo, hi float64) { return 1e-12, 1e12 }

// Integer returns false.
func (Matern72Family) Integer() bool { return false }

// String returns "Matern72".
func (Matern72Family) String() string { return "Matern72" }
