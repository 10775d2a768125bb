package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/protocol"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/standings"
)

const rankLegend = `A method's error on a set is its mean over the splits, and the methods are ranked by it on each set. A method that went over
the budget, failed or did not run on one of the splits has the last rank on that set; all such methods share it. The column
"complete" counts the sets on which a method has all splits. The baselines are not ranked.

The tests are Friedman's, with the F of Iman and Davenport, and Nemenyi's critical difference (Demšar 2006), both at level 0.05. The
columns "w/d/l" count wins, draws and losses against the method of each source that has the best mean rank, on the sets where both
are complete. They use the corrected resampled t-test (Nadeau and Bengio 2003) at level 0.05. With few splits this test finds
only large differences. A difference that is the same on every split has no variance, and counts as a draw.

A mean rank depends on the methods that take part. A source with more methods has the smallest error on more sets. Wins and losses
compare single methods.
`

const frontLegend = `The seconds are the processor time of a fit, with its search for parameters, and of the prediction of the test rows, on one
thread. A method is on the front of a set if no method that takes at most as long has a smaller error. The baselines cost nothing and
would always be on it, so they are left out. Methods that are not complete are left out, too. The fastest method is on the front,
however large its error is. Therefore the sets are counted in four ways:

- on the front: a method of kernelearn is on it
- on its better half: such a method is on it, with at most the error of the median method
- smallest: a method of kernelearn has the smallest error, alone or with others
- tied and faster: a method of kernelearn takes less time than the method with the smallest error, and its error exceeds that by at
  most one corrected standard error of the difference
`

// compare writes all sections that compare the methods.
func (r *Report) compare(b *strings.Builder) {
	if len(r.Analyses) == 0 {
		return
	}
	r.answers(b)
	r.overviewSection(b)
	r.inShort(b)
	b.WriteString("\n## Ranks\n\n" + rankLegend + "\nA table of ratios compares the methods with one method. " + ratioText())
	for _, a := range r.Analyses {
		fmt.Fprintf(b, "\n### By %s\n\n", a.Title())
		writeRanks(b, a)
		writeRatios(b, a, "### ", a.Suffix(", "))
		byKind(b, a, "### By "+a.Title()+", kinds of data")
	}
	r.errorAgainstTime(b)
}

// inShort writes the number of sets on which each source has the smallest error, and the method with the best mean rank.
func (r *Report) inShort(b *strings.Builder) {
	b.WriteString("\n## In short\n\nThe table counts the sets on which a method of each source has the smallest error, alone or with others, and " +
		"names the method with the best\nmean rank. A source without a mark on a set, in the pictures, has no method that is complete there.\n\n")
	head := []string{"criterion", "task", "sets", "methods"}
	lines := [][]string{slices.Concat(head, methods.Sources, []string{"best mean rank"})}
	for _, a := range r.Analyses {
		line := []string{a.Name, a.Where(), strconv.Itoa(len(a.Sets)), strconv.Itoa(len(a.Methods))}
		for _, source := range methods.Sources {
			line = append(line, a.LeastOf(source))
		}
		lines = append(lines, append(line, fmt.Sprintf("%s, %.2f", a.Methods[0].Method, a.Methods[0].MeanRank)))
	}
	align(b, lines)
	for _, a := range r.Analyses {
		if a.First() {
			fmt.Fprintf(b, "\n![The smallest %s of each source, a row for each set.](%s)\n", a.Name, pictureName(a.Criterion, "bars"))
		}
	}
}

func writeRanks(b *strings.Builder, a standings.Analysis) {
	if a.Friedman == nil {
		b.WriteString("Fewer than two sets or methods: no test.\n\n")
	} else {
		fmt.Fprintf(b, "%d methods on %d sets: Friedman's chi-squared %.1f, F %.2f, %s; critical difference of mean ranks %.2f.\n\n",
			len(a.Methods), len(a.Sets), a.Friedman.ChiSquared, a.Friedman.F, probability(a.Friedman.P), *a.CriticalDifference)
	}
	var references []string
	head := []string{"method", "source", "mean rank", "complete"}
	for _, source := range methods.Sources {
		if i := slices.IndexFunc(a.Methods, func(m standings.Standing) bool { return m.Source == source && m.Complete > 0 }); i >= 0 &&
			a.Pairs != nil {
			references = append(references, a.Methods[i].Method)
			head = append(head, "w/d/l "+a.Methods[i].Method)
		}
	}
	lines := [][]string{head}
	for _, m := range a.Methods {
		line := []string{m.Method, m.Source, fmt.Sprintf("%.2f", m.MeanRank), fmt.Sprintf("%d/%d", m.Complete, len(a.Sets))}
		for _, reference := range references {
			line = append(line, score(a, m.Method, reference))
		}
		lines = append(lines, line)
	}
	align(b, lines)
	fmt.Fprintf(b, "\n![The mean ranks of the best methods by %s; bars join those that do not differ significantly.](%s)\n", a.Name,
		pictureName(a.Criterion, "ranks"))
}

