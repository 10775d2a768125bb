package selection

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

// MaxDescent is how many searches, each over one parameter, a Family2 gets at most.
const MaxDescent = 10

// descend searches the two parameters of a family in turn, each with the other at the best
// that was seen, until that one does not improve the score.
func (c config[Y, E]) descend(ctx context.Context, p problem) (option[E], *Result, error) {
	var none option[E]
	f := c.family2
	var at [2]float64
	var err error
	if at[0], at[1], err = f.Start(ctx, p.x); err != nil {
		return none, nil, err
	}
	p.running = &clock{left: 2}
	var out *Result
	total := &Result{}
	for i := range MaxDescent {
		axis := i % 2
		along := kernels.Fixed{Family: f, Second: axis == 0, Value: at[1-axis]}
		p.family = along
		r, err := c.search.search(ctx, &p)
		if err != nil {
			return none, nil, fmt.Errorf("family %v: %w", along, err)
		}
		if math.IsNaN(r.Score) {
			return none, nil, fault.Param(c.typ, "Family2", f.String(), "one parameter, or a Search that scores what it finds, to compare them by")
		}
		for _, row := range r.Trace {
			row.Iteration = len(total.Trace) + 1
			total.Trace = append(total.Trace, row)
		}
		total.Evaluations += r.Evaluations
		total.KernelMatrices += r.KernelMatrices
		total.Fits += r.Fits
		total.Seconds += r.Seconds
		for _, w := range r.Warnings {
			if w = fmt.Sprintf("%v: %s", along, w); !slices.Contains(total.Warnings, w) {
				total.Warnings = append(total.Warnings, w)
			}
		}
		improved := out == nil || better(metrics.Metric{LargerIsBetter: r.LargerIsBetter}, r.Score, out.Score)
		spent := r.Status == StatusBudget
		if improved {
			at[axis] = r.Param
			out = r
		}
		if spent || (i > 0 && !improved) {
			if spent {
				out.Status = StatusBudget
			}
			break
		}
	}
	out.Family, out.Param, out.Param2 = f.String(), at[0], at[1]
	out.Trace, out.Evaluations, out.KernelMatrices, out.Fits = total.Trace, total.Evaluations, total.KernelMatrices, total.Fits
	out.Seconds, out.Warnings = total.Seconds, total.Warnings
	return c.option2(at[0], at[1]), out, nil
}

// option2 is option for a Family2.
func (c config[Y, E]) option2(first, second float64) option[E] {
	return c.option(kernels.Fixed{Family: c.family2, Second: true, Value: second}, first)
}
