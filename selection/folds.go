package selection

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/transformers"
)

// learner is what Regressor and Classifier have in common.
type learner[Y float64 | int] interface {
	Fit(ctx context.Context, x mat.Matrix, y []Y) error
	Predict(x mat.Matrix) ([]Y, error)
}

// scoring evaluates a fitted learner on rows that it has not seen; weights nil
// stands for 1 each.
type scoring[Y float64 | int, E learner[Y]] func(e E, x *mat.Dense, y []Y, weights []float64) (float64, error)

// rowSet are rows with all that belongs to them; weights nil stands for 1 each.
type rowSet[Y float64 | int] struct {
	x       *mat.Dense
	y       []Y
	weights []float64
	groups  []int // nil: each its own
}

func (r rowSet[Y]) pick(rows []int) rowSet[Y] {
	return rowSet[Y]{linalg.Rows(r.x, rows), linalg.Pick(r.y, rows), linalg.Pick(r.weights, rows), linalg.Pick(r.groups, rows)}
}

// fitRows fits e, with the weights and the groups where there are some.
func fitRows[Y float64 | int, E learner[Y]](ctx context.Context, typ string, e E, rows rowSet[Y]) error {
	estimators.SetGroups(e, rows.groups)
	if rows.weights == nil {
		return e.Fit(ctx, rows.x, rows.y)
	}
	w, ok := any(e).(estimators.WeightedFitter[Y])
	if !ok || !estimators.Supports(e, estimators.Weighted) {
		return estimators.Unsupported(typ, e, estimators.Weighted)
	}
	return w.FitWeighted(ctx, rows.x, rows.y, rows.weights)
}

// job is a set of learners to fit and score on the same folds.
type job[Y float64 | int, E learner[Y]] struct {
	typ    string // for errors
	builds []func() E
	// kernels, if not nil, are those that the builds bring: learners that take kernel
	// matrices then get theirs from distances that are computed once a fold.
	kernels []kernels.Kernel
	steps   []transformers.Transformer
	rows    rowSet[Y]
	folds   []Fold
	scorers []scoring[Y, E]
	workers int
	skip    func() bool // nil: never; asked before each fit
	// observe, if not nil, is called after each fit, by one goroutine at a time.
	observe func(build, fold int, c cell)
}

// cell is what came of one learner on one fold.
type cell struct {
	scores       []float64
	fit, predict time.Duration
	err          error
}

