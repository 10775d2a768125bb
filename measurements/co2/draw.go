package main

import (
	"image/color"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/kernelearn/kernelearn/estimators/gabasr"
	"github.com/kernelearn/kernelearn/internal/picture"
	"github.com/kernelearn/kernelearn/internal/plotstyle"
)

// drawForecasts draws a panel for each forecast.
func drawForecasts(path string, forecasts []forecast) error {
	var panels []*plot.Plot
	for _, f := range forecasts {
		p, err := f.panel()
		if err != nil {
			return err
		}
		panels = append(panels, p)
	}
	return picture.Write(path, nil, panels, 1, 3.8*vg.Inch)
}

func (f forecast) panel() (*plot.Plot, error) {
	const steps = 1500
	from, to := f.x.At(0, 0), f.from+ahead
	at := mat.NewDense(steps, 1, nil)
	for i := range steps {
		at.Set(i, 0, from+(to-from)*float64(i)/(steps-1))
	}
	mean, low, high, err := f.predict(at)
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
	p := plotstyle.New(f.title, "year", "CO₂, parts per million")
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
	curve.Color, curve.Width = plotstyle.Blue, vg.Points(1)
	p.Add(area, curve)
	legend.Add("mean", curve)
	legend.Add("95% of new months", area)
	var seen, unseen plotter.XYs
	for i, v := range f.y {
		if xy := (plotter.XY{X: f.x.At(i, 0), Y: v}); xy.X < f.from {
			seen = append(seen, xy)
		} else {
			unseen = append(unseen, xy)
		}
	}
	for _, s := range []struct {
		xys   plotter.XYs
		c     color.Color
		label string
	}{{seen, plotstyle.Dark, "months of the fit"}, {unseen, plotstyle.Vermillion, "months that it did not see"}} {
		if len(s.xys) == 0 {
			continue
		}
		dots, err := plotter.NewScatter(s.xys)
		if err != nil {
			return nil, err
		}
		dots.Shape, dots.Color, dots.Radius = draw.CircleGlyph{}, s.c, vg.Points(1.2)
		p.Add(dots)
		legend.Add(s.label, dots)
	}
	return p, nil
}

// drawDensity draws the logarithm of the fitted spectral density against cycles per year. It adds the densities of both signs.
func drawDensity(path string, model *gabasr.Regressor) error {
	const steps, most = 4000, 4.0
	at := mat.NewDense(steps, 1, nil)
	for i := range steps {
		at.Set(i, 0, 2*math.Pi*most*(float64(i)+0.5)/steps)
	}
	density, err := model.SpectralDensity(at)
	if err != nil {
		return err
	}
	line := make(plotter.XYs, steps)
	for i, v := range density {
		line[i] = plotter.XY{X: at.At(i, 0) / (2 * math.Pi), Y: math.Log10(max(2*2*math.Pi*v, 1e-6))}
	}
	p := plotstyle.New("Learned spectral density of the record", "frequency, cycles a year", "density, a year")
	p.Y.Tick.Marker = plotstyle.Logs{}
	legend := &plotstyle.Legend{}
	p.Add(legend)
	curve, err := plotter.NewLine(line)
	if err != nil {
		return err
	}
	curve.LineStyle = plotstyle.Line(0)
	p.Add(curve)
	legend.Add("mixture, mean of the kept sweeps", curve)
	w := model.Frequencies()
	count, _ := w.Dims()
	var marks plotter.XYs
	for i := range count {
		if f := math.Abs(w.At(i, 0)) / (2 * math.Pi); f < most {
			marks = append(marks, plotter.XY{X: f, Y: p.Y.Min})
		}
	}
	if len(marks) > 0 {
		dots, err := plotter.NewScatter(marks)
		if err != nil {
			return err
		}
		dots.Shape, dots.Color, dots.Radius = draw.PlusGlyph{}, plotstyle.Vermillion, vg.Points(3)
		p.Add(dots)
		legend.Add("frequencies of the best sweep", dots)
	}
	p.X.Min, p.X.Max = 0, most
	return picture.Write(path, nil, []*plot.Plot{p}, 1, plotstyle.Height)
}
