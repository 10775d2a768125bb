package rvm

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/kernelearn/kernelearn/estimators/rvm/internal/evidence"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/groups"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// Each refit of a calibration leaves out a fifth of the rows. The number of refits is the smallest that leaves out calibrationRows
// rows in total. With at least 1250 rows a single refit suffices, which costs about as much as one start.
const (
	calibrationFolds = 5
	calibrationRows  = 250
)

// leftOut holds the results for rows that a refit left out: their residuals, the predicted variance, the part of the kernel that
// the vectors do not explain, and k(x, x).
type leftOut struct {
	weight, residual, variance, unseen, own []float64
	sees                                    bool
	changes                                 int
}

func (l *leftOut) append(o *leftOut) {
	l.weight, l.residual, l.variance = append(l.weight, o.weight...), append(l.residual, o.residual...), append(l.variance, o.variance...)
	l.unseen, l.own, l.sees = append(l.unseen, o.unseen...), append(l.own, o.own...), l.sees && o.sees
	l.changes += o.changes
}

// calibratedTask is a regression that is calibrated by refits that leave rows out.
type calibratedTask struct {
	evidence.Regression
	groups [][]int // groups of rows that the refits leave out together; all other rows are left out individually
}

// calibrate calibrates m, the machine of the task.
func (k calibratedTask) calibrate(ctx context.Context, m *model) error {
	if m.Noise == 0 || math.IsInf(m.Evidence, 1) {
		return ctx.Err() // constant targets or an exact fit
	}
	folds := k.folds()
	parts := make([]*leftOut, len(folds))
	err := parallel.ForEachPart(ctx, k.Workers, len(folds), func(ctx context.Context, i int) (err error) {
		parts[i], err = k.refit(ctx, m.Start, folds[i], k.Bytes/int64(len(folds)))
		return err
	})
	if err != nil {
		return err
	}
	all := &leftOut{sees: m.Sees()}
	for _, p := range parts {
		if p != nil {
			all.append(p)
		}
	}
	m.Report.Iterations += all.changes
	if m.calibration = all.fit(k.Noise > 0); !m.calibration.valid() {
		m.calibration = uncalibrated // residuals or weights overflow
		return nil
	}
	if all.sees {
		m.span = max(0, varianceOf(k.Targets, k.Counts)-m.Noise)
	}
	return nil
}

// varianceOf returns the variance of weighted targets.
func varianceOf(y []float64, c weights.Counts) float64 {
	mean, variance := 0.0, 0.0
	for i, v := range y {
		mean += c.Weight(i) / c.Total * v
	}
	for i, v := range y {
		variance += c.Weight(i) / c.Total * (v - mean) * (v - mean)
	}
	return variance
}

// folds returns the rows that each refit leaves out. The choice does not depend on the order of the rows.
func (k calibratedTask) folds() [][]int {
	order := make([]int, k.N)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return slices.Compare(k.X.RawRowView(a), k.X.RawRowView(b)) }) // no two are equal
	rng := rand.New(rand.NewPCG(0, 0x72656669_74))                                                             // the stream "refit"
	units := k.N
	for _, group := range k.groups {
		units -= len(group) - 1
	}
	count := min(calibrationFolds, units)
	if count < 3 {
		return nil
	}
	part := k.deal(order, count, rng)
	out := make([][]int, count)
	for i, row := range order {
		out[part[i]] = append(out[part[i]], row)
	}
	for _, rows := range out {
		slices.Sort(rows)
	}
	held := 0
	for i, rows := range out {
		if held += len(rows); held >= calibrationRows {
			return out[:i+1]
		}
	}
	return out
}

// deal assigns each of the ordered rows to one of count parts. The rows of a group are in the same part.
func (k calibratedTask) deal(order []int, count int, rng *rand.Rand) []int {
	if len(k.groups) == 0 {
		part := rng.Perm(k.N)
		for i := range part {
			part[i] %= count
		}
		return part
	}
	of := make([]int, k.N) // number of each row's group, or a number of its own
	for i := range of {
		of[i] = len(k.groups) + i
	}
	for g, group := range k.groups {
		for _, row := range group {
			of[row] = g
		}
	}
	// Groups are numbered in the order of the sorted rows, so that the caller's numbers and order do not matter.
	number := map[int]int{}
	ordered := make([]int, k.N)
	for i, row := range order {
		g, seen := number[of[row]]
		if !seen {
			g = len(number)
			number[of[row]] = g
		}
		ordered[i] = g
	}
	return groups.Deal(ordered, nil, slices.Repeat([]float64{1}, count), rng)
}

