package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"
)

const intervalsLegend = `How often the central 95% intervals of a method hold the target: the mean over the sets, and the least with its set. A width is in
standard deviations of the targets of the test rows; the table has the median over the sets. The sets are those on which a method
is complete.
`

const costsLegend = `Medians over the sets on which a method is complete: seconds of a fit and of a thousand predictions, the memory that both add to
that of the program with its rows read, and the size of the model's file.
`

// complete are the summaries of a method on the sets of a collection and task where all splits are ok.
func (r *report) complete(collection, task, method string) (sets []description, out []summary) {
	for _, d := range r.Sets {
		if d.Collection != collection || d.Task != task {
			continue
		}
		if s, ok := r.summaryOn(d.Set, method); ok && s.OK > 0 && s.OverBudget+s.NotRun+s.Failed == 0 {
			sets, out = append(sets, d), append(out, s)
		}
	}
	return sets, out
}

// methodsThere are the methods that have cells.
func (r *report) methodsThere() (out []method) {
	for _, m := range methods {
		if slices.ContainsFunc(r.Summary, func(s summary) bool { return s.Method == m.name }) {
			out = append(out, m)
		}
	}
	return out
}

// intervals writes how often they hold the target.
func (r *report) intervals(b *strings.Builder) {
	b.WriteString(intervalsLegend)
	for _, collection := range r.collections() { // those of regression: a class has none
		r.intervalsOf(b, collection)
	}
}

func (r *report) intervalsOf(b *strings.Builder, collection string) {
	type row struct {
		line []string
		off  float64
	}
	var rows []row
	for _, m := range r.methodsThere() {
		sets, all := r.complete(collection, regressionTask, m.name)
		var coverages, widths []float64
		least, on := math.Inf(1), ""
		for i, s := range all {
			c, there := s.Measures[coverageName]
			if !there {
				continue
			}
			coverages, widths = append(coverages, c.Mean), append(widths, s.Measures[widthName].Mean)
			if c.Mean < least {
				least, on = c.Mean, sets[i].Set
			}
		}
		if coverages == nil {
			continue
		}
		mean := stat.Mean(coverages, nil)
		rows = append(rows, row{[]string{
			m.name, m.source, strconv.Itoa(len(coverages)), fmt.Sprintf("%.3f", mean), fmt.Sprintf("%.3f, %s", least, on),
			fmt.Sprintf("%.3f", median(widths)),
		}, math.Abs(mean - intervalLevel)})
	}
	if rows == nil {
		return
	}
	slices.SortStableFunc(rows, func(x, y row) int { return cmp.Compare(x.off, y.off) })
	lines := [][]string{{"method", "source", "sets", "mean coverage", "least", "median width"}}
	for _, one := range rows {
		lines = append(lines, one.line)
	}
	fmt.Fprintf(b, "\n## %s\n\n", capital(criterion{Task: regressionTask, Collection: collection}.where()))
	align(b, lines)
}

// costs writes seconds, memory and sizes on the sets of a collection.
func (r *report) costs(b *strings.Builder, collection string) {
	b.WriteString(costsLegend)
	for _, task := range []string{regressionTask, classificationTask} {
		lines := [][]string{{"method", "source", "sets", "fit s", "s/1000", "MB added", "model kB"}}
		for _, m := range r.methodsThere() {
			sets, all := r.complete(collection, task, m.name)
			if len(all) == 0 {
				continue
			}
			var fit, predict, memory, size []float64
			for i, s := range all {
				if s.FitSeconds != nil && s.PredictSeconds != nil {
					fit, predict = append(fit, *s.FitSeconds), append(predict, *s.PredictSeconds*1000/float64(sets[i].TestRows))
				}
				if s.PeakBytes != nil && s.BeforeBytes != nil {
					memory = append(memory, (*s.PeakBytes-*s.BeforeBytes)/1e6)
				}
				if s.ModelBytes != nil {
					size = append(size, *s.ModelBytes/1e3)
				}
			}
			lines = append(lines, []string{m.name, m.source, strconv.Itoa(len(all)), dashed(fit), dashed(predict), dashed(memory),
				dashed(size)})
		}
		if len(lines) > 1 {
			fmt.Fprintf(b, "\n## %s\n\n", capital(task))
			align(b, lines)
		}
	}
}

func median(values []float64) float64 {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return stat.Quantile(.5, stat.Empirical, sorted, nil)
}

// dashed is a median in two digits, a dash of nothing.
func dashed(values []float64) string {
	if len(values) == 0 {
		return "-"
	}
	return short(median(values))
}
