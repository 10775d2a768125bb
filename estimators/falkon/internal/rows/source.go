package rows

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/internal/varying"
	"github.com/kernelearn/kernelearn/internal/anyrows"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/rowhash"
	"github.com/kernelearn/kernelearn/internal/weights"
	"github.com/kernelearn/kernelearn/sparse"
)

// Batch holds consecutive rows, with their targets and weights.
type Batch struct {
	First int        // number of the first row
	X     mat.Matrix // r×d, in the form of package anyrows
	Y     *mat.Dense // r×k
	W     []float64  // nil: all 1
	G     []int      // group of each row; the rows of a group are consecutive; nil: each row is its own group
}

// Rows returns r, the number of rows.
func (b Batch) Rows() int {
	n, _ := b.X.Dims()
	return n
}

// Weight returns the weight of row i.
func (b Batch) Weight(i int) float64 { return weights.Weight(b.W, i) }

// Slice returns rows from to to-1, which share the memory of b.
func (b Batch) Slice(from, to int) Batch {
	out := Batch{First: b.First + from, X: anyrows.Slice(b.X, from, to)}
	if b.Y != nil {
		out.Y = Window(b.Y, from, to)
	}
	if b.W != nil {
		out.W = b.W[from:to]
	}
	if b.G != nil {
		out.G = b.G[from:to]
	}
	return out
}

// Window returns rows from to to-1 of x.
func Window(x *mat.Dense, from, to int) *mat.Dense {
	_, c := x.Dims()
	return x.Slice(from, to, 0, c).(*mat.Dense)
}

// Source provides rows that can be read repeatedly, from memory or from a stream.
type Source struct {
	N, D, K  int
	Numbers  int       // numbers of a row in memory: D, or fewer for sparse rows
	Weight   float64   // Σw
	Mean     []float64 // of each target, weighted
	Variance []float64 // weighted variance of each target
	Spread   []float64 // difference between the largest and the smallest value of each target
	Hash     uint64    // of all numbers read
	Varying  varying.Columns
	Within   []float64 // mean squared deviation of the targets of equal rows from their mean; nil without equal rows
	// read calls visit with the rows in their order, size rows at a time, and fewer in the last call. The memory of the batch is
	// overwritten after visit returns.
	read  func(ctx context.Context, size int, visit func(Batch) error) error
	Whole Batch // all rows, for a source in memory
	// Merged spreads values of the rows to the rows that were given. It is nil if the rows are not in memory, or in another order.
	Merged *distinct.Rows
	// Groups holds the ranges of rows that are left out together, for a source in memory. together marks the rows in such groups.
	// Both fields are nil without groups.
	Groups   [][2]int
	together []bool
}

// Head returns the first rows of a source in memory.
func (s *Source) Head(rows int) *Source {
	return s.Whole.Slice(0, min(rows, s.N)).Source()
}

// DistinctRows returns a source of the distinct rows of x, so that leaving out a row leaves no copy of it. If there are groups, the
// rows of a group are consecutive.
func DistinctRows(x mat.Matrix, y *mat.Dense, w []float64, groups []int) (*Source, error) {
	merged, x := anyrows.Merge(x, w)
	members, err := merged.Groups(groups, y.RawMatrix().Rows)
	if err != nil {
		return nil, err
	}
	mean := merged.Mean(y)
	whole := Batch{X: x, Y: mean, W: merged.Weights}
	if len(members) > 0 {
		whole = whole.grouped(members)
	}
	out := whole.Source()
	if len(members) == 0 {
		out.Merged = merged
	}
	if merged.Repeated() {
		out.Within = merged.MeanSquareWithin(y, mean)
	}
	return out, nil
}

// grouped returns the rows in another order: the first row of each group is followed by the other rows of the group.
func (b Batch) grouped(groups [][]int) Batch {
	n := b.Rows()
	of := make([]int, n)
	for i := range of {
		of[i] = i
	}
	rest := map[int][]int{} // the other rows of a group, by its first row
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
	out := Batch{X: anyrows.Pick(b.X, order), Y: linalg.Rows(b.Y, order), G: g}
	if b.W != nil {
		out.W = linalg.Pick(b.W, order)
	}
	return out
}

// findGroups sets Groups and together from the groups of the rows.
func (s *Source) findGroups() {
	g := s.Whole.G
	for from := 0; from < len(g); {
		to := from + 1
		for to < len(g) && g[to] == g[from] {
			to++
		}
		if to > from+1 {
			if s.together == nil {
				s.together = make([]bool, s.N)
			}
			s.Groups = append(s.Groups, [2]int{from, to})
			for i := from; i < to; i++ {
				s.together[i] = true
			}
		}
		from = to
	}
}

// Grouped reports whether the row is in a group with other rows.
func (s *Source) Grouped(row int) bool { return s.together != nil && s.together[row] }

