package loo

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/linalg"
)

// LeaveGroupsOut sets groups of rows that are left out together. The cost of a ridge grows by O(dg² + g³) for a group of g rows,
// and by O(d²g + d³) if the group has more rows than there are features.
func (p *Linear) LeaveGroupsOut(groups [][]int) { p.groups = groups }

// leaveGroupsOut returns the residuals of all rows, with the rows of groups left out together, and reports which rows are in
// groups. If there are no groups, it returns nil. It returns ok = false if rounding makes a group singular.
func (p *Linear) leaveGroupsOut(ctx context.Context, s linalg.Shifted, lambda float64,
	fitted *mat.Dense) (left *mat.Dense, together []bool, ok bool, err error) {
	if len(p.groups) == 0 {
		return nil, nil, true, nil
	}
	n, _ := fitted.Dims()
	left, together = new(mat.Dense), make([]bool, n)
	left.Sub(p.targets, fitted)
	f := FeatureGroups{Columns: p.rotated, Intercept: p.leverage, Solve: s.Solve,
		Matrix: func() *mat.SymDense { return p.tri.Matrix(lambda) }}
	for _, group := range p.groups {
		if err := ctx.Err(); err != nil {
			return nil, nil, false, err
		}
		if _, ok := f.Leave(left, group); !ok {
			return nil, nil, false, nil
		}
		for _, i := range group {
			together[i] = true
		}
	}
	return left, together, true, nil
}

// LeftOutOfFeatures turns the residuals e of ridge regression on features (n×k, times √w) into leave-one-out residuals. Rows of a
// group are left out together:
//
//	r[G] = (1 - H[G,G])⁻¹ e[G],    H = turned'turned + √intercept √intercept'
//
// The slice leverage holds the diagonal of turned'turned, for turned (d×n). If 1 - H is singular up to rounding, e is 0, and so is
// r. For each row it returns 1/((1 - H[G,G])⁻¹)[i,i], the ratio of the noise variance to the variance of the row's residual, or 0
// in the singular case. It also returns ctx's error.
func LeftOutOfFeatures(ctx context.Context, residuals *mat.Dense, leverage, intercept []float64, groups [][]int,
	turned *mat.Dense) (shares []float64, err error) {
	d, _ := turned.Dims()
	f := FeatureGroups{Columns: turned, Intercept: intercept, Solve: func(*mat.Dense) {},
		Matrix: func() *mat.SymDense { return Identity(d) }}
	shares = make([]float64, len(leverage))
	for i, h := range leverage {
		shares[i] = max(0, 1-h-intercept[i])
	}
	together := make([]bool, len(leverage))
	for _, group := range groups {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		own, ok := f.Leave(residuals, group)
		for a, i := range group {
			together[i], shares[i] = true, 0
			if ok {
				shares[i] = own[a]
			} else {
				clear(residuals.RawRowView(i))
			}
		}
	}
	for i := range leverage {
		switch row := residuals.RawRowView(i); {
		case together[i]:
		case shares[i] > 0:
			scale(row, shares[i])
		default:
			clear(row)
		}
	}
	return shares, ctx.Err()
}

func scale(row []float64, by float64) {
	for j := range row {
		row[j] /= by
	}
}

// Identity returns the identity matrix.
func Identity(d int) *mat.SymDense {
	out := mat.NewSymDense(d, nil)
	for j := range d {
		out.SetSym(j, j, 1)
	}
	return out
}

// FeatureGroups computes the residuals of ridge regression on features when groups of rows are left out. The hat matrix is H =
// R'M⁻¹R + √intercept √intercept'.
type FeatureGroups struct {
	Columns   *mat.Dense // R, d×n
	Intercept []float64
	Solve     func(b *mat.Dense)   // overwrites b with M⁻¹b
	Matrix    func() *mat.SymDense // returns M, d×d
}

