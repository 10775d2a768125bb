package main

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/kernelearn/kernelearn/examples/internal/picture"
)

// Colours that remain apart for the colour-blind and in grey.
var (
	blue   = color.NRGBA{R: 0x1b, G: 0x5e, B: 0xa8, A: 0xff}
	sky    = color.NRGBA{R: 0x8f, G: 0xc1, B: 0xe8, A: 0xff}
	orange = color.NRGBA{R: 0xd9, G: 0x6c, B: 0x06, A: 0xff}
	dark   = color.Gray{Y: 0x30}
)

// drawToys writes figure 3, a panel for each spread.
func drawToys(path string, toys []toy) error {
	var panels []*plot.Plot
	for _, spread := range toySpreads {
		p := newPlot(fmt.Sprintf("Linear kernel, two Gaussian classes, standard deviation %.2f |d|", spread))
		p.X.Label.Text, p.X.Tick.Marker = "angle between the classes' means, degrees", degrees{}
		for _, curve := range []struct {
			name   string
			value  func(toy) float64
			colour color.Color
			dashed bool
		}{
			{"1-KTA", func(t toy) float64 { return t.kta }, blue, false},
			{"closed form", func(t toy) float64 { return t.exactKTA }, blue, true},
			{"Example 1, no spread", func(t toy) float64 { return t.example }, sky, true},
			{"FSMerr", func(t toy) float64 { return t.fsm }, orange, false},
			{"SVM error", func(t toy) float64 { return t.svmError }, dark, false},
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
			line.Color, line.Width = curve.colour, vg.Points(1.5)
			if curve.dashed {
				line.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
				p.Add(line)
				p.Legend.Add(curve.name, line)
				continue
			}
			dots.Color, dots.Shape, dots.Radius = curve.colour, draw.CircleGlyph{}, vg.Points(2)
			p.Add(line, dots)
			p.Legend.Add(curve.name, line, dots)
		}
		paper, err := toyPaperPoints()
		if err != nil {
			return err
		}
		p.Add(paper)
		p.Legend.Add("1-KTA in the paper's text", paper)
		p.Legend.Top = true
		panels = append(panels, p)
	}
	return picture.Write(path, panels, 1, 18*vg.Centimeter, 22*vg.Centimeter, 0)
}

// toyPaperPoints are the values that the paper states.
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
	s.Shape, s.Color, s.Radius = draw.CrossGlyph{}, color.Black, vg.Points(5)
	return s, nil
}

// degrees marks every 30 of them.
type degrees struct{}

func (degrees) Ticks(low, high float64) (out []plot.Tick) {
	for at := 30.0; at <= 180; at += 30 {
		if at >= low && at <= high {
			out = append(out, plot.Tick{Value: at, Label: fmt.Sprintf("%.0f", at)})
		}
	}
	return out
}

// tallest is the largest value of a problem.
func (j judged) tallest() float64 {
	high := 0.0
	for _, r := range j.rows {
		high = max(high, slices.Max(r.values[:]))
	}
	return high
}

// drawBars writes figure 4, a panel for each set, the legend where the bars are lowest.
func drawBars(path string, all []judged) error {
	const width = 3 * vg.Millimeter
	lowest := slices.MinFunc(all, func(a, b judged) int { return cmp.Compare(a.tallest(), b.tallest()) })
	var panels []*plot.Plot
	for _, j := range all {
		p := newPlot(j.name())
		p.NominalX(kernelNames...)
		for column, colour := range []color.Color{sky, blue, orange, dark} {
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
			if j.set == lowest.set {
				p.Legend.Add(columnNames[column], bars)
			}
		}
		p.Legend.Top, p.Y.Max = true, 1.05
		if j.set == lowest.set {
			p.Y.Max = max(p.Y.Max, j.tallest()+0.45) // room for the legend
		}
		panels = append(panels, p)
	}
	columns := min(3, len(panels))
	rows := (len(panels) + columns - 1) / columns
	return picture.Write(path, panels, columns, vg.Length(columns)*8.5*vg.Centimeter, vg.Length(rows)*7*vg.Centimeter, 0)
}

func newPlot(title string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Y.Min, p.Y.Max = 0, 1
	p.Legend.Padding = vg.Millimeter
	p.Legend.TextStyle.Font.Size = font.Points(9)
	p.Add(plotter.NewGrid())
	return p
}
