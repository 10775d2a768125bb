package extend

import (
	"fmt"
	"math"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

// Pinball returns the metric whose mean is smallest for the quantile tau, in (0, 1), of the targets. A target above the prediction
// costs tau times the error. A target below the prediction costs 1 - tau times the error (Koenker and Bassett, Econometrica 46,
// 1978). The metric can be set as the Metric of a search.
func Pinball(tau float64) metrics.Metric {
	return metrics.Metric{Name: fmt.Sprintf("Pinball(%v)", tau), Values: func(y, predicted, weights []float64) (float64, error) {
		if !(tau > 0 && tau < 1) {
			return math.NaN(), &estimators.ParamError{Type: "extend: Pinball", Field: "tau", Value: tau, Want: "in (0, 1)"}
		}
		if err := estimators.CheckTargets(predicted, len(y)); err != nil {
			return math.NaN(), err
		}
		sum, total := 0.0, 0.0
		for i, v := range y {
			w := 1.0
			if weights != nil {
				w = weights[i]
			}
			sum, total = sum+w*max(tau*(v-predicted[i]), (tau-1)*(v-predicted[i])), total+w
		}
		return sum / total, nil
	}}
}
