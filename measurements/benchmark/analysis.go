package main

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/kernelearn/kernelearn/selection/validation"
	"gonum.org/v1/gonum/stat"
)

// criterion is an error that methods are compared by; less is better.
type criterion struct {
	Name       string `json:"name"`
	Task       string `json:"task"`
	Collection string `json:"collection,omitempty"` // of the sets
	measure    string
	gain       bool // the measure is one that is better the larger it is, at most 1
	// partial says that not all methods give it; others have no part in the comparison.
	partial bool
}

// criteria are the comparisons of a task, the first the one of fronts and bars.
var criteria = []criterion{
	{Name: "NMSE", Task: regressionTask, measure: "NMSE"},
	{Name: "NLPD", Task: regressionTask, measure: "NLPD", partial: true},
	{Name: "error rate", Task: classificationTask, measure: "Accuracy", gain: true},
	{Name: "1 - GMean", Task: classificationTask, measure: "GMean", gain: true},
	{Name: "log loss", Task: classificationTask, measure: "LogLoss", partial: true},
	{Name: "Brier", Task: classificationTask, measure: "Brier", partial: true},
}

// of is the criterion of a cell's measures, if they have it.
func (c criterion) of(measures map[string]float64) (float64, bool) {
	v, ok := measures[c.measure]
	if c.gain {
		v = 1 - v
	}
	return v, ok
}

// is says whether two are the same.
func (c criterion) is(o criterion) bool {
	return c.Name == o.Name && c.Task == o.Task && c.Collection == o.Collection
}

// suffix tells the second collection from the first.
func (c criterion) suffix(before string) string {
	if c.Collection != secondCollection {
		return ""
	}
	return before + "second"
}

// title names the criterion with its task and its collection.
func (c criterion) title() string { return c.named(c.Name + ", " + c.Task) }

// named is a text with the collection, where there is more than the sets of the repository.
func (c criterion) named(text string) string {
	if c.Collection != "" && c.Collection != shippedCollection {
		text += ", " + c.Collection
	}
	return text
}

// analysis is a comparison of methods over the sets of a task by one criterion. The
// baselines have no part in it.
type analysis struct {
	criterion
	Sets    []string   `json:"sets"`
	Methods []standing `json:"methods"` // the best mean rank first
	// Friedman and CriticalDifference are nil with fewer than two sets or methods.
	Friedman           *friedman  `json:"friedman,omitempty"`
	CriticalDifference *float64   `json:"critical_difference,omitempty"`
	Pairs              []pair     `json:"pairs,omitempty"`
	Best               []setBests `json:"best"`
	Kinds              []kind     `json:"kinds,omitempty"`
	Ratios             *ratios    `json:"ratios,omitempty"` // of regressions
	Zeros              []zero     `json:"zeros,omitempty"`
	Relations          []relation `json:"relations,omitempty"`
}

// standing is a method's place over all sets.
type standing struct {
	Method   string  `json:"method"`
	Source   string  `json:"source"`
	MeanRank float64 `json:"mean_rank"`
	Complete int     `json:"complete_sets"` // all splits ok; on the others it has the worst rank
}

// pair is how often A was better, level and worse than B, over the sets where both are
// complete.
type pair struct {
	A      string `json:"a"`
	B      string `json:"b"`
	Wins   int    `json:"wins"`
	Draws  int    `json:"draws"`
	Losses int    `json:"losses"`
}

// setBests is the least error of each source on a set, "" for none.
type setBests struct {
	Set     string          `json:"set"`
	Sources map[string]best `json:"sources"`
}

type best struct {
	Method string  `json:"method"`
	Error  float64 `json:"error"`
}

// front is what error costs in seconds of fit and prediction on one set.
type front struct {
	criterion
	Set    string  `json:"set"`
	Points []point `json:"points"` // of all complete methods, the fastest first
	ratios bool    // the errors are drawn on a scale of ratios
	// Ours are four readings of how this module does, each stricter than the first.
	OnFront        bool `json:"ours_on_front"`                // one of ours is beaten in both by none
	OnBetterHalf   bool `json:"ours_on_front_of_best_half"`   // so, with an error not above the median method's
	Least          bool `json:"ours_least_error"`             // the least error is ours
	LevelAndFaster bool `json:"ours_level_with_less_seconds"` // one of ours is within a standard error of the least, in less time
}

