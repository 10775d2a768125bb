package lssvm

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/linalg"
)

// RidgeRule says where the ridge λ comes from.
type RidgeRule int

// The rules.
const (
	LeaveOneOut RidgeRule = iota // minimise the exact leave-one-out squared error: the default
	Fixed                        // the field Ridge
	Heuristic                    // HeuristicRidge(n)
)

// String returns the rule's name.
func (r RidgeRule) String() string {
	switch r {
	case LeaveOneOut:
		return "LeaveOneOut"
	case Fixed:
		return "Fixed"
	case Heuristic:
		return "Heuristic"
	}
	return fmt.Sprintf("RidgeRule(%d)", int(r))
}

// HeuristicRidge returns min(1, (n/1500)^1.5), equation (20) of Embrechts
// (IJCNN 2004), for n training rows.
func HeuristicRidge(n int) float64 { return min(1, math.Pow(float64(n)/1500, 1.5)) }

// The leave-one-out search looks at ridges from MinRelativeRidge to
// MaxRelativeRidge, in units of the mean diagonal of the centred kernel matrix,
// RidgesPerDecade to a decade, and then refines the best.
const (
	MinRelativeRidge = 1e-8
	MaxRelativeRidge = 1e4
	RidgesPerDecade  = 2
	ridgeRefinements = 8
)

// press is the leave-one-out error of one problem as a function of the ridge.
// With W = diag(w) and √W K √W = QTQ',  M⁻¹ = √W Q (T+λI)⁻¹ Q' √W.
type press struct {
	tri     *linalg.Tridiagonal
	q       *mat.Dense
	rotated *mat.Dense // Q'√W [1 | t], n×(1+k)
	root    []float64  // √w
	scale   float64    // mean diagonal of the centred kernel matrix
	workers int
}

// newPress takes over gram.
func newPress(gram *mat.SymDense, targets *mat.Dense, weights []float64, workers int) *press {
	n, k := targets.Dims()
	p := &press{root: make([]float64, n), workers: workers, scale: centredScale(gram)}
	for i := range p.root {
		p.root[i] = 1
		if weights != nil {
			p.root[i] = math.Sqrt(weights[i])
		}
	}
	if weights != nil {
		raw := gram.RawSymmetric()
		for i, wi := range p.root {
			row := raw.Data[i*raw.Stride : i*raw.Stride+n]
			for j := i; j < n; j++ {
				row[j] *= wi * p.root[j]
			}
		}
	}
	p.rotated = mat.NewDense(n, k+1, nil)
	for i, s := range p.root {
		p.rotated.Set(i, 0, s)
		for j := range k {
			p.rotated.Set(i, j+1, s*targets.At(i, j))
		}
	}
	p.tri = linalg.Tridiagonalize(gram)
	p.tri.Rotate(p.rotated)
	p.q = p.tri.Q()
	return p
}

// centredScale is trace(HKH)/n, the variance of the rows in feature space: the
// bias takes up what a constant added to K would explain. 1 where it is 0.
func centredScale(gram *mat.SymDense) float64 {
	raw := gram.RawSymmetric()
	n := raw.N
	trace, total := 0.0, 0.0
	for i := range n {
		trace += raw.Data[i*raw.Stride+i]
		total += raw.Data[i*raw.Stride+i]
		for _, v := range raw.Data[i*raw.Stride+i+1 : i*raw.Stride+n] {
			total += 2 * v
		}
	}
	mean := trace / float64(n)
	if s := mean - total/float64(n)/float64(n); s > 1e-14*mean {
		return s
	}
	if mean > 0 {
		return mean
	}
	return 1
}