// probability formats the p-value of a test, with a lower limit.
func probability(p float64) string {
	if p < 1e-9 {
		return "p < 1e-9"
	}
	return fmt.Sprintf("p = %.2g", p)
}

func score(a standings.Analysis, method, reference string) string {
	i := slices.IndexFunc(a.Pairs, func(p standings.Pair) bool { return p.A == method && p.B == reference })
	if i < 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d/%d", a.Pairs[i].Wins, a.Pairs[i].Draws, a.Pairs[i].Losses)
}

// errorAgainstTime writes the sections that depend on the seconds.
func (r *Report) errorAgainstTime(b *strings.Builder) {
	b.WriteString("\n## Error against time\n\n" + frontLegend + "\n")
	lines := [][]string{{"criterion", "task", "sets", "on the front", "on its better half", "smallest", "tied and faster",
		"smallest, or tied and faster"}}
	for _, a := range r.Analyses {
		var counts [5]int
		total := 0
		for _, f := range r.Fronts {
			if !f.Is(a.Criterion) {
				continue
			}
			total++
			for i, yes := range []bool{f.OnFront, f.OnBetterHalf, f.Least, f.LevelAndFaster, f.Least || f.LevelAndFaster} {
				if yes {
					counts[i]++
				}
			}
		}
		line := []string{a.Name, a.Where(), strconv.Itoa(total)}
		for _, n := range counts {
			line = append(line, strconv.Itoa(n))
		}
		lines = append(lines, line)
	}
	align(b, lines)
	for _, a := range r.Analyses {
		r.ties(b, a, "### By "+a.Title()+", tied with the smallest error")
		if a.First() {
			r.bestsBySet(b, a)
			fmt.Fprintf(b, "\n![Error against seconds on the sets that take longest, by %s, with the methods on the front and the best "+
				"of each "+
				"source named.](%s)\n", a.Name, pictureName(a.Criterion, "front"))
		}
	}
}

