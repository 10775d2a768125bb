package fullsystem

import (
	"cmp"
	"context"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/internal/progress"
)

const (
	// ridgeFactor is between two ridges that are compared, of which there are mostRidges at most.
	ridgeFactor = 3.0
	mostRidges  = 5
	// A search begins with a ridge of leastStart at least, and looks at none below leastRidge, over the mean weight and what the kernel
	// varies, since the constant is free: the smaller a ridge, the more iterations, and targets free of noise ask for one near 0, of
	// which the error is about the same.
	leastStart, leastRidge = 3e-3, 1e-4
	// A smaller ridge is tried where the last one was better by this share.
	worthwhile = 0.01
)

// Search returns the machine of the ridge of the least leave-one-out error, among those a factor of three apart around a start. Two
// are solved together; as long as the best is the smallest or the largest, the next one beyond it is, from the solution of the best.
// Where a difference is within the noise of the probes, the larger ridge is taken. observe is told of each.
func (p *Problem) Search(ctx context.Context, start float64, observe func(ridge, err float64)) (*Solution, Report, error) {
	one := p.unit * p.spread * p.meanWeight()
	start = max(start, leastStart*one)
	parts := progress.NewSeries(ctx, 1)
	var all []*Solution
	var report Report
	var best int
	next := []float64{start, start * ridgeFactor}
	for len(next) > 0 {
		var from *Solution
		if len(all) > 0 {
			from = all[best]
		}
		solved, own, err := p.solveFrom(parts.Next(), from, next)
		if err != nil {
			return nil, report, err
		}
		report.add(own)
		for _, s := range solved {
			observe(s.Ridge, s.Score)
		}
		all = append(all, solved...)
		slices.SortFunc(all, func(a, b *Solution) int { return cmp.Compare(a.Ridge, b.Ridge) })
		best = preferred(all)
		for i, s := range all {
			if i != best {
				*s = Solution{Ridge: s.Ridge, Score: s.Score} // the vectors are as large as those of the next
			}
		}
		next = nil
		switch last := len(all) - 1; {
		case len(all) == mostRidges:
		case all[0].Score < (1-worthwhile)*all[1].Score && all[0].Ridge >= leastRidge*ridgeFactor*one:
			next = []float64{all[0].Ridge / ridgeFactor}
		case best == last:
			next = []float64{all[last].Ridge * ridgeFactor}
		}
	}
	return all[best], report, nil
}

// preferred returns the index of the least error, or of a larger ridge whose error is larger by its noise alone.
func preferred(all []*Solution) int {
	least := 0
	for i := range all {
		if all[i].Score < all[least].Score {
			least = i
		}
	}
	for i := len(all) - 1; i > least; i-- {
		if all[i].Score <= (1+scoreNoise)*all[least].Score {
			return i
		}
	}
	return least
}

// scoreNoise is the relative noise of the error that the probes make, of which the scale of the variances comes.
const scoreNoise = 0.005

func (p *Problem) meanWeight() float64 {
	if p.weights == nil {
		return 1
	}
	return stat.Mean(p.weights, nil)
}

// add takes in the report of a further solution.
func (r *Report) add(other Report) {
	r.Iterations = max(r.Iterations, other.Iterations)
	r.Corrected = max(r.Corrected, other.Corrected)
	r.Rank, r.Storage, r.Kept = other.Rank, other.Storage, other.Kept
	r.Warnings = append(r.Warnings, other.Warnings...)
}
