package eem

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/eem/internal/moments"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// rows holds rows that are added to a model together.
type rows struct {
	x       *mat.Dense
	y       []int     // labels, all of which are classes of the model
	weights []float64 // nil if all are 1
}

// pick returns the rows with the given indices.
func (r rows) pick(some []int) rows {
	return rows{x: linalg.Rows(r.x, some), y: linalg.Pick(r.y, some), weights: linalg.Pick(r.weights, some)}
}

// fit returns a model that is fitted to all rows at once.
func (c fitSettings) fit(ctx context.Context, x mat.Matrix, y []int, weights []float64) (*model, error) {
	models, err := c.path(ctx, x, y, weights, []int{math.MaxInt})
	if err != nil {
		return nil, err
	}
	return models[0], nil
}

// fitWeighted is like fit, with weights, which it checks.
func (c fitSettings) fitWeighted(ctx context.Context, x mat.Matrix, y []int, weights []float64) (*model, error) {
	if err := check.Weights(c.typ, weights, len(y)); err != nil {
		return nil, err
	}
	return c.fit(ctx, x, y, weights)
}

// path returns a model for each number of units, in ascending order. Each model is fitted to all rows at once. The layer has the
// largest number of units.
func (c fitSettings) path(ctx context.Context, x mat.Matrix, y []int, weights []float64, units []int) ([]*model, error) {
	parts := progress.Parts(ctx, .05, .6, .35)
	m, r, err := c.begin(parts[0], x, y, weights)
	if err != nil {
		return nil, err
	}
	widths := make([]int, len(units))
	for i, u := range units {
		widths[i] = m.layer.Width(u)
	}
	distinct := slices.Compact(slices.Clone(widths))
	steps := progress.NewSteps(ctx, m.groups(len(r.y), slices.Max(widths))+len(units)*m.systems())
	sums, err := m.take(parts[1], r, distinct, steps)
	if err != nil {
		return nil, err
	}
	out := make([]*model, len(units))
	systems, cubes, solved := progress.Open(parts[2]), 0., 0.
	for _, w := range widths {
		cubes += cubed(w)
	}
	for i, u := range units {
		one := &model{fitSettings: c, width: m.width, classes: m.classes, stats: sums[slices.Index(distinct, widths[i])]}
		if one.layer, err = m.layer.Leading(u); err != nil {
			return nil, err
		}
		if err := one.complete(); err != nil {
			return nil, err
		}
		if _, err := one.solve(systems.Share(solved/cubes, solved/cubes+cubed(widths[i])/cubes), steps); err != nil {
			return nil, err
		}
		solved += cubed(widths[i])
		out[i] = one
	}
	return out, nil
}

func cubed(width int) float64 { return float64(width) * float64(width) * float64(width) }

// complete returns an error unless each class has rows.
func (m *model) complete() error {
	for k, s := range m.stats {
		if s.Weight == 0 {
			return fault.Shape(fmt.Sprintf("class %d has", m.classes[k]), 0, "rows", "want at least 1")
		}
	}
	return nil
}

