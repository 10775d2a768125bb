package falkon

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/internal/varying"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// batch is some successive rows, with their targets and weights.
type batch struct {
	first int        // the number of its first row
	x     *mat.Dense // r×d
	y     *mat.Dense // r×k
	w     []float64  // nil: all 1
	g     []int      // the group of each row; rows of a group follow each other; nil: each row is one of its own
}

func (b batch) rows() int { return b.x.RawMatrix().Rows }

// weight is that of a row.
func (b batch) weight(i int) float64 { return weights.Weight(b.w, i) }

// part returns rows from to to, which share memory.
func (b batch) part(from, to int) batch {
	out := batch{first: b.first + from, x: window(b.x, from, to)}
	if b.y != nil {
		out.y = window(b.y, from, to)
	}
	if b.w != nil {
		out.w = b.w[from:to]
	}
	if b.g != nil {
		out.g = b.g[from:to]
	}
	return out
}

// window returns the rows from to to of x.
func window(x *mat.Dense, from, to int) *mat.Dense {
	_, c := x.Dims()
	return x.Slice(from, to, 0, c).(*mat.Dense)
}

// source is rows that can be read again and again, in memory or from elsewhere.
type source struct {
	n, d, k  int
	weight   float64   // Σw
	mean     []float64 // of each target, weighted
	variance []float64 // of each target, weighted, around its mean
	spread   []float64 // of each target, the largest less the smallest
	hash     uint64    // of all that was read
	varying  varying.Columns
	within   []float64 // mean square of what the targets are means of has beside that; nil for none
	// read calls visit on the rows in their order, size at a time but for the last. What visit
	// is given is overwritten after it returns.
	read  func(ctx context.Context, size int, visit func(batch) error) error
	whole batch // of a source in memory
	// groups are the rows from and to which rows are left out together, of a source in memory; together says which rows
	// are in one. Both are nil for none.
	groups   [][2]int
	together []bool
}

// head is the first rows of a source in memory.
func (s *source) head(rows int) *source {
	return s.whole.part(0, min(rows, s.n)).source()
}

// distinctRows is a source of the distinct ones of some rows, so that leaving out a row leaves no copy of it. The rows of a
// group, of those that there are for the rows of x, follow each other.
func distinctRows(x, y *mat.Dense, w []float64, groups []int) (*source, error) {
	merged := distinct.Merge(x, w)
	members, err := merged.Groups(groups, y.RawMatrix().Rows)
	if err != nil {
		return nil, err
	}
	mean := merged.Mean(y)
	whole := batch{x: merged.X, y: mean, w: merged.Weights}
	if len(members) > 0 {
		whole = whole.grouped(members)
	}
	out := whole.source()
	if merged.Repeated() {
		out.within = merged.MeanSquareWithin(y, mean)
	}
	return out, nil
}

// grouped returns the rows in an order in which those of each group follow the first of them.
func (b batch) grouped(groups [][]int) batch {
	n := b.rows()
	of := make([]int, n)
	for i := range of {
		of[i] = i
	}
	rest := map[int][]int{} // of a group, by its first row
	for _, group := range groups {
		rest[group[0]] = group[1:]
		for _, i := range group {
			of[i] = group[0]
		}
	}
	order, g := make([]int, 0, n), make([]int, 0, n)
	for i := range n {
		if of[i] != i {
			continue
		}
		for _, row := range append([]int{i}, rest[i]...) {
			order, g = append(order, row), append(g, i)
		}
	}
	out := batch{x: linalg.Rows(b.x, order), y: linalg.Rows(b.y, order), g: g}
	if b.w != nil {
		out.w = linalg.Pick(b.w, order)
	}
	return out
}

// findGroups sets groups and together by the groups of the rows.
func (s *source) findGroups() {
	g := s.whole.g
	for from := 0; from < len(g); {
		to := from + 1
		for to < len(g) && g[to] == g[from] {
			to++
		}
		if to > from+1 {
			if s.together == nil {
				s.together = make([]bool, s.n)
			}
			s.groups = append(s.groups, [2]int{from, to})
			for i := from; i < to; i++ {
				s.together[i] = true
			}
		}
		from = to
	}
}

