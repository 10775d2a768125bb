// Package effectplot draws what package inspection says of a fitted estimator and what package
// metrics says of its scores: the relevances and importances of columns as bars, the effects of
// columns as panels with their bands, learning and validation curves, ROC and precision-recall
// curves, and reliability diagrams.
//
//	err := effectplot.SaveRelevances(relevances, "relevances.png")
//	err = effectplot.SaveImportances(importances, "importances.png")
//	err = effectplot.SaveEffects(effects, "price in 1000 $", "effects.png")
//	err = effectplot.SaveCurve(learning, "learning.png")
//	err = effectplot.SaveROC(curves, names, "roc.png")
//	err = effectplot.SavePrecisionRecall(curves, names, "precision.png")
//	err = effectplot.SaveReliability(bins, names, 0.95, "reliability.png")
package effectplot

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
)

// Colours that remain apart for the colour-blind and in grey.
var (
	dark  = color.NRGBA{R: 0x1b, G: 0x5e, B: 0xa8, A: 0xff}
	light = color.NRGBA{R: 0xa9, G: 0xc6, B: 0xe4, A: 0xff}
	shade = color.NRGBA{R: 0x1b, G: 0x5e, B: 0xa8, A: 0x38}
	grey  = color.NRGBA{R: 0x60, G: 0x60, B: 0x60, A: 0xb0}
)

const (
	titleSize = font.Length(11)
	labelSize = font.Length(10)
	tickSize  = font.Length(9)
)

// newPlot returns a plot with letters for small panels.
func newPlot() *plot.Plot {
	p := plot.New()
	p.Title.TextStyle.Font.Size = titleSize
	p.Legend.TextStyle.Font.Size = tickSize
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font.Size, axis.Tick.Label.Font.Size = labelSize, tickSize
	}
	return p
}

// short is a name that leaves room for others.
func short(name string, letters int) string {
	if r := []rune(name); len(r) > letters {
		return string(r[:letters-1]) + "…"
	}
	return name
}
