package evidence

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/linalg"
)

// memberTable holds the members' products with all columns, a row for each member, in contiguous memory. Elsewhere they are
// scattered. A sum over members is therefore a matrix product. The rows have no order, and the map of returns the row of a member.
type memberTable struct {
	width   int
	columns []int // the member of each row
	of      map[int]int
	data    []float64
}

func (t *memberTable) row(k int) []float64 { return t.data[k*t.width : (k+1)*t.width] }

// put adds the products of column j, unless they are already present.
func (t *memberTable) put(j int, products []float64) {
	if _, ok := t.of[j]; !ok {
		t.of[j] = len(t.columns)
		t.columns, t.data = append(t.columns, j), append(t.data, products...)
	}
}

// remove removes column j. The last row replaces it.
func (t *memberTable) remove(j int) {
	k, last := t.of[j], len(t.columns)-1
	copy(t.row(k), t.row(last))
	t.columns[k] = t.columns[last]
	t.of[t.columns[k]] = k
	delete(t.of, j)
	t.columns, t.data = t.columns[:last], t.data[:last*t.width]
}

// tableStrip is the number of columns that addTo processes at a time, so that they stay in the first cache.
const tableStrip = 512

// addTo adds the sum of v[i] times the products of columns[i] to dst.
func (t *memberTable) addTo(dst, v []float64, columns []int) {
	if len(v) == 0 {
		return
	}
	by := make([]float64, len(v))
	for i, j := range columns {
		by[t.of[j]] = v[i]
	}
	for first := 0; first < t.width; first += tableStrip {
		to := dst[first:min(first+tableStrip, t.width)]
		part := blas64.General{Rows: len(v), Cols: len(to), Stride: t.width, Data: t.data[first:]}
		fast.Gemv(blas.Trans, 1, part, linalg.Vector(by), 1, linalg.Vector(to))
	}
}

// gram is the matrix G = Φ'Φ of the members, in their order. It is contiguous in memory, unlike the products of the members. Like a
// slice, it has spare capacity to grow.
type gram struct {
	n, ld int
	data  []float64
}

func (g *gram) row(i int) []float64 { return g.data[i*g.ld : i*g.ld+g.n] }

// push adds a row and a column for the last member.
func (g *gram) push(active []int, last *member) {
	if n := g.n + 1; n > g.ld {
		ld := max(32, 2*g.ld)
		data := make([]float64, ld*ld)
		for i := range g.n {
			copy(data[i*ld:], g.row(i))
		}
		g.ld, g.data = ld, data
	}
	g.n++
	row := g.row(g.n - 1)
	for i, j := range active {
		row[i] = last.products[j]
		g.data[i*g.ld+g.n-1] = row[i]
	}
}

// cut removes member k.
func (g *gram) cut(k int) {
	for i := range g.n {
		row := g.row(i)
		to := row
		if i > k {
			to = g.data[(i-1)*g.ld : (i-1)*g.ld+g.n]
		} else if i == k {
			continue
		}
		copy(to[:k], row[:k])
		copy(to[k:], row[k+1:])
	}
	g.n--
}

// times returns Gv.
func (g *gram) times(v []float64) []float64 {
	out := make([]float64, g.n)
	if g.n > 0 {
		fast.Gemv(blas.NoTrans, 1, blas64.General{Rows: g.n, Cols: g.n, Stride: g.ld, Data: g.data}, linalg.Vector(v), 0,
			linalg.Vector(out))
	}
	return out
}
