package search_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/search"
)

// random evaluates Points random parameters within the bounds of the family. Their logs are uniform within three decades of the
// initial parameter of the family.
type random struct {
	Points int
	Seed   uint64
}

func (s *random) Name() string { return "random" }

func (s *random) Choose(ctx context.Context, r *search.Run) (search.Choice, error) {
	if err := r.KernelsOnly("random"); err != nil {
		return search.Choice{}, err
	}
	start, err := r.Family.Start(ctx, r.X)
	if err != nil {
		return search.Choice{}, err
	}
	lo, hi := r.Family.Bounds()
	rng := rand.New(rand.NewPCG(s.Seed, 1))
	t := search.Trials{Metric: r.Metric(metrics.Metric{})}
	for range s.Points {
		t.Points = append(t.Points, search.ParamPoint(min(max(start*math.Pow(10, 6*rng.Float64()-3), lo), hi)))
	}
	if t.Folds, err = r.Folds(nil); err != nil {
		return search.Choice{}, err
	}
	rows, err := r.CrossValidate(ctx, t)
	if err != nil {
		return search.Choice{}, err
	}
	out := search.Choice{
		Status: search.StatusGrid, Target: math.NaN(),
		Measure: search.Measure{Name: t.Metric.Name, LargerIsBetter: t.Metric.LargerIsBetter},
	}
	out.Iteration, err = r.Best("random", out.Measure, rows)
	return out, err
}

// This random search is a third-party strategy. It supports budgets and resumption like the strategies of this module, and package
// selectiontest checks it.
func ExampleStrategy() {
	x, y := wave()
	r := &selection.Regressor{Search: &random{Points: 8, Seed: 1}}
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	res := r.Result()
	fmt.Println(res.Strategy, len(res.Trace), res.Fits, res.ScoreName)
	// Output: random 8 25 NMSE
}
