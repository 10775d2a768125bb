package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kernelearn/kernelearn/internal/atomicfile"
)

// page is a file that is read by itself.
type page struct {
	name, about string
	write       func(*strings.Builder)
}

const methodsPage = "methods.md"

// pages are one for each comparison, one of the sets and one of what the words mean.
func (r *report) pages() []page {
	var out []page
	for _, a := range r.Analyses {
		out = append(out, page{a.page(), a.title(), func(b *strings.Builder) { r.comparisonPage(b, a) }})
	}
	for _, collection := range r.collections() { // one page of both would be too long
		c := criterion{Collection: collection}
		about := c.named("seconds, memory and files")
		out = append(out, page{"costs" + c.suffix("-") + ".md", about, func(b *strings.Builder) {
			fmt.Fprintf(b, "# %s\n\n", capital(about))
			r.costs(b, collection)
		}})
	}
	if slices.ContainsFunc(r.Analyses, func(a analysis) bool { return a.Ratios != nil }) {
		out = append(out, page{"ratios.md", "errors relative to those of one method", r.ratiosPage})
	}
	return append(out,
		page{"intervals.md", "coverage and width of 95% intervals", func(b *strings.Builder) {
			b.WriteString("# Intervals\n\n")
			r.intervals(b)
		}},
		page{"sets.md", "a line for each set", r.setsPage},
		page{methodsPage, "what the methods, the measures and the columns are", r.methodsPage})
}

// page is the name of a comparison's page, as of its pictures.
func (c criterion) page() string {
	return strings.TrimPrefix(strings.TrimSuffix(c.picture(""), ".png"), "-") + ".md"
}

func (r *report) comparisonPage(b *strings.Builder, a analysis) {
	fmt.Fprintf(b, "# %s\n\nWhat the columns mean is in [%s](%s).\n\n", capital(a.title()), methodsPage, methodsPage)
	a.ranks(b)
	r.levels(b, a, "## Level with the least error")
	a.byKind(b, "## Kinds of data")
}

func (r *report) ratiosPage(b *strings.Builder) {
	b.WriteString("# Errors relative to those of one method\n")
	for _, a := range r.Analyses {
		a.ratios(b, "## ", a.suffix(", "))
	}
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

func (r *report) methodsPage(b *strings.Builder) {
	b.WriteString("# Methods, measures and columns\n\n## Ranks\n\n" + rankLegend)
	b.WriteString("\n## Error against time\n\n" + frontLegend)
	r.explain(b)
}

func (r *report) writePages(folder string) error {
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
