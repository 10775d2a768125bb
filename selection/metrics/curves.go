package metrics

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// ROCCurve is the receiver operating characteristic of scores for one class against the rest: the rates of false and true positives
// as the threshold falls. It begins with no predicted positives, at a threshold of +Inf. It has a point for each distinct score, at
// which all rows with at least that score are predicted positive. It therefore ends with both rates at 1.
type ROCCurve struct {
	Class         int
	Thresholds    []float64 // descending
	FalsePositive []float64 // false positive rate, ascending
	TruePositive  []float64 // true positive rate, ascending
	// Area is the area under the curve with straight lines between the points: the AUC.
	Area float64
}

// ROC returns the curve of the scores (n) for the class positive. Rows with equal scores share a point, so that the curve does not
// depend on the order of the rows. It costs O(n log n). It returns the errors of [AUC].
func ROC(y []int, positive int, scores, weights []float64) (_ ROCCurve, err error) {
	defer fault.Recover(&err)
	groups, count, err := tied(y, positive, scores, weights)
	if err != nil {
		return ROCCurve{}, err
	}
	if count == 0 || count == len(y) {
		return ROCCurve{}, oneSided(positive, count, len(y))
	}
	out := ROCCurve{
		Class: positive, Area: area(groups),
		Thresholds: []float64{math.Inf(1)}, FalsePositive: []float64{0}, TruePositive: []float64{0},
	}
	slices.Reverse(groups)
	cumulate(groups, func(score, positives, negatives, allPositives, allNegatives float64) {
		out.Thresholds = append(out.Thresholds, score)
		out.FalsePositive = append(out.FalsePositive, negatives/allNegatives)
		out.TruePositive = append(out.TruePositive, positives/allPositives)
	})
	return out, nil
}

// ROCOfScores returns the curves of n×K scores with columns in the order of classes. For two classes it returns the curve of the
// second class. For more classes it returns one curve for each class that occurs, against the rest.
func ROCOfScores(y, classes []int, scores *mat.Dense, weights []float64) (_ []ROCCurve, err error) {
	defer fault.Recover(&err)
	return eachClass(y, classes, scores, weights, ROC)
}

// PrecisionRecallCurve holds precision and recall as the threshold falls. It has a point for each distinct score, at which all rows
// with at least that score are predicted positive. Recall ends at 1, where Precision is Base. There is no point without predicted
// positives, where precision is undefined; scikit-learn's value of 1 is a convention for plots.
type PrecisionRecallCurve struct {
	Class      int
	Thresholds []float64 // descending
	Precision  []float64 // fraction of predicted positives that are in the class
	Recall     []float64 // fraction of the class that is predicted positive, ascending
	// AveragePrecision is the sum of the precisions, each multiplied by the increase in recall up to that point. It does not
	// interpolate, since a line between two points would promise more than any threshold achieves.
	AveragePrecision float64
	Base             float64 // fraction of the rows in the class: the precision of a random classifier
}

// PrecisionRecall returns the curve of the scores (n) for the class positive. It costs O(n log n). It returns ErrShape, also if no
// row is in the class, ErrNotFinite for NaN, or ErrParam.
func PrecisionRecall(y []int, positive int, scores, weights []float64) (_ PrecisionRecallCurve, err error) {
	defer fault.Recover(&err)
	groups, count, err := tied(y, positive, scores, weights)
	if err != nil {
		return PrecisionRecallCurve{}, err
	}
	if count == 0 {
		return PrecisionRecallCurve{}, fault.Shape("y has", 0, fmt.Sprintf("rows of class %d", positive), "want at least 1")
	}
	out := PrecisionRecallCurve{Class: positive}
	slices.Reverse(groups)
	before := 0.0
	cumulate(groups, func(score, positives, negatives, allPositives, _ float64) {
		precision, recall := positives/(positives+negatives), positives/allPositives
		out.Thresholds = append(out.Thresholds, score)
		out.Precision, out.Recall = append(out.Precision, precision), append(out.Recall, recall)
		out.AveragePrecision += precision * (recall - before)
		before, out.Base = recall, precision
	})
	return out, nil
}

