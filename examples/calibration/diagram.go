package main

import (
	"context"
	"fmt"
	"image/color"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/kernelearn/kernelearn/examples/internal/picture"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

const (
	side = 8 * vg.Centimeter
	dpi  = 120
)

// shown are the ways of the picture, with colours that remain apart for the colour-blind and in grey.
var shown = map[int]color.NRGBA{0: {R: 0x99, G: 0x99, B: 0x99, A: 0xff}, 2: {R: 0x1b, G: 0x5e, B: 0xa8, A: 0xff}, 3: {R: 0xd9, G: 0x6c, B: 0x06, A: 0xff}}

// diagram draws how often the second class is right against its probability, a panel for each classifier.
func diagram(ctx context.Context, path string, s set, seed uint64) error {
	var panels []*plot.Plot
	for _, learner := range learners {
		p := picture.New(learner.name, "probability of a class", "how often it is right")
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
		p.Legend.Top, p.Legend.Left = true, true
		diagonal, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}})
		if err != nil {
			return err
		}
		diagonal.Dashes = []vg.Length{vg.Millimeter, vg.Millimeter}
		p.Add(diagonal)
		for w, way := range ways {
			colour, ok := shown[w]
			if !ok || !has(w, learner.make()) {
				continue
			}
			proba, classes, truth, err := predicted(ctx, s, wrap(w, learner.make(), seed), seed)
			if err != nil {
				return err
			}
			bins, err := metrics.Calibration(truth, classes[1], mat.Col(nil, 1, proba), 10, metrics.EqualCount)
			if err != nil {
				return err
			}
			points := make(plotter.XYs, len(bins))
			for i, b := range bins {
				points[i].X, points[i].Y = b.Mean, b.Frequency
			}
			line, dots, err := plotter.NewLinePoints(points)
			if err != nil {
				return err
			}
			line.Color, line.Width, dots.Color, dots.Shape = colour, vg.Points(1.5), colour, draw.CircleGlyph{}
			p.Add(line, dots)
			p.Legend.Add(fmt.Sprintf("%s, off by %.3f", way, metrics.CalibrationError(bins)), line, dots)
		}
		panels = append(panels, p)
	}
	return picture.Write(path, panels, 3, 3*side, 2*side, dpi)
}
