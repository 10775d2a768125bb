package selection

import (
	"math"
	"strings"
)

// resumed is what an earlier search has computed, by parameter and, for scores of a part
// of the rows, by their number.
type resumed map[[2]float64]TraceRow

// newResumed takes the rows of a trace that are of a family; of several for one parameter the last that has a
// score, or else the last.
func newResumed(rows []TraceRow, family string) resumed {
	out := make(resumed, len(rows))
	for _, r := range rows {
		if r.Family != "" && r.Family != family {
			continue
		}
		key := [2]float64{r.Param, float64(r.Rows)}
		if old, ok := out[key]; ok && math.IsNaN(r.Score) && !math.IsNaN(old.Score) {
			continue
		}
		out[key] = r
	}
	return out
}

// entropy returns a row that has the entropy at a parameter.
func (r resumed) entropy(param float64, rows int) (TraceRow, bool) {
	row, ok := r[[2]float64{param, float64(rows)}]
	return row, ok && !math.IsNaN(row.Entropy)
}

// score returns a row that has a score at a parameter.
func (r resumed) score(param float64, rows int) (TraceRow, bool) {
	row, ok := r[[2]float64{param, float64(rows)}]
	return row, ok && !math.IsNaN(row.Score)
}

// said returns the part of a row's decision that begins so, with what parts it from
// others; "" if it has none.
func said(decision, begins string) string {
	for _, part := range strings.Split(decision, "; ") {
		part, _, _ = strings.Cut(part, ": chosen")
		if strings.HasPrefix(part, begins) {
			return "; " + part
		}
	}
	return ""
}

// unsaid returns a decision without the parts that begin so.
func unsaid(decision, begins string) string {
	var kept []string
	for _, part := range strings.Split(decision, "; ") {
		if !strings.HasPrefix(part, begins) {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, "; ")
}
