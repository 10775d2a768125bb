package main

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
)

const overviewLegend = `The medians over all sets of a method's error relative to the least error of the set, and of its seconds of fit and prediction. A set
where a method is not complete counts as an infinite error and infinite seconds; a method without a finite median is left out. All
points are in front.csv.
`

// overview is what error costs in seconds over a whole collection.
type overview struct {
	criterion
	Points []overviewPoint `json:"points"` // the fastest first
}

type overviewPoint struct {
	Method   string  `json:"method"`
	Source   string  `json:"source"`
	Sets     int     `json:"sets"`
	Complete int     `json:"complete_sets"`
	Error    float64 `json:"median_relative_error"`
	Seconds  float64 `json:"median_seconds"`
	OnFront  bool    `json:"on_front"` // none that takes no longer has less error
}

func (r results) overview() overview {
	out := overview{criterion: r.criterion}
	for _, m := range r.methods {
		var errors, seconds []float64
		p := overviewPoint{Method: m, Source: sourceOf(m), Sets: len(r.sets)}
		for _, d := range r.sets {
			e, least := r.error(d.Set, m), math.Inf(1)
			for _, other := range r.methods {
				if v := r.error(d.Set, other); v < least {
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
			seconds = append(seconds, r.seconds[[2]string{d.Set, m}])
			p.Complete++
		}
		p.Error, p.Seconds = median(errors), median(seconds)
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

func (r *report) overviewTable() [][]string {
	out := [][]string{{"collection", "criterion", "task", "method", "source", "sets", "complete_sets", "median_relative_error",
		"median_seconds", "on_front"}}
	for _, o := range r.Overviews {
		for _, p := range o.Points {
			out = append(out, []string{o.Collection, o.Name, o.Task, p.Method, p.Source, strconv.Itoa(p.Sets), strconv.Itoa(p.Complete),
				number(p.Error), number(p.Seconds), strconv.FormatBool(p.OnFront)})
		}
	}
	return out
}

const overviewPicture = "overview.png"

// overviewSection writes the front of each collection.
func (r *report) overviewSection(b *strings.Builder) {
	if len(r.Overviews) == 0 {
		return
	}
	b.WriteString("\n## Error against seconds over all sets\n\n" + overviewLegend + "\n")
	lines := [][]string{{"criterion", "front, from the fastest: relative error, seconds"}}
	for _, o := range r.Overviews {
		var names []string
		for _, p := range o.Points {
			if p.OnFront {
				names = append(names, fmt.Sprintf("%s %.3f, %s s", p.Method, p.Error, short(p.Seconds)))
			}
		}
		lines = append(lines, []string{o.title(), strings.Join(names, "; ")})
	}
	align(b, lines)
	fmt.Fprintf(b, "\n![error relative to the least against seconds, medians over the sets](%s)\n", overviewPicture)
}

// drawOverview draws a panel for each collection and task.
func (r *report) drawOverview(folder string) error {
	var fronts []front
	for _, o := range r.Overviews {
		if !o.first() || len(o.Points) == 0 {
			continue
		}
		f := front{criterion: criterion{Name: "median error over the least"}, Set: o.named(o.Name), ratios: true}
		for _, q := range o.Points {
			f.Points = append(f.Points, point{Method: q.Method, Source: q.Source, Seconds: q.Seconds, Error: q.Error, OnFront: q.OnFront})
		}
		fronts = append(fronts, f)
	}
	return drawPanels(filepath.Join(folder, overviewPicture), fronts, 3.6*vg.Inch)
}

const setsLegend = `# The sets, one by one

The mean error over the splits by the first criterion of each task: that of selection with nothing set, the least of ours and the
least of all others. The last column compares selection with that other by the corrected resampled t-test, level 0.05. The means
of all methods are in summary.csv.
`

// setsPage writes a line for each set.
func (r *report) setsPage(b *strings.Builder) {
	b.WriteString(setsLegend)
	for _, a := range r.Analyses {
		if !a.first() {
			continue
		}
		res := r.resultsBy(a.criterion)
		fmt.Fprintf(b, "\n## %s\n\n", a.title())
		lines := [][]string{{"set", "rows", "features", zeroMethod, "best of ours", "", "best of others", "", zeroMethod + " is"}}
		for _, d := range res.sets {
			ours, others := res.best(d.Set, true), res.best(d.Set, false)
			lines = append(lines, []string{
				d.Set, thousands(d.Rows), strconv.Itoa(d.Features), decimals(res.error(d.Set, zeroMethod)),
				ours.Method, decimals(ours.Error), others.Method, decimals(others.Error), res.against(d, zeroMethod, others.Method),
			})
		}
		align(b, lines)
	}
}

// best is the least error of ours or of all others, with "" where none is complete.
func (r results) best(set string, ours bool) best {
	out := best{Error: math.NaN()}
	for _, m := range r.methods {
		if e := r.error(set, m); (sourceOf(m) == oursSource) == ours && (e < out.Error || out.Method == "" && !math.IsNaN(e)) {
			out = best{m, e}
		}
	}
	return out
}

// against says how a method does against another on a set.
func (r results) against(d description, method, other string) string {
	c, ok := r.compare(d, method, other)
	switch {
	case !ok:
		return "-"
	case c.P >= significance:
		return "level"
	case c.Mean < 0:
		return "better"
	}
	return "worse"
}

func decimals(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf("%.4f", v)
}
