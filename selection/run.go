package selection

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/validation"
)

// Run is one search of a [Strategy], over one parameter of a family or over candidates: what
// is searched, and the one place that keeps the trace, counts, recalls what an earlier search
// has computed, tells Observe and looks at the budget. A Fit makes one for each family, or for
// each turn of a family of two parameters. It is for the goroutine of Choose.
type Run struct {
	problem
	budget   budget
	trace    []TraceRow
	index    map[place]int // of the rows of trace
	recalled map[recall]TraceRow
	warnings []string
	cut      bool        // the budget refused some work
	looked   *RidgeScore // what is known of the choice; nil where that is not a closed form
	failed   error       // the first fit that failed
	expected int         // calls of Evaluate and CrossValidate, or about
	parts    *progress.Series
}

// problem is what a strategy is asked.
type problem struct {
	settings
	rivals  bool           // other families are searched for the same choice
	columns string         // how they were made even, of several ways
	family  kernels.Family // nil where candidates are compared
	types   []string       // the candidates'
	named   []string       // their names; nil: none
	turns   []int          // in which they are tried, smaller first; nil: no order
	// ridgeMachine says that the learner is the machine that closed-form scores are of.
	ridgeMachine bool
	// features makes those of learners that are ridge regression on features (n×m); nil: others.
	features func(ctx context.Context, k kernels.Kernel) (*mat.Dense, error)
	x        *mat.Dense // the training rows, preprocessed
	y        []float64  // the targets of a regression, nil for a classification
	labels   []int      // the labels of a classification, nil for a regression
	weights  []float64  // of the rows, nil for 1 each
	// What was given, of which x has the distinct rows, y the means and labels the most frequent ones.
	merged      *distinct.Rows // nil: x is what was given
	givenY      []float64
	givenLabels []int
	metric      metrics.Metric
	splitter    validation.Splitter
	try         func(ctx context.Context, family kernels.Family, t trials) (tried, error)
}

// settings are those of a Fit's runs, which the estimator has as fields.
type settings struct {
	typ            string // the estimator's, for errors
	workers        int
	maxKernelBytes int64
	limit          time.Duration
	observe        func(TraceRow)
	resume         []TraceRow
	now            func() time.Time // nil: time.Now
	trail          *trail           // nil: nobody asks for what was found
	groups         []int            // of the rows given; nil: each its own
	fold           bool             // they are a part of others
}

// place is where a row of a trace belongs: NaN, a candidate's parameter, would be equal to
// no key of a map.
type place struct {
	param            float64
	candidate, round int
	theta            string
}

func placeOf(p Point, round int) place {
	if p.IsCandidate() {
		return place{candidate: p.Candidate, round: round}
	}
	return place{param: p.Param, candidate: NoCandidate, round: round}
}

// place is where the row belongs.
func (t *TraceRow) place() place {
	out := placeOf(t.Point, t.Round)
	var bits []byte
	for _, v := range t.Theta {
		bits = binary.LittleEndian.AppendUint64(bits, math.Float64bits(v))
	}
	out.theta = string(bits)
	return out
}

// recall is a place on so many rows.
type recall struct {
	place
	rows int
}

func newRun(p problem, b budget) *Run {
	r := &Run{problem: p, budget: b, index: map[place]int{}, recalled: map[recall]TraceRow{}}
	for _, row := range p.resume {
		if row.Step != nil || row.Family != r.familyName() || row.Columns != r.columns {
			continue
		}
		row.Done = 0
		key := recall{row.place(), row.Rows}
		// Of several rows of one place the last that has a score, or else the last.
		if old, ok := r.recalled[key]; !ok || row.Basis != "" || old.Basis == "" {
			r.recalled[key] = row
		}
	}
	r.trail.begin(r)
	return r
}

// Family returns the family whose parameter is searched. It returns nil if Candidates are searched.
func (r *Run) Family() kernels.Family { return r.family }

// Candidates returns the types of the candidates, nil where kernels are searched.
func (r *Run) Candidates() []string { return slices.Clone(r.types) }

// X returns the training rows (n×d), preprocessed: of rows that are equal one, with the sum of their weights. They must
// not be changed.
func (r *Run) X() *mat.Dense { return r.x }

// Targets returns the n targets of a regression, of equal rows their mean, and nil of a classification. They must not
// be changed, as Labels and Weights.
func (r *Run) Targets() []float64 { return r.y }

// Labels returns the n labels of a classification, of equal rows the most frequent one, and nil of a regression.
func (r *Run) Labels() []int { return r.labels }

