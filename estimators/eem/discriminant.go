package eem

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/rowwise"
)

// plane holds the classes as Gaussians in the space of the discriminant directions.
type plane struct {
	means   *mat.Dense // K×r
	covs    []*mat.SymDense
	factors []*linalg.Cholesky
}

// solvePlane finds the discriminant directions: with W the mean of the classes' shrunk
// covariances and M the class means less their mean, in columns, they are W⁻¹MQS⁻¹ for
// M'W⁻¹M = QS²Q', on which W is the identity.
func (s *solution) solvePlane(ctx context.Context, stats []*Statistics, weight []float64) (*mat.Dense, error) {
	h, k := len(stats[0].mean), len(stats)
	covs := covariances(stats)
	within, centred := mat.NewSymDense(h, nil), mat.NewDense(h, k, nil)
	for i, cov := range covs {
		within.AddSym(within, cov)
		s.logW = append(s.logW, math.Log(weight[i]))
		for j, v := range stats[i].mean {
			centred.Set(j, i, v)
		}
	}
	within.ScaleSym(1/float64(k), within)
	for j := range h {
		row := centred.RawRowView(j)
		mean := 0.0
		for _, v := range row {
			mean += v / float64(k)
		}
		for i := range row {
			row[i] -= mean
		}
	}
	chol, err := linalg.NewCholesky(ctx, "mean covariance of the hidden units", within)
	if err != nil {
		return nil, err
	}
	s.report.Jitter = chol.Jitter()
	solved := mat.DenseCopyOf(centred)
	if err := chol.Solve(ctx, solved); err != nil {
		return nil, err
	}
	var gram mat.Dense
	if err := fast.MulContext(ctx, &gram, centred.T(), solved); err != nil {
		return nil, err
	}
	directions := axes(&gram, solved)
	_, r := directions.Dims()
	if r < k-1 {
		s.report.Warnings = append(s.report.Warnings, "the class means lie in a smaller space than K-1: some classes are hard to tell apart")
	}
	return directions, s.gaussians(ctx, stats, covs, directions, &gram)
}

// axes returns solved·QS⁻¹ for gram = QS²Q' and its singular values that are not
// rounding; a column of zeros if there is none.
func axes(gram, solved *mat.Dense) *mat.Dense {
	h, k := solved.Dims()
	sym := mat.NewSymDense(k, nil)
	for i := range k {
		for j := i; j < k; j++ {
			sym.SetSym(i, j, (gram.At(i, j)+gram.At(j, i))/2)
		}
	}
	var e mat.EigenSym
	if !e.Factorize(sym, true) {
		return mat.NewDense(h, 1, nil)
	}
	values := e.Values(nil)
	var vectors mat.Dense
	e.VectorsTo(&vectors)
	var keep []int
	for i := k - 1; i >= 1; i-- { // the least belongs to the centring
		if values[i] > 0 && values[i] > float64(k)*0x1p-40*values[k-1] {
			keep = append(keep, i)
		}
	}
	if len(keep) == 0 {
		return mat.NewDense(h, 1, nil)
	}
	q := mat.NewDense(k, len(keep), nil)
	for c, i := range keep {
		for row := range k {
			q.Set(row, c, vectors.At(row, i)/math.Sqrt(values[i]))
		}
	}
	var out mat.Dense
	fast.Mul(&out, solved, q)
	return &out
}

// covariances are the classes' shrunk ones, a class of one row having the mean of the
// others'; the identity where nothing varies.
func covariances(stats []*Statistics) []*mat.SymDense {
	h := len(stats[0].mean)
	out := make([]*mat.SymDense, len(stats))
	mean, count := mat.NewSymDense(h, nil), 0.0
	for i, s := range stats {
		if s.n > 1 {
			out[i], _ = s.LedoitWolf()
			mean.AddSym(mean, out[i])
			count++
		}
	}
	if count == 0 || constant(mat.Trace(mean)/float64(h)/count, stats) {
		identity := mat.NewSymDense(h, nil)
		for j := range h {
			identity.SetSym(j, j, 1)
		}
		for i := range out {
			out[i] = identity
		}
		return out
	}
	mean.ScaleSym(1/count, mean)
	for i := range out {
		if out[i] == nil {
			out[i] = mean
		}
	}
	return out
}

