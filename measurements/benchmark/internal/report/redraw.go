package report

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/protocol"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/standings"
)

// Redraw draws the pictures of a report again, from its ranks.csv, its relations.csv and the means in its summary.csv.
func Redraw(folder string) error {
	r, err := readSummary(filepath.Join(folder, "summary.csv"))
	if err != nil {
		return err
	}
	r.Analyse()
	if err := r.readRanks(filepath.Join(folder, "ranks.csv")); err != nil {
		return err
	}
	if err := r.readRelations(filepath.Join(folder, "relations.csv")); err != nil {
		return err
	}
	return r.draw(folder)
}

// table is a CSV file with access to its columns by name.
type table struct {
	path   string
	rows   [][]string // without the header
	column map[string]int
}

func readTable(path string, wanted ...string) (table, error) {
	t := table{path: path, column: map[string]int{}}
	f, err := os.Open(path)
	if err != nil {
		return t, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return t, fmt.Errorf("%s: %w", path, err)
	}
	if len(rows) == 0 {
		return t, fmt.Errorf("%s: no rows", path)
	}
	for i, name := range rows[0] {
		t.column[name] = i
	}
	for _, name := range wanted {
		if _, there := t.column[name]; !there {
			return t, fmt.Errorf("%s: no column %q", path, name)
		}
	}
	t.rows = rows[1:]
	return t, nil
}

func (t table) text(row int, name string) string { return t.rows[row][t.column[name]] }

func (t table) number(row int, name string) (float64, error) {
	v, err := strconv.ParseFloat(t.text(row, name), 64)
	if err != nil {
		return 0, fmt.Errorf("%s: line %d, %s: %w", t.path, row+2, name, err)
	}
	return v, nil
}

// readRanks replaces the ranks computed from means with those in the report's table. Methods whose errors are the same on all
// splits may have means that differ in the last digit.
func (r *Report) readRanks(path string) error {
	t, err := readTable(path, "collection", "criterion", "method", "source", "mean_rank", "complete_sets")
	if err != nil {
		return err
	}
	methods := map[string][]standings.Standing{}
	for i := range t.rows {
		rank, err := t.number(i, "mean_rank")
		if err != nil {
			return err
		}
		complete, err := t.number(i, "complete_sets")
		if err != nil {
			return err
		}
		name := t.comparison(i)
		methods[name] = append(methods[name], standings.Standing{Method: t.text(i, "method"), Source: t.text(i, "source"), MeanRank: rank,
			Complete: int(complete)})
	}
	for i := range r.Analyses {
		a := &r.Analyses[i]
		found := methods[comparison(a.Criterion)]
		if len(found) != len(a.Methods) {
			return fmt.Errorf("%s: %d methods by %s, and %d in summary.csv", path, len(found), a.Title(), len(a.Methods))
		}
		a.Methods = found
	}
	return nil
}

// comparison returns a name that identifies a comparison among the comparisons of all collections.
func comparison(c standings.Criterion) string { return c.Collection + "/" + c.Name }

func (t table) comparison(row int) string {
	return t.text(row, "collection") + "/" + t.text(row, "criterion")
}

// readRelations reads which methods the test finds better or worse. This cannot be computed from means.
func (r *Report) readRelations(path string) error {
	t, err := readTable(path, "collection", "criterion", "ours", "peer", "better", "ties", "worse", "only_ours_complete",
		"only_theirs_complete")
	if err != nil {
		return err
	}
	found := map[string][]standings.Relation{}
	for i := range t.rows {
		one := standings.Relation{Ours: t.text(i, "ours"), Peer: t.text(i, "peer")}
		for name, to := range map[string]*[]string{
			"better": &one.Better, "ties": &one.Ties, "worse": &one.Worse, "only_ours_complete": &one.OnlyOurs,
			"only_theirs_complete": &one.OnlyTheirs,
		} {
			n, err := t.number(i, name)
			if err != nil {
				return err
			}
			if n < 0 || n > float64(len(r.Sets)) {
				return fmt.Errorf("%s: line %d, %s: %v of %d sets", path, i+2, name, n, len(r.Sets))
			}
			*to = make([]string, int(n))
		}
		found[t.comparison(i)] = append(found[t.comparison(i)], one)
	}
	for i := range r.Analyses {
		r.Analyses[i].Relations = found[comparison(r.Analyses[i].Criterion)]
	}
	return nil
}

// CompareWith adds the comparison with an earlier run, given its summary.csv.
func (r *Report) CompareWith(path string) error {
	earlier, err := readSummary(path)
	if err != nil {
		return err
	}
	if !r.Record.CompareWith(earlier.Record) {
		return fmt.Errorf("%s: no set and method of this report", path)
	}
	return nil
}

// readSummary returns a report of one split. The cell of a method on a set holds its means over all splits. As in the comparisons
// of the report, there is no cell if a split was not ok.
func readSummary(path string) (*Report, error) {
	t, err := readTable(path, "collection", "set", "method", "source", "ok", "over_budget", "not_run", "failed", "fit_seconds",
		"predict_seconds")
	if err != nil {
		return nil, err
	}
	r := &Report{&standings.Record{Settings: standings.Conditions{Splits: 1}}}
	tasks, collections := map[string]string{}, map[string]string{}
	for i := range t.rows {
		c := protocol.Cell{Key: protocol.Key{Set: t.text(i, "set"), Method: t.text(i, "method")}, Source: t.text(i, "source"),
			Status: protocol.StatusOK}
		c.Measures = map[string]float64{}
		collections[c.Set] = t.text(i, "collection")
		for _, m := range methods.Measures {
			if _, there := t.column[m.Name]; !there || t.text(i, m.Name) == "" {
				continue
			}
			if c.Measures[m.Name], err = t.number(i, m.Name); err != nil {
				return nil, err
			}
		}
		if t.text(i, "over_budget") != "0" || t.text(i, "not_run") != "0" || t.text(i, "failed") != "0" || t.text(i, "ok") == "0" {
			c.Status = protocol.StatusFailed
		} else {
			for name, to := range map[string]*float64{"fit_seconds": &c.FitSeconds, "predict_seconds": &c.PredictSeconds} {
				if *to, err = t.number(i, name); err != nil {
					return nil, err
				}
			}
		}
		if _, regression := c.Measures["NMSE"]; regression {
			tasks[c.Set] = methods.RegressionTask
		} else if _, classes := c.Measures["Accuracy"]; classes {
			tasks[c.Set] = methods.ClassificationTask
		}
		r.Cells = append(r.Cells, c)
	}
	for i := range r.Cells { // a method without a finished split has no measures, but the task of its set is known
		c := &r.Cells[i]
		if c.Task = tasks[c.Set]; c.Task != "" && !slices.ContainsFunc(r.Sets,
			func(d protocol.Description) bool { return d.Set == c.Set }) {
			r.Sets = append(r.Sets, protocol.Description{Set: c.Set, Task: c.Task, Collection: collections[c.Set]})
		}
	}
	return r, nil
}
