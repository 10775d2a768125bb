package entropy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection/search"
)

// Defaults of GoldenSection, as in the paper. Its text prints 70 as the highest degree, but its Table 11 contains degrees that only
// 80 leads to.
const (
	defaultBandLow           = 0.3
	defaultBandHigh          = 0.5
	defaultSectionLow        = 1.0
	defaultSectionHigh       = 33.0
	defaultSectionHighDegree = 80.0 // for a family of integers
)

// GoldenSection is the search of the paper that proposes the entropy, unchanged (Belanche-Muñoz and Wiejacha, Entropy 25, 2023,
// 154, section 3.6). It chooses the first parameter that it evaluates whose kernel matrix has an entropy in [BandLow, BandHigh].
// Its purpose is to reproduce that paper. [Search] is the better strategy.
//
// It computes the entropies at a = Lo and then at b = Hi. While neither is in the band, and one is below and one above it, it
// computes the entropies at the following points, with φ = (1+√5)/2,
//
//	c = b - (b-a)/φ,  d = a + (b-a)/φ
//
// in this order. If both are above the band, b = d. If both are below, a = c. If c is below and d above, it discards the side of
// the point whose entropy is farther from the band, and a = c in a tie. Nothing is scored, and the learner is fitted once.
//
// The paper does not say what happens if its rule does not terminate. Here the parameter whose entropy is nearest to the band is
// chosen, with a warning and a status:
//
//	unbracketed  the entropies at Lo and Hi are both below the band, or both above
//	nonmonotone  the lower parameter is above the band, the higher one below
//	atomic       no member of a family of integers is in the band
//	unconverged  MaxEvaluations entropies, or all that float64 can distinguish, have been computed
//
// Parameters of a family of integers are rounded. The paper uses fractional degrees, which do not give kernels;
// measurements/papers/entropy does the same with a family of its own.
//
// An evaluation costs O(n²d) and 4n³/3, and needs memory for one n×n matrix. It returns ErrParam, ErrShape if all rows are equal,
// ErrTooLarge, or the errors of the kernel and of ctx.
type GoldenSection struct {
	// BandLow and BandHigh are the ends of the band, in (0, 1) and ascending. If they are 0, 0.3 and 0.5 are used.
	BandLow, BandHigh float64 `zero:"0.3 and 0.5" below:"1"`

	// Lo and Hi are the ends of the interval, ascending and within the family's bounds. If they are 0, the interval is [1, 33], or
	// [1, 80] for a family of integers.
	Lo, Hi float64 `zero:"1 and 33, or 80 for whole numbers"`

	// MaxEvaluations is the largest number of entropies computed, ≥ 2. If it is 0, 40 is used.
	MaxEvaluations int `zero:"40" least:"2"`
}

func (g *GoldenSection) withDefaults(family families.Family) (GoldenSection, error) {
	const typ = "entropy: GoldenSection"
	out := *g
	if err := settings.Check(typ, g); err != nil {
		return out, err
	}
	high := defaultSectionHigh
	if family.Integer() {
		high = defaultSectionHighDegree
	}
	out.BandLow, out.BandHigh = cmp.Or(out.BandLow, defaultBandLow), cmp.Or(out.BandHigh, defaultBandHigh)
	out.Lo, out.Hi = cmp.Or(out.Lo, defaultSectionLow), cmp.Or(out.Hi, high)
	out.MaxEvaluations = cmp.Or(out.MaxEvaluations, defaultMaxEvaluations)
	lo, hi := family.Bounds()
	switch {
	case out.BandLow >= out.BandHigh:
		return out, fault.Param(typ, "BandLow, BandHigh", fmt.Sprintf("%v, %v", out.BandLow, out.BandHigh),
			"ascending in (0, 1), or 0 for the default")
	case !(out.Lo >= lo && out.Lo < out.Hi && out.Hi <= hi):
		return out, fault.Param(typ, "Lo, Hi", fmt.Sprintf("%v, %v", out.Lo, out.Hi),
			fmt.Sprintf("ascending in [%v, %v], or 0 for the default", lo, hi))
	}
	return out, nil
}

// Name returns "golden section".
func (g *GoldenSection) Name() string { return "golden section" }

// Choose implements [search.Strategy].
func (g *GoldenSection) Choose(ctx context.Context, r *search.Run) (_ search.Choice, err error) {
	defer check.Begin(&ctx)(&err)
	if r == nil {
		return search.Choice{}, search.ErrNoRun
	}
	const typ = "entropy: GoldenSection"
	if err := r.KernelsOnly(typ); err != nil {
		return search.Choice{}, err
	}
	cfg, err := g.withDefaults(r.Family)
	if err != nil {
		return search.Choice{}, err
	}
	if err := rowsDiffer(r); err != nil {
		return search.Choice{}, err
	}
	source := &exactSource{run: r, x: r.X}
	s := section{low: cfg.BandLow, high: cfg.BandHigh, integer: r.Family.Integer(), limit: cfg.MaxEvaluations}
	s.eval = func(param float64) (float64, error) {
		row, err := r.Evaluate(ctx, search.Evaluation{Point: search.ParamPoint(param), Rows: source.rows()},
			func(ctx context.Context, row *search.TraceRow) error {
				err := source.measure(ctx, r.Family.Kernel(param), row)
				row.Band = s.band(row.Entropy)
				return err
			})
		return row.Entropy, err
	}
	status, err := s.find(cfg.Lo, cfg.Hi)
	if err != nil {
		return search.Choice{}, err
	}
	at, _ := r.Find(search.ParamPoint(s.known[s.nearest()].param), 0)
	cfg.warn(r, at, status)
	return search.Choice{Iteration: at.Iteration, Status: status, Target: missing}, nil
}

