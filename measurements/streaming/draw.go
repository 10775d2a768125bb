package main

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/internal/picture"
	"github.com/kernelearn/kernelearn/internal/plotstyle"
)

// thresholdStyles draws the near threshold as a solid line and the far one as a dashed line, in both panels.
var thresholdStyles = []draw.LineStyle{
	{Color: plotstyle.Black, Width: vg.Points(1.8)},
	{Color: plotstyle.Black, Width: vg.Points(1.8), Dashes: []vg.Length{vg.Points(5), vg.Points(3)}},
}

// draw draws two panels for each machine. The first shows the sampled rows in the plane, with the curves on which the projection
// equals a threshold. The second shows the projection with the Gaussians of the classes.
func (s *streamed) draw(path string) error {
	var panels []*plot.Plot
	for _, m := range []*eem.Classifier{s.model, s.small} {
		plane, err := s.plane(m)
		if err != nil {
			return err
		}
		line, err := s.line(m)
		if err != nil {
			return err
		}
		panels = append(panels, plane, line)
	}
	return picture.Write(path, nil, panels, 2, 4*vg.Inch)
}

// field holds the values of the projection over the plane.
type field struct {
	x, y []float64
	z    *mat.Dense
}

func (g field) Dims() (c, r int)   { return len(g.x), len(g.y) }
func (g field) Z(c, r int) float64 { return g.z.At(r*len(g.x)+c, 0) }
func (g field) X(c int) float64    { return g.x[c] }
func (g field) Y(r int) float64    { return g.y[r] }

// plane draws the rows in the units of the file. It uses the inverse of the scaling.
func (s *streamed) plane(m *eem.Classifier) (*plot.Plot, error) {
	const steps = 180
	rows := mat.DenseCopyOf(s.sample)
	means, scales := s.scaler.Means(), s.scaler.Scales()
	rows.Apply(func(_, j int, v float64) float64 { return means[j] + scales[j]*v }, rows)
	g := field{}
	var low, high [2]float64
	for j := range 2 {
		column := mat.Col(nil, j, rows)
		low[j], high[j] = math.Inf(1), math.Inf(-1)
		for _, v := range column {
			low[j], high[j] = min(low[j], v), max(high[j], v)
		}
	}
	at := mat.NewDense(steps*steps, 2, nil)
	for i := range steps {
		t := float64(i) / (steps - 1)
		g.x, g.y = append(g.x, low[0]+t*(high[0]-low[0])), append(g.y, low[1]+t*(high[1]-low[1]))
	}
	for i := range steps * steps {
		at.SetRow(i, []float64{g.x[i%steps], g.y[i/steps]})
	}
	scaled, err := s.scaler.Transform(at)
	if err != nil {
		return nil, err
	}
	if g.z, err = m.Project(scaled); err != nil {
		return nil, err
	}
	p := plotstyle.New(fmt.Sprintf("Decision of a machine of %d units", m.Units), "x₁", "x₂")
	legend := &plotstyle.Legend{Wide: plotstyle.Width / 6}
	p.Add(legend)
	var classes [2]plotter.XYs
	for i, label := range s.sampled {
		classes[label] = append(classes[label], plotter.XY{X: rows.At(i, 0), Y: rows.At(i, 1)})
	}
	for label, shape := range []draw.GlyphDrawer{draw.CircleGlyph{}, draw.PyramidGlyph{}} {
		dots, err := plotter.NewScatter(classes[label])
		if err != nil {
			return nil, err
		}
		dots.Shape, dots.Color, dots.Radius = shape, []color.Color{plotstyle.Blue, plotstyle.Vermillion}[label], vg.Points(1.8)
		p.Add(dots)
		legend.Add(s.classes[label], dots)
	}
	t := m.Pairs()[0].Thresholds
	for i, level := range []float64{t.Near, t.Far} {
		if math.IsNaN(level) || level < mat.Min(g.z) || level > mat.Max(g.z) {
			continue // the threshold does not exist, or is outside the picture
		}
		contour := plotter.NewContour(g, []float64{level}, nil)
		contour.LineStyles = thresholdStyles[i : i+1]
		p.Add(contour)
		legend.Add([]string{"near threshold", "far threshold"}[i], &plotter.Line{LineStyle: thresholdStyles[i]})
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = low[0], high[0], low[1], high[1]
	return p, nil
}

// line draws the projection of the sampled rows, and the two Gaussians.
func (s *streamed) line(m *eem.Classifier) (*plot.Plot, error) {
	z, err := m.Project(s.sample)
	if err != nil {
		return nil, err
	}
	pair := m.Pairs()[0]
	p := plotstyle.New("Projection, and each class as a Gaussian", "projection β'φ(x)", "density")
	legend := &plotstyle.Legend{Wide: plotstyle.Width / 4}
	p.Add(legend)
	low, high, top := math.Inf(1), math.Inf(-1), 0.0
	for label, c := range []color.NRGBA{plotstyle.Blue, plotstyle.Vermillion} {
		var values plotter.Values
		for i, l := range s.sampled {
			if l == label {
				values = append(values, z.At(i, 0))
			}
		}
		mean, sd := pair.Means[label], math.Sqrt(pair.Variances[label])
		low, high, top = min(low, mean-4*sd), max(high, mean+4*sd), max(top, 0.4/sd)
		histogram, err := plotter.NewHist(values, 40)
		if err != nil {
			return nil, err
		}
		histogram.Normalize(1)
		faint := c
		faint.A = 0x50
		histogram.FillColor, histogram.LineStyle.Width = faint, 0
		curve := plotter.NewFunction(func(v float64) float64 {
			u := (v - mean) / sd
			return math.Exp(-u*u/2) / (sd * math.Sqrt(2*math.Pi))
		})
		curve.Color, curve.Width, curve.Samples = c, vg.Points(1.5), 400
		p.Add(histogram, curve)
		legend.Add(fmt.Sprintf("%s: mean %.2f, sd %.2f", s.classes[label], mean, sd), curve)
	}
	for i, level := range []float64{pair.Thresholds.Near, pair.Thresholds.Far} {
		if math.IsNaN(level) {
			continue
		}
		mark, err := plotter.NewLine(plotter.XYs{{X: level, Y: 0}, {X: level, Y: 1.15 * top}})
		if err != nil {
			return nil, err
		}
		mark.LineStyle = thresholdStyles[i]
		p.Add(mark)
		legend.Add(fmt.Sprintf("%s threshold %.2f", []string{"near", "far"}[i], level), mark)
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = low, high, 0, 1.2*top
	return p, nil
}
