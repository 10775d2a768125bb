package stack

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

const (
	// leastProbability is the lower bound of probabilities in a log loss, as in metrics.LogLoss.
	leastProbability = 0x1p-52
	// A model is hopeless if its loss is at least hopelessRatio times that of another model, and the difference is at least
	// hopelessErrors standard errors. A few outlying rows alone are not evidence.
	hopelessRatio, hopelessErrors = 2, 3
)

// Loss returns the squared residual, or the log loss of the probability of the true class.
func Loss(left float64, numbers bool) float64 {
	if numbers {
		return left * left
	}
	return -math.Log(min(max(left, leastProbability), 1))
}

// Hopeless reports whether a model is so much worse than the best that it would get no share. The arguments left and best hold
// results for rows left out: residuals, or probabilities of the true classes. It returns false if there are no results.
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
