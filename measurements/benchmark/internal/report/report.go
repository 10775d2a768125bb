// Package report writes a record as pages, tables and pictures. [Redraw] draws the pictures from the tables alone.
package report

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kernelearn/kernelearn/internal/atomicfile"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/protocol"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/standings"
)

const legend = `
## Measures

- NMSE: the squared error divided by that of predicting the mean of the test rows. R2 is 1 - NMSE
- Coverage95, Width95: the share of targets in the central 95% intervals, and the mean width of these. The intervals are the method's
  own, or those of a normal distribution with its mean and variance. Below95: the share of targets below them
- NLPD: the negative log density of the targets under a normal distribution with the method's mean and variance. The variance counts as
  at least 1e-12 of that of the targets. NLPD and Width95 are in units of the standard deviation of the test targets
- GMean: the geometric mean of the accuracies of the classes. AUC: the area under the ROC curve; with more than two classes the mean of
  each class against the rest. LogLoss and Brier measure the method's probabilities
- fit s, s/1000: processor time on one thread (with -threads: elapsed time on several) of the fit, and of a thousand predictions.
  It excludes reading the rows, and includes converting them to golearn's grids
- MB before, peak MB: the resident memory of the process after reading the rows, and its maximum until the predictions were made.
  model kB: the size of the model's file
`

// Report writes a record.
type Report struct{ *standings.Record }

func (r *Report) Write(folder string) error {
	if err := protocol.WriteJSON(filepath.Join(folder, "report.json"), r.Record); err != nil {
		return err
	}
	if err := r.writeTables(folder); err != nil {
		return err
	}
	if err := r.draw(folder); err != nil {
		return err
	}
	if r.Analyses != nil {
		if err := r.writePages(folder); err != nil {
			return err
		}
	}
	return atomicfile.Write(filepath.Join(folder, "report.md"), r.Markdown)
}

func (r *Report) Markdown(out io.Writer) error {
	var b strings.Builder
	b.WriteString("# Benchmark\n\n" + r.conditions())
	for i, m := range r.Missing {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "- %s\n", m)
	}
	if r.Analyses != nil {
		b.WriteString("\nPages with less on each, in the same folder:\n\n")
		for _, p := range r.pages() {
			fmt.Fprintf(&b, "- [%s](%s): %s\n", p.name, p.name, p.about)
		}
	}
	r.compare(&b)
	r.changes(&b, "## ")
	r.growthSection(&b)
	for _, d := range r.Sets {
		heading(&b, d)
		r.table(&b, d)
		r.failures(&b, d)
	}
	r.explain(&b)
	_, err := io.WriteString(out, b.String())
	return err
}

// conditions states how the cells were measured.
func (r *Report) conditions() string {
	s := r.Settings
	splits := fmt.Sprintf("%d splits 75/25 a set", s.Splits)
	switch s.Splits {
	case 0:
		splits = "Splits 75/25: " + protocol.SplitsBySize
	case 1:
		splits = "1 split 75/25 a set"
	}
	if s.Fewest > 0 {
		splits = fmt.Sprintf("%d to %d splits 75/25 a set", s.Fewest, s.Splits)
	}
	rows, threads := "all training rows", "each on one thread"
	if s.MaxRows > 0 {
		rows = fmt.Sprintf("at most %d training rows", s.MaxRows)
	}
	if s.Threads > 1 {
		threads = fmt.Sprintf("each on %d threads", s.Threads)
	}
	ofThird := func(d protocol.Description) bool { return d.Collection == protocol.ThirdCollection }
	budget := s.Budget + " of the processor for a cell"
	if slices.ContainsFunc(r.Sets, ofThird) {
		budget = s.Budget + " for a cell"
	}
	system := ""
	if s.System != "" { // unknown in a report from an archive
		system = fmt.Sprintf(" %s, %d processors, %s.", s.System, s.Processors, s.Go)
	}
	out := fmt.Sprintf("%s, seed %d, %s, %s, cells at a time: %d,\n%s.%s Numbers are means over the splits that are ok, ± their standard "+
		"deviation.\n", splits, s.Seed, budget, rows, s.Workers, threads, system)
	if r.Growth != nil {
		return out
	}
	if slices.ContainsFunc(r.Sets, func(d protocol.Description) bool { return !ofThird(d) }) {
		out += fmt.Sprintf("Above %d training rows the budget grows in proportion to them", protocol.BudgetRows)
		if slices.ContainsFunc(r.Sets, ofThird) {
			out += ", except on sets of the third collection"
		}
		out += ".\n"
	}
	if s.Threads > 1 {
		out += fmt.Sprintf("Seconds are by the clock; the budget is of %d processors.\n", s.Threads)
	}
	return out
}

