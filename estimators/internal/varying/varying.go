// Package varying excludes constant columns from the kernels that estimators choose. Nothing can be learnt about a column that has
// one value in all training rows. If the kernel used all columns, a new row with another value there would be far from all training
// rows. Its prediction would be the prior, whose variance may be many times that of the targets.
package varying

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
)

// Columns records which columns are not constant. The zero value contains no rows.
type Columns struct {
	first []float64
	same  []int // the columns with only one value so far
}

// Add adds rows. It costs O(nc), where c is the number of columns with only one value so far.
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

// Find returns the Columns of the rows of x.
func Find(x *mat.Dense) Columns {
	var c Columns
	c.Add(x)
	return c
}

// indices returns the columns that vary. some is false if all columns vary or if none does.
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

// Rows returns x with only the columns that vary, or x itself if all of them vary or none does.
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

// Kernel returns k restricted to the columns that vary, or k itself if all of them vary or none does.
func (c Columns) Kernel(k kernels.Kernel) kernels.Kernel {
	of, some := c.indices()
	if !some {
		return k
	}
	return kernels.Columns{Of: of, Kernel: k}
}
