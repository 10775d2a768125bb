package conformal

import (
	"math/rand/v2"
	"sort"

	"github.com/kernelearn/kernelearn/internal/enum"
	"gonum.org/v1/gonum/mat"
)

// Score measures how unusual a class is for a row, from the probabilities of the classes.
type Score int

// The scores.
const (
	// LeastAmbiguous is 1 minus the probability of the class. Its sets are the smallest on average, but may cover difficult rows
	// too rarely (Sadinle, Lei and Wasserman 2019).
	LeastAmbiguous Score = iota
	// Adaptive is the sum of the probabilities of the more probable classes, plus a random share of the probability of the class.
	// Its sets are larger for difficult rows (Romano, Sesia and Candès 2020).
	Adaptive
	// RegularisedAdaptive is Adaptive, plus a penalty for each class beyond the first FreeClasses, so that large sets are rare
	// (Angelopoulos and others 2021).
	RegularisedAdaptive
)

// String returns the score's name.
func (s Score) String() string {
	return enum.Name("Score", int(s), "LeastAmbiguous", "Adaptive", "RegularisedAdaptive")
}

// rounding is a bound for the rounding error of sums of probabilities.
const rounding = 1e-12

// scoring holds a Score and its settings.
type scoring struct {
	of      Score
	penalty float64
	free    int // number of classes without a penalty
}

// scores sets dst to the scores of all classes for a row with the probabilities p. The probability of the class itself is
// multiplied by share, in [0, 1).
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

// shareOf returns the random share of a class's own probability that counts for a row. It depends only on the seed, the stream and
// the number of the row.
func shareOf(seed uint64, stream uint64, row int) float64 {
	return rand.New(rand.NewPCG(seed^stream, uint64(row))).Float64()
}

// pValue returns the share of scores that are at least own, where own itself is one of the scores.
func pValue(scores []float64, own float64) float64 {
	count := 1
	for _, v := range scores {
		if v >= own-rounding {
			count++
		}
	}
	return float64(count) / float64(len(scores)+1)
}

// keeps reports whether a class with p-value p is in the set for a level.
func keeps(p, level, rows float64) bool { return p*(rows+1) > (1-level)*(rows+1)+1e-9 }

// margin returns the largest decision of the other classes minus the decision of the class. It is the score for methods that use
// decisions.
func margin(decision []float64, class int) float64 {
	best, seen := 0.0, false
	for k, v := range decision {
		if k != class && (!seen || v > best) {
			best, seen = v, true
		}
	}
	return best - decision[class]
}

// leastSquares holds a least-squares machine for each class, all fitted to the same rows.
type leastSquares struct {
	a       [][]float64 // n×K
	c       []float64
	labels  []int     // the class of each row
	margins []float64 // margins of the rows when they are left out
}

// target returns the target of the k-th machine for a row of a class.
func target(k, class int) float64 {
	if k == class {
		return 1
	}
	return -1
}

// newLeastSquares returns the machines, and computes the margin of each row when it is left out, which jackknife+ uses.
func newLeastSquares(a [][]float64, c []float64, labels []int) *leastSquares {
	m := &leastSquares{a: a, c: c, labels: labels, margins: make([]float64, len(c))}
	decision := make([]float64, len(a[0]))
	for i := range c {
		m.leftOut(decision, i, nil, nil, 1)
		m.margins[i] = margin(decision, labels[i])
	}
	return m
}

// leftOut computes the decisions for row i with machines of all other rows. If b is not nil, the machines also contain the new row,
// which b, t and s describe.
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

// fullP returns the p-value of a class for a new row. The machines contain all rows and the new row with this class. It costs
// O(nK).
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

// jackknifeP returns the p-value of a class for a new row. It compares the margin of each row that is left out with the margin of
// the new row, computed with the same machines.
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

// targets returns the targets of the machines for k classes, n×k.
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
