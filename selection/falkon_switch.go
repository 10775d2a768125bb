package selection

import (
	"context"
	"fmt"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/internal/fullsystem"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/internal/folds"
	"github.com/kernelearn/kernelearn/selection/search"
)

const (
	// falkonRows is the number of rows above which the zero value always uses the machines of package falkon.
	falkonRows = 100_000
	// Numbers of landmarks: of a fit without a budget, of the first fit with a budget, and the largest without and with a budget.
	usualLandmarks, firstLandmarks = 2000, 500
	mostLandmarks, mostInTime      = 4000, 8000
	// dimensionLimit is a ratio of the effective dimension to the number of landmarks. Above it, more landmarks are used.
	dimensionLimit = .5
)

// needsFalkon reports whether n rows are fitted with package falkon. This is the case if there are too many rows, if the system of
// all rows exceeds the memory limit, or if a draft has shown that it exceeds the Budget.
func (c engine[Y, E]) needsFalkon(n int) bool {
	if c.many == nil || n <= min(c.above, c.draftedFrom) {
		return false
	}
	return c.late || n > c.above || !fullsystem.Settings{MaxBytes: c.MaxKernelBytes}.Keeps(n)
}

// onFalkon is implemented by machines of package falkon.
type onFalkon interface{ Details() falkon.Details }

var (
	_ onFalkon = (*falkon.Regressor)(nil)
	_ onFalkon = (*falkon.Classifier)(nil)
)

// onSome holds the settings of a machine for many rows.
type onSome struct {
	kernel    kernels.Kernel
	landmarks int
	workers   int
}

// falkonRegressor returns the machine for many rows.
func falkonRegressor(s onSome) estimators.Regressor {
	return &falkon.Regressor{Kernel: s.kernel, Components: s.landmarks, Workers: s.workers}
}

func falkonClassifier(s onSome) estimators.Classifier {
	return &falkon.Classifier{Kernel: s.kernel, Components: s.landmarks, Workers: s.workers}
}

// showingSteps returns a context whose fits report their steps to Observe.
func (c engine[Y, E]) showingSteps(ctx context.Context, result *search.Result, landmarks int) (context.Context, func(*error)) {
	if c.heardBy == nil {
		return progress.Begin(ctx, nil)
	}
	return progress.Begin(ctx, func(s progress.Step) {
		if s.Between { // Observe receives such steps from the complete fit
			return
		}
		row, step := search.NewRow(result.Point), stepOf(s)
		row.Family, row.Columns, row.ScoredOn, row.Step, row.Done = result.Family, c.columns, landmarks, &step, s.Whole
		c.heardBy(row)
	})
}

// fitMany fits all of many rows with the chosen kernel. It doubles the number of landmarks as long as the effective dimension is
// more than dimensionLimit times that number. With a budget it also doubles the number up to the usual one. It does so only while
// another fit, of at most four times the seconds of the last, is expected to end in time. At most half of the n distinct rows are
// landmarks, so that copies change nothing.
func (c engine[Y, E]) fitMany(ctx context.Context, kernel kernels.Kernel, rows folds.Rows[Y], n int, result *search.Result,
	from search.Share) (E, error) {
	m, most := usualLandmarks, mostLandmarks
	if from.Limit > 0 {
		m, most = firstLandmarks, mostInTime
	}
	var best E
	fits := progress.NewSeries(ctx, 2)
	for {
		m = min(m, n/2)
		begun := 0.0
		if from.Limit > 0 {
			begun = from.Seconds()
		}
		next := c.many(onSome{kernel, m, c.Workers})
		c.prepare(next, result)
		part, end := c.showingSteps(fits.Next(), result, m)
		err := folds.Fit(part, c.Type, next, rows)
		if end(&err); err != nil {
			return best, fmt.Errorf("%T with %v: %w", next, kernel, err)
		}
		best, result.Landmarks = next, m
		result.Fits++
		details := any(next).(onFalkon).Details()
		result.EffectiveDimension = details.EffectiveDimension
		wanted := details.EffectiveDimension > dimensionLimit*float64(m) || m < usualLandmarks
		if !wanted || 2*m > min(most, n/2) {
			return best, nil
		}
		if from.Limit > 0 {
			if now := from.Seconds(); now+4*(now-begun) > from.Limit.Seconds() {
				return best, nil
			}
		}
		m *= 2
	}
}
