package fullsystem

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/internal/progress"
)

const (
	// ridgeFactor is between two ridges that are compared, of which there are mostRidges at most.
	ridgeFactor = 3.0
	mostRidges  = 5
	// leastStart is the least ridge that a search begins with, over the mean of the diagonal and the mean weight: targets free of
	// noise ask for one near 0, of which the error is about the same and the iterations are many.
	leastStart = 3e-4
	// A smaller ridge is tried where the last one was better by this share.
	worthwhile = 0.01
)

// Search returns the machine of the ridge of the least leave-one-out error, among those a factor of three apart around a start. Three
// are solved together; as long as the best is the smallest or the largest, the next one beyond it is. Where a difference is within
// the noise of the probes, the larger ridge is taken. observe is told of each.
func (p *Problem) Search(ctx context.Context, start float64, observe func(ridge, err float64)) (*Solution, Report, error) {
	floor := leastStart / ridgeFactor * p.unit * p.meanWeight() * (1 + 1e-9)
	start = max(start, leastStart*p.unit*p.meanWeight())
	parts := progress.NewSeries(ctx, 1)
	var all []*Solution
	var report Report
	next := []float64{start / ridgeFactor, start, start * ridgeFactor}
	for len(next) > 0 {
		solved, own, err := p.Solve(parts.Next(), next)
		if err != nil {
			return nil, report, err
		}
		report.add(own)
		for _, s := range solved {
			observe(s.Ridge, s.Score)
		}
		all = append(all, solved...)
		slices.SortFunc(all, func(a, b *Solution) int {
			if a.Ridge < b.Ridge {
				return -1
			}
			return 1
		})
		next = nil
		if len(all) < mostRidges {
			last := len(all) - 1
			switch {
			case all[0].Score < (1-worthwhile)*all[1].Score && all[0].Ridge > floor:
				next = []float64{all[0].Ridge / ridgeFactor}
			case all[last].Score < (1+scoreNoise)*all[last-1].Score && least(all) >= last-1:
				next = []float64{all[last].Ridge * ridgeFactor}
			}
		}
	}
	best := least(all)
	for i := len(all) - 1; i > best; i-- {
		if all[i].Score <= (1+scoreNoise)*all[best].Score {
			best = i
			break
		}
	}
	return all[best], report, nil
}

// scoreNoise is the relative noise of the error that the probes make, of which the scale of the variances comes.
const scoreNoise = 0.005

func (p *Problem) meanWeight() float64 {
	if p.weights == nil {
		return 1
	}
	return stat.Mean(p.weights, nil)
}

// least returns the index of the least error.
func least(all []*Solution) (best int) {
	for i := range all {
		if all[i].Score < all[best].Score {
			best = i
		}
	}
	return best
}

// add takes in the report of a further solution.
func (r *Report) add(other Report) {
	r.Iterations = max(r.Iterations, other.Iterations)
	r.Corrected = max(r.Corrected, other.Corrected)
	r.Rank, r.Storage = other.Rank, other.Storage
	r.Warnings = append(r.Warnings, other.Warnings...)
}
