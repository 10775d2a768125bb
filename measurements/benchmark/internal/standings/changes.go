package standings

import (
	"maps"
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/protocol"
)

// Change compares the results of a method with those of the same method in an earlier run.
type Change struct {
	Method string `json:"method"`
	Sets   int    `json:"sets"` // on which the method is complete in both runs
	// OnlyNow and OnlyEarlier hold the sets on which the method is complete in one of the runs.
	OnlyNow     []string `json:"only_now,omitempty"`
	OnlyEarlier []string `json:"only_earlier,omitempty"`
	// Center is the geometric mean of the errors divided by those of the earlier run. Low and High are the ends of its 95% bootstrap
	// interval over the sets. The NLPD may be negative, so there Center is the median difference.
	Center *float64 `json:"center"`
	Low    *float64 `json:"low"`
	High   *float64 `json:"high"`
	// Better and Worse hold the sets whose error changed by more than a tenth, or by more than 0.1 for the NLPD.
	Better []string `json:"better,omitempty"`
	Worse  []string `json:"worse,omitempty"`
	// Earlier and Now are mean ranks among the Ranked methods of the earlier run. In Now, the results of the methods that ran again
	// replace their earlier ones.
	Earlier float64 `json:"earlier_mean_rank"`
	Now     float64 `json:"mean_rank"`
	Ranked  int     `json:"ranked"`
	Seconds float64 `json:"seconds"` // geometric mean of the seconds of fit and prediction divided by the earlier ones
}

// CompareWith compares each method with itself in an earlier run, on the sets of both. It adds the changes to the analyses, and
// reports whether there are any.
func (r *Record) CompareWith(earlier *Record) (found bool) {
	for i := range r.Analyses {
		a := &r.Analyses[i]
		now, before := r.ResultsBy(a.Criterion), earlier.ResultsBy(a.Criterion)
		now.Sets = slices.DeleteFunc(now.Sets, func(d protocol.Description) bool { return !before.contains(d) })
		before.Sets = slices.DeleteFunc(before.Sets, func(d protocol.Description) bool { return !now.contains(d) })
		if len(now.Sets) > 0 {
			a.Changes = now.changes(before)
		}
		found = found || a.Changes != nil
	}
	return found
}

// contains reports whether the results include a set.
func (r Results) contains(d protocol.Description) bool {
	return slices.ContainsFunc(r.Sets, func(o protocol.Description) bool { return o.Set == d.Set })
}

// changes compares results with earlier ones on the same sets.
func (r Results) changes(earlier Results) (out []Change) {
	replaced := earlier
	replaced.errors = maps.Clone(earlier.errors)
	for _, d := range r.Sets {
		for _, m := range r.methods {
			at := [2]string{d.Set, m}
			delete(replaced.errors, at)
			if e, ok := r.errors[at]; ok {
				replaced.errors[at] = e
			}
		}
	}
	before, now := meanRanks(earlier.ranks(earlier.methods)), meanRanks(replaced.ranks(earlier.methods))
	for j, m := range earlier.methods {
		if slices.Contains(r.methods, m) {
			one := r.change(earlier, m)
			one.Earlier, one.Now, one.Ranked = before[j], now[j], len(earlier.methods)
			out = append(out, one)
		}
	}
	return out
}

// change compares the errors and the seconds of a method with earlier ones.
func (r Results) change(earlier Results, method string) Change {
	out := Change{Method: method}
	ratio := r.Measure != "NLPD"
	var changes, seconds []float64
	for _, d := range r.Sets {
		now, before := r.Error(d.Set, method), earlier.Error(d.Set, method)
		switch {
		case math.IsNaN(now) && math.IsNaN(before):
			continue
		case math.IsNaN(before):
			out.OnlyNow = append(out.OnlyNow, d.Set)
			continue
		case math.IsNaN(now):
			out.OnlyEarlier = append(out.OnlyEarlier, d.Set)
			continue
		}
		out.Sets++
		at := [2]string{d.Set, method}
		seconds = append(seconds, math.Log(r.seconds[at]/earlier.seconds[at]))
		change, limit := now-before, .1
		if ratio {
			change, limit = math.Log(now/before), math.Log(clearlyRatio)
		}
		switch {
		case now == before:
			change = 0 // also if both are 0
		case change < -limit:
			out.Better = append(out.Better, d.Set)
		case change > limit:
			out.Worse = append(out.Worse, d.Set)
		}
		if !math.IsInf(change, 0) { // an error of 0 has no ratio
			changes = append(changes, change)
		}
	}
	out.Seconds = math.Exp(mean(seconds))
	if len(changes) < 2 {
		return out
	}
	statistic := mean
	if !ratio {
		statistic = middle
	}
	center := statistic(changes)
	low, high := bootstrap(changes, statistic)
	if ratio {
		center, low, high = math.Exp(center), math.Exp(low), math.Exp(high)
	}
	out.Center, out.Low, out.High = &center, &low, &high
	return out
}

// middle returns the median, which for an even number of values is the mean of two.
func middle(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
