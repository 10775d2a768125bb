package selection

import (
	"context"
	"slices"

	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/selection/validation"
)

// runoffFolds are those in which a learner decides. Three leave it too few rows to tell where
// targets are nearly free of noise, which is where it is asked: settled on the regression sets of
// the entropy paper, seed 7.
const runoffFolds = 5

// apart reports whether each family is searched to the end before families are compared: for
// learners other than lssvm, to which the closed forms on a part of the rows say less.
func (e *Entropy) apart(p problem) bool {
	n, _ := p.x.Dims()
	return e.scoresClosed() && e.Method == Automatic && !p.ridgeMachine && n <= secondRows
}

// scoresClosed reports whether there is a choice and a closed form makes it.
func (e *Entropy) scoresClosed() bool { return len(e.Targets) != 1 && e.Score != CrossValidation }

// finalist is a kernel of a run that may be taken.
type finalist struct {
	run    int
	choice Choice
	point  Point
	round  int // of its folds
	floor  bool
}

// runoff lets the learner decide, on folds, among the kernels that each run has best by
// LeaveOneOutEvidence and by LeaveOneOut, if one of them is best at the least ridge that a closed
// form may take. There the forms are not those of the learner: it is another machine, which
// cannot make use of so small a ridge. It returns the place of the run that has the best, and
// writes the choice.
func (e *Entropy) runoff(ctx context.Context, runs []*Run, choices []Choice, taken int) (int, error) {
	r := runs[0]
	if n, _ := r.x.Dims(); e.Score != LeaveOneOutEvidence || r.features != nil || n < runoffFolds || runs[taken].cut {
		return taken, nil
	}
	cfg, err := e.withDefaults()
	if err != nil {
		return taken, err
	}
	form, err := newClosedForm(&cfg, r)
	if form == nil || err != nil {
		return taken, err
	}
	var all []finalist
	for i, r := range runs {
		all = append(all, finalistsOf(r, i, choices[i], form)...)
	}
	if len(all) < 2 || !slices.ContainsFunc(all, func(f finalist) bool { return f.floor }) {
		return taken, nil
	}
	var splitter validation.Splitter = validation.KFold{Folds: runoffFolds, Seed: e.Seed}
	if r.labels != nil {
		splitter = validation.StratifiedKFold{Folds: runoffFolds, Seed: e.Seed}
	}
	folds, err := r.Folds(splitter)
	if err != nil {
		return taken, err
	}
	metric := r.Metric(e.Metric)
	best, score := -1, missing
	group := progress.Open(ctx)
	for i, f := range all {
		runs[f.run].Expect(1)
		at, err := runs[f.run].CrossValidate(group.Of(i, len(all)), Trials{Points: []Point{f.point}, Folds: folds, Metric: metric, Round: f.round})
		if err != nil {
			return taken, err
		}
		if v := runs[f.run].Row(at[0]).Score; measureOf(metric).better(v, score) {
			best, score = i, v
		}
	}
	if best < 0 || slices.ContainsFunc(runs, (*Run).Cut) { // not all had their turn
		return taken, nil
	}
	choices[all[best].run] = all[best].choice
	return all[best].run, nil
}

// finalistsOf are the best kernels of a run on all rows.
func finalistsOf(r *Run, at int, choice Choice, form *closedForm) (out []finalist) {
	n, _ := r.x.Dims()
	round := 0
	for _, row := range r.trace {
		round = max(round, row.Round)
	}
	rows := slices.DeleteFunc(r.Trace(), func(row TraceRow) bool { return row.Rows != n || len(row.Ridges) == 0 })
	for _, score := range []Score{LeaveOneOutEvidence, LeaveOneOut} {
		l, ok := prefer(rows, score, r.labels != nil)
		if !ok || slices.ContainsFunc(out, func(f finalist) bool { return f.point == rows[l.row].Point }) {
			continue
		}
		f := finalist{run: at, choice: choice, point: rows[l.row].Point, round: round + 1}
		f.choice.Iteration, f.choice.Ridge = rows[l.row].Iteration, l.Ridge
		least := form.minRidge * form.ridgeUnit(r.family.At(rows[l.row].Param), r.x)
		f.floor = l.Ridge <= 1.001*least // to rounding
		out = append(out, f)
	}
	return out
}
