package ranking

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

// Ranking holds the candidates, best first.
type Ranking struct {
	Criterion Criterion
	Entries   []Entry // ties in the order of the candidates
	// Metric is the metric of Entry.Score. It is the zero value if there is no learner.
	Metric metrics.Metric
	labels bool // for a classification, for which there are FSM and CSM
	// These fields record whether entropies were computed, and the band of the options.
	entropies              bool
	minEntropy, maxEntropy float64
}

// SortedBy returns the same entries, sorted by another criterion. If there are entropies and the criterion is a measure, entries
// outside the band follow those inside it, the nearest first. It returns ErrParam for a criterion that was not computed.
func (r *Ranking) SortedBy(c Criterion) (*Ranking, error) {
	if err := r.can(c); err != nil {
		return nil, err
	}
	out := *r
	out.Criterion = c
	out.Entries = slices.Clone(r.Entries)
	gap := func(e Entry) float64 { // distance of the entropy from the band
		if !r.entropies || c == CrossValidation {
			return 0
		}
		return max(r.minEntropy-e.Entropy, e.Entropy-r.maxEntropy, 0)
	}
	slices.SortStableFunc(out.Entries, func(a, b Entry) int {
		x, y := r.cost(c, a), r.cost(c, b)
		if math.IsNaN(x) || math.IsNaN(y) {
			return cmp.Compare(decimals(x), decimals(y))
		}
		return cmp.Or(cmp.Compare(gap(a), gap(b)), cmp.Compare(x, y))
	})
	return &out, nil
}

// decimals returns 1 for NaN, which is sorted last, and 0 for numbers.
func decimals(v float64) int {
	if math.IsNaN(v) {
		return 1
	}
	return 0
}

func (r *Ranking) can(c Criterion) error {
	const typ = "ranking"
	switch {
	case c < CrossValidation || c > CSM:
		return fault.Param(typ, "By", c, "CrossValidation, KTA, CentredKTA, FSM or CSM")
	case c == CrossValidation && r.Metric.Name == "":
		return fault.Param(typ, "By", c, "a measure, or a build for the learner to cross-validate")
	case (c == FSM || c == CSM) && !r.labels:
		return fault.Param(typ, "By", c, "CrossValidation, KTA or CentredKTA for real targets")
	}
	return nil
}

// cost returns a value that is smaller for better entries. It returns NaN if the entry cannot be ranked.
func (r *Ranking) cost(c Criterion, e Entry) float64 {
	switch c {
	case KTA:
		return -e.KTA
	case CentredKTA:
		return -e.CentredKTA
	case FSM:
		return e.FSM
	case CSM:
		return e.CSM
	}
	if r.Metric.LargerIsBetter {
		return -e.Score
	}
	return e.Score
}

// String returns the ranking as a table of the computed columns, with a dash for failures. Entropies outside the band are marked,
// and errors follow the table.
func (r *Ranking) String() string {
	var text, notes strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, strings.Join(r.header(), "\t"))
	marked := false
	for i, e := range r.Entries {
		fmt.Fprintln(table, strings.Join(r.row(i+1, e), "\t"))
		marked = marked || e.Outside
		if e.Err != nil {
			fmt.Fprintf(&notes, "%v: %s\n", e.Kernel, strings.ReplaceAll(e.Err.Error(), "\n", "; "))
		}
	}
	_ = table.Flush() // writing to a strings.Builder does not fail
	if marked {
		fmt.Fprintf(&text, "* entropy outside [%v, %v]\n", r.minEntropy, r.maxEntropy)
	}
	return text.String() + notes.String()
}

func (r *Ranking) header() []string {
	out := []string{"rank", "kernel", "KTA", "centred KTA"}
	if r.labels {
		out = append(out, "CSM", "FSM", "FSMErr")
	}
	if r.entropies {
		out = append(out, "entropy")
	}
	if r.Metric.Name != "" {
		out = append(out, r.Metric.Name, "sd")
	}
	return out
}

func (r *Ranking) row(rank int, e Entry) []string {
	number := func(v float64) string {
		if math.IsNaN(v) {
			return "-"
		}
		return fmt.Sprintf("%.4f", v)
	}
	place := fmt.Sprint(rank)
	if math.IsNaN(r.cost(r.Criterion, e)) {
		place = "-"
	}
	out := []string{place, fmt.Sprint(e.Kernel), number(e.KTA), number(e.CentredKTA)}
	if r.labels {
		out = append(out, number(e.CSM), number(e.FSM), number(e.FSMErr))
	}
	if r.entropies {
		mark := ""
		if e.Outside {
			mark = "*"
		}
		out = append(out, number(e.Entropy)+mark)
	}
	if r.Metric.Name != "" {
		out = append(out, number(e.Score), number(e.ScoreSD))
	}
	return out
}