// Weights returns the n weights of the rows, of mean 1, and nil for 1 each.
func (r *Run) Weights() []float64 { return r.weights }

// Workers returns the number of goroutines that may be used. 0 is GOMAXPROCS.
func (r *Run) Workers() int { return r.workers }

// MaxKernelBytes returns the limit on the size of a kernel matrix. 0 is [kernels.MaxKernelBytes].
func (r *Run) MaxKernelBytes() int64 { return r.maxKernelBytes }

// Budget returns the time that the whole Fit may search for, 0 without a limit.
func (r *Run) Budget() time.Duration { return r.limit }

// Spent reports whether the budget of this run is spent.
func (r *Run) Spent() bool { return r.budget.spent() }

// Cut reports whether the budget has left out work: a row that Evaluate refused, or points
// that CrossValidate did not score. A strategy then concludes.
func (r *Run) Cut() bool { return r.cut }

// Trace returns the rows so far, a copy.
func (r *Run) Trace() []TraceRow { return cloneTrace(r.trace) }

// Row returns a row by its Iteration, from 1.
func (r *Run) Row(iteration int) TraceRow { return r.trace[iteration-1] }

// Warn adds a warning to the Result, once.
func (r *Run) Warn(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(r.warnings, text) {
		r.warnings = append(r.warnings, text)
	}
}

// Expect says how often about Evaluate and CrossValidate are going to be called from now on, for the share done that Observe is told; without it
// some twenty calls are expected. More calls than that, or fewer, make the share less even and nothing else.
func (r *Run) Expect(calls int) { r.expected, r.parts = max(calls, 1), nil }

// next is the context of the next call.
func (r *Run) next(ctx context.Context) context.Context {
	if r.parts == nil {
		r.parts = progress.NewSeries(ctx, cmp.Or(r.expected, usualCalls))
	}
	return r.parts.Next()
}

// usualCalls are expected of a strategy that says nothing.
const usualCalls = 20

// KernelsOnly returns an ErrParam error in the name of a strategy that cannot compare
// candidates, if that is what the run is asked.
func (r *Run) KernelsOnly(strategy string) error {
	if r.family == nil {
		return fault.Param(strategy, "Space", "candidates", "kernels of a family: Grid and Halving compare candidates")
	}
	return nil
}

func (r *Run) familyName() string {
	if r.family == nil {
		return ""
	}
	return r.family.String()
}

// add appends a row for a point.
func (r *Run) add(row TraceRow) *TraceRow {
	row.Iteration, row.Family, row.Columns = len(r.trace)+1, r.familyName(), r.columns
	if row.IsCandidate() {
		row.Type = r.types[row.Candidate]
		if r.named != nil {
			row.Name = r.named[row.Candidate]
		}
	}
	r.index[row.place()] = len(r.trace)
	r.trace = append(r.trace, row)
	return &r.trace[len(r.trace)-1]
}

// at returns the row of a point, nil if there is none.
func (r *Run) at(p Point, round int) *TraceRow {
	if i, ok := r.index[placeOf(p, round)]; ok {
		return &r.trace[i]
	}
	return nil
}

// known returns what an earlier search has computed of a row.
func (r *Run) known(row *TraceRow) (TraceRow, bool) {
	old, ok := r.recalled[recall{row.place(), row.Rows}]
	return old, ok
}

// Evaluate appends a row for a point of the family and lets compute fill in what it finds there: an entropy, and a
// score with its Basis if that comes with it. Rows is how many rows it is of, aim the entropy that is looked for,
// NaN without one. Where Resume has the point on as many rows it is taken from there. Compute sets Basis with
// Score, to [OnMatrix] or a word of its own, and Matrices to the number of kernel matrices that it made. Its
// context is ctx, with which what it computes says how far it is. The error is compute's, ctx's, or [ErrBudget].
func (r *Run) Evaluate(ctx context.Context, p Point, rows int, aim float64, compute func(ctx context.Context, row *TraceRow) error) (_ TraceRow, err error) {
	defer fault.Recover(&err)
	ctx = check.Context(ctx)
	row := unscored(p)
	row.Rows, row.Aim = rows, aim
	return r.evaluate(r.next(ctx), row, compute)
}

