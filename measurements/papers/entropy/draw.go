package main

import (
	"context"
	"fmt"
	"image/color"
	"math"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/internal/picture"
	"github.com/kernelearn/kernelearn/internal/plotstyle"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection/measures"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// dots is a pale colour, because many dots overlap.
var dots = color.NRGBA{R: plotstyle.Blue.R, G: plotstyle.Blue.G, B: plotstyle.Blue.B, A: 0x80}

// These maps hold the number of the paper's figure for each kernel, by the kernel's name.
var (
	curveFigures = map[string]int{"rbf": 7, "poly": 8}
	trainFigures = map[string]int{"rbf": 9, "poly": 10, "elm": 11}
	testFigures  = map[string]int{"rbf": 12, "poly": 13}
)

// mostPanels is the largest number of sets in a picture. They are the sets with the fewest rows. The tables list all sets.
const mostPanels = 6

// draw writes a picture for each of the paper's figures, with a panel for each of a few sets.
func (s settings) draw(ctx context.Context, sets []*dataset.Set, found []summary) error {
	spectra, err := spectraPanels()
	if err != nil {
		return err
	}
	pictures := map[int][]*plot.Plot{3: spectra}
	legends := map[int]*plotstyle.Legend{5: {}, 6: {}}
	sets = sets[:min(len(sets), mostPanels)]
	for i, set := range sets {
		five, six := legends[5], legends[6]
		if i > 0 {
			five, six = nil, nil
		}
		fifth, sixth, err := s.scalingPanels(ctx, set, five, six)
		if err != nil {
			return err
		}
		pictures[5], pictures[6] = append(pictures[5], fifth), append(pictures[6], sixth)
	}
	for _, v := range found {
		if !slices.ContainsFunc(sets, func(set *dataset.Set) bool { return set.Name == v.set }) {
			continue
		}
		for _, of := range []struct {
			figures map[string]int
			panel   func(summary, *plotstyle.Legend) (*plot.Plot, error)
		}{{curveFigures, curvePanel}, {trainFigures, trainPanel}, {testFigures, testPanel}} {
			if figure, ok := of.figures[v.name]; ok {
				var legend *plotstyle.Legend
				if legends[figure] == nil { // of the first panel
					legend = &plotstyle.Legend{}
					legends[figure] = legend
				}
				p, err := of.panel(v, legend)
				if err != nil {
					return err
				}
				pictures[figure] = append(pictures[figure], p)
			}
		}
	}
	for figure, panels := range pictures {
		columns := min(3, len(panels))
		if figure != 3 {
			picture.Inner(panels, columns)
		}
		path := filepath.Join(s.out, fmt.Sprintf("entropy-figure%d.png", figure))
		if err := picture.Write(path, legends[figure], panels, columns, panelHeight(len(panels))); err != nil {
			return err
		}
	}
	return nil
}

// panelHeight returns the height of a panel, which is smaller if there are many panels.
func panelHeight(panels int) vg.Length {
	if panels <= 3 {
		return 3.5 * vg.Inch
	}
	return 2 * vg.Inch
}

// spectraPanels returns Figures 3 and 4, which show the entropies of two kinds of spectra: eigenvalues a + 100/i, and 100
// eigenvalues of which k are not 0.
func spectraPanels() ([]*plot.Plot, error) {
	const n = 100
	hyperbola := plotstyle.New("eigenvalues a + 100/i", "i", "eigenvalue")
	hyperbola.Y.Tick.Marker = plotstyle.Logs{}
	legend := &plotstyle.Legend{Wide: plotstyle.Width / 3}
	hyperbola.Add(legend)
	for c, a := range []float64{0, 0.1, 1, 10} {
		var xys plotter.XYs
		var values []float64
		for i := 1; i <= n; i++ {
			values = append(values, a+100/float64(i))
			xys = append(xys, plotter.XY{X: float64(i), Y: math.Log10(values[i-1])})
		}
		name := fmt.Sprintf("a = %v: entropy %.2f", a, measures.EntropyOfEigenvalues(values).Entropy)
		if err := addLine(hyperbola, legend, xys, c, name); err != nil {
			return nil, err
		}
	}
	var xys plotter.XYs
	values := make([]float64, n)
	for k := range n {
		values[k] = 1
		xys = append(xys, plotter.XY{X: float64(k + 1), Y: measures.EntropyOfEigenvalues(values).Entropy})
	}
	equal := plotstyle.New("equal eigenvalues, the others of 100 are 0", "eigenvalues that are not 0", "entropy")
	return []*plot.Plot{hyperbola, equal}, addLine(equal, nil, xys, 0, "")
}

// scalingPanels returns the panels of Figures 5 and 6. They show how the entropy changes when the kernel matrix is normalised and
// when the rows are scaled, for the training rows of the first split.
func (s settings) scalingPanels(ctx context.Context, set *dataset.Set, ofFive, ofSix *plotstyle.Legend) (five, six *plot.Plot, err error) {
	d, err := s.cut(ctx, set, 0)
	if err != nil {
		return nil, nil, err
	}
	columns := &scalers.RMSScaler{}
	if err := columns.Fit(ctx, d.raw); err != nil {
		return nil, nil, err
	}
	scaled, err := columns.Transform(d.raw)
	if err != nil {
		return nil, nil, err
	}
	polynomial := func(degree float64) kernels.Kernel { return kernels.Polynomial{Degree: int(degree), Coef0: 1} }
	five, six = plotstyle.New(set.Name, "degree", "entropy"), plotstyle.New(set.Name, "σ", "entropy")
	for _, c := range []struct {
		to     *plot.Plot
		legend *plotstyle.Legend
		name   string
		params []float64
		at     func(param float64) kernels.Kernel
		x      *mat.Dense
		look   int
	}{
		{five, ofFive, "as it is", degrees[:26], polynomial, scaled, 2},
		{five, ofFive, "normalised", degrees[:26], func(p float64) kernels.Kernel { return kernels.Normalized{Kernel: polynomial(p)} },
			scaled,
			1},
		{five, ofFive, "unit rows", degrees[:26], polynomial, d.x, 0},
		{six, ofSix, "columns scaled", widths, families.RBF{}.Kernel, scaled, 1},
		{six, ofSix, "unit rows too", widths, families.RBF{}.Kernel, d.x, 0},
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
			xys = append(xys, plotter.XY{X: math.Log10(param), Y: entropy.Entropy})
		}
		ofParameter(c.to)
		if err := addLine(c.to, c.legend, xys, c.look, c.name); err != nil {
			return nil, nil, err
		}
	}
	return five, six, nil
}

