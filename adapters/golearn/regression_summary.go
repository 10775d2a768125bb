package golearn

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

// RegressionSummary compares predicted numbers with observed ones, like golearn's confusion matrix for classes. Its fields are
// defined as in package metrics: RMSE and MAE in the target's unit, R2 = 1 - NMSE.
type RegressionSummary struct {
	Target              string
	Rows                int
	RMSE, MAE, R2, NMSE float64
}

// SummarizeRegression compares the float class attribute of predicted with that of reference, row by row. It returns ErrShape if
// the numbers of rows differ or are 0, or unless each grid has exactly one class attribute. It returns ErrParam for a class of
// another type, or ErrNotFinite.
func SummarizeRegression(reference, predicted base.FixedDataGrid) (RegressionSummary, error) {
	const name = "golearn: SummarizeRegression"
	target, y, err := gridtable.ReadTargets(reference)
	if err != nil {
		return RegressionSummary{}, fmt.Errorf("%s: reference: %w", name, err)
	}
	_, got, err := gridtable.ReadTargets(predicted)
	if err != nil {
		return RegressionSummary{}, fmt.Errorf("%s: predicted: %w", name, err)
	}
	if len(got) != len(y) {
		return RegressionSummary{}, fault.Shape(name+": predicted has", len(got), "rows", "reference has %d", len(y))
	}
	out := RegressionSummary{Target: target.Name, Rows: len(y)}
	for _, m := range []struct {
		into *float64
		of   func(y, predicted, weights []float64) (float64, error)
	}{{&out.RMSE, metrics.RMSE}, {&out.MAE, metrics.MAE}, {&out.R2, metrics.R2}, {&out.NMSE, metrics.NMSE}} {
		if *m.into, err = m.of(y, got, nil); err != nil {
			return RegressionSummary{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	return out, nil
}

// String formats the numbers like golearn's evaluation.GetSummary.
func (s RegressionSummary) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 8, 1, ' ', 0)
	fmt.Fprintln(w, "Reference Target\tRows\tRMSE\tMAE\tNMSE")
	fmt.Fprintln(w, "----------------\t----\t----\t---\t----")
	fmt.Fprintf(w, "%s\t%d\t%.4g\t%.4g\t%.4f\n", s.Target, s.Rows, s.RMSE, s.MAE, s.NMSE)
	w.Flush() // a strings.Builder never fails
	fmt.Fprintf(&b, "Overall R2: %.4f\n", s.R2)
	return b.String()
}
