package lssvm

import (
	"context"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// PredictCombinationMatrix returns the mean and the variance of r linear combinations of the fitted function, such as its average
// over some rows or the difference between two rows. The variance does not include the noise. Combination i is Σ w[q] f(x[q]), a
// sum over some rows x[q]. Its arguments are
//
//	k[i,j] = Σ w[q] k(x[q], training row j)      r×n
//	prior[i] = ΣΣ w[p] w[q] k(x[p], x[q])        r
//	sums[i] = Σ w[q]                             r: the factor of the constant b
//
// If the kernel is a sum, the k and prior of one of its terms, with sums of 0, give that part of the function alone. The mean is Σ
// α[j] k[i,j] + b sums[i], and the variance s² (prior - k'M⁻¹k + (sums - k'η)²/1'η). Neither is an approximation. The cost is
// O(rn²), and O(n³) for the first call after Fit or UnmarshalBinary. It returns ErrNotFitted, ErrShape, ErrNotFinite, ErrTooLarge
// above MaxKernelBytes, or the error of ctx.
func (r *Regressor) PredictCombinationMatrix(ctx context.Context, k mat.Matrix, prior,
	sums []float64) (mean, variance []float64, err error) {
	defer check.Begin(&ctx)(&err)
	kd, err := r.m.checkCross(regressorType, k)
	if err != nil {
		return nil, nil, err
	}
	n, _ := kd.Dims()
	for name, v := range map[string][]float64{"prior": prior, "sums": sums} {
		if len(v) != n {
			return nil, nil, fault.Shape(name+" has", len(v), "entries", "K has %d rows", n)
		}
		if err := check.Vector(name, v); err != nil {
			return nil, nil, err
		}
	}
	left, err := r.m.leaveOneOut(ctx)
	if err != nil {
		return nil, nil, err
	}
	if variance, err = r.m.spread(ctx, kd, prior, sums, 0); err != nil {
		return nil, nil, err
	}
	floats.Scale(left.scales[0], variance)
	mean = mat.Col(nil, 0, r.m.outputs(kd))
	for i, s := range sums {
		mean[i] += r.m.bias[0] * (s - 1) // outputs adds it once
	}
	return mean, variance, nil
}

// Rows returns a copy of the distinct training rows (n×d), in the order of their first occurrence. It returns nil before Fit, after
// FitMatrix, and for sparse rows whose dense copy exceeds 8 GiB.
func (r *Regressor) Rows() *mat.Dense {
	if r.m == nil || r.m.rows == nil {
		return nil
	}
	rows, err := check.Dense("the rows of Fit", r.m.rows)
	if err != nil {
		return nil
	}
	return mat.DenseCopyOf(rows)
}
