package svm

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fast"
)

// coefficients holds the coefficients of p machines for common support vectors. It stores only nonzero coefficients, because with
// many classes the machine of a pair has few of the support vectors.
type coefficients struct {
	starts []int     // p+1, the first entry of each machine
	at     []int     // the support vector of each entry, ascending within a machine
	values []float64 // none is 0
	dense  *mat.Dense
}

// densest is the largest ratio of the size of the dense matrix to the number of entries for which the dense matrix is used. With
// about ten classes the ratio reaches it. Up to this ratio, matrix products are faster than sums over entries.
const densest = 16

// ready computes the dense matrix for the given number of support vectors, unless the entries are sparser than densest.
func (c *coefficients) ready(vectors int) {
	machines := len(c.starts) - 1
	if len(c.values) == 0 || float64(machines)*float64(vectors) > densest*float64(len(c.values)) {
		return
	}
	c.dense = c.spread(vectors)
}

// spread returns the dense matrix of all coefficients, including zeros.
func (c *coefficients) spread(vectors int) *mat.Dense {
	machines := len(c.starts) - 1
	out := mat.NewDense(machines, vectors, nil)
	for p := range machines {
		at, values := c.machine(p)
		row := out.RawRowView(p)
		for k, i := range at {
			row[i] = values[k]
		}
	}
	return out
}

// matrix returns the dense matrix for these support vectors, or an error if it is too large.
func (c *coefficients) matrix(vectors *mat.Dense) (*mat.Dense, error) {
	if c.dense != nil {
		return c.dense, nil
	}
	s, _ := vectors.Dims()
	machines := len(c.starts) - 1
	if err := check.Numbers(fmt.Sprintf("svm: a matrix of the coefficients of %d machines on %d support vectors", machines, s),
		float64(machines)*float64(s), "lssvm.Classifier and eem.Classifier take many classes"); err != nil {
		return nil, err
	}
	return c.spread(s), nil
}

// machine returns the entries of machine p.
func (c *coefficients) machine(p int) (at []int, values []float64) {
	return c.at[c.starts[p]:c.starts[p+1]], c.values[c.starts[p]:c.starts[p+1]]
}

// product sets dst (r×p) to the sums of the coefficients times the kernel values k (r×s).
func (c *coefficients) product(dst, k *mat.Dense) {
	if c.dense != nil {
		fast.Mul(dst, k, c.dense.T())
		return
	}
	r, _ := k.Dims()
	for i := range r {
		clear(dst.RawRowView(i))
		c.add(dst.RawRowView(i), k.RawRowView(i))
	}
}

// add adds to out (p) the sums of the coefficients times the kernel values k (s) of one row.
func (c *coefficients) add(out, k []float64) {
	for p := range out {
		at, values := c.machine(p)
		sum := out[p]
		for j, i := range at {
			sum += values[j] * k[i]
		}
		out[p] = sum
	}
}

// storedEntries is the form of coefficients in a file.
type storedEntries struct {
	Counts []int // number of entries of each machine
	At     []int
	Values codec.Floats
}

func (c *coefficients) store() storedEntries {
	out := storedEntries{At: c.at, Values: c.values}
	for p := range len(c.starts) - 1 {
		out.Counts = append(out.Counts, c.starts[p+1]-c.starts[p])
	}
	return out
}

// coefficients returns the coefficients for the given numbers of machines and support vectors. ok is false if s is invalid.
func (s storedEntries) coefficients(machines, vectors int) (c *coefficients, ok bool) {
	c = &coefficients{starts: make([]int, 1, machines+1), at: s.At, values: s.Values}
	if len(s.Counts) != machines || len(s.At) != len(s.Values) || !s.Values.Finite() || slices.Contains(s.Values, 0) {
		return nil, false
	}
	for p, count := range s.Counts {
		from := c.starts[p]
		if count < 0 || count > len(s.At)-from {
			return nil, false
		}
		c.starts = append(c.starts, from+count)
		last := -1
		for _, i := range s.At[from : from+count] {
			if i <= last || i >= vectors {
				return nil, false
			}
			last = i
		}
	}
	if c.starts[machines] != len(s.At) {
		return nil, false
	}
	c.ready(vectors)
	return c, true
}