// curvePanel returns a panel of Figure 7 or 8. It shows the entropy against the parameter. It also shows the logarithm that fits
// best where the entropy is near neither 0 nor 1.
func curvePanel(v summary, legend *plotstyle.Legend) (*plot.Plot, error) {
	p := plotstyle.New(v.set, v.title, "entropy")
	ofParameter(p)
	var xys plotter.XYs
	var logs, middle []float64
	for i, param := range v.params {
		e := mean(v.points[i], entropyOf)
		xys = append(xys, plotter.XY{X: math.Log10(param), Y: e})
		if e > 0.1 && e < 0.9 {
			logs, middle = append(logs, math.Log(param)), append(middle, e)
		}
	}
	if err := addBand(p, legend, math.Log10(v.params[0]), math.Log10(v.params[len(v.params)-1]), false); err != nil {
		return nil, err
	}
	if len(logs) > 1 {
		a, b := stat.LinearRegression(logs, middle, nil, false)
		var line plotter.XYs
		for _, param := range v.params {
			if y := a + b*math.Log(param); y >= 0 && y <= 1 {
				line = append(line, plotter.XY{X: math.Log10(param), Y: y})
			}
		}
		if err := addLine(p, legend, line, 1, "logarithm fitted to 0.1 to 0.9"); err != nil {
			return nil, err
		}
	}
	return p, addDots(p, legend, xys, plotstyle.Blue, "mean of the splits")
}

