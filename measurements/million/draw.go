package main

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/kernelearn/kernelearn/internal/picture"
	"github.com/kernelearn/kernelearn/internal/plotstyle"
)

// drawErrors draws two panels: the errors against the number of rows, and the error without noise against the seconds.
func drawErrors(path string, results []result) error {
	rows, err := overRows(results)
	if err != nil {
		return err
	}
	seconds, err := overSeconds(results)
	if err != nil {
		return err
	}
	return picture.Write(path, nil, []*plot.Plot{rows, seconds}, 2, 3.6*vg.Inch)
}

func panel(x, y string) *plot.Plot {
	p := plotstyle.New("", x, y)
	p.X.Tick.Marker, p.Y.Tick.Marker = plotstyle.Logs{Most: 5}, plotstyle.Logs{}
	return p
}

// overRows draws three lines: the error for targets with noise, the error for targets without noise, and the noise itself.
func overRows(results []result) (*plot.Plot, error) {
	p := panel("rows learnt from", "NMSE on other rows")
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
			points[j] = plotter.XY{X: math.Log10(float64(r.rows)), Y: math.Log10(curve.of(r))}
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

// overSeconds draws the smallest error that was reached within each number of seconds. A fit to fewer rows may take longer than one
// to more.
func overSeconds(results []result) (*plot.Plot, error) {
	p := panel("seconds of learning", "least NMSE without noise")
	return p, plotstyle.AddCurve(p, nil, 0, "", leastErrors(results))
}

// leastErrors returns the results that have a smaller error than all faster ones, in ascending order of seconds.
func leastErrors(results []result) (points plotter.XYs) {
	sorted := slices.SortedFunc(slices.Values(results), func(a, b result) int {
		return cmp.Or(cmp.Compare(a.seconds, b.seconds), cmp.Compare(a.clean, b.clean))
	})
	least := math.Inf(1)
	for _, r := range sorted {
		if r.clean < least {
			least = r.clean
			points = append(points, plotter.XY{X: math.Log10(r.seconds), Y: math.Log10(r.clean)})
		}
	}
	return points
}
