package shape

import (
	"context"
	"math"

	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/internal/closedform"
	"github.com/kernelearn/kernelearn/selection/measures"
	"github.com/kernelearn/kernelearn/selection/search"
)

// compare chooses between the kernel learnt on blocks and a kernel with one length for all columns. It compares their exact
// leave-one-out errors on all rows, using the features of pivots.
func (l *learner) compare(ctx context.Context, learnt *climbPoint, one climbPoint) error {
	form, err := closedform.New(l.run)
	if err != nil || form == nil {
		return err
	}
	n, _ := l.run.X.Dims()
	var evaluations []search.TraceRow
	group := progress.Open(ctx)
	for i, at := range []climbPoint{one, *learnt} {
		kernel := kernels.WithLogParams(l.kernel(at.groups), at.theta[:l.ridgeAt(at.theta)])
		got, err := l.run.Evaluate(group.Step(i, 2), search.Evaluation{Point: search.ParamPoint(1), Rows: n, Round: 1, Theta: at.theta},
			func(ctx context.Context, row *search.TraceRow) error {
				factor, curve, err := form.OfPivots(ctx, kernel, l.run.X, measures.LowRankOptions{
					MaxRank:  closedform.Pivots(l.run, closedform.MaxPivots),
					Residual: form.ResidualFor(closedform.PivotResidual, math.Exp(at.theta[l.ridgeAt(at.theta)]), kernel, l.run.X),
					Seed:     l.Seed, Workers: l.run.Workers,
				})
				if err != nil {
					return err
				}
				row.Ridges, row.Basis, row.ScoredOn, row.Residual = curve, search.OnPivots, factor.Rank, factor.Residual
				return nil
			})
		if err != nil {
			return err
		}
		evaluations = append(evaluations, got)
	}
	best, ok := closedform.Prefer(evaluations, closedform.ErrorAndEvidence, form.Signs != nil)
	if !ok {
		return nil
	}
	if least, ok := closedform.Prefer(evaluations[best.Row:best.Row+1], closedform.LeastError, form.Signs != nil); ok {
		l.near = least.Ridge // in the machine's units
	}
	if best.Row == 0 {
		l.run.Warn("the lengths of columns that were learnt on blocks predict all rows no better than one length, which is used")
		*learnt = one
	}
	return nil
}
