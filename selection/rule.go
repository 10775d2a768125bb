package selection

import (
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/selection/search"
	"gonum.org/v1/gonum/floats"
)

// withinError is the share of a standard error by which a leave-one-out error may lie above the
// least for its evidence to count. From a quarter to three quarters it hardly matters: settled on
// eleven regression sets, splits of seeds 7 and 8.
const withinError = 0.5

// withinMore is that of more than curveRows rows, whose errors are less a matter of luck: on Friedman's
// function of 1000 and 2000 rows, seeds 7 to 14, it took 2% of the test error that half a standard error
// left, and nothing on the sine of examples/performance.
const withinMore = 0.05

// withinOf is that of a number of rows.
func withinOf(rows int) float64 {
	if rows > curveRows {
		return withinMore
	}
	return withinError
}

// oneWrong is added to the share of rows of another class, so that of few errors one more or less
// does not decide.
const oneWrong = 0.01

// look is a row of a trace at one of its ridges.
type look struct {
	row int // its place in the trace
	search.RidgeScore
}

// prefer returns the best of some rows by a score; ok is false where none has one. Of equal ones it
// is the first, and of one row that of the larger ridge.
func prefer(rows []search.TraceRow, score Score, classes bool) (out look, ok bool) {
	var all []look
	most := 0
	for i, row := range rows {
		most = max(most, row.Rows)
		for _, c := range slices.Backward(row.Ridges) {
			all = append(all, look{i, c})
		}
	}
	if len(all) == 0 {
		return out, false
	}
	return all[best(all, score, classes, withinOf(most), func(l look) search.RidgeScore { return l.RidgeScore })], true
}

// best returns the place of the best of some looks, of which there is one at least.
func best[T any](all []T, score Score, classes bool, within float64, of func(T) search.RidgeScore) int {
	if classes && score == LeaveOneOutEvidence {
		products := make([]float64, len(all))
		for i, v := range all {
			products[i] = of(v).Score * (of(v).Wrong + oneWrong)
		}
		return floats.MinIdx(products)
	}
	least, most := 0, -1
	for i, v := range all {
		if of(v).Score < of(all[least]).Score {
			least = i
		}
	}
	if score == LeaveOneOut {
		return least
	}
	limit := math.Inf(1)
	if score == LeaveOneOutEvidence {
		limit = of(all[least]).Score + within*of(all[least]).StandardError
	}
	for i, v := range all {
		if of(v).Score <= limit && (most < 0 || of(v).Evidence > of(all[most]).Evidence) {
			most = i
		}
	}
	return most
}
