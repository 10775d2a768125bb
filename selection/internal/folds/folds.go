// Package folds fits learners on folds of rows and scores them, for cross-validation and for searches.
package folds

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/targets"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/sparse"
	"github.com/kernelearn/kernelearn/transformers"
)

// Learner is a regressor or a classifier.
type Learner[Y float64 | int] interface {
	Fit(ctx context.Context, x mat.Matrix, y []Y) error
	Predict(x mat.Matrix) ([]Y, error)
}

// Fold is a division of rows, like validation.Fold. Package validation imports this package, so its type cannot be used here.
type Fold struct{ Train, Test []int }

// Converted converts folds to another type with the same fields.
func Converted[To, From ~struct{ Train, Test []int }](folds []From) []To {
	out := make([]To, len(folds))
	for i, f := range folds {
		out[i] = To(f)
	}
	return out
}

// Scoring scores a fitted learner on held-out rows. The weights are those of these rows; nil: 1 each.
type Scoring[Y float64 | int, E Learner[Y]] func(e E, x mat.Matrix, y []Y, weights []float64) (float64, error)

// Rows holds rows with their targets, weights and groups.
type Rows[Y float64 | int] struct {
	X       *mat.Dense
	Sparse  *sparse.Rows // used in place of X if X is nil
	Y       []Y
	Weights []float64 // nil: 1 each
	Groups  []int     // nil: each row is its own group
}

// Matrix returns the matrix of the rows, dense or sparse.
func (r Rows[Y]) Matrix() mat.Matrix {
	if r.X == nil {
		return r.Sparse
	}
	return r.X
}

// Pick returns the given rows with their targets, weights and groups.
func (r Rows[Y]) Pick(rows []int) Rows[Y] {
	out := Rows[Y]{Y: linalg.Pick(r.Y, rows), Weights: linalg.Pick(r.Weights, rows), Groups: linalg.Pick(r.Groups, rows)}
	if r.X == nil {
		out.Sparse = r.Sparse.Pick(rows)
	} else {
		out.X = linalg.Rows(r.X, rows)
	}
	return out
}

// Fit fits e to the rows, with weights and groups if there are any.
func Fit[Y float64 | int, E Learner[Y]](ctx context.Context, typ string, e E, rows Rows[Y]) error {
	estimators.SetGroups(e, rows.Groups)
	if rows.Weights == nil {
		return e.Fit(ctx, rows.Matrix(), rows.Y)
	}
	w, ok := any(e).(estimators.WeightedFitter[Y])
	if !ok || !estimators.Supports(e, estimators.Weighted) {
		return estimators.Unsupported(typ, e, estimators.Weighted)
	}
	return w.FitWeighted(ctx, rows.Matrix(), rows.Y, rows.Weights)
}

// Chain combines preprocessing steps into one transformer.
func Chain(typ string, steps []transformers.Transformer, names []string) *pipeline.Transformer {
	return &pipeline.Transformer{Steps: steps, Name: typ + ": Preprocess", Names: names}
}

// FitChain fits preprocessing steps and returns them with the transformed rows. Without steps, rows may have gaps. The targets are
// for steps that learn from them, and may be nil if no step does. Names holds the names of the columns of x, or nil if they are
// unknown.
func FitChain(ctx context.Context, typ string, steps []transformers.Transformer, names []string, x *mat.Dense, targets mat.Matrix) (
	*pipeline.Transformer, *mat.Dense, error) {
	chain := Chain(typ, steps, names)
	if len(steps) == 0 {
		return chain, x, chain.Fit(ctx, mat.NewDense(1, x.RawMatrix().Cols, nil))
	}
	var z mat.Matrix
	var err error
	if targets == nil {
		z, err = chain.FitTransform(ctx, x)
	} else {
		z, err = chain.FitTransformTargets(ctx, x, targets)
	}
	if err != nil {
		return nil, nil, err
	}
	zd, err := check.Dense("the preprocessed x", z)
	return chain, zd, err
}

// Job describes learners to fit and score on folds.
type Job[Y float64 | int, E Learner[Y]] struct {
	Type   string // the caller, for errors
	Builds []func() E
	// If Kernels is not nil, it holds the kernels of the learners that Builds return. Learners that accept kernel matrices then
	// receive them, and the distances are computed once per fold.
	Kernels []kernels.Kernel
	Steps   []transformers.Transformer
	Names   []string // names of the columns before Steps; nil: unknown
	Rows    Rows[Y]
	Folds   []Fold
	Scorers []Scoring[Y, E]
	Workers int
	Skip    func() bool // is called before each fit and reports whether to skip it; nil: skip none
	// If Observe is not nil, it is called after each fit, by one goroutine at a time.
	Observe func(build, fold int, c Cell)
}

// Cell is the result of one learner on one fold.
type Cell struct {
	Scores          []float64 // one per scorer
	FitTime, Scored time.Duration
	Err             error
}

