package fullsystem

import (
	"cmp"
	"context"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/internal/progress"
)

const (
	// ridgeFactor is the ratio of adjacent ridges. mostRidges is the largest number of ridges.
	ridgeFactor = 3.0
	mostRidges  = 5
	// A search begins at leastStart or above and tries no ridge below leastRidge. Both are relative to the mean weight and the
	// variation of the kernel, because the ridge does not penalise the constant. Small ridges need many iterations. For targets
	// without noise a ridge near 0 is best, but the error at leastRidge is about the same.
	leastStart, leastRidge = 3e-3, 1e-4
	// worthwhile is the relative improvement from which on a smaller ridge is tried.
	worthwhile = 0.01
)

// Search returns the solution with the smallest leave-one-out error among ridges a factor of three apart around start. It solves
// for the first two ridges together. As long as the smallest ridge is clearly better than the next one, or the largest ridge is the
// best, it solves for the next ridge beyond, and begins with the best solution. If errors differ by no more than the noise of the
// probes, it prefers the larger ridge. It calls observe for each ridge.
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
				*s = Solution{Ridge: s.Ridge, Score: s.Score} // the vectors are released before the next ones are allocated
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

// preferred returns the index of the solution with the smallest error, or of the largest ridge whose error exceeds it by no more
// than the noise.
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

// scoreNoise is the relative noise of the error, due to the probes that scale the variances.
const scoreNoise = 0.005

func (p *Problem) meanWeight() float64 {
	if p.weights == nil {
		return 1
	}
	return stat.Mean(p.weights, nil)
}

// add adds the report of another solution.
func (r *Report) add(other Report) {
	r.Iterations = max(r.Iterations, other.Iterations)
	r.Corrected = max(r.Corrected, other.Corrected)
	r.Rank, r.Storage, r.Kept = other.Rank, other.Storage, other.Kept
	r.Warnings = append(r.Warnings, other.Warnings...)
}