// Leave replaces the residuals e of a group with (1 - H[G,G])⁻¹e, and returns the reciprocals of the diagonal of that inverse. It
// returns ok = false if 1 - H[G,G] is singular up to rounding.
func (f FeatureGroups) Leave(residuals *mat.Dense, group []int) (shares []float64, ok bool) {
	var left *mat.Dense
	if d, _ := f.Columns.Dims(); len(group) <= d {
		left, shares, ok = f.byRows(linalg.Rows(residuals, group), group)
	} else {
		left, shares, ok = f.byColumns(linalg.Rows(residuals, group), group)
	}
	if !ok {
		return nil, false
	}
	for a, i := range group {
		residuals.SetRow(i, left.RawRowView(a))
	}
	return shares, true
}

// byRows solves a system with one equation per row of the group.
func (f FeatureGroups) byRows(e *mat.Dense, group []int) (left *mat.Dense, shares []float64, ok bool) {
	columns, product := f.columnsOf(group), new(mat.Dense)
	solved := mat.DenseCopyOf(columns)
	f.Solve(solved)
	fast.Mul(product, columns.T(), solved)
	rest := upper(product)
	for a, i := range group {
		for b := a; b < len(group); b++ {
			v := -rest.At(a, b) - math.Sqrt(f.Intercept[i]*f.Intercept[group[b]])
			if a == b {
				v++
			}
			rest.SetSym(a, b, v)
		}
	}
	var chol mat.Cholesky
	var inverse mat.SymDense
	left = new(mat.Dense)
	if !chol.Factorize(rest) || chol.SolveTo(left, e) != nil || chol.InverseTo(&inverse) != nil {
		return nil, nil, false
	}
	shares = make([]float64, len(group))
	for a := range shares {
		shares[a] = 1 / inverse.At(a, a)
	}
	return left, shares, true
}

// byColumns solves a system with one equation per feature, and one for the intercept:
//
//	(1 - B'M⁻¹B)⁻¹ = 1 + B'(M - BB')⁻¹B
//
// B holds the group's columns of R, extended by a row of √intercept, and M is extended by a 1.
func (f FeatureGroups) byColumns(e *mat.Dense, group []int) (left *mat.Dense, shares []float64, ok bool) {
	d, _ := f.Columns.Dims()
	b := mat.NewDense(d+1, len(group), nil)
	b.Slice(0, d, 0, len(group)).(*mat.Dense).Copy(f.columnsOf(group))
	for a, i := range group {
		b.Set(d, a, math.Sqrt(f.Intercept[i]))
	}
	product := new(mat.Dense)
	fast.Mul(product, b, b.T())
	m, rest := f.Matrix(), upper(product)
	for i := range d + 1 {
		for j := i; j <= d; j++ {
			v := -rest.At(i, j)
			switch {
			case j < d:
				v += m.At(i, j)
			case i == d:
				v++
			}
			rest.SetSym(i, j, v)
		}
	}
	var chol mat.Cholesky
	var solved mat.Dense
	if !chol.Factorize(rest) || chol.SolveTo(&solved, b) != nil {
		return nil, nil, false
	}
	moment := new(mat.Dense)
	fast.Mul(moment, b, e)
	left = new(mat.Dense)
	fast.Mul(left, solved.T(), moment)
	left.Add(left, e)
	shares = make([]float64, len(group))
	for a := range shares {
		quad := 0.0
		for j := range d + 1 {
			quad += b.At(j, a) * solved.At(j, a)
		}
		shares[a] = 1 / (1 + quad)
	}
	return left, shares, true
}

// columnsOf returns the columns of a group.
func (f FeatureGroups) columnsOf(group []int) *mat.Dense {
	d, _ := f.Columns.Dims()
	out := mat.NewDense(d, len(group), nil)
	for k := range d {
		row := f.Columns.RawRowView(k)
		for a, i := range group {
			out.Set(k, a, row[i])
		}
	}
	return out
}