// Evaluate fits each learner on each fold and applies each scorer. The result is indexed [build][fold], and is zero for skipped
// fits. Preprocessing is fitted once per fold. The error of a learner is in its cell. Evaluate itself returns only errors of the
// preprocessing and of ctx.
func (j Job[Y, E]) Evaluate(ctx context.Context) ([][]Cell, error) {
	type part struct {
		train, test Rows[Y]
		shared      *sharedRows
	}
	share := len(j.Kernels) > 1 && j.Rows.Weights == nil && j.Rows.Groups == nil && shareable(j.Folds)
	parts := make([]part, len(j.Folds))
	first, rest := progress.Two(ctx, 1, float64(4*len(j.Builds)))
	err := parallel.ForEachPart(first, j.Workers, len(j.Folds), func(ctx context.Context, i int) error {
		p := part{train: j.Rows.Pick(j.Folds[i].Train), test: j.Rows.Pick(j.Folds[i].Test)}
		if len(j.Steps) > 0 { // without preprocessing, the estimator decides about gaps
			chain, train, err := FitChain(ctx, j.Type, j.Steps, j.Names, p.train.X, targets.Matrix(p.train.Y))
			if err == nil {
				p.train.X = train
				p.test.X, err = transformers.TransformContext(progress.Detach(ctx), chain, p.test.X)
			}
			if err != nil {
				return fmt.Errorf("fold %d: %w", i, err)
			}
		}
		if share {
			p.shared = &sharedRows{train: p.train.X, test: p.test.X}
		}
		parts[i] = p
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := make([][]Cell, len(j.Builds))
	for b := range out {
		out[b] = make([]Cell, len(j.Folds))
	}
	var mu sync.Mutex // serialises observe
	err = parallel.ForEachPart(rest, j.Workers, len(j.Builds)*len(j.Folds), func(ctx context.Context, i int) error {
		b, f := i/len(j.Folds), i%len(j.Folds)
		if j.Skip != nil && j.Skip() {
			return nil
		}
		build := j.Builds[b]
		if share {
			build = func() E { return sharing[Y](j.Builds[b](), j.Kernels[b], parts[f].shared) }
		}
		c := j.evaluateCell(ctx, build, parts[f].train, parts[f].test)
		if err := ctx.Err(); err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		out[b][f] = c
		if j.Observe != nil {
			j.Observe(b, f, c)
		}
		return nil
	})
	return out, err
}

func (j Job[Y, E]) evaluateCell(ctx context.Context, build func() E, train, test Rows[Y]) Cell {
	var c Cell
	e := build()
	if any(e) == nil {
		c.Err = fault.Param(j.Type, "Space", "a function that returns nil", "one that returns an estimator")
		return c
	}
	classes.FitsFold(e)
	start := time.Now()
	if c.Err = Fit(ctx, j.Type, e, train); c.Err != nil {
		return c
	}
	c.FitTime = time.Since(start)
	start = time.Now()
	for _, s := range j.Scorers {
		v, err := s(e, test.Matrix(), test.Y, test.Weights)
		if err != nil {
			c.Err = err
			return c
		}
		c.Scores = append(c.Scores, v)
	}
	c.Scored = time.Since(start)
	return c
}

// RegressionScorer returns the scorer of a metric, or an ErrParam error for a classification metric.
func RegressionScorer(m metrics.Metric) (Scoring[float64, estimators.Regressor], error) {
	switch {
	case m.Values != nil:
		return func(e estimators.Regressor, x mat.Matrix, y, weights []float64) (float64, error) {
			p, err := e.Predict(x)
			if err != nil {
				return 0, err
			}
			return m.Values(y, p, weights)
		}, nil
	case m.Variance != nil:
		return func(e estimators.Regressor, x mat.Matrix, y, weights []float64) (float64, error) {
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

// ClassificationScorer returns the scorer of a metric, or an ErrParam error for a regression metric.
func ClassificationScorer(m metrics.Metric) (Scoring[int, estimators.Classifier], error) {
	var predict func(estimators.Classifier, mat.Matrix) (*mat.Dense, error)
	var score func(y, classes []int, scores *mat.Dense, weights []float64) (float64, error)
	switch {
	case m.Labels != nil:
		return func(e estimators.Classifier, x mat.Matrix, y []int, weights []float64) (float64, error) {
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
	return func(e estimators.Classifier, x mat.Matrix, y []int, weights []float64) (float64, error) {
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

// learnt returns an error if the class of a test row has no training row, since such a class has no probability.
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
		return fmt.Errorf("%s: class %d is in no training row, but %s in the test part: add rows of it, leave it out, "+
			"take StratifiedKFold with fewer folds, or a metric of labels, such as Accuracy: %w", metric, label, have, fault.ErrShape)
	}
	return nil
}

// rank returns the decision values, or the probabilities if the classifier has no Decision.
func rank(e estimators.Classifier, x mat.Matrix) (*mat.Dense, error) {
	if d, ok := e.(estimators.DecisionPredictor); ok && estimators.Supports(e, estimators.Decision) {
		return d.Decision(x)
	}
	if p, ok := e.(estimators.ProbaPredictor); ok {
		return p.PredictProba(x)
	}
	return nil, estimators.Unsupported("selection", e, estimators.Decision)
}

func probabilities(e estimators.Classifier, x mat.Matrix) (*mat.Dense, error) {
	if p, ok := e.(estimators.ProbaPredictor); ok {
		return p.PredictProba(x)
	}
	return nil, estimators.Unsupported("selection", e, estimators.Proba)
}
