package main

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/kernelearn/kernelearn/internal/picture"
	"github.com/kernelearn/kernelearn/internal/plotstyle"
)

// drawToys writes figure 3, with a panel for each spread.
func drawToys(path string, toys []toy) error {
	var panels []*plot.Plot
	for _, spread := range toySpreads {
		p := newPlot(fmt.Sprintf("Linear kernel, two Gaussian classes, standard deviation %.2f |d|", spread), "value")
		p.X.Label.Text, p.X.Tick.Marker = "angle between the classes' means, degrees", degrees{}
		legend := &plotstyle.Legend{}
		p.Add(legend)
		for _, curve := range []struct {
			name   string
			value  func(toy) float64
			look   int
			dashed bool
		}{
			{"1-KTA", func(t toy) float64 { return t.kta }, 0, false},
			{"closed form", func(t toy) float64 { return t.exactKTA }, 0, true},
			{"Example 1, no spread", func(t toy) float64 { return t.example }, 4, true},
			{"FSMerr", func(t toy) float64 { return t.fsm }, 1, false},
			{"SVM error", func(t toy) float64 { return t.svmError }, 2, false},
		} {
			var xys plotter.XYs
			for _, t := range toys {
				if t.spread == spread {
					xys = append(xys, plotter.XY{X: float64(t.degrees), Y: curve.value(t)})
				}
			}
			line, dots, err := plotter.NewLinePoints(xys)
			if err != nil {
				return err
			}
			line.Color, line.Width = plotstyle.Colour(curve.look), vg.Points(1.6)
			if curve.dashed {
				line.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
				p.Add(line)
				legend.Add(curve.name, line)
				continue
			}
			dots.GlyphStyle = plotstyle.Mark(curve.look)
			p.Add(line, dots)
			legend.Add(curve.name, line, dots)
		}
		paper, err := toyPaperPoints()
		if err != nil {
			return err
		}
		p.Add(paper)
		legend.Add("1-KTA in the paper's text", paper)
		panels = append(panels, p)
	}
	return picture.Write(path, nil, panels, 1, 4*vg.Inch)
}

// toyPaperPoints returns points with the values that the paper states.
func toyPaperPoints() (*plotter.Scatter, error) {
	var xys plotter.XYs
	for at := 30; at <= 180; at++ {
		if v, ok := toyPaper[at]; ok {
			xys = append(xys, plotter.XY{X: float64(at), Y: v})
		}
	}
	s, err := plotter.NewScatter(xys)
	if err != nil {
		return nil, err
	}
	s.Shape, s.Color, s.Radius = draw.CrossGlyph{}, plotstyle.Black, vg.Points(5)
	return s, nil
}

// degrees places axis marks at every 30 degrees.
type degrees struct{}

func (degrees) Ticks(low, high float64) (out []plot.Tick) {
	for at := 30.0; at <= 180; at += 30 {
		if at >= low && at <= high {
			out = append(out, plot.Tick{Value: at, Label: fmt.Sprintf("%.0f", at)})
		}
	}
	return out
}

// drawBars writes figure 4, with a panel for each set.
func drawBars(path string, all []judged) error {
	const width = 2.6 * vg.Millimeter
	legend := &plotstyle.Legend{}
	var panels []*plot.Plot
	for i, j := range all {
		p := newPlot(j.name(), "")
		p.NominalX(kernelNames...)
		for column, colour := range []color.Color{plotstyle.Sky, plotstyle.Blue, plotstyle.Orange, plotstyle.Dark} {
			var values plotter.Values
			for _, r := range j.rows {
				values = append(values, r.values[column])
			}
			bars, err := plotter.NewBarChart(values, width)
			if err != nil {
				return err
			}
			bars.Color, bars.LineStyle.Width = colour, 0
			bars.Offset = width * vg.Length(float64(column)-1.5)
			p.Add(bars)
			if i == 0 {
				legend.Add(columnNames[column], bars)
			}
		}
		p.Y.Min, p.Y.Max = 0, 1.05
		panels = append(panels, p)
	}
	return picture.Write(path, legend, panels, min(3, len(panels)), 2*vg.Inch)
}

func newPlot(title, y string) *plot.Plot {
	p := plotstyle.New(title, "", y)
	p.Y.Min, p.Y.Max = 0, 1
	return p
}
