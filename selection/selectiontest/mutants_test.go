package selectiontest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/search"
)

// mutant is a grid of five points with one fault.
type mutant struct {
	name   func() string
	choose func(ctx context.Context, m *mutant, r *search.Run) (search.Choice, error)
	State  int // counts calls; a strategy must not change its fields
}

func (m *mutant) Name() string {
	if m.name != nil {
		return m.name()
	}
	return "mutant"
}

func (m *mutant) Choose(ctx context.Context, r *search.Run) (search.Choice, error) {
	return m.choose(ctx, m, r)
}

// searchGrid searches as a correct strategy does.
func searchGrid(ctx context.Context, r *search.Run, points ...float64) (search.Choice, error) {
	return (&grid.Search{Params: points}).Choose(ctx, r)
}

var five = []float64{.1, .3, 1, 3, 10}

// chooseRow scores five points and chooses the row with the given number, modulo the number of rows.
func chooseRow(ctx context.Context, r *search.Run, number int) (search.Choice, error) {
	c, err := searchGrid(ctx, r, five...)
	if err == nil {
		c.Iteration = number%len(r.Trace()) + 1
	}
	return c, err
}

// Each check fails for a strategy with the corresponding fault, and its message states that fault.
func TestMutantsFail(t *testing.T) {
	var calls atomic.Int64
	other := errors.New("other")
	for check, m := range map[string]mutant{
		"named": {name: func() string { return fmt.Sprint(calls.Add(1)) }},
		"chooses": {choose: func(ctx context.Context, _ *mutant, r *search.Run) (search.Choice, error) {
			c, err := searchGrid(ctx, r, five...)
			c.Status = ""
			return c, err
		}},
		"trace": {choose: func(ctx context.Context, _ *mutant, r *search.Run) (search.Choice, error) {
			row, err := r.Evaluate(ctx, search.Evaluation{Point: search.ParamPoint(1), Rows: 60}, func(_ context.Context, row *search.TraceRow) error { row.Score = 1; return nil })
			return search.Choice{Iteration: row.Iteration, Status: search.StatusOK}, err
		}},
		"best": {choose: func(ctx context.Context, _ *mutant, r *search.Run) (search.Choice, error) {
			return chooseRow(ctx, r, 4)
		}},
		"counts": {choose: func(ctx context.Context, _ *mutant, r *search.Run) (search.Choice, error) {
			row, err := r.Evaluate(ctx, search.Evaluation{Point: search.ParamPoint(1), Rows: 60}, func(_ context.Context, row *search.TraceRow) error { row.Fits = 7; return nil })
			return search.Choice{Iteration: row.Iteration, Status: search.StatusOK}, err
		}},
		"workers": {choose: func(ctx context.Context, _ *mutant, r *search.Run) (search.Choice, error) {
			return chooseRow(ctx, r, r.Workers)
		}},
		"cancel": {choose: func(ctx context.Context, _ *mutant, r *search.Run) (search.Choice, error) {
			c, err := searchGrid(ctx, r, five...)
			if err != nil {
				return c, other
			}
			return c, nil
		}},
		"progress": {choose: func(_ context.Context, _ *mutant, r *search.Run) (search.Choice, error) {
			return searchGrid(context.Background(), r, five...)
		}},
		"budget": {choose: func(ctx context.Context, _ *mutant, r *search.Run) (search.Choice, error) {
			if r.Spent() {
				return search.Choice{}, search.ErrBudget
			}
			return searchGrid(ctx, r, five...)
		}},
		"resume": {choose: func(ctx context.Context, _ *mutant, r *search.Run) (search.Choice, error) {
			return searchGrid(ctx, r, append(five, 20+float64(calls.Add(1)))...)
		}},
		"configuration": {choose: func(ctx context.Context, m *mutant, r *search.Run) (search.Choice, error) {
			m.State++
			return searchGrid(ctx, r, five...)
		}},
		"shared": {choose: func(ctx context.Context, _ *mutant, r *search.Run) (search.Choice, error) {
			return chooseRow(ctx, r, int(calls.Add(1)))
		}},
		"weights": {choose: func(ctx context.Context, _ *mutant, r *search.Run) (search.Choice, error) {
			return chooseRow(ctx, r, int(calls.Add(1)%5)) // the choice depends on the number of calls
		}},
		"candidates": {choose: func(ctx context.Context, _ *mutant, r *search.Run) (search.Choice, error) {
			return chooseRow(ctx, r, 0)
		}},
		"families": {choose: func(ctx context.Context, _ *mutant, r *search.Run) (search.Choice, error) {
			if f := r.Family; f == nil || f.String() != "RBF" {
				return search.Choice{}, other
			}
			return searchGrid(ctx, r, five...)
		}},
		"odd-data": {choose: func(ctx context.Context, _ *mutant, r *search.Run) (search.Choice, error) {
			_ = r.X.At(2, 0)
			return searchGrid(ctx, r, five...)
		}},
		"saved": {choose: func(ctx context.Context, _ *mutant, r *search.Run) (search.Choice, error) {
			row, err := r.Evaluate(ctx, search.Evaluation{Point: search.ParamPoint(1e13), Rows: 60}, func(context.Context, *search.TraceRow) error { return nil })
			return search.Choice{Iteration: row.Iteration, Status: search.StatusOK}, err
		}},
	} {
		s := &subject{build: func() search.Strategy { return &mutant{name: m.name, choose: m.choose} }}
		for _, c := range checks {
			if c.name == check {
				assert.True(t, s.judge(c).Failed(), check)
			}
		}
	}
	assert.Len(t, checks, 17, "a mutant for each")
}

// A skipped check has a reason, and does not run.
func TestSkip(t *testing.T) {
	s := &subject{build: func() search.Strategy { return &mutant{} }, Options: Options{Skip: map[string]string{"chooses": "has no Choose"}}}
	for _, c := range checks {
		if c.name == "chooses" {
			v := s.judge(c)
			assert.False(t, v.Failed())
			assert.Equal(t, "has no Choose", v.Skipped)
		}
	}
	s.Skip = nil
	assert.Contains(t, s.judge(checks[1]).Failures[0], "panic", "a strategy that panics fails")
}
