package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const rankLegend = `A method's error on a set is its mean over the splits, and the methods are ranked by it on each set. A method that went over
the budget, failed or did not run on one of the splits has the last rank on that set; all such methods share it. The column
"complete" counts the sets on which a method has all splits. The baselines are not ranked.

The tests are Friedman's, with the F of Iman and Davenport, and Nemenyi's critical difference (Demšar 2006), both at level 0.05. The
columns "w/d/l" count wins, draws and losses by the corrected resampled t-test (Nadeau and Bengio 2003), at level 0.05, against the
method of each source that has the best mean rank, on the sets where both methods are complete. With few splits this test finds
large differences only. A difference that is the same on every split has no variance, and counts as a draw.

A mean rank depends on which methods take part. The number of sets on which a source has the least error favours the source
with more methods; wins and losses compare single methods.
`

const frontLegend = `The seconds are the processor time of a fit, with its search for parameters, and of the prediction of the test rows, on one
thread. A method is on the front of a set if no method that takes at most as long has less error. The baselines cost nothing and
would always be on it, so they are left out; so are methods that are not complete. The fastest method is on the front whatever
its error. Therefore the sets are counted in four ways:

- on the front: a method of kernelearn is on it
- on its better half: such a method is on it, with at most the error of the median method
- least: a method of kernelearn has the least error, alone or with others
- level and faster: a method of kernelearn takes less time than the method of the least error, and its error is at most one
  standard error of the difference (the corrected one) larger
`

// compare writes the comparisons of all sets of a task.
func (r *report) compare(b *strings.Builder) {
	if len(r.Analyses) == 0 {
		return
	}
	r.answers(b)
	r.overviewSection(b)
	r.inShort(b)
	b.WriteString("\n## Ranks\n\n" + rankLegend)
	for _, a := range r.Analyses {
		fmt.Fprintf(b, "\n### By %s\n\n", a.title())
		a.ranks(b)
		a.ratios(b, "### ", a.suffix(", "))
		a.byKind(b, "### By "+a.title()+", kinds of data")
	}
	r.errorAgainstTime(b)
}

// inShort writes where the least errors are.
func (r *report) inShort(b *strings.Builder) {
	b.WriteString("\n## In short\n\nThe number of sets on which a method of each source has the least error, alone or with others, and " +
		"the " +
		"method of the best mean\nrank. A source without a mark on a set, in the pictures, has no method that is complete there.\n\n")
	head := []string{"criterion", "task", "sets", "methods"}
	lines := [][]string{slices.Concat(head, sources, []string{"best mean rank"})}
	for _, a := range r.Analyses {
		line := []string{a.Name, a.where(), strconv.Itoa(len(a.Sets)), strconv.Itoa(len(a.Methods))}
		for _, source := range sources {
			line = append(line, a.leastOf(source))
		}
		lines = append(lines, append(line, fmt.Sprintf("%s, %.2f", a.Methods[0].Method, a.Methods[0].MeanRank)))
	}
	align(b, lines)
	for _, a := range r.Analyses {
		if a.first() {
			fmt.Fprintf(b, "\n![The least %s of each source, a row for each set.](%s)\n", a.Name, a.picture("bars"))
		}
	}
}

// where is the task, with the collection.
func (c criterion) where() string { return strings.TrimPrefix(c.title(), c.Name+", ") }

