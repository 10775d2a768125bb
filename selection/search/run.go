package search

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// Run is one search of a [Strategy], over one parameter of a family or over candidates: what
// is searched, and the one place that keeps the trace, counts, recalls what an earlier search
// has computed, tells Observe and looks at the budget. A Fit makes one for each family, or for
// each turn of a family of two parameters. It is for the goroutine of Choose.
type Run struct {
	Problem  // what is searched; not to be changed
	shared   *Budget
	share    *Share // nil before Begin
	trace    []TraceRow
	index    map[rowKey]int // of the rows of trace
	recalled map[recall]TraceRow
	warnings []string
	cut      bool  // the budget refused some work
	failed   error // the first fit that failed
	expected int   // calls of Evaluate and CrossValidate, or about
	divided  bool  // each call has a context of its own share
	parts    *progress.Series
}

// rowKey is where a row of a trace belongs: NaN, a candidate's parameter, would be equal to
// no key of a map.
type rowKey struct {
	param            float64
	candidate, round int
	theta            string
}

func placeOf(p Point, round int) rowKey {
	if p.IsCandidate() {
		return rowKey{candidate: p.Candidate, round: round}
	}
	return rowKey{param: p.Param, candidate: NoCandidate, round: round}
}

// key is where the row belongs.
func (t *TraceRow) key() rowKey {
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
	rowKey
	rows int
}

// New returns a run. Its part of the budget begins with Begin.
func New(p Problem, shared *Budget) *Run {
	if !p.Distinct.Repeated() {
		p.GivenTargets, p.GivenLabels = p.Targets, p.Labels
	}
	r := &Run{Problem: p, shared: shared, index: map[rowKey]int{}, recalled: map[recall]TraceRow{}}
	for _, row := range p.Resume {
		if row.Step != nil || row.Family != r.familyName() || row.Columns != r.Columns {
			continue
		}
		row.Done = 0
		key := recall{row.key(), row.Rows}
		// Of several rows of one place the last that has a score, or else the last.
		if old, ok := r.recalled[key]; !ok || row.Basis != "" || old.Basis == "" {
			r.recalled[key] = row
		}
	}
	if p.Begun != nil {
		p.Begun(r)
	}
	return r
}

// Begin begins the run's part of the budget. The first Evaluate or CrossValidate does so otherwise.
func (r *Run) Begin() { r.spending() }

// spending is the run's part of the budget.
func (r *Run) spending() Share {
	if r.share == nil {
		s := r.shared.Begin()
		r.share = &s
	}
	return *r.share
}

// Spent reports whether the budget of this run is spent.
func (r *Run) Spent() bool { return r.spending().Spent() }

// Cut reports whether the budget has left out work: a row that Evaluate refused, or points
// that CrossValidate did not score. A strategy then concludes.
func (r *Run) Cut() bool { return r.cut }

// Trace returns the rows so far, a copy.
func (r *Run) Trace() []TraceRow { return cloneTrace(r.trace) }

// Len returns the number of rows of the trace.
func (r *Run) Len() int { return len(r.trace) }

// Row returns a row by its Iteration, from 1.
func (r *Run) Row(iteration int) TraceRow { return r.trace[iteration-1] }

// Find returns the row of a point in a round, which is 0 for strategies without rounds.
func (r *Run) Find(p Point, round int) (TraceRow, bool) {
	if row := r.row(p, round); row != nil {
		return *row, true
	}
	return TraceRow{}, false
}

// Recalled returns what Resume has of a row of the trace.
func (r *Run) Recalled(iteration int) (TraceRow, bool) { return r.recall(&r.trace[iteration-1]) }

// Annotate lets a strategy write what it decided into a row of the trace.
func (r *Run) Annotate(iteration int, write func(row *TraceRow)) { write(&r.trace[iteration-1]) }

// Rescore calls compute, which scores a row of the trace again, adds the time that it took, and shows the row to Observe if
// it then has a score.
func (r *Run) Rescore(iteration int, compute func(row *TraceRow) error) error {
	row, begun := &r.trace[iteration-1], r.Elapsed()
	if err := compute(row); err != nil {
		return err
	}
	row.Seconds += r.Elapsed() - begun
	if !math.IsNaN(row.Score) {
		r.show(row)
	}
	return nil
}

