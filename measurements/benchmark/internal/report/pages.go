package report

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelearn/kernelearn/internal/atomicfile"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/standings"
)

// page describes a file of the report.
type page struct {
	name, about string
	write       func(*strings.Builder)
}

const methodsPage = "methods.md"

// pages returns the pages of the report, including one for each comparison, one for the sets and one for the definitions.
func (r *Report) pages() []page {
	var out []page
	for _, a := range r.Analyses {
		out = append(out, page{pageOf(a.Criterion), a.Title(), func(b *strings.Builder) { r.comparisonPage(b, a) }})
	}
	for _, collection := range r.Collections() { // one page for all collections would be too long
		c := standings.Criterion{Collection: collection}
		about := c.Named("seconds, memory and files")
		out = append(out, page{"costs" + c.Suffix("-") + ".md", about, func(b *strings.Builder) {
			fmt.Fprintf(b, "# %s\n\n", capital(about))
			r.costs(b, collection)
		}})
	}
	if slices.ContainsFunc(r.Analyses, func(a standings.Analysis) bool { return a.Ratios != nil }) {
		out = append(out, page{"ratios.md", "errors relative to those of one method", r.ratiosPage})
	}
	if r.changed() {
		out = append(out, page{"changes.md", "the same methods in an earlier run", func(b *strings.Builder) { r.changes(b, "# ") }})
	}
	return append(out,
		page{"intervals.md", "coverage and width of 95% intervals", func(b *strings.Builder) {
			b.WriteString("# Intervals\n\n")
			r.intervals(b)
		}},
		page{"sets.md", "a line for each set", r.setsPage},
		page{methodsPage, "the methods, the measures and the columns", r.methodsPage})
}

// pageOf returns the name of a comparison's page. The names of its pictures contain it too.
func pageOf(c standings.Criterion) string {
	return strings.TrimPrefix(strings.TrimSuffix(pictureName(c, ""), ".png"), "-") + ".md"
}

func (r *Report) comparisonPage(b *strings.Builder, a standings.Analysis) {
	fmt.Fprintf(b, "# %s\n\n[%s](%s) explains the columns.\n\n", capital(a.Title()), methodsPage, methodsPage)
	writeRanks(b, a)
	r.ties(b, a, "## Tied with the smallest error")
	byKind(b, a, "## Kinds of data")
}

func (r *Report) ratiosPage(b *strings.Builder) {
	b.WriteString("# Errors relative to those of one method\n\n" + ratioText())
	for _, a := range r.Analyses {
		writeRatios(b, a, "## ", a.Suffix(", "))
	}
}

func (r *Report) methodsPage(b *strings.Builder) {
	b.WriteString("# Methods, measures and columns\n\n## Ranks\n\n" + rankLegend)
	b.WriteString("\n## Error against time\n\n" + frontLegend)
	r.explain(b)
}

func (r *Report) writePages(folder string) error {
	for _, p := range r.pages() {
		var b strings.Builder
		p.write(&b)
		err := atomicfile.Write(filepath.Join(folder, p.name), func(w io.Writer) error {
			_, err := io.WriteString(w, b.String())
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

const setsLegend = `# The sets, one by one

The tables list the mean error over the splits by the first criterion of each task. They compare selection with default settings, the
best method of kernelearn, and the best of the others. The last column compares selection with the best of the others by the corrected
resampled t-test at level 0.05. The means of all methods are in summary.csv.
`

// setsPage writes a line for each set.
func (r *Report) setsPage(b *strings.Builder) {
	b.WriteString(setsLegend)
	for _, a := range r.Analyses {
		if !a.First() {
			continue
		}
		res := r.ResultsBy(a.Criterion)
		fmt.Fprintf(b, "\n## %s\n\n", a.Title())
		lines := [][]string{{"set", "rows", "features", standings.ZeroMethod, "best of ours", "", "best of others", "",
			standings.ZeroMethod + " is"}}
		for _, d := range res.Sets {
			ours, others := res.Best(d.Set, true), res.Best(d.Set, false)
			lines = append(lines, []string{
				d.Set, thousands(d.Rows), strconv.Itoa(d.Features), decimals(res.Error(d.Set, standings.ZeroMethod)),
				ours.Method, decimals(ours.Error), others.Method, decimals(others.Error),
				res.Against(d, standings.ZeroMethod, others.Method),
			})
		}
		align(b, lines)
	}
}
