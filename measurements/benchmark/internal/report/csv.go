package report

import (
	"encoding/csv"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/kernelearn/kernelearn/internal/atomicfile"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/protocol"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/standings"
)

// writeTables writes sets.csv, cells.csv and summary.csv. If there are comparisons, it also writes ranks.csv, pairs.csv and
// relations.csv, fronts.csv with the front of each set, and front.csv with that of all sets. Unknown values are empty.
func (r *Report) writeTables(folder string) error {
	tables := map[string][][]string{"sets.csv": r.setTable(), "cells.csv": r.cellTable(), "summary.csv": r.summaryTable()}
	if r.Analyses != nil {
		tables["ranks.csv"], tables["pairs.csv"], tables["fronts.csv"] = r.rankTable(), r.pairTable(), r.frontTable()
		tables["front.csv"], tables["relations.csv"] = r.overviewTable(), r.relationTable()
	}
	if r.Growth != nil {
		tables["growth.csv"] = r.growthTable()
	}
	for name, rows := range tables {
		err := atomicfile.Write(filepath.Join(folder, name), func(w io.Writer) error {
			return csv.NewWriter(w).WriteAll(rows)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func optional(v *float64) string {
	if v == nil {
		return ""
	}
	return number(*v)
}

func (r *Report) setTable() [][]string {
	out := [][]string{{"collection", "set", "task", "rows", "features", "classes", "training_rows", "training_rows_available", "test_rows"}}
	for _, d := range r.Sets {
		classes := ""
		if d.Classes != nil {
			classes = strconv.Itoa(len(d.Classes))
		}
		out = append(out, []string{
			d.Collection, d.Set, d.Task, strconv.Itoa(d.Rows), strconv.Itoa(d.Features), classes,
			strconv.Itoa(d.TrainRows), strconv.Itoa(d.Available), strconv.Itoa(d.TestRows),
		})
	}
	return out
}

func (r *Report) cellTable() [][]string {
	head := []string{"collection", "set", "task", "method", "source", "split", "status", "training_rows", "test_rows"}
	for _, m := range methods.Measures {
		head = append(head, m.Name)
	}
	out := [][]string{append(head, "fit_seconds", "predict_seconds", "predict_seconds_per_1000", "memory_before_bytes", "memory_peak_bytes",
		"model_bytes", "error")}
	collections := r.collectionsOfSets()
	for _, c := range r.Cells {
		row := []string{collections[c.Set], c.Set, c.Task, c.Method, c.Source, strconv.Itoa(c.Split), c.Status, strconv.Itoa(c.TrainRows),
			strconv.Itoa(c.TestRows)}
		for _, m := range methods.Measures {
			row = append(row, measured(c.Measures, m.Name))
		}
		fit, predict, thousand := "", "", ""
		if c.Status == protocol.StatusOK {
			fit, predict, thousand = number(c.FitSeconds), number(c.PredictSeconds), number(1000*c.PredictSeconds/float64(c.TestRows))
		}
		out = append(out, append(row, fit, predict, thousand, optional(standings.Float(c.BeforeBytes)),
			optional(standings.Float(c.PeakBytes)),
			optional(standings.Float(c.ModelBytes)), c.Error))
	}
	return out
}

func (r *Report) collectionsOfSets() map[string]string {
	out := map[string]string{}
	for _, d := range r.Sets {
		out[d.Set] = d.Collection
	}
	return out
}

func measured(of map[string]float64, name string) string {
	v, there := of[name]
	if !there {
		return ""
	}
	return number(v)
}

func (r *Report) summaryTable() [][]string {
	head := []string{"collection", "set", "method", "source", "ok", "over_budget", "not_run", "failed"}
	for _, m := range methods.Measures {
		head = append(head, m.Name, m.Name+"_sd")
	}
	out := [][]string{append(head, "fit_seconds", "predict_seconds", "memory_before_bytes", "memory_peak_bytes", "model_bytes")}
	collections := r.collectionsOfSets()
	for _, s := range r.Summary {
		row := []string{collections[s.Set], s.Set, s.Method, methods.SourceOf(s.Method), strconv.Itoa(s.OK), strconv.Itoa(s.OverBudget),
			strconv.Itoa(s.NotRun), strconv.Itoa(s.Failed)}
		for _, m := range methods.Measures {
			mean, sd := "", ""
			if v, there := s.Measures[m.Name]; there {
				mean, sd = rounded(&v.Mean), rounded(v.SD)
			}
			row = append(row, mean, sd)
		}
		out = append(out, append(row, rounded(s.FitSeconds), rounded(s.PredictSeconds), rounded(s.BeforeBytes), rounded(s.PeakBytes),
			rounded(s.ModelBytes)))
	}
	return out
}

// rounded returns six digits of a value, for the summary from which pictures are redrawn. cells.csv contains all digits.
func rounded(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', 6, 64)
}

func (r *Report) rankTable() [][]string {
	out := [][]string{{"collection", "criterion", "task", "method", "source", "mean_rank", "complete_sets", "sets"}}
	for _, a := range r.Analyses {
		for _, m := range a.Methods {
			out = append(out, []string{a.Collection, a.Name, a.Task, m.Method, m.Source, number(m.MeanRank), strconv.Itoa(m.Complete),
				strconv.Itoa(len(a.Sets))})
		}
	}
	return out
}

func (r *Report) pairTable() [][]string {
	out := [][]string{{"collection", "criterion", "task", "a", "b", "wins", "draws", "losses"}}
	for _, a := range r.Analyses {
		for _, p := range a.Pairs {
			out = append(out, []string{a.Collection, a.Name, a.Task, p.A, p.B, strconv.Itoa(p.Wins), strconv.Itoa(p.Draws),
				strconv.Itoa(p.Losses)})
		}
	}
	return out
}

func (r *Report) frontTable() [][]string {
	out := [][]string{{"collection", "criterion", "task", "set", "method", "source", "seconds", "error", "on_front",
		"standard_errors_behind"}}
	for _, f := range r.Fronts {
		for _, p := range f.Points {
			out = append(out, []string{f.Collection, f.Name, f.Task, f.Set, p.Method, p.Source, number(p.Seconds), number(p.Error),
				strconv.FormatBool(p.OnFront), optional(p.Behind)})
		}
	}
	return out
}

func (r *Report) growthTable() [][]string {
	out := [][]string{{"method", "source", "most_rows", "nmse", "fit_exponent", "fit_exponent_se", "predict_exponent",
		"predict_exponent_se"}}
	for _, g := range r.Growth {
		row := []string{g.Method, g.Source, strconv.Itoa(g.Most), ""}
		if g.Most > 0 {
			row[3] = number(g.Error)
		}
		for _, e := range []*standings.Exponent{g.Fit, g.Predict} {
			if e == nil {
				row = append(row, "", "")
			} else {
				row = append(row, number(e.Value), number(e.StandardError))
			}
		}
		out = append(out, row)
	}
	return out
}

func (r *Report) overviewTable() [][]string {
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

func (r *Report) relationTable() [][]string {
	out := [][]string{{"collection", "criterion", "task", "ours", "peer", "better", "ties", "worse", "only_ours_complete",
		"only_theirs_complete", "better_on", "worse_on"}}
	for _, a := range r.Analyses {
		for _, one := range a.Relations {
			row := []string{a.Collection, a.Name, a.Task, one.Ours, one.Peer}
			for _, sets := range [][]string{one.Better, one.Ties, one.Worse, one.OnlyOurs, one.OnlyTheirs} {
				row = append(row, strconv.Itoa(len(sets)))
			}
			out = append(out, append(row, strings.Join(one.Better, " "), strings.Join(one.Worse, " ")))
		}
	}
	return out
}
