package main

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/kernelearn/kernelearn/internal/picture"
	"github.com/kernelearn/kernelearn/internal/plotstyle"
)

// styles holds a colour and a shift for each search.
var styles = map[string]struct {
	curve int
	shift float64 // shift on the logarithmic axis, so that bars do not overlap
}{byEntropy: {0, -0.008}, byGrid: {1, 0.008}}

const panelHeight = 2.6 * vg.Inch

// drawCurves draws a panel for each set: errors against rows, with bars of one standard error. The lines of the learner on features
// are dashed.
func drawCurves(path string, curves []curve) error {
	var panels []*plot.Plot
	legend := &plotstyle.Legend{}
	for i, c := range curves {
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
	return picture.Write(path, legend, panels, min(2, len(panels)), panelHeight)
}

// bars holds points with their standard errors.
type bars struct {
	plotter.XYs
	plotter.YErrors
}

// panel draws one set. If legend is not nil, it adds the curves to it.
func (c curve) panel(legend *plotstyle.Legend) (*plot.Plot, error) {
	p := plotstyle.New(c.set, "training rows", c.what)
	var rows []float64
	var learners []string
	for _, q := range c.points {
		rows = append(rows, float64(q.rows))
		learners = append(learners, q.learner)
	}
	learners = slices.Compact(learners)
	slices.Sort(rows)
	p.X.Tick.Marker = plotstyle.LabelTicks(slices.Compact(rows), 0.15)
	for _, search := range searches {
		for _, learner := range learners {
			line, points, err := c.line(search, learner)
			if err != nil {
				return nil, err
			}
			p.Add(line...)
			if legend != nil {
				legend.Add(search+", "+learner, points...)
			}
		}
	}
	height := p.Y.Max - p.Y.Min
	p.X.Min, p.X.Max = p.X.Min-0.05, p.X.Max+0.05
	p.Y.Min, p.Y.Max = max(p.Y.Min-0.04*height, 0), p.Y.Max+0.04*height
	return p, nil
}

// line returns the line of a search with a learner, and its entry for the legend.
func (c curve) line(search, learner string) ([]plot.Plotter, []plot.Thumbnailer, error) {
	style := styles[search]
	var b bars
	for _, q := range c.points {
		if q.learner != learner {
			continue
		}
		m := meanOf(q.entropy)
		if search == byGrid {
			m = meanOf(q.grid)
		}
		if math.IsNaN(m.error) {
			m.error = 0
		}
		b.XYs = append(b.XYs, plotter.XY{X: math.Log10(float64(q.rows)) + style.shift, Y: m.value})
		b.YErrors = append(b.YErrors, struct{ Low, High float64 }{m.error, m.error})
	}
	line, marks, err := plotter.NewLinePoints(b.XYs)
	if err != nil {
		return nil, nil, err
	}
	errors, err := plotter.NewYErrorBars(b)
	if err != nil {
		return nil, nil, err
	}
	line.Color, line.Width = plotstyle.Colour(style.curve), vg.Points(1.6)
	if learner != exactName {
		line.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
	}
	marks.GlyphStyle = plotstyle.Mark(style.curve)
	errors.Color, errors.CapWidth = line.Color, vg.Points(4)
	return []plot.Plotter{line, errors, marks}, []plot.Thumbnailer{line, marks}, nil
}
