package entropy

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/internal/closedform"
	"github.com/kernelearn/kernelearn/selection/measures"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/validation"
)

// scorer scores the kernels that a Search has found.
type scorer interface {
	// score computes the missing scores of the points, which are in the trace. It is called again with more points.
	score(ctx context.Context, points []search.Point) error
	// measure returns how the scores compare.
	measure() search.Measure
}

// newScorer returns the scorer of a search.
func newScorer(e *Search, r *search.Run, form *closedform.Form) scorer {
	n, _ := r.X.Dims()
	method := e.Method.settled(n)
	switch {
	case e.Score == CrossValidation:
		return &foldScorer{run: r, splitter: e.Splitter, metric: r.Metric(e.Metric)}
	case form == nil:
		return scored(e.Score.measure())
	case method == Exact, e.samples(n):
		return scored(e.Score.measure())
	}
	return &featureScorer{run: r, form: form, search: e, pivots: lowRankSource{search: e, x: r.X, workers: r.Workers},
		onSample: method == Subsample}
}

// scored is the scorer of a search whose scores come with the entropies, or of a search without scores.
type scored search.Measure

func (s scored) score(context.Context, []search.Point) error { return nil }

func (s scored) measure() search.Measure { return search.Measure(s) }

// foldScorer cross-validates the learner if there is more than one point.
type foldScorer struct {
	run      *search.Run
	splitter validation.Splitter
	metric   metrics.Metric
}

func (s *foldScorer) measure() search.Measure { return search.MeasureOf(s.metric) }

func (s *foldScorer) score(ctx context.Context, points []search.Point) error {
	if len(points) < 2 {
		return nil
	}
	folds, err := s.run.Folds(s.splitter)
	if err != nil {
		return err
	}
	_, err = s.run.CrossValidate(ctx, search.Trials{Points: points, Folds: folds, Metric: s.metric, Spread: true})
	return err
}

// featureScorer scores with a closed form without the complete kernel matrix. All points use the same rows, since a score depends
// on their number. It uses all rows, through the features of the pivots, if their remainder is small compared with the ridge at
// every point. Otherwise it computes exact scores of scoreRows rows.
type featureScorer struct {
	run      *search.Run
	form     *closedform.Form
	search   *Search
	pivots   lowRankSource
	onSample bool // scores use sampled rows rather than pivots for all rows

	drawn  []int            // the sampled rows
	part   *closedform.Form // the closed form on the sampled rows
	shared *kernels.Shared  // their distances
	ahead  map[float64]rowScore
}

func (s *featureScorer) measure() search.Measure { return s.search.Score.measure() }

func (s *featureScorer) score(ctx context.Context, points []search.Point) error {
	// The highest entropy needs the most pivots, so start with it.
	for i := len(points) - 1; i >= 0 && !s.onSample; i-- {
		if err := s.point(ctx, points[i], i == len(points)-1); err != nil {
			return err
		}
	}
	if !s.onSample {
		return nil
	}
	order := search.Spread(len(points))
	if s.run.Budget == 0 {
		if err := s.lookAhead(ctx, points); err != nil {
			return err
		}
	}
	for _, i := range order {
		if err := s.point(ctx, points[i], i == order[0]); err != nil {
			return err
		}
	}
	return nil
}

// basis returns the current basis of the scores.
func (s *featureScorer) basis() search.Basis {
	if s.onSample {
		return search.OnRows
	}
	return search.OnPivots
}

// point scores a point that has no score of this basis yet. For the first point of a round it ignores the budget.
func (s *featureScorer) point(ctx context.Context, p search.Point, first bool) error {
	row, _ := s.run.Find(p, 0)
	if row.Basis == s.basis() {
		return nil
	}
	if s.run.Spent() && !first {
		s.run.Refuse()
		s.run.Annotate(row.Iteration, func(row *search.TraceRow) { row.ClearScore(search.BudgetSpent) })
		return nil
	}
	if old, ok := s.run.Recalled(row.Iteration); ok {
		switch {
		case old.Basis == s.basis():
			s.run.Annotate(row.Iteration, func(row *search.TraceRow) {
				row.SetCurve(old.Ridges, s.search.Score == LogEvidence, old.Basis, old.ScoredOn)
				row.Seconds, row.Matrices = old.Seconds, old.Matrices
			})
			return nil
		case old.Basis == search.OnRows: // pivots did not suffice in the earlier search
			s.onSample = true
			return nil
		}
	}
	return s.run.Rescore(row.Iteration, func(row *search.TraceRow) error {
		row.ClearScore("")
		if s.onSample {
			return s.onRows(ctx, row)
		}
		return s.onPivots(ctx, row)
	})
}

