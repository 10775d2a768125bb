package drift

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
)

const (
	mostPairs    = 1e7    // largest number of pairs of rows with an exact null distribution of D
	leastCount   = 5      // smallest expected count of a level for the χ² distribution
	mostPermuted = 100000 // largest number of rows that are permuted for χ²
)

// testColumns compares each column.
func (s *samples) testColumns(ctx context.Context, out []Column, steps *progress.Steps) error {
	return parallel.ForEach(ctx, s.Workers, len(out), func(j int) error {
		before, now := mat.Col(nil, j, s.train), mat.Col(nil, j, s.new)
		c := Column{Name: s.name(j), Index: j, TrainGaps: gaps(before), NewGaps: gaps(now)}
		if s.categories[j] {
			c.By = ChiSquared
			c.Statistic, c.P = s.chiSquared(countLevels(before, now), j)
		} else {
			c.By = KolmogorovSmirnov
			c.Statistic, c.P = kolmogorovSmirnov(before, now)
		}
		out[j] = c
		steps.Next(c.P, "%s", c.Name)
		return nil
	})
}

// gaps returns the fraction of gaps.
func gaps(values []float64) float64 {
	count := 0
	for _, v := range values {
		if math.IsNaN(v) {
			count++
		}
	}
	return float64(count) / float64(len(values))
}

// kolmogorovSmirnov returns the largest difference between the distribution functions of two samples, which it sorts, and its
// p-value.
func kolmogorovSmirnov(x, y []float64) (d, p float64) {
	slices.Sort(x) // gaps come first
	slices.Sort(y)
	m, n := len(x), len(y)
	exact := float64(m)*float64(n) <= mostPairs
	ends := make([]bool, m+n+1) // positions in the joint order at which the value changes
	most := 0
	for i, j := 0, 0; i < m || j < n; {
		var v float64
		if j == n || i < m && !less(y[j], x[i]) {
			v = x[i]
		} else {
			v = y[j]
		}
		for i < m && !less(v, x[i]) {
			i++
		}
		for j < n && !less(v, y[j]) {
			j++
		}
		ends[i+j] = true
		most = max(most, abs(i*n-j*m))
	}
	d = float64(most) / float64(m) / float64(n)
	if most == 0 {
		return d, 1
	}
	if exact {
		return d, exceedance(m, n, most, ends)
	}
	return d, kolmogorov(d * math.Sqrt(float64(m)/(1+float64(m)/float64(n))))
}

// less orders values, with gaps before numbers.
func less(a, b float64) bool { return a < b || math.IsNaN(a) && !math.IsNaN(b) }

func abs(v int) int { return max(v, -v) }

// exceedance returns the probability that a random order of m and n values reaches |i·n - j·m| >= most at one of the positions in
// ends. There, i of the m and j of the n values have been drawn. For orders of the first i+j values, the fraction v(i,j) that has
// reached the bound satisfies
//
//	v(i,j) = 1 at such a position, otherwise v(i-1,j) i/(i+j) + v(i,j-1) j/(i+j)
func exceedance(m, n, most int, ends []bool) float64 {
	v := make([]float64, n+1)
	for i := range m + 1 {
		for j := range n + 1 {
			switch {
			case ends[i+j] && abs(i*n-j*m) >= most:
				v[j] = 1
			case i == 0 && j == 0:
				v[j] = 0
			default:
				share := 0.0
				if i > 0 {
					share += v[j] * float64(i) / float64(i+j)
				}
				if j > 0 {
					share += v[j-1] * float64(j) / float64(i+j)
				}
				v[j] = share
			}
		}
	}
	return min(1, v[n])
}