// gaussians sets the classes' Gaussians along the directions.
func (s *solution) gaussians(ctx context.Context, stats []*Statistics, covs []*mat.SymDense, directions, gram *mat.Dense) error {
	_, r := directions.Dims()
	p := &plane{means: mat.NewDense(len(stats), r, nil)}
	for i, st := range stats {
		var mean mat.VecDense
		fast.MulVec(&mean, directions.T(), mat.NewVecDense(len(st.mean), st.mean))
		p.means.SetRow(i, mean.RawVector().Data)
		var half mat.Dense
		if err := fast.MulContext(ctx, &half, covs[i], directions); err != nil {
			return err
		}
		cov := mat.NewSymDense(r, nil)
		for a := range r {
			for b := a; b < r; b++ {
				v := mat.Dot(directions.ColView(a), half.ColView(b))
				if a == b {
					v = max(v, leastSpread)
				}
				cov.SetSym(a, b, v)
			}
		}
		p.covs = append(p.covs, cov)
	}
	s.report.Objective = -mat.Trace(gram)
	s.plane = p
	return p.factorise(ctx)
}

func (p *plane) factorise(ctx context.Context) error {
	p.factors = nil
	for _, cov := range p.covs {
		own := mat.NewSymDense(cov.SymmetricDim(), nil)
		own.CopySym(cov)
		f, err := linalg.NewCholesky(ctx, "covariance of a class on the discriminant plane", own)
		if err != nil {
			return err
		}
		p.factors = append(p.factors, f)
	}
	return nil
}

// decision returns the log densities plus logW for rows at z.
func (p *plane) decision(z *mat.Dense, logW []float64) *mat.Dense {
	n, r := z.Dims()
	out := mat.NewDense(n, len(logW), nil)
	for k, f := range p.factors {
		diff := mat.NewDense(r, n, nil)
		for i := range n {
			for j, v := range z.RawRowView(i) {
				diff.Set(j, i, v-p.means.At(k, j))
			}
		}
		half := f.LogDet()/2 + float64(r)*math.Log(2*math.Pi)/2
		// Predictions have no context that could end, which is the only error.
		quad, _ := f.QuadInverse(context.Background(), diff)
		for i, q := range quad {
			out.Set(i, k, logW[k]-half-q/2)
		}
	}
	return out
}

// row sets out to the decision for one row at z.
func (p *plane) row(out, z, logW []float64) {
	memory := rowwise.Scratch(len(z))
	defer rowwise.Release(memory)
	diff := *memory
	for k, f := range p.factors {
		for j, v := range z {
			diff[j] = v - p.means.At(k, j)
		}
		half := f.LogDet()/2 + float64(len(z))*math.Log(2*math.Pi)/2
		out[k] = logW[k] - half - f.Quad(diff)/2
	}
}

type storedPlane struct {
	Directions codec.Matrix
	Means      codec.Matrix
	Covs       []codec.Floats // upper triangles, row by row
	LogW       codec.Floats
	Report     estimators.Report
}

func (s *solution) storePlane(directions *mat.Dense) *storedPlane {
	if s.plane == nil {
		return nil
	}
	out := &storedPlane{Directions: codec.FromDense(directions), Means: codec.FromDense(s.plane.means), LogW: s.logW, Report: s.report}
	for _, cov := range s.plane.covs {
		out.Covs = append(out.Covs, codec.FromSym(cov))
	}
	return out
}

// solution rebuilds and validates, for k classes and h features.
func (s *storedPlane) solution(kind string, classes []int, h int) (*solution, *mat.Dense, error) {
	bad := func(err error) (*solution, *mat.Dense, error) {
		return nil, nil, fault.BadModel(kind, "the discriminant plane: %v", err)
	}
	directions, err := s.Directions.Dense()
	if err != nil || directions == nil {
		return bad(err)
	}
	means, err := s.Means.Dense()
	if err != nil || means == nil {
		return bad(err)
	}
	from, r := directions.Dims()
	k, to := means.Dims()
	if from != h || to != r || k != len(classes) || len(s.Covs) != k || len(s.LogW) != k || !s.LogW.Finite() {
		return nil, nil, fault.BadModel(kind, "%d directions of %d features for %d classes", r, from, k)
	}
	p := &plane{means: means}
	for _, flat := range s.Covs {
		cov, ok := flat.Sym(r)
		if !ok {
			return nil, nil, fault.BadModel(kind, "a covariance of %d numbers for %d directions, or not finite", len(flat), r)
		}
		p.covs = append(p.covs, cov)
	}
	if err := p.factorise(context.Background()); err != nil {
		return bad(err)
	}
	return &solution{classes: classes, logW: s.LogW, plane: p, report: s.Report}, directions, nil
}
