package metrics

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// named lists the metrics that ByName finds, in the order of Names.
var named = []Metric{
	{Name: "NMSE", Values: NMSE},
	{Name: "R2", LargerIsBetter: true, Values: R2},
	{Name: "RMSE", Values: RMSE},
	{Name: "MAE", Values: MAE},
	{Name: "LogDensity", LargerIsBetter: true, Variance: LogDensity},
	{Name: "CRPS", Variance: CRPS},
	{Name: "Accuracy", LargerIsBetter: true, Labels: Accuracy},
	{Name: "GMean", LargerIsBetter: true, Labels: GMean},
	{Name: "BalancedAccuracy", LargerIsBetter: true, Labels: BalancedAccuracy},
	{Name: "MCC", LargerIsBetter: true, Labels: MCC},
	{Name: "AUC", LargerIsBetter: true, Scores: AUCOfScores},
	{Name: "AveragePrecision", LargerIsBetter: true, Scores: AveragePrecisionOfScores},
	{Name: "LogLoss", Proba: LogLoss},
	{Name: "Brier", Proba: Brier},
}

// ByName returns the [Metric] of a function of this package, given the function's name, as used in flags and settings: "RMSE",
// "LogLoss". For AUC and AveragePrecision it returns the variants for scores, with any number of classes. For an unknown name it
// returns ErrParam with a list of the names.
func ByName(name string) (Metric, error) {
	if i := slices.IndexFunc(named, func(m Metric) bool { return m.Name == name }); i >= 0 {
		return named[i], nil
	}
	return Metric{}, fault.Param("metrics", "name", name, "one of "+strings.Join(Names(), ", "))
}

// Names returns the names that [ByName] accepts: first the metrics of regressors, then those of classifiers.
func Names() []string {
	out := make([]string, len(named))
	for i, m := range named {
		out[i] = m.Name
	}
	return out
}

// ForRegression returns [NMSE], the default metric of searches and cross-validations for regressors.
func ForRegression() Metric { return named[0] }

// ForClassification returns [Accuracy], the default metric of searches and cross-validations for classifiers.
func ForClassification() Metric { return named[6] }

// ForFBeta returns [FBeta] for the class positive as a metric. Its name contains β.
func ForFBeta(positive int, beta float64) Metric {
	return Metric{Name: fmt.Sprintf("F%v", beta), LargerIsBetter: true,
		Labels: func(y, predicted []int, weights []float64) (float64, error) {
			return FBeta(y, predicted, positive, beta, weights)
		}}
}

// ForTopK returns [TopK] as a metric. Its name contains k.
func ForTopK(k int) Metric {
	return Metric{Name: fmt.Sprintf("Top%d", k), LargerIsBetter: true,
		Scores: func(y, classes []int, scores *mat.Dense, weights []float64) (float64, error) {
			return TopK(y, classes, scores, k, weights)
		}}
}
