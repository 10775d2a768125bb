package main

import (
	"context"
	"fmt"
	"image/color"
	"math"
	"path/filepath"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/kernelearn/kernelearn/examples/internal/dataset"
	"github.com/kernelearn/kernelearn/examples/internal/picture"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/measures"
	"github.com/kernelearn/kernelearn/transformers"
)

// Colours that remain apart for the colour-blind and in grey.
var (
	blue   = color.NRGBA{R: 0x1b, G: 0x5e, B: 0xa8, A: 0xff}
	sky    = color.NRGBA{R: 0x8f, G: 0xc1, B: 0xe8, A: 0xff}
	orange = color.NRGBA{R: 0xd9, G: 0x6c, B: 0x06, A: 0xff}
	dark   = color.Gray{Y: 0x30}
	shade  = color.NRGBA{R: 0xd9, G: 0x6c, B: 0x06, A: 0x28} // the band of the search
	dots   = color.NRGBA{R: 0x1b, G: 0x5e, B: 0xa8, A: 0x80}
)

// The paper's figures of a quantity, one for each kernel, by the kernel's name.
var (
	curveFigures = map[string]int{"rbf": 7, "poly": 8}
	trainFigures = map[string]int{"rbf": 9, "poly": 10, "elm": 11}
	testFigures  = map[string]int{"rbf": 12, "poly": 13}
)

// draw writes a picture for each of the paper's figures, a panel for each set.
func (s settings) draw(ctx context.Context, sets []*dataset.Set, found []summary) error {
	spectra, err := spectraPanels()
	if err != nil {
		return err
	}
	pictures := map[int][]*plot.Plot{3: spectra}
	for i, set := range sets {
		five, six, err := s.scalingPanels(ctx, set, i == 0)
		if err != nil {
			return err
		}
		pictures[5], pictures[6] = append(pictures[5], five), append(pictures[6], six)
	}
	for _, v := range found {
		for _, of := range []struct {
			figures map[string]int
			panel   func(summary) (*plot.Plot, error)
		}{{curveFigures, curvePanel}, {trainFigures, trainPanel}, {testFigures, testPanel}} {
			if figure, ok := of.figures[v.name]; ok {
				p, err := of.panel(v)
				if err != nil {
					return err
				}
				pictures[figure] = append(pictures[figure], p)
			}
		}
	}
	for figure, panels := range pictures {
		columns := min(3, len(panels))
		rows := (len(panels) + columns - 1) / columns
		path := filepath.Join(s.out, fmt.Sprintf("entropy-figure%d.png", figure))
		if err := picture.Write(path, panels, columns, vg.Length(columns)*8*vg.Centimeter, vg.Length(rows)*6*vg.Centimeter, 0); err != nil {
			return err
		}
	}
	return nil
}

// spectraPanels are Figures 3 and 4: eigenvalues a + 100/i, and k of 100 that are not 0.
func spectraPanels() ([]*plot.Plot, error) {
	const n = 100
	hyperbola := newPlot("eigenvalues a + 100/i", "i", "eigenvalue")
	hyperbola.Y.Scale, hyperbola.Y.Tick.Marker = plot.LogScale{}, decades{}
	hyperbola.Y.Max = 2000 // room for the legend
	for c, a := range []float64{0, 0.1, 1, 10} {
		var xys plotter.XYs
		var values []float64
		for i := 1; i <= n; i++ {
			values = append(values, a+100/float64(i))
			xys = append(xys, plotter.XY{X: float64(i), Y: values[i-1]})
		}
		name := fmt.Sprintf("a = %v: entropy %.2f", a, measures.EntropyOfEigenvalues(values).Entropy)
		if err := addLine(hyperbola, xys, []color.Color{blue, sky, orange, dark}[c], name); err != nil {
			return nil, err
		}
	}
	var xys plotter.XYs
	values := make([]float64, n)
	for k := range n {
		values[k] = 1
		xys = append(xys, plotter.XY{X: float64(k + 1), Y: measures.EntropyOfEigenvalues(values).Entropy})
	}
	equal := newPlot("equal eigenvalues, the others of 100 are 0", "eigenvalues that are not 0", "entropy")
	return []*plot.Plot{hyperbola, equal}, addLine(equal, xys, blue, "")
}

// scalingPanels are those of Figures 5 and 6: what it does to the entropy to normalise
// the kernel matrix and to scale the rows, on the training rows of the first split.
func (s settings) scalingPanels(ctx context.Context, set *dataset.Set, legend bool) (five, six *plot.Plot, err error) {
	d, err := s.cut(ctx, set, 0)
	if err != nil {
		return nil, nil, err
	}
	columns := &transformers.RMSScaler{}
	if err := columns.Fit(ctx, d.raw); err != nil {
		return nil, nil, err
	}
	scaled, err := columns.Transform(d.raw)
	if err != nil {
		return nil, nil, err
	}
	polynomial := func(degree float64) kernels.Kernel { return kernels.Polynomial{Degree: int(degree), Coef0: 1} }
	five, six = newPlot(set.Name, "degree", "entropy"), newPlot(set.Name, "σ", "entropy")
	for _, c := range []struct {
		to     *plot.Plot
		name   string
		params []float64
		at     func(param float64) kernels.Kernel
		x      *mat.Dense
		colour color.Color
	}{
		{five, "as it is", degrees[:26], polynomial, scaled, dark},
		{five, "normalised", degrees[:26], func(p float64) kernels.Kernel { return kernels.Normalized{Kernel: polynomial(p)} }, scaled, orange},
		{five, "unit rows", degrees[:26], polynomial, d.x, blue},
		{six, "columns scaled", widths, kernels.RBFFamily{}.At, scaled, orange},
		{six, "unit rows too", widths, kernels.RBFFamily{}.At, d.x, blue},
	} {
		var xys plotter.XYs
		for _, param := range c.params {
			k, err := kernels.Matrix(ctx, c.at(param), c.x, nil)
			if err != nil {
				return nil, nil, err
			}
			entropy, err := measures.Entropy(ctx, k)
			if err != nil {
				return nil, nil, err
			}
			xys = append(xys, plotter.XY{X: param, Y: entropy.Entropy})
		}
		logarithmic(c.to)
		c.to.Y.Max = 1
		if !legend {
			c.name = ""
		}
		if err := addLine(c.to, xys, c.colour, c.name); err != nil {
			return nil, nil, err
		}
	}
	return five, six, nil
}

