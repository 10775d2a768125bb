package eem

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// Multiclass is how more than two classes are told apart.
type Multiclass int

// The ways. Of two classes both are the same machine.
const (
	// OneVersusOne finds a direction for each two classes; a row is of the class with
	// the largest sum of pairwise probabilities.
	OneVersusOne Multiclass = iota
	// Discriminant finds the space of K-1 directions in which the class means lie
	// farthest apart by the mean of the class covariances, and takes each class for a
	// Gaussian of its own in it: one system of equations in place of K(K-1)/2, and as a
	// rule a little less accurate.
	Discriminant
)

// String returns the way's name.
func (m Multiclass) String() string {
	switch m {
	case OneVersusOne:
		return "OneVersusOne"
	case Discriminant:
		return "Discriminant"
	}
	return fmt.Sprintf("Multiclass(%d)", int(m))
}

// layer is what both machines see rows through. Layers are nested: the first columns
// are the features of a smaller one.
type layer interface {
	// features of the rows of x (m×d) are put into the columns of dst (h×m).
	features(dst, x *mat.Dense) error
	// width is the number of features of the first units; all of them if units is large.
	width(units int) int
	// first is the layer of the first units.
	first(units int) (layer, error)
	// along returns what finds the place of rows along directions (features×r).
	along(directions *mat.Dense) (scorer, error)
}

// scorer finds the place of rows along directions.
type scorer interface {
	// place is that of one row x, into z, without allocating.
	place(z, x []float64)
	scores(x *mat.Dense) (*mat.Dense, error)
}

// settings is what Classifier and KernelClassifier have in common.
type settings struct {
	typ           string
	labels        []int
	priors, costs []float64
	frequencies   bool
	multiclass    Multiclass
	workers       int
	draw          func(ctx context.Context, x *mat.Dense) (layer, error)
}

// model is a fitted Classifier or KernelClassifier.
type model struct {
	layer   layer
	width   int // of rows
	classes []int
	stats   []*Statistics // of each class; nil after loading
	// solved returns what follows from the statistics; nil while a class has no rows.
	// After a chunk it is worked out at the first call, so that chunks that nobody
	// predicts between cost no solution.
	solved func() (*solution, error)
}

// solution is what predicts.
type solution struct {
	classes []int
	pairs   []*projection // of the classes j < i in the order (1,0), (2,0), (2,1), ...; nil with a plane
	logW    []float64     // of each pair, class i over class j; with a plane, of each class
	plane   *plane
	scorer  scorer
	report  estimators.Report
}

