package metrics

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Accuracy returns the fraction of correctly predicted labels. Errors: ErrShape, ErrNotFinite, ErrParam.
func Accuracy(y, predicted []int, weights []float64) (_ float64, err error) {
	defer fault.Recover(&err)
	w, err := weighLabels(y, predicted, weights)
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

// GMean returns the geometric mean of the recalls of the classes that occur in y. It is 0 if no row of some class is predicted
// correctly. Errors: ErrShape, ErrNotFinite, ErrParam.
func GMean(y, predicted []int, weights []float64) (_ float64, err error) {
	defer fault.Recover(&err)
	recalls, err := recalls(y, predicted, weights)
	if err != nil {
		return 0, err
	}
	product := 1.0
	for _, r := range recalls {
		product *= math.Pow(r, 1/float64(len(recalls)))
	}
	return product, nil
}

// BalancedAccuracy returns the mean of the recalls of the classes that occur in y. Random guesses among K classes score 1/K.
// Errors: ErrShape, ErrNotFinite, ErrParam.
func BalancedAccuracy(y, predicted []int, weights []float64) (_ float64, err error) {
	defer fault.Recover(&err)
	recalls, err := recalls(y, predicted, weights)
	if err != nil {
		return 0, err
	}
	return floats.Sum(recalls) / float64(len(recalls)), nil
}

// MCC returns the Matthews correlation coefficient for any number of classes, the correlation between true and predicted labels,
//
//	(c s - Σ t[k] p[k]) / √((s² - Σ p[k]²) (s² - Σ t[k]²)),
//
// with s rows, c of them correct, t[k] in class k and p[k] predicted as class k. It is 1 if all are correct, 0 on average for
// random guesses, and 0 if one class is predicted for all rows (J. Gorodkin, Computational Biology and Chemistry 28, 2004, 367).
// Errors: ErrShape, ErrNotFinite, ErrParam.
func MCC(y, predicted []int, weights []float64) (_ float64, err error) {
	defer fault.Recover(&err)
	w, err := weighLabels(y, predicted, weights)
	if err != nil {
		return 0, err
	}
	actual, guessed, right, total := map[int]float64{}, map[int]float64{}, 0.0, w.total(len(y))
	for i, v := range y {
		share := w.weight(i) / total
		actual[v] += share
		guessed[predicted[i]] += share
		if v == predicted[i] {
			right += share
		}
	}
	both, squaresActual, squaresGuessed := 0.0, 0.0, 0.0
	for _, c := range classes.Distinct(y, predicted) { // in a fixed order, so that rounding does not depend on the map
		both += actual[c] * guessed[c]
		squaresActual += actual[c] * actual[c]
		squaresGuessed += guessed[c] * guessed[c]
	}
	if len(actual) < 2 || len(guessed) < 2 {
		return 0, nil
	}
	return (right - both) / math.Sqrt((1-squaresActual)*(1-squaresGuessed)), nil
}

// FBeta returns the weighted harmonic mean of precision and recall of the class positive,
//
//	(1 + β²) both / (β² actual + predicted),
//
// where actual is the number of rows in the class, predicted the number predicted as the class, and both the number of rows that
// are counted in actual and in predicted. Recall counts β times as much as precision: F1 has β = 1. It is 0 if no row is predicted
// as the class, or if no row is in the class. Errors: ErrShape, ErrNotFinite, and ErrParam for a β that is not positive.
func FBeta(y, predicted []int, positive int, beta float64, weights []float64) (_ float64, err error) {
	defer fault.Recover(&err)
	if !(beta > 0) || math.IsInf(beta, 0) {
		return 0, fault.Param("metrics: FBeta", "beta", beta, "> 0 and finite")
	}
	w, err := weighLabels(y, predicted, weights)
	if err != nil {
		return 0, err
	}
	actual, guessed, both := 0.0, 0.0, 0.0
	for i, v := range y {
		if v == positive {
			actual += w.weight(i)
		}
		if predicted[i] == positive {
			guessed += w.weight(i)
		}
		if v == positive && predicted[i] == positive {
			both += w.weight(i)
		}
	}
	return fBeta(actual, guessed, both, beta), nil
}

func fBeta(actual, predicted, both, beta float64) float64 {
	if both == 0 {
		return 0
	}
	share := 1 / (1 + beta*beta) // share of predicted in the denominator, without β², which may overflow
	return both / ((1-share)*actual + share*predicted)
}

// weighLabels checks true and predicted labels, and returns the weights of the rows.
func weighLabels(y, predicted []int, weights []float64) (rowWeights, error) {
	if err := sameLength("predicted", len(predicted), len(y)); err != nil {
		return nil, err
	}
	return weigh(weights, len(y))
}

// recalls returns the recall of each class of y, in the order of the classes.
func recalls(y, predicted []int, weights []float64) ([]float64, error) {
	w, err := weighLabels(y, predicted, weights)
	if err != nil {
		return nil, err
	}
	total, right := map[int]float64{}, map[int]float64{}
	for i, v := range y {
		total[v] += w.weight(i)
		if v == predicted[i] {
			right[v] += w.weight(i)
		}
	}
	labels := classes.Distinct(y)
	out := make([]float64, len(labels))
	for i, c := range labels {
		out[i] = right[c] / total[c]
	}
	return out, nil
}

// AUC returns the area under the ROC curve. This is the probability that a row in the class positive has a higher score than a row
// in another class, where ties count half. It costs O(n log n). It returns ErrShape (also if no row is in the class, or if all rows
// are), ErrNotFinite for NaN (infinite scores are valid), or ErrParam.
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

// oneSided returns an error if no row is in the class positive, or if all rows are.
func oneSided(positive, count, rows int) error {
	return fault.Shape("y has", count, fmt.Sprintf("rows of class %d", positive), "want at least 1 and fewer than all %d", rows)
}

// tie holds the total weights of all rows with the same score, in the class and outside it.
type tie struct{ score, positives, negatives float64 }

// tied returns the ties in ascending order of the score, and the number of rows in the class. It returns the errors of AUC.
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

// area returns the fraction of pairs, a row in the class and a row outside it, that are in the right order. Ties count half.
func area(groups []tie) float64 {
	won, positives, negatives := 0.0, 0.0, 0.0
	for _, g := range groups {
		won += g.positives * (negatives + g.negatives/2)
		positives, negatives = positives+g.positives, negatives+g.negatives
	}
	return won / (positives * negatives)
}

// AUCOfScores is like AUC, for n×K scores with columns in the order of classes. For two classes it is the AUC of the second class.
// For more classes it is the mean over the classes that occur, each against the rest.
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

// meanOverClasses returns the mean of a score over the classes that occur, each against the rest. For two classes it returns the
// score of the second.
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

// TopK returns the fraction of rows whose class is among the k highest scores (n×K, columns in the order of classes). If classes
// tie for the last place, the row counts with the probability that its class is included when ties are broken at random. It costs
// O(nK). Errors: ErrShape, ErrNotFinite for NaN, and ErrParam for k < 1.
func TopK(y, classes []int, scores *mat.Dense, k int, weights []float64) (_ float64, err error) {
	defer fault.Recover(&err)
	if k < 1 {
		return 0, fault.Param("metrics: TopK", "k", k, ">= 1")
	}
	if err := columns("scores", y, classes, scores); err != nil {
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
		higher, equal, row := 0, 0, scores.RawRowView(i)
		for j, s := range row {
			switch {
			case math.IsNaN(s):
				return 0, &fault.NotFiniteError{Name: "scores", Row: i, Col: j, Value: s}
			case s > row[own]:
				higher++
			case s == row[own]:
				equal++
			}
		}
		sum += w.weight(i) * min(1, max(0, float64(k-higher)/float64(equal)))
	}
	return sum / w.total(len(y)), nil
}

func noneOccurs() error {
	return fault.Shape("y has", 0, "rows of the classes", "want at least 1")
}

// columns checks that m has one row per element of y and one column per class.
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
