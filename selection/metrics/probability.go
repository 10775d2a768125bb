package metrics

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
)

const (
	// leastProbability limits the loss of a row whose class has probability 0 to 36.04. scikit-learn clips at the same value.
	leastProbability = 0x1p-52
	// probabilityTolerance is the accepted rounding error of a probability outside [0, 1], and of the sum of a row.
	probabilityTolerance = 1e-6
)

// LogLoss returns the mean of -ln p[i, y[i]], the cross-entropy in nats, for probabilities p (n×K) with columns in the order of
// classes. 0 is perfect, and the loss of equal probabilities is ln K. Probabilities below 2⁻⁵² count as 2⁻⁵². Errors: ErrShape,
// ErrNotFinite, and ErrParam for a row that differs from a distribution by more than a millionth.
func LogLoss(y, classes []int, p *mat.Dense, weights []float64) (_ float64, err error) {
	defer fault.Recover(&err)
	return probabilityMean(y, classes, p, weights, func(row []float64, own int) float64 {
		return -math.Log(min(max(row[own], leastProbability), 1))
	})
}

// Brier returns the mean over the rows of Σₖ (p[i,k] - [y[i] = classes[k]])², for p (n×K) with columns in the order of classes. 0
// is perfect, 2 is confident and wrong, and equal probabilities score 1 - 1/K (Brier, Monthly Weather Review 78, 1950, 1).
//
// For two classes it is twice the mean of (p - [y = positive])², which many call the Brier score. Halve the result to compare it
// with scores of that definition. R's mlr3measures provides both, as mbrier and bbrier. scikit-learn's brier_score_loss halves the
// score for two classes, and for more classes only if scale_by_half is set. It returns the errors of LogLoss.
func Brier(y, classes []int, p *mat.Dense, weights []float64) (_ float64, err error) {
	defer fault.Recover(&err)
	return probabilityMean(y, classes, p, weights, func(row []float64, own int) float64 {
		sum := 0.0
		for k, v := range row {
			if k == own {
				v--
			}
			sum += v * v
		}
		return sum
	})
}

// probabilityMean returns the mean of a loss over the rows. The function loss receives a row's probabilities and the column of its
// label.
func probabilityMean(y, classes []int, p *mat.Dense, weights []float64, loss func(row []float64, own int) float64) (float64, error) {
	if err := columns("p", y, classes, p); err != nil {
		return 0, err
	}
	w, err := weigh(weights, len(y))
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for i, label := range y {
		own := slices.Index(classes, label)
		if own < 0 {
			return 0, fault.Shape("classes has", 0, fmt.Sprintf("entries equal to y[%d]", i), "which is %d", label)
		}
		row := p.RawRowView(i)
		if err := distribution(row, i); err != nil {
			return 0, err
		}
		sum += w.weight(i) * loss(row, own)
	}
	return sum / w.total(len(y)), nil
}

// distribution returns an error if row i is not a probability distribution.
func distribution(row []float64, i int) error {
	sum := 0.0
	for j, v := range row {
		if v-v != 0 {
			return &fault.NotFiniteError{Name: "p", Row: i, Col: j, Value: v}
		}
		if v < -probabilityTolerance || v > 1+probabilityTolerance {
			return fault.Param("metrics", fmt.Sprintf("p[%d,%d]", i, j), v, "in [0, 1]")
		}
		sum += v
	}
	if math.Abs(sum-1) > probabilityTolerance {
		return fault.Param("metrics", fmt.Sprintf("sum of p[%d]", i), sum, fmt.Sprintf("1 within %v", probabilityTolerance))
	}
	return nil
}