type point struct {
	Method  string  `json:"method"`
	Source  string  `json:"source"`
	Seconds float64 `json:"seconds"`
	Error   float64 `json:"error"`
	OnFront bool    `json:"on_front"`
	// Behind is what the error is above the least, in standard errors of the difference by
	// the corrected resampled test; nil with one split, or where there is no difference.
	Behind *float64 `json:"standard_errors_behind,omitempty"`
}

// results are the errors of one criterion: of a method on a set its splits', nil where
// they are not all ok.
type results struct {
	criterion
	sets    []description
	methods []string
	errors  map[[2]string][]float64 // by set and method
	seconds map[[2]string]float64
}

func (r *report) resultsBy(c criterion) results {
	out := results{criterion: c, errors: map[[2]string][]float64{}, seconds: map[[2]string]float64{}}
	has := map[string]bool{}
	for _, d := range r.Sets {
		if d.Task == c.Task && d.Collection == c.Collection {
			out.sets = append(out.sets, d)
			has[d.Set] = true
		}
	}
	gives := map[string]bool{} // the methods that have the measure
	for _, cell := range r.Cells {
		if _, ok := c.of(cell.Measures); ok && cell.Status == statusOK && has[cell.Set] {
			gives[cell.Method] = true
		}
	}
	complete := map[[2]string]bool{}
	for _, cell := range r.Cells {
		if !has[cell.Set] || cell.Source == baselineSource || c.partial && !gives[cell.Method] {
			continue
		}
		if !slices.Contains(out.methods, cell.Method) {
			out.methods = append(out.methods, cell.Method)
		}
		at := [2]string{cell.Set, cell.Method}
		if _, seen := complete[at]; !seen {
			complete[at] = true
		}
		e, ok := c.of(cell.Measures)
		if cell.Status != statusOK || c.partial && !ok {
			complete[at] = false
			continue
		}
		out.errors[at] = append(out.errors[at], e)
		out.seconds[at] += cell.FitSeconds + cell.PredictSeconds
	}
	for at, e := range out.errors {
		out.seconds[at] /= float64(len(e))
	}
	for at, ok := range complete {
		if !ok {
			delete(out.errors, at)
		}
	}
	return out
}

// error is the mean over the splits, NaN where the method is not complete.
func (r results) error(set, method string) float64 {
	e, ok := r.errors[[2]string{set, method}]
	if !ok {
		return math.NaN()
	}
	return significant(stat.Mean(e, nil))
}

// significant rounds to ten digits. Means of the same errors in another order differ in the last ones, and would not
// share a rank.
func significant(v float64) float64 {
	out, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 10, 64), 64)
	if err != nil { // of no finite number
		return v
	}
	return out
}

// analyse makes the comparisons of all criteria that there are sets for.
func (r *report) analyse() {
	var all []criterion
	for _, collection := range r.collections() {
		for _, c := range criteria {
			c.Collection = collection
			all = append(all, c)
		}
	}
	for _, c := range all {
		res := r.resultsBy(c)
		if len(res.sets) == 0 || len(res.methods) == 0 {
			continue
		}
		r.Analyses = append(r.Analyses, res.analysis())
		if c.measure != "NLPD" { // has no ratio, as it may be negative
			r.Overviews = append(r.Overviews, res.overview())
		}
		for _, d := range res.sets {
			if f := res.front(d); len(f.Points) > 0 {
				r.Fronts = append(r.Fronts, f)
			}
		}
	}
}

// collections are those of the sets, in their order.
func (r *report) collections() (out []string) {
	for _, d := range r.Sets {
		if !slices.Contains(out, d.Collection) {
			out = append(out, d.Collection)
		}
	}
	return out
}

func (r results) analysis() analysis {
	a := analysis{criterion: r.criterion}
	sums, complete := make([]float64, len(r.methods)), make([]int, len(r.methods))
	var ranks [][]float64
	for _, d := range r.sets {
		a.Sets = append(a.Sets, d.Set)
		values := make([]float64, len(r.methods))
		for j, m := range r.methods {
			if values[j] = r.error(d.Set, m); !math.IsNaN(values[j]) {
				complete[j]++
			}
		}
		ranks = append(ranks, averageRanks(values))
		for j, v := range ranks[len(ranks)-1] {
			sums[j] += v
		}
		a.Best = append(a.Best, r.bests(d.Set))
	}
	for j, m := range r.methods {
		a.Methods = append(a.Methods, standing{Method: m, Source: sourceOf(m), MeanRank: sums[j] / float64(len(r.sets)),
			Complete: complete[j]})
	}
	slices.SortStableFunc(a.Methods, func(x, y standing) int { return cmp.Compare(x.MeanRank, y.MeanRank) })
	if n, k := len(r.sets), len(r.methods); n > 1 && k > 1 {
		f, cd := friedmanTest(ranks), criticalDifference(k, n)
		a.Friedman, a.CriticalDifference = &f, &cd
	}
	a.Zeros, a.Relations = r.zeros(), r.relations(a.Methods)
	if !r.partial {
		a.Kinds = r.kinds(ranks)
	}
	if r.measure == "NMSE" {
		a.Ratios = r.ratios()
	}
	for _, x := range a.Methods {
		for _, y := range a.Methods {
			if x.Method != y.Method {
				if p := r.pair(x.Method, y.Method); p.Wins+p.Draws+p.Losses > 0 {
					a.Pairs = append(a.Pairs, p)
				}
			}
		}
	}
	return a
}

