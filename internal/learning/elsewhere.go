package learning

import (
	"context"
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/kernels"
)

// A climb ends at the nearest maximum. A kernel with one length for all columns detects a wave or a product of a few columns only
// if these are a large fraction of all columns. If it does not detect them, a climb that starts from its length learns nothing. The
// searches below look for a much higher maximum elsewhere. They ignore maxima of similar height, because the one with the larger
// evidence does not have a smaller error.
const (
	// ClearlyHigher is the gain in log evidence per row that makes a maximum clearly higher. It corresponds to a fifth less error.
	ClearlyHigher = 0.125
	// Something is the gain in log evidence per row, compared with pure noise, that shows that something was learnt. It corresponds
	// to 6% less error.
	Something = 0.03
	// chance is the log evidence that a length gains when it is fitted to noise.
	chance = 2.0
	// shortLength is one short length for all columns, in units of the median distance.
	shortLength    = 0.3
	elsewhereSteps = 20
	// mostShortened is the largest number of lengths that are shortened one by one, in each of mostRounds rounds. Each shortened
	// length costs a kernel matrix and three factors.
	mostShortened = 256
	mostRounds    = 4
	// deviation is the log ratio of a column's standard deviation to the lowest bound of its length.
	deviation = 3.5
)

// ShortRidges are the initial ridges for short lengths.
var ShortRidges = []float64{0.1, 1}

// Starts searches for the highest maximum with climbs from several starting points: the end of another climb, one short length for
// all columns, and the best point so far with one length shortened. The last is repeated, each time with the length whose
// shortening gives the largest evidence. It uses the Restricted evidence, which is the cheapest, whatever the objective of the
// other climb.
type Starts struct {
	Kernel kernels.ARD
	Blocks []*Block
	Prior  *Prior
	Bounds Bounds
	// Median is the log of the median distance.
	Median float64
	// MaxIterations limits the steps of each climb. If it is 0, 20 is used.
	MaxIterations int
	// If Spent is not nil, it is called before each kernel matrix is computed. An error ends the search.
	Spent func() error
	// Matrices counts the kernel matrices.
	Matrices int
}

// Top is the result of Starts.
type Top struct {
	// Theta is the highest maximum, in the variables of a Problem. It is nil if it is not clearly higher than the end of the other
	// climb.
	Theta []float64
	// Gain is the gain in log evidence per row, compared with pure noise.
	Gain float64
}

func (s *Starts) problem() *Problem {
	p := &Problem{
		Kind: Restricted, Kernel: s.Kernel, Blocks: s.Blocks, Prior: s.Prior, Bounds: s.Bounds,
		MaxIterations: elsewhereSteps, Tolerance: Tolerance, Likelihood: true,
	}
	if s.MaxIterations > 0 {
		p.MaxIterations = min(p.MaxIterations, s.MaxIterations)
	}
	p.Evaluate = func(ctx context.Context, theta []float64) (float64, []float64, error) {
		if err := s.count(); err != nil {
			return 0, nil, err
		}
		gradient := make([]float64, len(theta))
		f, err := p.Value(ctx, theta, gradient)
		return f, gradient, err
	}
	return p
}

func (s *Starts) count() error {
	if s.Spent != nil {
		if err := s.Spent(); err != nil {
			return err
		}
	}
	s.Matrices += len(s.Blocks)
	return nil
}

func (s *Starts) rows() (n float64) {
	for _, b := range s.Blocks {
		n += float64(b.rows())
	}
	return n
}

// clearMargin returns the gain in evidence over all rows that makes a maximum clearly higher.
func (s *Starts) clearMargin() float64 { return ClearlyHigher * s.rows() }

// Climb searches from the end of another climb. The slice found holds the logs of the kernel's parameters and of the ridge. If
// another is set, the other climb had another objective, and Climb chooses the ridge anew. It returns errors of ctx, of the kernel
// and of Spent.
func (s *Starts) Climb(ctx context.Context, found []float64, another bool) (Top, error) {
	p, count := s.problem(), len(s.Kernel.Params())
	parts := progress.Parts(ctx, 1, 2, 2)
	apart := progress.Detach(ctx)
	noise, err := s.noise(apart, found)
	if err != nil {
		return Top{}, err
	}
	first := Outcome{Theta: found[:count+1]}
	if another {
		if first.Theta, _, err = s.atRidges(apart, p, first.Theta, StartRidges); err != nil {
			return Top{}, err
		}
		first, err = p.Improve(parts[0], first.Theta)
	} else {
		first.F, _, err = p.Evaluate(parts[0], first.Theta)
	}
	if err != nil {
		return Top{}, err
	}
	best, err := s.fromShort(parts[1], p, first)
	if err != nil {
		return Top{}, err
	}
	if best, err = s.columnByColumn(parts[2], p, best); err != nil {
		return Top{}, err
	}
	out := Top{Gain: (best.F - noise) / s.rows()}
	if best.F > first.F+s.clearMargin() {
		out.Theta = best.Theta
	}
	return out, nil
}

