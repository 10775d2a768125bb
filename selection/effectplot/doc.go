// Package effectplot draws the results of package inspection and the scores of package metrics: relevances and importances of
// columns as bars, effects of columns as panels with bands, reasons for one prediction as a waterfall, learning and validation
// curves, ROC and precision-recall curves, and reliability diagrams.
//
//	err := effectplot.SaveRelevances(relevances, "relevances.png")
//	err = effectplot.SaveImportances(importances, "importances.png")
//	err = effectplot.SaveEffects(effects, "price in 1000 $", "effects.png")
//	err = effectplot.SaveWaterfall(explanation, "price in 1000 $", "reasons.png")
//	err = effectplot.SaveCurve(learning, "learning.png")
//	err = effectplot.SaveROC(curves, names, "roc.png")
//	err = effectplot.SavePrecisionRecall(curves, names, "precision.png")
//	err = effectplot.SaveReliability(bins, names, 0.95, "reliability.png")
package effectplot

// short shortens a name.
func short(name string, letters int) string {
	if r := []rune(name); len(r) > letters {
		return string(r[:letters-1]) + "…"
	}
	return name
}
