package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/internal/atomicfile"
)

// conditions are what the report says of how it came about.
type conditions struct {
	Seed       uint64 `json:"seed"`
	Splits     int    `json:"splits"` // 0: by the size of a set
	Budget     string `json:"budget"`
	MaxRows    int    `json:"max_rows"` // 0: no limit
	Workers    int    `json:"workers"`
	Threads    int    `json:"threads,omitempty"` // of a cell, more than one
	System     string `json:"system"`
	Processors int    `json:"processors"`
	Go         string `json:"go"`
}

func (s settings) conditions() conditions {
	threads := 0
	if s.threads > 1 {
		threads = s.threads
	}
	return conditions{
		Threads: threads,
		Seed:    s.seed, Splits: s.splits, Budget: s.budget.String(), MaxRows: s.maxRows, Workers: s.workers,
		System: runtime.GOOS + "/" + runtime.GOARCH, Processors: runtime.NumCPU(), Go: runtime.Version(),
	}
}

const legend = `
## Measures

- NMSE: the squared error over that of predicting the mean of the test rows. R2 is 1 - NMSE
- Coverage95, Width95: the share of targets in the method's central 95% intervals, or in those of a normal distribution with its mean and
  variance, and their mean width
- NLPD: the negative log density of the targets under a normal distribution with the method's mean and variance. The variance counts as
  at least 1e-12 of that of the targets. NLPD and Width95 are in units of the standard deviation of the test targets
- GMean: the geometric mean of the accuracies of the classes. AUC: the area under the ROC curve; with more than two classes the mean of
  each class against the rest. LogLoss, Brier: of the method's probabilities
- fit s, s/1000: processor time on one thread (with -threads: time by the clock on so many) of the fit, and of a thousand predictions.
  Reading the rows is not in it; making golearn's grids of them is
- MB before, peak MB: the resident memory of the process when its rows were read, and the most until the predictions were made.
  model kB: the size of the model's file
`

// report is report.json.
type report struct {
	Settings  conditions    `json:"settings"`
	Missing   []missingPeer `json:"missing,omitempty"`
	Sets      []description `json:"sets"`
	Analyses  []analysis    `json:"analyses,omitempty"`
	Fronts    []front       `json:"fronts,omitempty"`
	Overviews []overview    `json:"overviews,omitempty"`
	Growth    []growth      `json:"growth,omitempty"`
	Summary   []summary     `json:"summary"`
	Cells     []cell        `json:"cells"`
}

// summary is one method on one set: means over the splits that are ok.
type summary struct {
	Set            string            `json:"set"`
	Method         string            `json:"method"`
	OK             int               `json:"ok"`
	OverBudget     int               `json:"over_budget"`
	NotRun         int               `json:"not_run"`
	Failed         int               `json:"failed"`
	Measures       map[string]moment `json:"measures,omitempty"`
	FitSeconds     *float64          `json:"fit_seconds,omitempty"`
	PredictSeconds *float64          `json:"predict_seconds,omitempty"`
	BeforeBytes    *float64          `json:"memory_before_bytes,omitempty"`
	PeakBytes      *float64          `json:"memory_peak_bytes,omitempty"`
	ModelBytes     *float64          `json:"model_bytes,omitempty"`
}

// moment is a mean, and the standard deviation over the splits where there are two.
type moment struct {
	Mean float64  `json:"mean"`
	SD   *float64 `json:"sd,omitempty"`
}

// summarise expects the cells set by set, and within a set method by method.
func (r *report) summarise() {
	for begin := 0; begin < len(r.Cells); {
		end := begin
		for end < len(r.Cells) && r.Cells[end].Set == r.Cells[begin].Set && r.Cells[end].Method == r.Cells[begin].Method {
			end++
		}
		r.Summary = append(r.Summary, summaryOf(r.Cells[begin:end]))
		begin = end
	}
}

func summaryOf(cells []cell) summary {
	s := summary{Set: cells[0].Set, Method: cells[0].Method}
	var ok []cell
	for _, c := range cells {
		switch c.Status {
		case statusOK:
			s.OK++
			ok = append(ok, c)
		case statusOverBudget:
			s.OverBudget++
		case statusNotRun:
			s.NotRun++
		default:
			s.Failed++
		}
	}
	for _, m := range measures {
		mean, sd := over(ok, func(c cell) *float64 {
			if v, there := c.Measures[m.Name]; there {
				return &v
			}
			return nil
		})
		if mean != nil {
			if s.Measures == nil {
				s.Measures = map[string]moment{}
			}
			s.Measures[m.Name] = moment{*mean, sd}
		}
	}
	s.FitSeconds, _ = over(ok, func(c cell) *float64 { return &c.FitSeconds })
	s.PredictSeconds, _ = over(ok, func(c cell) *float64 { return &c.PredictSeconds })
	s.BeforeBytes, _ = over(ok, func(c cell) *float64 { return float(c.BeforeBytes) })
	s.PeakBytes, _ = over(ok, func(c cell) *float64 { return float(c.PeakBytes) })
	s.ModelBytes, _ = over(ok, func(c cell) *float64 { return float(c.ModelBytes) })
	return s
}

func float(v *int64) *float64 {
	if v == nil {
		return nil
	}
	f := float64(*v)
	return &f
}

