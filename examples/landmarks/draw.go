package main

import (
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/kernelearn/kernelearn/examples/internal/picture"
)

// Colours that remain apart for the colour-blind and, with the marks, in grey.
var looks = map[string]struct {
	colour color.Color
	mark   draw.GlyphDrawer
}{
	"selection":     {color.NRGBA{R: 0x1b, G: 0x5e, B: 0xa8, A: 0xff}, draw.CircleGlyph{}},
	"falkon":        {color.NRGBA{R: 0x5f, G: 0xa5, B: 0xd9, A: 0xff}, draw.SquareGlyph{}},
	"falkon-median": {color.NRGBA{R: 0x88, G: 0x88, B: 0x88, A: 0xff}, draw.RingGlyph{}},
	"boosting":      {color.NRGBA{R: 0xd9, G: 0x6c, B: 0x06, A: 0xff}, draw.PyramidGlyph{}},
	"boosting500":   {color.NRGBA{R: 0xf0, G: 0xa8, B: 0x50, A: 0xff}, draw.CrossGlyph{}},
}

const (
	panelWidth  = 9.5 * vg.Centimeter
	panelHeight = 8 * vg.Centimeter
	dpi         = 120
)

// drawCurves writes a panel for each set: errors over rows, on logarithmic axes.
func drawCurves(path string, all []setCurves) error {
	var panels []*plot.Plot
	for i, c := range all {
		p, err := c.panel(i == 0)
		if err != nil {
			return err
		}
		panels = append(panels, p)
	}
	columns := min(3, len(panels))
	rows := (len(panels) + columns - 1) / columns
	return picture.Write(path, panels, columns, vg.Length(columns)*panelWidth, vg.Length(rows)*panelHeight, dpi)
}

func (c setCurves) panel(legend bool) (*plot.Plot, error) {
	p := picture.New(c.set, "training rows", c.what)
	p.Title.TextStyle.Font.Size = font.Points(11)
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	p.Y.Scale = plot.LogScale{}
	least, most := math.Inf(1), 0.
	for _, l := range c.curves {
		points := make(plotter.XYs, len(l.points))
		for i, q := range l.points {
			points[i] = plotter.XY{X: float64(q.rows), Y: max(q.error, 1e-6)} // no error at all has no logarithm
			least, most = min(least, points[i].Y), max(most, points[i].Y)
		}
		line, marks, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, err
		}
		look := looks[l.learner]
		line.Color, line.Width = look.colour, vg.Points(1.5)
		marks.Color, marks.Shape, marks.Radius = look.colour, look.mark, vg.Points(3)
		p.Add(line, marks)
		if legend {
			p.Legend.Add(l.learner, line, marks)
		}
	}
	p.Y.Tick.Marker = plot.TickerFunc(func(low, high float64) []plot.Tick {
		var out []plot.Tick
		for i := range 6 { // a decade has none or one of its own
			v := low * math.Pow(high/low, float64(i)/5)
			out = append(out, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 2, 64)})
		}
		return out
	})
	p.Y.Min, p.Y.Max = least/1.1, most*1.1
	if legend {
		p.Y.Max *= 1.5
	}
	return p, nil
}
