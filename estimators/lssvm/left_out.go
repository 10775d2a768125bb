package lssvm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/internal/weights"
	"github.com/kernelearn/kernelearn/kernels"
)

// givenRows describes the training rows. The machine contains the distinct ones.
type givenRows struct {
	index  []int      // index of each row's distinct row; nil if no two rows are equal
	rest   *mat.Dense // targets minus their means over equal rows; nil without index
	within []float64  // k weighted mean squares of rest; nil without index
	first  []int      // the first occurrence of each distinct row, after FitMatrix of equal rows
	n      int        // number of rows, after FitMatrix
}

func newGiven(merged *distinct.Rows, targets *mat.Dense) givenRows {
	if !merged.Repeated() {
		return givenRows{}
	}
	mean := merged.Mean(targets)
	out := givenRows{index: merged.Index, within: merged.MeanSquareWithin(targets, mean), rest: mat.DenseCopyOf(targets)}
	out.rest.Sub(out.rest, merged.Spread(mean))
	return out
}

// leftOut holds the results of leaving out each distinct row, or each group.
type leftOut struct {
	residuals *mat.Dense // n×k, one for each training row; nil for one distinct row
	inverse   []float64  // P[i,i] of each distinct row
	scales    []float64  // s² of each target
	press     float64    // the mean weighted square of the residuals, summed over the targets
}

// leftOut converts the residuals of the distinct rows (n×k) to residuals of the training rows. A residual α[i]/P[i,i] over its
// standard deviation has the square α[i]²/P[i,i]. The squares of a group have the sum α[G]'P[G,G]⁻¹α[G]. Both are α'r.
func (m *machine) leftOut(solved *loo.Solution) *leftOut {
	residuals := solved.Residuals
	n, k := residuals.Dims()
	out := &leftOut{residuals: residuals, inverse: solved.Inverse, scales: make([]float64, k)}
	weight := 0.0
	for i := range n {
		w := weights.Weight(m.weights, i)
		for j, e := range residuals.RawRowView(i) {
			a := max(0, m.alpha.At(i, j)*e) // negative only by rounding
			out.scales[j] += a / float64(n)
			out.press += w * e * e
		}
		weight += w
	}
	out.press /= weight
	if m.given.index != nil {
		out.press += vecmath.Sum(m.given.within)
		out.residuals = linalg.Rows(residuals, m.given.index)
		out.residuals.Add(out.residuals, m.given.rest)
	}
	return out
}

// waiting holds quantities that a fit with a fixed ridge does not need and that cost as much as the fit. They are computed at their
// first use, and are not stored.
type waiting struct {
	mu     sync.Mutex
	left   *leftOut
	factor *linalg.Cholesky
	// completed is true if the posterior has been completed from the rows.
	completed bool
}

// leaveOneOut returns the results of leaving one row out. If Fit did not need them, the first call costs n³/3. If the factor was
// not kept, the kernel matrix and the factor are computed again, which adds as much.
func (m *machine) leaveOneOut(ctx context.Context) (*leftOut, error) {
	if m.left != nil {
		return m.left, nil
	}
	m.waiting.mu.Lock()
	defer m.waiting.mu.Unlock()
	if m.waiting.left == nil {
		chol := m.waiting.factor
		if chol == nil {
			var err error
			if chol, err = m.makeFactor(ctx); err != nil { // used only here and not kept
				return nil, err
			}
		}
		left, err := m.leaveOut(ctx, chol)
		if err != nil {
			return nil, err
		}
		m.waiting.left = left
	}
	return m.waiting.left, nil
}

// factorOf returns the factor of M, which is needed only for the variance.
func (m *machine) factorOf(ctx context.Context) (*linalg.Cholesky, error) {
	if m.factor != nil {
		return m.factor, nil
	}
	m.waiting.mu.Lock()
	defer m.waiting.mu.Unlock()
	if m.waiting.factor == nil {
		chol, err := m.makeFactor(ctx)
		if err != nil {
			return nil, err
		}
		m.waiting.factor = chol
	}
	return m.waiting.factor, nil
}

// makeFactor computes the factor of M again. Since the first factorisation succeeded, it can only return an error about memory or
// the error of ctx.
func (m *machine) makeFactor(ctx context.Context) (*linalg.Cholesky, error) {
	if m.factor != nil {
		return m.factor, nil
	}
	if m.rows == nil {
		return m.factorise(ctx, unpacked(m.n, m.matrix))
	}
	k, err := kernels.Matrix(ctx, m.kernel, m.rows, &m.options)
	if err != nil {
		return nil, err
	}
	return m.factorise(ctx, k)
}