// onPivots scores a kernel on all rows with the features of the pivots. If their remainder is too large compared with the ridge, it
// sets onSample.
func (s *featureScorer) onPivots(ctx context.Context, row *search.TraceRow) error {
	kernel := s.run.Family.Kernel(row.Param)
	limit := 0.0 // largest accepted residual; initially none
	for range 2 {
		o := s.pivots.options()
		rest := limit
		o.Decided = func(measures.Bounds) bool { return rest == 0 }
		o.Residual = rest
		l, err := measures.LowRankEntropy(ctx, kernel, s.run.X, o)
		if err != nil {
			return err
		}
		curve, mean, err := s.form.OfFeatures(ctx, l.Factor)
		if err != nil || len(curve) == 0 {
			return err
		}
		row.SetCurve(curve, s.search.Score == LogEvidence, search.OnPivots, l.Rank)
		row.Residual = l.Residual
		// The limit is in units of the mean of k(x, x).
		if limit = closedform.PivotResidual * row.Ridge / mean; l.Residual <= limit {
			return nil
		}
	}
	row.ClearScore("")
	s.onSample = true
	return nil
}

// rowScore is a score on sampled rows, computed in advance.
type rowScore struct {
	curve   []search.RidgeScore
	seconds float64
}

// lookAhead scores, in parallel, the points that onRows will need, since a reduction uses only one processor.
func (s *featureScorer) lookAhead(ctx context.Context, points []search.Point) error {
	var params []float64
	for _, i := range search.Spread(len(points)) {
		row, _ := s.run.Find(points[i], 0)
		if old, ok := s.run.Recalled(row.Iteration); row.Basis != search.OnRows && !(ok && old.Basis == search.OnRows) {
			params = append(params, row.Param)
		}
	}
	if parallel.Workers(s.run.Workers) == 1 || len(params) < 2 {
		return nil
	}
	if err := s.prepare(ctx); err != nil {
		return err
	}
	one := *s.part
	one.Workers = 1
	scores := make([]rowScore, len(params))
	err := parallel.ForEach(ctx, s.run.Workers, len(params), func(i int) (err error) {
		scores[i], err = s.scoreAt(ctx, &one, params[i])
		return err
	})
	if err != nil {
		return err
	}
	s.ahead = map[float64]rowScore{}
	for i, param := range params {
		s.ahead[param] = scores[i]
	}
	return nil
}

// prepare draws the rows once, for all parameters.
func (s *featureScorer) prepare(ctx context.Context) (err error) {
	if s.shared != nil {
		return nil
	}
	n, _ := s.run.X.Dims()
	s.drawn = s.search.draw(n, scoreRows, subsamples)
	s.part = s.form.Subset(s.drawn)
	s.shared, err = kernels.Share(ctx, linalg.Rows(s.run.X, s.drawn),
		&kernels.Options{Workers: s.run.Workers, MaxBytes: s.run.MaxKernelBytes})
	return err
}

// scoreAt scores a parameter on the drawn rows.
func (s *featureScorer) scoreAt(ctx context.Context, form *closedform.Form, param float64) (out rowScore, err error) {
	begun := s.run.Elapsed()
	var k *mat.SymDense
	if k, err = s.shared.Matrix(ctx, s.run.Family.Kernel(param)); err == nil {
		_, out.curve, err = form.OfMatrix(ctx, k, false)
	}
	out.seconds = s.run.Elapsed() - begun
	return out, err
}

// onRows computes the exact score of a kernel on scoreRows rows.
func (s *featureScorer) onRows(ctx context.Context, row *search.TraceRow) error {
	a, ok := s.ahead[row.Param]
	if ok {
		row.Seconds += a.seconds
	} else {
		if err := s.prepare(ctx); err != nil {
			return err
		}
		var err error
		if a, err = s.scoreAt(ctx, s.part, row.Param); err != nil {
			return err
		}
	}
	row.SetCurve(a.curve, s.search.Score == LogEvidence, search.OnRows, len(s.drawn))
	row.Matrices++
	return nil
}
