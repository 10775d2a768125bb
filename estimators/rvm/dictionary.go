package rvm

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/kernels"
)

// dictionary is one kernel or several: on each of M centres sits a basis function of each. Column kM + i
// of the basis is kernel k at centre i, so the columns of a kernel stand together.
type dictionary []kernels.Kernel

// whole is the kernel that sees what any of them does.
func (d dictionary) whole() kernels.Kernel {
	if len(d) == 1 {
		return d[0]
	}
	return kernels.Sum(d)
}

func (d dictionary) validateColumns(width int) error {
	for _, k := range d {
		if err := kernels.ValidateColumns(k, width); err != nil {
			return err
		}
	}
	return nil
}

// columns evaluates columns k(·, centre) on the rows of x; those after the last are ones.
func (d dictionary) columns(centres, x *mat.Dense) columns {
	m, width := centres.Dims()
	return func(ctx context.Context, dst *mat.Dense, first int) error {
		count, n := dst.Dims()
		for at := 0; at < count; {
			k, i := (first+at)/m, (first+at)%m
			if k >= len(d) {
				fill(dst.RawRowView(at), 1)
				at++
				continue
			}
			take := min(count-at, m-i)
			block, err := kernels.Cross(ctx, d[k], centres.Slice(i, i+take, 0, width), x, &kernels.Options{Workers: 1})
			if err != nil {
				return err
			}
			dst.Slice(at, at+take, 0, n).(*mat.Dense).Copy(block)
			at += take
		}
		return nil
	}
}

// eachKernel calls f with every kernel that has vectors and their range.
func (s *support) eachKernel(f func(k kernels.Kernel, first, last int) error) error {
	first := 0
	for i, k := range s.kernels {
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
func (s *support) values(dst, x *mat.Dense, workers int) error {
	n, _ := x.Dims()
	return s.eachKernel(func(k kernels.Kernel, first, last int) error {
		block, err := kernels.Cross(context.Background(), k, x, s.vectors.Slice(first, last, 0, s.width), &kernels.Options{Workers: workers})
		if err == nil {
			dst.Slice(0, n, first, last).(*mat.Dense).Copy(block)
		}
		return err
	})
}

// rowValues is values of one row.
func (s *support) rowValues(dst, x []float64) {
	if len(s.kernels) == 1 {
		kernels.Row(dst, s.kernels[0], x, s.vectors)
		return
	}
	first := 0
	for i, k := range s.kernels {
		if last := s.ends[i]; first < last {
			kernels.Row(dst[first:last], k, x, s.parts[i])
			first = last
		}
	}
}

// divide prepares the vectors of each kernel, whose columns end at ends.
func (s *support) divide(ends []int) {
	s.ends = ends
	if s.vectors == nil || len(ends) < 2 {
		return
	}
	s.parts = make([]*mat.Dense, len(ends))
	first := 0
	for i, last := range ends {
		if first < last {
			s.parts[i] = s.vectors.Slice(first, last, 0, s.width).(*mat.Dense)
		}
		first = last
	}
}

// distinct are the vectors without those that another kernel has too.
func (s *support) distinct() *mat.Dense {
	if s.vectors == nil || len(s.kernels) == 1 {
		return s.vectors
	}
	var rows []int
	seen := map[int]bool{}
	for i := range s.columns {
		if of := s.index(i); !seen[of] {
			seen[of] = true
			rows = append(rows, i)
		}
	}
	return linalg.Rows(s.vectors, rows)
}

// kernelOf is the index of a vector's kernel, 0 for a column of a design matrix.
func (s *support) kernelOf(vector int) int {
	for i, end := range s.ends {
		if vector < end {
			return i
		}
	}
	return 0
}

func (s *support) relevantKernels() []int {
	if s == nil || s.kernels == nil {
		return nil
	}
	out := make([]int, len(s.columns))
	for i := range out {
		out[i] = s.kernelOf(i)
	}
	return out
}
