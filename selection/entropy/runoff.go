package entropy

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/selection/internal/closedform"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/validation"
)

// runoffFolds is the number of folds of a runoff, a cross-validation of the learner. Three folds leave too few training rows for
// targets with little noise, for which runoffs take place. It was chosen on the regression sets of the entropy paper, with seed 7.
const runoffFolds = 5

// searchesEachFamily reports whether each family is searched completely before families are compared. It is true for learners other
// than lssvm, for which closed forms on a part of the rows are less informative.
func (e *Search) searchesEachFamily(r *search.Run) bool {
	n, _ := r.X.Dims()
	return e.scoresClosed() && e.Method == Automatic && !r.RidgeMachine && n <= secondRows
}

// scoresClosed reports whether the choice is made with closed forms.
func (e *Search) scoresClosed() bool { return len(e.Targets) != 1 && e.Score != CrossValidation }

// ChooseFamily implements [search.FamilyChooser]. For machines of package lssvm it compares the best kernels of all families on few
// rows, and refines the best on all rows. For other learners, closed forms on a part of the rows are less informative. It therefore
// searches each family completely, and then may choose by a cross-validation of the learner.
func (e *Search) ChooseFamily(ctx context.Context, runs []*search.Run) (taken int, choices []search.Choice, err error) {
	defer check.Begin(&ctx)(&err)
	if len(runs) == 0 {
		return 0, nil, search.ErrNoRun
	}
	choices = make([]search.Choice, len(runs))
	apart := e.searchesEachFamily(runs[0])
	if len(runs) == 1 && !apart {
		runs[0].Begin()
		choices[0], err = e.choose(ctx, runs[0], false)
		return 0, choices, err
	}
	workers := 1
	if n, _ := runs[0].X.Dims(); e.scoresClosed() && (n <= secondRows || e.samples(n)) && runs[0].Budget == 0 && runs[0].Observe == nil {
		workers = runs[0].Workers // with so few rows, a reduction uses only one processor
	}
	first, rest := progress.Two(ctx, 1, e.shareOfFinals(runs[0]))
	err = parallel.ForEachPart(first, workers, len(runs), func(ctx context.Context, i int) (err error) {
		r := runs[i]
		r.Begin()
		if choices[i], err = e.choose(ctx, r, !apart); err != nil {
			return fmt.Errorf("family %v: %w", r.Family, err)
		}
		if e.Score == CrossValidation && math.IsNaN(r.Row(choices[i].Iteration).Score) && !r.Cut() {
			return fault.Param(searchType, "Space", fmt.Sprintf("%d families", len(runs)),
				"one, or a Search that scores what it finds, to compare them by")
		}
		return nil
	})
	if err != nil {
		return 0, nil, err
	}
	taken = e.Compare(runs, choices)
	if apart {
		taken, err = e.runoff(rest, runs, choices, taken)
	} else {
		taken, err = e.finishBest(rest, runs, choices, taken)
	}
	if err != nil {
		return 0, nil, fmt.Errorf("family %v: %w", runs[taken].Family, err)
	}
	return taken, choices, nil
}

// Compare implements [search.FamilyChooser]. It compares choices with the rule of Score, or by their scores if one of them has no
// closed form.
func (e *Search) Compare(runs []*search.Run, choices []search.Choice) int {
	if len(runs) == 0 || len(choices) != len(runs) {
		return 0
	}
	evaluations := make([]search.RidgeScore, len(runs))
	closed := true
	for i, r := range runs {
		var ok bool
		evaluations[i], ok = ridgeScoreOf(r, choices[i])
		closed = closed && ok
	}
	if closed {
		return closedform.Best(evaluations, e.Score.rule(), runs[0].Labels != nil, closedform.WithinError)
	}
	taken := 0
	for i, r := range runs {
		if choices[i].Measure.Better(r.Row(choices[i].Iteration).Score, runs[taken].Row(choices[taken].Iteration).Score) {
			taken = i
		}
	}
	return taken
}

// ridgeScoreOf returns the closed-form scores of a choice at its ridge. It returns ok = false if there are none.
func ridgeScoreOf(r *search.Run, c search.Choice) (out search.RidgeScore, ok bool) {
	for _, at := range r.Row(c.Iteration).Ridges {
		if at.Ridge == c.Ridge {
			out, ok = at, true
		}
	}
	return out, ok
}

// finalist is a candidate kernel of a run.
type finalist struct {
	run    int
	choice search.Choice
	point  search.Point
	round  int // trace round of its folds
	floor  bool
}

// runoff cross-validates the learner with the kernels of each run that are best by LeaveOneOutEvidence and by LeaveOneOut. It does
// so only if one of these kernels is best at the smallest allowed ridge. There the closed forms do not describe the learner, which
// is another machine and cannot use such a small ridge. It returns the position of the best run, and updates the choice.
func (e *Search) runoff(ctx context.Context, runs []*search.Run, choices []search.Choice, taken int) (int, error) {
	r := runs[0]
	if n, _ := r.X.Dims(); e.Score != LeaveOneOutEvidence || r.Features != nil || n < runoffFolds || runs[taken].Cut() {
		return taken, nil
	}
	cfg, err := e.withDefaults()
	if err != nil {
		return taken, err
	}
	form, err := cfg.form(r)
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
	if r.Labels != nil {
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
		at, err := runs[f.run].CrossValidate(group.Step(i, len(all)),
			search.Trials{Points: []search.Point{f.point}, Folds: folds, Metric: metric, Round: f.round})
		if err != nil {
			return taken, err
		}
		if v := runs[f.run].Row(at[0]).Score; search.MeasureOf(metric).Better(v, score) {
			best, score = i, v
		}
	}
	if best < 0 || slices.ContainsFunc(runs, (*search.Run).Cut) { // some kernels were not cross-validated
		return taken, nil
	}
	choices[all[best].run] = all[best].choice
	return all[best].run, nil
}

// finalistsOf returns the kernels of a run that are best on all rows.
func finalistsOf(r *search.Run, at int, choice search.Choice, form *closedform.Form) (out []finalist) {
	n, _ := r.X.Dims()
	round := 0
	for _, row := range r.Trace() {
		round = max(round, row.Round)
	}
	rows := slices.DeleteFunc(r.Trace(), func(row search.TraceRow) bool { return row.Rows != n || len(row.Ridges) == 0 })
	for _, score := range []Score{LeaveOneOutEvidence, LeaveOneOut} {
		l, ok := closedform.Prefer(rows, score.rule(), r.Labels != nil)
		if !ok || slices.ContainsFunc(out, func(f finalist) bool { return f.point == rows[l.Row].Point }) {
			continue
		}
		f := finalist{run: at, choice: choice, point: rows[l.Row].Point, round: round + 1}
		f.choice.Iteration, f.choice.Ridge = rows[l.Row].Iteration, l.Ridge
		least := form.MinRidge * form.RidgeUnit(r.Family.Kernel(rows[l.Row].Param), r.X)
		f.floor = l.Ridge <= 1.001*least // up to rounding
		out = append(out, f)
	}
	return out
}
