package eem

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/linalg"
)

// leastSpread is the floor of the variances S+ and S- along the projection.
const leastSpread = 1e-12

// projection is the direction on which two classes, as Gaussians of their shrunk
// covariances, have the largest divergence, and those Gaussians on it.
type projection struct {
	beta           []float64 // 0 where no direction tells the classes apart
	mPos, mNeg     float64   // means; mPos - mNeg is 2
	sPos, sNeg     float64   // variances
	distance       float64   // q = m'Σ⁻¹m, which is the divergence's first term
	jitter         float64   // absolute
	rhoPos, rhoNeg float64
	constant       bool // beta is 0
}

// project solves for the direction of two classes. A class of one row, or of no more weight, borrows the
// other's covariance; with one row in both, or activations that do not vary, the
// covariance is the identity. The error is ErrNotPSD or ctx's.
func project(ctx context.Context, pos, neg *Statistics) (*projection, error) {
	h := len(pos.mean)
	p := &projection{beta: make([]float64, h)}
	covPos, rhoPos := pos.LedoitWolf()
	covNeg, rhoNeg := neg.LedoitWolf()
	p.rhoPos, p.rhoNeg = rhoPos, rhoNeg
	switch {
	case pos.n <= 1 && neg.n > 1:
		covPos = covNeg
	case neg.n <= 1 && pos.n > 1:
		covNeg = covPos
	}
	var sum mat.SymDense
	sum.AddSym(covPos, covNeg)
	meanDiagonal := mat.Trace(&sum) / float64(h)
	if constant(meanDiagonal, []*Statistics{pos, neg}) {
		covPos, covNeg = halfIdentity(h), halfIdentity(h)
		sum.Reset()
		sum.AddSym(covPos, covNeg)
	}
	m := mat.NewDense(h, 1, nil)
	for j := range h {
		m.Set(j, 0, pos.mean[j]-neg.mean[j])
	}
	chol, err := linalg.NewCholesky(ctx, "covariance of the hidden units", &sum)
	if err != nil {
		return nil, err
	}
	p.jitter = chol.Jitter()
	v := mat.DenseCopyOf(m)
	if err := chol.Solve(ctx, v); err != nil {
		return nil, err
	}
	for j := range h {
		p.distance += m.At(j, 0) * v.At(j, 0)
	}
	if !(p.distance > 0) {
		return p.withoutDirection(), nil
	}
	for j := range h {
		p.beta[j] = 2 * v.At(j, 0) / p.distance
		p.mPos += p.beta[j] * pos.mean[j]
		p.mNeg += p.beta[j] * neg.mean[j]
	}
	b := mat.NewVecDense(h, p.beta)
	p.sPos = max(mat.Inner(b, covPos, b), leastSpread)
	p.sNeg = max(mat.Inner(b, covNeg, b), leastSpread)
	// Activations so small that their squares vanish give no direction that numbers hold.
	if total := p.mPos + p.mNeg + p.sPos + p.sNeg; total-total != 0 {
		return p.withoutDirection(), nil
	}
	return p, nil
}

// constant says of a mean variance whether it is but the rounding of features that do not
// vary. Those are as large as their means.
func constant(variance float64, stats []*Statistics) bool {
	largest := 0.0
	for _, s := range stats {
		for _, m := range s.mean {
			largest = max(largest, math.Abs(m))
		}
	}
	limit := 16 * 0x1p-52 * largest
	return variance <= limit*limit
}

// withoutDirection is what is left where nothing tells the classes apart.
func (p *projection) withoutDirection() *projection {
	return &projection{beta: make([]float64, len(p.beta)), sPos: 1, sNeg: 1, jitter: p.jitter, rhoPos: p.rhoPos, rhoNeg: p.rhoNeg, constant: true}
}

func halfIdentity(h int) *mat.SymDense {
	out := mat.NewSymDense(h, nil)
	for j := range h {
		out.SetSym(j, j, 0.5)
	}
	return out
}

// divergence is the Cauchy-Schwarz divergence of the two projected Gaussians.
func (p *projection) divergence() float64 {
	sum := p.sPos + p.sNeg
	return (p.mPos-p.mNeg)*(p.mPos-p.mNeg)/sum + math.Log(sum/(2*math.Sqrt(p.sPos)*math.Sqrt(p.sNeg)))
}

// logOdds of the positive class at a projection z; logW is the log of the ratio of
// priors and costs.
func (p *projection) logOdds(z, logW float64) float64 {
	if p.constant {
		return logW
	}
	dp, dn := z-p.mPos, z-p.mNeg
	odds := -math.Log(p.sPos)/2 - dp*dp/(2*p.sPos) + math.Log(p.sNeg)/2 + dn*dn/(2*p.sNeg) + logW
	if math.IsNaN(odds) && z-z == 0 { // both are infinitely unlikely: the one that is further off is more so
		far := max(math.Abs(dp), math.Abs(dn))
		dp, dn = math.Abs(dp)/far/math.Sqrt(p.sPos), math.Abs(dn)/far/math.Sqrt(p.sNeg)
		switch {
		case dp < dn:
			return math.Inf(1)
		case dp > dn:
			return math.Inf(-1)
		}
		return logW
	}
	return odds
}

// Region says where along the projection a row is assigned to the positive class.
type Region int

// The regions.
const (
	// Above predicts the positive class at and above Near. Both classes have the same spread.
	Above Region = iota
	// Between predicts the positive class between Near and Far. The positive class has the smaller spread.
	Between
	// Outside predicts the positive class outside of Far and Near. The positive class has the larger spread.
	Outside
	// Always predicts the positive class everywhere.
	Always
	// Never means that the positive class is predicted nowhere.
	Never
)

// String returns the region's name.
func (r Region) String() string {
	switch r {
	case Above:
		return "Above"
	case Between:
		return "Between"
	case Outside:
		return "Outside"
	case Always:
		return "Always"
	case Never:
		return "Never"
	}
	return "Region(?)"
}

// Thresholds are the points along the projection where the odds are even. There is one, or two if the classes have
// different spreads. A threshold that does not exist is NaN.
type Thresholds struct {
	Near, Far float64
	Region    Region
}

// thresholds in a form that does not cancel where the variances are nearly equal.
func (p *projection) thresholds(logW float64) Thresholds {
	if p.constant {
		if logW >= 0 {
			return Thresholds{math.NaN(), math.NaN(), Always}
		}
		return Thresholds{math.NaN(), math.NaN(), Never}
	}
	d := p.mPos - p.mNeg
	a := p.sNeg - p.sPos
	c := d*d*p.sNeg + p.sPos*p.sNeg*(math.Log(p.sPos/p.sNeg)-2*logW)
	ds := d * p.sNeg
	disc := ds*ds - a*c
	if disc < 0 {
		if a > 0 {
			return Thresholds{math.NaN(), math.NaN(), Never}
		}
		return Thresholds{math.NaN(), math.NaN(), Always}
	}
	q := ds + math.Sqrt(disc)
	t := Thresholds{Near: p.mNeg + c/q, Far: math.NaN(), Region: Above}
	if a != 0 {
		t.Far, t.Region = p.mNeg+q/a, Between
		if a < 0 {
			t.Region = Outside
		}
	}
	return t
}
