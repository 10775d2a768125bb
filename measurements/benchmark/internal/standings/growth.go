package standings

import (
	"fmt"
	"slices"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/protocol"
)

func (e *Exponent) String() string {
	if e == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f ± %.2f", e.Value, e.StandardError)
}

// Growth describes how the cost of a method grew with the number of rows.
type Growth struct {
	Method string  `json:"method"`
	Source string  `json:"source"`
	Most   int     `json:"most_rows"` // largest fit within the budget
	Error  float64 `json:"nmse_there"`
	// Fit and Predict are the exponents. Each is nil if fewer than three sizes took long enough to be measured.
	Fit     *Exponent `json:"fit,omitempty"`
	Predict *Exponent `json:"predict,omitempty"`
}

// Exponent is the exponent p of seconds = c·rows^p.
type Exponent struct {
	Value         float64 `json:"value"`
	StandardError float64 `json:"standard_error"`
	Sizes         int     `json:"sizes"`
}

// Grow computes the exponents of all methods.
func (r *Record) Grow() {
	var names []string
	for _, s := range r.Summary {
		if !slices.Contains(names, s.Method) {
			names = append(names, s.Method)
		}
	}
	for _, name := range names {
		g := Growth{Method: name, Source: methods.SourceOf(name)}
		var fit, predict [2][]float64
		for i, d := range r.Sets {
			s, ok := r.SummaryOn(d.Set, name)
			if !ok || s.OK < r.Settings.Splits {
				continue
			}
			g.Most, g.Error = r.Sets[i].TrainRows, s.Measures["NMSE"].Mean
			for _, c := range []struct {
				seconds float64
				to      *[2][]float64
			}{{*s.FitSeconds, &fit}, {*s.PredictSeconds, &predict}} {
				if c.seconds >= protocol.LeastSeconds {
					c.to[0], c.to[1] = append(c.to[0], float64(d.TrainRows)), append(c.to[1], c.seconds)
				}
			}
		}
		g.Fit, g.Predict = exponentOf(fit), exponentOf(predict)
		r.Growth = append(r.Growth, g)
	}
}

func exponentOf(points [2][]float64) *Exponent {
	if len(points[0]) < 3 {
		return nil
	}
	e := Exponent{Sizes: len(points[0])}
	e.Value, e.StandardError = growthOf(points[0], points[1])
	return &e
}

func (r *Record) SummaryOn(set, method string) (Summary, bool) {
	i := slices.IndexFunc(r.Summary, func(s Summary) bool { return s.Set == set && s.Method == method })
	if i < 0 {
		return Summary{}, false
	}
	return r.Summary[i], true
}
