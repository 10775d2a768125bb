package eem

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/transformers"
)

const classifierType = "eem: Classifier"

// Classifier is the extreme entropy machine. The zero value is ready to use: 250 units
// of many widths on training rows, balanced classes. Features should be of comparable
// scale, or in [0, 1] for the paper's own activations (see transformers.Activation).
type Classifier struct {
	Hidden     int // units; 0: transformers.DefaultUnits
	Activation transformers.Activation
	Seed       uint64 // of the units
	Workers    int    // goroutines; 0: GOMAXPROCS
	// Labels are the classes, ascending, where the first chunk of PartialFit may not
	// hold all of them; nil: those of Fit's rows, or of the first chunk.
	Labels []int
	// Priors are the probabilities of the classes, in the order of Classes; nil: equal.
	// Only their ratios count.
	Priors []float64
	// Costs are of taking a class for another, in the order of Classes; nil: equal.
	Costs []float64
	// Frequencies takes the classes' shares of the training rows for Priors: for
	// accuracy, where the default is for balanced accuracy.
	Frequencies bool

	m *model
}

var (
	_ estimators.Classifier                    = (*Classifier)(nil)
	_ estimators.ProbaPredictor                = (*Classifier)(nil)
	_ estimators.DecisionPredictor             = (*Classifier)(nil)
	_ estimators.Cloner[estimators.Classifier] = (*Classifier)(nil)
	_ estimators.Reporter                      = (*Classifier)(nil)
)

// model is a fitted Classifier.
type model struct {
	hidden    *transformers.RandomHidden
	width     int
	classes   []int
	stats     []*Statistics // of each class; nil after loading
	magnitude float64       // the largest activation
	pairs     []*projection // of the classes j < i in the order (1,0), (2,0), (2,1), ...; nil while one has no rows
	logW      []float64     // of each pair, class i over class j
	report    estimators.Report
}

func (c *Classifier) validate() error {
	if c.Frequencies && c.Priors != nil {
		return fault.Param(classifierType, "Priors", c.Priors, "nil with Frequencies")
	}
	for _, f := range []struct {
		name   string
		values []float64
	}{{"Priors", c.Priors}, {"Costs", c.Costs}} {
		for i, v := range f.values {
			if !(v > 0) || math.IsInf(v, 1) {
				return fault.Param(classifierType, fmt.Sprintf("%s[%d]", f.name, i), v, "a finite value > 0")
			}
		}
	}
	for i := 1; i < len(c.Labels); i++ {
		if c.Labels[i] <= c.Labels[i-1] {
			return fault.Param(classifierType, "Labels", c.Labels, "ascending, each once")
		}
	}
	return nil
}

// Fit learns from x (n×d) and n labels y. Errors: ErrParam, ErrShape (also for a single
// class, or one of Labels without a row), ErrNotFinite, or ctx's.
func (c *Classifier) Fit(ctx context.Context, x mat.Matrix, y []int) error {
	m, err := c.begin(ctx, x, y)
	if err != nil {
		return err
	}
	if err := c.take(ctx, m, x, y); err != nil {
		return err
	}
	for k, s := range m.stats {
		if s.n == 0 {
			return fault.Shape(fmt.Sprintf("of class %d y has", m.classes[k]), 0, "rows", "want at least 1")
		}
	}
	if err := c.solve(ctx, m); err != nil {
		return err
	}
	c.m = m
	return nil
}

// PartialFit takes in more rows: after all chunks the machine is that of Fit on all
// rows, but for rounding, and for DataRBF, whose units sit on rows of the first chunk.
// The classes are Labels, or those of the first chunk; a chunk need not hold all of
// them. Before each has had a row there is nothing to predict with: ErrNotFitted. A
// chunk that is an error changes nothing.
func (c *Classifier) PartialFit(ctx context.Context, x mat.Matrix, y []int) error {
	var m *model
	var err error
	switch {
	case c.m == nil:
		m, err = c.begin(ctx, x, y)
	case c.m.stats == nil:
		return &fault.NotFittedError{Type: classifierType + ": a model from a file has no statistics to go on from"}
	default:
		m, err = c.m.continued(), c.validate()
	}
	if err != nil {
		return err
	}
	if err := c.take(ctx, m, x, y); err != nil {
		return err
	}
	m.pairs = nil
	if !slices.ContainsFunc(m.stats, func(s *Statistics) bool { return s.n == 0 }) {
		if err := c.solve(ctx, m); err != nil {
			return err
		}
	}
	c.m = m
	return nil
}

// continued is a copy whose statistics can be added to.
func (m *model) continued() *model {
	out := *m
	out.stats = make([]*Statistics, len(m.stats))
	for k, s := range m.stats {
		out.stats[k] = s.Clone()
	}
	return &out
}

