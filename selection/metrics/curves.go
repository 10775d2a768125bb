package metrics

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// ROCCurve is the receiver operating characteristic of scores for one class against the rest:
// how many of the others are taken for the class, and how many of the class are found, as the
// threshold falls. It begins with nothing taken, at a threshold of +Inf, and has a point for
// each distinct score, at which all rows of that score or more are taken; so it ends with
// both at 1.
type ROCCurve struct {
	Class         int
	Thresholds    []float64 // descending
	FalsePositive []float64 // the share of the other rows that is taken, ascending
	TruePositive  []float64 // the share of the rows of the class that is taken, ascending
	// Area under the curve with straight lines between the points: the AUC.
	Area float64
}

// ROC returns the curve of the scores (n) for the class positive. Rows of equal scores are one
// point, so that the curve does not depend on the order of the rows. Cost O(n log n). Errors
// as [AUC].
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

// ROCOfScores returns the curves of n×K scores, columns in the order of classes: of two
// classes that of the second; of more one for each class that occurs, against the rest.
func ROCOfScores(y, classes []int, scores *mat.Dense, weights []float64) (_ []ROCCurve, err error) {
	defer fault.Recover(&err)
	return eachClass(y, classes, scores, weights, ROC)
}

// PrecisionRecallCurve says how many of the rows that are taken for a class are of it, and how
// many of it are found, as the threshold falls: a point for each distinct score, at which
// all rows of that score or more are taken. Recall ends at 1, where Precision is Base. There is
// no point where nothing is taken: precision has no value there, and scikit-learn's 1 is a
// convention of its plots.
type PrecisionRecallCurve struct {
	Class      int
	Thresholds []float64 // descending
	Precision  []float64 // the share of what is taken that is of the class
	Recall     []float64 // the share of the class that is taken, ascending
	// AveragePrecision is the sum of the precisions, each times the step of the recall that
	// ends there. Nothing is interpolated: a line between two points would promise more than
	// any threshold gives.
	AveragePrecision float64
	Base             float64 // the share of the rows that are of the class: the precision of chance
}

// PrecisionRecall returns the curve of the scores (n) for the class positive. Cost O(n log n).
// Errors: ErrShape also if no row is of the class, ErrNotFinite for NaN, ErrParam.
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

// PrecisionRecallOfScores returns the curves of n×K scores as ROCOfScores does.
func PrecisionRecallOfScores(y, classes []int, scores *mat.Dense, weights []float64) (_ []PrecisionRecallCurve, err error) {
	defer fault.Recover(&err)
	return eachClass(y, classes, scores, weights, PrecisionRecall)
}

// AveragePrecision returns that of the precision-recall curve of the scores (n) for the class
// positive: scikit-learn's average_precision_score. 1 is perfect, and chance has the share of
// the rows that are of the class. Errors as PrecisionRecall.
func AveragePrecision(y []int, positive int, scores, weights []float64) (_ float64, err error) {
	defer fault.Recover(&err)
	c, err := PrecisionRecall(y, positive, scores, weights)
	return c.AveragePrecision, err
}

// AveragePrecisionOfScores is AveragePrecision of n×K scores, columns in the order of classes:
// of two classes that of the second; of more the mean over the classes that occur, each
// against the rest.
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

// cumulate calls point with each score and the weights on both sides up to there.
func cumulate(groups []tie, point func(score, positives, negatives, allPositives, allNegatives float64)) {
	// The same sums in the same order as below, so that the last shares are 1 exactly.
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

// eachClass returns the curve of the second of two classes, of more that of each that occurs.
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

// Interval returns the ends of Wilson's interval at a level in (0, 1) for the probability of
// which Frequency is the outcome in Count rows (E. B. Wilson, Journal of the American
// Statistical Association 22, 1927, 209). Where probabilities are right, Mean lies outside of it
// with a probability of about 1 - level. It never leaves [0, 1] and has a width where all rows
// had one outcome, too. Errors: ErrParam; ErrShape for a bin without a row.
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
