package standings

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelearn/kernelearn/selection/validation"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/protocol"
)

// Criterion is an error by which methods are compared. A smaller value is better.
type Criterion struct {
	Name       string `json:"name"`
	Task       string `json:"task"`
	Collection string `json:"collection,omitempty"` // of the sets
	Measure    string `json:"-"`
	gain       bool   // set if a larger measure is better; its largest value is 1
	// partial is set if some methods do not support the measure. The comparison excludes these methods.
	partial bool
}

// Criteria holds the comparisons of each task. Fronts and bars use the first criterion of a task.
var Criteria = []Criterion{
	{Name: "NMSE", Task: methods.RegressionTask, Measure: "NMSE"},
	{Name: "NLPD", Task: methods.RegressionTask, Measure: "NLPD", partial: true},
	{Name: "CRPS", Task: methods.RegressionTask, Measure: "CRPS", partial: true},
	{Name: "error rate", Task: methods.ClassificationTask, Measure: "Accuracy", gain: true},
	{Name: "1 - GMean", Task: methods.ClassificationTask, Measure: "GMean", gain: true},
	{Name: "log loss", Task: methods.ClassificationTask, Measure: "LogLoss", partial: true},
	{Name: "Brier", Task: methods.ClassificationTask, Measure: "Brier", partial: true},
}

// value returns the value of the criterion for the measures of a cell, if they include it.
func (c Criterion) value(measures map[string]float64) (float64, bool) {
	v, ok := measures[c.Measure]
	if c.gain {
		v = 1 - v
	}
	return v, ok
}

// Is reports whether two criteria are the same.
func (c Criterion) Is(o Criterion) bool {
	return c.Name == o.Name && c.Task == o.Task && c.Collection == o.Collection
}

// Suffix returns the suffix that distinguishes the second and the third collection from the first.
func (c Criterion) Suffix(before string) string {
	switch c.Collection {
	case protocol.SecondCollection:
		return before + "second"
	case protocol.ThirdCollection:
		return before + "third"
	}
	return ""
}

// Title returns the name of the criterion, with its task and its collection.
func (c Criterion) Title() string { return c.Named(c.Name + ", " + c.Task) }

// Named appends the collection to a text, unless it is the collection of the repository.
func (c Criterion) Named(text string) string {
	if c.Collection != "" && c.Collection != protocol.ShippedCollection {
		text += ", " + c.Collection
	}
	return text
}

// Analysis compares methods on the sets of a task for one criterion. It excludes the baselines.
type Analysis struct {
	Criterion
	Sets    []string   `json:"sets"`
	Methods []Standing `json:"methods"` // by mean rank, best first
	// Friedman and CriticalDifference are nil if there are fewer than two sets or methods.
	Friedman           *friedman  `json:"friedman,omitempty"`
	CriticalDifference *float64   `json:"critical_difference,omitempty"`
	Pairs              []Pair     `json:"pairs,omitempty"`
	Best               []SetBests `json:"best"`
	Kinds              []kind     `json:"kinds,omitempty"`
	Ratios             *Ratios    `json:"ratios,omitempty"`
	Zeros              []zero     `json:"zeros,omitempty"`
	Relations          []Relation `json:"relations,omitempty"`
	Changes            []Change   `json:"changes,omitempty"` // since an earlier run
}

// Standing holds the mean rank of a method over all sets.
type Standing struct {
	Method   string  `json:"method"`
	Source   string  `json:"source"`
	MeanRank float64 `json:"mean_rank"`
	Complete int     `json:"complete_sets"` // number of sets with all splits ok; the rank on other sets is the worst
}

// Pair holds how often A was better than, equal to and worse than B, over the sets where both are complete.
type Pair struct {
	A      string `json:"a"`
	B      string `json:"b"`
	Wins   int    `json:"wins"`
	Draws  int    `json:"draws"`
	Losses int    `json:"losses"`
}

// SetBests holds the smallest error of each source on a set. A source without a complete method has the method "".
type SetBests struct {
	Set     string          `json:"set"`
	Sources map[string]best `json:"sources"`
}

type best struct {
	Method string  `json:"method"`
	Error  float64 `json:"error"`
}

// Front holds the errors of the methods on one set, and their seconds of fit and prediction.
type Front struct {
	Criterion
	Set    string  `json:"set"`
	Points []Point `json:"points"` // all complete methods, fastest first
	Ratios bool    `json:"-"`      // the axis of errors is logarithmic
	// The following four fields assess the methods of this module. Each of the last three is a stricter condition than the first.
	OnFront        bool `json:"ours_on_front"`                // for one of ours, no faster method has as small an error
	OnBetterHalf   bool `json:"ours_on_front_of_best_half"`   // the same, and its error is at most the median
	Least          bool `json:"ours_least_error"`             // one of ours has the smallest error
	LevelAndFaster bool `json:"ours_level_with_less_seconds"` // one of ours is faster than the best, and within a standard error of it
}

