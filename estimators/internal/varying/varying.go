// Package varying leaves constant columns out of the kernels that estimators choose by themselves. Nothing can be learnt about
// a column that has one value in all training rows. A kernel of all columns would take a new row with another value there
// for one that is far from all others, and answer with its prior, whose variance may be many times that of the targets.
package varying

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
)

// Columns finds the columns that are not constant. The zero value has seen no rows.
type Columns struct {
	first []float64
	same  []int // the columns that have had one value so far
}

// Add looks at more rows. The cost is O(nc) for the c columns that have had one value so far.
func (c *Columns) Add(x *mat.Dense) {
	n, d := x.Dims()
	if n > 0 && c.first == nil {
		c.first = slices.Clone(x.RawRowView(0))
		c.same = make([]int, d)
		for j := range c.same {
			c.same[j] = j
		}
	}
	for i := 0; i < n && len(c.same) > 0; i++ {
		row := x.RawRowView(i)
		c.same = slices.DeleteFunc(c.same, func(j int) bool { return row[j] != c.first[j] })
	}
}

// Find returns the columns of the rows that are not constant.
func Find(x *mat.Dense) Columns {
	var c Columns
	c.Add(x)
	return c
}

// indices returns the columns that vary, and whether they are some of all.
func (c Columns) indices() (of []int, some bool) {
	if len(c.same) == 0 || len(c.same) == len(c.first) {
		return nil, false
	}
	for j := range c.first {
		if _, same := slices.BinarySearch(c.same, j); !same {
			of = append(of, j)
		}
	}
	return of, true
}

// Rows returns the rows of x with the columns that vary alone: x itself if all of them do, or none.
func (c Columns) Rows(x *mat.Dense) *mat.Dense {
	of, some := c.indices()
	if !some {
		return x
	}
	n, _ := x.Dims()
	out := mat.NewDense(n, len(of), nil)
	for i := range n {
		for at, j := range of {
			out.Set(i, at, x.At(i, j))
		}
	}
	return out
}

// Kernel returns k on the columns that vary: k itself if all of them do, or none.
func (c Columns) Kernel(k kernels.Kernel) kernels.Kernel {
	of, some := c.indices()
	if !some {
		return k
	}
	return kernels.Columns{Of: of, Kernel: k}
}
