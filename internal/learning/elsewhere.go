package learning

import (
	"context"
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/kernels"
)

// A climb ends on the nearest top. With one length for all columns a kernel sees a wave, or a product, of a few columns
// only where those are a large part of all columns, and a climb from there ends where nothing is learnt. What follows
// asks whether there is a much higher top elsewhere. Tops that are about as high are left alone: between those the
// evidence is a poor judge, and what it likes best has the error of the others or more.
const (
	// ClearlyHigher is how much more log evidence for a row makes a top clearly higher: a fifth less error.
	ClearlyHigher = 0.125
	// Something is as much more log evidence for a row than noise has as says that something was learnt: 6% less error.
	Something = 0.03
	// chance is as much log evidence as comes from a length that is fitted to noise.
	chance = 2.0
	// shortLength is in units of the median distance.
	shortLength    = 0.3
	elsewhereSteps = 20
	// mostShortened is the largest number of lengths that are shortened one by one, in each of so many rounds: a length
	// costs a kernel matrix and three factors.
	mostShortened = 256
	mostRounds    = 4
	// deviation is from the lowest bound of a length to the standard deviation of its column, in logarithms.
	deviation = 3.5
)

// ShortRidges are the ridges at which short lengths begin.
var ShortRidges = []float64{0.1, 1}

// Starts looks for the highest top by climbs from several starts: from where another climb has ended, from one short
// length for all columns, and from the best place so far with one length short, that of the column with which the
// evidence is largest, again and again. Whatever the objective of the other climb is, it looks by the Restricted
// evidence, which costs least.
type Starts struct {
	Kernel kernels.ARD
	Blocks []*Block
	Prior  *Prior
	Bounds Bounds
	// Median is the logarithm of the median distance.
	Median float64
	// MaxIterations bounds the steps of each climb; 0: 20.
	MaxIterations int
	// Spent, if not nil, is asked before each kernel matrix, and what it returns ends the search.
	Spent func() error
	// Matrices counts the kernel matrices.
	Matrices int
}

// Top is what Starts found.
type Top struct {
	// Theta is the place of the highest top, as a Problem has it; nil if it is not clearly higher than that of the
	// climb that had ended.
	Theta []float64
	// Gain is how much larger the log evidence is there than that of noise, for a row.
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

// clearMargin is how much more evidence of all rows is clearly more.
func (s *Starts) clearMargin() float64 { return ClearlyHigher * s.rows() }

// Climb looks from where a climb has ended: the logarithms of the kernel's parameters and of the ridge, which is
// chosen anew if the climb was by another objective. Errors are ctx's, the kernel's, and those of Spent.
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

// noise is the log evidence of rows that no kernel says anything of.
func (s *Starts) noise(ctx context.Context, theta []float64) (float64, error) {
	if err := s.count(); err != nil {
		return 0, err
	}
	p, count := s.problem(), len(s.Kernel.Params())
	p.Prior = nil
	at := slices.Clone(theta[:count+1])
	at[count] = s.Bounds.High[count] // a ridge beside which no kernel counts
	return p.Value(ctx, at, nil)
}

// atRidges returns theta with the best of some ridges, and the value there.
func (s *Starts) atRidges(ctx context.Context, p *Problem, theta, ridges []float64) ([]float64, float64, error) {
	if err := s.count(); err != nil {
		return nil, 0, err
	}
	return p.BestRidge(ctx, theta, ridges)
}

// fromShort climbs from one short length for all columns, and returns its top if it is clearly higher.
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

// columnByColumn climbs from the best place with one length short as long as the top is clearly higher.
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

// Useful reports whether rows are likelier with a place of one length, whose ridge is chosen anew, than as noise. If
// not, that length is chance. It is often so short that all rows are strangers, and then no place to begin at nor to
// keep others near.
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

// BestRidge returns theta with the best of some ridges in the place of its own, and the value there. Errors are those
// of AtRidges.
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

// ImproveElsewhere is Improve from the place of a Top, whose ridge is of the Restricted evidence: for Laplace another
// is chosen. What the kind has beside is as in theta.
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
