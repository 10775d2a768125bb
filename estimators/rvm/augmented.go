package rvm

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/weights"
	"github.com/kernelearn/kernelearn/kernels"
)

// PredictAugmented returns the mean and the variance of RVM* (Rasmussen and Quiñonero-Candela, ICML 2005). For each row of x (r×d)
// the machine has one more basis function, centred on the row itself. The prior of its coefficient gives the prediction at the row the
// variance of the targets. The training rows (n×d) and their targets y, which have no weights, must be passed again, because a
// machine keeps only its relevance vectors. The result is not calibrated. The cost is O(rnm) for m relevance vectors, and the
// memory O(nm). It returns ErrShape, ErrNotFinite, or ErrNotFitted, also after FitDesign.
func (r *Regressor) PredictAugmented(x, rows mat.Matrix, y []float64) (mean, variance []float64, err error) {
	defer fault.Recover(&err)
	xd, err := r.m.fittedSupport().Input(regressorType, "x", x, false)
	if err != nil {
		return nil, nil, err
	}
	rd, err := r.m.fittedSupport().Input(regressorType, "rows", rows, false)
	if err != nil {
		return nil, nil, err
	}
	if n, _ := rd.Dims(); n != len(y) {
		return nil, nil, fault.Shape("y has", len(y), "entries", "rows has %d rows", n)
	}
	if err := check.Vector("y", y); err != nil {
		return nil, nil, err
	}
	n, _ := xd.Dims()
	own, precision := make([]float64, n), make([]float64, n)
	kernels.Diag(own, r.m.Kernels.Whole(), xd)
	spread := varianceOf(y, weights.NewCounts(nil, len(y)))
	for i, k := range own {
		precision[i] = k * k / spread
	}
	return r.m.augmented(xd, rd, y, precision, r.Workers)
}

// augmented predicts with an additional basis function at each row of x in turn, with the given prior precision. Let Φ hold the
// columns of the members and g = k(X, x) be the new column, all centred if the intercept has a flat prior. With
//
//	e = k(x,x) - βφ'ΣΦ'g,  s = βg'g - β²g'ΦΣΦ'g,  q = βg'(t - Φμ)
//
// it adds e q/(α+s) to the mean and e²/(α+s) to the variance.
func (m *model) augmented(x, rows *mat.Dense, y, precision []float64, workers int) (mean, variance []float64, err error) {
	if mean, variance, err = m.withOwnVariance().predict(x, workers, true); err != nil {
		return nil, nil, err
	}
	phi, err := m.Features(rows, m.ones(), workers)
	if err != nil {
		return nil, nil, err
	}
	at, err := m.Features(x, m.ones(), workers)
	if err != nil {
		return nil, nil, err
	}
	whole := m.Kernels.Whole()
	n, _ := rows.Dims()
	_, d := x.Dims()
	beta := 1 / m.Noise
	rest := make([]float64, n) // t - Φμ
	for i, t := range y {
		rest[i] = t - m.Intercept
		if phi != nil {
			rest[i] -= linalg.Dot(m.Coefficients, phi.RawRowView(i))
			linalg.Axpy(-1, m.Means, phi.RawRowView(i))
		}
	}
	size := len(m.Coefficients)
	cross, half := make([]float64, size), mat.NewVecDense(max(size, 1), nil)
	own := []float64{0}
	for i := range mean {
		row := x.Slice(i, i+1, 0, d).(*mat.Dense)
		g, err := kernels.Cross(context.Background(), whole, row, rows, &kernels.Options{Workers: workers})
		if err != nil {
			return nil, nil, err
		}
		kernels.Diag(own, whole, row)
		column, e := g.RawRowView(0), own[0]
		if m.Spread > 0 {
			e -= weights.NewCounts(nil, n).Centre(column)
		}
		s, q := beta*linalg.Dot(column, column), beta*linalg.Dot(column, rest)
		if size > 0 {
			fast.Gemv(blas.Trans, 1, phi.RawMatrix(), linalg.Vector(column), 0, linalg.Vector(cross))
			fast.MulVec(half, m.Covariance, mat.NewVecDense(size, cross))
			linalg.Axpy(-1, m.Means, at.RawRowView(i))
			e -= beta * linalg.Dot(at.RawRowView(i), half.RawVector().Data)
			s -= beta * beta * linalg.Dot(cross, half.RawVector().Data)
		}
		if total := precision[i] + max(0, s); total > 0 {
			mean[i] += e * q / total
			variance[i] += e * e / total
		}
		if !check.IsFinite(mean[i]) || !check.IsFinite(variance[i]) {
			return nil, nil, &fault.NotFiniteError{Name: regressorType + ": prediction", Row: i, Col: -1, Value: mean[i] + variance[i]}
		}
	}
	return mean, variance, nil
}

// withOwnVariance returns the model without calibration.
func (m *model) withOwnVariance() *model {
	return &model{Solution: m.Solution, Support: m.Support, calibration: uncalibrated}
}
