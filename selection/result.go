package selection

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// Status says how a search ended.
type Status string

// The statuses.
const (
	StatusOK          Status = "ok"          // the entropy is within the tolerance of its target
	StatusCeiling     Status = "ceiling"     // the family or the rows do not reach the target from below
	StatusFloor       Status = "floor"       // the family stays above the target
	StatusAtomic      Status = "atomic"      // no whole number comes within the tolerance: the nearer one
	StatusNonMonotone Status = "nonmonotone" // the entropy falls where it should rise: the nearest seen
	StatusUnbracketed Status = "unbracketed" // both ends of a GoldenSection lie on one side of its band: the nearer
	StatusUnconverged Status = "unconverged" // the tolerance was not reached in MaxEvaluations
	StatusGrid        Status = "grid"        // a grid: there was no target
	StatusBudget      Status = "budget"      // the budget was spent: the best of what was scored before
)

// Result is what a search did and chose.
type Result struct {
	Strategy string  `json:"strategy"` // "entropy", "grid" or "golden section"
	Family   string  `json:"family"`
	Kernel   string  `json:"kernel"` // the chosen one; of Candidates its number and type
	Param    float64 `json:"param"`
	Param2   float64 `json:"param2"`  // the second parameter of a Family2; NaN for others
	Entropy  float64 `json:"entropy"` // of the chosen kernel; NaN where the strategy computed none
	Bits     float64 `json:"bits"`
	Target   float64 `json:"target"` // the entropy that was aimed at; NaN without one
	Status   Status  `json:"status"`
	Score    float64 `json:"score"` // of the chosen parameter; NaN where nothing was scored
	// ScoreName says what Score is: "leave-one-out NMSE" (less is better), "log
	// evidence" (more is), or the metric of a cross-validation.
	ScoreName      string `json:"score_name"`
	LargerIsBetter bool   `json:"larger_is_better,omitempty"` // of Score
	// Ridge is the one at which the chosen kernel had its closed-form score, NaN
	// without.
	Ridge          float64    `json:"ridge"`
	Evaluations    int        `json:"evaluations"`     // entropies computed
	KernelMatrices int        `json:"kernel_matrices"` // made by the search itself, not by the learner
	Fits           int        `json:"fits"`            // of the learner, the final one included
	Seconds        float64    `json:"seconds"`         // of the search, without the final fit
	Warnings       []string   `json:"warnings,omitempty"`
	Trace          []TraceRow `json:"trace"`
	// Others are the results of the other Families, whose scores were worse.
	Others []*Result `json:"others,omitempty"`
}

// TraceRow is one step of a search. What was not computed is NaN, null in JSON.
type TraceRow struct {
	Iteration int `json:"iter"` // from 1
	// Family is that of Param; of a Family2 it says the other parameter too, as Fixed
	// does. Where Candidates are compared it is "candidates", and Param their number.
	Family        string  `json:"family,omitempty"`
	Param         float64 `json:"param"`
	EntropyLow    float64 `json:"E_lo"` // a bound; equal to Entropy where it is exact
	Entropy       float64 `json:"E"`
	EntropyHigh   float64 `json:"E_hi"`
	Bits          float64 `json:"bits"`
	EffectiveRank float64 `json:"eff_rank"`
	Rows          int     `json:"n_used"`
	Rank          int     `json:"m,omitempty"`     // pivots of a low-rank entropy; 0: exact
	Residual      float64 `json:"resid,omitempty"` // the share of the trace that they leave
	StandardError float64 `json:"se,omitempty"`    // of Entropy, from subsamples
	Score         float64 `json:"score"`
	Ridge         float64 `json:"ridge"`
	Seconds       float64 `json:"seconds"`
	Decision      string  `json:"decision"` // for people
}

// String returns the choice and the trace as a table for people.
func (r Result) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s: %s, %s", r.Strategy, r.Kernel, r.Status)
	if !math.IsNaN(r.Entropy) {
		fmt.Fprintf(&out, ", entropy %.3f", r.Entropy)
	}
	if !math.IsNaN(r.Score) {
		fmt.Fprintf(&out, ", %s %.5g", r.ScoreName, r.Score)
	}
	fmt.Fprintf(&out, "\n%d entropies, %d kernel matrices, %d fits, %.3g s\n", r.Evaluations, r.KernelMatrices, r.Fits, r.Seconds)
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\tparameter\tentropy\tfrom\tto\trows\tpivots\tscore\tridge\tseconds\t  decision\n")
	for _, t := range r.Trace {
		fmt.Fprintf(w, "%d\t%.4g\t%s\t%s\t%s\t%d\t%d\t%s\t%s\t%.3f\t  %s\n", t.Iteration, t.Param,
			orDash("%.4f", t.Entropy), orDash("%.4f", t.EntropyLow), orDash("%.4f", t.EntropyHigh), t.Rows, t.Rank, orDash("%.5g", t.Score), orDash("%.3g", t.Ridge), t.Seconds, t.Decision)
	}
	_ = w.Flush() // a strings.Builder takes everything
	for _, text := range r.Warnings {
		fmt.Fprintf(&out, "warning: %s\n", text)
	}
	for _, o := range r.Others {
		fmt.Fprintf(&out, "not taken: %s, %s %.5g\n", o.Kernel, o.ScoreName, o.Score)
	}
	return out.String()
}

