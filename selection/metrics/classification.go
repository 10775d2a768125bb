package metrics

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Accuracy returns the share of labels predicted rightly. Errors: ErrShape,
// ErrNotFinite, ErrParam.
func Accuracy(y, predicted []int, weights []float64) (float64, error) {
	if err := sameLength("predicted", len(predicted), len(y)); err != nil {
		return 0, err
	}
	w, err := weigh(weights, len(y))
	if err != nil {
		return 0, err
	}
	right := 0.0
	for i, v := range y {
		if v == predicted[i] {
			right += w.at(i)
		}
	}
	return right / w.total(len(y)), nil
}

// GMean returns the geometric mean, over the classes that occur in y, of the
// share of each class that is predicted rightly: 0 as soon as one class is
// always missed. Errors: ErrShape, ErrNotFinite, ErrParam.
func GMean(y, predicted []int, weights []float64) (float64, error) {
	if err := sameLength("predicted", len(predicted), len(y)); err != nil {
		return 0, err
	}
	w, err := weigh(weights, len(y))
	if err != nil {
		return 0, err
	}
	total, right := map[int]float64{}, map[int]float64{}
	for i, v := range y {
		total[v] += w.at(i)
		if v == predicted[i] {
			right[v] += w.at(i)
		}
	}
	labels := classes.Distinct(y) // the rounding must not depend on the map's order
	product := 1.0
	for _, c := range labels {
		product *= math.Pow(right[c]/total[c], 1/float64(len(labels)))
	}
	return product, nil
}

// AUC returns the area under the ROC curve: the chance that a row of the class
// positive has a higher score than a row of another, ties counting half. Cost
// O(n log n). Errors: ErrShape also if one side has no row, ErrNotFinite for NaN (an
// infinite score is one like others), ErrParam.
func AUC(y []int, positive int, scores, weights []float64) (float64, error) {
	if err := sameLength("scores", len(scores), len(y)); err != nil {
		return 0, err
	}
	w, err := weigh(weights, len(y))
	if err != nil {
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
	// won is the weight of the pairs in the right order, half of those that tie.
	won, positives, negatives, count := 0.0, 0.0, 0.0, 0
	for i := 0; i < len(order); {
		j, p, n := i, 0.0, 0.0
		for ; j < len(order) && scores[order[j]] == scores[order[i]]; j++ {
			if o := order[j]; y[o] == positive {
				p += w.at(o)
				count++
			} else {
				n += w.at(o)
			}
		}
		won += p * (negatives + n/2)
		positives, negatives = positives+p, negatives+n
		i = j
	}
	if count == 0 || count == len(y) {
		return 0, fault.Shape(fmt.Sprintf("of class %d y has", positive), count, "rows", "want at least 1 and fewer than all %d", len(y))
	}
	return won / (positives * negatives), nil
}

// AUCOfScores is AUC of n×K scores, columns in the order of classes: of two
// classes that of the second; of more the mean over the classes that occur, each
// against the rest.
func AUCOfScores(y, classes []int, scores *mat.Dense, weights []float64) (float64, error) {
	if err := columns("scores", y, classes, scores); err != nil {
		return 0, err
	}
	if len(classes) == 2 {
		return AUC(y, classes[1], mat.Col(nil, 1, scores), weights)
	}
	sum, count := 0.0, 0.0
	for j, c := range classes {
		if !slices.Contains(y, c) {
			continue
		}
		v, err := AUC(y, c, mat.Col(nil, j, scores), weights)
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

// columns checks that m has a row for each of y and a column for each class.
func columns(name string, y, classes []int, m *mat.Dense) error {
	if m == nil || m.IsEmpty() {
		return fault.Shape(name+" has", 0, "rows", "want at least 1")
	}
	n, k := m.Dims()
	if err := sameLength(name, n, len(y)); err != nil {
		return err
	}
	if k != len(classes) {
		return fault.Shape(name+" has", k, "columns", "classes has %d", len(classes))
	}
	return nil
}