// InMemory returns a source of rows in memory, with targets n×k.
func InMemory(x mat.Matrix, y *mat.Dense, w []float64) *Source {
	return Batch{X: x, Y: y, W: w}.Source()
}

// Source returns a source of the rows of b.
func (b Batch) Source() *Source {
	s := &Source{}
	s.N, s.D = b.X.Dims()
	_, s.K = b.Y.Dims()
	whole := Batch{X: b.X, Y: b.Y, W: b.W, G: b.G} // the first row has the number 0
	s.Whole = whole
	s.findGroups()
	s.read = func(ctx context.Context, size int, visit func(Batch) error) error {
		for i := 0; i < s.N; i += size {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := visit(whole.Slice(i, min(i+size, s.N))); err != nil {
				return err
			}
		}
		return nil
	}
	m := newMoments(s.K)
	m.add(whole)
	m.copyTo(s)
	s.Numbers = s.D
	if x, ok := b.X.(*sparse.Rows); ok {
		s.Numbers = 1 + 2*x.Entries()/s.N
	}
	return s
}

// moments holds sums of the weights, sums of the targets minus those of the first row, and a hash. Because of the difference, the
// sums of a constant target are exactly zero.
type moments struct {
	n              int
	weight         float64
	origin         []float64
	sums, products []float64
	low, high      []float64 // smallest and largest targets, minus those of the first row
	hash           uint64
	varying        varying.Columns
}

func newMoments(k int) *moments {
	return &moments{sums: make([]float64, k), products: make([]float64, k), low: make([]float64, k), high: make([]float64, k),
		hash: rowhash.Seed}
}

func (m *moments) add(b Batch) {
	if m.origin == nil {
		m.origin = append([]float64{}, b.Y.RawRowView(0)...)
	}
	m.read(b)
	if x, ok := b.X.(*mat.Dense); ok {
		m.varying.Add(x)
	}
	for i := range b.Rows() {
		w := b.Weight(i)
		m.weight += w
		for j, v := range b.Y.RawRowView(i) {
			v -= m.origin[j]
			m.low[j], m.high[j] = min(m.low[j], v), max(m.high[j], v)
			m.sums[j] += w * v
			m.products[j] += w * v * v
		}
	}
}

// read counts and hashes the rows of a batch, without their sums.
func (m *moments) read(b Batch) {
	m.n += b.Rows()
	for i := range b.Rows() {
		m.hash = HashRow(m.hash, b.X, i)
		m.hash = rowhash.Numbers(m.hash, b.Y.RawRowView(i))
		m.hash = rowhash.Number(m.hash, b.Weight(i))
	}
}

// HashRow returns the hash h after adding row i of x.
func HashRow(h uint64, x mat.Matrix, i int) uint64 {
	if rows, ok := x.(*sparse.Rows); ok {
		columns, values := rows.Row(i)
		for at, j := range columns {
			h = rowhash.Number(rowhash.Number(h, float64(j)), values[at])
		}
		return rowhash.Number(h, float64(len(columns)))
	}
	return rowhash.Numbers(h, x.(*mat.Dense).RawRowView(i))
}

func (m *moments) copyTo(s *Source) {
	s.N, s.Weight, s.Hash, s.Varying = m.n, m.weight, m.hash, m.varying
	s.Mean, s.Variance, s.Spread = make([]float64, len(m.sums)), make([]float64, len(m.sums)), make([]float64, len(m.sums))
	for j, sum := range m.sums {
		mean := sum / m.weight
		s.Mean[j], s.Spread[j] = m.origin[j]+mean, m.high[j]-m.low[j]
		s.Variance[j] = max(0, m.products[j]/m.weight-mean*mean)
	}
}

// These are the numbers of rows in a block of the kernel. They are constants because the last bits of sums depend on them.
const (
	// BlockRows is the number of rows in a block that is multiplied by vectors. With a few thousand landmarks the block stays in
	// the second-level cache.
	BlockRows = 128
	// WideRows is the number of rows in a block that is multiplied by M×M matrices. It is larger because the matrix is read from
	// memory for each block.
	WideRows = 512
)

// Pass calls work with blocks of the rows of a source, on all workers, wave blocks at a time. The argument slot is the index of a
// block in its wave. After each wave it calls done with the rows of the wave.
func (s *Source) Pass(ctx context.Context, workers, rows, wave int, work func(slot int, b Batch) error, done func(b Batch) error) error {
	return s.read(ctx, wave*rows, func(b Batch) error {
		n := b.Rows()
		err := parallel.ForEach(ctx, workers, BlockCount(n, rows), func(i int) error {
			return work(i, b.Slice(i*rows, min((i+1)*rows, n)))
		})
		if err != nil {
			return err
		}
		return done(b)
	})
}

// BlockCount returns the number of blocks for n rows.
func BlockCount(n, rows int) int { return (n + rows - 1) / rows }
