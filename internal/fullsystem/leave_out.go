package fullsystem

import (
	"context"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/anyrows"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/internal/weights"
	"github.com/kernelearn/kernelearn/kernels"
)

// A left-out row has the variance v[i] given all other rows, and 1/(v[i] + λ/w[i]) is the diagonal of (K + λ/w)⁻¹. Nearly all
// information about a row comes from the rows near it. Therefore v is c times the variance of the row given the rows of its leaf
// and the leaf's context. That variance is computed with a Cholesky factor of a few hundred rows, as in [Posterior]. The factor c
// is near 1. It makes the mean of the diagonal equal to that from random probes: for random signs z, z∘(S + ΛI)⁻¹z has the diagonal
// as its mean. Single elements are noisy, but the sum over all rows is not.

const (
	// bounds of c
	leastScale, mostScale = 0.1, 1.5
	// leastShare is a lower limit for the diagonal, relative to its value before the contribution of the ones, of order 1/n, is
	// subtracted.
	leastShare = 0.1
)

// leaveOut computes the leave-one-out results of the solutions.
func (p *Problem) leaveOut(ctx context.Context, solved []*Solution) error {
	if err := p.grow(ctx, solved[0].model); err != nil {
		return err
	}
	variances := make([][]float64, len(solved))
	for s := range solved {
		variances[s] = make([]float64, p.n)
	}
	works := sync.Pool{New: func() any { return &leafWork{} }}
	err := parallel.ForEach(ctx, p.Workers, len(p.forest.leaves), func(l int) error {
		work := works.Get().(*leafWork)
		defer works.Put(work)
		return p.leafVariances(ctx, work, &p.forest.leaves[l], solved, variances)
	})
	if err != nil {
		return err
	}
	for s, v := range solved {
		p.leftOut(v, variances[s])
	}
	return ctx.Err()
}

// grow computes the posterior and the leaves, which the solutions of all ridges share.
func (p *Problem) grow(ctx context.Context, model *conditional) error {
	if p.base != nil {
		return ctx.Err()
	}
	base := &Posterior{Unit: p.unit}
	if model.f != nil {
		r, _ := model.f.Dims()
		base.Pivots = append([]int(nil), p.conditioner.pivots[:r]...)
	}
	err := base.Complete(ctx, p.kernel, p.rows, p.weights, 1, p.Workers)
	if err != nil {
		return err
	}
	if p.forest, err = newForest(ctx, p.kernel, p.rows, p.Workers); err != nil {
		return err
	}
	p.base, p.isPivot = base, make([]bool, p.n)
	for _, i := range base.Pivots {
		p.isPivot[i] = true
	}
	return nil
}

// leafWork is memory for the matrices of a leaf. It is reused, because there are thousands of leaves.
type leafWork struct{ values, plain, features, factor []float64 }

// sized returns a matrix in the given memory, which grows if necessary. Its elements are undefined.
func sized(memory *[]float64, rows, columns int) *mat.Dense {
	if len(*memory) < rows*columns {
		*memory = make([]float64, rows*columns)
	}
	return mat.NewDense(rows, columns, (*memory)[:rows*columns])
}

// leafVariances sets the variances of the rows of a leaf, for each solution.
func (p *Problem) leafVariances(ctx context.Context, work *leafWork, l *leaf, solved []*Solution, variances [][]float64) error {
	all := append(append([]int(nil), l.context...), l.rows...)
	m, own := len(all), len(l.rows)
	x := anyrows.Pick(p.rows, all)
	values := sized(&work.values, m, m)
	kernels.Block(values, p.kernel, x, x)
	values.Scale(1/p.unit, values)
	// values becomes the remainder of the kernel after the features. For pivots the remainder is 0, so their variances are scaled
	// by a comparison with the other rows of the leaf.
	plain := values
	r := len(p.base.Pivots)
	features := sized(&work.features, max(r, 1), m)
	if r > 0 {
		for a := range r {
			row, from := features.RawRowView(a), p.base.features.RawRowView(a)
			for b, i := range all {
				row[b] = from[i]
			}
		}
		plain = sized(&work.plain, m, m)
		plain.Copy(values)
		fast.Gemm(blas.Trans, blas.NoTrans, -1, features.RawMatrix(), features.RawMatrix(), 1, values.RawMatrix())
	}
	withPivots := slices.ContainsFunc(l.rows, func(i int) bool { return p.isPivot[i] })
	for at, s := range solved {
		ridge := s.Ridge / p.unit
		rest, err := p.givenContext(ctx, work, values, all, own, ridge)
		if err != nil {
			return err
		}
		seen := make([]float64, own)
		if r > 0 {
			phi := mat.DenseCopyOf(features.Slice(0, r, m-own, m))
			if seen, err = s.model.factor.QuadInverse(ctx, phi); err != nil {
				return err
			}
		}
		var near []float64
		if withPivots {
			if near, err = p.givenContext(ctx, work, plain, all, own, ridge); err != nil {
				return err
			}
		}
		sum, sumNear := 0., 0.
		for a, i := range l.rows {
			unseen := max(values.At(m-own+a, m-own+a), 0)
			variances[at][i] = p.unit * (rest[a] + withoutRow(seen[a], weights.Weight(p.weights, i), ridge, s.model.share*unseen))
			if near != nil && !p.isPivot[i] {
				sum += variances[at][i]
				sumNear += p.unit * near[a]
			}
		}
		for a, i := range l.rows {
			if p.isPivot[i] {
				variances[at][i] = p.unit * near[a]
				if sumNear > 0 {
					variances[at][i] *= sum / sumNear
				}
			}
		}
	}
	return nil
}