type Point struct {
	Method  string  `json:"method"`
	Source  string  `json:"source"`
	Seconds float64 `json:"seconds"`
	Error   float64 `json:"error"`
	OnFront bool    `json:"on_front"`
	// Behind is the excess of the error over the smallest, in standard errors of the difference. These are from the corrected
	// resampled test. Behind is nil with one split, or if there is no difference.
	Behind *float64 `json:"standard_errors_behind,omitempty"`
}

// Results holds the errors of one criterion. For a method on a set it holds one error for each split, or nil if a split is missing
// or not ok.
type Results struct {
	Criterion
	Sets    []protocol.Description
	methods []string
	errors  map[[2]string][]float64 // by set and method
	seconds map[[2]string]float64
}

func (r *Record) ResultsBy(c Criterion) Results {
	out := Results{Criterion: c, errors: map[[2]string][]float64{}, seconds: map[[2]string]float64{}}
	has := map[string]bool{}
	for _, d := range r.Sets {
		if d.Task == c.Task && d.Collection == c.Collection {
			out.Sets = append(out.Sets, d)
			has[d.Set] = true
		}
	}
	gives := map[string]bool{} // methods that have the measure
	for _, cell := range r.Cells {
		if _, ok := c.value(cell.Measures); ok && cell.Status == protocol.StatusOK && has[cell.Set] {
			gives[cell.Method] = true
		}
	}
	complete := map[[2]string]bool{}
	for _, cell := range r.Cells {
		if !has[cell.Set] || cell.Source == methods.BaselineSource || c.partial && !gives[cell.Method] {
			continue
		}
		if !slices.Contains(out.methods, cell.Method) {
			out.methods = append(out.methods, cell.Method)
		}
		at := [2]string{cell.Set, cell.Method}
		if _, seen := complete[at]; !seen {
			complete[at] = true
		}
		e, ok := c.value(cell.Measures)
		if cell.Status != protocol.StatusOK || c.partial && !ok {
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

// Error returns the mean error over the splits, or NaN if the method is not complete.
func (r Results) Error(set, method string) float64 {
	e, ok := r.errors[[2]string{set, method}]
	if !ok {
		return math.NaN()
	}
	return Significant(stat.Mean(e, nil))
}

// Significant rounds to ten digits. Means of the same errors in a different order differ in the last digits. Without the rounding
// they would not share a rank.
func Significant(v float64) float64 {
	out, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 10, 64), 64)
	if err != nil { // v is not finite
		return v
	}
	return out
}

// Analyse computes the comparisons for all criteria for which there are sets.
func (r *Record) Analyse() {
	var all []Criterion
	for _, collection := range r.Collections() {
		for _, c := range Criteria {
			c.Collection = collection
			all = append(all, c)
		}
	}
	for _, c := range all {
		res := r.ResultsBy(c)
		if len(res.Sets) == 0 || len(res.methods) == 0 {
			continue
		}
		r.Analyses = append(r.Analyses, res.analysis())
		if c.Measure != "NLPD" { // no ratio, as above
			r.Overviews = append(r.Overviews, res.overview())
		}
		for _, d := range res.Sets {
			if f := res.front(d); len(f.Points) > 0 {
				r.Fronts = append(r.Fronts, f)
			}
		}
	}
}

// Collections returns the collections of the sets, in their order.
func (r *Record) Collections() (out []string) {
	for _, d := range r.Sets {
		if !slices.Contains(out, d.Collection) {
			out = append(out, d.Collection)
		}
	}
	return out
}

func (r Results) analysis() Analysis {
	a := Analysis{Criterion: r.Criterion}
	ranks := r.ranks(r.methods)
	a.Sets, a.Methods = r.standings(ranks, func(protocol.Description) bool { return true })
	for _, d := range r.Sets {
		a.Best = append(a.Best, r.bests(d.Set))
	}
	if n, k := len(r.Sets), len(r.methods); n > 1 && k > 1 {
		f, cd := friedmanTest(ranks), CriticalDifference(k, n)
		a.Friedman, a.CriticalDifference = &f, &cd
	}
	a.Zeros, a.Relations = r.zeros(), r.relations(a.Methods)
	if !r.partial {
		a.Kinds = r.kinds(ranks)
	}
	if r.Measure != "NLPD" { // it may be negative, so it has no ratio
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

// ranks returns the ranks of methods among each other, a slice for each set.
func (r Results) ranks(methods []string) (out [][]float64) {
	for _, d := range r.Sets {
		values := make([]float64, len(methods))
		for j, m := range methods {
			values[j] = r.Error(d.Set, m)
		}
		out = append(out, averageRanks(values))
	}
	return out
}

// meanRanks returns the mean rank of each method over the sets.
func meanRanks(ranks [][]float64) []float64 {
	means := make([]float64, len(ranks[0]))
	for _, of := range ranks {
		floats.Add(means, of)
	}
	for j := range means {
		means[j] /= float64(len(ranks))
	}
	return means
}

// standings returns the names of the sets with a property, and the mean ranks of the methods on them, the best first. ranks contains
// one slice for each set of the results.
func (r Results) standings(ranks [][]float64, has func(protocol.Description) bool) (sets []string, out []Standing) {
	var on [][]float64
	for i, d := range r.Sets {
		if has(d) {
			sets, on = append(sets, d.Set), append(on, ranks[i])
		}
	}
	if len(sets) == 0 {
		return nil, nil
	}
	means := meanRanks(on)
	for j, m := range r.methods {
		s := Standing{Method: m, Source: methods.SourceOf(m), MeanRank: means[j]}
		for _, set := range sets {
			if _, ok := r.errors[[2]string{set, m}]; ok {
				s.Complete++
			}
		}
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b Standing) int { return cmp.Compare(a.MeanRank, b.MeanRank) })
	return sets, out
}

func (r Results) bests(set string) SetBests {
	out := SetBests{Set: set, Sources: map[string]best{}}
	for _, m := range r.methods {
		e, source := r.Error(set, m), methods.SourceOf(m)
		if b, there := out.Sources[source]; !math.IsNaN(e) && (!there || e < b.Error) {
			out.Sources[source] = best{m, e}
		}
	}
	return out
}

func (r Results) pair(a, b string) Pair {
	p := Pair{A: a, B: b}
	for _, d := range r.Sets {
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

// compare returns the difference between the errors of a and of b, if both methods are complete on at least two splits.
func (r Results) compare(d protocol.Description, a, b string) (validation.Difference, bool) {
	x, y := r.errors[[2]string{d.Set, a}], r.errors[[2]string{d.Set, b}]
	if len(x) != len(y) {
		return validation.Difference{}, false
	}
	c, err := validation.PairedDifference(x, y, d.TrainRows, d.TestRows)
	return c, err == nil
}

func (r Results) front(d protocol.Description) Front {
	f := Front{Criterion: r.Criterion, Set: d.Set}
	for _, m := range r.methods {
		if e := r.Error(d.Set, m); !math.IsNaN(e) {
			f.Points = append(f.Points, Point{Method: m, Source: methods.SourceOf(m), Seconds: r.seconds[[2]string{d.Set, m}], Error: e})
		}
	}
	if len(f.Points) == 0 {
		return f
	}
	slices.SortStableFunc(f.Points, func(a, b Point) int {
		return cmp.Or(cmp.Compare(a.Seconds, b.Seconds), cmp.Compare(a.Error, b.Error))
	})
	least := f.Points[0]
	lowest := math.Inf(1)
	for i := range f.Points {
		p := &f.Points[i]
		if p.Error < lowest {
			p.OnFront, lowest = true, p.Error
		}
		// The points are sorted by seconds, so that the fastest of several points with the same error is kept.
		if p.Error < least.Error {
			least = *p
		}
	}
	middle := f.Median()
	for i := range f.Points {
		p := &f.Points[i]
		c, ok := r.compare(d, p.Method, least.Method)
		if ok && c.StandardError > 0 {
			behind := c.Mean / c.StandardError
			p.Behind = &behind
		}
		if p.Source != methods.OursSource {
			continue
		}
		f.OnFront = f.OnFront || p.OnFront
		f.OnBetterHalf = f.OnBetterHalf || p.OnFront && p.Error <= middle
		f.Least = f.Least || p.Error == least.Error
		f.LevelAndFaster = f.LevelAndFaster || p.Level(least) && p.Seconds < least.Seconds
	}
	return f
}

// Level reports whether the point ties with least, the smallest error: it is equal, or larger by at most one standard error.
func (p Point) Level(least Point) bool {
	return p.Error == least.Error || p.Behind != nil && *p.Behind <= 1
}

// FastestLevel returns the fastest of the points that tie with the smallest error.
func (f Front) FastestLevel() Point {
	least := f.LeastPoint()
	return f.Points[slices.IndexFunc(f.Points, func(p Point) bool { return p.Level(least) })]
}

// LeastPoint returns the point with the smallest error. Among several, it returns the fastest.
func (f Front) LeastPoint() Point {
	return slices.MinFunc(f.Points, func(a, b Point) int { return cmp.Compare(a.Error, b.Error) })
}

// BestOf returns the point of a source with the smallest error.
func (f Front) BestOf(source string) (out Point, ok bool) {
	for _, p := range f.Points {
		if p.Source == source && (!ok || p.Error < out.Error) {
			out, ok = p, true
		}
	}
	return out, ok
}

// First reports whether the criterion is the first of its task.
func (c Criterion) First() bool {
	i := slices.IndexFunc(Criteria, func(o Criterion) bool { return o.Task == c.Task })
	return Criteria[i].Name == c.Name
}

// MostRanked is the number of best methods in a diagram of ranks. The best method of each source is added to them.
const MostRanked = 12

// Ranked returns the methods that a diagram shows: the best ones, and the best of each source.
func (a Analysis) Ranked() (out []Standing) {
	seen := map[string]bool{}
	for i, m := range a.Methods {
		if i < MostRanked || !seen[m.Source] {
			out = append(out, m)
		}
		seen[m.Source] = true
	}
	return out
}

// Spread returns the smallest error, the largest error on the front and the largest error of all points.
func (f Front) Spread() (lo, top, hi float64) {
	lo = f.LeastPoint().Error
	for _, p := range f.Points {
		if hi = max(hi, p.Error); p.OnFront {
			top = max(top, p.Error)
		}
	}
	return lo, top, hi
}

func (f Front) Median() float64 {
	return f.medianOf(func(p Point) float64 { return p.Error })
}

func (f Front) MedianSeconds() float64 {
	return f.medianOf(func(p Point) float64 { return p.Seconds })
}

func (f Front) medianOf(value func(Point) float64) float64 {
	var all []float64
	for _, p := range f.Points {
		all = append(all, value(p))
	}
	return Median(all)
}

// leastError returns the smallest error of all methods, if any method is complete.
func (f Front) leastError() (float64, bool) {
	if len(f.Points) == 0 {
		return 0, false
	}
	return f.LeastPoint().Error, true
}

// String formats a standing for a cell of a table.
func (s Standing) String() string { return fmt.Sprintf("%s %.1f", s.Method, s.MeanRank) }

// OfZero returns the relations of selection with default settings.
func (a Analysis) OfZero() (out []Relation) {
	for _, one := range a.Relations {
		if one.Ours == ZeroMethod {
			out = append(out, one)
		}
	}
	return out
}

// String formats a relation for a cell of a table.
func (o Relation) String() string {
	text := fmt.Sprintf("%d-%d-%d", len(o.Better), len(o.Ties), len(o.Worse))
	if n := len(o.OnlyOurs); n > 0 {
		text += fmt.Sprintf(" +%d", n)
	}
	if n := len(o.OnlyTheirs); n > 0 {
		text += fmt.Sprintf(" −%d", n)
	}
	return text
}

// Where returns the task, with the collection.
func (c Criterion) Where() string { return strings.TrimPrefix(c.Title(), c.Name+", ") }

// LeastOf counts the sets on which a source has the smallest error. It returns "-" for a source without a complete method.
func (a Analysis) LeastOf(source string) string {
	n, there := 0, false
	for _, s := range a.Best {
		own, ok := s.Sources[source]
		there = there || ok
		least := ok
		for _, other := range s.Sources {
			least = least && own.Error <= other.Error
		}
		if least {
			n++
		}
	}
	if !there {
		return "-"
	}
	return strconv.Itoa(n)
}

// String formats a point for a cell of a table.
func (p Point) String() string {
	return fmt.Sprintf("%s %.4f, %s s", p.Method, p.Error, Short(p.Seconds))
}

// Short formats a number of seconds with two digits.
func Short(seconds float64) string {
	if seconds >= 100 {
		return fmt.Sprintf("%.0f", seconds)
	}
	return fmt.Sprintf("%.2g", seconds)
}

// Verdict summarises how the methods of kernelearn compare with the others on a set.
func (f Front) Verdict() string {
	switch {
	case f.Least:
		return "least"
	case f.LevelAndFaster:
		return "tied and faster"
	case f.OnBetterHalf:
		return "on the better half"
	case f.OnFront:
		return "on the front"
	}
	return "not on the front"
}

// Elsewhere names the best method on a set for which another source is the better choice. It returns "" if one of ours has the
// smallest error, or ties with it in less time.
func (f Front) Elsewhere() string {
	if f.Least || f.LevelAndFaster {
		return ""
	}
	least := f.LeastPoint()
	text := fmt.Sprintf("- %s: %s", f.Set, least)
	ours, ok := f.BestOf(methods.OursSource)
	switch {
	case !ok:
		return text + "; no method of kernelearn is complete\n"
	case ours.Behind != nil:
		return text + fmt.Sprintf("; kernelearn's best is %s, %.1f standard errors behind\n", ours, *ours.Behind)
	}
	return text + fmt.Sprintf("; kernelearn's best is %s, behind by the same on every split\n", ours)
}