// trainPanel returns a panel of one of Figures 9 to 11.
func trainPanel(v summary, legend *plotstyle.Legend) (*plot.Plot, error) {
	p := plotstyle.New(v.set, "entropy", "training NMSE")
	ofEntropy(p)
	err := addDots(p, legend, v.scatter(func(p point) float64 { return p.train }), dots, "a split and a parameter")
	plotstyle.FromZero(&p.Y)
	return p, err
}

// testPanel returns a panel of Figure 12 or 13, with the parabola through the points.
func testPanel(v summary, legend *plotstyle.Legend) (*plot.Plot, error) {
	p := plotstyle.New(v.set, "entropy", "test NMSE")
	ofEntropy(p)
	xys := v.scatter(testOf)
	high := 0.0
	for _, xy := range xys {
		high = max(high, xy.Y)
	}
	if err := addBand(p, legend, 0, high, true); err != nil {
		return nil, err
	}
	var line plotter.XYs
	for x := 0.0; x <= 1; x += 0.01 {
		line = append(line, plotter.XY{X: x, Y: v.curve.value(x)})
	}
	if err := addLine(p, legend, line, 1, "parabola"); err != nil {
		return nil, err
	}
	err := addDots(p, legend, xys, dots, "a split and a parameter")
	plotstyle.FromZero(&p.Y) // the parabola can be negative, errors cannot
	return p, err
}

func (v *summary) scatter(value func(point) float64) (out plotter.XYs) {
	for _, at := range v.points {
		for _, p := range at {
			out = append(out, plotter.XY{X: p.entropy, Y: value(p)})
		}
	}
	return out
}

// ofEntropy sets the range of the horizontal axis to the range of an entropy.
func ofEntropy(p *plot.Plot) {
	p.X.Min, p.X.Max = 0, 1
	p.X.Tick.Marker, p.Y.Tick.Marker = plotstyle.Round{Most: 4}, plotstyle.Round{Most: 4}
}

// ofParameter makes the horizontal axis logarithmic, and sets the range of the vertical axis to that of an entropy.
func ofParameter(p *plot.Plot) {
	p.X.Tick.Marker, p.Y.Tick.Marker = plotstyle.Logs{Most: 4}, plotstyle.Round{Most: 4}
	p.Y.Min, p.Y.Max = 0, 1
}

func addLine(p *plot.Plot, legend *plotstyle.Legend, xys plotter.XYs, look int, name string) error {
	line, err := plotter.NewLine(xys)
	if err != nil {
		return err
	}
	line.LineStyle = plotstyle.Line(look)
	p.Add(line)
	if legend != nil {
		legend.Add(name, line)
	}
	return nil
}

func addDots(p *plot.Plot, legend *plotstyle.Legend, xys plotter.XYs, colour color.Color, name string) error {
	s, err := plotter.NewScatter(xys)
	if err != nil {
		return err
	}
	s.Color, s.Shape, s.Radius = colour, draw.CircleGlyph{}, vg.Points(1.8)
	p.Add(s)
	if legend != nil {
		legend.Add(name, s)
	}
	return nil
}

// addBand shades the entropies at which the search stops, over the range from low to high of the other axis.
func addBand(p *plot.Plot, legend *plotstyle.Legend, low, high float64, entropyIsX bool) error {
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
	band.Color, band.LineStyle.Width = plotstyle.Pale(plotstyle.Orange), 0
	p.Add(band)
	if legend != nil {
		legend.Add(fmt.Sprintf("band of the search, %v to %v", from, to), band)
	}
	return nil
}