// bestsBySet writes a line for each set: the smallest error of each source with its seconds, the method to choose, and the front.
func (r *Report) bestsBySet(b *strings.Builder, a standings.Analysis) {
	fmt.Fprintf(b, "\n### By %s, set by set\n\nThe table lists the best method of each source with its error and its seconds, the fastest "+
		"method that ties with the smallest error, and the\nfront, from the fastest method to the most accurate.\n\n", a.Title())
	var present []string
	for _, source := range methods.Sources {
		if slices.ContainsFunc(a.Methods, func(m standings.Standing) bool { return m.Source == source }) {
			present = append(present, source)
		}
	}
	lines := [][]string{slices.Concat([]string{"set", "rows × features"}, present, []string{"fastest tied method", "kernelearn", "front"})}
	var elsewhere []string
	for _, f := range r.Fronts {
		if !f.Is(a.Criterion) {
			continue
		}
		d := r.Sets[slices.IndexFunc(r.Sets, func(d protocol.Description) bool { return d.Set == f.Set })]
		line := []string{f.Set, fmt.Sprintf("%d × %d", d.TrainRows, d.Features)}
		for _, source := range present {
			text := "-"
			if p, ok := f.BestOf(source); ok {
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
		lines = append(lines, append(line, f.FastestLevel().String(), f.Verdict(), strings.Join(names, ", ")))
		if text := f.Elsewhere(); text != "" {
			elsewhere = append(elsewhere, text)
		}
	}
	align(b, lines)
	if len(elsewhere) > 0 {
		b.WriteString("\nWhere a method of another source is the better choice, if the error counts more than the seconds:\n\n" +
			strings.Join(elsewhere, ""))
	}
}

// growthSection writes how the seconds grow with the number of rows.
func (r *Report) growthSection(b *strings.Builder) {
	if r.Growth == nil {
		return
	}
	fmt.Fprintf(b, "\n## Growth\n\nThe exponent p of seconds = c·rowsᵖ, ± its standard error, is fitted by least squares over the sizes where "+
		"a fit, or a prediction of %d\nrows, takes at least %v s. A dash marks methods with fewer than three such sizes. \"Most rows\" is the "+
		"largest size within the budget.\n\n", protocol.SyntheticTest, protocol.LeastSeconds)
	lines := [][]string{{"method", "source", "fit", "predict", "most rows", "NMSE there", "fit s there", "peak MB there"}}
	for _, g := range r.Growth {
		if g.Most == 0 {
			lines = append(lines, []string{g.Method, g.Source, "-", "-", "0", "-", "-", "-"})
			continue
		}
		i := slices.IndexFunc(r.Sets, func(d protocol.Description) bool { return d.TrainRows == g.Most })
		s, _ := r.SummaryOn(r.Sets[i].Set, g.Method)
		lines = append(lines, []string{g.Method, g.Source, g.Fit.String(), g.Predict.String(), thousands(g.Most),
			fmt.Sprintf("%.4f", g.Error),
			scaled("%.3f", s.FitSeconds, 1), scaled("%.1f", s.PeakBytes, 1e6)})
	}
	align(b, lines)
	fmt.Fprintf(b, "\n![seconds of a fit over the rows](%s)\n", GrowthPicture)
}

// namedMethods is the number of methods that the report names for each kind.
const namedMethods = 5

// byKind writes the best methods of each kind, and the best of each other source.
func byKind(b *strings.Builder, a standings.Analysis, heading string) {
	if len(a.Kinds) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n\nThe table shows mean ranks on the sets of each kind that has at least %d: those of the %d best methods, and of "+
		"the best method of each source.\n\n", heading, standings.FewestOfKind, namedMethods)
	lines := [][]string{slices.Concat([]string{"kind", "sets", "best"}, methods.Sources)}
	for _, k := range a.Kinds {
		var best []string
		for _, m := range k.Methods[:min(namedMethods, len(k.Methods))] {
			best = append(best, m.String())
		}
		line := []string{k.Name, fmt.Sprint(len(k.Sets)), strings.Join(best, ", ")}
		for _, source := range methods.Sources {
			text := "-"
			if i := slices.IndexFunc(k.Methods, func(m standings.Standing) bool { return m.Source == source && m.Complete > 0 }); i >= 0 {
				text = k.Methods[i].String()
			}
			line = append(line, text)
		}
		lines = append(lines, line)
	}
	align(b, lines)
}

// ties writes, for each method, its costs and the number of sets on which its error ties with the smallest.
func (r *Report) ties(b *strings.Builder, a standings.Analysis, heading string) {
	type row struct {
		method, source       string
		least, tied, fastest int
		seconds              []float64
	}
	rows := map[string]*row{}
	var order []*row
	for _, m := range a.Methods {
		rows[m.Method] = &row{method: m.Method, source: m.Source}
		order = append(order, rows[m.Method])
	}
	total := 0
	for _, f := range r.Fronts {
		if !f.Is(a.Criterion) {
			continue
		}
		total++
		least := f.LeastPoint()
		rows[f.FastestLevel().Method].fastest++
		for _, p := range f.Points {
			one := rows[p.Method]
			one.seconds = append(one.seconds, p.Seconds)
			if p.Error == least.Error {
				one.least++
			}
			if p.Level(least) {
				one.tied++
			}
		}
	}
	slices.SortStableFunc(order, func(x, y *row) int { return cmp.Compare(y.tied, x.tied) })
	fmt.Fprintf(b, "\n%s\n\nFor each method, the table counts the sets (out of %d) on which it ties with the smallest error, has the smallest "+
		"error,\nor is the fastest of the tied methods. A method ties if its error exceeds the smallest by at most one standard error of "+
		"their\ndifference. The last column is the median time in seconds.\n\n", heading, total)
	lines := [][]string{{"method", "source", "tied", "smallest", "fastest tied method", "median s"}}
	for _, one := range order {
		lines = append(lines, []string{one.method, one.source, fmt.Sprint(one.tied), fmt.Sprint(one.least), fmt.Sprint(one.fastest),
			dashed(one.seconds)})
	}
	align(b, lines)
}

const overviewLegend = `The table shows medians over all sets: a method's error relative to the smallest error of the set, and its seconds of fit
and prediction. A set where a method is not complete counts as an infinite error and infinite seconds. A method without a finite
median is left out. All points are in front.csv.
`

const profileLegend = `In the picture of profiles, the curve of a method shows on which share of the sets its error is at most %.2g times
the smallest error of all methods, if it may take as many seconds as the axis shows. It ends at the share that the method reaches with
all its seconds.
`

const OverviewPicture = "overview.png"

// overviewSection writes the front of each collection.
func (r *Report) overviewSection(b *strings.Builder) {
	if len(r.Overviews) == 0 {
		return
	}
	b.WriteString("\n## Error against seconds over all sets\n\n" + overviewLegend + "\n")
	lines := [][]string{{"criterion", "front, from the fastest: relative error, seconds"}}
	for _, o := range r.Overviews {
		var names []string
		for _, p := range o.Points {
			if p.OnFront {
				names = append(names, fmt.Sprintf("%s %.3f, %s s", p.Method, p.Error, standings.Short(p.Seconds)))
			}
		}
		lines = append(lines, []string{o.Title(), strings.Join(names, "; ")})
	}
	align(b, lines)
	fmt.Fprintf(b, "\n![error relative to the smallest against seconds, medians over the sets](%s)\n", OverviewPicture)
	fmt.Fprintf(b, "\n"+profileLegend+"\n![share of the sets near the smallest error against seconds](%s)\n", standings.NearLeast,
		profilesPicture)
}

const ratioLegend = `"Ratio" is the geometric mean, over the sets where both are complete, of a method's error divided by that of the method in the
heading. Sets on which one of the two errors is 0 do not count. "95%% interval" is the percentile bootstrap interval of the ratio, from %d
samples of the sets. If it contains 1, the sets do not show which of the two methods is better. "Ratio there" is the ratio over the
noisy sets alone, where the smallest error of all methods is above %v, so that nearly exact fits do not decide it. "Worse" counts the
sets where a method's error is larger. "Clearly worse" and "clearly better" count those where the errors differ by more than a tenth
and by more than two corrected standard errors of the difference. With one split no set is counted. A set whose difference is the same
on every split is not counted either.
`

// writeRatios writes the errors of the methods relative to those of the reference.
func writeRatios(b *strings.Builder, a standings.Analysis, level, where string) {
	if a.Ratios == nil || len(a.Ratios.Methods) == 0 {
		return
	}
	if where != "" {
		where += " collection"
	}
	fmt.Fprintf(b, "\n%s%s relative to %s%s\n\n", level, capital(a.Name), a.Ratios.Reference, where)
	lines := [][]string{{"method", "source", "sets", "ratio", "95% interval", "noisy sets", "ratio there", "worse", "clearly worse",
		"clearly better"}}
	better := map[string][]string{} // the better methods by set
	for _, m := range a.Ratios.Methods {
		lines = append(lines, []string{
			m.Method, m.Source, strconv.Itoa(m.Sets), scaled("%.3f", m.Mean, 1), interval(m.Low, m.High), strconv.Itoa(m.Noisy),
			scaled("%.3f", m.OfNoisy, 1),
			strconv.Itoa(m.Worse), strconv.Itoa(len(m.ClearlyWorse)), strconv.Itoa(len(m.ClearlyBetter)),
		})
		for _, set := range m.ClearlyBetter {
			better[set] = append(better[set], m.Method)
		}
	}
	align(b, lines)
	if len(better) == 0 {
		fmt.Fprintf(b, "\nNo method is clearly better than %s on any set.\n", a.Ratios.Reference)
		return
	}
	fmt.Fprintf(b, "\nClearly better than %s:\n\n", a.Ratios.Reference)
	for _, set := range a.Sets {
		if names := better[set]; names != nil {
			fmt.Fprintf(b, "- %s: %s\n", set, strings.Join(names, ", "))
		}
	}
}

// ratioText returns the legend with the numbers that the standings use.
func ratioText() string {
	return fmt.Sprintf(ratioLegend, standings.BootstrapSamples, standings.NoisyError)
}

// interval formats an interval for a cell of a table.
func interval(low, high *float64) string {
	if low == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f to %.3f", *low, *high)
}

const zeroLegend = `The table shows whether selection with default settings has the first mean rank, or is within Nemenyi's critical
difference of the first, among all methods, and among the peers alone. Fewer methods make the critical difference smaller. A
comparison includes the methods with a result by its criterion.
`

const relationLegend = `The table counts the sets on which selection with default settings is better than a peer - ties with it - is worse, by the
corrected resampled t-test (Nadeau and Bengio 2003) at level 0.05. "+n" counts further sets on which the peer is over budget or failed,
"−n" those on which selection is. relations.csv names the sets, also for the method of kernelearn with the best mean rank.
`

// answers writes the ranks of selection, and the comparisons of single methods of ours with single peers.
func (r *Report) answers(b *strings.Builder) {
	lines := [][]string{{"criterion", "sets", "among", "methods", "mean rank", "first", "its mean rank", "critical difference",
		"selection is"}}
	for _, a := range r.Analyses {
		for _, z := range a.Zeros {
			cd := "-"
			if z.CriticalDifference != nil {
				cd = fmt.Sprintf("%.2f", *z.CriticalDifference)
			}
			lines = append(lines, []string{a.Title(), strconv.Itoa(len(a.Sets)), z.Among, strconv.Itoa(z.Methods),
				fmt.Sprintf("%.2f", z.MeanRank),
				z.First, fmt.Sprintf("%.2f", z.FirstRank), cd, z.Reading})
		}
	}
	if len(lines) > 1 {
		b.WriteString("\n## Selection with default settings\n\n" + zeroLegend + "\n")
		align(b, lines)
	}
	b.WriteString(r.against())
}

// against returns a table for each collection, with a row for each peer and a column for each criterion.
func (r *Report) against() string {
	var b strings.Builder
	for _, collection := range r.Collections() {
		lines := [][]string{{"selection against"}}
		for _, a := range r.Analyses {
			if a.Collection != collection || len(a.OfZero()) == 0 {
				continue
			}
			lines[0] = append(lines[0], a.Name)
			for _, one := range a.OfZero() {
				i := slices.IndexFunc(lines, func(line []string) bool { return line[0] == one.Peer })
				if i < 0 {
					i = len(lines)
					lines = append(lines, []string{one.Peer})
				}
				for len(lines[i]) < len(lines[0])-1 {
					lines[i] = append(lines[i], "-")
				}
				lines[i] = append(lines[i], one.String())
			}
		}
		if len(lines) == 1 {
			continue
		}
		for i := range lines {
			for len(lines[i]) < len(lines[0]) {
				lines[i] = append(lines[i], "-")
			}
		}
		if b.Len() == 0 {
			b.WriteString("\n## Selection against single peers\n\n" + relationLegend)
		}
		b.WriteString("\n")
		if collection != "" {
			fmt.Fprintf(&b, "%s:\n\n", capital(collection))
		}
		align(&b, lines)
	}
	if slices.ContainsFunc(r.Analyses, drawn) {
		fmt.Fprintf(&b, "\n![The number of sets on which selection is better than a peer, ties with it and is worse.](%s)\n", relationsPicture)
	}
	return b.String()
}

const changesLegend = `
"sets" are those on which the method has a result in both runs. "change" is the geometric mean of the errors divided by those of the
earlier run, with the 95% bootstrap interval over the sets. The NLPD may be negative, so its change is the median difference. "better" and
"worse" count the sets whose error changed by more than a tenth, or by more than 0.1 for the NLPD. The mean ranks are those among the
methods of the earlier run. In "rank now", new results replace the earlier ones of all methods that ran again. "seconds" is the
geometric mean of the seconds of fit and prediction divided by the earlier ones.
`

// changed reports whether the report compares methods with an earlier run.
func (r *Report) changed() bool {
	return slices.ContainsFunc(r.Analyses, func(a standings.Analysis) bool { return a.Changes != nil })
}

// changes compares the methods with themselves in an earlier run.
func (r *Report) changes(b *strings.Builder, level string) {
	if !r.changed() {
		return
	}
	fmt.Fprintf(b, "\n%sCompared with an earlier run\n%s", level, changesLegend)
	var moved []string
	for _, a := range r.Analyses {
		if a.Changes == nil {
			continue
		}
		fmt.Fprintf(b, "\n#%s%s\n\n", level, capital(a.Title()))
		lines := [][]string{{"method", "sets", "change", "95% interval", "better", "worse", "rank then", "rank now", "of", "seconds"}}
		for _, c := range a.Changes {
			lines = append(lines, []string{
				c.Method, strconv.Itoa(c.Sets), scaled("%.3f", c.Center, 1), interval(c.Low, c.High), strconv.Itoa(len(c.Better)),
				strconv.Itoa(len(c.Worse)), fmt.Sprintf("%.1f", c.Earlier), fmt.Sprintf("%.1f", c.Now), strconv.Itoa(c.Ranked),
				fmt.Sprintf("%.2f", c.Seconds),
			})
			if c.Method != standings.ZeroMethod {
				continue
			}
			for _, of := range []struct {
				text string
				sets []string
			}{{"better", c.Better}, {"worse", c.Worse}, {"only now", c.OnlyNow}, {"only in the earlier run", c.OnlyEarlier}} {
				if of.sets != nil {
					moved = append(moved, fmt.Sprintf("- %s, %s: %s\n", a.Title(), of.text, strings.Join(of.sets, ", ")))
				}
			}
		}
		align(b, lines)
	}
	if moved != nil {
		fmt.Fprintf(b, "\n#%sThe sets on which %s changed\n\n%s", level, standings.ZeroMethod, strings.Join(moved, ""))
	}
}
