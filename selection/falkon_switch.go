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
	// handOver is the number of rows above which the machines of the zero value are those of package falkon in any case.
	handOver = 100_000
	// Landmarks without a budget, and the first with one; and the most.
	usualLandmarks, firstLandmarks = 2000, 500
	mostLandmarks, mostInTime      = 4000, 8000
	// crowded is the share of the landmarks from which the effective dimension asks for more.
	crowded = .5
)

// handsOver reports whether the machines of so many rows are those of package falkon: where the time is limited, where there are too many
// rows, or where the system of all rows cannot be kept in memory.
func (c engine[Y, E]) handsOver(n int) bool {
	if c.many == nil || n <= min(c.above, c.draftedFrom) {
		return false
	}
	return n > c.above || c.Budget > 0 || !fullsystem.Settings{MaxBytes: c.MaxKernelBytes}.Keeps(n)
}

// onFalkon is what machines of package falkon tell of a fit.
type onFalkon interface{ Details() falkon.Details }

var (
	_ onFalkon = (*falkon.Regressor)(nil)
	_ onFalkon = (*falkon.Classifier)(nil)
)

// onSome is what a machine of many rows is made with.
type onSome struct {
	kernel    kernels.Kernel
	landmarks int
	workers   int
}

// falkonRegressor and falkonClassifier are the machines of many rows.
func falkonRegressor(s onSome) estimators.Regressor {
	return &falkon.Regressor{Kernel: s.kernel, Components: s.landmarks, Workers: s.workers}
}

func falkonClassifier(s onSome) estimators.Classifier {
	return &falkon.Classifier{Kernel: s.kernel, Components: s.landmarks, Workers: s.workers}
}

// showingSteps is a context in which Observe sees the steps of a fit.
func (c engine[Y, E]) showingSteps(ctx context.Context, result *search.Result, landmarks int) (context.Context, func(*error)) {
	if c.heardBy == nil {
		return progress.Begin(ctx, nil)
	}
	return progress.Begin(ctx, func(s progress.Step) {
		if s.Between { // of that the rows of the whole fit say enough
			return
		}
		row, step := search.NewRow(result.Point), stepOf(s)
		row.Family, row.Columns, row.ScoredOn, row.Step, row.Done = result.Family, c.columns, landmarks, &step, s.Whole
		c.heardBy(row)
	})
}

// fitMany fits on all of many rows with the kernel that was chosen. Landmarks are doubled while the
// effective dimension takes up most of them; in a budget also up to the usual number, and only while
// another fit, of at most four times the seconds of the last, is expected to end in time. At most half of the distinct
// rows, of which there are n, are landmarks, so that copies change nothing.
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
		wanted := details.EffectiveDimension > crowded*float64(m) || m < usualLandmarks
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