// orDash formats a number that may be missing.
func orDash(format string, v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf(format, v)
}

// clone returns a deep copy: what a caller gets, it may change.
func (r *Result) clone() *Result {
	if r == nil {
		return nil
	}
	out := *r
	out.Warnings = slices.Clone(r.Warnings)
	out.Trace = slices.Clone(r.Trace)
	out.Others = slices.Clone(r.Others)
	for i, o := range out.Others {
		out.Others[i] = o.clone()
	}
	return &out
}

// number is a float64 that JSON writes as null when it is NaN, and as a string
// when it is infinite (an NMSE of a constant target): JSON has no such numbers.
type number float64

func (f number) MarshalJSON() ([]byte, error) {
	switch v := float64(f); {
	case math.IsNaN(v):
		return []byte("null"), nil
	case math.IsInf(v, 1):
		return []byte(`"+Inf"`), nil
	case math.IsInf(v, -1):
		return []byte(`"-Inf"`), nil
	default:
		return json.Marshal(v)
	}
}

func (f *number) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case "null":
		*f = number(math.NaN())
		return nil
	case `"+Inf"`:
		*f = number(math.Inf(1))
		return nil
	case `"-Inf"`:
		*f = number(math.Inf(-1))
		return nil
	}
	return json.Unmarshal(data, (*float64)(f))
}

// The plain types have the fields and tags of their originals without the
// methods; a shadowed field is written and read as a number in its place.
type (
	plainResult Result
	plainRow    TraceRow
)

type resultJSON struct {
	*plainResult
	Param2  number `json:"param2"`
	Entropy number `json:"entropy"`
	Bits    number `json:"bits"`
	Target  number `json:"target"`
	Score   number `json:"score"`
	Ridge   number `json:"ridge"`
}

type rowJSON struct {
	*plainRow
	EntropyLow    number `json:"E_lo"`
	Entropy       number `json:"E"`
	EntropyHigh   number `json:"E_hi"`
	Bits          number `json:"bits"`
	EffectiveRank number `json:"eff_rank"`
	Score         number `json:"score"`
	Ridge         number `json:"ridge"`
}

// MarshalJSON writes NaN as null.
func (r Result) MarshalJSON() ([]byte, error) {
	return json.Marshal(resultJSON{
		plainResult: (*plainResult)(&r), Param2: number(r.Param2), Entropy: number(r.Entropy), Bits: number(r.Bits),
		Target: number(r.Target), Score: number(r.Score), Ridge: number(r.Ridge),
	})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *Result) UnmarshalJSON(data []byte) error {
	var p plainResult
	j := resultJSON{plainResult: &p, Param2: number(missing)} // older files have none
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	p.Param2, p.Entropy, p.Bits, p.Target, p.Score, p.Ridge = float64(j.Param2), float64(j.Entropy), float64(j.Bits), float64(j.Target), float64(j.Score), float64(j.Ridge)
	*r = Result(p)
	return nil
}

// MarshalJSON writes NaN as null.
func (t TraceRow) MarshalJSON() ([]byte, error) {
	return json.Marshal(rowJSON{
		plainRow: (*plainRow)(&t), EntropyLow: number(t.EntropyLow), Entropy: number(t.Entropy), EntropyHigh: number(t.EntropyHigh),
		Bits: number(t.Bits), EffectiveRank: number(t.EffectiveRank), Score: number(t.Score), Ridge: number(t.Ridge),
	})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (t *TraceRow) UnmarshalJSON(data []byte) error {
	var p plainRow
	j := rowJSON{plainRow: &p}
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	p.EntropyLow, p.Entropy, p.EntropyHigh = float64(j.EntropyLow), float64(j.Entropy), float64(j.EntropyHigh)
	p.Bits, p.EffectiveRank, p.Score, p.Ridge = float64(j.Bits), float64(j.EffectiveRank), float64(j.Score), float64(j.Ridge)
	*t = TraceRow(p)
	return nil
}

// missing is the value of what was not computed.
var missing = math.NaN()