// Elapsed returns the seconds since the run began.
func (r *Run) Elapsed() float64 { return r.spending().Seconds() }

// Refuse notes that the budget has left out work, so that Cut returns true.
func (r *Run) Refuse() { r.cut = true }

// FirstFailure returns the error of the first fit that failed, and nil if none did.
func (r *Run) FirstFailure() error { return r.failed }

// Warn adds a warning to the Result, once.
func (r *Run) Warn(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(r.warnings, text) {
		r.warnings = append(r.warnings, text)
	}
}

// Warnings returns the warnings so far.
func (r *Run) Warnings() []string { return slices.Clone(r.warnings) }

// Expect says how often Evaluate and CrossValidate are going to be called from now on, about, for the share that Observe is
// told. Without it some twenty calls are expected. More calls than that, or fewer, make the share less even and nothing
// else. 0 is for a strategy that gives each call a context that is its share of the work.
func (r *Run) Expect(calls int) { r.expected, r.parts, r.divided = calls, nil, calls == 0 }

// nextContext is the context of the next call.
func (r *Run) nextContext(ctx context.Context) context.Context {
	if r.divided {
		return ctx
	}
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
	if r.Family == nil {
		return fault.Param(strategy, "Space", "candidates", "kernels of a family: grid.Search and grid.Halving compare candidates")
	}
	return nil
}

func (r *Run) familyName() string {
	if r.Family == nil {
		return ""
	}
	return r.Family.String()
}

// add appends a row for a point.
func (r *Run) add(row TraceRow) *TraceRow {
	row.Iteration, row.Family, row.Columns = len(r.trace)+1, r.familyName(), r.Columns
	if row.IsCandidate() {
		row.Type = r.Candidates[row.Candidate]
		if r.Names != nil {
			row.Name = r.Names[row.Candidate]
		}
	}
	r.index[row.key()] = len(r.trace)
	r.trace = append(r.trace, row)
	return &r.trace[len(r.trace)-1]
}

// row returns the row of a point, nil if there is none.
func (r *Run) row(p Point, round int) *TraceRow {
	if i, ok := r.index[placeOf(p, round)]; ok {
		return &r.trace[i]
	}
	return nil
}

// recall returns what an earlier search has computed of a row.
func (r *Run) recall(row *TraceRow) (TraceRow, bool) {
	old, ok := r.recalled[recall{row.key(), row.Rows}]
	return old, ok
}

// Look says what an evaluation looks at. Point, Round, Rows and Theta are what Resume knows its row by.
type Look struct {
	Point

	// Rows is the number of rows that it is of.
	Rows int

	// Aim is the entropy that is looked for. It is 0 if none is.
	Aim float64

	// Round is the round, from 1, of strategies that look at a point more than once. Otherwise it is 0.
	Round int

	// Theta are the parameters of a strategy that looks at more than Point has, as the trace has them.
	Theta []float64
}

// Evaluate appends a row to the trace and calls compute, which fills in what it finds there: an entropy, or a score with its
// Basis. If Resume has the row, it is taken from there. Compute sets Basis with Score, to [OnMatrix] or a word of its own,
// and Matrices to the number of kernel matrices that it made. What it computes says through its context how far it is. The
// error is compute's, that of ctx, or [ErrBudget].
func (r *Run) Evaluate(ctx context.Context, l Look, compute func(ctx context.Context, row *TraceRow) error) (_ TraceRow, err error) {
	defer fault.Recover(&err)
	ctx = r.nextContext(check.Context(ctx))
	row := NewRow(l.Point)
	row.Rows, row.Round, row.Theta = l.Rows, l.Round, l.Theta
	if l.Aim != 0 {
		row.Aim = l.Aim
	}
	if len(r.trace) > 0 && r.Spent() {
		r.cut = true
		return TraceRow{}, ErrBudget
	}
	begun, aim := r.spending().Seconds(), row.Aim
	if old, ok := r.recall(&row); ok && old.evaluated() {
		row = old
		row.Aim, row.Taken, row.Chosen, row.Unscored = aim, nil, false, ""
		if row.Basis.scoredAfterwards() && row.Round == 0 { // it is recalled when it is its turn
			row.ClearScore("")
			row.Fits, row.Matrices = 0, row.Matrices-matricesOf(old.Basis)
		}
	} else {
		if err := compute(ctx, &row); err != nil {
			return TraceRow{}, err
		}
		if err := ctx.Err(); err != nil { // what compute, which may be the caller's, made of a context that has ended is not kept
			return TraceRow{}, err
		}
		row.Seconds = r.spending().Seconds() - begun
	}
	out := r.add(row)
	r.show(out)
	return *out, ctx.Err()
}