// leaveOut computes the results of leaving one row out from a factor of M. It returns the error of ctx.
func (m *machine) leaveOut(ctx context.Context, chol *linalg.Cholesky) (*leftOut, error) {
	if m.n == 1 {
		return &leftOut{scales: make([]float64, len(m.bias))}, ctx.Err()
	}
	inverse, err := chol.DiagInverse(ctx)
	if err != nil {
		return nil, err
	}
	n, k := m.alpha.Dims()
	etaSum := vecmath.Sum(m.eta)
	s := &loo.Solution{Alpha: m.alpha, Eta: m.eta, Inverse: inverse, Residuals: mat.NewDense(n, k, nil)}
	for i, eta := range m.eta {
		inverse[i] -= eta * eta / etaSum
		for j, a := range m.alpha.RawRowView(i) {
			// Only rounding can cause P[i,i] ≤ 0, and then α[i] is 0.
			if inverse[i] > 0 {
				s.Residuals.Set(i, j, a/inverse[i])
			}
		}
	}
	_, err = s.LeaveGroupsOut(m.groups, func(group []int) (*mat.SymDense, error) { return loo.InverseBlock(ctx, chol, n, group) })
	if err != nil {
		return nil, err
	}
	return m.leftOut(s), nil
}

// leaveOneOutVariances returns the variance of a new observation of the first target at each training row. The variance of row i
// given the other rows is s²/P[i,i]. It includes the noise for the weight of the row.
func (m *machine) leaveOneOutVariances(ctx context.Context, typ string) ([]float64, error) {
	switch {
	case m == nil:
		return nil, fault.NotFitted(typ)
	case m.groups != nil:
		return nil, fmt.Errorf("%s: the variance of a row without those of its group: %w", typ, errors.ErrUnsupported)
	}
	left, err := m.leaveOneOut(ctx)
	if err != nil || left.residuals == nil {
		return nil, err
	}
	if left.inverse == nil { // a file of a factored machine contains only the residuals
		chol, err := m.makeFactor(ctx)
		if err != nil {
			return nil, err
		}
		again, err := m.leaveOut(ctx, chol)
		if err != nil {
			return nil, err
		}
		left = &leftOut{scales: left.scales, inverse: again.inverse}
	}
	out := make([]float64, m.n)
	for i, p := range left.inverse {
		noise := m.ridge / weights.Weight(m.weights, i)
		out[i] = left.scales[0] * (max(1/p-noise, 0) + m.noise())
		if !(p > 0) { // by rounding
			out[i] = left.scales[0] * m.noise()
		}
	}
	if m.given.index != nil {
		floats.AddConst(m.given.within[0], out)
		out = linalg.Pick(out, m.given.index)
	}
	return out, nil
}

// noise returns the variance of the noise of a row with the mean weight, in units of s².
func (m *machine) noise() float64 { return m.ridge / m.meanWeight() }

func (m *machine) meanWeight() float64 {
	if m.weights == nil {
		return 1
	}
	return stat.Mean(m.weights, nil)
}

func onesOf(n int) []float64 { return slices.Repeat([]float64{1}, n) }

// spread returns the variance of r combinations of the function's values, plus that of the noise, in units of s². The rows of k
// (r×n) are the combined kernel values with the training rows, prior holds k(x, z) combined over both arguments, and sums the sum
// of each combination's weights.
func (m *machine) spread(ctx context.Context, k *mat.Dense, prior, sums []float64, noise float64) ([]float64, error) {
	chol, err := m.factorOf(ctx)
	if err != nil {
		return nil, err
	}
	quad, err := chol.QuadInverse(ctx, mat.DenseCopyOf(k.T()))
	if err != nil {
		return nil, err
	}
	etaSum := vecmath.Sum(m.eta)
	out := make([]float64, len(prior))
	for i := range out {
		bias := sums[i]
		for j, v := range k.RawRowView(i) {
			bias -= v * m.eta[j]
		}
		// Only rounding can make the difference negative.
		out[i] = max(0, prior[i]-quad[i]) + bias*bias/etaSum + noise
	}
	return out, nil
}

// spreadIteratively is like spread for single rows, after conjugate gradients. It always includes the noise. k holds the kernel
// values of the rows with the training rows, and diag those of the rows with themselves.
func (m *machine) spreadIteratively(ctx context.Context, k *mat.Dense, diag []float64) ([]float64, error) {
	out, err := m.posteriorVariance(ctx, k, diag)
	if err != nil {
		return nil, err
	}
	sum := vecmath.Sum(m.eta)
	for i := range out {
		bias := 1 - linalg.Dot(k.RawRowView(i), m.eta)
		out[i] += bias*bias/sum + m.noise()
	}
	return out, nil
}

// packed returns the upper triangle of k, row by row.
func packed(k mat.Symmetric) []float64 {
	n := k.SymmetricDim()
	out := make([]float64, 0, n*(n+1)/2)
	for i := range n {
		for j := i; j < n; j++ {
			out = append(out, k.At(i, j))
		}
	}
	return out
}

func unpacked(n int, triangle []float64) *mat.SymDense {
	out := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			out.SetSym(i, j, triangle[0])
			triangle = triangle[1:]
		}
	}
	return out
}
