// Package standings evaluates the cells. It computes means over the splits, ranks with their tests, differences between methods,
// errors against seconds, and the growth of costs. A [Record] holds all results and is written to report.json.
package standings

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/protocol"
)

// Complete returns the summaries of a method on the sets of a collection and task for which all splits are ok.
func (r *Record) Complete(collection, task, method string) (sets []protocol.Description, out []Summary) {
	for _, d := range r.Sets {
		if d.Collection != collection || d.Task != task {
			continue
		}
		if s, ok := r.SummaryOn(d.Set, method); ok && s.OK > 0 && s.OverBudget+s.NotRun+s.Failed == 0 {
			sets, out = append(sets, d), append(out, s)
		}
	}
	return sets, out
}

// MethodsThere returns the methods that have at least one cell.
func (r *Record) MethodsThere() (out []methods.Method) {
	for _, m := range methods.All {
		if slices.ContainsFunc(r.Summary, func(s Summary) bool { return s.Method == m.Name }) {
			out = append(out, m)
		}
	}
	return out
}

func Median(values []float64) float64 {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return stat.Quantile(.5, stat.Empirical, sorted, nil)
}

// Conditions are the settings of a run and its system, as they are written to the report.
type Conditions struct {
	Seed       uint64 `json:"seed"`
	Splits     int    `json:"splits"`                  // 0: chosen from the size of a set
	Fewest     int    `json:"fewest_splits,omitempty"` // of a set, if sets have different numbers of splits
	Budget     string `json:"budget"`
	MaxRows    int    `json:"max_rows"` // 0: no limit
	Workers    int    `json:"workers"`
	Threads    int    `json:"threads,omitempty"` // threads of a cell, if more than one
	Trials     int    `json:"trials,omitempty"`  // settings that searches of peers try, if not their default
	System     string `json:"system"`
	Processors int    `json:"processors"`
	Go         string `json:"go"`
}

func ConditionsOf(s protocol.Settings) Conditions {
	threads := 0
	if s.Threads > 1 {
		threads = s.Threads
	}
	return Conditions{
		Threads: threads,
		Seed:    s.Seed, Splits: s.Splits, Budget: s.Budget.String(), MaxRows: s.MaxRows, Workers: s.Workers,
		Trials: s.Trials, System: runtime.GOOS + "/" + runtime.GOARCH, Processors: runtime.NumCPU(), Go: runtime.Version(),
	}
}

// ConditionsOfCells returns the settings of the run that computed the cells. The numbers of splits and of rows are the largest of a
// set. The processors and the version of Go are not known.
func ConditionsOfCells(cells []protocol.Cell) (Conditions, error) {
	first, splits := cells[0], map[string]int{}
	out := Conditions{Seed: first.Seed, Budget: first.Budget, Workers: first.Workers, Threads: first.Threads}
	for _, c := range cells {
		if c.Seed != first.Seed || c.Budget != first.Budget || c.Threads != first.Threads || c.Workers != first.Workers {
			return out, fmt.Errorf("the cells are of two runs: %s, %s and %s, %s have other seeds, budgets, threads or workers", first.Set,
				first.Method, c.Set, c.Method)
		}
		if c.Trials > 0 && out.Trials > 0 && c.Trials != out.Trials {
			return out, fmt.Errorf("the cells are of two runs: %s, %s has %d trials, and others %d", c.Set, c.Method, c.Trials, out.Trials)
		}
		out.Trials = max(out.Trials, c.Trials)
		out.MaxRows = max(out.MaxRows, c.MaxRows)
		splits[c.Set] = max(splits[c.Set], c.Split+1)
	}
	counts := slices.Sorted(maps.Values(splits))
	out.Splits = counts[len(counts)-1]
	if counts[0] < out.Splits {
		out.Fewest = counts[0]
	}
	return out, nil
}

// Record is the content of report.json.
type Record struct {
	Settings  Conditions             `json:"settings"`
	Missing   []methods.Missing      `json:"missing,omitempty"`
	Sets      []protocol.Description `json:"sets"`
	Analyses  []Analysis             `json:"analyses,omitempty"`
	Fronts    []Front                `json:"fronts,omitempty"`
	Overviews []overview             `json:"overviews,omitempty"`
	Growth    []Growth               `json:"growth,omitempty"`
	Summary   []Summary              `json:"summary"`
	Cells     []protocol.Cell        `json:"cells"`
}