// warn adds a warning with the reason why no entropy in the band was found.
func (g *GoldenSection) warn(r *search.Run, at search.TraceRow, status search.Status) {
	why := map[search.Status]string{
		search.StatusUnbracketed: fmt.Sprintf("the entropies at %.4g and %.4g lie on one side of it", g.Lo, g.Hi),
		search.StatusNonMonotone: "the entropy falls where it should rise",
		search.StatusAtomic:      "two consecutive integers lie on both sides of it",
		search.StatusUnconverged: fmt.Sprintf("%d entropies missed it", r.Len()),
		search.StatusBudget:      fmt.Sprintf("the budget of %v ended the search", r.Budget),
	}[status]
	if why != "" {
		r.Warn("no entropy in [%v, %v] was found: %s; the nearest, %.3f at %v, is used", g.BandLow, g.BandHigh, why, at.Entropy, at.Point)
	}
}

// section applies the paper's rule to the entropies that eval computes.
type section struct {
	low, high float64 // the band
	integer   bool
	limit     int // largest number of entropies to compute
	eval      func(param float64) (float64, error)
	known     []point
}

// errLimit is returned if another entropy would exceed the limit.
var errLimit = errors.New("the limit on evaluations is reached")

// side returns the signed distance to the band: negative below, 0 within, and positive above.
func (s *section) side(entropy float64) float64 {
	return min(entropy-s.low, 0) + max(entropy-s.high, 0)
}

// band returns the position of an entropy relative to the band, for the trace.
func (s *section) band(entropy float64) search.Band {
	switch side := s.side(entropy); {
	case side < 0:
		return search.BelowBand
	case side > 0:
		return search.AboveBand
	}
	return search.InBand
}

// sideAt returns the side of a parameter. It computes the entropy of the parameter unless it is known.
func (s *section) sideAt(param float64) (float64, error) {
	param = s.snap(param)
	for _, p := range s.known {
		if p.param == param {
			return s.side(p.entropy), nil
		}
	}
	if len(s.known) == s.limit {
		return 0, errLimit
	}
	e, err := s.eval(param)
	if err != nil {
		return 0, err
	}
	s.known = append(s.known, point{math.Log(param), param, e})
	return s.side(e), nil
}

func (s *section) snap(param float64) float64 {
	if s.integer {
		return math.Round(param)
	}
	return param
}

// nearest returns the position of the known entropy nearest to the band, or of the first in a tie.
func (s *section) nearest() int {
	best := 0
	for i, p := range s.known {
		if math.Abs(s.side(p.entropy)) < math.Abs(s.side(s.known[best].entropy)) {
			best = i
		}
	}
	return best
}

// find searches for an entropy in the band between the parameters a and b. If the status is ok, the last computed entropy is in the
// band.
func (s *section) find(a, b float64) (search.Status, error) {
	status, err := s.ends(a, b)
	for err == nil && status == "" {
		a, b, status, err = s.step(a, b)
	}
	switch {
	case errors.Is(err, search.ErrBudget):
		return search.StatusBudget, nil
	case errors.Is(err, errLimit):
		return search.StatusUnconverged, nil
	}
	return status, err
}

// ends returns the status that follows from the ends of the interval, or "" if the interval has to be searched.
func (s *section) ends(a, b float64) (search.Status, error) {
	atA, err := s.sideAt(a)
	if err != nil || atA == 0 {
		return search.StatusOK, err
	}
	atB, err := s.sideAt(b)
	switch {
	case err != nil || atB == 0:
		return search.StatusOK, err
	case atA*atB > 0:
		return search.StatusUnbracketed, nil
	case atA > 0:
		return search.StatusNonMonotone, nil
	}
	return "", nil
}

// step returns the next interval, or the status that ends the search.
func (s *section) step(a, b float64) (nextA, nextB float64, status search.Status, err error) {
	if s.integer && s.snap(b)-s.snap(a) <= 1 {
		return a, b, search.StatusAtomic, nil
	}
	// Multiplying by 0.618 instead would change the last bits, and so the number of parameters that recur.
	const phi = math.Phi
	c, d := b-(b-a)/phi, a+(b-a)/phi
	if !(a < c && c < d && d < b) {
		return a, b, search.StatusUnconverged, nil
	}
	atC, err := s.sideAt(c)
	if err != nil || atC == 0 {
		return a, b, search.StatusOK, err
	}
	atD, err := s.sideAt(d)
	switch {
	case err != nil || atD == 0:
		return a, b, search.StatusOK, err
	case atC > 0 && atD < 0:
		return a, b, search.StatusNonMonotone, nil
	case atC > 0, atD > 0 && -atC < atD:
		return a, d, "", nil
	}
	return c, b, "", nil
}