// leastOf counts the sets where a source has the least error.
func (a analysis) leastOf(source string) string {
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

func (a analysis) ranks(b *strings.Builder) {
	if a.Friedman == nil {
		b.WriteString("Fewer than two sets or methods: no test.\n\n")
	} else {
		fmt.Fprintf(b, "%d methods on %d sets: Friedman's chi-squared %.1f, F %.2f, %s; critical difference of mean ranks %.2f.\n\n",
			len(a.Methods), len(a.Sets), a.Friedman.ChiSquared, a.Friedman.F, probability(a.Friedman.P), *a.CriticalDifference)
	}
	var references []string
	head := []string{"method", "source", "mean rank", "complete"}
	for _, source := range sources {
		if i := slices.IndexFunc(a.Methods, func(m standing) bool { return m.Source == source && m.Complete > 0 }); i >= 0 &&
			a.Pairs != nil {
			references = append(references, a.Methods[i].Method)
			head = append(head, "w/d/l "+a.Methods[i].Method)
		}
	}
	lines := [][]string{head}
	for _, m := range a.Methods {
		line := []string{m.Method, m.Source, fmt.Sprintf("%.2f", m.MeanRank), fmt.Sprintf("%d/%d", m.Complete, len(a.Sets))}
		for _, reference := range references {
			line = append(line, a.record(m.Method, reference))
		}
		lines = append(lines, line)
	}
	align(b, lines)
	fmt.Fprintf(b, "\n![The mean ranks of the best methods by %s; bars join those that do not differ significantly.](%s)\n", a.Name,
		a.picture("ranks"))
}

// probability is that of a test, as far as it can be told from 0.
func probability(p float64) string {
	if p < 1e-9 {
		return "p < 1e-9"
	}
	return fmt.Sprintf("p = %.2g", p)
}

func (a analysis) record(method, reference string) string {
	i := slices.IndexFunc(a.Pairs, func(p pair) bool { return p.A == method && p.B == reference })
	if i < 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d/%d", a.Pairs[i].Wins, a.Pairs[i].Draws, a.Pairs[i].Losses)
}

// errorAgainstTime writes all that depends on seconds.
func (r *report) errorAgainstTime(b *strings.Builder) {
	b.WriteString("\n## Error against time\n\n" + frontLegend + "\n")
	lines := [][]string{{"criterion", "task", "sets", "on the front", "on its better half", "least", "level and faster",
		"least, or level and faster"}}
	for _, a := range r.Analyses {
		var counts [5]int
		total := 0
		for _, f := range r.Fronts {
			if !f.is(a.criterion) {
				continue
			}
			total++
			for i, yes := range []bool{f.OnFront, f.OnBetterHalf, f.Least, f.LevelAndFaster, f.Least || f.LevelAndFaster} {
				if yes {
					counts[i]++
				}
			}
		}
		line := []string{a.Name, a.where(), strconv.Itoa(total)}
		for _, n := range counts {
			line = append(line, strconv.Itoa(n))
		}
		lines = append(lines, line)
	}
	align(b, lines)
	for _, a := range r.Analyses {
		r.levels(b, a, "### By "+a.title()+", level with the least error")
		if a.first() {
			r.bestsBySet(b, a)
			fmt.Fprintf(b, "\n![Error against seconds on the sets that take longest, by %s, with the methods on the front and the best "+
				"of each "+
				"source named.](%s)\n", a.Name, a.picture("front"))
		}
	}
}

// bestsBySet writes, for each set, the least error of each source with its seconds, and
// which source is the choice.
func (r *report) bestsBySet(b *strings.Builder, a analysis) {
	fmt.Fprintf(b, "\n### By %s, set by set\n\nThe method of least error of each source, its error and its seconds; the fastest method "+
		"that is level with the least error; and the\nfront, from the fastest method to the one of least error.\n\n", a.title())
	var present []string
	for _, source := range sources {
		if slices.ContainsFunc(a.Methods, func(m standing) bool { return m.Source == source }) {
			present = append(present, source)
		}
	}
	lines := [][]string{slices.Concat([]string{"set", "rows × features"}, present, []string{"fastest level method", "kernelearn", "front"})}
	var elsewhere []string
	for _, f := range r.Fronts {
		if !f.is(a.criterion) {
			continue
		}
		d := r.Sets[slices.IndexFunc(r.Sets, func(d description) bool { return d.Set == f.Set })]
		line := []string{f.Set, fmt.Sprintf("%d × %d", d.TrainRows, d.Features)}
		for _, source := range present {
			text := "-"
			if p, ok := f.bestOf(source); ok {
				text = p.String()
			}
			line = append(line, text)
		}
		var names []string
		for _, p := range f.Points {
			if p.OnFront {
				names = append(names, p.Method)
			}
		}
		lines = append(lines, append(line, f.fastestLevel().String(), f.verdict(), strings.Join(names, ", ")))
		if text := f.elsewhere(); text != "" {
			elsewhere = append(elsewhere, text)
		}
	}
	align(b, lines)
	if len(elsewhere) > 0 {
		b.WriteString("\nWhere a method of another source is the better choice, if the error counts more than the seconds:\n\n" +
			strings.Join(elsewhere, ""))
	}
}

// String is a point in a cell of a table.
func (p point) String() string {
	return fmt.Sprintf("%s %.4f, %s s", p.Method, p.Error, short(p.Seconds))
}

// short is a number of seconds in two digits.
func short(seconds float64) string {
	if seconds >= 100 {
		return fmt.Sprintf("%.0f", seconds)
	}
	return fmt.Sprintf("%.2g", seconds)
}

// verdict says in a few words how the methods of kernelearn do on a set.
func (f front) verdict() string {
	switch {
	case f.Least:
		return "least"
	case f.LevelAndFaster:
		return "level and faster"
	case f.OnBetterHalf:
		return "on the better half"
	case f.OnFront:
		return "on the front"
	}
	return "not on the front"
}

// elsewhere says which method to take where none of ours has the least error or is level
// with it in less time.
func (f front) elsewhere() string {
	if f.Least || f.LevelAndFaster {
		return ""
	}
	least := f.least()
	text := fmt.Sprintf("- %s: %s", f.Set, least)
	ours, ok := f.bestOf(oursSource)
	switch {
	case !ok:
		return text + "; no method of kernelearn is complete\n"
	case ours.Behind != nil:
		return text + fmt.Sprintf("; kernelearn's best is %s, %.1f standard errors behind\n", ours, *ours.Behind)
	}
	return text + fmt.Sprintf("; kernelearn's best is %s, behind by the same on every split\n", ours)
}

// growthSection writes how the cost grew.
func (r *report) growthSection(b *strings.Builder) {
	if r.Growth == nil {
		return
	}
	fmt.Fprintf(b, "\n## Growth\n\nThe exponent p of seconds = c·rowsᵖ, ± its standard error, by least squares over the sizes where a "+
		"fit, "+
		"or a prediction of %d\nrows, takes at least %v s. A dash stands where there are fewer than three such sizes. \"Most rows\" is "+
		"the "+
		"largest size within the budget.\n\n", syntheticTest, leastSeconds)
	lines := [][]string{{"method", "source", "fit", "predict", "most rows", "NMSE there", "fit s there", "peak MB there"}}
	for _, g := range r.Growth {
		if g.Most == 0 {
			lines = append(lines, []string{g.Method, g.Source, "-", "-", "0", "-", "-", "-"})
			continue
		}
		i := slices.IndexFunc(r.Sets, func(d description) bool { return d.TrainRows == g.Most })
		s, _ := r.summaryOn(r.Sets[i].Set, g.Method)
		lines = append(lines, []string{g.Method, g.Source, g.Fit.String(), g.Predict.String(), thousands(g.Most),
			fmt.Sprintf("%.4f", g.Error),
			scaled("%.3f", s.FitSeconds, 1), scaled("%.1f", s.PeakBytes, 1e6)})
	}
	align(b, lines)
	fmt.Fprintf(b, "\n![seconds of a fit over the rows](%s)\n", growthPicture)
}

func (e *exponent) String() string {
	if e == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f ± %.2f", e.Value, e.StandardError)
}
