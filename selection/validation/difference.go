package validation

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Difference compares the scores of two estimators on the same folds. See [PairedDifference].
type Difference struct {
	// Mean is the mean difference, in the units of the score.
	Mean float64

	// StandardError is the standard error of Mean, in the same units.
	StandardError float64

	// P is the probability, if both estimators were equally good, of a difference that is at least as large in either direction.
	P float64
}

// String returns the mean, its standard error and P.
func (d Difference) String() string {
	return fmt.Sprintf("%.3g ± %.2g, p = %.2g", d.Mean, d.StandardError, d.P)
}

// PairedDifference returns the mean of a - b, the scores of two estimators on the same two or more folds, with the corrected
// resampled t-test of C. Nadeau and Y. Bengio (Machine Learning 52, 2003, 239). Folds share training rows, so their differences are
// correlated. The variance of the mean of J differences d is therefore not var(d)/J but
//
//	(1/J + testRows/trainRows) var(d),
//
// and the mean divided by its square root has Student's distribution with J - 1 degrees of freedom. The arguments trainRows and
// testRows are the numbers of rows of a fold. If all differences are equal, there is no variance to test with: StandardError is 0
// and P is 1. With only a few folds, the test detects only large differences. Errors: [estimators.ErrShape],
// [estimators.ErrNotFinite], and [estimators.ErrParam] for numbers of rows that are not positive.
func PairedDifference(a, b []float64, trainRows, testRows int) (Difference, error) {
	const what = "validation: PairedDifference"
	if len(a) != len(b) {
		return Difference{}, fault.Shape("b has", len(b), "scores", "a has %d", len(a))
	}
	if len(a) < 2 {
		return Difference{}, fault.Shape("a has", len(a), "scores", "want at least 2")
	}
	for _, v := range []struct {
		name   string
		values []float64
	}{{"a", a}, {"b", b}} {
		if err := check.Vector(v.name, v.values); err != nil {
			return Difference{}, err
		}
	}
	if trainRows < 1 {
		return Difference{}, fault.Param(what, "trainRows", trainRows, ">= 1")
	}
	if testRows < 1 {
		return Difference{}, fault.Param(what, "testRows", testRows, ">= 1")
	}
	d := make([]float64, len(a))
	for i := range d {
		d[i] = a[i] - b[i]
	}
	mean, variance := stat.MeanVariance(d, nil)
	if math.Abs(mean) <= 1e-14*max(floats.Norm(a, math.Inf(1)), floats.Norm(b, math.Inf(1))) { // zero up to rounding
		mean = 0
	}
	out := Difference{Mean: mean, StandardError: math.Sqrt((1/float64(len(d)) + float64(testRows)/float64(trainRows)) * variance)}
	if err := check.Vector("the mean difference and its standard error", []float64{out.Mean, out.StandardError}); err != nil {
		return Difference{}, err // overflows if scores are near the largest floating-point number
	}
	switch {
	case mean == 0:
		out.P = 1
	case out.StandardError <= 1e-12*math.Abs(mean): // all differences are equal up to rounding
		out.StandardError, out.P = 0, 1
	default:
		out.P = 2 * distuv.StudentsT{Sigma: 1, Nu: float64(len(d) - 1)}.Survival(math.Abs(mean)/out.StandardError)
	}
	return out, nil
}

// Minus returns the difference between the named metric of s and that of other. It is the [PairedDifference] with the mean numbers
// of rows of the folds. Both Scores must come from the same folds: the same rows in the same order, and the same splitter with the
// same seed. Errors: [estimators.ErrShape] if the folds differ in number or size, or if there are fewer than two,
// [estimators.ErrParam] if a metric is missing from one of them, and [estimators.ErrNotFinite].
func (s Scores) Minus(other Scores, metric string) (Difference, error) {
	a, err := s.valuesOf(metric)
	if err != nil {
		return Difference{}, err
	}
	b, err := other.valuesOf(metric)
	if err != nil {
		return Difference{}, err
	}
	if len(a) != len(b) {
		return Difference{}, fault.Shape("the other scores have", len(b), "folds", "want the same %d", len(a))
	}
	for _, f := range []struct {
		whose string
		Scores
	}{{"the scores have", s}, {"the other scores have", other}} {
		if n := min(len(f.TrainRows), len(f.TestRows)); n < len(a) {
			return Difference{}, fault.Shape(f.whose+" the rows of", n, "folds", "want %d", len(a))
		}
	}
	var train, test int
	for i := range a {
		if s.TrainRows[i] != other.TrainRows[i] || s.TestRows[i] != other.TestRows[i] {
			return Difference{}, fault.Shape(fmt.Sprintf("fold %d of the other scores has", i), other.TestRows[i], "test rows",
				"want the same folds, with %d of %d", s.TestRows[i], s.TestRows[i]+s.TrainRows[i])
		}
		train += s.TrainRows[i]
		test += s.TestRows[i]
	}
	return PairedDifference(a, b, train, test)
}

func (s Scores) valuesOf(metric string) ([]float64, error) {
	for i, name := range s.Metrics {
		if name == metric && i < len(s.Values) {
			return s.Values[i], nil
		}
	}
	return nil, fault.Param("validation: Scores", "metric", fmt.Sprintf("%q", metric), fmt.Sprintf("one of %q", s.Metrics))
}