// kolmogorov returns 2 Σ[k≥1] (-1)^(k-1) exp(-2k²t²), the limit of the probability of D√(mn/(m+n)) >= t.
func kolmogorov(t float64) float64 {
	if t < 0.2 { // the result would differ from 1 by less than 1e-12
		return 1
	}
	sum, sign := 0.0, 1.0
	for k := 1.0; k < 100; k++ {
		term := math.Exp(-2 * k * k * t * t)
		sum += sign * term
		if term < 1e-17*sum {
			break
		}
		sign = -sign
	}
	return min(1, max(0, 2*sum))
}

// levelCounts holds the level of each row, first for the rows of the first sample, and the counts of each level in the first sample
// and in both samples.
type levelCounts struct {
	levels      []int
	first       int // number of rows in the first sample
	ofFirst, of []int
}

// countLevels numbers the distinct values of two samples and counts them. A gap is a level.
func countLevels(x, y []float64) levelCounts {
	c := levelCounts{levels: make([]int, 0, len(x)+len(y)), first: len(x)}
	number, gap := map[float64]int{}, -1
	for i, v := range slices.Concat(x, y) {
		level, known := number[v]
		if math.IsNaN(v) {
			level, known = gap, gap >= 0
		}
		if !known {
			level = len(c.of)
			if number[v] = level; math.IsNaN(v) {
				gap = level
			}
			c.of, c.ofFirst = append(c.of, 0), append(c.ofFirst, 0)
		}
		c.levels = append(c.levels, level)
		c.of[level]++
		if i < c.first {
			c.ofFirst[level]++
		}
	}
	return c
}

// rare reports whether the expected count of a level in the smaller sample is too small for χ².
func (c levelCounts) rare(level int) bool {
	all := len(c.levels)
	return c.of[level]*min(c.first, all-c.first) < leastCount*all
}

// merged returns the counts with all rare levels combined into one.
func (c levelCounts) merged() levelCounts {
	out := levelCounts{first: c.first, levels: c.levels, of: []int{0}, ofFirst: []int{0}}
	for level, count := range c.of {
		if c.rare(level) {
			out.of[0], out.ofFirst[0] = out.of[0]+count, out.ofFirst[0]+c.ofFirst[level]
		} else {
			out.of, out.ofFirst = append(out.of, count), append(out.ofFirst, c.ofFirst[level])
		}
	}
	if out.of[0] == 0 {
		out.of, out.ofFirst = out.of[1:], out.ofFirst[1:]
	}
	return out
}

// statistic returns Pearson's χ² for the given counts of the first sample.
func (c levelCounts) statistic(ofFirst []int) float64 {
	all := float64(len(c.levels))
	share := float64(c.first) / all
	sum := 0.0
	for level, count := range c.of {
		// The count of the second sample deviates by the same amount.
		off := float64(ofFirst[level]) - float64(count)*share
		sum += off * off / (float64(count) * share * (1 - share))
	}
	return sum
}

// chiSquared returns the statistic of a categorical column and its p-value.
func (s *samples) chiSquared(c levelCounts, column int) (statistic, p float64) {
	rare := false
	for level := range c.of {
		rare = rare || c.rare(level)
	}
	if rare && len(c.levels) > mostPermuted {
		c, rare = c.merged(), false
	}
	statistic = c.statistic(c.ofFirst)
	if len(c.of) < 2 {
		return statistic, 1
	}
	if !rare {
		return statistic, distuv.ChiSquared{K: float64(len(c.of) - 1)}.Survival(statistic)
	}
	const rounding = 1e-9
	rng := rand.New(rand.NewPCG(s.Seed, permutationStream+1+uint64(column)))
	levels, counts, asLarge := slices.Clone(c.levels), make([]int, len(c.of)), 0
	for range s.Permutations {
		clear(counts)
		for i := range c.first { // the first rows of a random order
			k := i + rng.IntN(len(levels)-i)
			levels[i], levels[k] = levels[k], levels[i]
			counts[levels[i]]++
		}
		if c.statistic(counts) >= statistic*(1-rounding) {
			asLarge++
		}
	}
	return statistic, float64(1+asLarge) / float64(1+s.Permutations)
}