// evaluate is Evaluate of a row that says where it belongs, with a context of its own.
func (r *Run) evaluate(ctx context.Context, row TraceRow, compute func(ctx context.Context, row *TraceRow) error) (TraceRow, error) {
	if len(r.trace) > 0 && r.Spent() {
		r.cut = true
		return TraceRow{}, ErrBudget
	}
	begun, aim := r.budget.seconds(), row.Aim
	if old, ok := r.known(&row); ok && old.evaluated() {
		row = old
		row.Aim, row.Taken, row.Chosen, row.Unscored = aim, nil, false, ""
		if row.Basis.later() && row.Round == 0 { // it is recalled when it is its turn
			row.clearScore("")
			row.Fits, row.Matrices = 0, row.Matrices-matricesOf(old.Basis)
		}
	} else {
		if err := compute(ctx, &row); err != nil {
			return TraceRow{}, err
		}
		if err := ctx.Err(); err != nil { // what compute, which may be the caller's, made of a context that has ended is not kept
			return TraceRow{}, err
		}
		row.Seconds = r.budget.seconds() - begun
	}
	out := r.add(row)
	r.show(out)
	return *out, ctx.Err()
}

// evaluated reports whether Evaluate made the row, and not a cross-validation.
func (t *TraceRow) evaluated() bool {
	return !math.IsNaN(t.Entropy) || t.Basis != "" && (!t.Basis.later() || t.Round > 0)
}

// later reports whether scores of this basis are computed after their rows.
func (b Basis) later() bool { return b == OnPivots || b == OnRows || b == OnFolds }

// matricesOf is how many kernel matrices a score took that came after the entropy.
func matricesOf(b Basis) int {
	if b == OnRows {
		return 1
	}
	return 0
}

func (r *Run) show(row *TraceRow) {
	if r.observe != nil {
		shown := *row
		shown.Ridges = slices.Clone(row.Ridges)
		shown.Taken, shown.Theta = slices.Clone(row.Taken), slices.Clone(row.Theta)
		shown.Gradient, shown.Elsewhere = slices.Clone(row.Gradient), slices.Clone(row.Elsewhere)
		r.observe(shown)
	}
}

// finish makes the Result of a choice.
func (r *Run) finish(name string, c Choice) (*Result, error) {
	if c.Iteration < 1 || c.Iteration > len(r.trace) {
		return nil, fault.Param("selection: "+name, "Choice.Iteration", c.Iteration, fmt.Sprintf("a row of the trace, 1 to %d", len(r.trace)))
	}
	for i := range r.trace {
		r.trace[i].Chosen = i == c.Iteration-1
	}
	row := &r.trace[c.Iteration-1]
	out := &Result{
		Strategy: name, Family: row.Family, Point: row.Point, Type: row.Type, Name: row.Name, Param2: missing, Entropy: row.Entropy, Bits: row.Bits,
		Target: c.Target, Status: c.Status, Score: row.Score, ScoreName: c.Measure.Name, LargerIsBetter: c.Measure.LargerIsBetter,
		Ridge: row.Ridge, LeaveOneOut: missing, Seconds: r.budget.seconds(), Warnings: r.warnings, Trace: r.trace,
		start: c.start,
	}
	if math.IsNaN(out.Entropy) && c.entropy != nil {
		out.Entropy, out.Bits = c.entropy.Entropy, c.entropy.Bits
	}
	for _, at := range row.Ridges {
		if at.Ridge == c.Ridge {
			out.Ridge, r.looked = c.Ridge, &at
			if !c.Measure.LargerIsBetter {
				out.Score = at.Score
			}
		}
	}
	if r.family != nil {
		kernel := r.family.At(row.Param)
		if c.Values != nil {
			learnt, err := learntKernel(kernel, c.Values)
			if err != nil {
				return nil, fault.Param("selection: "+name, "Choice.Values", len(c.Values), err.Error())
			}
			_, d := r.x.Dims()
			out.Ridge = missing
			if c.Ridge > 0 {
				out.Ridge = c.Ridge
			}
			kernel, out.Values, out.Lengths = learnt, slices.Clone(c.Values), slices.Clone(learnt.Lengths)
			if len(out.Lengths) != d {
				return nil, fault.Param("selection: "+name, "Choice.Values", len(c.Values), fmt.Sprintf("a length for each of %d columns, and what else the kernel has", d))
			}
		}
		out.Kernel = kernel.String()
	}
	if r.cut {
		out.Status = StatusBudget
	}
	for _, t := range r.trace {
		out.KernelMatrices += t.Matrices
		out.Fits += t.Fits
		if !math.IsNaN(t.Entropy) {
			out.Evaluations++
		}
	}
	return out, nil
}
