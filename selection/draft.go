package selection

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/stack"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection/internal/folds"
	"github.com/kernelearn/kernelearn/selection/internal/scalings"
	"github.com/kernelearn/kernelearn/selection/validation"
)

// With many rows, the choices for which a sample suffices are made on a sample only. A draft is a fit of the zero value to that
// sample. It chooses the column scaling and the transformation of the target, and provides the initial lengths for each kind of
// kernel.

const (
	// draftRows is the number of distinct rows of a draft.
	draftRows = 1000
	// draftShare is the share of a Budget after which a draft evaluates no further points.
	draftShare = .25
	// draftStream is the random stream "draft".
	draftStream = 0x6472616674
)

// drafts reports whether a fit to n distinct rows begins with a draft.
func (c engine[Y, E]) drafts(n int) bool {
	return c.many != nil && c.Groups == nil && n > c.draftedFrom && !c.needsFalkon(n)
}

// mostParted is the largest number of distinct rows of a machine that leaves out single rows. Separate parts of equal rows count
// separately.
func (c engine[Y, E]) mostParted() int { return min(c.above, c.draftedFrom) }

// draft fits the zero value to a sample of the rows, which have no gaps. It returns the engine that fits all rows with the draft's
// choices, and the seconds that the draft took. If these seconds show that such a fit would exceed the Budget, the engine uses package
// falkon. Classes are then fitted without the draft's choices, because the lengths that it learns for many classes are poor.
func (c engine[Y, E]) draft(ctx context.Context, given folds.Rows[Y], merged *distinct.Rows, target []float64,
	labels []int) (engine[Y, E], float64, error) {
	begun, undrafted := c.clock()(), c
	drawn := rand.New(rand.NewPCG(0, draftStream)).Perm(merged.Len())[:min(draftRows, merged.Len()/2)]
	slices.Sort(drawn)
	rows := validation.SpreadDistinct([]validation.Fold{{Train: drawn}}, merged)[0].Train
	few := given.Pick(rows)
	target, labels = linalg.Pick(target, rows), linalg.Pick(labels, rows)
	c.scalings = slices.Clone(c.scalings)
	if target != nil && slices.Min(target) == slices.Max(target) || labels != nil && len(classes.Distinct(labels)) < 2 {
		c.scalings, c.late = c.scalings[:1], c.Budget > 0 // the draft learnt nothing, and not how long a fit takes
		return c, 0, nil
	}
	d := c
	d.drafting, d.many, d.Observe, d.heardBy, d.Resume, d.trail = true, nil, nil, nil, nil, &trail{}
	d.Begun = d.trail.begin
	if c.Budget > 0 {
		d.Budget = max(1, time.Duration(draftShare*float64(c.Budget)))
	}
	d.parts = linalg.Pick(c.parts, rows)
	own := distinct.Merge(few.X, nil)
	parts, _, seen, err := d.fitParts(ctx, c.scalings, own.X, own, few, target, labels)
	if err != nil {
		return c, 0, err
	}
	d.share(parts, stack.Weights(len(rows), few.Weights, distinct.MergeParts(few.X, d.parts, nil).Index))
	shares := map[string]float64{}
	for _, p := range parts {
		shares[p.result.Columns] += p.result.Share
	}
	columns := parts[0].result.Columns
	for _, p := range parts {
		if shares[p.result.Columns] > shares[columns] {
			columns = p.result.Columns
		}
	}
	c.scalings = slices.DeleteFunc(c.scalings, func(w scalings.Scaling) bool { return seen.Label(w.Name) != columns })
	if c.targetOf == AutomaticTarget {
		c.targetOf = targetOf(seen.Transformation)
	}
	c.lengths = map[string][]float64{}
	var best *fitted[E]
	of := map[string]*fitted[E]{}
	for _, p := range parts {
		if p.result.Columns == columns {
			c.lengths[p.result.Family], of[p.result.Family] = p.result.Lengths, p
			if best == nil || p.result.LeaveOneOut < best.result.LeaveOneOut {
				best = p
			}
		}
	}
	c.kinds = slices.DeleteFunc(slices.Clone(c.kinds), func(kind families.Family) bool {
		p := of[kind.String()]
		return p != nil && stack.Hopeless(p.left, best.left, target != nil)
	})
	spent := c.clock()().Sub(begun)
	if c.Budget > 0 {
		late := float64(spent)*fullFit(merged.Len(), len(c.kinds)) > float64(c.Budget)
		if late && labels != nil {
			c = undrafted
		}
		c.late, c.Budget = late, max(1, c.Budget-spent)
	}
	return c, spent.Seconds(), nil
}

// fullFit returns the expected seconds of a fit of n rows with the given number of kinds, in units of the seconds of its draft. In
// 16 fits of 5300 to 40 000 rows of five numeric sets, and on three sets with classes, the actual seconds were 0.5 to 1.5 times these.
func fullFit(n, kinds int) float64 {
	r := float64(n) / 20_000
	return 1 + float64(kinds)*(3.5+4*r*r)
}
