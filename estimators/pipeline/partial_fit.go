package pipeline

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/targets"
	"github.com/kernelearn/kernelearn/streaming"
)

// partialFit fits a pipeline to more rows and returns it. If old is nil, it fits the steps and the final estimator of a new
// pipeline to these rows. Otherwise it fits the final estimator of old to these rows in addition to earlier ones.
func partialFit[Y float64 | int, E learner[[]Y, []Y]](
	ctx context.Context, c, old *chain[[]Y, []Y, E], x mat.Matrix, y []Y,
) (*chain[[]Y, []Y, E], error) {
	if check.IsNil(c.final) {
		return nil, fault.Param(c.steps.Name, "Final", nil, "an estimator")
	}
	if _, err := capable[estimators.PartialFitter[Y]](c, estimators.Partial); err != nil {
		return nil, err
	}
	out := old
	var z mat.Matrix // x transformed by the steps
	if old == nil {
		var err error
		if out, err = c.unfitted(); err != nil {
			return nil, err
		}
		if z, err = out.steps.learn(ctx, x, targets.Matrix(y)); err != nil {
			return nil, err
		}
		out.nameFinal()
		n, _ := x.Dims()
		for i, s := range out.steps.fitted.Steps {
			if w, ok := s.(interface{ RowsWanted() int }); ok && n < w.RowsWanted() {
				out.few = append(out.few,
					fmt.Sprintf("%s: the first chunk has %d rows for the %d that are set: later chunks add none, so begin with a "+
						"larger one",
						c.steps.stepName(i, s), n, w.RowsWanted()))
			}
		}
	}
	final, err := capable[estimators.PartialFitter[Y]](out, estimators.Partial)
	if err != nil {
		return nil, err
	}
	if z == nil {
		if z, err = out.rows(x); err != nil {
			return nil, err
		}
	}
	return out, out.ofFinal(final.PartialFit(ctx, z, y))
}

// learn fits the steps from statistics if all steps support this, so that one chunk leads to the same fit as its rows in several
// parts. It returns the transformed rows if it has computed them.
func (t *Transformer) learn(ctx context.Context, x, targets mat.Matrix) (mat.Matrix, error) {
	if !t.Supports(estimators.Mergeable) || len(t.Steps) == 0 {
		return t.fit(ctx, x, targets, true)
	}
	return nil, t.learnStatistics(ctx, x)
}

func (t *Transformer) learnStatistics(ctx context.Context, x mat.Matrix) error {
	s, err := newStages[streaming.None](t, nil, "")
	if err != nil {
		return err
	}
	rows, err := check.DenseGaps("x", x, check.Anywhere) // gaps are allowed here, because the first step checks the rows
	if err != nil {
		return fmt.Errorf("%s: %w", t.name(), err)
	}
	for !s.isLearnt() {
		sums, err := s.NewStatistics()
		if err != nil {
			return err
		}
		if err := sums.AddBlock(ctx, streaming.Rows(rows)); err != nil {
			return err
		}
		if err := s.FitStatistics(ctx, sums); err != nil {
			return err
		}
	}
	t.fitted = s.fitted()
	return t.checkNames(t.fitted.Width)
}