// noise returns the log evidence of a model in which the targets are pure noise.
func (s *Starts) noise(ctx context.Context, theta []float64) (float64, error) {
	if err := s.count(); err != nil {
		return 0, err
	}
	p, count := s.problem(), len(s.Kernel.Params())
	p.Prior = nil
	at := slices.Clone(theta[:count+1])
	at[count] = s.Bounds.High[count] // a ridge that makes the kernel negligible
	return p.Value(ctx, at, nil)
}

// atRidges returns theta with the best of these ridges, and the objective there.
func (s *Starts) atRidges(ctx context.Context, p *Problem, theta, ridges []float64) ([]float64, float64, error) {
	if err := s.count(); err != nil {
		return nil, 0, err
	}
	return p.BestRidge(ctx, theta, ridges)
}

// fromShort climbs from one short length for all columns. It returns the maximum if it is clearly higher than best, and otherwise
// best.
func (s *Starts) fromShort(ctx context.Context, p *Problem, best Outcome) (Outcome, error) {
	short := slices.Clone(best.Theta)
	for j := range s.Kernel.Lengths {
		short[j] = min(max(s.Median+math.Log(shortLength), s.Bounds.Low[j]), s.Bounds.High[j])
	}
	short, _, err := s.atRidges(progress.Detach(ctx), p, short, ShortRidges)
	if err != nil {
		return best, err
	}
	out, err := p.Improve(ctx, short)
	if err == nil && out.F > best.F+s.clearMargin() {
		best = out
	}
	return best, err
}

// columnByColumn climbs from the best point with one length shortened. It repeats this as long as each maximum is clearly higher
// than the last.
func (s *Starts) columnByColumn(ctx context.Context, p *Problem, best Outcome) (Outcome, error) {
	lengths := len(s.Kernel.Lengths)
	if lengths < 2 || lengths > mostShortened {
		return best, nil
	}
	rounds := progress.Open(ctx)
	for round := range mostRounds {
		search, climb := progress.Two(rounds.Step(round, mostRounds), 1, 1)
		tries := progress.Open(search)
		start, top := []float64(nil), math.Inf(-1)
		for j := range lengths {
			short := s.Bounds.Low[j] + deviation
			if best.Theta[j] <= short {
				continue
			}
			theta := slices.Clone(best.Theta)
			theta[j] = short
			ridges := append([]float64{math.Exp(theta[len(theta)-1])}, ShortRidges...)
			theta, f, err := s.atRidges(tries.Step(j, lengths), p, theta, ridges)
			if err != nil {
				return best, err
			}
			if f > top {
				start, top = theta, f
			}
		}
		if start == nil {
			return best, nil
		}
		out, err := p.Improve(climb, start)
		if err != nil {
			return best, err
		}
		if !(out.F > best.F+s.clearMargin()) {
			return best, nil
		}
		best = out
	}
	return best, nil
}

// Useful reports whether one length for all columns, with its ridge chosen anew, explains the rows better than noise. If it does
// not, the length is random. It is often so short that the kernel relates no rows. Such a length is useless as a starting point and
// as the centre of a prior.
func (s *Starts) Useful(ctx context.Context, one []float64) (bool, error) {
	noise, err := s.noise(ctx, one)
	if err != nil {
		return false, err
	}
	p, count := s.problem(), len(s.Kernel.Params())
	ridges := append([]float64{math.Exp(one[count])}, StartRidges...)
	_, f, err := s.atRidges(ctx, p, one[:count+1], ridges)
	return f > noise+chance, err
}

// BestRidge returns theta with the best of these ridges, and the objective there. It returns the errors of AtRidges.
func (p *Problem) BestRidge(ctx context.Context, theta, ridges []float64) ([]float64, float64, error) {
	values, err := p.AtRidges(ctx, theta, ridges)
	if err != nil {
		return nil, math.Inf(-1), err
	}
	best := 0
	for i, v := range values {
		if v > values[best] {
			best = i
		}
	}
	out := slices.Clone(theta)
	out[len(p.Kernel.Params())] = math.Log(ridges[best])
	return out, values[best], nil
}

// ImproveElsewhere is like Improve, but starts from the Theta of a Top, whose ridge maximises the Restricted evidence. For Laplace
// it chooses another ridge. The extra parameter of the objective, if it has one, comes from theta.
func (p *Problem) ImproveElsewhere(ctx context.Context, top, theta []float64) (Outcome, error) {
	place := append(slices.Clone(top), theta[len(top):]...)
	if p.Kind == Laplace {
		var err error
		if place, _, err = p.BestRidge(progress.Detach(ctx), place, StartRidges); err != nil {
			return Outcome{F: math.Inf(-1)}, err
		}
	}
	of := *p
	of.Inverse = nil
	return of.Improve(ctx, place)
}