// Summary describes one method on one set. It holds means over the splits that are ok.
type Summary struct {
	Set            string            `json:"set"`
	Method         string            `json:"method"`
	OK             int               `json:"ok"`
	OverBudget     int               `json:"over_budget"`
	NotRun         int               `json:"not_run"`
	Failed         int               `json:"failed"`
	Measures       map[string]Moment `json:"measures,omitempty"`
	FitSeconds     *float64          `json:"fit_seconds,omitempty"`
	PredictSeconds *float64          `json:"predict_seconds,omitempty"`
	BeforeBytes    *float64          `json:"memory_before_bytes,omitempty"`
	PeakBytes      *float64          `json:"memory_peak_bytes,omitempty"`
	ModelBytes     *float64          `json:"model_bytes,omitempty"`
}

// Moment holds a mean, and the standard deviation over the splits if there are at least two.
type Moment struct {
	Mean float64  `json:"mean"`
	SD   *float64 `json:"sd,omitempty"`
}

// Summarise computes the summaries. It expects cells that are sorted by set, and by method within a set.
func (r *Record) Summarise() {
	for begin := 0; begin < len(r.Cells); {
		end := begin
		for end < len(r.Cells) && r.Cells[end].Set == r.Cells[begin].Set && r.Cells[end].Method == r.Cells[begin].Method {
			end++
		}
		r.Summary = append(r.Summary, summaryOf(r.Cells[begin:end]))
		begin = end
	}
}

func summaryOf(cells []protocol.Cell) Summary {
	s := Summary{Set: cells[0].Set, Method: cells[0].Method}
	var ok []protocol.Cell
	for _, c := range cells {
		switch c.Status {
		case protocol.StatusOK:
			s.OK++
			ok = append(ok, c)
		case protocol.StatusOverBudget:
			s.OverBudget++
		case protocol.StatusNotRun:
			s.NotRun++
		default:
			s.Failed++
		}
	}
	for _, m := range methods.Measures {
		mean, sd := meanAndDeviation(ok, func(c protocol.Cell) *float64 {
			if v, there := c.Measures[m.Name]; there {
				return &v
			}
			return nil
		})
		if mean != nil {
			if s.Measures == nil {
				s.Measures = map[string]Moment{}
			}
			s.Measures[m.Name] = Moment{*mean, sd}
		}
	}
	s.FitSeconds, _ = meanAndDeviation(ok, func(c protocol.Cell) *float64 { return &c.FitSeconds })
	s.PredictSeconds, _ = meanAndDeviation(ok, func(c protocol.Cell) *float64 { return &c.PredictSeconds })
	s.BeforeBytes, _ = meanAndDeviation(ok, func(c protocol.Cell) *float64 { return Float(c.BeforeBytes) })
	s.PeakBytes, _ = meanAndDeviation(ok, func(c protocol.Cell) *float64 { return Float(c.PeakBytes) })
	s.ModelBytes, _ = meanAndDeviation(ok, func(c protocol.Cell) *float64 { return Float(c.ModelBytes) })
	return s
}

func Float(v *int64) *float64 {
	if v == nil {
		return nil
	}
	f := float64(*v)
	return &f
}

// meanAndDeviation returns the mean of a value over the cells that have it, or nil if none has. It also returns the standard
// deviation, or nil if fewer than two have it.
func meanAndDeviation(cells []protocol.Cell, value func(protocol.Cell) *float64) (mean, sd *float64) {
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

// SplitsText returns the number of splits with each status.
func (s Summary) SplitsText() string {
	var out []string
	for _, part := range []struct {
		count  int
		status string
	}{{s.OK, protocol.StatusOK}, {s.OverBudget, protocol.StatusOverBudget}, {s.NotRun, protocol.StatusNotRun}, {s.Failed,
		protocol.StatusFailed}} {
		if part.count > 0 {
			out = append(out, fmt.Sprintf("%d %s", part.count, part.status))
		}
	}
	return strings.Join(out, ", ")
}
