package loo

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/linalg"
)

// LeaveGroupsOut has the rows of each group left out together, as [Solution.LeaveGroupsOut]. The rows in no group are
// left out alone. The cost of a ridge grows by O(n Σ g²) for groups of g rows.
func (p *Problem) LeaveGroupsOut(groups [][]int) { p.groups = groups }

// LeaveGroupsOut replaces the residuals of the rows of a group by what the model of the rows outside it leaves of their
// targets, for M⁻¹ = A:
//
//	r[G] = P[G,G]⁻¹ α[G],    P = A - ηη'/1'η
//
// block returns A[G,G]. ok is false if rounding makes a P[G,G] indefinite, as it is for a group of all rows.
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
			return false, nil // singular to rounding
		}
		for a, i := range group {
			s.Residuals.SetRow(i, residuals.RawRowView(a))
		}
	}
	return true, nil
}

// block returns M⁻¹[G,G] of a ridge.
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

// InverseBlock returns M⁻¹[G,G] by a factor of M (n×n). Cost O(n² g) for g rows.
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

// LeaveGroupsOut has the rows of each group left out together. The cost of a ridge grows by O(d Σ g²) for groups of g rows.
func (p *Linear) LeaveGroupsOut(groups [][]int) { p.groups = groups }

// LeftOutOfFeatures turns the residuals e of ridge regression on features (n×k, times √w) into those of each row that is left
// out, or of the rows of a group that are left out together:
//
//	r[G] = (1 - H[G,G])⁻¹ e[G],    H = turned'turned + √intercept √intercept'
//
// leverage is the diagonal of turned'turned, for turned (d×n). Where rounding leaves nothing of 1 - H, e is 0 and r is, too.
// It returns, for each row, the variance of the noise over that of its residual, 1/((1 - H[G,G])⁻¹)[i,i], or 0 there.
func LeftOutOfFeatures(residuals *mat.Dense, leverage, intercept []float64, groups [][]int, turned *mat.Dense) (shares []float64) {
	shares = make([]float64, len(leverage))
	block := func(group []int) *mat.SymDense { return gramOf(turned, group) }
	together := leaveGroupsOut(residuals, intercept, groups, block, func(group []int) bool {
		for _, i := range group {
			clear(residuals.RawRowView(i))
		}
		return true
	}, shares)
	leaveRowsOut(residuals, leverage, intercept, together, func(i int) bool {
		clear(residuals.RawRowView(i))
		return true
	})
	for i, h := range leverage {
		if !together[i] {
			shares[i] = max(0, 1-h-intercept[i])
		}
	}
	return shares
}

// leaveGroupsOut replaces the residuals of groups, and says which rows are in one. It ends, with nil, if singular returns
// false for a group of which nothing is left. Shares, if they are not nil, are set for the rows of groups, see [LeftOutOfFeatures].
func leaveGroupsOut(residuals *mat.Dense, intercept []float64, groups [][]int, block func(group []int) *mat.SymDense, singular func(group []int) bool, shares []float64) (together []bool) {
	together = make([]bool, len(intercept))
	for _, group := range groups {
		rest := block(group)
		for a, i := range group {
			together[i] = true
			for b := a; b < len(group); b++ {
				v := -rest.At(a, b) - math.Sqrt(intercept[i]*intercept[group[b]])
				if a == b {
					v++
				}
				rest.SetSym(a, b, v)
			}
		}
		var chol mat.Cholesky
		var out mat.Dense
		if !chol.Factorize(rest) || chol.SolveTo(&out, linalg.Rows(residuals, group)) != nil {
			if !singular(group) {
				return nil
			}
			continue
		}
		for a, i := range group {
			residuals.SetRow(i, out.RawRowView(a))
		}
		var inverse mat.SymDense
		if shares == nil || chol.InverseTo(&inverse) != nil {
			continue
		}
		for a, i := range group {
			shares[i] = 1 / inverse.At(a, a)
		}
	}
	return together
}

// leaveRowsOut replaces the residuals of the rows in no group. It reports false if singular does for a row.
func leaveRowsOut(residuals *mat.Dense, leverage, intercept []float64, together []bool, singular func(i int) bool) bool {
	for i, h := range leverage {
		if together[i] {
			continue
		}
		rest := 1 - h - intercept[i]
		if !(rest > 0) {
			if !singular(i) {
				return false
			}
			continue
		}
		row := residuals.RawRowView(i)
		for j := range row {
			row[j] /= rest
		}
	}
	return true
}

// quadBlock returns R[:,G]'(T + λ)⁻¹R[:,G] of R = rotated.
func quadBlock(s linalg.Shifted, rotated *mat.Dense, group []int) *mat.SymDense {
	columns := columnsOf(rotated, group)
	solved := mat.DenseCopyOf(columns)
	s.Solve(solved)
	var product mat.Dense
	product.Mul(columns.T(), solved)
	return upper(&product)
}

// gramOf returns A[:,G]'A[:,G].
func gramOf(a *mat.Dense, group []int) *mat.SymDense {
	var product mat.Dense
	columns := columnsOf(a, group)
	product.Mul(columns.T(), columns)
	return upper(&product)
}

func columnsOf(m *mat.Dense, of []int) *mat.Dense {
	d, _ := m.Dims()
	out := mat.NewDense(d, len(of), nil)
	for k := range d {
		row := m.RawRowView(k)
		for a, i := range of {
			out.Set(k, a, row[i])
		}
	}
	return out
}

// upper is the symmetric matrix of an upper triangle.
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
