package entropy

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/selection/search"
)

// valley holds the best ridges of few rows as a function of the parameter, both as logs. A narrower kernel with a larger ridge
// gives a similar function, so small errors lie along a valley in the plane of parameter and ridge. With one ridge for all kernels,
// a search would stop at the side of the valley.
type valley struct {
	u, v  []float64 // ascending; v never decreases
	slope float64   // slope of a line through the points
}

// valleyOf returns the valley of the kernels whose errors are near the smallest. It is empty if there are fewer than three such
// kernels.
func valleyOf(trace []search.TraceRow) (out valley) {
	least := math.Inf(1)
	for _, row := range trace {
		if best, ok := leastRidgeScore(row); ok {
			least = min(least, best.Score)
		}
	}
	trace = slices.SortedFunc(slices.Values(trace), func(a, b search.TraceRow) int { return cmp.Compare(a.Param, b.Param) })
	for _, row := range trace {
		best, ok := leastRidgeScore(row)
		inside := ok && best.Ridge > row.Ridges[0].Ridge && best.Ridge < row.Ridges[len(row.Ridges)-1].Ridge
		if inside && best.Score <= (1+farBehind)*least {
			out.u, out.v = append(out.u, math.Log(row.Param)), append(out.v, math.Log(best.Ridge))
		}
	}
	if len(out.u) < 3 {
		return valley{}
	}
	if _, out.slope = stat.LinearRegression(out.u, out.v, nil, false); !(out.slope > 0) {
		return valley{}
	}
	out.slope = min(out.slope, steepest)
	for i := 1; i < len(out.v); i++ {
		out.v[i] = max(out.v[i], out.v[i-1])
	}
	return out
}

// steepest is the slope for a Matérn kernel with ν = 5/2, whose parameter is the reciprocal of its length.
const steepest = 5

// logRidge returns the log of the ridge at u, the log of the parameter. For smoother kernels it follows the line. For narrower
// kernels it is constant, because their ridge is that of the noise.
func (w valley) logRidge(u float64) float64 {
	n := len(w.u)
	switch {
	case n == 0:
		return 0
	case u <= w.u[0]:
		return w.v[0] + w.slope*(u-w.u[0])
	case u >= w.u[n-1]:
		return w.v[n-1]
	}
	i := sort.SearchFloat64s(w.u, u) // u[i-1] < u <= u[i]
	return w.v[i-1] + (w.v[i]-w.v[i-1])*(u-w.u[i-1])/(w.u[i]-w.u[i-1])
}

func leastRidgeScore(row search.TraceRow) (search.RidgeScore, bool) {
	if row.Round > 0 || len(row.Ridges) < 3 {
		return search.RidgeScore{}, false
	}
	return slices.MinFunc(row.Ridges, func(a, b search.RidgeScore) int { return cmp.Compare(a.Score, b.Score) }), true
}
