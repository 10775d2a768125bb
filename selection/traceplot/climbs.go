package traceplot

import (
	"errors"
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"github.com/kernelearn/kernelearn/internal/numeral"
	"github.com/kernelearn/kernelearn/internal/plotstyle"
	"github.com/kernelearn/kernelearn/selection/search"
)

// climbs draws the objective of a shape.Search at each evaluation on the final number of rows, with one curve for each scaling of
// the columns.
func climbs(r *search.Result) (*plot.Plot, error) {
	p, legend := newPanel(r, fmt.Sprintf("%s (more is better)", r.ScoreName), "score")
	p.X.Tick.Marker = plotstyle.Round{}
	p.X.Label.Text = "evaluation, each a kernel matrix with all derivatives"
	var all []float64
	var chosen plotter.XYs
	learnt := []*search.Result{r}
	for _, o := range r.Others {
		if o.Values != nil && o.ScoreName == r.ScoreName {
			learnt = append(learnt, o)
		}
	}
	for i, of := range learnt {
		var xys plotter.XYs
		rows := climbOf(of)
		for k, row := range rows {
			if !finite(row.Score) {
				continue
			}
			xys = append(xys, plotter.XY{X: float64(k + 1), Y: row.Score})
			all = append(all, row.Score)
			if of == r && row.Chosen {
				chosen = plotter.XYs{xys[len(xys)-1]}
			}
		}
		if len(xys) == 0 {
			continue
		}
		if err := addCurve(p, legend, curve{name: of.Columns}, xys, i, len(learnt)); err != nil {
			return nil, err
		}
	}
	if len(all) == 0 {
		return nil, errors.New("traceplot: no row of the climb has a score")
	}
	focus(p, r, all)
	name := "chosen"
	if r.Columns != "" {
		name += ": " + r.Columns
	}
	return p, addChoice(p, legend, numeral.Rounded(name), chosen)
}

// climbOf returns the trace rows with a gradient that have the same ScoredOn and the same number of lengths as the chosen row.
func climbOf(r *search.Result) (out []search.TraceRow) {
	var last search.TraceRow
	for _, row := range r.Trace {
		if row.Chosen {
			last = row
		}
	}
	for _, row := range r.Trace {
		if row.ScoredOn == last.ScoredOn && len(row.Theta) == len(last.Theta) && len(row.Gradient) > 0 {
			out = append(out, row)
		}
	}
	return out
}
