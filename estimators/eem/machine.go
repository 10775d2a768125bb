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
)

// layer is what both machines see rows through.
type layer interface {
	Transform(x mat.Matrix) (*mat.Dense, error)
}

// settings is what Classifier and KernelClassifier have in common.
type settings struct {
	typ           string
	labels        []int
	priors, costs []float64
	frequencies   bool
	workers       int
	draw          func(ctx context.Context, x *mat.Dense) (layer, error)
}

// model is a fitted Classifier or KernelClassifier.
type model struct {
	layer     layer
	width     int
	classes   []int
	stats     []*Statistics // of each class; nil after loading
	magnitude float64       // the largest activation
	pairs     []*projection // of the classes j < i in the order (1,0), (2,0), (2,1), ...; nil while one has no rows
	logW      []float64     // of each pair, class i over class j
	report    estimators.Report
}

func (c settings) validate() error {
	if c.frequencies && c.priors != nil {
		return fault.Param(c.typ, "Priors", c.priors, "nil with Frequencies")
	}
	for _, f := range []struct {
		name   string
		values []float64
	}{{"Priors", c.priors}, {"Costs", c.costs}} {
		for i, v := range f.values {
			if !(v > 0) || math.IsInf(v, 1) {
				return fault.Param(c.typ, fmt.Sprintf("%s[%d]", f.name, i), v, "a finite value > 0")
			}
		}
	}
	for i := 1; i < len(c.labels); i++ {
		if c.labels[i] <= c.labels[i-1] {
			return fault.Param(c.typ, "Labels", c.labels, "ascending, each once")
		}
	}
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

// fit learns from all rows at once.
func (c settings) fit(ctx context.Context, x mat.Matrix, y []int) (*model, error) {
	m, err := c.begin(ctx, x, y)
	if err != nil {
		return nil, err
	}
	if err := c.take(ctx, m, x, y); err != nil {
		return nil, err
	}
	for k, s := range m.stats {
		if s.n == 0 {
			return nil, fault.Shape(fmt.Sprintf("of class %d y has", m.classes[k]), 0, "rows", "want at least 1")
		}
	}
	return m, c.solve(ctx, m)
}

// partialFit returns old with more rows, or a first chunk's.
func (c settings) partialFit(ctx context.Context, old *model, x mat.Matrix, y []int) (*model, error) {
	var m *model
	var err error
	switch {
	case old == nil:
		m, err = c.begin(ctx, x, y)
	case old.stats == nil:
		return nil, &fault.NotFittedError{Type: c.typ + ": a model from a file has no statistics to go on from"}
	default:
		m, err = old.continued(), c.validate()
	}
	if err != nil {
		return nil, err
	}
	if err := c.take(ctx, m, x, y); err != nil {
		return nil, err
	}
	m.pairs = nil
	if slices.ContainsFunc(m.stats, func(s *Statistics) bool { return s.n == 0 }) {
		return m, nil
	}
	return m, c.solve(ctx, m)
}

// begin draws the units and settles the classes.
func (c settings) begin(ctx context.Context, x mat.Matrix, y []int) (*model, error) {
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
	m := &model{width: d, classes: slices.Clone(c.labels)}
	if c.labels == nil {
		m.classes = slices.Clone(y)
		slices.Sort(m.classes)
		m.classes = slices.Compact(m.classes)
	}
	k := len(m.classes)
	switch {
	case k < 2:
		return nil, fault.Shape("y has", k, "class", "want at least 2")
	case c.priors != nil && len(c.priors) != k:
		return nil, fault.Shape("Priors has", len(c.priors), "entries", "there are %d classes", k)
	case c.costs != nil && len(c.costs) != k:
		return nil, fault.Shape("Costs has", len(c.costs), "entries", "there are %d classes", k)
	}
	if m.layer, err = c.draw(ctx, xd); err != nil {
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
func (c settings) take(ctx context.Context, m *model, x mat.Matrix, y []int) error {
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
			return fault.Param(c.typ, fmt.Sprintf("y[%d]", i), label, fmt.Sprintf("one of the classes %v", m.classes))
		}
	}
	shards := (n + shard - 1) / shard
	parts, largest := make([][]*Statistics, shards), make([]float64, shards)
	err = parallel.For(ctx, c.workers, shards, func(s int) error {
		first, last := s*shard, min((s+1)*shard, n)
		h, err := m.layer.Transform(xd.Slice(first, last, 0, d))
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
func (c settings) solve(ctx context.Context, m *model) error {
	m.report = estimators.Report{Converged: true, Iterations: 1}
	m.pairs, m.logW = nil, nil
	weight := make([]float64, len(m.classes))
	for k := range weight {
		weight[k] = 1
		if c.priors != nil {
			weight[k] = c.priors[k]
		}
		if c.frequencies {
			weight[k] = m.stats[k].n
		}
		if c.costs != nil {
			weight[k] *= c.costs[k]
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

// rows returns the activations for rows of a prediction.
func (m *model) rows(typ string, x mat.Matrix) (*mat.Dense, error) {
	if m == nil || m.pairs == nil {
		return nil, fault.NotFitted(typ)
	}
	xd, err := check.Dense("x", x)
	if err != nil {
		return nil, err
	}
	if err := check.Columns("x", xd, m.width); err != nil {
		return nil, err
	}
	return m.layer.Transform(xd)
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

// decision returns scores of the classes.
func (m *model) decision(typ string, x mat.Matrix) (*mat.Dense, error) {
	h, err := m.rows(typ, x)
	if err != nil {
		return nil, err
	}
	odds := m.odds(h)
	n, _ := odds.Dims()
	k := len(m.classes)
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

func (m *model) predict(typ string, x mat.Matrix) ([]int, error) {
	scores, err := m.decision(typ, x)
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
		out[i] = m.classes[at]
	}
	return out, nil
}

func (m *model) proba(typ string, x mat.Matrix) (*mat.Dense, error) {
	out, err := m.decision(typ, x)
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

func (m *model) labels() []int {
	if m == nil {
		return nil
	}
	return slices.Clone(m.classes)
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

// describe returns what was learnt of each two classes.
func (m *model) describe() []Pair {
	if m == nil || m.pairs == nil {
		return nil
	}
	var out []Pair
	at := 0
	for i := range m.classes {
		for j := range i {
			p := m.pairs[at]
			out = append(out, Pair{
				Negative: m.classes[j], Positive: m.classes[i], Direction: slices.Clone(p.beta), Means: [2]float64{p.mNeg, p.mPos},
				Variances: [2]float64{p.sNeg, p.sPos}, Divergence: p.divergence(), Distance: p.distance,
				Shrinkage: [2]float64{p.rhoNeg, p.rhoPos}, Thresholds: p.thresholds(m.logW[at]),
			})
			at++
		}
	}
	return out
}

func (m *model) copiedStatistics() []*Statistics {
	if m == nil || m.stats == nil {
		return nil
	}
	return m.continued().stats
}

func (m *model) copiedReport() estimators.Report {
	if m == nil {
		return estimators.Report{}
	}
	out := m.report
	out.Warnings = slices.Clone(out.Warnings)
	return out
}