// begin draws the units and settles the classes.
func (c *Classifier) begin(ctx context.Context, x mat.Matrix, y []int) (*model, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	xd, err := check.Dense("x", x)
	if err != nil {
		return nil, err
	}
	n, d := xd.Dims()
	if err := check.Rows("y", len(y), n); err != nil {
		return nil, err
	}
	m := &model{width: d, classes: slices.Clone(c.Labels)}
	if c.Labels == nil {
		m.classes = slices.Clone(y)
		slices.Sort(m.classes)
		m.classes = slices.Compact(m.classes)
	}
	k := len(m.classes)
	switch {
	case k < 2:
		return nil, fault.Shape("y has", k, "class", "want at least 2")
	case c.Priors != nil && len(c.Priors) != k:
		return nil, fault.Shape("Priors has", len(c.Priors), "entries", "there are %d classes", k)
	case c.Costs != nil && len(c.Costs) != k:
		return nil, fault.Shape("Costs has", len(c.Costs), "entries", "there are %d classes", k)
	}
	m.hidden = &transformers.RandomHidden{Units: c.Hidden, Activation: c.Activation, Seed: c.Seed, Workers: c.Workers}
	if err := m.hidden.Fit(ctx, xd); err != nil {
		return nil, err
	}
	m.stats = make([]*Statistics, k)
	for i := range m.stats {
		m.stats[i] = &Statistics{}
	}
	return m, nil
}

// shard rows are summed at a time, so that the sums do not depend on the workers.
const shard = 2048

