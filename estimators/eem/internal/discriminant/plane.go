package discriminant

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/eem/internal/moments"
	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/rowwise"
)

// Plane holds the classes as Gaussians in the space of the discriminant directions.
type Plane struct {
	Means       *mat.Dense // K×r
	Covariances []*mat.SymDense
	factors     []*linalg.Cholesky
}

// PlaneFit holds a plane and its directions.
type PlaneFit struct {
	Plane      *Plane
	Directions *mat.Dense // h×r
	Jitter     float64
	Objective  float64
}

// FitPlane returns the plane of the discriminant directions of the classes. Let W be the mean of the classes' shrunk covariances,
// and let the columns of M be the class means minus their mean. The directions are W⁻¹MQS⁻¹ for M'W⁻¹M = QS²Q', and W is the
// identity on them.
func FitPlane(ctx context.Context, stats []*moments.Moments) (*PlaneFit, error) {
	h, k := len(stats[0].Means), len(stats)
	covs := covariances(stats)
	within, centred := mat.NewSymDense(h, nil), mat.NewDense(h, k, nil)
	for i, cov := range covs {
		within.AddSym(within, cov)
		for j, v := range stats[i].Means {
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
	solved := mat.DenseCopyOf(centred)
	if err := chol.Solve(ctx, solved); err != nil {
		return nil, err
	}
	var gram mat.Dense
	if err := fast.MulContext(ctx, &gram, centred.T(), solved); err != nil {
		return nil, err
	}
	directions := axes(&gram, solved)
	plane, err := newPlane(ctx, stats, covs, directions)
	if err != nil {
		return nil, err
	}
	return &PlaneFit{Plane: plane, Directions: directions, Jitter: chol.Jitter(), Objective: -mat.Trace(&gram)}, nil
}

// axes returns solved·QS⁻¹ for gram = QS²Q', with the singular values S that exceed rounding. If there are none, it returns a
// column of zeros.
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
	for i := k - 1; i >= 1; i-- { // the smallest is 0 because of the centring
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

// covariances returns the shrunk covariances of the classes. A class with one row gets the mean of the other classes' covariances.
// If no feature varies, all covariances are the identity.
func covariances(stats []*moments.Moments) []*mat.SymDense {
	h := len(stats[0].Means)
	out := make([]*mat.SymDense, len(stats))
	mean, count := mat.NewSymDense(h, nil), 0.0
	for i, s := range stats {
		if s.Weight > 1 {
			out[i], _ = s.LedoitWolf()
			mean.AddSym(mean, out[i])
			count++
		}
	}
	if count == 0 || unvarying(mat.Trace(mean)/float64(h)/count, stats) {
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

// newPlane returns the plane with the classes' Gaussians along the directions.
func newPlane(ctx context.Context, stats []*moments.Moments, covs []*mat.SymDense, directions *mat.Dense) (*Plane, error) {
	_, r := directions.Dims()
	p := &Plane{Means: mat.NewDense(len(stats), r, nil)}
	for i, st := range stats {
		var mean mat.VecDense
		fast.MulVec(&mean, directions.T(), mat.NewVecDense(len(st.Means), st.Means))
		p.Means.SetRow(i, mean.RawVector().Data)
		var half mat.Dense
		if err := fast.MulContext(ctx, &half, covs[i], directions); err != nil {
			return nil, err
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
		p.Covariances = append(p.Covariances, cov)
	}
	return p, p.Factorise(ctx)
}

// Factorise factorises the covariances, which decisions need.
func (p *Plane) Factorise(ctx context.Context) error {
	p.factors = nil
	for _, cov := range p.Covariances {
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

// Decision returns, for rows with positions z, the log density of each class plus logW.
func (p *Plane) Decision(z *mat.Dense, logW []float64) *mat.Dense {
	n, r := z.Dims()
	out := mat.NewDense(n, len(logW), nil)
	for k, f := range p.factors {
		diff := mat.NewDense(r, n, nil)
		for i := range n {
			for j, v := range z.RawRowView(i) {
				diff.Set(j, i, v-p.Means.At(k, j))
			}
		}
		half := f.LogDet()/2 + float64(r)*math.Log(2*math.Pi)/2
		// QuadInverse returns only the error of its context, which never ends here.
		quad, _ := f.QuadInverse(context.Background(), diff)
		for i, q := range quad {
			out.Set(i, k, logW[k]-half-q/2)
		}
	}
	return out
}

// Write sets out to the decision for one row with position z.
func (p *Plane) Write(out, z, logW []float64) {
	memory := rowwise.Scratch(len(z))
	defer rowwise.Release(memory)
	diff := *memory
	for k, f := range p.factors {
		for j, v := range z {
			diff[j] = v - p.Means.At(k, j)
		}
		half := f.LogDet()/2 + float64(len(z))*math.Log(2*math.Pi)/2
		out[k] = logW[k] - half - f.Quad(diff)/2
	}
}

// Graph returns the graph of Decision.
func (p *Plane) Graph(z graph.Value, logW []float64) graph.Value {
	parts := make([]graph.Value, len(logW))
	for k, f := range p.factors {
		quad := z.Sub(z.Row(p.Means.RawRowView(k))).SolveUpper(f.Upper()).Square().Sum()
		parts[k] = quad.Times(-0.5).Plus(logW[k] - f.LogDet()/2 - float64(z.Cols())*math.Log(2*math.Pi)/2)
	}
	return graph.Concat(parts...)
}
