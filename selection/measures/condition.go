package measures

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
)

// Condition returns the condition number of a positive semi-definite k (n×n) from its eigenvalues: see ConditionOfEigenvalues. It
// has the cost, the memory and the errors of Entropy. For both measures, compute the eigenvalues once and pass them to
// ConditionOfEigenvalues and EntropyOfEigenvalues.
func Condition(ctx context.Context, k mat.Symmetric) (_ float64, err error) {
	defer check.Begin(&ctx)(&err)
	w, err := eigenvalues(ctx, k)
	if err != nil {
		return 0, err
	}
	return ConditionOfEigenvalues(w), nil
}

// ConditionOfEigenvalues returns λmax/λmin of the n eigenvalues of a positive semi-definite matrix, at least 1. It is +Inf if λmin
// is at most n·2⁻⁵²·λmax, the rounding error of λmax. The matrix is then numerically singular or, if λmin is clearly negative, not
// positive semi-definite. Finite values above 1e12 are dominated by rounding.
func ConditionOfEigenvalues(w []float64) float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range w {
		lo, hi = min(lo, v), max(hi, v)
	}
	if !(lo > float64(len(w))*0x1p-52*hi) || hi <= 0 {
		return math.Inf(1)
	}
	return hi / lo
}