// withoutRow returns the variance of the features if a row is removed from the factor, given the variance seen with the row. unseen
// is the remainder of the row after the features.
func withoutRow(seen, weight, ridge, unseen float64) float64 {
	if share := seen * weight / (ridge + weight*unseen); share < 1 {
		return seen / (1 - share)
	}
	return seen
}

// givenContext returns the variance of each of the last rows given all other rows.
func (p *Problem) givenContext(ctx context.Context, work *leafWork, values *mat.Dense, rows []int, last int, ridge float64) ([]float64,
	error) {
	m := len(rows)
	c := mat.NewSymDense(m, sized(&work.factor, m, m).RawMatrix().Data)
	for a, i := range rows {
		copy(c.RawSymmetric().Data[a*m+a:(a+1)*m], values.RawRowView(a)[a:])
		c.SetSym(a, a, max(values.At(a, a), 0)+ridge/weights.Weight(p.weights, i))
	}
	chol, err := linalg.NewCholesky(ctx, "the kernel of near rows", c)
	if err != nil {
		return nil, err
	}
	// With C = U'U, V⁻¹V⁻ᵀ is the last square block of C⁻¹, where V is the last square block of U.
	upper := chol.Upper()
	upper.N, upper.Data = last, upper.Data[(m-last)*(upper.Stride+1):]
	inverse := mat.NewDense(last, last, nil)
	for a := range last {
		inverse.Set(a, a, 1)
	}
	fast.Trsm(blas.Left, blas.NoTrans, 1, upper, inverse.RawMatrix())
	out := make([]float64, last)
	for a := range out {
		row := inverse.RawRowView(a)
		out[a] = max(1/floats.Dot(row, row)-ridge/weights.Weight(p.weights, rows[m-last+a]), 0)
	}
	return out, nil
}

// leftOut computes c and the leave-one-out results that follow from the variances.
func (p *Problem) leftOut(s *Solution, variances []float64) {
	noise := func(i int) float64 { return s.Ridge / weights.Weight(p.weights, i) }
	diagonal := s.system.diagonal()
	above, below := 0., 0.
	for i, d := range diagonal { // c is such that the mean of d (c v + λ/w) is 1
		d *= weights.Weight(p.weights, i) / p.unit
		above += 1 - d*noise(i)
		below += d * variances[i]
	}
	s.scale = 1
	if below > 0 {
		s.scale = min(max(above/below, leastScale), mostScale)
	}
	floats.Scale(s.scale, variances)
	s.variances = variances
	n, k := s.Alpha.Dims()
	s.Inverse, s.Residuals, s.Scales, s.Score = make([]float64, n), mat.NewDense(n, k, nil), make([]float64, k), 0
	ones, total := vecmath.Sum(s.Eta), 0.
	for i, v := range variances {
		d := 1 / (v + noise(i))
		d = max(d-s.Eta[i]*s.Eta[i]/ones, leastShare*d)
		s.Inverse[i] = d
		w := weights.Weight(p.weights, i)
		total += w
		for j, a := range s.Alpha.RawRowView(i) {
			s.Residuals.Set(i, j, a/d)
			s.Score += w * (a / d) * (a / d)
			s.Scales[j] += a * a / d / float64(n)
		}
	}
	s.Score /= total
}

// diagonal estimates the diagonal of (S + ΛI)⁻¹ from the probes.
func (s *system) diagonal() []float64 {
	out := make([]float64, len(s.ones.u))
	for _, probe := range s.probes {
		for i, z := range probe.b {
			out[i] += z * probe.u[i] / float64(len(s.probes))
		}
	}
	return out
}