func (c settings) validate() error {
	switch {
	case c.frequencies && c.priors != nil:
		return fault.Param(c.typ, "Priors", c.priors, "nil with Frequencies")
	case c.multiclass < OneVersusOne || c.multiclass > Discriminant:
		return fault.Param(c.typ, "Multiclass", int(c.multiclass), "OneVersusOne or Discriminant")
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
	models, err := c.path(ctx, x, y, []int{math.MaxInt})
	if err != nil {
		return nil, err
	}
	return models[0], nil
}

// path learns from all rows at once for each number of units, ascending, of which the
// layer has the largest.
func (c settings) path(ctx context.Context, x mat.Matrix, y []int, units []int) ([]*model, error) {
	m, xd, err := c.begin(ctx, x, y)
	if err != nil {
		return nil, err
	}
	widths := make([]int, len(units))
	for i, u := range units {
		widths[i] = m.layer.width(u)
	}
	sums, err := c.take(ctx, m, xd, y, slices.Compact(slices.Clone(widths)))
	if err != nil {
		return nil, err
	}
	out := make([]*model, len(units))
	at := 0
	for i, u := range units {
		if i > 0 && widths[i] != widths[i-1] {
			at++
		}
		one := *m
		if one.layer, err = m.layer.first(u); err != nil {
			return nil, err
		}
		one.stats = sums[at]
		for k, s := range one.stats {
			if s.n == 0 {
				return nil, fault.Shape(fmt.Sprintf("of class %d y has", m.classes[k]), 0, "rows", "want at least 1")
			}
		}
		s, err := c.solve(ctx, one.classes, one.stats, one.layer)
		if err != nil {
			return nil, err
		}
		one.solved = func() (*solution, error) { return s, nil }
		out[i] = &one
	}
	return out, nil
}

// checkUnits is for the sizes of a path.
func checkUnits(typ string, sizes []int) error {
	if len(sizes) == 0 {
		return fault.Shape("the path has", 0, "sizes", "want at least 1")
	}
	for i, v := range sizes {
		if v < 1 || (i > 0 && v < sizes[i-1]) {
			return fault.Param(typ, "sizes", sizes, ">= 1, ascending")
		}
	}
	return nil
}

// partialFit returns old with more rows, or a first chunk's.
func (c settings) partialFit(ctx context.Context, old *model, x mat.Matrix, y []int) (*model, error) {
	var m *model
	var xd *mat.Dense
	var err error
	switch {
	case old == nil:
		m, xd, err = c.begin(ctx, x, y)
	case old.stats == nil:
		return nil, &fault.NotFittedError{Type: c.typ + ": a model from a file has no statistics to go on from"}
	default:
		if err = c.validate(); err == nil {
			m = old.continued()
			xd, err = m.check(c.typ, x, y)
		}
	}
	if err != nil {
		return nil, err
	}
	sums, err := c.take(ctx, m, xd, y, []int{m.layer.width(math.MaxInt)})
	if err != nil {
		return nil, err
	}
	for k, s := range sums[0] {
		if err := m.stats[k].absorb(s); err != nil {
			return nil, err
		}
	}
	m.solved = nil
	if slices.ContainsFunc(m.stats, func(s *Statistics) bool { return s.n == 0 }) {
		return m, nil
	}
	m.solved = sync.OnceValues(func() (*solution, error) {
		return c.solve(context.Background(), m.classes, m.stats, m.layer)
	})
	return m, nil
}

// begin draws the units and settles the classes.
func (c settings) begin(ctx context.Context, x mat.Matrix, y []int) (*model, *mat.Dense, error) {
	if err := c.validate(); err != nil {
		return nil, nil, err
	}
	xd, err := check.Dense("x", x)
	if err != nil {
		return nil, nil, err
	}
	n, d := xd.Dims()
	if err := check.Rows("y", len(y), n); err != nil {
		return nil, nil, err
	}
	m := &model{width: d, classes: slices.Clone(c.labels)}
	if c.labels == nil {
		m.classes = classes.Distinct(y)
	}
	if err := classes.AtLeastTwo(m.classes); err != nil {
		return nil, nil, err
	}
	k := len(m.classes)
	switch {
	case c.priors != nil && len(c.priors) != k:
		return nil, nil, fault.Shape("Priors has", len(c.priors), "entries", "there are %d classes", k)
	case c.costs != nil && len(c.costs) != k:
		return nil, nil, fault.Shape("Costs has", len(c.costs), "entries", "there are %d classes", k)
	}
	if _, err := m.check(c.typ, xd, y); err != nil {
		return nil, nil, err
	}
	if m.layer, err = c.draw(ctx, xd); err != nil {
		return nil, nil, err
	}
	m.stats = make([]*Statistics, k)
	for i := range m.stats {
		m.stats[i] = &Statistics{}
	}
	return m, xd, nil
}

// check validates rows and labels against the model's.
func (m *model) check(typ string, x mat.Matrix, y []int) (*mat.Dense, error) {
	xd, err := check.Dense("x", x)
	if err != nil {
		return nil, err
	}
	if err := check.Columns("x", xd, m.width); err != nil {
		return nil, err
	}
	n, _ := xd.Dims()
	if err := check.Rows("y", len(y), n); err != nil {
		return nil, err
	}
	for i, label := range y {
		if _, ok := slices.BinarySearch(m.classes, label); !ok {
			return nil, fault.Param(typ, fmt.Sprintf("y[%d]", i), label, fmt.Sprintf("one of the classes %v", m.classes))
		}
	}
	return xd, nil
}

// Rows are summed in groups, beside each other, each into sums of its own. What a group is
// depends on the rows and features alone, so that the sums do not depend on the workers.
const (
	leastGroup = 512 // rows, and four for each feature
	mostGroups = 16
	groupBytes = 64 << 20 // that the sums of all groups may take
)

// take returns the statistics of the features of rows, for each of widths, ascending, and
// class.
func (c settings) take(ctx context.Context, m *model, x *mat.Dense, y []int, widths []int) ([][]*Statistics, error) {
	n := len(y)
	largest := widths[len(widths)-1]
	groups := max(1, min(n/max(leastGroup, 4*largest), mostGroups, groupBytes/(8*largest*largest*len(m.classes))))
	if groups > 4 {
		groups -= groups % 4 // so that two or four workers have the same to do
	}
	parts := make([][][]*Statistics, groups)
	err := parallel.For(ctx, c.workers, groups, func(g int) error {
		var err error
		parts[g], err = m.sum(ctx, x, y, g*n/groups, (g+1)*n/groups, widths)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, part := range parts[1:] {
		for w := range widths {
			for k, s := range part[w] {
				if err := parts[0][w][k].absorb(s); err != nil {
					return nil, err
				}
			}
		}
	}
	return parts[0], nil
}

// sum returns the statistics of the rows from first to last.
func (m *model) sum(ctx context.Context, x *mat.Dense, y []int, first, last int, widths []int) ([][]*Statistics, error) {
	out := make([][]*Statistics, len(widths))
	rows := make([][]int, len(m.classes))
	for i := first; i < last; i++ {
		k, _ := slices.BinarySearch(m.classes, y[i])
		rows[k] = append(rows[k], i)
	}
	buffer := newPanel(widths[len(widths)-1])
	for _, of := range rows {
		sums := newAccumulator(widths)
		for len(of) > 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			some := of[:min(panel, len(of))]
			of = of[len(some):]
			features := buffer.Slice(0, widths[len(widths)-1], 0, len(some)).(*mat.Dense)
			if err := m.layer.features(features, linalg.Rows(x, some)); err != nil {
				return nil, err
			}
			sums.add(features)
		}
		stats, err := sums.statistics()
		if err != nil {
			return nil, err
		}
		for w, s := range stats {
			out[w] = append(out[w], s)
		}
	}
	return out, nil
}

// solve works out what predicts.
func (c settings) solve(ctx context.Context, classes []int, stats []*Statistics, l layer) (*solution, error) {
	s := &solution{classes: classes, report: estimators.Report{Converged: true, Iterations: 1}}
	weight := c.weights(stats)
	var directions *mat.Dense
	var err error
	if c.multiclass == Discriminant && len(classes) > 2 {
		directions, err = s.solvePlane(stats, weight)
	} else {
		directions, err = s.solvePairs(ctx, stats, weight)
	}
	if err != nil {
		return nil, err
	}
	s.scorer, err = l.along(directions)
	return s, err
}

// weights are the prior times the cost of each class.
func (c settings) weights(stats []*Statistics) []float64 {
	out := make([]float64, len(stats))
	for k := range out {
		out[k] = 1
		if c.priors != nil {
			out[k] = c.priors[k]
		}
		if c.frequencies {
			out[k] = stats[k].n
		}
		if c.costs != nil {
			out[k] *= c.costs[k]
		}
	}
	return out
}

// solvePairs finds the direction of every pair of classes.
func (s *solution) solvePairs(ctx context.Context, stats []*Statistics, weight []float64) (*mat.Dense, error) {
	for i := range s.classes {
		for j := range i {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			p, err := project(stats[i], stats[j])
			if err != nil {
				return nil, err
			}
			s.pairs, s.logW = append(s.pairs, p), append(s.logW, math.Log(weight[i]/weight[j]))
			s.report.Objective -= p.divergence()
			s.report.Jitter = max(s.report.Jitter, p.jitter)
			if p.constant {
				s.report.Warnings = append(s.report.Warnings, fmt.Sprintf("classes %d and %d have the same mean: no direction tells them apart", s.classes[j], s.classes[i]))
			}
		}
	}
	directions := mat.NewDense(len(s.pairs[0].beta), len(s.pairs), nil)
	for k, p := range s.pairs {
		directions.SetCol(k, p.beta)
	}
	return directions, nil
}

// solution returns what predicts.
func (m *model) solution(typ string) (*solution, error) {
	if m == nil || m.solved == nil {
		return nil, fault.NotFitted(typ)
	}
	return m.solved()
}

// project returns the places of rows along the directions.
func (m *model) project(typ string, x mat.Matrix) (*solution, *mat.Dense, error) {
	s, err := m.solution(typ)
	if err != nil {
		return nil, nil, err
	}
	xd, err := check.Dense("x", x)
	if err != nil {
		return nil, nil, err
	}
	if err := check.Columns("x", xd, m.width); err != nil {
		return nil, nil, err
	}
	z, err := s.scorer.scores(xd)
	return s, z, err
}

// predictChunk rows at a time bound the memory of a prediction.
const predictChunk = 2048

// inChunks puts f of each chunk of x into the rows of the result.
func inChunks(x *mat.Dense, columns int, f func(dst, x *mat.Dense) error) (*mat.Dense, error) {
	n, d := x.Dims()
	out := mat.NewDense(n, columns, nil)
	for first := 0; first < n; first += predictChunk {
		last := min(first+predictChunk, n)
		if err := f(out.Slice(first, last, 0, columns).(*mat.Dense), x.Slice(first, last, 0, d).(*mat.Dense)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// decision returns scores of the classes.
func (m *model) decision(typ string, x mat.Matrix) (*mat.Dense, error) {
	s, z, err := m.project(typ, x)
	if err != nil {
		return nil, err
	}
	return s.decision(z), nil
}

// decision of rows at z along the directions.
func (s *solution) decision(z *mat.Dense) *mat.Dense {
	if s.plane != nil {
		return s.plane.decision(z, s.logW)
	}
	n, _ := z.Dims()
	out := mat.NewDense(n, len(s.classes), nil)
	for r := range n {
		s.vote(out.RawRowView(r), z.RawRowView(r))
	}
	return out
}

// vote sets row to the scores of a row at from along the directions of the pairs.
func (s *solution) vote(row, from []float64) {
	clear(row)
	at := 0
	for i := range row {
		for j := range i {
			odds := s.pairs[at].logOdds(from[at], s.logW[at])
			if len(row) == 2 {
				if odds == 0 {
					odds = math.SmallestNonzeroFloat64 // even odds are the positive class's
				}
				row[0], row[1] = -odds, odds
				continue
			}
			p := vecmath.Sigmoid(odds)
			row[i] += p
			row[j] += 1 - p
			at++
		}
	}
}

// rowWidth is the number of columns that row wants; 0 before Fit and where what was summed
// up cannot be solved.
func (m *model) rowWidth() int {
	if m == nil || m.solved == nil {
		return 0
	}
	if _, err := m.solved(); err != nil {
		return 0
	}
	return m.width
}

// classLabels are those of a model that row can be asked of.
func (m *model) classLabels() []int {
	if m == nil {
		return nil
	}
	return m.classes
}

// row computes the scores of one row.
func (m *model) row(out, x []float64) {
	s, err := m.solved()
	if err != nil {
		out[0] = math.NaN()
		return
	}
	directions := len(s.pairs)
	if s.plane != nil {
		_, directions = s.plane.means.Dims()
	}
	p := rowwise.Scratch(directions)
	defer rowwise.Release(p)
	s.scorer.place(*p, x)
	if s.plane != nil {
		s.plane.row(out, *p, s.logW)
	} else {
		s.vote(out, *p)
	}
	for _, v := range *p { // which a vote may hide
		out[0] += v - v
	}
}

// placed is scores of a single row, which blocks would only make slower.
func placed(s scorer, x *mat.Dense, directions int) (*mat.Dense, error) {
	out := mat.NewDense(1, directions, nil)
	s.place(out.RawRowView(0), x.RawRowView(0))
	if v := mat.Sum(out); v-v != 0 {
		return nil, &fault.NotFiniteError{Name: "eem: place of a row", Row: 0, Col: -1, Value: v}
	}
	return out, nil
}

// along sets z to the sum of the rows of directions, each times a value.
func along(z, values []float64, directions *mat.Dense) {
	clear(z)
	for i, v := range values {
		for j, w := range directions.RawRowView(i) {
			z[j] += v * w
		}
	}
}

func (m *model) predict(typ string, x mat.Matrix) ([]int, error) {
	scores, err := m.decision(typ, x)
	if err != nil {
		return nil, err
	}
	return classes.Predicted(m.classes, scores), nil
}

func (m *model) proba(typ string, x mat.Matrix) (*mat.Dense, error) {
	s, z, err := m.project(typ, x)
	if err != nil {
		return nil, err
	}
	return s.proba(z), nil
}

// proba returns the probabilities of rows at z along the directions.
func (s *solution) proba(z *mat.Dense) *mat.Dense {
	out := s.decision(z)
	n, k := out.Dims()
	for i := range n {
		row := out.RawRowView(i)
		if s.plane != nil {
			vecmath.Softmax(row)
			continue
		}
		for j, v := range row {
			if k == 2 {
				row[j] = vecmath.Sigmoid(v)
			} else {
				row[j] = 2 * v / float64(k*(k-1))
			}
		}
	}
	return out
}

// heldOut returns probabilities of each row of a machine fitted without the rows of its
// block.
func (c settings) heldOut(ctx context.Context, x mat.Matrix, y, block []int) (*mat.Dense, error) {
	m, xd, err := c.begin(ctx, x, y)
	if err != nil {
		return nil, err
	}
	n, _ := xd.Dims()
	if err := check.Rows("block", len(block), n); err != nil {
		return nil, err
	}
	names := classes.Distinct(block)
	if len(names) < 2 {
		return nil, fault.Shape("there is", len(names), "block", "want at least 2")
	}
	widths := []int{m.layer.width(math.MaxInt)}
	all, err := c.take(ctx, m, xd, y, widths)
	if err != nil {
		return nil, err
	}
	out := mat.NewDense(n, len(m.classes), nil)
	err = parallel.For(ctx, c.workers, len(names), func(b int) error {
		var rows, labels []int
		for i, name := range block {
			if name == names[b] {
				rows, labels = append(rows, i), append(labels, y[i])
			}
		}
		held := linalg.Rows(xd, rows)
		s, err := c.without(ctx, m, all[0], held, labels, widths)
		if err != nil {
			return fmt.Errorf("without block %d: %w", names[b], err)
		}
		z, err := s.scorer.scores(held)
		if err != nil {
			return err
		}
		p := s.proba(z)
		for i, r := range rows {
			out.SetRow(r, p.RawRowView(i))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// without returns the solution for all rows but those held.
func (c settings) without(ctx context.Context, m *model, all []*Statistics, held *mat.Dense, labels, widths []int) (*solution, error) {
	own, err := c.take(ctx, m, held, labels, widths)
	if err != nil {
		return nil, err
	}
	stats := make([]*Statistics, len(m.classes))
	for k := range stats {
		stats[k] = all[k].Clone()
		if err := stats[k].Unmerge(own[0][k]); err != nil {
			return nil, err
		}
		if stats[k].n == 0 {
			return nil, fault.Shape(fmt.Sprintf("of class %d y has", m.classes[k]), 0, "rows", "want at least 1")
		}
	}
	return c.solve(ctx, m.classes, stats, m.layer)
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
	s, err := m.solution("")
	if err != nil || s.plane != nil {
		return nil
	}
	var out []Pair
	at := 0
	for i := range m.classes {
		for j := range i {
			p := s.pairs[at]
			out = append(out, Pair{
				Negative: m.classes[j], Positive: m.classes[i], Direction: slices.Clone(p.beta), Means: [2]float64{p.mNeg, p.mPos},
				Variances: [2]float64{p.sNeg, p.sPos}, Divergence: p.divergence(), Distance: p.distance,
				Shrinkage: [2]float64{p.rhoNeg, p.rhoPos}, Thresholds: p.thresholds(s.logW[at]),
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
	s, err := m.solution("")
	if err != nil {
		return estimators.Report{}
	}
	out := s.report
	out.Warnings = slices.Clone(out.Warnings)
	return out
}