// at returns the mean weighted squared leave-one-out residual, summed over the
// targets; infinity where rounding makes M indefinite.
func (p *press) at(ctx context.Context, lambda float64) (float64, error) {
	s, ok := p.tri.Shift(lambda)
	if !ok {
		return math.Inf(1), ctx.Err()
	}
	diag, err := s.Quad(ctx, p.workers, p.q)
	if err != nil {
		return 0, err
	}
	n, k := p.rotated.Dims()
	x := mat.DenseCopyOf(p.rotated)
	s.Solve(x)
	cols := make([][]float64, k) // [η | ν...], each over √w
	for j := range cols {
		cols[j] = make([]float64, n)
		blas64.Gemv(blas.NoTrans, 1, p.q.RawMatrix(),
			blas64.Vector{N: n, Inc: k, Data: x.RawMatrix().Data[j:]}, 0, blas64.Vector{N: n, Inc: 1, Data: cols[j]})
	}
	etaSum, nuSum := 0.0, make([]float64, k)
	for i, r := range p.root {
		etaSum += r * cols[0][i]
		for j := 1; j < k; j++ {
			nuSum[j] += r * cols[j][i]
		}
	}
	sum, weight := 0.0, 0.0
	for i, r := range p.root {
		eta := cols[0][i]
		pii := diag[i] - eta*eta/etaSum // P[i,i] / w[i]
		if !(pii > 0) || !(etaSum > 0) {
			return math.Inf(1), nil
		}
		for j := 1; j < k; j++ {
			// α[i]/P[i,i], times √w[i].
			e := (cols[j][i] - eta*nuSum[j]/etaSum) / pii
			sum += e * e
		}
		weight += r * r
	}
	return sum / weight, nil
}

// search returns the ridge of the least leave-one-out error, that error, how
// many ridges were looked at, and a warning if the best lies on the edge.
func (p *press) search(ctx context.Context, observe func(estimators.Step)) (lambda, best float64, evaluations int, warning string, err error) {
	const steps = 12 * RidgesPerDecade // MaxRelativeRidge/MinRelativeRidge is 1e12
	total := steps + 1 + ridgeRefinements
	at := func(u float64) float64 {
		if err != nil {
			return math.Inf(1)
		}
		var v float64
		v, err = p.at(ctx, math.Exp(u))
		evaluations++
		if err == nil && observe != nil {
			observe(estimators.Step{Iteration: evaluations, Total: total, Objective: v, Message: fmt.Sprintf("ridge %.3g", math.Exp(u))})
		}
		return v
	}
	lo, hi := math.Log(p.scale*MinRelativeRidge), math.Log(p.scale*MaxRelativeRidge)
	h := (hi - lo) / steps
	bestStep := -1
	best = math.Inf(1)
	// From the largest down, so that of equal errors the smoothest model wins.
	for i := steps; i >= 0; i-- {
		if v := at(lo + float64(i)*h); v < best {
			best, bestStep = v, i
		}
	}
	if err != nil {
		return 0, 0, evaluations, "", err
	}
	if bestStep < 0 {
		return HeuristicRidge(len(p.root)), math.NaN(), evaluations, "no ridge gave a finite leave-one-out error: took the heuristic", nil
	}
	u := lo + float64(bestStep)*h
	switch bestStep {
	case 0:
		return math.Exp(u), best, evaluations, "the best ridge is the smallest that was tried: the targets look free of noise", nil
	case steps:
		return math.Exp(u), best, evaluations, "the best ridge is the largest that was tried: the model is nearly constant", nil
	}
	// Golden section between the neighbours.
	const g = 0.6180339887498949
	a, b := u-h, u+h
	c, d := b-g*(b-a), a+g*(b-a)
	fc, fd := at(c), at(d)
	for range ridgeRefinements - 2 {
		if fc < fd {
			b, d, fd = d, c, fc
			c = b - g*(b-a)
			fc = at(c)
		} else {
			a, c, fc = c, d, fd
			d = a + g*(b-a)
			fd = at(d)
		}
	}
	if err != nil {
		return 0, 0, evaluations, "", err
	}
	if fc < best {
		u, best = c, fc
	}
	if fd < best {
		u, best = d, fd
	}
	return math.Exp(u), best, evaluations, "", nil
}