// partialFit returns old with the added rows, or a new model fitted to the first chunk.
func (c fitSettings) partialFit(ctx context.Context, old *model, x mat.Matrix, y []int) (*model, error) {
	var m *model
	var r rows
	var err error
	switch {
	case old == nil:
		sampled := c
		sampled.draw = c.fromSample
		if m, r, err = sampled.begin(ctx, x, y, nil); err == nil && len(y) < c.wanted {
			m.few = fmt.Sprintf("the first chunk has %d rows for the %d that units or landmarks are drawn from: later chunks add none, "+
				"so begin "+
				"with a larger one, or set fewer", len(y), c.wanted)
		}
	case old.stats == nil:
		return nil, noStatistics(c.typ)
	default:
		if err = c.validate(); err == nil {
			m = &model{fitSettings: c, layer: old.layer, width: old.width, classes: old.classes, stats: old.copiedStatistics(),
				few:    old.few,
				before: old.lastSolution()}
			r, err = m.check(x, y, nil)
		}
	}
	if err != nil {
		return nil, err
	}
	width := m.layer.Width(math.MaxInt)
	sums, err := m.take(ctx, r, []int{width}, progress.NewSteps(ctx, m.groups(len(r.y), width)))
	if err != nil {
		return nil, err
	}
	for k, s := range sums[0] {
		if err := m.stats[k].Absorb(s); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// fitClasses returns a model that is fitted to the statistics of, one for each of names. Its features are those of old.
func (c fitSettings) fitClasses(ctx context.Context, old *model, names []int, of []*Statistics) (*model, error) {
	if old == nil || old.layer == nil {
		return nil, fault.NotFitted(c.typ)
	}
	if err := c.validate(); err != nil {
		return nil, err
	}
	if !classes.Valid(names) || len(of) != len(names) {
		return nil, fault.Shape("there are", len(of), "statistics", "for the classes %v, which should ascend", names)
	}
	m := &model{fitSettings: c, layer: old.layer, width: old.width, classes: slices.Clone(names), before: old.lastSolution()}
	features := m.layer.Width(math.MaxInt)
	for k, s := range of {
		have := 0
		if s != nil {
			have = s.Dim()
		}
		if have != features {
			return nil, fault.Shape(fmt.Sprintf("class %d has", names[k]), have, "features", "want %d", features)
		}
		m.stats = append(m.stats, s.m.Clone())
	}
	if err := errors.Join(c.fits(names), m.complete()); err != nil {
		return nil, err
	}
	_, err := m.solve(ctx, nil)
	return m, err
}

// begin checks the rows, draws the units and determines the classes.
func (c fitSettings) begin(ctx context.Context, x mat.Matrix, y []int, weights []float64) (*model, rows, error) {
	if err := c.validate(); err != nil {
		return nil, rows{}, err
	}
	xd, err := check.Dense("x", x)
	if err != nil {
		return nil, rows{}, err
	}
	_, d := xd.Dims()
	m := &model{fitSettings: c, width: d, classes: slices.Clone(c.labels)}
	if c.labels == nil {
		m.classes = classes.Distinct(y)
	}
	r, err := m.check(xd, y, weights)
	if err != nil {
		return nil, rows{}, err
	}
	if err := cmp.Or(c.fits(m.classes), c.class.CheckClasses(c.typ, m.classes)); err != nil {
		return nil, rows{}, err
	}
	if m.layer, err = c.draw(ctx, xd); err != nil {
		return nil, rows{}, err
	}
	if err := m.fitsMemory(); err != nil {
		return nil, rows{}, err
	}
	m.stats = make([]*moments.Moments, len(m.classes))
	for i := range m.stats {
		m.stats[i] = &moments.Moments{}
	}
	return m, r, nil
}

// fitsMemory returns an error if the moments need more than [check.MaxBytes]. It counts the moments of each class and of one group,
// the factor of a pair, and the directions.
func (m *model) fitsMemory() error {
	h, k := float64(m.layer.Width(math.MaxInt)), float64(len(m.classes))
	return check.Numbers(fmt.Sprintf("%s: moments of %.0f features in %.0f classes", m.typ, h, k), h*h*(2*k+2)+h*k*(k-1)/2,
		"take fewer units, or landmarks")
}

// check returns the rows, or an error if the rows, labels or weights are not valid for the model.
func (m *model) check(x mat.Matrix, y []int, weights []float64) (rows, error) {
	xd, err := check.Labelled(x, len(y))
	if err != nil {
		return rows{}, err
	}
	if err := check.Columns("x", xd, m.width); err != nil {
		return rows{}, err
	}
	for i, label := range y {
		if _, ok := slices.BinarySearch(m.classes, label); !ok {
			return rows{}, fault.Param(m.typ, fmt.Sprintf("y[%d]", i), label, fmt.Sprintf("one of the classes %v", m.classes))
		}
	}
	return rows{x: xd, y: y, weights: weights}, nil
}

// Rows are summed in groups, in parallel and with separate sums. The groups depend only on the rows and the features, so the sums
// do not depend on the number of workers.
const (
	leastGroup = 512 // smallest number of rows, and four for each feature
	mostGroups = 16
	groupBytes = 64 << 20 // largest size of the sums of all groups
)

// groups returns the number of groups for n rows and the given number of features.
func (m *model) groups(n, features int) int {
	out := max(1, min(n/max(leastGroup, 4*features), mostGroups, groupBytes/(8*features*features*len(m.classes))))
	if out > 4 {
		out -= out % 4 // a multiple of four, so that two or four workers have equal work
	}
	return out
}

// take returns the statistics of the features of rows for each class and each of widths, which are in ascending order.
func (m *model) take(ctx context.Context, r rows, widths []int, steps *progress.Steps) ([][]*moments.Moments, error) {
	n := len(r.y)
	groups := m.groups(n, widths[len(widths)-1])
	parts := make([][][]*moments.Moments, groups)
	err := parallel.ForEachPart(ctx, m.workers, groups, func(ctx context.Context, g int) error {
		var err error
		parts[g], err = m.sum(ctx, r, g*n/groups, (g+1)*n/groups, widths)
		if err == nil {
			steps.Next(0, "a block of %d rows summed", (g+1)*n/groups-g*n/groups)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, part := range parts[1:] {
		for w := range widths {
			for k, s := range part[w] {
				if err := parts[0][w][k].Absorb(s); err != nil {
					return nil, err
				}
			}
		}
	}
	return parts[0], nil
}

// sum returns the statistics of the rows from first to last, for each class and each of widths.
func (m *model) sum(ctx context.Context, r rows, first, last int, widths []int) ([][]*moments.Moments, error) {
	out := make([][]*moments.Moments, len(widths))
	of := make([][]int, len(m.classes))
	for i := first; i < last; i++ {
		k, _ := slices.BinarySearch(m.classes, r.y[i])
		of[k] = append(of[k], i)
	}
	buffer := moments.NewPanel(widths[len(widths)-1])
	loop, done := progress.NewLoop(ctx), 0
	defer loop.End()
	for _, class := range of {
		sums := moments.NewAccumulator(widths)
		for len(class) > 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			some := class[:min(moments.PanelRows, len(class))]
			class = class[len(some):]
			loop.Report(float64(done) / float64(last-first))
			done += len(some)
			features := buffer.Slice(0, widths[len(widths)-1], 0, len(some)).(*mat.Dense)
			if err := m.layer.Features(features, linalg.Rows(r.x, some)); err != nil {
				return nil, err
			}
			sums.Add(features, linalg.Pick(r.weights, some))
		}
		stats, err := sums.Moments()
		if err != nil {
			return nil, err
		}
		for w, s := range stats {
			out[w] = append(out[w], s)
		}
	}
	return out, nil
}

// heldOut returns the probabilities of each row from the machine without the rows of its block.
func (c fitSettings) heldOut(ctx context.Context, x mat.Matrix, y, block []int) (*mat.Dense, error) {
	m, r, err := c.begin(ctx, x, y, nil)
	if err != nil {
		return nil, err
	}
	n := len(y)
	if err := check.Rows("block", len(block), n); err != nil {
		return nil, err
	}
	names := classes.Distinct(block)
	if len(names) < 2 {
		return nil, fault.Shape("there is", len(names), "block", "want at least 2")
	}
	widths := []int{m.layer.Width(math.MaxInt)}
	steps := progress.NewSteps(ctx, m.groups(n, widths[0])+len(names))
	first, rest := progress.Two(ctx, 1, 1)
	all, err := m.take(first, r, widths, steps)
	if err != nil {
		return nil, err
	}
	m.stats = all[0]
	out := mat.NewDense(n, len(m.classes), nil)
	err = parallel.ForEachPart(rest, c.workers, len(names), func(ctx context.Context, b int) error {
		var of []int
		for i, name := range block {
			if name == names[b] {
				of = append(of, i)
			}
		}
		held := r.pick(of)
		s, err := m.leaveOut(ctx, held, widths)
		if err != nil {
			return fmt.Errorf("without block %d: %w", names[b], err)
		}
		z, err := s.scorer.Scores(held.x)
		if err != nil {
			return err
		}
		p := s.proba(z)
		for i, row := range of {
			out.SetRow(row, p.RawRowView(i))
		}
		steps.Next(s.report.Objective, "block %d of %d rows held out", names[b], len(of))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// leaveOut returns the solution for all rows except held.
func (m *model) leaveOut(ctx context.Context, held rows, widths []int) (*solution, error) {
	first, second := progress.Two(ctx, 1, 4)
	own, err := m.take(first, held, widths, nil)
	if err != nil {
		return nil, err
	}
	rest := &model{fitSettings: m.fitSettings, layer: m.layer, classes: m.classes, stats: m.copiedStatistics()}
	for k, s := range rest.stats {
		if err := s.Unmerge(own[0][k]); err != nil {
			return nil, err
		}
	}
	if err := rest.complete(); err != nil {
		return nil, err
	}
	return rest.solve(second, nil)
}
