package selection

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/selection/search"
)

// maxTurns limits the number of one-parameter searches for a family with two parameters.
const maxTurns = 10

// descend searches the two parameters of a family alternately, each with the other fixed at its best value, until the score no
// longer improves.
func (c engine[Y, E]) descend(ctx context.Context, p search.Problem) (option[E], *search.Result, error) {
	var none option[E]
	var at [2]float64
	var err error
	if at[0], at[1], err = c.space.two.Start(ctx, p.X); err != nil {
		return none, nil, err
	}
	shared, err := search.NewBudget(c.Type, c.Budget, c.Now, 2)
	if err != nil {
		return none, nil, err
	}
	var out *search.Result
	var of *search.Run
	var chosen search.Choice // of it
	total := &search.Result{}
	turns := progress.NewSeries(ctx, 4)
	for i := range maxTurns {
		axis := i % 2
		along := c.space.slice(axis == 0, at[1-axis])
		run, choice, r, err := c.search(turns.Next(), p, shared, along)
		if err != nil {
			return none, nil, fmt.Errorf("%s: family %v: %w", c.Type, along, err)
		}
		if math.IsNaN(r.Score) {
			return none, nil, fault.Param(c.Type, "Space", c.space.two.String(),
				"one parameter, or a Search that scores what it finds, to compare them by")
		}
		addTurn(total, r, along.String())
		improved := out == nil || r.Measure().Better(r.Score, out.Score)
		if chooser, ok := c.strategy.(search.FamilyChooser); ok && out != nil {
			improved = chooser.Compare([]*search.Run{of, run}, []search.Choice{chosen, choice}) == 1
		}
		spent := r.Status == search.StatusBudget
		if improved {
			at[axis] = r.Param
			of, chosen, out = run, choice, r
		}
		if spent || (i > 0 && !improved) {
			if spent {
				out.Status = search.StatusBudget
			}
			break
		}
	}
	out.Family, out.Param, out.Param2 = c.space.two.String(), at[0], at[1]
	out.Trace, out.Evaluations, out.KernelMatrices, out.Fits = total.Trace, total.Evaluations, total.KernelMatrices, total.Fits
	out.Seconds, out.Warnings = total.Seconds, total.Warnings
	taken := c.space.option(c.space.slice(true, at[1]), search.ParamPoint(at[0]))
	out.Kernel = taken.name
	return taken, out, nil
}

// addTurn adds the trace, the counts and the warnings of a turn.
func addTurn(r, turn *search.Result, name string) {
	for _, row := range turn.Trace {
		row.Iteration = len(r.Trace) + 1
		r.Trace = append(r.Trace, row)
	}
	r.Evaluations += turn.Evaluations
	r.KernelMatrices += turn.KernelMatrices
	r.Fits += turn.Fits
	r.Seconds += turn.Seconds
	for _, w := range turn.Warnings {
		if w = fmt.Sprintf("%s: %s", name, w); !slices.Contains(r.Warnings, w) {
			r.Warnings = append(r.Warnings, w)
		}
	}
}
