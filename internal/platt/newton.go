package platt

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// Labels holds the classes and weights of rows, and their smoothed targets. As in Platt (1999), a row of a class with N rows has target
// (N+1)/(N+2) for that class, and the other classes share the rest.
type Labels struct {
	At    []int     // position of the class of each row
	Count []float64 // of the classes
	rows  []float64 // weights, or nil if each is 1
}

// NewLabels returns the labels of rows of k classes.
func NewLabels(at []int, rows []float64, k int) Labels {
	l := Labels{At: at, Count: make([]float64, k), rows: rows}
	for i, own := range at {
		l.Count[own] += l.Weight(i)
	}
	return l
}

// Weight returns the weight of row i.
func (l Labels) Weight(i int) float64 { return weights.Weight(l.rows, i) }

// Target returns the target for class k of a row whose class is own.
func (l Labels) Target(own, k int) float64 {
	if k == own {
		return (l.Count[own] + 1) / (l.Count[own] + 2)
	}
	return 1 / (l.Count[own] + 2) / float64(len(l.Count)-1)
}

// Prior returns the offsets of the link without slopes. The first is 0.
func (l Labels) Prior() []float64 {
	out := make([]float64, len(l.Count))
	for k := range out {
		share := 0.0
		for own, v := range l.Count {
			share += v * l.Target(own, k)
		}
		out[k] = math.Log(share)
	}
	floats.AddConst(-out[0], out)
	return out
}

// CrossEntropy returns the weighted cross-entropy of the target of row i and its logits z, which become probabilities.
func (l Labels) CrossEntropy(z []float64, i int) float64 {
	own, sum := l.At[i], 0.0
	for k, v := range z {
		sum += l.Target(own, k) * v
	}
	return l.Weight(i) * (vecmath.Softmax(z) - sum)
}

// Newton's method has at most newtonSteps steps. A step is halved down to leastShare of itself.
const (
	newtonSteps = 100
	leastShare  = 1e-6
)

// Newton returns the minimum of a loss, starting from theta. The function step returns a Newton step, or nil if the curvature is 0. If
// project is not nil, it moves a point into the domain. If stop is not nil, its error ends the search. The search also ends when a step
// lowers the loss by less than the fraction tolerance.
func Newton(theta []float64, loss func([]float64) float64, step func([]float64) []float64, project func([]float64), stop func() error,
	tolerance float64) ([]float64, error) {
	current := loss(theta)
	for range newtonSteps {
		if stop != nil {
			if err := stop(); err != nil {
				return nil, err
			}
		}
		direction := step(theta)
		if direction == nil {
			break
		}
		improved := false
		for share := 1.0; share > leastShare; share /= 2 {
			next := make([]float64, len(theta))
			floats.AddScaledTo(next, theta, -share, direction)
			if project != nil {
				project(next)
			}
			// If the loss is flat up to rounding, the comparison is unreliable, but the full step is still right.
			if v := loss(next); v < current || share == 1 && v-current <= 1e-15*math.Abs(current) {
				improved = current-v > tolerance*math.Abs(current)
				theta, current = next, v
				break
			}
		}
		if !improved {
			break
		}
	}
	return theta, nil
}
