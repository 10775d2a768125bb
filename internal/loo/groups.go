package loo

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/linalg"
)

// LeaveGroupsOut sets groups of rows that are left out together, as by [Solution.LeaveGroupsOut]. Rows without a group are left out
// alone. The cost of a ridge grows by O(n Σ g²) for groups of g rows.
func (p *Problem) LeaveGroupsOut(groups [][]int) { p.groups = groups }

// LeaveGroupsOut replaces the residuals of the rows of a group with those of a model of the rows outside the group. With M⁻¹ = A:
//
//	r[G] = P[G,G]⁻¹ α[G],    P = A - ηη'/1'η
//
// The function block returns A[G,G]. LeaveGroupsOut returns ok = false if P[G,G] is numerically indefinite, as for a group of all
// rows.
func (s *Solution) LeaveGroupsOut(groups [][]int, block func(group []int) (*mat.SymDense, error)) (ok bool, err error) {
	total := 0.0
	for _, eta := range s.Eta {
		total += eta
	}
	for _, group := range groups {
		p, err := block(group)
		if err != nil {
			return false, err
		}
		for a, i := range group {
			for b := a; b < len(group); b++ {
				p.SetSym(a, b, p.At(a, b)-s.Eta[i]*s.Eta[group[b]]/total)
			}
		}
		var chol mat.Cholesky
		if !chol.Factorize(p) {
			return false, nil
		}
		var residuals mat.Dense
		if err := chol.SolveTo(&residuals, linalg.Rows(s.Alpha, group)); err != nil {
			return false, nil // numerically singular
		}
		for a, i := range group {
			s.Residuals.SetRow(i, residuals.RawRowView(a))
		}
	}
	return true, nil
}

// block returns M⁻¹[G,G] at a ridge.
func (p *Problem) block(s linalg.Shifted, group []int) *mat.SymDense {
	n, _ := p.qt.Dims()
	q := mat.NewDense(n, len(group), nil)
	for k := range n {
		row := p.qt.RawRowView(k)
		for a, i := range group {
			q.Set(k, a, row[i]*p.root[i])
		}
	}
	solved := mat.DenseCopyOf(q)
	s.Solve(solved)
	var product mat.Dense
	product.Mul(q.T(), solved)
	return upper(&product)
}

// InverseBlock returns M⁻¹[G,G], given a factor of M (n×n). It costs O(n² g) for g rows.
func InverseBlock(ctx context.Context, factor *linalg.Cholesky, n int, group []int) (*mat.SymDense, error) {
	columns := mat.NewDense(n, len(group), nil)
	for a, i := range group {
		columns.Set(i, a, 1)
	}
	if err := factor.Solve(ctx, columns); err != nil {
		return nil, err
	}
	return upper(linalg.Rows(columns, group)), nil
}

// upper returns the symmetric matrix with this upper triangle.
func upper(m *mat.Dense) *mat.SymDense {
	n, _ := m.Dims()
	out := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			out.SetSym(i, j, m.At(i, j))
		}
	}
	return out
}
