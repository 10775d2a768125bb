package conformal

import (
	"math/rand/v2"
	"sort"

	"github.com/kernelearn/kernelearn/internal/enum"
	"gonum.org/v1/gonum/mat"
)

// Score says how odd a class is for a row, by the probabilities of the classes.
type Score int

// The scores.
const (
	// LeastAmbiguous is 1 less the probability of the class: the smallest sets on average, which may leave
	// rows that are hard without enough of them (Sadinle, Lei and Wasserman 2019).
	LeastAmbiguous Score = iota
	// Adaptive is the sum of the probabilities of the more probable classes, and of a share of the
	// class's own: sets grow where rows are hard (Romano, Sesia and Candès 2020).
	Adaptive
	// RegularisedAdaptive is that and a penalty for each class beyond the first ones, so that sets of many
	// classes are rare (Angelopoulos and others 2021).
	RegularisedAdaptive
)

// String returns the score's name.
func (s Score) String() string {
	return enum.Name("Score", int(s), "LeastAmbiguous", "Adaptive", "RegularisedAdaptive")
}

// rounding is what sums of probabilities may be off by.
const rounding = 1e-12

// scoring is a Score with its settings.
type scoring struct {
	of      Score
	penalty float64
	free    int // classes without a penalty
}

// scores sets dst to the scores of every class of a row of probabilities. Share, in [0, 1), is that of its own
// probability.
func (s scoring) scores(dst, p []float64, share float64) {
	if s.of == LeastAmbiguous {
		for k, v := range p {
			dst[k] = 1 - v
		}
		return
	}
	order := make([]int, len(p))
	for k := range order {
		order[k] = k
	}
	sort.SliceStable(order, func(i, j int) bool { return p[order[i]] > p[order[j]] })
	before := 0.0
	for at, k := range order {
		dst[k] = before + share*p[k]
		if s.of == RegularisedAdaptive {
			dst[k] += s.penalty * float64(max(at+1-s.free, 0))
		}
		before += p[k]
	}
}

// shareOf is the share of a row's own probability, from the seed and the row's number alone.
func shareOf(seed uint64, stream uint64, row int) float64 {
	return rand.New(rand.NewPCG(seed^stream, uint64(row))).Float64()
}

// pValue is the share of rows, and the new one, whose scores are no less than its own.
func pValue(scores []float64, own float64) float64 {
	count := 1
	for _, v := range scores {
		if v >= own-rounding {
			count++
		}
	}
	return float64(count) / float64(len(scores)+1)
}

// keeps reports whether a p-value keeps a class in the set of a level.
func keeps(p, level, rows float64) bool { return p*(rows+1) > (1-level)*(rows+1)+1e-9 }

// margin is the best other decision less a class's own: a score of decisions.
func margin(decision []float64, class int) float64 {
	best, seen := 0.0, false
	for k, v := range decision {
		if k != class && (!seen || v > best) {
			best, seen = v, true
		}
	}
	return best - decision[class]
}

// leastSquares is a least-squares machine for each class, on the same rows.
type leastSquares struct {
	a       [][]float64 // n×K
	c       []float64
	labels  []int     // the class of each row
	margins []float64 // of the rows left out
}

// target is that of the k-th machine for a row of a class.
func target(k, class int) float64 {
	if k == class {
		return 1
	}
	return -1
}

// newLeastSquares has the margins of the rows left out, for the jackknife+.
func newLeastSquares(a [][]float64, c []float64, labels []int) *leastSquares {
	m := &leastSquares{a: a, c: c, labels: labels, margins: make([]float64, len(c))}
	decision := make([]float64, len(a[0]))
	for i := range c {
		m.leftOut(decision, i, nil, nil, 1)
		m.margins[i] = margin(decision, labels[i])
	}
	return m
}

// leftOut sets the decision of row i by the machines of all others, with the new row among them of
// which b, t and s are known; b is nil without it.
func (m *leastSquares) leftOut(dst []float64, i int, b, t []float64, s float64) {
	c := m.c[i]
	if b != nil {
		c += b[i] * b[i] / s
	}
	for k, a := range m.a[i] {
		if b != nil {
			a -= b[i] * t[k] / s
		}
		dst[k] = target(k, m.labels[i])
		if c > 0 {
			dst[k] -= a / c
		}
	}
}

// fullP returns the p-value of a class for a new row: the machines are those of all rows and the new one with
// that class. Cost O(nK).
func (m *leastSquares) fullP(rows []int, f, b []float64, s float64, class int) float64 {
	own := margin(f, class)
	t, decision := make([]float64, len(f)), make([]float64, len(f))
	for k := range t {
		t[k] = target(k, class) - f[k]
	}
	count := 1
	for _, i := range rows {
		m.leftOut(decision, i, b, t, s)
		if margin(decision, m.labels[i]) >= own-rounding {
			count++
		}
	}
	return float64(count) / float64(len(rows)+1)
}

// jackknifeP compares each row, left out, with the new row by the same machines.
func (m *leastSquares) jackknifeP(rows []int, f, b []float64, class int) float64 {
	count := 1
	decision := make([]float64, len(f))
	for _, i := range rows {
		for k, v := range f {
			decision[k] = v
			if m.c[i] > 0 {
				decision[k] -= b[i] * m.a[i][k] / m.c[i]
			}
		}
		if m.margins[i] >= margin(decision, class)-rounding {
			count++
		}
	}
	return float64(count) / float64(len(rows)+1)
}

// targets are those of a machine for each of K classes, n×K.
func targets(at []int, k int) *mat.Dense {
	out := mat.NewDense(len(at), k, nil)
	for i, class := range at {
		for j := range k {
			out.Set(i, j, target(j, class))
		}
	}
	return out
}

func rowsOf(m *mat.Dense) [][]float64 {
	n, _ := m.Dims()
	out := make([][]float64, n)
	for i := range out {
		out[i] = m.RawRowView(i)
	}
	return out
}