// PrecisionRecallOfScores returns the curves of n×K scores, as ROCOfScores does.
func PrecisionRecallOfScores(y, classes []int, scores *mat.Dense, weights []float64) (_ []PrecisionRecallCurve, err error) {
	defer fault.Recover(&err)
	return eachClass(y, classes, scores, weights, PrecisionRecall)
}

// AveragePrecision returns the average precision of the scores (n) for the class positive, as scikit-learn's
// average_precision_score does. 1 is perfect, and a random classifier scores the fraction of rows in the class. It returns the
// errors of PrecisionRecall.
func AveragePrecision(y []int, positive int, scores, weights []float64) (_ float64, err error) {
	defer fault.Recover(&err)
	c, err := PrecisionRecall(y, positive, scores, weights)
	return c.AveragePrecision, err
}

// AveragePrecisionOfScores is like AveragePrecision, for n×K scores with columns in the order of classes. For two classes it is
// that of the second class. For more classes it is the mean over the classes that occur, each against the rest.
func AveragePrecisionOfScores(y, classes []int, scores *mat.Dense, weights []float64) (_ float64, err error) {
	defer fault.Recover(&err)
	if err := columns("scores", y, classes, scores); err != nil {
		return 0, err
	}
	if len(classes) == 2 {
		return AveragePrecision(y, classes[1], mat.Col(nil, 1, scores), weights)
	}
	return meanOverClasses(y, classes, scores, weights, AveragePrecision)
}

// cumulate calls point for each tie, in order, with the cumulative and the total weights in the class and outside it.
func cumulate(groups []tie, point func(score, positives, negatives, allPositives, allNegatives float64)) {
	// The totals are added in the same order as the cumulative sums below, so that the last rates are exactly 1.
	allPositives, allNegatives := 0.0, 0.0
	for _, g := range groups {
		allPositives, allNegatives = allPositives+g.positives, allNegatives+g.negatives
	}
	positives, negatives := 0.0, 0.0
	for _, g := range groups {
		positives, negatives = positives+g.positives, negatives+g.negatives
		point(g.score, positives, negatives, allPositives, allNegatives)
	}
}

// eachClass returns the curve of the second class if there are two, and otherwise a curve for each class that occurs.
func eachClass[C any](y, classes []int, scores *mat.Dense, weights []float64,
	curve func(y []int, positive int, scores, weights []float64) (C, error)) (out []C, err error) {
	if err := columns("scores", y, classes, scores); err != nil {
		return nil, err
	}
	for j, class := range classes {
		if len(classes) == 2 && j == 0 || len(classes) > 2 && !slices.Contains(y, class) {
			continue
		}
		c, err := curve(y, class, mat.Col(nil, j, scores), weights)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	if out == nil {
		return nil, noneOccurs()
	}
	return out, nil
}

// Interval returns Wilson's interval at a level in (0, 1) for the true probability, given Frequency in Count rows (E. B. Wilson,
// Journal of the American Statistical Association 22, 1927, 209). If the predicted probabilities are right, Mean is outside the
// interval with a probability of about 1 - level. The interval is within [0, 1], and has a positive width even if all rows had the
// same outcome. It returns ErrParam for a level out of range, or ErrShape for a bin without rows.
func (b Bin) Interval(level float64) (low, high float64, err error) {
	defer fault.Recover(&err)
	if !(level > 0 && level < 1) {
		return 0, 0, fault.Param("metrics: Bin", "level", level, "in (0, 1)")
	}
	if b.Count < 1 {
		return 0, 0, fault.Shape("the bin has", b.Count, "rows", "want at least 1")
	}
	n, z := float64(b.Count), distuv.UnitNormal.Quantile(0.5+level/2)
	centre, half := b.Frequency+z*z/(2*n), z*math.Sqrt(b.Frequency*(1-b.Frequency)/n+z*z/(4*n*n))
	scale := 1 + z*z/n
	return max(0, (centre-half)/scale), min(1, (centre+half)/scale), nil
}
