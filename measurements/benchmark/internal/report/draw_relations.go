package report

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/kernelearn/kernelearn/internal/picture"
	"github.com/kernelearn/kernelearn/internal/plotstyle"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/standings"
)

const relationsPicture = "relations.png"

// outcomes lists the parts of a bar from left to right.
var outcomes = []struct {
	name   string
	colour color.Color
	of     func(standings.Relation) int
}{
	{"better", plotstyle.Blue, func(o standings.Relation) int { return len(o.Better) }},
	{"the peer is over budget", plotstyle.Sky, func(o standings.Relation) int { return len(o.OnlyOurs) }},
	{"tied", color.NRGBA{R: 0xc8, G: 0xc8, B: 0xc8, A: 0xff}, func(o standings.Relation) int { return len(o.Ties) }},
	{"worse", plotstyle.Vermillion, func(o standings.Relation) int { return len(o.Worse) + len(o.OnlyTheirs) }},
}

// drawn reports whether a comparison has a panel. It needs a criterion that selection optimises, and some peers.
func drawn(a standings.Analysis) bool { return len(a.OfZero()) > 1 && a.Measure != "GMean" }

// drawRelations draws a panel for each comparison, with a bar for each peer. The panels of the collections are side by side.
func (r *Report) drawRelations(path string) error {
	collections := r.Collections()
	var shown []standings.Analysis
	rows := 0
	for _, c := range standings.Criteria {
		for _, collection := range collections {
			c.Collection = collection
			if i := slices.IndexFunc(r.Analyses, func(a standings.Analysis) bool { return a.Is(c) && drawn(a) }); i >= 0 {
				shown = append(shown, r.Analyses[i])
				rows = max(rows, len(r.Analyses[i].OfZero()))
			}
		}
	}
	if len(shown) == 0 {
		return nil
	}
	var panels []*plot.Plot
	for _, a := range shown {
		p, err := relationsPanel(a, rows)
		if err != nil {
			return err
		}
		panels = append(panels, p)
	}
	legend := &plotstyle.Legend{}
	for _, o := range outcomes {
		legend.Add(o.name, &plotter.BarChart{Color: o.colour})
	}
	columns := min(2, len(panels))
	return picture.Write(path, legend, panels, columns, vg.Length(rows)*0.21*vg.Inch+0.55*vg.Inch)
}

// relationsPanel draws a panel with space for the given number of rows, so that bars have the same height in all panels.
func relationsPanel(a standings.Analysis, rows int) (*plot.Plot, error) {
	all := slices.Clone(a.OfZero())
	slices.Reverse(all) // from the bottom up
	p := plotstyle.New(a.Title(), "", "")
	names := make([]string, len(all))
	left := make([]float64, len(all))
	var below *plotter.BarChart
	for _, o := range outcomes {
		values, counts := make(plotter.Values, len(all)), plotter.XYLabels{}
		for i, one := range all {
			names[i] = one.Peer
			values[i] = float64(o.of(one))
			if values[i] > 0 {
				counts.XYs = append(counts.XYs, plotter.XY{X: left[i] + values[i]/2, Y: float64(i)})
				counts.Labels = append(counts.Labels, fmt.Sprint(o.of(one)))
			}
			left[i] += values[i]
		}
		bars, err := plotter.NewBarChart(values, 0.16*vg.Inch)
		if err != nil {
			return nil, err
		}
		bars.Horizontal, bars.Color, bars.LineStyle.Width = true, o.colour, 0
		if below != nil {
			bars.StackOn(below)
		}
		p.Add(bars)
		below = bars
		if len(counts.Labels) == 0 {
			continue
		}
		numbers, err := plotter.NewLabels(counts)
		if err != nil {
			return nil, err
		}
		for i := range numbers.TextStyle {
			numbers.TextStyle[i].Font = plotstyle.Font(9)
			numbers.TextStyle[i].XAlign, numbers.TextStyle[i].YAlign = draw.XCenter, -0.38
			if o.colour == color.Color(plotstyle.Blue) {
				numbers.TextStyle[i].Color = color.White
			}
		}
		p.Add(numbers)
	}
	p.NominalY(names...)
	p.X.Padding, p.X.Min, p.X.Max = 0, 0, slices.Max(left)
	p.Y.Min, p.Y.Max = float64(len(all)-rows)-0.6, float64(len(all))-0.4
	p.HideX()
	return p, nil
}
