package selection

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/linalg"
)

// The ridges that the evidence is maximised over, in units of the mean diagonal
// of the kernel matrix (of √W K √W with weights).
const (
	minEvidenceRidge   = 1e-6
	maxEvidenceRidge   = 1e2
	evidenceRidgeCount = 17
)

// logEvidence returns the largest log evidence of a Gaussian process of
// covariance s²(K + λW⁻¹) for the centred targets y (n×1), over s² in closed form and
// λ on a grid, and that λ in the units of K:
//
//	-n/2 ln(2π q/n) - ½ ln det(K+λW⁻¹) - n/2,    q = y'(K+λW⁻¹)⁻¹y
//
// W holds the weights, nil for the identity: a row's noise has the variance λs²/w. It
// takes over k, and returns the reduction QTQ' of √W K √W, after which each ridge costs
// O(n). The evidence is -Inf if no ridge makes the matrix positive definite, and +Inf
// for y = 0. No ridge is below minRidge, in units of the mean diagonal.
func logEvidence(k *mat.SymDense, y *mat.Dense, weights []float64, minRidge float64) (tri *linalg.Tridiagonal, best, ridge float64) {
	n := k.SymmetricDim()
	rotated := mat.DenseCopyOf(y)
	logWeights := 0.0
	for i, w := range weights {
		root := math.Sqrt(w)
		rotated.Set(i, 0, root*rotated.At(i, 0))
		for j := range i {
			k.SetSym(i, j, k.At(i, j)*root*math.Sqrt(weights[j]))
		}
		k.SetSym(i, i, k.At(i, i)*w)
		logWeights += math.Log(w)
	}
	meanDiagonal := mat.Trace(k) / float64(n)
	tri = linalg.Tridiagonalize(k)
	tri.Rotate(rotated)
	best, ridge = math.Inf(-1), missing
	for _, lambda := range evidenceRidges(meanDiagonal, minRidge) {
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
		// det(K+λW⁻¹) is det(√W K √W + λI) over det W.
		if v := -half*math.Log(2*math.Pi*q/float64(n)) - (s.LogDet()-logWeights)/2 - half; v > best {
			best, ridge = v, lambda
		}
	}
	return tri, best, ridge
}

// evidenceRidges returns the ridges that the evidence is maximised over, for a matrix of a
// mean diagonal: those above least, in its units, and in place of the others least. They
// descend, so that of equal evidences the smoothest model wins.
func evidenceRidges(meanDiagonal, least float64) (out []float64) {
	h := math.Log(maxEvidenceRidge/minEvidenceRidge) / (evidenceRidgeCount - 1)
	for i := evidenceRidgeCount - 1; i >= 0; i-- {
		ridge := minEvidenceRidge * math.Exp(float64(i)*h)
		if ridge <= least {
			return append(out, meanDiagonal*least)
		}
		out = append(out, meanDiagonal*ridge)
	}
	return out
}

// evidenceOfFeatures is logEvidence of F'F in place of K.
func (c *closedForm) evidenceOfFeatures(f *mat.Dense, meanDiagonal float64) (best, ridge float64) {
	m, n := f.Dims()
	z, y, logWeights := mat.DenseCopyOf(f.T()), mat.DenseCopyOf(c.targets), 0.0
	if c.weights != nil {
		meanDiagonal = 0
		for i, w := range c.weights {
			logWeights += math.Log(w)
			y.Set(i, 0, math.Sqrt(w)*y.At(i, 0))
			for j, v := range z.RawRowView(i) {
				z.Set(i, j, math.Sqrt(w)*v)
				meanDiagonal += w * v * v / float64(n)
			}
		}
	}
	gram, moment := mat.NewSymDense(m, nil), mat.NewDense(m, 1, nil)
	gram.SymOuterK(1, z.T())
	moment.Mul(z.T(), y)
	tri := linalg.Tridiagonalize(gram)
	tri.Rotate(moment)
	yy := mat.Norm(y, 2)
	yy *= yy
	best, ridge = math.Inf(-1), missing
	half := float64(n) / 2
	for _, lambda := range evidenceRidges(meanDiagonal, c.minRidge) {
		shifted, ok := tri.Shift(lambda)
		if !ok {
			continue
		}
		solved := mat.DenseCopyOf(moment)
		shifted.Solve(solved)
		// (ZZ' + λI)⁻¹ = (I - Z(Z'Z + λI)⁻¹Z')/λ, and of its determinant n - m factors are λ.
		q := max(0, yy-mat.Dot(moment.ColView(0), solved.ColView(0))) / lambda
		logDet := shifted.LogDet() + float64(n-m)*math.Log(lambda)
		if v := -half*math.Log(2*math.Pi*q/float64(n)) - (logDet-logWeights)/2 - half; v > best {
			best, ridge = v, lambda
		}
	}
	return best, ridge
}
