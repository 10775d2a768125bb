package main

import (
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/kernelearn/kernelearn/examples/internal/picture"
)

// Two colours that remain apart for the colour-blind and in grey.
var looks = map[string]struct {
	colour color.Color
	mark   draw.GlyphDrawer
	shift  float64 // along the decades, so that bars do not cover each other
}{
	byEntropy: {color.NRGBA{R: 0x1b, G: 0x5e, B: 0xa8, A: 0xff}, draw.CircleGlyph{}, -0.008},
	byGrid:    {color.NRGBA{R: 0xd9, G: 0x6c, B: 0x06, A: 0xff}, draw.PyramidGlyph{}, 0.008},
}

const (
	panelWidth  = 11 * vg.Centimeter
	panelHeight = 8.5 * vg.Centimeter
	dpi         = 120
)

// drawCurves writes a panel for each set: errors over rows, with bars of a standard error, the
// learner on features dashed.
func drawCurves(path string, curves []curve) error {
	var panels []*plot.Plot
	for i, c := range curves {
		p, err := c.panel(i == 0)
		if err != nil {
			return err
		}
		panels = append(panels, p)
	}
	columns := min(2, len(panels))
	rows := (len(panels) + columns - 1) / columns
	return picture.Write(path, panels, columns, vg.Length(columns)*panelWidth, vg.Length(rows)*panelHeight, dpi)
}

// bars are points with their standard errors.
type bars struct {
	plotter.XYs
	plotter.YErrors
}

func (c curve) panel(legend bool) (*plot.Plot, error) {
	p := picture.New(c.set, "training rows", c.what)
	p.Title.TextStyle.Font.Size = font.Points(11)
	p.Y.Label.Padding = 2 * vg.Millimeter // or the label meets those of its ticks
	var ticks plot.ConstantTicks
	var learners []string
	for _, q := range c.points {
		tick := plot.Tick{Value: math.Log10(float64(q.rows)), Label: strconv.Itoa(q.rows)}
		if !slices.Contains(ticks, tick) {
			ticks = append(ticks, tick)
		}
		learners = append(learners, q.learner)
	}
	learners = slices.Compact(learners)
	p.X.Tick.Marker = ticks
	for _, search := range searches {
		for _, learner := range learners {
			line, points, err := c.line(search, learner)
			if err != nil {
				return nil, err
			}
			p.Add(line...)
			if legend {
				p.Legend.Add(search+", "+learner, points...)
			}
		}
	}
	height := p.Y.Max - p.Y.Min
	p.X.Min, p.X.Max = p.X.Min-0.05, p.X.Max+0.05
	p.Y.Min, p.Y.Max = p.Y.Min-0.04*height, p.Y.Max+0.04*height
	if legend {
		p.Y.Max += 0.3 * height
	}
	return p, nil
}

// line is a search's with a learner, and what stands for it in the legend.
func (c curve) line(search, learner string) ([]plot.Plotter, []plot.Thumbnailer, error) {
	look := looks[search]
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
		b.XYs = append(b.XYs, plotter.XY{X: math.Log10(float64(q.rows)) + look.shift, Y: m.value})
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
	line.Color, line.Width = look.colour, vg.Points(1.3)
	if learner != exactName {
		line.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
	}
	marks.Color, marks.Shape, marks.Radius = look.colour, look.mark, vg.Points(2.5)
	errors.Color, errors.CapWidth = look.colour, vg.Points(4)
	return []plot.Plotter{line, errors, marks}, []plot.Thumbnailer{line, marks}, nil
}
