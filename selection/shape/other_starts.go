package shape

import (
	"context"
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/internal/learning"
	"github.com/kernelearn/kernelearn/selection/search"
)

const elsewhereRound = 3 // round in the trace

// starts returns the search from other starting points, on the rows of part.
func (l *learner) starts(ctx context.Context, groups []int, part climbRows, prior *learning.Prior) (*learning.Starts, error) {
	median, err := l.median(ctx)
	if err != nil {
		return nil, err
	}
	k := l.kernel(groups)
	return &learning.Starts{
		Kernel: k, Blocks: part.blocks, Prior: prior, Bounds: l.bounds(k), Median: math.Log(median), MaxIterations: l.MaxIterations,
		Spent: func() error {
			if l.run.Spent() {
				l.run.Refuse()
				return search.ErrBudget
			}
			return nil
		},
	}, nil
}

// elsewhere returns a point from which a climb on these rows reaches a clearly higher maximum than from found, or nil if there is
// none. It also reports whether anything was learnt from the rows. It adds a row to the trace.
func (l *learner) elsewhere(ctx context.Context, part climbRows, prior *learning.Prior,
	found []float64) (place []float64, learnt bool, err error) {
	row, err := l.run.Evaluate(ctx, search.Evaluation{Point: search.ParamPoint(1), Rows: part.rows, Round: elsewhereRound,
		Theta: slices.Clone(found)}, func(ctx context.Context, row *search.TraceRow) error {
		starts, err := l.starts(ctx, l.Groups, part, prior)
		if err != nil {
			return err
		}
		top, err := starts.Climb(ctx, found, l.objective != RestrictedEvidence)
		if err != nil {
			return err
		}
		row.SetScore(top.Gain, missing, search.OnStarts, part.rows)
		row.Matrices, row.Elsewhere = starts.Matrices, top.Theta
		return nil
	})
	if err != nil {
		return nil, false, err
	}
	return slices.Clone(row.Elsewhere), row.Score > learning.Something, nil
}

// useful returns the point one with the common length. If this length explains nothing, it returns the point with the median
// distance as the length.
func (l *learner) useful(ctx context.Context, part climbRows, one []float64) ([]float64, error) {
	starts, err := l.starts(ctx, l.oneLength(), part, nil)
	if err != nil {
		return nil, err
	}
	if yes, err := starts.Useful(ctx, one); yes || err != nil {
		return one, err
	}
	out := slices.Clone(one)
	out[0] = min(max(starts.Median, starts.Bounds.Low[0]), starts.Bounds.High[0])
	out, _, err = l.problem(l.oneLength(), part.blocks, part.rows, 0).BestRidge(ctx, out, learning.ShortRidges)
	return out, err
}