// refit fits the model to all rows except out, and returns the results for the rows in out. If the fit fails or is degenerate, it
// returns nil.
func (k calibratedTask) refit(ctx context.Context, from evidence.Start, out []int, bytes int64) (*leftOut, error) {
	in := complement(k.N, out)
	t := k.Regression
	t.Design, t.Targets = k.Design.Subset(in), linalg.Pick(k.Targets, in)
	t.Counts = weights.NewCounts(nil, len(in))
	if k.Roots != nil {
		w := make([]float64, len(in))
		for i, row := range in {
			w[i] = k.Weight(row)
		}
		t.Counts = weights.NewCounts(w, len(in))
	}
	t.Starts, t.AllIn, t.Bytes = []evidence.Start{from}, 0, bytes
	s, err := t.Solve(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if fault.IsPanic(err) {
		return nil, err
	}
	if err != nil || s.Noise == 0 || math.IsInf(s.Evidence, 1) {
		return nil, nil // These refits do not contribute to the calibration.
	}
	m := newModel(s, t.Design)
	x := k.Design.Rows(out)
	mean, variance, err := m.predict(x, 1, true)
	if fault.IsPanic(err) {
		return nil, err
	}
	if err != nil {
		return nil, nil
	}
	l := &leftOut{variance: variance, sees: m.Sees(), changes: s.Report.Iterations}
	for i, row := range out {
		l.weight, l.residual = append(l.weight, k.Weight(row)), append(l.residual, k.Targets[row]-mean[i])
	}
	if l.sees {
		phi, err := m.Features(x, 0, 1)
		if fault.IsPanic(err) {
			return nil, err
		}
		if err != nil {
			return nil, nil
		}
		l.unseen, l.own = m.Unseen(x, phi)
	}
	return l, nil
}

// complement returns the numbers below n that are not among rows.
func complement(n int, rows []int) []int {
	out := make([]bool, n)
	for _, r := range rows {
		out[r] = true
	}
	var in []int
	for i, o := range out {
		if !o {
			in = append(in, i)
		}
	}
	return in
}

// fit returns the calibration that maximises the likelihood of the residuals,
//
//	e ~ N(0, c v + τ² r),   c at least 1,
//
// If the noise is given, c is 1 and only τ² varies.
func (l *leftOut) fit(given bool) calibration {
	c := uncalibrated
	total, v, r := 0.0, 0.0, 0.0
	for i, w := range l.weight {
		total, v = total+w, v+w*l.variance[i]
		if l.sees {
			r += w * l.unseen[i]
		}
	}
	if total == 0 {
		return c
	}
	// For a ratio q = τ²/c the best c is the mean of e²/(v + q r).
	likelihood := func(q float64) (value, factor float64) {
		logs, squares := 0.0, 0.0
		for i, w := range l.weight {
			at := l.variance[i]
			if q > 0 {
				at += q * l.unseen[i]
			}
			logs += w * math.Log(at)
			squares += w * l.residual[i] * l.residual[i] / at
		}
		factor = max(1, squares/total)
		if given {
			factor = 1
		}
		return -(logs + total*math.Log(factor) + squares/factor) / 2, factor
	}
	best, factor := likelihood(0)
	c.factor = factor
	if !l.sees || !(r > 0) {
		return c
	}
	// The ratio is searched on a grid, and then on a finer grid around its best value.
	unit, at := v/r, 0.0
	try := func(logQ float64) {
		q := unit * math.Exp(logQ)
		if value, factor := likelihood(q); value > best {
			best, at = value, logQ
			c.factor, c.scale = factor, factor*q
		}
	}
	for logQ := -9.; logQ <= 12; logQ += .5 {
		try(logQ)
	}
	for centre, step := at, .05; step < .5 && c.scale > 0; step += .05 {
		try(centre - step)
		try(centre + step)
	}
	c.edge = l.quantile()
	return c
}

// edgeShare is the share of the left-out rows whose unexplained share is at most the edge. With a share below 1, a single distant
// row does not move the edge.
const edgeShare = 0.99

// quantile returns the edge of a calibration: the quantile edgeShare of the unexplained shares of k(x, x).
func (l *leftOut) quantile() float64 {
	type row struct{ share, weight float64 }
	var rows []row
	total := 0.0
	for i, o := range l.own {
		if s := l.unseen[i] / o; s >= 0 {
			rows = append(rows, row{min(s, 1), l.weight[i]})
			total += l.weight[i]
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.share, b.share) })
	below := 0.0
	for _, r := range rows {
		if below += r.weight; below >= edgeShare*total {
			return r.share
		}
	}
	return 1
}
