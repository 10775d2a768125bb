// Package metrics scores predictions against what was observed.
package metrics

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// The errors of this package; see package estimators for all of them.
var (
	ErrShape     = fault.ErrShape
	ErrNotFinite = fault.ErrNotFinite
)

// Metric is a score with its name and its sense, for cross-validation and
// searches. One of the three functions is set:
//
//	metrics.Metric{Name: "NMSE", Values: metrics.NMSE}
//	metrics.Metric{Name: "GMean", LargerIsBetter: true, Labels: metrics.GMean}
//	metrics.Metric{Name: "AUC", LargerIsBetter: true, Scores: metrics.AUCOfScores}
type Metric struct {
	Name           string
	LargerIsBetter bool
	Values         func(y, predicted []float64) (float64, error)              // of a regressor
	Labels         func(y, predicted []int) (float64, error)                  // of a classifier's labels
	Scores         func(y, classes []int, scores *mat.Dense) (float64, error) // of a classifier's n×K scores
}

// NMSE returns the normalised mean squared error Σ(y-ŷ)² / Σ(y-ȳ)², ȳ the mean of
// y: 0 is perfect, 1 is as good as the mean. A constant y gives 0 if it is
// predicted exactly and +Inf if not. Errors: ErrShape, ErrNotFinite.
func NMSE(y, predicted []float64) (float64, error) {
	if err := pair(len(y), len(predicted)); err != nil {
		return 0, err
	}
	if err := check.Vector("y", y); err != nil {
		return 0, err
	}
	if err := check.Vector("predicted", predicted); err != nil {
		return 0, err
	}
	mean := 0.0
	for _, v := range y {
		mean += v / float64(len(y))
	}
	residual, total := 0.0, 0.0
	for i, v := range y {
		residual += (v - predicted[i]) * (v - predicted[i])
		total += (v - mean) * (v - mean)
	}
	if residual == 0 {
		return 0, nil
	}
	return residual / total, nil
}

// R2 returns the coefficient of determination, 1 - NMSE.
func R2(y, predicted []float64) (float64, error) {
	v, err := NMSE(y, predicted)
	return 1 - v, err
}

// Accuracy returns the share of labels predicted rightly. Error: ErrShape.
func Accuracy(y, predicted []int) (float64, error) {
	if err := pair(len(y), len(predicted)); err != nil {
		return 0, err
	}
	right := 0
	for i, v := range y {
		if v == predicted[i] {
			right++
		}
	}
	return float64(right) / float64(len(y)), nil
}

// GMean returns the geometric mean, over the classes that occur in y, of the
// share of each class that is predicted rightly: 0 as soon as one class is
// always missed. Error: ErrShape.
func GMean(y, predicted []int) (float64, error) {
	if err := pair(len(y), len(predicted)); err != nil {
		return 0, err
	}
	total, right := map[int]int{}, map[int]int{}
	for i, v := range y {
		total[v]++
		if v == predicted[i] {
			right[v]++
		}
	}
	classes := make([]int, 0, len(total))
	for c := range total {
		classes = append(classes, c)
	}
	slices.Sort(classes) // the rounding must not depend on the map's order
	product := 1.0
	for _, c := range classes {
		product *= math.Pow(float64(right[c])/float64(total[c]), 1/float64(len(classes)))
	}
	return product, nil
}

// AUC returns the area under the ROC curve: the chance that a row of the class
// positive has a higher score than a row of another, ties counting half. Errors:
// ErrShape if lengths differ or one side has no row, ErrNotFinite for NaN.
func AUC(y []int, positive int, scores []float64) (float64, error) {
	if err := pair(len(y), len(scores)); err != nil {
		return 0, err
	}
	order := make([]int, len(y))
	for i, s := range scores {
		if math.IsNaN(s) {
			return 0, &fault.NotFiniteError{Name: "scores", Row: i, Col: -1, Value: s}
		}
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	rankSum, positives := 0.0, 0
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && scores[order[j]] == scores[order[i]] {
			j++
		}
		for _, o := range order[i:j] {
			if y[o] == positive {
				rankSum += float64(i+j+1) / 2 // the mean rank of those that tie
				positives++
			}
		}
		i = j
	}
	negatives := len(y) - positives
	if positives == 0 || negatives == 0 {
		return 0, fault.Shape(fmt.Sprintf("of class %d y has", positive), positives, "rows", "want at least 1 and fewer than all %d", len(y))
	}
	p := float64(positives)
	return (rankSum - p*(p+1)/2) / p / float64(negatives), nil
}

// AUCOfScores is AUC of n×K scores, columns in the order of classes: of two
// classes that of the second; of more the mean over the classes that occur, each
// against the rest.
func AUCOfScores(y, classes []int, scores *mat.Dense) (float64, error) {
	n, k := scores.Dims()
	if err := pair(len(y), n); err != nil {
		return 0, err
	}
	if k != len(classes) {
		return 0, fault.Shape("scores has", k, "columns", "classes has %d", len(classes))
	}
	if k == 2 {
		return AUC(y, classes[1], mat.Col(nil, 1, scores))
	}
	sum, count := 0.0, 0.0
	for j, c := range classes {
		if !slices.Contains(y, c) {
			continue
		}
		v, err := AUC(y, c, mat.Col(nil, j, scores))
		if err != nil {
			return 0, err
		}
		sum, count = sum+v, count+1
	}
	if count == 0 {
		return 0, fault.Shape("y has", 0, "rows of the classes", "want at least 1")
	}
	return sum / count, nil
}

func pair(y, predicted int) error {
	if y == 0 {
		return fault.Shape("y has", 0, "entries", "want at least 1")
	}
	if y != predicted {
		return fault.Shape("predicted has", predicted, "entries", "y has %d", y)
	}
	return nil
}