// over returns the mean of a value over the cells that have it, nil if none has, and
// the standard deviation, nil if fewer than two have.
func over(cells []cell, value func(cell) *float64) (mean, sd *float64) {
	var values []float64
	for _, c := range cells {
		if v := value(c); v != nil {
			values = append(values, *v)
		}
	}
	if len(values) == 0 {
		return nil, nil
	}
	m, s := stat.MeanStdDev(values, nil)
	if len(values) > 1 {
		sd = &s
	}
	return &m, sd
}

func (r *report) write(folder string) error {
	if err := writeJSON(filepath.Join(folder, "report.json"), r); err != nil {
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
	return atomicfile.Write(filepath.Join(folder, "report.md"), r.markdown)
}

func (r *report) markdown(out io.Writer) error {
	var b strings.Builder
	s := r.Settings
	splits, rows, seconds, threads := fmt.Sprintf("%d splits 75/25 a set", s.Splits), fmt.Sprintf("at most %d training rows", s.MaxRows),
		"",
		"each on one thread"
	if s.Splits == 0 {
		splits = "Splits 75/25: " + splitsBySize
	}
	if s.MaxRows == 0 {
		rows = "all training rows"
	}
	if s.Threads > 1 {
		threads = fmt.Sprintf("each on %d threads", s.Threads)
		seconds = fmt.Sprintf(" Seconds are by the clock; the budget is of %d processors.", s.Threads)
	}
	fmt.Fprintf(&b, "# Benchmark\n\n%s, seed %d, %s of the processor for a cell, %s, cells at a time: %d,\n%s. %s, %d processors, %s. "+
		"Numbers are means over the splits that are ok, ± their standard deviation.\n",
		splits, s.Seed, s.Budget, rows, s.Workers, threads, s.System, s.Processors, s.Go)
	if r.Growth == nil {
		fmt.Fprintf(&b, "Above %d training rows the budget grows in proportion to them.%s\n", budgetRows, seconds)
	}
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
	r.growthSection(&b)
	for _, d := range r.Sets {
		d.heading(&b)
		r.table(&b, d)
		r.failures(&b, d)
	}
	r.explain(&b)
	_, err := io.WriteString(out, b.String())
	return err
}

func (d description) heading(b *strings.Builder) {
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

// table writes a row for each method, with the measures that any of them has.
func (r *report) table(b *strings.Builder, d description) {
	var rows []summary
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
	for _, m := range measures {
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
			scaled("%.1f", s.PeakBytes, 1e6), scaled("%.1f", s.ModelBytes, 1e3), s.splits()))
	}
	align(b, lines)
}

func shown(measures map[string]moment, name string) string {
	m, ok := measures[name]
	if !ok {
		return "-"
	}
	if m.SD == nil {
		return fmt.Sprintf("%.4g", m.Mean)
	}
	// As many decimals for both, those that show three digits of the larger.
	decimals := 4
	if size := math.Max(math.Abs(m.Mean), *m.SD); size >= 10 {
		decimals = max(0, 3-int(math.Log10(size)))
	}
	return fmt.Sprintf("%.*f ± %.*f", decimals, m.Mean, decimals, *m.SD)
}

// splits says what became of the splits.
func (s summary) splits() string {
	var out []string
	for _, part := range []struct {
		count  int
		status string
	}{{s.OK, statusOK}, {s.OverBudget, statusOverBudget}, {s.NotRun, statusNotRun}, {s.Failed, statusFailed}} {
		if part.count > 0 {
			out = append(out, fmt.Sprintf("%d %s", part.count, part.status))
		}
	}
	return strings.Join(out, ", ")
}

func scaled(format string, v *float64, unit float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf(format, *v/unit)
}

// align writes a table of Markdown that is one on a terminal too.
func align(b *strings.Builder, lines [][]string) {
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for j, cell := range line {
			widths[j] = max(widths[j], utf8.RuneCountInString(cell))
		}
	}
	rule := make([]string, len(widths))
	for j, w := range widths {
		rule[j] = strings.Repeat("-", w-1) + ":"
	}
	rule[0] = strings.Repeat("-", widths[0])
	for i, line := range lines {
		for j, cell := range line {
			pad := strings.Repeat(" ", widths[j]-utf8.RuneCountInString(cell))
			if j == 0 {
				fmt.Fprintf(b, "| %s%s |", cell, pad)
			} else {
				fmt.Fprintf(b, " %s%s |", pad, cell)
			}
		}
		b.WriteString("\n")
		if i == 0 {
			fmt.Fprintf(b, "| %s |\n", strings.Join(rule, " | "))
		}
	}
}

// failures writes why cells of a set failed, each reason of a method once.
func (r *report) failures(b *strings.Builder, d description) {
	seen := map[string]bool{}
	for _, c := range r.Cells {
		line := fmt.Sprintf("- %s failed: %s\n", c.Method, c.Error)
		if c.Set != d.Set || c.Status != statusFailed || seen[line] {
			continue
		}
		if len(seen) == 0 {
			b.WriteString("\n")
		}
		seen[line] = true
		b.WriteString(line)
	}
}

// explain says what the measures and the methods are.
func (r *report) explain(b *strings.Builder) {
	b.WriteString(legend)
	b.WriteString("\n## Methods\n\n")
	var versions []string
	for _, m := range r.methodsThere() {
		fmt.Fprintf(b, "- %s: %s", m.name, m.configuration)
		if m.unrepeatable {
			b.WriteString("; its numbers differ from run to run")
		}
		b.WriteString("\n")
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
