package main

import (
	"cmp"
	"context"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/kernelearn/kernelearn/examples/internal/picture"
)

// The band of entropies between kernels that underfit and kernels that memorise.
const bandLow, bandHigh = 0.1, 0.5

// Two colours that remain apart for the colour-blind and in grey.
var (
	entropyColor = color.NRGBA{R: 0x1b, G: 0x5e, B: 0xa8, A: 0xff}
	gridColor    = color.NRGBA{R: 0xd9, G: 0x6c, B: 0x06, A: 0xff}
	bandColor    = color.NRGBA{R: 0x1b, G: 0x5e, B: 0xa8, A: 0x26}
)

// drawSearches writes two panels over the same gammas: above the entropy with its
// band, below the scores of both searches.
func drawSearches(ctx context.Context, path string, x *mat.Dense, searches []search) error {
	entropy, grid := searches[0], searches[1]
	var curve, gridScores plotter.XYs
	for _, row := range grid.result.Trace {
		e, err := entropyAt(ctx, row.Param, x)
		if err != nil {
			return err
		}
		curve = append(curve, plotter.XY{X: math.Log10(row.Param), Y: e})
		gridScores = append(gridScores, plotter.XY{X: math.Log10(row.Param), Y: row.Score})
	}
	var looked, scores plotter.XYs
	for _, row := range entropy.result.Trace {
		if math.IsNaN(row.Entropy) {
			continue // scored on more rows than an entropy is taken of
		}
		looked = append(looked, plotter.XY{X: math.Log10(row.Param), Y: row.Entropy})
		scores = append(scores, plotter.XY{X: math.Log10(row.Param), Y: row.Score})
	}
	slices.SortFunc(scores, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
	lo, hi := curve[0].X, curve[len(curve)-1].X

	top := panel("Entropy of the kernel matrix", "entropy E", lo, hi)
	top.Y.Min, top.Y.Max = 0, 1
	top.X.Label.Text = ""
	band, err := plotter.NewPolygon(plotter.XYs{{X: lo, Y: bandLow}, {X: hi, Y: bandLow}, {X: hi, Y: bandHigh}, {X: lo, Y: bandHigh}})
	if err != nil {
		return err
	}
	band.Color, band.Width = bandColor, 0
	top.Add(band)
	if err := addLine(top, "entropy", curve, color.Gray{Y: 0x60}, false); err != nil {
		return err
	}
	computed, err := plotter.NewScatter(looked)
	if err != nil {
		return err
	}
	computed.Color, computed.Shape, computed.Radius = entropyColor, draw.CircleGlyph{}, vg.Points(2.5)
	top.Add(computed)
	top.Legend.Add("computed by the search", computed)
	top.Legend.Add("band where good kernels mostly lie", band)
	if err := addChoices(top, searches, func(s search) float64 { return s.entropy }); err != nil {
		return err
	}

	bottom := panel("Scores, less is better", "NMSE", lo, hi)
	// The worst kernels are far worse: cut them off, to see where the best lie.
	least := math.Inf(1)
	for _, p := range append(gridScores, scores...) {
		least = math.Min(least, p.Y)
	}
	if err := addLine(bottom, "leave-one-out, closed form (entropy search)", scores, entropyColor, true); err != nil {
		return err
	}
	if err := addLine(bottom, "3-fold cross-validation (grid)", gridScores, gridColor, true); err != nil {
		return err
	}
	if err := addChoices(bottom, searches, func(s search) float64 { return s.result.Score }); err != nil {
		return err
	}

	bottom.Y.Min, bottom.Y.Max = 0.97*least, 1.25*least

	return picture.Write(path, []*plot.Plot{top, bottom}, 1, 17*vg.Centimeter, 18*vg.Centimeter, 0)
}

func panel(title, y string, lo, hi float64) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.X.Label.Text = "gamma of the RBF kernel, z-scored features"
	p.Y.Label.Text = y
	p.X.Tick.Marker = decades{}
	p.X.Min, p.X.Max = lo, hi
	p.Legend.Left, p.Legend.Top = true, true
	p.Legend.Padding = vg.Millimeter
	p.Add(plotter.NewGrid())
	return p
}

// decades labels whole powers of ten. The data are drawn as logarithms, because
// plot.LogScale reserves room for the axis's label as if it stood at the far end.
type decades struct{}

func (decades) Ticks(lo, hi float64) []plot.Tick {
	var out []plot.Tick
	for e := math.Ceil(lo); e <= hi; e++ {
		out = append(out, plot.Tick{Value: e, Label: fmt.Sprintf("1e%.0f", e)})
	}
	return out
}

func addLine(p *plot.Plot, name string, points plotter.XYs, c color.Color, dots bool) error {
	line, marks, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	line.Color, line.Width = c, vg.Points(1.2)
	marks.Color, marks.Shape, marks.Radius = c, draw.CircleGlyph{}, vg.Points(2)
	p.Add(line)
	if dots {
		p.Add(marks)
	}
	p.Legend.Add(name, line)
	return nil
}

// addChoices marks where each search ended.
func addChoices(p *plot.Plot, searches []search, y func(search) float64) error {
	for i, s := range searches {
		marks, err := plotter.NewScatter(plotter.XYs{{X: math.Log10(s.result.Param), Y: y(s)}})
		if err != nil {
			return err
		}
		marks.Color, marks.Shape, marks.Radius = entropyColor, draw.RingGlyph{}, vg.Points(7)
		if i > 0 {
			marks.Color, marks.Shape = gridColor, draw.BoxGlyph{}
			marks.Radius = vg.Points(5)
		}
		p.Add(marks)
		p.Legend.Add("chosen by "+s.name, marks)
	}
	return nil
}
