package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/kernelearn/kernelearn/internal/picture"
	"github.com/kernelearn/kernelearn/internal/plotstyle"
)

// The band of entropies between kernels that underfit and kernels that memorise.
const bandLow, bandHigh = 0.1, 0.5

// drawSearches writes two panels over the same gammas: above the entropy with its
// band, below the scores of both searches.
func drawSearches(ctx context.Context, path string, x *mat.Dense, searches []chosen) error {
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
	var looked plotter.XYs
	scores := map[int]plotter.XYs{} // by rows: the best of a search on few are scored again on more
	for _, row := range entropy.result.Trace {
		if math.IsNaN(row.Entropy) {
			continue // scored on more rows than an entropy is taken of
		}
		looked = append(looked, plotter.XY{X: math.Log10(row.Param), Y: row.Entropy})
		scores[row.Rows] = append(scores[row.Rows], plotter.XY{X: math.Log10(row.Param), Y: row.Score})
	}
	lo, hi := curve[0].X, curve[len(curve)-1].X

	top, above := panel("Entropy of the kernel matrix", "entropy E", lo, hi)
	top.Y.Min, top.Y.Max = 0, 1
	top.X.Label.Text = ""
	band, err := plotter.NewPolygon(plotter.XYs{{X: lo, Y: bandLow}, {X: hi, Y: bandLow}, {X: hi, Y: bandHigh}, {X: lo, Y: bandHigh}})
	if err != nil {
		return err
	}
	band.Color, band.Width = plotstyle.Pale(plotstyle.Grey), 0
	top.Add(band)
	if err := addLine(top, above, "entropy", curve, 5, false); err != nil {
		return err
	}
	computed, err := plotter.NewScatter(looked)
	if err != nil {
		return err
	}
	computed.Color, computed.Shape, computed.Radius = plotstyle.Blue, draw.CircleGlyph{}, vg.Points(3)
	top.Add(computed)
	above.Add("computed by the search", computed)
	above.Add("band where good kernels mostly lie", band)
	if err := addChoices(top, above, searches, func(s chosen) float64 { return s.entropy }); err != nil {
		return err
	}

	bottom, below := panel("Scores, less is better", "NMSE", lo, hi)
	// The worst kernels are far worse: cut them off, to see where the best lie.
	least := math.Inf(1)
	for _, p := range gridScores {
		least = min(least, p.Y)
	}
	if err := addLine(bottom, below, "grid: 3-fold cross-validation", gridScores, 1, true); err != nil {
		return err
	}
	for i, rows := range slices.Sorted(maps.Keys(scores)) {
		of := scores[rows]
		slices.SortFunc(of, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
		for _, p := range of {
			least = min(least, p.Y)
		}
		look := 0 // the last are those that decide
		if i < len(scores)-1 {
			look = 2 + i
		}
		if err := addLine(bottom, below, fmt.Sprintf("entropy: leave-one-out, %d rows", rows), of, look, true); err != nil {
			return err
		}
	}
	if err := addChoices(bottom, nil, searches, func(s chosen) float64 { return s.result.Score }); err != nil {
		return err
	}

	bottom.Y.Min, bottom.Y.Max = 0.97*least, 1.25*least

	return picture.Write(path, nil, []*plot.Plot{top, bottom}, 1, 3.5*vg.Inch)
}

func panel(title, y string, lo, hi float64) (*plot.Plot, *plotstyle.Legend) {
	p := plotstyle.New(title, "gamma of the RBF kernel, z-scored features", y)
	p.X.Tick.Marker = plotstyle.Logs{}
	p.X.Min, p.X.Max = lo, hi
	legend := &plotstyle.Legend{}
	p.Add(legend)
	return p, legend
}

func addLine(p *plot.Plot, legend *plotstyle.Legend, name string, points plotter.XYs, i int, dots bool) error {
	if dots {
		return plotstyle.AddCurve(p, legend, i, name, points)
	}
	line, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	line.Color, line.Width = plotstyle.Colour(i), vg.Points(1.2)
	p.Add(line)
	legend.Add(name, line)
	return nil
}

// addChoices marks where each search ended.
func addChoices(p *plot.Plot, legend *plotstyle.Legend, searches []chosen, y func(chosen) float64) error {
	for i, s := range searches {
		marks, err := plotter.NewScatter(plotter.XYs{{X: math.Log10(s.result.Param), Y: y(s)}})
		if err != nil {
			return err
		}
		marks.Color, marks.Shape, marks.Radius = plotstyle.Colour(i), []draw.GlyphDrawer{draw.RingGlyph{}, draw.SquareGlyph{}}[i%2], vg.Points(7)
		p.Add(marks)
		if legend != nil {
			legend.Add("chosen by "+s.name, marks)
		}
	}
	return nil
}
