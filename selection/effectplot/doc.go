// Package effectplot draws what package inspection says of a fitted estimator and what package
// metrics says of its scores: the relevances and importances of columns as bars, the effects of
// columns as panels with their bands, the reasons for one prediction as a waterfall, learning and
// validation curves, ROC and precision-recall curves, and reliability diagrams.
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

// short is a name that leaves room for others.
func short(name string, letters int) string {
	if r := []rune(name); len(r) > letters {
		return string(r[:letters-1]) + "…"
	}
	return name
}