func heading(b *strings.Builder, d protocol.Description) {
	fmt.Fprintf(b, "\n## %s, %s\n\n%s rows × %d features", d.Set, d.Task, thousands(d.Rows), d.Features)
	if d.Classes != nil {
		fmt.Fprintf(b, ", %d classes", len(d.Classes))
	}
	fmt.Fprintf(b, "; trained on %s rows", thousands(d.TrainRows))
	if d.TrainRows < d.Available {
		fmt.Fprintf(b, " of %s, drawn at random", thousands(d.Available))
	}
	fmt.Fprintf(b, ", tested on %s.\n\n", thousands(d.TestRows))
}

// table writes a row for each method, with the measures that at least one method has.
func (r *Report) table(b *strings.Builder, d protocol.Description) {
	var rows []standings.Summary
	taken := map[string]bool{}
	for _, s := range r.Summary {
		if s.Set == d.Set {
			rows = append(rows, s)
			for name := range s.Measures {
				taken[name] = true
			}
		}
	}
	head := []string{"method"}
	for _, m := range methods.Measures {
		if taken[m.Name] {
			head = append(head, m.Name)
		}
	}
	lines := [][]string{append(head, "fit s", "s/1000", "MB before", "peak MB", "model kB", "splits")}
	for _, s := range rows {
		line := []string{s.Method}
		for _, name := range head[1:] {
			line = append(line, shown(s.Measures, name))
		}
		lines = append(lines, append(line, scaled("%.3f", s.FitSeconds, 1), scaled("%.3f", s.PredictSeconds, float64(d.TestRows)/1000),
			scaled("%.1f", s.BeforeBytes, 1e6),
			scaled("%.1f", s.PeakBytes, 1e6), scaled("%.1f", s.ModelBytes, 1e3), s.SplitsText()))
	}
	align(b, lines)
}

// failures writes the reasons why cells of a set failed. Each reason of a method appears once.
func (r *Report) failures(b *strings.Builder, d protocol.Description) {
	seen := map[string]bool{}
	for _, c := range r.Cells {
		line := fmt.Sprintf("- %s failed: %s\n", c.Method, c.Error)
		if c.Set != d.Set || c.Status != protocol.StatusFailed || seen[line] {
			continue
		}
		if len(seen) == 0 {
			b.WriteString("\n")
		}
		seen[line] = true
		b.WriteString(line)
	}
}

// explain writes the definitions of the measures and the methods.
func (r *Report) explain(b *strings.Builder) {
	b.WriteString(legend)
	b.WriteString("\n## Methods\n\n")
	if n := r.Settings.Trials; n > 0 {
		fmt.Fprintf(b, "The searches of boosting and of extra trees try their defaults and %d settings at random, in place of the 9 below.\n\n", n-1)
	}
	var versions []string
	b.WriteString("| method | configuration |\n| --- | --- |\n")
	for _, m := range r.MethodsThere() {
		fmt.Fprintf(b, "| %s | %s", m.Name, m.Configuration)
		if m.Unrepeatable {
			b.WriteString("; its numbers differ from run to run")
		}
		b.WriteString(" |\n")
	}
	for _, c := range r.Cells {
		if c.Version != "" && !slices.Contains(versions, c.Version) {
			versions = append(versions, c.Version)
		}
	}
	if versions != nil {
		fmt.Fprintf(b, "\n%s.\n", strings.Join(versions, ", "))
	}
}
