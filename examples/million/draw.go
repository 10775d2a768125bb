package main

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/kernelearn/kernelearn/examples/internal/picture"
)

// Two colours that remain apart for the colour-blind and in grey.
var (
	blue   = color.NRGBA{R: 0x1b, G: 0x5e, B: 0xa8, A: 0xff}
	orange = color.NRGBA{R: 0xd9, G: 0x6c, B: 0x06, A: 0xff}
)

// drawErrors writes two panels: the errors over rows, and over seconds.
func drawErrors(path string, results []result) error {
	var panels []*plot.Plot
	for _, over := range []struct {
		what string
		of   func(result) float64
	}{
		{"rows learnt from", func(r result) float64 { return float64(r.rows) }},
		{"seconds of learning", func(r result) float64 { return r.seconds }},
	} {
		p, err := panel(results, over.what, over.of)
		if err != nil {
			return err
		}
		panels = append(panels, p)
	}
	return picture.Write(path, panels, 2, 24*vg.Centimeter, 11*vg.Centimeter, 120)
}

func panel(results []result, what string, of func(result) float64) (*plot.Plot, error) {
	p := picture.New("Error on other rows, over "+what, what, "NMSE")
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Scale, axis.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	noise := results[len(results)-1].noise
	first, last := of(results[0]), of(results[len(results)-1])
	for _, curve := range []struct {
		name  string
		color color.Color
		shape draw.GlyphDrawer
		of    func(result) float64
	}{
		{"of targets with noise", orange, draw.PyramidGlyph{}, func(r result) float64 { return r.noisy }},
		{"of targets without noise", blue, draw.CircleGlyph{}, func(r result) float64 { return r.clean }},
	} {
		points := make(plotter.XYs, len(results))
		for i, r := range results {
			points[i] = plotter.XY{X: of(r), Y: curve.of(r)}
		}
		line, marks, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, err
		}
		line.Color, line.Width = curve.color, vg.Points(1.5)
		marks.Color, marks.Shape, marks.Radius = curve.color, curve.shape, vg.Points(3)
		p.Add(line, marks)
		p.Legend.Add(curve.name, line, marks)
	}
	if first < last {
		floor, err := plotter.NewLine(plotter.XYs{{X: first, Y: noise}, {X: last, Y: noise}})
		if err != nil {
			return nil, err
		}
		floor.Width, floor.Dashes = vg.Points(1), []vg.Length{vg.Points(5), vg.Points(3)}
		p.Add(floor)
		p.Legend.Add("the noise alone", floor)
	}
	p.Y.Max = 4 * max(p.Y.Max, noise) // room for the legend
	return p, nil
}
