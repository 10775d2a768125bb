package solver

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/kernelearn/kernelearn/estimators/falkon/internal/machine"
)

// NewSpread returns the terms of the variances of a machine.
func (p *Problem) NewSpread(s *Solution) *machine.Spread {
	noise, unseen := make([]float64, p.src.K), make([]float64, p.src.K)
	for j, variance := range p.src.Variance {
		noise[j], unseen[j] = s.Left.components(j, variance)
	}
	return p.spreadOf(s, noise, unseen)
}

func (p *Problem) spreadOf(s *Solution, noise, unseen []float64) *machine.Spread {
	return &machine.Spread{
		Noise: noise, Unseen: unseen, Factor: s.factor, Centre: p.centre, Weight: p.src.Weight, Unit: float64(p.src.N) / p.src.Weight,
		Within:      p.src.Within,
		NoIntercept: p.NoIntercept, Jitter: p.Jitter, Basis: p.Basis,
	}
}

// leastUnseen is the smallest mean share of k(x, x) not explained by the features with which the variance of that part can be
// distinguished from the noise.
const leastUnseen = 1e-3

// components returns the variances s² of the noise and τ² of the part that the features do not explain. They maximise the Gaussian
// likelihood of the leave-one-out residuals of a target with variances s²/(w(1-h)) + τ²r. The variance τ² does not exceed the
// variance of the target.
func (l *LeftOut) components(target int, variance float64) (noise, unseen float64) {
	// With weights of mean 1, the grid of the ratios does not depend on the unit of the weights.
	unit := floats.Sum(l.Weights) / float64(len(l.Weights))
	likelihood := &residualLikelihood{}
	mean := 0.0
	for i, rest := range l.rest {
		if !(rest > 0) {
			continue
		}
		e := l.Residuals.At(i, target)
		likelihood.add(e*e, unit/(l.Weights[i]*rest), l.unseen[i])
		mean += l.unseen[i]
	}
	n := float64(len(likelihood.squares))
	if n == 0 {
		return variance, 0
	}
	alone := likelihood.noise(0)
	if !(alone > 0) {
		return 0, 0
	}
	if mean/n < leastUnseen {
		return unit * alone, max(variance-alone, 0)
	}
	ratio := likelihood.best()
	noise = likelihood.noise(ratio)
	if unseen = ratio * noise; unseen <= variance {
		return unit * noise, unseen
	}
	return unit * likelihood.bestNoise(variance), variance
}

// residualLikelihood computes the likelihood of normal residuals with variances s²a + τ²r.
type residualLikelihood struct{ squares, a, r []float64 }

func (l *residualLikelihood) add(square, a, r float64) {
	l.squares, l.a, l.r = append(l.squares, square), append(l.a, a), append(l.r, r)
}

// noise returns the best s² for a ratio ρ = τ²/s².
func (l *residualLikelihood) noise(ratio float64) float64 {
	sum := 0.0
	for i, s := range l.squares {
		sum += s / (l.a[i] + ratio*l.r[i])
	}
	return sum / float64(len(l.squares))
}

// best returns the ratio with the largest likelihood, with the best noise for each ratio.
func (l *residualLikelihood) best() float64 {
	n := float64(len(l.squares))
	value := func(ratio float64) float64 {
		sum := n * math.Log(l.noise(ratio))
		for i, a := range l.a {
			sum += math.Log(a + ratio*l.r[i])
		}
		return sum
	}
	slope := func(ratio float64) float64 {
		share, weighted, plain := 0.0, 0.0, 0.0
		for i, s := range l.squares {
			v := l.a[i] + ratio*l.r[i]
			share += l.r[i] / v
			weighted += s * l.r[i] / (v * v)
			plain += s / v
		}
		return share - n*weighted/plain
	}
	return minimum(value, slope, 1)
}

// bestNoise returns the s² with the largest likelihood for a given τ².
func (l *residualLikelihood) bestNoise(unseen float64) float64 {
	value := func(noise float64) float64 {
		sum := 0.0
		for i, s := range l.squares {
			if v := noise*l.a[i] + unseen*l.r[i]; v > 0 {
				sum += math.Log(v) + s/v
			} else if s > 0 {
				return math.Inf(1)
			}
		}
		return sum
	}
	slope := func(noise float64) float64 {
		sum := 0.0
		for i, s := range l.squares {
			v := noise*l.a[i] + unseen*l.r[i]
			sum += l.a[i] / v * (1 - s/v)
		}
		return sum
	}
	return minimum(value, slope, l.noise(0))
}

// minimum returns the minimiser of a function on the numbers ≥ 0. It searches a grid of twelve decades around unit, and then
// bisects at the change of the sign of the slope.
func minimum(value, slope func(float64) float64, unit float64) float64 {
	const decades, perDecade = 12, 4
	at := func(i int) float64 {
		if i == 0 {
			return 0
		}
		return unit * math.Pow(10, float64(i-1)/perDecade-decades/2)
	}
	best, least := 0, math.Inf(1)
	last := decades*perDecade + 1
	for i := range last + 1 {
		if v := value(at(i)); v < least {
			best, least = i, v
		}
	}
	low, high := at(max(best-1, 0)), at(min(best+1, last))
	if slope(low) >= 0 || slope(high) <= 0 {
		return at(best)
	}
	for range 200 {
		mid := low + (high-low)/2
		if mid == low || mid == high {
			break
		}
		if slope(mid) < 0 {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}
