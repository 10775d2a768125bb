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
func Accuracy(y, predicted []int, weights []float64) (_ float64, err error) {
	defer fault.Recover(&err)
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
			right += w.weight(i)
		}
	}
	return right / w.total(len(y)), nil
}

// GMean returns the geometric mean, over the classes that occur in y, of the
// share of each class that is predicted rightly: 0 as soon as one class is
// always missed. Errors: ErrShape, ErrNotFinite, ErrParam.
func GMean(y, predicted []int, weights []float64) (_ float64, err error) {
	defer fault.Recover(&err)
	if err := sameLength("predicted", len(predicted), len(y)); err != nil {
		return 0, err
	}
	w, err := weigh(weights, len(y))
	if err != nil {
		return 0, err
	}
	total, right := map[int]float64{}, map[int]float64{}
	for i, v := range y {
		total[v] += w.weight(i)
		if v == predicted[i] {
			right[v] += w.weight(i)
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
func AUC(y []int, positive int, scores, weights []float64) (_ float64, err error) {
	defer fault.Recover(&err)
	groups, count, err := tied(y, positive, scores, weights)
	if err != nil {
		return 0, err
	}
	if count == 0 || count == len(y) {
		return 0, oneSided(positive, count, len(y))
	}
	return area(groups), nil
}

// oneSided is the error of rows that are all of one side.
func oneSided(positive, count, rows int) error {
	return fault.Shape("y has", count, fmt.Sprintf("rows of class %d", positive), "want at least 1 and fewer than all %d", rows)
}

// tie is rows of one score: the weights of those of the class and of the others.
type tie struct{ score, positives, negatives float64 }

// tied returns the scores, ascending, and how many rows are of the class. Errors as AUC.
func tied(y []int, positive int, scores, weights []float64) (groups []tie, count int, err error) {
	if err := sameLength("scores", len(scores), len(y)); err != nil {
		return nil, 0, err
	}
	w, err := weigh(weights, len(y))
	if err != nil {
		return nil, 0, err
	}
	order := make([]int, len(y))
	for i, s := range scores {
		if math.IsNaN(s) {
			return nil, 0, &fault.NotFiniteError{Name: "scores", Row: i, Col: -1, Value: s}
		}
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	for i := 0; i < len(order); {
		g, j := tie{score: scores[order[i]]}, i
		for ; j < len(order) && scores[order[j]] == g.score; j++ {
			if o := order[j]; y[o] == positive {
				g.positives += w.weight(o)
				count++
			} else {
				g.negatives += w.weight(o)
			}
		}
		groups = append(groups, g)
		i = j
	}
	return groups, count, nil
}

// area is the share of the pairs of both sides that are in the right order, half of those that tie.
func area(groups []tie) float64 {
	won, positives, negatives := 0.0, 0.0, 0.0
	for _, g := range groups {
		won += g.positives * (negatives + g.negatives/2)
		positives, negatives = positives+g.positives, negatives+g.negatives
	}
	return won / (positives * negatives)
}

// AUCOfScores is AUC of n×K scores, columns in the order of classes: of two
// classes that of the second; of more the mean over the classes that occur, each
// against the rest.
func AUCOfScores(y, classes []int, scores *mat.Dense, weights []float64) (_ float64, err error) {
	defer fault.Recover(&err)
	if err := columns("scores", y, classes, scores); err != nil {
		return 0, err
	}
	if len(classes) == 2 {
		return AUC(y, classes[1], mat.Col(nil, 1, scores), weights)
	}
	return meanOverClasses(y, classes, scores, weights, AUC)
}

// meanOverClasses is the mean of a score over the classes that occur, each against the rest.
func meanOverClasses(y, classes []int, scores *mat.Dense, weights []float64,
	of func(y []int, positive int, scores, weights []float64) (float64, error)) (float64, error) {
	sum, count := 0.0, 0.0
	for j, c := range classes {
		if !slices.Contains(y, c) {
			continue
		}
		v, err := of(y, c, mat.Col(nil, j, scores), weights)
		if err != nil {
			return 0, err
		}
		sum, count = sum+v, count+1
	}
	if count == 0 {
		return 0, noneOccurs()
	}
	return sum / count, nil
}

func noneOccurs() error {
	return fault.Shape("y has", 0, "rows of the classes", "want at least 1")
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
