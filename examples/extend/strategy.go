package extend

import (
	"cmp"
	"context"
	"math"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/validation"
)

// Defaults of Zoom.
const (
	DefaultPoints  = 5
	DefaultRounds  = 3
	DefaultDecades = 6.0
)

// Zoom is a search with nested grids. The first grid has Points parameters in equal ratios within Decades around the start of the
// family. Each further grid has the same number of parameters between the neighbours of the best parameter. Zoom finds a local
// minimum of the error, with at most Points·Rounds cross-validations.
type Zoom struct {
	Points  int                 // number of points of a grid, ≥ 3; 0: DefaultPoints
	Rounds  int                 // number of grids; 0: DefaultRounds
	Decades float64             // width of the first grid; 0: DefaultDecades
	Metric  metrics.Metric      // zero: NMSE or Accuracy
	Folds   validation.Splitter // nil: validation.KFold or StratifiedKFold
}

var _ search.Strategy = (*Zoom)(nil)

// Name implements search.Strategy.
func (z *Zoom) Name() string { return "zoom" }

// Choose implements search.Strategy.
func (z *Zoom) Choose(ctx context.Context, r *search.Run) (search.Choice, error) {
	const typ = "extend: Zoom"
	points, rounds, decades := cmp.Or(z.Points, DefaultPoints), cmp.Or(z.Rounds, DefaultRounds), cmp.Or(z.Decades, DefaultDecades)
	switch {
	case points < 3:
		return search.Choice{}, &estimators.ParamError{Type: typ, Field: "Points", Value: z.Points, Want: ">= 3, or 0 for the default"}
	case rounds < 1:
		return search.Choice{}, &estimators.ParamError{Type: typ, Field: "Rounds", Value: z.Rounds, Want: ">= 1, or 0 for the default"}
	case !(decades > 0 && decades <= 24):
		return search.Choice{}, &estimators.ParamError{Type: typ, Field: "Decades", Value: z.Decades,
			Want: "in (0, 24], or 0 for the default"}
	}
	if err := r.KernelsOnly(typ); err != nil {
		return search.Choice{}, err
	}
	start, err := r.Family.Start(ctx, r.X)
	if err != nil {
		return search.Choice{}, err
	}
	folds, err := r.Folds(z.Folds)
	if err != nil {
		return search.Choice{}, err
	}
	trials := search.Trials{Folds: folds, Metric: r.Metric(z.Metric), Spread: true}
	out := search.Choice{
		Status: search.StatusGrid, Target: math.NaN(),
		Measure: search.Measure{Name: trials.Metric.Name, LargerIsBetter: trials.Metric.LargerIsBetter},
	}
	centre, width := start, decades
	var seen []int // rows of the trace
	for range rounds {
		trials.Points = logarithmicGrid(r, centre, width, points)
		rows, err := r.CrossValidate(ctx, trials)
		if err != nil {
			return out, err
		}
		seen = append(seen, rows...)
		if out.Iteration, err = r.Best(z.Name(), out.Measure, seen); err != nil || r.Cut() {
			return out, err
		}
		centre, width = r.Row(out.Iteration).Param, 2*width/float64(points+1)
	}
	return out, nil
}

// logarithmicGrid returns count points of the family in equal ratios, within the given number of decades around the centre.
// Duplicates are left out.
func logarithmicGrid(r *search.Run, centre, decades float64, count int) (out []search.Point) {
	lo, hi := r.Family.Bounds()
	had := map[float64]bool{}
	for i := range count {
		param := centre * math.Pow(10, decades*(float64(i+1)/float64(count+1)-0.5))
		if r.Family.Integer() {
			param = math.Round(param)
		}
		if param = min(max(param, lo), hi); !had[param] {
			had[param] = true
			out = append(out, search.ParamPoint(param))
		}
	}
	return out
}