// evaluate fits each build on each fold and scores it by each scorer; the result
// is indexed [build][fold], zero where a fit was skipped. Preprocessing is fitted once a fold. An error of one
// cell stands in the cell; only ctx's error and preprocessing's end the whole.
func (j job[Y, E]) evaluate(ctx context.Context) ([][]cell, error) {
	type part struct {
		train, test rowSet[Y]
		shared      *sharedRows
	}
	share := len(j.kernels) > 1 && j.rows.weights == nil && j.rows.groups == nil && shareable(j.folds)
	parts := make([]part, len(j.folds))
	first, rest := progress.Two(ctx, 1, float64(4*len(j.builds)))
	err := parallel.ForParts(first, j.workers, len(j.folds), func(ctx context.Context, i int) error {
		p := part{train: j.rows.pick(j.folds[i].Train), test: j.rows.pick(j.folds[i].Test)}
		if len(j.steps) > 0 { // rows that nothing prepares may have gaps, which are the estimator's
			chain, train, err := fitChain(ctx, j.typ, j.steps, p.train.x)
			if err == nil {
				p.train.x = train
				p.test.x, err = transformers.TransformContext(progress.Apart(ctx), chain, p.test.x)
			}
			if err != nil {
				return fmt.Errorf("fold %d: %w", i, err)
			}
		}
		if share {
			p.shared = &sharedRows{train: p.train.x, test: p.test.x}
		}
		parts[i] = p
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := make([][]cell, len(j.builds))
	for b := range out {
		out[b] = make([]cell, len(j.folds))
	}
	var mu sync.Mutex // observe is called by one goroutine at a time
	err = parallel.ForParts(rest, j.workers, len(j.builds)*len(j.folds), func(ctx context.Context, i int) error {
		b, f := i/len(j.folds), i%len(j.folds)
		if j.skip != nil && j.skip() {
			return nil
		}
		build := j.builds[b]
		if share {
			build = func() E { return sharing[Y](j.builds[b](), j.kernels[b], parts[f].shared) }
		}
		c := j.evaluateCell(ctx, build, parts[f].train, parts[f].test)
		if err := ctx.Err(); err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		out[b][f] = c
		if j.observe != nil {
			j.observe(b, f, c)
		}
		return nil
	})
	return out, err
}

func (j job[Y, E]) evaluateCell(ctx context.Context, build func() E, train, test rowSet[Y]) cell {
	var c cell
	e := build()
	if any(e) == nil {
		c.err = fault.Param(j.typ, "Space", "a function that returns nil", "one that returns an estimator")
		return c
	}
	classes.FitsFold(e)
	start := time.Now()
	if c.err = fitRows(ctx, j.typ, e, train); c.err != nil {
		return c
	}
	c.fit = time.Since(start)
	start = time.Now()
	for _, s := range j.scorers {
		v, err := s(e, test.x, test.y, test.weights)
		if err != nil {
			c.err = err
			return c
		}
		c.scores = append(c.scores, v)
	}
	c.predict = time.Since(start)
	return c
}

// regressionScorer and classificationScorer make scorers of metrics; the error
// names a metric of the wrong kind.
func regressionScorer(m metrics.Metric) (scoring[float64, estimators.Regressor], error) {
	switch {
	case m.Values != nil:
		return func(e estimators.Regressor, x *mat.Dense, y, weights []float64) (float64, error) {
			p, err := e.Predict(x)
			if err != nil {
				return 0, err
			}
			return m.Values(y, p, weights)
		}, nil
	case m.Variance != nil:
		return func(e estimators.Regressor, x *mat.Dense, y, weights []float64) (float64, error) {
			v, ok := e.(estimators.VariancePredictor)
			if !ok {
				return 0, estimators.Unsupported("selection", e, estimators.Variance)
			}
			mean, variance, err := v.PredictVariance(x)
			if err != nil {
				return 0, err
			}
			return m.Variance(y, mean, variance, weights)
		}, nil
	}
	return nil, fault.Param("selection", "Metric", fmt.Sprintf("%q", m.Name), "one with Values or Variance, for a regressor")
}

func classificationScorer(m metrics.Metric) (scoring[int, estimators.Classifier], error) {
	var predict func(estimators.Classifier, *mat.Dense) (*mat.Dense, error)
	var score func(y, classes []int, scores *mat.Dense, weights []float64) (float64, error)
	switch {
	case m.Labels != nil:
		return func(e estimators.Classifier, x *mat.Dense, y []int, weights []float64) (float64, error) {
			p, err := e.Predict(x)
			if err != nil {
				return 0, err
			}
			return m.Labels(y, p, weights)
		}, nil
	case m.Scores != nil:
		predict, score = rank, m.Scores
	case m.Proba != nil:
		predict, score = probabilities, m.Proba
	default:
		return nil, fault.Param("selection", "Metric", fmt.Sprintf("%q", m.Name), "one with Labels, Scores or Proba, for a classifier")
	}
	return func(e estimators.Classifier, x *mat.Dense, y []int, weights []float64) (float64, error) {
		s, err := predict(e, x)
		if err != nil {
			return 0, err
		}
		if err := learnt(m.Name, y, e.Classes()); err != nil {
			return 0, err
		}
		return score(y, e.Classes(), s, weights)
	}, nil
}

// learnt returns an error for test rows of a class that is in no training row: their true class has no probability.
func learnt(metric string, y, classes []int) error {
	for _, label := range y {
		if slices.Contains(classes, label) {
			continue
		}
		rows := 0
		for _, l := range y {
			if l == label {
				rows++
			}
		}
		have := fmt.Sprintf("all its %d rows are", rows)
		if rows == 1 {
			have = "its only row is"
		}
		return fmt.Errorf("%s: class %d is in no training row, %s in the test part: give it more rows than one, leave it out, "+
			"take StratifiedKFold with fewer folds, or a metric of labels, such as Accuracy: %w", metric, label, have, fault.ErrShape)
	}
	return nil
}

// rank returns scores by Decision, or by PredictProba where there is none.
func rank(e estimators.Classifier, x *mat.Dense) (*mat.Dense, error) {
	if d, ok := e.(estimators.DecisionPredictor); ok && estimators.Supports(e, estimators.Decision) {
		return d.Decision(x)
	}
	if p, ok := e.(estimators.ProbaPredictor); ok {
		return p.PredictProba(x)
	}
	return nil, estimators.Unsupported("selection", e, estimators.Decision)
}

func probabilities(e estimators.Classifier, x *mat.Dense) (*mat.Dense, error) {
	if p, ok := e.(estimators.ProbaPredictor); ok {
		return p.PredictProba(x)
	}
	return nil, estimators.Unsupported("selection", e, estimators.Proba)
}
