package discriminant

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/eem/internal/moments"
	"github.com/kernelearn/kernelearn/internal/linalg"
)

// leastSpread is the lower limit of the variances S+ and S- along the projection.
const leastSpread = 1e-12

// Projection holds the direction along which two Gaussians, with the shrunk covariances of two classes, have the largest
// divergence. It also holds the projected Gaussians.
type Projection struct {
	Beta           []float64 // 0 if no direction separates the classes
	MPos, MNeg     float64   // means of the projected classes; MPos - MNeg = 2
	SPos, SNeg     float64   // variances
	Distance       float64   // q = m'Σ⁻¹m, the first term of the divergence
	Jitter         float64   // absolute
	RhoPos, RhoNeg float64
	Constant       bool // beta is 0
}

// NewProjection returns the projection for the moments of two classes. A class with one row, or with a total weight of at most 1,
// gets the covariance of the other. If this holds for both classes, or if activations do not vary, the covariance is the identity.
// NewProjection returns ErrNotPSD or the error of ctx.
func NewProjection(ctx context.Context, pos, neg *moments.Moments) (*Projection, error) {
	h := len(pos.Means)
	p := &Projection{Beta: make([]float64, h)}
	covPos, rhoPos := pos.LedoitWolf()
	covNeg, rhoNeg := neg.LedoitWolf()
	p.RhoPos, p.RhoNeg = rhoPos, rhoNeg
	switch {
	case pos.Weight <= 1 && neg.Weight > 1:
		covPos = covNeg
	case neg.Weight <= 1 && pos.Weight > 1:
		covNeg = covPos
	}
	var sum mat.SymDense
	sum.AddSym(covPos, covNeg)
	meanDiagonal := mat.Trace(&sum) / float64(h)
	if unvarying(meanDiagonal, []*moments.Moments{pos, neg}) {
		covPos, covNeg = halfIdentity(h), halfIdentity(h)
		sum.Reset()
		sum.AddSym(covPos, covNeg)
	}
	m := mat.NewDense(h, 1, nil)
	for j := range h {
		m.Set(j, 0, pos.Means[j]-neg.Means[j])
	}
	chol, err := linalg.NewCholesky(ctx, "covariance of the hidden units", &sum)
	if err != nil {
		return nil, err
	}
	p.Jitter = chol.Jitter()
	v := mat.DenseCopyOf(m)
	if err := chol.Solve(ctx, v); err != nil {
		return nil, err
	}
	for j := range h {
		p.Distance += m.At(j, 0) * v.At(j, 0)
	}
	if !(p.Distance > 0) {
		return p.withoutDirection(), nil
	}
	for j := range h {
		p.Beta[j] = 2 * v.At(j, 0) / p.Distance
		p.MPos += p.Beta[j] * pos.Means[j]
		p.MNeg += p.Beta[j] * neg.Means[j]
	}
	b := mat.NewVecDense(h, p.Beta)
	p.SPos = max(mat.Inner(b, covPos, b), leastSpread)
	p.SNeg = max(mat.Inner(b, covNeg, b), leastSpread)
	// If the squares of activations underflow, no direction is finite.
	if total := p.MPos + p.MNeg + p.SPos + p.SNeg; total-total != 0 {
		return p.withoutDirection(), nil
	}
	return p, nil
}

// unvarying reports whether a mean variance can be the rounding error of features that do not vary. The magnitude of the features
// is estimated from their means.
func unvarying(variance float64, stats []*moments.Moments) bool {
	largest := 0.0
	for _, s := range stats {
		for _, m := range s.Means {
			largest = max(largest, math.Abs(m))
		}
	}
	limit := 16 * 0x1p-52 * largest
	return variance <= limit*limit
}

// withoutDirection returns the projection for classes that no direction separates. The odds of every row are then the prior odds.
func (p *Projection) withoutDirection() *Projection {
	return &Projection{
		Beta: make([]float64, len(p.Beta)), SPos: 1, SNeg: 1, Jitter: p.Jitter, RhoPos: p.RhoPos, RhoNeg: p.RhoNeg, Constant: true,
	}
}

func halfIdentity(h int) *mat.SymDense {
	out := mat.NewSymDense(h, nil)
	for j := range h {
		out.SetSym(j, j, 0.5)
	}
	return out
}

// Divergence returns the Cauchy-Schwarz divergence of the two projected Gaussians.
func (p *Projection) Divergence() float64 {
	sum := p.SPos + p.SNeg
	return (p.MPos-p.MNeg)*(p.MPos-p.MNeg)/sum + math.Log(sum/(2*math.Sqrt(p.SPos)*math.Sqrt(p.SNeg)))
}

// LogOdds returns the log odds of the positive class at a projection z. The argument logW is the log of the ratio of priors and
// costs.
func (p *Projection) LogOdds(z, logW float64) float64 {
	if p.Constant {
		return logW
	}
	dp, dn := z-p.MPos, z-p.MNeg
	odds := -math.Log(p.SPos)/2 - dp*dp/(2*p.SPos) + math.Log(p.SNeg)/2 + dn*dn/(2*p.SNeg) + logW
	if math.IsNaN(odds) && z-z == 0 { // both densities are 0, and the class at the larger distance is less likely
		far := max(math.Abs(dp), math.Abs(dn))
		dp, dn = math.Abs(dp)/far/math.Sqrt(p.SPos), math.Abs(dn)/far/math.Sqrt(p.SNeg)
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
