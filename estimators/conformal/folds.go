package conformal

import (
	"cmp"
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/groups"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// learnFolds fits an estimator for each fold, to the rows of the other folds, and computes the scores of the fold.
func (m *model) learnFolds(ctx context.Context, r *Regressor) error {
	n := len(m.y)
	if m.method == Split {
		choose, held, err := m.halves(r)
		if err != nil {
			return err
		}
		first, rest := ctx, ctx
		if r.Spread != nil {
			first, rest = progress.Two(ctx, 1, 1)
		}
		if m.chosen, err = m.fitOn(first, r, choose); err != nil {
			return err
		}
		m.held = held
		of, err := m.fitSpread(rest, r, m.chosen, choose)
		if err != nil {
			return err
		}
		m.folds = []fold[estimators.Regressor]{{fitted: m.chosen, rows: held, spread: of}}
		tell(ctx, 1, 1, "fitted")
		return m.score(ctx, r)
	}
	k := min(cmp.Or(r.Folds, defaultFolds), m.units())
	if k < 2 {
		return fault.Shape("x has", n, "different rows", "method %v needs at least 2", m.method)
	}
	p, err := parts(m.groups, nil, r.Seed, sizes(n, k)...)
	if err != nil {
		return err
	}
	return m.learnParts(ctx, r, p)
}

// units returns the number of groups that can be left out, or of rows if there are no groups.
func (m *model) units() int {
	if m.groups == nil {
		return len(m.y)
	}
	return groups.Count(m.groups)
}

// learnParts fits the estimators of CV+ with the given parts of the rows as folds.
func (m *model) learnParts(ctx context.Context, r *Regressor, parts [][]int) error {
	n, k := len(m.y), len(parts)
	m.held = rowsUpTo(n)
	group := progress.Open(ctx)
	for i, rows := range parts {
		others := complement(n, rows)
		first := group.Step(i, k+2)
		rest := first
		if r.Spread != nil {
			first, rest = progress.Two(first, 1, 1)
		}
		fitted, err := m.fitOn(first, r, others)
		if err != nil {
			return err
		}
		of, err := m.fitSpread(rest, r, fitted, others)
		if err != nil {
			return err
		}
		m.folds = append(m.folds, fold[estimators.Regressor]{fitted: fitted, rows: rows, spread: of})
		tell(ctx, i+1, k+1, "fitted without a fold")
	}
	if err := m.score(group.Step(k, k+2), r); err != nil {
		return err
	}
	var err error
	if m.chosen, err = m.fitOn(group.Step(k+1, k+2), r, m.held); err != nil {
		return err
	}
	tell(ctx, k+1, k+1, "fitted to all rows")
	return nil
}

// complement returns the numbers from 0 to n-1 that rows, which is in ascending order, does not contain.
func complement(n int, rows []int) []int {
	out := make([]int, 0, n-len(rows))
	for i := range n {
		if len(rows) > 0 && rows[0] == i {
			rows = rows[1:]
			continue
		}
		out = append(out, i)
	}
	return out
}

// score computes the scores of the rows of each fold: the residuals, divided by the standard deviations if they are scaled.
func (m *model) score(ctx context.Context, r *Regressor) error {
	loop, done := progress.NewLoop(ctx), 0
	defer loop.End()
	for at, f := range m.folds {
		m.folds[at].scores = make([]float64, len(f.rows))
		for first := 0; first < len(f.rows); first += scoredRows {
			if err := ctx.Err(); err != nil {
				return err
			}
			rows := f.rows[first:min(first+scoredRows, len(f.rows))]
			mean, sd, err := deviations(r, f.fitted, f.spread, linalg.Rows(m.rows, rows))
			if err != nil {
				return err
			}
			done += len(rows)
			loop.Report(float64(done) / float64(len(m.held)))
			for i, row := range rows {
				m.folds[at].scores[first+i] = math.Abs(m.y[row]-mean[i]) / sd[i]
			}
		}
	}
	return nil
}

// scoredRows is the number of rows that are predicted between two checks of the context. The cost of a variance may be quadratic in
// the number of training rows.
const scoredRows = 128

// deviations returns the predictions and their standard deviations, or 1 without scaling. If there is a spread, the standard
// deviations are multiplied by it.
func deviations(r *Regressor, fitted estimators.Regressor, of *spread, x mat.Matrix) (mean, sd []float64, err error) {
	v, ok := fitted.(estimators.VariancePredictor)
	if !ok || r.NoScaling || !estimators.Supports(fitted, estimators.Variance) {
		if mean, err = fitted.Predict(x); err != nil {
			return nil, nil, err
		}
		sd = make([]float64, len(mean))
		for i := range sd {
			sd[i] = 1
		}
		return mean, sd, of.scale(sd, x)
	}
	if mean, sd, err = v.PredictVariance(x); err != nil {
		return nil, nil, err
	}
	for i, s := range sd {
		// A variance of 0 would not scale the residual, so it is replaced by the smallest positive number.
		sd[i] = max(math.Sqrt(s), math.SmallestNonzeroFloat64)
	}
	return mean, sd, of.scale(sd, x)
}

// folded computes the intervals of the rows of x from the estimators of all folds.
func (r *Regressor) folded(x *mat.Dense, of func(int) members, level float64, low, high []float64) error {
	n, _ := x.Dims()
	predicted, err := r.m.chosen.Predict(x)
	if err != nil {
		return err
	}
	scores, from := make([]float64, len(r.m.y)), make([]int, len(r.m.y)) // score and fold of each row whose score counts
	means, sds := make([][]float64, len(r.m.folds)), make([][]float64, len(r.m.folds))
	for at, f := range r.m.folds {
		if means[at], sds[at], err = deviations(r, f.fitted, f.spread, x); err != nil {
			return err
		}
		for i, row := range f.rows {
			scores[row], from[row] = f.scores[i], at
		}
	}
	for i := range n {
		a := of(i)
		lows, highs := make([]float64, len(a.rows)), make([]float64, len(a.rows))
		for k, row := range a.rows {
			f, width := means[from[row]][i], scores[row]*sds[from[row]][i]
			if r.m.method == Split { // Split compares the scores themselves, without rounding
				f = 0
			}
			lows[k], highs[k] = width-f, f+width
		}
		low[i], high[i] = -end(lows, a.ratios, a.ratio, level), end(highs, a.ratios, a.ratio, level)
		if r.m.method == Split {
			low[i], high[i] = low[i]+means[0][i], high[i]+means[0][i]
		}
		// At low levels both bounds may lie on the same side of the prediction, or be reversed.
		low[i], high[i] = min(low[i], predicted[i]), max(high[i], predicted[i])
	}
	return nil
}
