package basis

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
)

// Dictionary is a list of one or more kernels. Each of M centres has a basis function for each kernel. Column kM + i of the basis
// is kernel k at centre i, so the columns of a kernel are contiguous.
type Dictionary []kernels.Kernel

// Whole returns the kernel, or the sum of several kernels.
func (d Dictionary) Whole() kernels.Kernel {
	if len(d) == 1 {
		return d[0]
	}
	return kernels.Sum(d)
}

// ValidateColumns returns an error if a kernel expects rows of a width other than width.
func (d Dictionary) ValidateColumns(width int) error {
	for _, k := range d {
		if err := kernels.ValidateColumns(k, width); err != nil {
			return err
		}
	}
	return nil
}

// columns returns an evaluator for the columns k(·, centre) at the rows of x, followed by ones.
func (d Dictionary) columns(centres, x *mat.Dense) evaluator {
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
