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

// Support holds the columns of a basis that a fit has kept. They belong to the relevance vectors.
type Support struct {
	Kernels Dictionary   // nil after FitDesign
	ends    []int        // end index of the columns of each kernel
	Vectors *mat.Dense   // nil after FitDesign and if there are none
	parts   []*mat.Dense // the vectors of each kernel; nil with one kernel
	rows    []int        // the training rows of the vectors, or with several kernels the landmarks; nil for landmarks with one kernel
	Columns []int        // the columns of the basis that belong to the vectors, ascending
	width   int          // number of columns of the rows, or of the design matrix
	seen    vectorFactor
}

// Features returns the kept columns for the rows of x, r×k, followed by the given number of columns of ones. It returns nil if
// there are no columns.
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

// Input checks x, the rows for a prediction with the estimator typ, and returns it as a dense matrix. If matrix is true, they are
// rows of a design matrix.
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

// RowWidth returns the number of columns of a row, or 0 without a kernel.
func (s *Support) RowWidth() int {
	if s == nil || s.Kernels == nil {
		return 0
	}
	return s.width
}

// Index returns the training row, landmark or column of a vector.
func (s *Support) Index(vector int) int {
	if s.rows != nil {
		return s.rows[vector]
	}
	return s.Columns[vector]
}

// Indices returns the training row, landmark or column of each vector. It returns nil before Fit.
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

// CopiedVectors returns a copy of the relevance vectors, or nil if there are none.
func (s *Support) CopiedVectors() *mat.Dense {
	if s == nil || s.Vectors == nil {
		return nil
	}
	return mat.DenseCopyOf(s.Vectors)
}

// ChosenKernel returns the kernel, or the sum of several kernels. It returns nil after FitDesign.
func (s *Support) ChosenKernel() kernels.Kernel {
	if s == nil || s.Kernels == nil {
		return nil
	}
	return s.Kernels.Whole()
}

// EachKernel calls f with every kernel that has vectors, and the range of these vectors.
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

// values sets the first columns of dst to the kernel values between the rows of x and the vectors.
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

// RowValues sets dst to the kernel values between the row x and the vectors.
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

// divide assigns the vectors to the kernels, whose columns end at ends.
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

// distinct returns the vectors without repetitions, which occur if several kernels use a vector.
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

// KernelOf returns the index of a vector's kernel, or 0 for a column of a design matrix.
func (s *Support) KernelOf(vector int) int {
	for i, end := range s.ends {
		if vector < end {
			return i
		}
	}
	return 0
}

// KernelIndices returns the position in the dictionary of each vector's kernel.
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
