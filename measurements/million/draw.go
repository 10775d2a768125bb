package main

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/kernelearn/kernelearn/internal/picture"
	"github.com/kernelearn/kernelearn/internal/plotstyle"
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
	return picture.Write(path, nil, panels, 2, 3.6*vg.Inch)
}

func panel(results []result, what string, of func(result) float64) (*plot.Plot, error) {
	p := plotstyle.New("", what, "NMSE on other rows")
	p.X.Tick.Marker, p.Y.Tick.Marker = plotstyle.Logs{Most: 5}, plotstyle.Logs{}
	legend := &plotstyle.Legend{Wide: plotstyle.Width / 4}
	p.Add(legend)
	noise := results[len(results)-1].noise
	first, last := math.Inf(1), 0.0
	for i, curve := range []struct {
		name string
		of   func(result) float64
	}{
		{"of targets without noise", func(r result) float64 { return r.clean }},
		{"of targets with noise", func(r result) float64 { return r.noisy }},
	} {
		points := make(plotter.XYs, len(results))
		for j, r := range results {
			points[j] = plotter.XY{X: math.Log10(of(r)), Y: math.Log10(curve.of(r))}
			first, last = min(first, points[j].X), max(last, points[j].X)
		}
		if err := plotstyle.AddCurve(p, legend, i, curve.name, points); err != nil {
			return nil, err
		}
	}
	if first < last {
		floor, err := plotter.NewLine(plotter.XYs{{X: first, Y: math.Log10(noise)}, {X: last, Y: math.Log10(noise)}})
		if err != nil {
			return nil, err
		}
		floor.Width, floor.Color, floor.Dashes = vg.Points(1), plotstyle.Dark, []vg.Length{vg.Points(2), vg.Points(2)}
		p.Add(floor)
		legend.Add("the noise alone", floor)
	}
	return p, nil
}
