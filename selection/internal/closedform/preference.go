package closedform

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/kernelearn/kernelearn/selection/search"
)

// Rule says which pair of a kernel and a ridge is best.
type Rule int

// The rules.
const (
	// ErrorAndEvidence takes the largest evidence among the pairs whose leave-one-out error is nearly the least, and of
	// classes the least product of that error and of the share of rows that the others put into another class.
	ErrorAndEvidence Rule = iota
	// LeastError takes the least leave-one-out error.
	LeastError
	// MostEvidence takes the largest evidence.
	MostEvidence
)

// WithinError is the share of a standard error by which a leave-one-out error may lie above the
// least for its evidence to count. From a quarter to three quarters it hardly matters: settled on
// eleven regression sets, splits of seeds 7 and 8.
const WithinError = 0.5

// withinMore is that of more than manyRows rows, whose errors are less a matter of luck: on Friedman's
// function of 1000 and 2000 rows, seeds 7 to 14, it took 2% of the test error that half a standard error
// left, and nothing on the sine of measurements/performance.
const withinMore = 0.05

const manyRows = 600

// ErrorTolerance is the share of a standard error by which an error may lie above the least for its evidence to count, of a number of rows.
func ErrorTolerance(rows int) float64 {
	if rows > manyRows {
		return withinMore
	}
	return WithinError
}

// oneWrong is added to the share of rows of another class, so that of few errors one more or less
// does not decide.
const oneWrong = 0.01

// Look is a row of a trace at one of its ridges.
type Look struct {
	Row int // its place in the trace
	search.RidgeScore
}

// Prefer returns the best of some rows by a rule; ok is false if none of them has a ridge. Of equal ones it is the first,
// and of one row that of the larger ridge.
func Prefer(rows []search.TraceRow, rule Rule, classes bool) (out Look, ok bool) {
	var all []Look
	var scores []search.RidgeScore
	most := 0
	for i, row := range rows {
		most = max(most, row.Rows)
		for _, c := range slices.Backward(row.Ridges) {
			all, scores = append(all, Look{i, c}), append(scores, c)
		}
	}
	if len(all) == 0 {
		return out, false
	}
	return all[Best(scores, rule, classes, ErrorTolerance(most))], true
}

// Best returns the place of the best of some scores, of which there is one at least.
func Best(all []search.RidgeScore, rule Rule, classes bool, within float64) int {
	if classes && rule == ErrorAndEvidence {
		products := make([]float64, len(all))
		for i, v := range all {
			products[i] = v.Score * (v.Wrong + oneWrong)
		}
		return floats.MinIdx(products)
	}
	least, most := 0, -1
	for i, v := range all {
		if v.Score < all[least].Score {
			least = i
		}
	}
	if rule == LeastError {
		return least
	}
	limit := math.Inf(1)
	if rule == ErrorAndEvidence {
		limit = all[least].Score + within*all[least].StandardError
	}
	for i, v := range all {
		if v.Score <= limit && (most < 0 || v.Evidence > all[most].Evidence) {
			most = i
		}
	}
	return most
}
