package standings

import (
	"cmp"
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/protocol"
)

// overview holds the median errors and seconds of the methods over a collection.
type overview struct {
	Criterion
	Points []overviewPoint `json:"points"` // fastest first
	all    []overviewPoint // also the methods without a finite median
}

type overviewPoint struct {
	Method   string  `json:"method"`
	Source   string  `json:"source"`
	Sets     int     `json:"sets"`
	Complete int     `json:"complete_sets"`
	Error    float64 `json:"median_relative_error"`
	Seconds  float64 `json:"median_seconds"`
	OnFront  bool    `json:"on_front"` // no method that is as fast has a smaller error
	// Near holds the seconds, in ascending order, on the sets where the error is at most NearLeast times the smallest.
	Near []float64 `json:"seconds_near_least,omitempty"`
}

// NearLeast is the largest ratio of an error to the smallest of the set that counts as near it.
const NearLeast = 1.1

// Profiled returns at most n points with a curve in a picture of profiles. Selection and selection with a budget come first, then the
// methods that are near the smallest error on the most sets. Other methods that are near it on no set have no curve.
func (o overview) Profiled(n int) []overviewPoint {
	first := func(p overviewPoint) bool { return p.Method == ZeroMethod || p.Method == methods.Budgeted }
	all := slices.DeleteFunc(slices.Clone(o.all), func(p overviewPoint) bool { return len(p.Near) == 0 && !first(p) })
	slices.SortStableFunc(all, func(a, b overviewPoint) int {
		if first(a) != first(b) {
			return map[bool]int{true: -1, false: 1}[first(a)]
		}
		return cmp.Compare(len(b.Near), len(a.Near))
	})
	return all[:min(n, len(all))]
}

func (r Results) overview() overview {
	out := overview{Criterion: r.Criterion}
	for _, m := range r.methods {
		var errors, seconds []float64
		p := overviewPoint{Method: m, Source: methods.SourceOf(m), Sets: len(r.Sets)}
		for _, d := range r.Sets {
			e, least := r.Error(d.Set, m), math.Inf(1)
			for _, other := range r.methods {
				if v := r.Error(d.Set, other); v < least {
					least = v
				}
			}
			switch {
			case math.IsNaN(e):
				errors, seconds = append(errors, math.Inf(1)), append(seconds, math.Inf(1))
				continue
			case e == least: // both may be 0
				errors = append(errors, 1)
			default:
				errors = append(errors, e/least)
			}
			s := r.seconds[[2]string{d.Set, m}]
			seconds = append(seconds, s)
			if p.Complete++; e <= NearLeast*least {
				p.Near = append(p.Near, s)
			}
		}
		slices.Sort(p.Near)
		p.Error, p.Seconds = Median(errors), Median(seconds)
		out.all = append(out.all, p)
		if !math.IsInf(p.Error, 1) && !math.IsInf(p.Seconds, 1) {
			out.Points = append(out.Points, p)
		}
	}
	slices.SortStableFunc(out.Points, func(a, b overviewPoint) int {
		return cmp.Or(cmp.Compare(a.Seconds, b.Seconds), cmp.Compare(a.Error, b.Error))
	})
	lowest := math.Inf(1)
	for i := range out.Points {
		if out.Points[i].Error < lowest {
			out.Points[i].OnFront, lowest = true, out.Points[i].Error
		}
	}
	return out
}

// Best returns the smallest error of our methods or of all others. Its method is "" if none is complete.
func (r Results) Best(set string, ours bool) best {
	out := best{Error: math.NaN()}
	for _, m := range r.methods {
		if e := r.Error(set, m); (methods.SourceOf(m) == methods.OursSource) == ours && (e < out.Error || out.Method == "" &&
			!math.IsNaN(e)) {
			out = best{m, e}
		}
	}
	return out
}

// Against describes the result of a method compared with another on a set.
func (r Results) Against(d protocol.Description, method, other string) string {
	c, ok := r.compare(d, method, other)
	switch {
	case !ok:
		return "-"
	case c.P >= significance:
		return "tied"
	case c.Mean < 0:
		return "better"
	}
	return "worse"
}
