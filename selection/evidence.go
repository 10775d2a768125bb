package selection

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/linalg"
)

// The ridges that the evidence is maximised over, in units of the mean diagonal
// of the kernel matrix.
const (
	MinEvidenceRidge = 1e-6
	MaxEvidenceRidge = 1e2
	EvidenceRidges   = 17
)

// logEvidence returns the largest log evidence of a Gaussian process of
// covariance s²(K + λI) for the centred targets y, over s² in closed form and λ
// on a grid, and that λ in the units of K:
//
//	-n/2 ln(2π q/n) - ½ ln det(K+λI) - n/2,    q = y'(K+λI)⁻¹y
//
// rotated is Q'y for K = QTQ'; each ridge costs O(n). It is -Inf if no ridge
// makes K + λI positive definite, and +Inf for y = 0.
func logEvidence(tri *linalg.Tridiagonal, rotated *mat.Dense, meanDiagonal float64) (best, ridge float64) {
	n, _ := rotated.Dims()
	best, ridge = math.Inf(-1), missing
	h := math.Log(MaxEvidenceRidge/MinEvidenceRidge) / (EvidenceRidges - 1)
	// From the largest down, so that of equal evidences the smoothest wins.
	for i := EvidenceRidges - 1; i >= 0; i-- {
		lambda := meanDiagonal * MinEvidenceRidge * math.Exp(float64(i)*h)
		s, ok := tri.Shift(lambda)
		if !ok {
			continue
		}
		z := mat.DenseCopyOf(rotated)
		s.Solve(z)
		q := 0.0
		for r := range n {
			q += rotated.At(r, 0) * z.At(r, 0)
		}
		half := float64(n) / 2
		if v := -half*math.Log(2*math.Pi*q/float64(n)) - s.LogDet()/2 - half; v > best {
			best, ridge = v, lambda
		}
	}
	return best, ridge
}