// evaluated reports whether Evaluate made the row, and not a cross-validation.
func (t *TraceRow) evaluated() bool {
	return !math.IsNaN(t.Entropy) || t.Basis != "" && (!t.Basis.scoredAfterwards() || t.Round > 0)
}

// scoredAfterwards reports whether scores of this basis are computed after their rows.
func (b Basis) scoredAfterwards() bool { return b == OnPivots || b == OnRows || b == OnFolds }

// matricesOf is how many kernel matrices a score took that came after the entropy.
func matricesOf(b Basis) int {
	if b == OnRows {
		return 1
	}
	return 0
}

func (r *Run) show(row *TraceRow) {
	if r.Observe != nil {
		shown := *row
		shown.Ridges = slices.Clone(row.Ridges)
		shown.Taken, shown.Theta = slices.Clone(row.Taken), slices.Clone(row.Theta)
		shown.Gradient, shown.Elsewhere = slices.Clone(row.Gradient), slices.Clone(row.Elsewhere)
		r.Observe(shown)
	}
}

// Finish returns the Result of a choice.
func (r *Run) Finish(name string, c Choice) (*Result, error) {
	if c.Iteration < 1 || c.Iteration > len(r.trace) {
		return nil, fault.Param("selection: "+name, "Choice.Iteration", c.Iteration,
			fmt.Sprintf("a row of the trace, 1 to %d", len(r.trace)))
	}
	for i := range r.trace {
		r.trace[i].Chosen = i == c.Iteration-1
	}
	row := &r.trace[c.Iteration-1]
	out := &Result{
		Strategy: name, Family: row.Family, Point: row.Point, Type: row.Type, Name: row.Name, Param2: missing, Entropy: row.Entropy,
		Bits:   row.Bits,
		Target: c.Target, Status: c.Status, Score: row.Score, ScoreName: c.Measure.Name, LargerIsBetter: c.Measure.LargerIsBetter,
		Ridge: row.Ridge, LeaveOneOut: missing, Seconds: r.spending().Seconds(), Warnings: r.warnings, Trace: r.trace,
		start: c.Start,
	}
	if math.IsNaN(out.Entropy) && c.Entropy != nil {
		out.Entropy, out.Bits = c.Entropy.Entropy, c.Entropy.Bits
	}
	for _, at := range row.Ridges {
		if at.Ridge == c.Ridge {
			out.Ridge = c.Ridge
			if !c.Measure.LargerIsBetter {
				out.Score = at.Score
			}
		}
	}
	if r.Family != nil {
		kernel := r.Family.Kernel(row.Param)
		if c.Values != nil {
			learnt, err := LearntKernel(kernel, c.Values, r.Categories)
			if err != nil {
				return nil, fault.Param("selection: "+name, "Choice.Values", len(c.Values), err.Error())
			}
			_, d := r.X.Dims()
			out.Ridge = missing
			if c.Ridge > 0 {
				out.Ridge = c.Ridge
			}
			kernel, out.Values, out.Lengths = learnt, slices.Clone(c.Values), slices.Clone(learnt.Lengths)
			if len(out.Lengths) != d {
				return nil, fault.Param("selection: "+name, "Choice.Values", len(c.Values),
					fmt.Sprintf("a length for each of %d columns, and what else the kernel has", d))
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
