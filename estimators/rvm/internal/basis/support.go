package basis

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/kernels"
)

// Support is the part of a basis that a fit has kept: the relevance vectors.
type Support struct {
	Kernels Dictionary   // nil after FitDesign
	ends    []int        // the end of each kernel's columns
	Vectors *mat.Dense   // nil after FitDesign, and without any
	parts   []*mat.Dense // those of each of several kernels
	rows    []int        // the training rows that the vectors are, or of several kernels the landmarks; nil for landmarks of one
	Columns []int        // of the basis, which the vectors are, ascending
	width   int          // of the rows, or of the design matrix
	seen    vectorFactor
}

// Features returns the kept columns at the rows of x, r×k, and after them so many of ones;
// nil where that is none.
func (s *Support) Features(x *mat.Dense, ones, workers int) (*mat.Dense, error) {
	n, _ := x.Dims()
	k := len(s.Columns)
	if k+ones == 0 {
		return nil, nil
	}
	if s.Vectors != nil && ones == 0 && len(s.Kernels) == 1 {
		return kernels.Cross(context.Background(), s.Kernels[0], x, s.Vectors, &kernels.Options{Workers: workers})
	}
	out := mat.NewDense(n, k+ones, nil)
	if s.Vectors != nil {
		if err := s.values(out, x, workers); err != nil {
			return nil, err
		}
	}
	for i := range n {
		row := out.RawRowView(i)
		if s.Vectors == nil {
			for a, j := range s.Columns {
				row[a] = x.At(i, j)
			}
		}
		fill(row[k:], 1)
	}
	return out, nil
}

// Input checks rows for a prediction of a type by the name; matrix tells whether they are
// those of a design matrix.
func (s *Support) Input(typ, name string, x mat.Matrix, matrix bool) (*mat.Dense, error) {
	switch {
	case s == nil:
		return nil, fault.NotFitted(typ)
	case matrix && s.Kernels != nil:
		return nil, fmt.Errorf("%s: fitted on rows, use the methods that do not end in Design: %w", typ, fault.ErrNotFitted)
	case !matrix && s.Kernels == nil:
		return nil, fmt.Errorf("%s: fitted on a design matrix, use the methods that end in Design: %w", typ, fault.ErrNotFitted)
	}
	return check.Wide(name, x, s.width)
}

// RowWidth is the number of columns of a row; 0 where there is no kernel.
func (s *Support) RowWidth() int {
	if s == nil || s.Kernels == nil {
		return 0
	}
	return s.width
}

// Index is the training row, landmark or column of a vector.
func (s *Support) Index(vector int) int {
	if s.rows != nil {
		return s.rows[vector]
	}
	return s.Columns[vector]
}

// Indices returns the training rows that basis functions are centred on. It returns nil before Fit.
func (s *Support) Indices() []int {
	if s == nil {
		return nil
	}
	out := make([]int, len(s.Columns))
	for i := range out {
		out[i] = s.Index(i)
	}
	return out
}

// CopiedVectors returns a copy of the rows that basis functions are centred on, nil if there are none.
func (s *Support) CopiedVectors() *mat.Dense {
	if s == nil || s.Vectors == nil {
		return nil
	}
	return mat.DenseCopyOf(s.Vectors)
}

// ChosenKernel returns the kernel, a sum if there are several, and nil after FitDesign.
func (s *Support) ChosenKernel() kernels.Kernel {
	if s == nil || s.Kernels == nil {
		return nil
	}
	return s.Kernels.Whole()
}

// EachKernel calls f with every kernel that has vectors and their range.
func (s *Support) EachKernel(f func(k kernels.Kernel, first, last int) error) error {
	first := 0
	for i, k := range s.Kernels {
		last := s.ends[i]
		if first < last {
			if err := f(k, first, last); err != nil {
				return err
			}
		}
		first = last
	}
	return nil
}

// values puts the kernels of the vectors with the rows of x into the first columns of dst.
func (s *Support) values(dst, x *mat.Dense, workers int) error {
	n, _ := x.Dims()
	return s.EachKernel(func(k kernels.Kernel, first, last int) error {
		block, err := kernels.Cross(context.Background(), k, x, s.Vectors.Slice(first, last, 0, s.width),
			&kernels.Options{Workers: workers})
		if err == nil {
			dst.Slice(0, n, first, last).(*mat.Dense).Copy(block)
		}
		return err
	})
}

// RowValues is values of one row.
func (s *Support) RowValues(dst, x []float64) {
	if len(s.Kernels) == 1 {
		kernels.Row(dst, s.Kernels[0], x, s.Vectors)
		return
	}
	first := 0
	for i, k := range s.Kernels {
		if last := s.ends[i]; first < last {
			kernels.Row(dst[first:last], k, x, s.parts[i])
			first = last
		}
	}
}

// divide prepares the vectors of each kernel, whose columns end at ends.
func (s *Support) divide(ends []int) {
	s.ends = ends
	if s.Vectors == nil || len(ends) < 2 {
		return
	}
	s.parts = make([]*mat.Dense, len(ends))
	first := 0
	for i, last := range ends {
		if first < last {
			s.parts[i] = s.Vectors.Slice(first, last, 0, s.width).(*mat.Dense)
		}
		first = last
	}
}

// distinct are the vectors without those that another kernel has too.
func (s *Support) distinct() *mat.Dense {
	if s.Vectors == nil || len(s.Kernels) == 1 {
		return s.Vectors
	}
	var rows []int
	seen := map[int]bool{}
	for i := range s.Columns {
		if of := s.Index(i); !seen[of] {
			seen[of] = true
			rows = append(rows, i)
		}
	}
	return linalg.Rows(s.Vectors, rows)
}

// KernelOf is the index of a vector's kernel, 0 for a column of a design matrix.
func (s *Support) KernelOf(vector int) int {
	for i, end := range s.ends {
		if vector < end {
			return i
		}
	}
	return 0
}

// KernelIndices returns the kernel of each basis function, by its place in the dictionary.
func (s *Support) KernelIndices() []int {
	if s == nil || s.Kernels == nil {
		return nil
	}
	out := make([]int, len(s.Columns))
	for i := range out {
		out[i] = s.KernelOf(i)
	}
	return out
}
