package search

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/internal/numeral"
)

// Status is the outcome of a search.
type Status string

// The statuses.
const (
	// StatusOK means that the entropy is within the tolerance of its target.
	StatusOK Status = "ok"
	// StatusCeiling means that all entropies of the family are below the target.
	StatusCeiling Status = "ceiling"
	// StatusFloor means that all entropies of the family are above the target.
	StatusFloor Status = "floor"
	// StatusAtomic means that no integer is within the tolerance. The nearer one is chosen.
	StatusAtomic Status = "atomic"
	// StatusNonMonotone means that the entropy falls where it should rise. The nearest computed value is chosen.
	StatusNonMonotone Status = "nonmonotone"
	// StatusUnbracketed means that both ends of an entropy.GoldenSection are on one side of its band. The nearer one is chosen.
	StatusUnbracketed Status = "unbracketed"
	// StatusUnconverged means that the tolerance was not reached within MaxEvaluations.
	StatusUnconverged Status = "unconverged"
	// StatusGrid means that the search was a grid: there was no target.
	StatusGrid Status = "grid"
	// StatusBudget means that the budget was spent. The best point so far is chosen.
	StatusBudget Status = "budget"
)

// Result is the record of a search and its choice.
type Result struct {
	// start is the Start of the choice, until the choice is fitted; see Choice.
	start loo.Start

	// Strategy is the Name of the strategy, for example "entropy".
	Strategy string `json:"strategy"`

	// Family is the family of the kernel. It is "" for a candidate.
	Family string `json:"family"`

	// Kernel is the chosen kernel. It is "" for a candidate.
	Kernel string `json:"kernel"`
	Point

	// Type is the type of the chosen candidate.
	Type string `json:"type,omitempty"`

	// Name is the name of the chosen candidate, if it has one.
	Name string `json:"name,omitempty"`

	// Param2 is the second parameter of a family with two parameters. It is NaN for other families.
	Param2 float64 `json:"param2"`

	// Entropy is the entropy of the chosen kernel. If an entropy.Search scored the kernel on all rows without computing its entropy
	// there, it is the entropy on 300 random rows. It is NaN if the strategy computed none.
	Entropy float64 `json:"entropy"`
	Bits    float64 `json:"bits"`

	// Target is the target entropy. It is NaN if there was none.
	Target float64 `json:"target"`
	Status Status  `json:"status"`

	// Score is the score of the chosen parameter. It is NaN if nothing was scored.
	Score float64 `json:"score"`

	// ScoreName is the name of Score: "leave-one-out NMSE" (smaller is better), "log evidence" (larger is better), or the metric of
	// a cross-validation.
	ScoreName string `json:"score_name"`

	// LargerIsBetter reports whether a larger Score is better.
	LargerIsBetter bool `json:"larger_is_better,omitempty"`

	// Ridge is the ridge of the closed-form score of the chosen kernel. It is NaN if there is no such score.
	Ridge float64 `json:"ridge"`

	// Lengths holds the length of each column of the preprocessed rows, or nil if none were learnt. Values holds all parameters of
	// the kernel. If categories have fixed distances, Values is set although Lengths is nil.
	Lengths []float64 `json:"lengths,omitempty"`
	Values  []float64 `json:"values,omitempty"`

	// Columns is the scaling of the columns. LeaveOneOut is the leave-one-out error of the model divided by the variance of the
	// targets, or its mean log loss for classes. Share is the model's share of the mean prediction. Unless several scalings were
	// compared, they are "", NaN and 0. Others holds the other models.
	Columns     string  `json:"columns,omitempty"`
	LeaveOneOut float64 `json:"leave_one_out"`
	Share       float64 `json:"share,omitempty"`

	// VarianceFactor multiplies the variance of the mixture of stacked models. With this factor, the leave-one-out residuals of the
	// mean have the largest likelihood under the leave-one-out variances of the mixture. It is 0 for other models.
	VarianceFactor float64 `json:"variance_factor,omitempty"`

	// Landmarks is the number of landmarks of a machine of package falkon, and EffectiveDimension is its effective dimension. Both
	// are 0 for other machines.
	Landmarks          int     `json:"landmarks,omitempty"`
	EffectiveDimension float64 `json:"effective_dimension,omitempty"`

	// Evaluations is the number of entropies computed.
	Evaluations int `json:"evaluations"`

	// KernelMatrices is the number of kernel matrices that the search itself computed. Those of the learner do not count.
	KernelMatrices int `json:"kernel_matrices"`

	// Fits is the number of fits of the learner, including the final one.
	Fits int `json:"fits"`

	// Seconds is the duration of the search. The final fit is not included.
	Seconds  float64    `json:"seconds"`
	Warnings []string   `json:"warnings,omitempty"`
	Trace    []TraceRow `json:"trace"`

	// Others holds the results of the families or scalings that were not chosen.
	Others []*Result `json:"others,omitempty"`
}