// isTogether reports whether a row is in a group of several.
func (s *source) isTogether(row int) bool { return s.together != nil && s.together[row] }

// inMemory is a source of rows that are there, in which targets are n×k.
func inMemory(x, y *mat.Dense, w []float64) *source { return batch{x: x, y: y, w: w}.source() }

// source is a source of the rows.
func (b batch) source() *source {
	s := &source{}
	s.n, s.d = b.x.Dims()
	_, s.k = b.y.Dims()
	whole := batch{x: b.x, y: b.y, w: b.w, g: b.g} // of which the first row has the number 0
	s.whole = whole
	s.findGroups()
	s.read = func(ctx context.Context, size int, visit func(batch) error) error {
		for i := 0; i < s.n; i += size {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := visit(whole.part(i, min(i+size, s.n))); err != nil {
				return err
			}
		}
		return nil
	}
	m := newMoments(s.k)
	m.add(whole)
	m.copyTo(s)
	return s
}

// moments are sums over rows: of weights, of targets less those of the first row, in which a
// constant target leaves exact zeros, and a hash.
type moments struct {
	n              int
	weight         float64
	origin         []float64
	sums, products []float64
	low, high      []float64 // of the targets less those of the first row
	hash           uint64
	varying        varying.Columns
}

func newMoments(k int) *moments {
	return &moments{sums: make([]float64, k), products: make([]float64, k), low: make([]float64, k), high: make([]float64, k), hash: hashSeed}
}

func (m *moments) add(b batch) {
	if m.origin == nil {
		m.origin = append([]float64{}, b.y.RawRowView(0)...)
	}
	m.read(b)
	m.varying.Add(b.x)
	for i := range b.rows() {
		w := b.weight(i)
		m.weight += w
		for j, v := range b.y.RawRowView(i) {
			v -= m.origin[j]
			m.low[j], m.high[j] = min(m.low[j], v), max(m.high[j], v)
			m.sums[j] += w * v
			m.products[j] += w * v * v
		}
	}
}

// read counts and hashes rows, and no more.
func (m *moments) read(b batch) {
	m.n += b.rows()
	for i := range b.rows() {
		m.hash = hashNumbers(m.hash, b.x.RawRowView(i))
		m.hash = hashNumbers(m.hash, b.y.RawRowView(i))
		m.hash = hashNumber(m.hash, b.weight(i))
	}
}

func (m *moments) copyTo(s *source) {
	s.n, s.weight, s.hash, s.varying = m.n, m.weight, m.hash, m.varying
	s.mean, s.variance, s.spread = make([]float64, len(m.sums)), make([]float64, len(m.sums)), make([]float64, len(m.sums))
	for j, sum := range m.sums {
		mean := sum / m.weight
		s.mean[j], s.spread[j] = m.origin[j]+mean, m.high[j]-m.low[j]
		s.variance[j] = max(0, m.products[j]/m.weight-mean*mean)
	}
}

// blockRows are the rows of a block of the kernel that is multiplied by vectors: with some
// thousand landmarks it stays in the second-level cache. What is multiplied by M×M matrices has
// wideRows, since each block reads such a matrix from memory. They are constants because the
// last bits of sums depend on them.
const blockRows, wideRows = 128, 512

// pass calls work on blocks of rows of a source on all workers, wave of them at a time, each
// with its place in the wave, and after each wave done with its rows.
func (s *source) pass(ctx context.Context, workers, rows, wave int, work func(slot int, b batch) error, done func(b batch) error) error {
	return s.read(ctx, wave*rows, func(b batch) error {
		n := b.rows()
		err := parallel.ForEach(ctx, workers, blocks(n, rows), func(i int) error {
			return work(i, b.part(i*rows, min((i+1)*rows, n)))
		})
		if err != nil {
			return err
		}
		return done(b)
	})
}

// blocks is the number of blocks of these rows that n rows are.
func blocks(n, rows int) int { return (n + rows - 1) / rows }
