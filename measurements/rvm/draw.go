package main

import (
	"fmt"
	"image/color"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/internal/picture"
	"github.com/kernelearn/kernelearn/internal/plotstyle"
)

// drawCurves draws a panel for each regression.
func drawCurves(path string, curves []curve) error {
	var panels []*plot.Plot
	for _, c := range curves {
		p, err := c.panel()
		if err != nil {
			return err
		}
		panels = append(panels, p)
	}
	return picture.Write(path, nil, panels, 1, 3.8*vg.Inch)
}

func (c curve) panel() (*plot.Plot, error) {
	const steps = 600
	n, _ := c.x.Dims()
	from, to := c.x.At(0, 0), c.x.At(n-1, 0)
	at := mat.NewDense(steps, 1, nil)
	for i := range steps {
		at.Set(i, 0, from+(to+c.beyond-from)*float64(i)/(steps-1))
	}
	mean, err := c.model.Predict(at)
	if err != nil {
		return nil, err
	}
	low, high, err := c.model.PredictInterval(at, 0.95)
	if err != nil {
		return nil, err
	}
	line, edge := make(plotter.XYs, steps), make(plotter.XYs, 2*steps)
	for i := range steps {
		x := at.At(i, 0)
		line[i] = plotter.XY{X: x, Y: mean[i]}
		edge[i] = plotter.XY{X: x, Y: low[i]}
		edge[2*steps-1-i] = plotter.XY{X: x, Y: high[i]}
	}
	p := plotstyle.New(c.title, c.xLabel, c.yLabel)
	legend := &plotstyle.Legend{}
	p.Add(legend)
	area, err := plotter.NewPolygon(edge)
	if err != nil {
		return nil, err
	}
	area.Color, area.LineStyle.Width = plotstyle.Pale(plotstyle.Blue), 0
	curve, err := plotter.NewLine(line)
	if err != nil {
		return nil, err
	}
	curve.LineStyle = plotstyle.Line(0)
	rows := make(plotter.XYs, n)
	for i := range rows {
		rows[i] = plotter.XY{X: c.x.At(i, 0), Y: c.y[i]}
	}
	dots, err := points(rows, draw.CircleGlyph{}, plotstyle.Dark, 1.6)
	if err != nil {
		return nil, err
	}
	var chosen plotter.XYs
	for _, i := range c.model.RelevanceIndices() {
		chosen = append(chosen, rows[i])
	}
	p.Add(area, curve, dots)
	legend.Add("mean", curve)
	legend.Add("95% of new observations", area)
	legend.Add("rows", dots)
	if len(chosen) > 0 {
		rings, err := points(chosen, draw.RingGlyph{}, plotstyle.Vermillion, 4.5)
		if err != nil {
			return nil, err
		}
		p.Add(rings)
		legend.Add("relevance vectors", rings)
	}
	return p, nil
}

// probability holds the probabilities of the second class on a grid, for contours.
type probability struct {
	x, y []float64
	p    *mat.Dense
}

func (g probability) Dims() (c, r int)   { return len(g.x), len(g.y) }
func (g probability) Z(c, r int) float64 { return g.p.At(r*len(g.x)+c, 1) }
func (g probability) X(c int) float64    { return g.x[c] }
func (g probability) Y(r int) float64    { return g.y[r] }

// drawClasses draws rows, relevance vectors and contours of the probability.
func drawClasses(path string, model *rvm.Classifier, x *mat.Dense, y []int) error {
	const steps = 160
	g := probability{}
	at := mat.NewDense(steps*steps, 2, nil)
	for i := range steps {
		t := float64(i) / (steps - 1)
		g.x, g.y = append(g.x, -1.3+2.3*t), append(g.y, -0.3+1.6*t)
	}
	for i := range steps * steps {
		at.SetRow(i, []float64{g.x[i%steps], g.y[i/steps]})
	}
	var err error
	if g.p, err = model.PredictProba(at); err != nil {
		return err
	}
	p := plotstyle.New("Two classes of two clusters each: the probability of class 1", "x₁", "x₂")
	legend := &plotstyle.Legend{}
	p.Add(legend)
	for _, level := range []struct {
		at     float64
		style  draw.LineStyle
		legend string
	}{
		{0.1, draw.LineStyle{Color: plotstyle.Blue, Width: vg.Points(1), Dashes: []vg.Length{2, 2}}, "0.1"},
		{0.25, draw.LineStyle{Color: plotstyle.Blue, Width: vg.Points(1)}, "0.25"},
		{0.5, draw.LineStyle{Color: color.Black, Width: vg.Points(2)}, "0.5, the boundary"},
		{0.75, draw.LineStyle{Color: plotstyle.Vermillion, Width: vg.Points(1)}, "0.75"},
		{0.9, draw.LineStyle{Color: plotstyle.Vermillion, Width: vg.Points(1), Dashes: []vg.Length{2, 2}}, "0.9"},
	} {
		contour := plotter.NewContour(g, []float64{level.at}, nil)
		contour.LineStyles = []draw.LineStyle{level.style}
		p.Add(contour)
		legend.Add(level.legend, &plotter.Line{LineStyle: level.style})
	}
	var classes [2]plotter.XYs
	for i, label := range y {
		classes[label] = append(classes[label], plotter.XY{X: x.At(i, 0), Y: x.At(i, 1)})
	}
	for label, shape := range []draw.GlyphDrawer{draw.CircleGlyph{}, draw.PyramidGlyph{}} {
		dots, err := points(classes[label], shape, []color.Color{plotstyle.Blue, plotstyle.Vermillion}[label], 2.2)
		if err != nil {
			return err
		}
		p.Add(dots)
		legend.Add(fmt.Sprintf("class %d", label), dots)
	}
	var chosen plotter.XYs
	for _, i := range model.RelevanceIndices() {
		chosen = append(chosen, plotter.XY{X: x.At(i, 0), Y: x.At(i, 1)})
	}
	if len(chosen) > 0 {
		rings, err := points(chosen, draw.RingGlyph{}, color.Black, 6)
		if err != nil {
			return err
		}
		p.Add(rings)
		legend.Add("relevance vectors", rings)
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = g.x[0], g.x[steps-1], g.y[0], g.y[steps-1]
	return picture.Write(path, nil, []*plot.Plot{p}, 1, 5.5*vg.Inch)
}

func points(xys plotter.XYs, shape draw.GlyphDrawer, c color.Color, radius float64) (*plotter.Scatter, error) {
	s, err := plotter.NewScatter(xys)
	if err != nil {
		return nil, err
	}
	s.Shape, s.Color, s.Radius = shape, c, vg.Points(radius)
	return s, nil
}
