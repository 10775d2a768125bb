package selection

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/transformers"
)

// learner is what Regressor and Classifier have in common.
type learner[Y float64 | int] interface {
	Fit(ctx context.Context, x mat.Matrix, y []Y) error
	Predict(x mat.Matrix) ([]Y, error)
}

// scorer evaluates a fitted learner on rows that it has not seen.
type scorer[Y float64 | int, E learner[Y]] func(e E, x *mat.Dense, y []Y) (float64, error)

// cell is what came of one learner on one fold.
type cell struct {
	scores       []float64
	fit, predict time.Duration
	err          error
}

// evaluate fits each build on each fold and scores it by each scorer; the result
// is indexed [build][fold]. Preprocessing is fitted once a fold. An error of one
// cell stands in the cell; only ctx's error and preprocessing's end the whole.
func evaluate[Y float64 | int, E learner[Y]](
	ctx context.Context, builds []func() E, steps []transformers.Transformer, x *mat.Dense, y []Y,
	folds []Fold, scorers []scorer[Y, E], workers int, observe func(build, fold int, c cell),
) ([][]cell, error) {
	type part struct {
		train, test   *mat.Dense
		yTrain, yTest []Y
	}
	parts := make([]part, len(folds))
	err := parallel.For(ctx, workers, len(folds), func(i int) error {
		f := folds[i]
		p := part{yTrain: pick(y, f.Train), yTest: pick(y, f.Test)}
		chain, train, err := fitChain(ctx, steps, rowsOf(x, f.Train))
		if err == nil {
			p.train = train
			p.test, err = applyChain(chain, rowsOf(x, f.Test))
		}
		if err != nil {
			return fmt.Errorf("fold %d: %w", i, err)
		}
		parts[i] = p
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := make([][]cell, len(builds))
	for b := range out {
		out[b] = make([]cell, len(folds))
	}
	var mu sync.Mutex // observe is called by one goroutine at a time
	err = parallel.For(ctx, workers, len(builds)*len(folds), func(i int) error {
		b, f := i/len(folds), i%len(folds)
		c := evaluateCell(ctx, builds[b], parts[f].train, parts[f].yTrain, parts[f].test, parts[f].yTest, scorers)
		if err := ctx.Err(); err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		out[b][f] = c
		if observe != nil {
			observe(b, f, c)
		}
		return nil
	})
	return out, err
}

func evaluateCell[Y float64 | int, E learner[Y]](
	ctx context.Context, build func() E, train *mat.Dense, yTrain []Y, test *mat.Dense, yTest []Y, scorers []scorer[Y, E],
) cell {
	var c cell
	e := build()
	if any(e) == nil {
		c.err = fault.Param("selection", "Build", "a function that returns nil", "one that returns an estimator")
		return c
	}
	start := time.Now()
	if c.err = e.Fit(ctx, train, yTrain); c.err != nil {
		return c
	}
	c.fit = time.Since(start)
	start = time.Now()
	for _, s := range scorers {
		v, err := s(e, test, yTest)
		if err != nil {
			c.err = err
			return c
		}
		c.scores = append(c.scores, v)
	}
	c.predict = time.Since(start)
	return c
}

// fitChain fits clones of the steps one after the other and returns them with
// the transformed rows.
func fitChain(ctx context.Context, steps []transformers.Transformer, x *mat.Dense) ([]transformers.Transformer, *mat.Dense, error) {
	out := make([]transformers.Transformer, len(steps))
	for i, s := range steps {
		t, err := estimators.Clone(fmt.Sprintf("selection: Preprocess[%d]", i), s)
		if err != nil {
			return nil, nil, err
		}
		if err := t.Fit(ctx, x); err != nil {
			return nil, nil, fmt.Errorf("selection: Preprocess[%d] (%T): %w", i, s, err)
		}
		if x, err = t.Transform(x); err != nil {
			return nil, nil, fmt.Errorf("selection: Preprocess[%d] (%T): %w", i, s, err)
		}
		out[i] = t
	}
	return out, x, nil
}

func applyChain(chain []transformers.Transformer, x mat.Matrix) (*mat.Dense, error) {
	d, isDense := x.(*mat.Dense)
	for i, t := range chain {
		var err error
		if d, err = t.Transform(x); err != nil {
			return nil, fmt.Errorf("selection: Preprocess[%d] (%T): %w", i, t, err)
		}
		x, isDense = d, true
	}
	if !isDense {
		d = mat.DenseCopyOf(x)
	}
	return d, nil
}

func pick[T any](v []T, rows []int) []T {
	out := make([]T, len(rows))
	for i, r := range rows {
		out[i] = v[r]
	}
	return out
}

func rowsOf(x *mat.Dense, rows []int) *mat.Dense {
	_, d := x.Dims()
	out := mat.NewDense(len(rows), d, nil)
	for i, r := range rows {
		out.SetRow(i, x.RawRowView(r))
	}
	return out
}

// regressionScorer and classificationScorer make scorers of metrics; the error
// names a metric of the wrong kind.
func regressionScorer(m metrics.Metric) (scorer[float64, estimators.Regressor], error) {
	if m.Values == nil {
		return nil, fault.Param("selection", "Metric", fmt.Sprintf("%q", m.Name), "one with Values, for a regressor")
	}
	return func(e estimators.Regressor, x *mat.Dense, y []float64) (float64, error) {
		p, err := e.Predict(x)
		if err != nil {
			return 0, err
		}
		return m.Values(y, p)
	}, nil
}

func classificationScorer(m metrics.Metric) (scorer[int, estimators.Classifier], error) {
	switch {
	case m.Labels != nil:
		return func(e estimators.Classifier, x *mat.Dense, y []int) (float64, error) {
			p, err := e.Predict(x)
			if err != nil {
				return 0, err
			}
			return m.Labels(y, p)
		}, nil
	case m.Scores != nil:
		return func(e estimators.Classifier, x *mat.Dense, y []int) (float64, error) {
			s, err := rank(e, x)
			if err != nil {
				return 0, err
			}
			return m.Scores(y, e.Classes(), s)
		}, nil
	}
	return nil, fault.Param("selection", "Metric", fmt.Sprintf("%q", m.Name), "one with Labels or Scores, for a classifier")
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

// better compares two scores of a metric; NaN is worse than any.
func better(m metrics.Metric, a, b float64) bool {
	switch {
	case math.IsNaN(a):
		return false
	case math.IsNaN(b):
		return true
	case m.LargerIsBetter:
		return a > b
	}
	return a < b
}