// curvePanel is one of Figure 7 or 8: the entropy over the parameter, and the logarithm
// that fits it best where it is neither near 0 nor near 1.
func curvePanel(v summary) (*plot.Plot, error) {
	p := newPlot(v.set, v.title, "entropy")
	logarithmic(p)
	p.Y.Max = 1
	var xys plotter.XYs
	var logs, middle []float64
	for i, param := range v.params {
		e := mean(v.points[i], entropyOf)
		xys = append(xys, plotter.XY{X: param, Y: e})
		if e > 0.1 && e < 0.9 {
			logs, middle = append(logs, math.Log(param)), append(middle, e)
		}
	}
	if err := addBand(p, v.params[0], v.params[len(v.params)-1], false); err != nil {
		return nil, err
	}
	if len(logs) > 1 {
		a, b := stat.LinearRegression(logs, middle, nil, false)
		var line plotter.XYs
		for _, param := range v.params {
			if y := a + b*math.Log(param); y >= 0 && y <= 1 {
				line = append(line, plotter.XY{X: param, Y: y})
			}
		}
		if err := addLine(p, line, orange, ""); err != nil {
			return nil, err
		}
	}
	return p, addDots(p, xys, blue)
}

// trainPanel is one of Figures 9 to 11.
func trainPanel(v summary) (*plot.Plot, error) {
	p := newPlot(v.set, "entropy", "training NMSE")
	return p, addDots(p, v.scatter(func(p point) float64 { return p.train }), dots)
}

// testPanel is one of Figure 12 or 13, with the parabola through the points.
func testPanel(v summary) (*plot.Plot, error) {
	p := newPlot(v.set, "entropy", "test NMSE")
	xys := v.scatter(testOf)
	high := 0.0
	for _, xy := range xys {
		high = max(high, xy.Y)
	}
	if err := addBand(p, 0, high, true); err != nil {
		return nil, err
	}
	var line plotter.XYs
	for x := 0.0; x <= 1; x += 0.01 {
		line = append(line, plotter.XY{X: x, Y: v.curve.at(x)})
	}
	if err := addLine(p, line, orange, ""); err != nil {
		return nil, err
	}
	return p, addDots(p, xys, dots)
}

func (v *summary) scatter(value func(point) float64) (out plotter.XYs) {
	for _, at := range v.points {
		for _, p := range at {
			out = append(out, plotter.XY{X: p.entropy, Y: value(p)})
		}
	}
	return out
}

func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Legend.Padding, p.Legend.Top, p.Legend.Left = vg.Millimeter, true, true
	p.Legend.TextStyle.Font.Size = font.Points(9)
	p.Add(plotter.NewGrid())
	return p
}

func logarithmic(p *plot.Plot) {
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, decades{}
}

// decades marks the powers of ten, and names every second one where there are many.
type decades struct{}

func (decades) Ticks(low, high float64) (out []plot.Tick) {
	from, to := int(math.Ceil(math.Log10(low)-1e-9)), int(math.Floor(math.Log10(high)+1e-9))
	for at := from; at <= to; at++ {
		tick := plot.Tick{Value: math.Pow10(at)}
		if to-from < 5 || at%2 == 0 {
			tick.Label = fmt.Sprintf("%g", tick.Value)
		}
		out = append(out, tick)
	}
	return out
}

func addLine(p *plot.Plot, xys plotter.XYs, colour color.Color, name string) error {
	line, err := plotter.NewLine(xys)
	if err != nil {
		return err
	}
	line.Color, line.Width = colour, vg.Points(1.5)
	p.Add(line)
	if name != "" {
		p.Legend.Add(name, line)
	}
	return nil
}

func addDots(p *plot.Plot, xys plotter.XYs, colour color.Color) error {
	s, err := plotter.NewScatter(xys)
	if err != nil {
		return err
	}
	s.Color, s.Shape, s.Radius = colour, draw.CircleGlyph{}, vg.Points(1.5)
	p.Add(s)
	return nil
}

// addBand shades the entropies that the search stops at, on the other axis from low to
// high.
func addBand(p *plot.Plot, low, high float64, entropyIsX bool) error {
	const from, to = 0.3, 0.5
	corners := plotter.XYs{{X: low, Y: from}, {X: high, Y: from}, {X: high, Y: to}, {X: low, Y: to}}
	if entropyIsX {
		for i := range corners {
			corners[i].X, corners[i].Y = corners[i].Y, corners[i].X
		}
	}
	band, err := plotter.NewPolygon(corners)
	if err != nil {
		return err
	}
	band.Color, band.LineStyle.Width = shade, 0
	p.Add(band)
	return nil
}
