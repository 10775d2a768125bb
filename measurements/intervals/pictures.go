package main

import (
	"context"
	"fmt"
	"image/color"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/conformal"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/internal/picture"
	"github.com/kernelearn/kernelearn/internal/plotstyle"
	"github.com/kernelearn/kernelearn/internal/progressbar"
)

// uneven draws a wave whose noise is skewed, and five times as large on the right.
func uneven(rng *rand.Rand, n int) (*mat.Dense, []float64) {
	x, y := mat.NewDense(n, 1, nil), make([]float64, n)
	for i := range y {
		v := 10 * rng.Float64()
		x.Set(i, 0, v)
		sd := 0.1
		if v > 5 {
			sd = 0.5
		}
		y[i] = math.Sin(v) + sd*(rng.ExpFloat64()-1)
	}
	return x, y
}

// drawBand draws two panels: above, the band of the machine, which assumes a normal distribution, and below, the conformal band.
// The coverage of the conformal band holds separately on either side of 5.
func (s settings) drawBand(ctx context.Context, path string, _ io.Writer) error {
	rng := rand.New(rand.NewPCG(s.seed, 0x62616e64))
	x, y := uneven(rng, 400)
	const places = 400
	at := mat.NewDense(places, 1, nil)
	for i := range places {
		at.Set(i, 0, 10*float64(i)/(places-1))
	}
	fresh, targets := uneven(rng, 20000)
	side := func(row []float64) int {
		if row[0] > 5 {
			return 1
		}
		return 0
	}
	var panels []*plot.Plot
	for i, c := range []struct {
		title string
		r     interface {
			estimators.Regressor
			estimators.IntervalPredictor
		}
	}{
		{"normal distribution", learner().(interface {
			estimators.Regressor
			estimators.IntervalPredictor
		})},
		{"conformal, by the side of 5", &conformal.Regressor{Estimator: learner(), Group: side, Seed: s.seed}},
	} {
		if err := c.r.Fit(ctx, x, y); err != nil {
			return err
		}
		mean, err := c.r.Predict(at)
		if err != nil {
			return err
		}
		low, high, err := c.r.PredictInterval(at, 0.9)
		if err != nil {
			return err
		}
		within, err := sides(c.r, fresh, targets)
		if err != nil {
			return err
		}
		p, err := band(c.title+within, at, mean, low, high, x, y, plotstyle.Colour(1-i))
		if err != nil {
			return err
		}
		panels = append(panels, p)
	}
	return picture.Write(path, nil, panels, 1, 3.8*vg.Inch)
}

// sides returns a text with the share of new rows inside 90% intervals, on either side of 5.
func sides(r estimators.IntervalPredictor, x *mat.Dense, y []float64) (string, error) {
	low, high, err := r.PredictInterval(x, 0.9)
	if err != nil {
		return "", err
	}
	var within, of [2]float64
	for i, v := range y {
		side := 0
		if x.At(i, 0) > 5 {
			side = 1
		}
		if of[side]++; low[i] <= v && v <= high[i] {
			within[side]++
		}
	}
	return fmt.Sprintf(": %.1f%% on the left, %.1f%% on the right", 100*within[0]/of[0], 100*within[1]/of[1]), nil
}

func band(title string, at *mat.Dense, mean, low, high []float64, x *mat.Dense, y []float64, colour color.NRGBA) (*plot.Plot, error) {
	p := plotstyle.New(title, "x", "y")
	legend := &plotstyle.Legend{}
	p.Add(legend)
	outline := make(plotter.XYs, 0, 2*len(mean))
	line := make(plotter.XYs, len(mean))
	for i := range mean {
		v := at.At(i, 0)
		outline = append(outline, plotter.XY{X: v, Y: high[i]})
		line[i] = plotter.XY{X: v, Y: mean[i]}
	}
	for i := len(mean) - 1; i >= 0; i-- {
		outline = append(outline, plotter.XY{X: at.At(i, 0), Y: low[i]})
	}
	area, err := plotter.NewPolygon(outline)
	if err != nil {
		return nil, err
	}
	area.Color, area.LineStyle.Width = plotstyle.Pale(colour), 0
	curve, err := plotter.NewLine(line)
	if err != nil {
		return nil, err
	}
	curve.Color, curve.Width = colour, vg.Points(1.5)
	points := make(plotter.XYs, len(y))
	for i, v := range y {
		points[i] = plotter.XY{X: x.At(i, 0), Y: v}
	}
	dots, err := plotter.NewScatter(points)
	if err != nil {
		return nil, err
	}
	dots.Shape, dots.Radius, dots.Color = draw.CircleGlyph{}, vg.Points(1.4), plotstyle.Dark
	p.Add(area, dots, curve)
	legend.Add("prediction", curve)
	legend.Add("90% of new observations", area)
	legend.Add("training rows", dots)
	return p, nil
}

// skewed draws rows of Friedman's first function with exponential noise of variance 1.
func skewed(n int, seed uint64) (*mat.Dense, []float64) {
	f := dataset.NewFriedman(seed)
	rng := rand.New(rand.NewPCG(seed, 0x736b6577))
	x, y := mat.NewDense(n, 10, nil), make([]float64, n)
	for i := range y {
		_, clean := f.Next(x.RawRowView(i))
		y[i] = clean + rng.ExpFloat64() - 1
	}
	return x, y
}

// drawCoverage draws, for each method, the coverage minus the level against the level. There are 100 training rows.
func (s settings) drawCoverage(ctx context.Context, path string, progress io.Writer) error {
	const train, test = 100, 100
	methods := slices.Clone(methods)
	methods[1] = way{"full", wrapped(conformal.Full, false)} // Automatic would be CV+ with so few rows
	var promised []float64
	for level := 0.5; level < 0.976; level += 0.025 {
		promised = append(promised, level)
	}
	sums := make([][]held, len(methods))
	for i := range sums {
		sums[i] = make([]held, len(promised))
	}
	bar := progressbar.New(progress, "draws", s.many)
	for d := range s.many {
		x, y := skewed(train+test, s.seed+uint64(d))
		for i, w := range methods {
			r := w.build(s.seed + uint64(d))
			if err := r.Fit(ctx, x.Slice(0, train, 0, 10), y[:train]); err != nil {
				return err
			}
			for j, level := range promised {
				low, high, err := r.(estimators.IntervalPredictor).PredictInterval(x.Slice(train, train+test, 0, 10), level)
				if err != nil {
					return err
				}
				sums[i][j].add(low, high, y[train:], 1)
			}
		}
		bar.Add(1)
	}
	bar.Finish()
	p := plotstyle.New("100 rows of Friedman's first function, skewed noise", "level promised", "coverage less the level promised")
	legend := &plotstyle.Legend{}
	p.Add(legend)
	zero, err := plotter.NewLine(plotter.XYs{{X: promised[0], Y: 0}, {X: promised[len(promised)-1], Y: 0}})
	if err != nil {
		return err
	}
	zero.Color, zero.Width = plotstyle.Grey, vg.Points(1)
	p.Add(zero)
	for i, w := range methods {
		points := make(plotter.XYs, len(promised))
		for j, level := range promised {
			points[j] = plotter.XY{X: level, Y: sums[i][j].coverage() - level}
		}
		if err := plotstyle.AddCurve(p, legend, i, w.name, points); err != nil {
			return err
		}
	}
	return picture.Write(path, nil, []*plot.Plot{p}, 1, plotstyle.Height)
}