// String returns the choice and the trace as a table. A climb of a shape.Search is one line. All points that were left out because
// the budget was spent are one line, with their number. The table shows three digits of parameters, and Kernel shows all. For an
// entropy search it is
//
//	entropy: RBF(gamma=0.196), ok, entropy 0.358, leave-one-out NMSE 0.053723
//	13 entropies, 13 kernel matrices, 1 fit, 0.187 s
//	      parameter  entropy    from      to  rows  pivots     score     ridge  seconds  decision
//	   1     0.1961   0.3582  0.3582  0.3582   300       0  0.053293    0.0115    0.009  towards entropy 0.2: chosen
//	   2     0.1105   0.2652  0.2652  0.2652   300       0  0.052232    0.0012    0.007  towards entropy 0.2
//	   3    0.05899   0.1819  0.1819  0.1819   300       0  0.052552  8.79e-05    0.007  towards entropy 0.2; taken for 0.2 (ok)
//	not chosen: Matern(nu=1.5, length=6.18), leave-one-out NMSE 0.057808
//
// with these columns:
//
//	parameter         the parameter of the family, here gamma, or the number of a candidate
//	entropy, from, to the entropy of the kernel matrix, and its bounds; all three are equal if it is exact
//	rows              the number of rows used for the entropy or the fit
//	pivots            the number of rows that represent the others in an approximate entropy, or 0 if it is exact
//	score             the score named in the first line, or - if there is none
//	ridge             the ridge at which the kernel has that score
//	decision          why the search tried this row, and the result
//
// "Towards entropy 0.2" means that the search was looking for a kernel with that entropy, and "taken for 0.2 (ok)" that this kernel
// was close enough to be a candidate. "Chosen" marks the row that was fitted. "Not chosen" is followed by the best kernel of
// another family. "Mean of 3 folds" means that the row was scored with cross-validation.
func (r Result) String() string {
	var out strings.Builder
	if r.Columns != "" {
		r.ways(&out)
	}
	fmt.Fprintf(&out, "%s: %s, %s", r.Strategy, numeral.Rounded(r.Choice()), r.Status)
	if !math.IsNaN(r.Entropy) {
		fmt.Fprintf(&out, ", entropy %.3f", r.Entropy)
	}
	if !math.IsNaN(r.Score) {
		fmt.Fprintf(&out, ", %s %.5g", r.ScoreName, r.Score)
	}
	fmt.Fprintf(&out, "\n%s, %s, %s, %.3g s\n", numeral.Count(r.Evaluations, "entropy", "entropies"),
		numeral.Count(r.KernelMatrices, "kernel matrix", "kernel matrices"), numeral.Count(r.Fits, "fit", "fits"), r.Seconds)
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\tparameter\tentropy\tfrom\tto\trows\tpivots\tscore\tridge\tseconds\t  decision\n")
	untried := 0
	for i := 0; i < len(r.Trace); i++ {
		t, decision := r.Trace[i], ""
		if t.untried() {
			untried++
			continue
		}
		if n := r.climb(i); n > 1 {
			t, decision = r.bestOf(i, n)
			i += n - 1
		} else {
			decision = t.Decision()
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%d\t%d\t%s\t%s\t%.3f\t  %s\n", t.Iteration, t.Point,
			numeral.OrDash("%.4f", t.Entropy), numeral.OrDash("%.4f", t.EntropyLow), numeral.OrDash("%.4f",
				t.EntropyHigh), t.Rows, t.Rank, numeral.OrDash("%.5g", t.Score), numeral.OrDash("%.3g", t.Ridge), t.Seconds, decision)
	}
	_ = w.Flush() // writing to a strings.Builder does not fail
	if untried > 0 {
		fmt.Fprintf(&out, "%d more not scored: %s\n", untried, BudgetSpent)
	}
	if r.Landmarks > 0 {
		fmt.Fprintf(&out, "fitted on %d landmarks, effective dimension %.0f\n", r.Landmarks, r.EffectiveDimension)
	}
	for _, text := range r.Warnings {
		fmt.Fprintf(&out, "warning: %s\n", text)
	}
	for _, o := range r.Others {
		if o.Columns != "" {
			continue // the table of the scalings contains it
		}
		fmt.Fprintf(&out, "not chosen: %s, %s %.5g\n", numeral.Rounded(o.Choice()), o.ScoreName, o.Score)
	}
	return out.String()
}