func (r results) bests(set string) setBests {
	out := setBests{Set: set, Sources: map[string]best{}}
	for _, m := range r.methods {
		e, source := r.error(set, m), sourceOf(m)
		if b, there := out.Sources[source]; !math.IsNaN(e) && (!there || e < b.Error) {
			out.Sources[source] = best{m, e}
		}
	}
	return out
}

func (r results) pair(a, b string) pair {
	p := pair{A: a, B: b}
	for _, d := range r.sets {
		c, ok := r.compare(d, a, b)
		switch {
		case !ok:
		case c.P >= significance:
			p.Draws++
		case c.Mean < 0:
			p.Wins++
		default:
			p.Losses++
		}
	}
	return p
}

// compare is of the errors of a less those of b, if both are complete on two splits.
func (r results) compare(d description, a, b string) (validation.Difference, bool) {
	x, y := r.errors[[2]string{d.Set, a}], r.errors[[2]string{d.Set, b}]
	if len(x) != len(y) {
		return validation.Difference{}, false
	}
	c, err := validation.PairedDifference(x, y, d.TrainRows, d.TestRows)
	return c, err == nil
}

func (r results) front(d description) front {
	f := front{criterion: r.criterion, Set: d.Set}
	for _, m := range r.methods {
		if e := r.error(d.Set, m); !math.IsNaN(e) {
			f.Points = append(f.Points, point{Method: m, Source: sourceOf(m), Seconds: r.seconds[[2]string{d.Set, m}], Error: e})
		}
	}
	if len(f.Points) == 0 {
		return f
	}
	slices.SortStableFunc(f.Points, func(a, b point) int {
		return cmp.Or(cmp.Compare(a.Seconds, b.Seconds), cmp.Compare(a.Error, b.Error))
	})
	least := f.Points[0]
	lowest := math.Inf(1)
	for i := range f.Points {
		p := &f.Points[i]
		if p.Error < lowest {
			p.OnFront, lowest = true, p.Error
		}
		// Of equals the first in the order of methods would do as well: the faster.
		if p.Error < least.Error {
			least = *p
		}
	}
	middle := f.median()
	for i := range f.Points {
		p := &f.Points[i]
		c, ok := r.compare(d, p.Method, least.Method)
		if ok && c.StandardError > 0 {
			behind := c.Mean / c.StandardError
			p.Behind = &behind
		}
		if p.Source != oursSource {
			continue
		}
		f.OnFront = f.OnFront || p.OnFront
		f.OnBetterHalf = f.OnBetterHalf || p.OnFront && p.Error <= middle
		f.Least = f.Least || p.Error == least.Error
		f.LevelAndFaster = f.LevelAndFaster || p.level(least) && p.Seconds < least.Seconds
	}
	return f
}

// level says whether a point's error is the least, or at most one standard error behind.
func (p point) level(least point) bool {
	return p.Error == least.Error || p.Behind != nil && *p.Behind <= 1
}

// fastestLevel is the fastest of those that are level with the least error.
func (f front) fastestLevel() point {
	least := f.least()
	return f.Points[slices.IndexFunc(f.Points, func(p point) bool { return p.level(least) })]
}

// least is the point of the least error, of equals the fastest.
func (f front) least() point {
	return slices.MinFunc(f.Points, func(a, b point) int { return cmp.Compare(a.Error, b.Error) })
}

// bestOf is the point of the least error of a source.
func (f front) bestOf(source string) (out point, ok bool) {
	for _, p := range f.Points {
		if p.Source == source && (!ok || p.Error < out.Error) {
			out, ok = p, true
		}
	}
	return out, ok
}