// take adds rows to the statistics of their classes.
func (c *Classifier) take(ctx context.Context, m *model, x mat.Matrix, y []int) error {
	xd, err := check.Dense("x", x)
	if err != nil {
		return err
	}
	n, d := xd.Dims()
	if err := check.Columns("x", xd, m.width); err != nil {
		return err
	}
	if err := check.Rows("y", len(y), n); err != nil {
		return err
	}
	for i, label := range y {
		if _, ok := slices.BinarySearch(m.classes, label); !ok {
			return fault.Param(classifierType, fmt.Sprintf("y[%d]", i), label, fmt.Sprintf("one of the classes %v", m.classes))
		}
	}
	shards := (n + shard - 1) / shard
	parts, largest := make([][]*Statistics, shards), make([]float64, shards)
	err = parallel.For(ctx, c.Workers, shards, func(s int) error {
		first, last := s*shard, min((s+1)*shard, n)
		h, err := m.hidden.Transform(xd.Slice(first, last, 0, d))
		if err != nil {
			return err
		}
		parts[s], largest[s], err = m.sum(h, y[first:last])
		return err
	})
	if err != nil {
		return err
	}
	for s, part := range parts {
		m.magnitude = max(m.magnitude, largest[s])
		for k, p := range part {
			if err := m.stats[k].Merge(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// sum takes the statistics of hidden rows by class, and the largest activation.
func (m *model) sum(h *mat.Dense, y []int) (out []*Statistics, largest float64, err error) {
	_, width := h.Dims()
	rows := make([][]int, len(m.classes))
	for i, label := range y {
		k, _ := slices.BinarySearch(m.classes, label)
		rows[k] = append(rows[k], i)
	}
	out = make([]*Statistics, len(m.classes))
	for k, of := range rows {
		out[k] = &Statistics{}
		if len(of) == 0 {
			continue
		}
		part := mat.NewDense(len(of), width, nil)
		for i, row := range of {
			part.SetRow(i, h.RawRowView(row))
			for _, v := range h.RawRowView(row) {
				largest = max(largest, math.Abs(v))
			}
		}
		if err := out[k].Add(part); err != nil {
			return nil, 0, err
		}
	}
	return out, largest, nil
}

// solve finds the direction of every pair of classes.
func (c *Classifier) solve(ctx context.Context, m *model) error {
	m.report = estimators.Report{Converged: true, Iterations: 1}
	m.pairs, m.logW = nil, nil
	weight := make([]float64, len(m.classes))
	for k := range weight {
		weight[k] = 1
		if c.Priors != nil {
			weight[k] = c.Priors[k]
		}
		if c.Frequencies {
			weight[k] = m.stats[k].n
		}
		if c.Costs != nil {
			weight[k] *= c.Costs[k]
		}
	}
	for i := range m.classes {
		for j := range i {
			if err := ctx.Err(); err != nil {
				return err
			}
			p, err := project(m.stats[i], m.stats[j], m.magnitude)
			if err != nil {
				return err
			}
			m.pairs, m.logW = append(m.pairs, p), append(m.logW, math.Log(weight[i]/weight[j]))
			m.report.Objective -= p.divergence()
			m.report.Jitter = max(m.report.Jitter, p.jitter)
			if p.constant {
				m.report.Warnings = append(m.report.Warnings, fmt.Sprintf("classes %d and %d have the same mean: no direction tells them apart", m.classes[j], m.classes[i]))
			}
		}
	}
	return nil
}

// hiddenRows returns the activations for rows of a prediction.
func (c *Classifier) hiddenRows(x mat.Matrix) (*mat.Dense, error) {
	if c.m == nil || c.m.pairs == nil {
		return nil, fault.NotFitted(classifierType)
	}
	xd, err := check.Dense("x", x)
	if err != nil {
		return nil, err
	}
	if err := check.Columns("x", xd, c.m.width); err != nil {
		return nil, err
	}
	return c.m.hidden.Transform(xd)
}

// odds returns the log odds of each pair of classes for each row.
func (m *model) odds(h *mat.Dense) *mat.Dense {
	n, width := h.Dims()
	directions := mat.NewDense(width, len(m.pairs), nil)
	for k, p := range m.pairs {
		directions.SetCol(k, p.beta)
	}
	var z mat.Dense
	z.Mul(h, directions)
	for i := range n {
		row := z.RawRowView(i)
		for k, p := range m.pairs {
			if row[k] = p.logOdds(row[k], m.logW[k]); row[k] == 0 {
				row[k] = math.SmallestNonzeroFloat64 // even odds are the positive class's
			}
		}
	}
	return &z
}

func sigmoid(v float64) float64 {
	if v < 0 {
		e := math.Exp(v)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-v))
}

// Decision returns r×K scores for the rows of x (r×d): of two classes minus and plus
// the log odds of the second, of more the sum over the other classes of the pairwise
// probabilities.
func (c *Classifier) Decision(x mat.Matrix) (*mat.Dense, error) {
	h, err := c.hiddenRows(x)
	if err != nil {
		return nil, err
	}
	odds := c.m.odds(h)
	n, _ := odds.Dims()
	k := len(c.m.classes)
	out := mat.NewDense(n, k, nil)
	for r := range n {
		row, from := out.RawRowView(r), odds.RawRowView(r)
		if k == 2 {
			row[0], row[1] = -from[0], from[0]
			continue
		}
		at := 0
		for i := range k {
			for j := range i {
				p := sigmoid(from[at])
				row[i] += p
				row[j] += 1 - p
				at++
			}
		}
	}
	return out, nil
}

// Predict returns the class of the largest Decision for each row of x (r×d), the second
// of two where the odds are even. Cost O(rhd).
func (c *Classifier) Predict(x mat.Matrix) ([]int, error) {
	scores, err := c.Decision(x)
	if err != nil {
		return nil, err
	}
	n, k := scores.Dims()
	out := make([]int, n)
	for i := range out {
		row := scores.RawRowView(i)
		at := 0
		for j := 1; j < k; j++ {
			if row[j] > row[at] {
				at = j
			}
		}
		out[i] = c.m.classes[at]
	}
	return out, nil
}

// PredictProba returns probabilities for the rows of x (r×d), r×K: of two classes the
// posterior of their Gaussians, of more the mean of the pairwise ones.
func (c *Classifier) PredictProba(x mat.Matrix) (*mat.Dense, error) {
	out, err := c.Decision(x)
	if err != nil {
		return nil, err
	}
	n, k := out.Dims()
	for i := range n {
		row := out.RawRowView(i)
		for j, v := range row {
			if k == 2 {
				row[j] = sigmoid(v)
			} else {
				row[j] = 2 * v / float64(k*(k-1))
			}
		}
	}
	return out, nil
}

// Classes returns the labels, ascending; nil before Fit.
func (c *Classifier) Classes() []int {
	if c.m == nil {
		return nil
	}
	return slices.Clone(c.m.classes)
}

// Pair is what was learnt of two classes.
type Pair struct {
	Negative, Positive int       // the classes; Negative is the lesser
	Direction          []float64 // β, of the hidden units
	Means              [2]float64
	Variances          [2]float64 // of the negative and the positive class along β
	Divergence         float64    // of Cauchy and Schwarz, of the two along β
	Distance           float64    // its first term, which β maximises
	Shrinkage          [2]float64 // ρ of Ledoit and Wolf
	Thresholds         Thresholds
}

// Pairs returns what was learnt of each two classes; nil before Fit.
func (c *Classifier) Pairs() []Pair {
	if c.m == nil || c.m.pairs == nil {
		return nil
	}
	var out []Pair
	at := 0
	for i := range c.m.classes {
		for j := range i {
			p := c.m.pairs[at]
			out = append(out, Pair{
				Negative: c.m.classes[j], Positive: c.m.classes[i], Direction: slices.Clone(p.beta), Means: [2]float64{p.mNeg, p.mPos},
				Variances: [2]float64{p.sNeg, p.sPos}, Divergence: p.divergence(), Distance: p.distance,
				Shrinkage: [2]float64{p.rhoNeg, p.rhoPos}, Thresholds: p.thresholds(c.m.logW[at]),
			})
			at++
		}
	}
	return out
}

// Statistics returns copies of the classes' statistics, in the order of Classes; nil
// before Fit and for a model from a file.
func (c *Classifier) Statistics() []*Statistics {
	if c.m == nil || c.m.stats == nil {
		return nil
	}
	return c.m.continued().stats
}

// Report says how the last Fit went. Objective is the negative divergence, summed over
// the pairs of classes.
func (c *Classifier) Report() estimators.Report {
	if c.m == nil {
		return estimators.Report{}
	}
	out := c.m.report
	out.Warnings = slices.Clone(out.Warnings)
	return out
}

// Clone returns an unfitted Classifier of the same configuration.
func (c *Classifier) Clone() estimators.Classifier {
	out := *c
	out.m = nil
	out.Labels, out.Priors, out.Costs = slices.Clone(c.Labels), slices.Clone(c.Priors), slices.Clone(c.Costs)
	return &out
}
