package stack

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

const (
	// leastProbability bounds probabilities from below in a log loss, as in metrics.LogLoss.
	leastProbability = 0x1p-52
	// A model is hopeless beside another if its loss is hopelessRatio times as large, and the difference as many standard errors: that of
	// a few rows far from all others says nothing.
	hopelessRatio, hopelessErrors = 2, 3
)

// Loss returns the square of a residual, or the log loss of the probability of the class that a row has.
func Loss(left float64, numbers bool) float64 {
	if numbers {
		return left * left
	}
	return -math.Log(min(max(left, leastProbability), 1))
}

// Hopeless reports whether a model is so much worse than the best that it would have no share, by what each says of rows without having
// seen them: residuals, or the probabilities of the classes that they have. Of models that say nothing it is false.
func Hopeless(left, best []float64, numbers bool) bool {
	if left == nil || best == nil {
		return false
	}
	differences, least := make([]float64, len(left)), 0.
	for i, v := range left {
		own := Loss(best[i], numbers)
		differences[i] = Loss(v, numbers) - own
		least += own / float64(len(left))
	}
	mean, deviation := stat.MeanStdDev(differences, nil)
	return mean > (hopelessRatio-1)*least && mean > hopelessErrors*deviation/math.Sqrt(float64(len(left)))
}
