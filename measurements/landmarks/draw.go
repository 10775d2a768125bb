package main

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/kernelearn/kernelearn/internal/picture"
	"github.com/kernelearn/kernelearn/internal/plotstyle"
)

// styles holds the index of the colour and mark of each learner.
var styles = map[string]int{"selection": 0, "boosting": 1, "falkon": 2, "boosting500": 3, "falkon-median": 4}

const panelHeight = 2.4 * vg.Inch

// drawCurves draws a panel for each set: errors against rows, on logarithmic axes.
func drawCurves(path string, all []setCurves) error {
	var panels []*plot.Plot
	legend := &plotstyle.Legend{}
	for i, c := range all {
		of := legend
		if i > 0 {
			of = nil
		}
		p, err := c.panel(of)
		if err != nil {
			return err
		}
		panels = append(panels, p)
	}
	columns := min(3, len(panels))
	for i, p := range panels {
		if i+columns < len(panels) {
			p.X.Label.Text = ""
		}
	}
	return picture.Write(path, legend, panels, columns, panelHeight)
}

// leastShown replaces an error of 0, which has no logarithm.
const leastShown = 1e-6

// panel draws one set. If legend is not nil, it adds the curves to it.
func (c setCurves) panel(legend *plotstyle.Legend) (*plot.Plot, error) {
	p := plotstyle.New(c.set, "training rows", c.what)
	p.X.Tick.Marker, p.Y.Tick.Marker = plotstyle.Logs{Most: 3}, plotstyle.Logs{Most: 6}
	for _, l := range c.curves {
		points := make(plotter.XYs, len(l.points))
		for i, q := range l.points {
			points[i] = plotter.XY{X: math.Log10(float64(q.rows)), Y: math.Log10(max(q.error, leastShown))}
		}
		if err := plotstyle.AddCurve(p, legend, styles[l.learner], l.learner, points); err != nil {
			return nil, err
		}
	}
	p.Y.Min, p.Y.Max = p.Y.Min-0.03, p.Y.Max+0.03
	return p, nil
}
