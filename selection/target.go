package selection

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/enum"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/stack"
	"github.com/kernelearn/kernelearn/internal/targets"
	"github.com/kernelearn/kernelearn/selection/internal/folds"
	"github.com/kernelearn/kernelearn/selection/internal/targetmap"
)

// Target is the transformation of the targets that a [Regressor] uses.
type Target int

// The transformations of the targets that a Regressor can be fitted to.
const (
	// AutomaticTarget uses LogTarget or PowerTarget if it improves the leave-one-out predictions, and otherwise PlainTarget.
	AutomaticTarget Target = iota
	// PlainTarget uses the targets unchanged.
	PlainTarget
	// LogTarget uses the logarithm of the targets. All targets must be > 0.
	LogTarget
	// PowerTarget uses the power transformation of Yeo and Johnson that brings the targets closest to a normal distribution.
	PowerTarget
)

// String returns the constant's name.
func (t Target) String() string {
	return enum.Name("Target", int(t), "AutomaticTarget", "PlainTarget", "LogTarget", "PowerTarget")
}

// A Regressor transforms the targets if two conditions hold. The leave-one-out log density of a row, in the units of the targets
// and with the Jacobian, must increase by at least leastGain. The leave-one-out error must be at most mostLoss times as large,
// since the density often increases although the mean is predicted worse. The two numbers were chosen on 12 sets, with ten splits
// for each of the seeds 7 and 8.
const (
	leastGain = .1
	mostLoss  = 1.05
	// draftGain and draftLoss replace these numbers in a draft, which uses some of the rows. With more rows, the differences in
	// density and in error grow. On kin40k the gain is .06, .09, .14 and .19 with 500, 1000, 2000 and 4000 rows, and the squared
	// error is .96, .91, .84 and .80 times that of the plain targets.
	draftGain  = .05
	draftLoss  = 1.
	draftPower = .1
	// A power within leastPowerChange of 1 changes an error by a few per cent. If the error falls below draftFall times that of the
	// plain targets, the reason is that the draft's machine of the plain targets is poor.
	draftFall = .8
	// transformRows is the smallest number of distinct rows with which a transformation of the targets is considered.
	transformRows = 20
	// A transformation is considered only if the power differs from 1 by at least leastPowerChange and the logarithms span at least
	// leastRange.
	leastPowerChange, leastRange = .2, 1.
)

// targetOf returns the Target for a transformation.
func targetOf(b *targets.Transformation) Target {
	switch {
	case b == nil:
		return PlainTarget
	case b.Logarithm:
		return LogTarget
	}
	return PowerTarget
}

// target returns the transformation that the caller chose for the targets of the distinct rows. The transformations in others are
// alternatives, between which leave-one-out predictions decide.
func (c engine[Y, E]) target(ctx context.Context, y []float64) (chosen targetmap.Map, others []targetmap.Map, err error) {
	switch {
	case y == nil || c.targetOf == PlainTarget:
		return targetmap.Map{}, nil, nil
	case c.targetOf == LogTarget:
		if chosen = targetmap.Logarithm(y); chosen.Transformation == nil || c.signed {
			return chosen, nil, fault.Param(c.Type, "Target", c.targetOf, "targets that are all > 0")
		}
		return chosen, nil, nil
	case c.targetOf == PowerTarget:
		chosen, err = targetmap.Power(ctx, y)
		return chosen, nil, err
	case c.Groups != nil || len(y) < transformRows || c.needsFalkon(len(y)) || c.drafts(len(y)):
		return targetmap.Map{}, nil, nil
	}
	if l := targetmap.Logarithm(y); l.Transformation != nil && !c.signed && math.Log(floats.Max(y)/floats.Min(y)) >= leastRange {
		others = append(others, l)
	}
	p, err := targetmap.Power(ctx, y)
	least := leastPowerChange
	if c.drafting {
		least = draftPower
	}
	if p.Transformation != nil && math.Abs(p.Transformation.Lambda-1) >= least {
		others = append(others, p)
	}
	return targetmap.Map{}, others, err
}

// better returns the transformation with the best leave-one-out predictions. They are computed with the kernel of a model of the
// plain targets.
func (c engine[Y, E]) better(ctx context.Context, plain *fitted[E], others []targetmap.Map, even *mat.Dense,
	y, rowWeights, weights []float64) (targetmap.Map, error) {
	var best targetmap.Map
	machine, ok := any(plain.inner).(*lssvm.Regressor)
	if !ok || plain.left == nil || plain.variances == nil {
		return best, nil
	}
	density, mse := stack.Density(plain.left, plain.variances, weights)
	least, most := density+leastGain, mostLoss*mse
	if c.drafting {
		least, most = density+draftGain, draftLoss*mse
	}
	for _, m := range others {
		one := &lssvm.Regressor{Kernel: machine.Kernel, Workers: c.Workers, MaxKernelBytes: c.MaxKernelBytes}
		z := m.Apply(y)
		if err := folds.Fit(ctx, c.Type, one, folds.Rows[float64]{X: even, Y: z, Weights: rowWeights}); err != nil {
			if ctx.Err() != nil {
				return best, err
			}
			continue // no model can be fitted to these targets
		}
		residuals, err := one.LeaveOneOutResiduals(ctx)
		if err != nil {
			return best, err
		}
		variances, err := one.LeaveOneOutVariances(ctx)
		if err != nil {
			return best, err
		}
		density, total := m.Score(y, z, residuals, variances, weights)
		nearlyPlain := !m.Transformation.Logarithm && math.Abs(m.Transformation.Lambda-1) < leastPowerChange
		if density > least && total <= most && !(nearlyPlain && total < draftFall*mse) {
			best, least = m, density
		}
	}
	return best, nil
}

// noise returns the variance of the transformed targets around leave-one-out predictions of the models.
func noise[E any](parts []*fitted[E], target, weights []float64) float64 {
	total, sum := floats.Sum(weights), 0.0
	mean := floats.Dot(target, weights) / total
	for i, v := range target {
		r := 0.0
		for _, p := range parts {
			if p.left == nil { // with many rows, and with groups, only the fraction of the variance is known
				r += p.result.Share * math.Sqrt(p.result.LeaveOneOut) * math.Abs(v-mean)
			} else {
				r += p.result.Share * p.left[i]
			}
		}
		sum += weights[i] / total * r * r
	}
	return sum
}

// validateTarget returns an error if the caller's Target is invalid.
func (c engine[Y, E]) validateTarget() error {
	if c.targetOf != AutomaticTarget && c.scalings == nil {
		return fault.Param(c.Type, "Target", c.targetOf, fmt.Sprintf("%v with Space or Search", AutomaticTarget))
	}
	return nil
}