// untried reports whether the budget was spent before the point was evaluated.
func (t *TraceRow) untried() bool {
	return t.Unscored == BudgetSpent && t.Fits == 0 && math.IsNaN(t.Entropy) && len(t.Taken) == 0 && !t.Chosen
}

// ways writes a table that compares the scalings.
func (r Result) ways(out *strings.Builder) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	kinds := slices.ContainsFunc(r.Others, func(o *Result) bool { return o.Family != r.Family })
	scores := slices.ContainsFunc(r.Others, func(o *Result) bool { return o.ScoreName != r.ScoreName })
	name := r.ScoreName
	if scores {
		name = "score"
	}
	fmt.Fprintf(w, "columns\t%s\tridge\tleave-one-out\tshare\t\n", name)
	for _, o := range append([]*Result{&r}, r.Others...) {
		if kinds {
			fmt.Fprintf(w, "%s, ", o.Family)
		}
		fmt.Fprintf(w, "%s\t", o.Columns)
		if scores {
			fmt.Fprintf(w, "%s ", o.ScoreName)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t\n", numeral.OrDash("%.5g", o.Score), numeral.OrDash("%.3g", o.Ridge),
			numeral.OrDash("%.4f", o.LeaveOneOut), numeral.OrDash("%.2f", o.Share))
	}
	_ = w.Flush() // writing to a strings.Builder does not fail
}

// climb returns the number of rows from i on that belong to one climb of a shape.Search.
func (r Result) climb(i int) (n int) {
	first := r.Trace[i]
	for i+n < len(r.Trace) {
		t := r.Trace[i+n]
		if len(t.Gradient) == 0 || len(t.Theta) != len(first.Theta) || t.ScoredOn != first.ScoredOn {
			break
		}
		n++
	}
	return n
}

// bestOf summarises a climb. It returns the best row, with the total seconds, and a description.
func (r Result) bestOf(i, n int) (TraceRow, string) {
	best, seconds, chosen := r.Trace[i], 0.0, ""
	for _, t := range r.Trace[i : i+n] {
		if t.Chosen {
			chosen = ": chosen"
		}
		if t.Score > best.Score || t.Chosen {
			best = t
		}
		seconds += t.Seconds
	}
	best.Seconds = seconds
	return best, fmt.Sprintf("best of %d evaluations with all derivatives, of %d logarithms%s", n, len(best.Theta), chosen)
}

// Measure returns the name of Score, and whether larger is better.
func (r *Result) Measure() Measure { return Measure{r.ScoreName, r.LargerIsBetter} }

// Choice describes the choice: the kernel, or the candidate with its type.
func (r Result) Choice() string {
	if r.Name != "" {
		return fmt.Sprintf("%s (%s)", r.Name, r.Type)
	}
	if r.IsCandidate() {
		return fmt.Sprintf("candidate %d (%s)", r.Candidate, r.Type)
	}
	return r.Kernel
}

// Clone returns a deep copy.
func (r *Result) Clone() *Result {
	if r == nil {
		return nil
	}
	out := *r
	out.Warnings = slices.Clone(r.Warnings)
	out.Lengths, out.Values = slices.Clone(r.Lengths), slices.Clone(r.Values)
	out.Trace = cloneTrace(r.Trace)
	out.Others = slices.Clone(r.Others)
	for i, o := range out.Others {
		out.Others[i] = o.Clone()
	}
	return &out
}

// MarshalJSON writes NaN as null.
func (r Result) MarshalJSON() ([]byte, error) { return marshalFields(r) }

// deepestResult limits the nesting of a Result's JSON. Scalings and families are nested in Others, and each level is parsed again
// for every level that contains it.
const deepestResult = 32

// UnmarshalJSON reads the result of MarshalJSON.
func (r *Result) UnmarshalJSON(data []byte) error {
	deep, objects := shapeOf(data)
	if deep > deepestResult {
		return fmt.Errorf("search: a Result of %d levels, at most %d are read", deep, deepestResult)
	}
	// The JSON of a trace row contains the names of its fields. Without this check a few bytes could stand for a large trace.
	if need, limit := objects*int(reflect.TypeFor[TraceRow]().Size()), 64*len(data)+1<<20; need > limit {
		return fmt.Errorf("search: a Result of %d objects in %d bytes", objects, len(data))
	}
	var out Result
	if err := unmarshalFields(data, &out); err != nil {
		return err
	}
	if i := slices.Index(out.Others, nil); i >= 0 {
		return fmt.Errorf("search: a Result whose others[%d] is null", i)
	}
	*r = out
	return nil
}

// TakeStart returns and clears the Start of the choice, for the searches of this module.
func (r *Result) TakeStart() loo.Start {
	out := r.start
	r.start = loo.Start{}
	for _, o := range r.Others {
		o.TakeStart()
	}
	return out
}
