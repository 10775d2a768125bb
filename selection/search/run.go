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

// Run is one search of a [Strategy], over one parameter of a family or over candidates. It holds the problem, keeps the trace and
// the counts, reuses results of an earlier search, calls Observe, and checks the budget. A Fit creates one Run for each family, or
// for each turn of a family with two parameters. Only the goroutine that calls Choose may use it.
type Run struct {
	Problem  // the input; must not be changed
	shared   *Budget
	share    *Share // nil before Begin
	trace    []TraceRow
	index    map[rowKey]int // of trace rows
	recalled map[recall]TraceRow
	warnings []string
	cut      bool  // work was left out because of the budget
	failed   error // first error of a fit
	expected int   // expected number of calls of Evaluate and CrossValidate
	divided  bool  // each call receives a context with its own share of the work
	parts    *progress.Series
}

// rowKey identifies a trace row. NaN, the parameter of candidates, would not equal any key of a map.
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

func (t *TraceRow) key() rowKey {
	out := placeOf(t.Point, t.Round)
	var bits []byte
	for _, v := range t.Theta {
		bits = binary.LittleEndian.AppendUint64(bits, math.Float64bits(v))
	}
	out.theta = string(bits)
	return out
}

// recall identifies a row of Resume by its key and its number of rows.
type recall struct {
	rowKey
	rows int
}

// New returns a run of a problem. Its share of the budget begins with Begin.
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
		// Of several rows with the same key, use the last one with a score, or the last one if none has a score.
		if old, ok := r.recalled[key]; !ok || row.Basis != "" || old.Basis == "" {
			r.recalled[key] = row
		}
	}
	if p.Begun != nil {
		p.Begun(r)
	}
	return r
}

// Begin starts the run's share of the budget. If it is not called, the first Evaluate or CrossValidate starts the share.
func (r *Run) Begin() { r.spending() }

// spending returns the run's share of the budget.
func (r *Run) spending() Share {
	if r.share == nil {
		s := r.shared.Begin()
		r.share = &s
	}
	return *r.share
}

// Spent reports whether the budget of this run is spent.
func (r *Run) Spent() bool { return r.spending().Spent() }

// Cut reports whether work was left out because of the budget: a row that Evaluate refused, or points that CrossValidate did not
// score. If it returns true, a strategy should finish.
func (r *Run) Cut() bool { return r.cut }

// Trace returns a copy of the rows so far.
func (r *Run) Trace() []TraceRow { return cloneTrace(r.trace) }

// Len returns the number of rows of the trace.
func (r *Run) Len() int { return len(r.trace) }

// Row returns a row by its Iteration, from 1.
func (r *Run) Row(iteration int) TraceRow { return r.trace[iteration-1] }

// Find returns the row of a point in a round, and whether there is one. The round is 0 for strategies without rounds.
func (r *Run) Find(p Point, round int) (TraceRow, bool) {
	if row := r.row(p, round); row != nil {
		return *row, true
	}
	return TraceRow{}, false
}

// Recalled returns the row in Resume that corresponds to a row of the trace, and whether there is one.
func (r *Run) Recalled(iteration int) (TraceRow, bool) { return r.recall(&r.trace[iteration-1]) }

// Annotate lets a strategy record a decision in a row of the trace.
func (r *Run) Annotate(iteration int, write func(row *TraceRow)) { write(&r.trace[iteration-1]) }

// Rescore calls compute to score a row of the trace again. It adds the time to the row, and passes the row to Observe if it then
// has a score.
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

// Refuse records that work was left out because of the budget, so that Cut returns true.
func (r *Run) Refuse() { r.cut = true }

// FirstFailure returns the error of the first failed fit, or nil.
func (r *Run) FirstFailure() error { return r.failed }

// Warn adds a warning to the Result, unless it is already there.
func (r *Run) Warn(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(r.warnings, text) {
		r.warnings = append(r.warnings, text)
	}
}

// Warnings returns the warnings so far.
func (r *Run) Warnings() []string { return slices.Clone(r.warnings) }

// Expect announces approximately how many calls of Evaluate and CrossValidate will follow, for the progress that Observe receives.
// If it is not called, about twenty calls are expected. A wrong number only makes the progress less uniform. Pass 0 if the strategy
// passes each call a context with its share of the work.
func (r *Run) Expect(calls int) { r.expected, r.parts, r.divided = calls, nil, calls == 0 }

// nextContext returns the context of the next call.
func (r *Run) nextContext(ctx context.Context) context.Context {
	if r.divided {
		return ctx
	}
	if r.parts == nil {
		r.parts = progress.NewSeries(ctx, cmp.Or(r.expected, usualCalls))
	}
	return r.parts.Next()
}

// usualCalls is the expected number of calls if the strategy does not call Expect.
const usualCalls = 20

// KernelsOnly returns an ErrParam error that names the strategy if the run has candidates. Strategies that cannot compare
// candidates call it.
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

// add completes a row, appends it to the trace, and returns a pointer to it.
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

// row returns the trace row of a point in a round, or nil.
func (r *Run) row(p Point, round int) *TraceRow {
	if i, ok := r.index[placeOf(p, round)]; ok {
		return &r.trace[i]
	}
	return nil
}

// recall returns the row of Resume that corresponds to a row, and whether there is one.
func (r *Run) recall(row *TraceRow) (TraceRow, bool) {
	old, ok := r.recalled[recall{row.key(), row.Rows}]
	return old, ok
}

// Evaluation describes an evaluation. Resume recognises its row by Point, Round, Rows and Theta.
type Evaluation struct {
	Point

	// Rows is the number of rows used.
	Rows int

	// Aim is the target entropy. It is 0 if there is none.
	Aim float64

	// Round is the round, from 1, for strategies that evaluate a point more than once. Otherwise it is 0.
	Round int

	// Theta holds the parameters of a strategy with more parameters than Point, as in the trace.
	Theta []float64
}

// Evaluate appends a row to the trace and calls compute, which fills in its results: an entropy, or a score with its Basis. If
// Resume contains the row, that row is used instead. If compute sets Score, it must also set Basis, to [OnMatrix] or a name of its
// own. It must set Matrices to the number of kernel matrices that it computed. It reports progress through its context. Evaluate
// returns the error of compute or of ctx, or [ErrBudget].
func (r *Run) Evaluate(ctx context.Context, l Evaluation, compute func(ctx context.Context, row *TraceRow) error) (_ TraceRow, err error) {
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
		if row.Basis.scoredAfterwards() && row.Round == 0 { // its score is recalled later, when it is scored
			row.ClearScore("")
			row.Fits, row.Matrices = 0, row.Matrices-matricesOf(old.Basis)
		}
	} else {
		if err := compute(ctx, &row); err != nil {
			return TraceRow{}, err
		}
		if err := ctx.Err(); err != nil { // compute may have returned an invalid result after the context ended
			return TraceRow{}, err
		}
		row.Seconds = r.spending().Seconds() - begun
	}
	out := r.add(row)
	r.show(out)
	return *out, ctx.Err()
}

// evaluated reports whether Evaluate created the row, rather than a cross-validation.
func (t *TraceRow) evaluated() bool {
	return !math.IsNaN(t.Entropy) || t.Basis != "" && (!t.Basis.scoredAfterwards() || t.Round > 0)
}

// scoredAfterwards reports whether scores with this basis are computed after their rows are created.
func (b Basis) scoredAfterwards() bool { return b == OnPivots || b == OnRows || b == OnFolds }

// matricesOf returns the number of kernel matrices that a score takes if it is computed after the entropy.
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

// Finish returns the Result for a choice.
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
