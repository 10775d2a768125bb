package machine

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/internal/anyrows"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/kernels"
)

// eachBlock calls f with the kernel values between a block of rows of x and the landmarks, for each block, on all workers.
func (m *Machine) eachBlock(typ string, x mat.Matrix, workers int, begin func(rows int), f func(b rows.Batch, k *mat.Dense)) error {
	if m == nil {
		return fault.NotFitted(typ)
	}
	count, d := m.Landmarks.Dims()
	given, err := anyrows.Wide("x", x, d, kernels.TakesSparseRows(m.Kernel))
	if err != nil {
		return err
	}
	n, _ := given.Dims()
	begin(n)
	of := &Basis{Kernel: m.Kernel, Landmarks: m.Landmarks, M: count, Prepared: m.Prepared}
	ctx := context.Background()
	return parallel.ForEach(ctx, workers, rows.BlockCount(n, rows.BlockRows), func(i int) error {
		b := rows.Batch{First: i * rows.BlockRows, X: anyrows.Slice(given, i*rows.BlockRows, min((i+1)*rows.BlockRows, n))}
		memory := rowwise.Scratch(b.Rows() * count)
		defer rowwise.Release(memory)
		k := mat.NewDense(b.Rows(), count, *memory)
		if err := of.KernelRows(ctx, k, b); err != nil {
			return err
		}
		f(b, k)
		return nil
	})
}

// FewColumns is the largest number of columns for which the product is computed row by row, while the row is in the first-level
// cache.
const FewColumns = 3

// outputs sets dst (r×k) to the outputs of a block with the kernel values k.
func (m *Machine) outputs(dst, k *mat.Dense) {
	for i := range k.RawMatrix().Rows {
		copy(dst.RawRowView(i), m.Bias)
	}
	if len(m.Bias) <= FewColumns {
		for i := range k.RawMatrix().Rows {
			for j := range m.Bias {
				dst.RawRowView(i)[j] += linalg.Dot(k.RawRowView(i), m.Beta.RawRowView(j))
			}
		}
		return
	}
	fast.Gemm(blas.NoTrans, blas.Trans, 1, k.RawMatrix(), m.Beta.RawMatrix(), 1, dst.RawMatrix())
}

// Decide returns the outputs for the rows of x.
func (m *Machine) Decide(typ string, x mat.Matrix, workers int) (*mat.Dense, error) {
	var out *mat.Dense
	err := m.eachBlock(typ, x, workers, func(rows int) { out = mat.NewDense(rows, len(m.Bias), nil) }, func(b rows.Batch, k *mat.Dense) {
		m.outputs(rows.Window(out, b.First, b.First+b.Rows()), k)
	})
	if err != nil {
		return nil, err
	}
	return out, check.Vector("prediction", out.RawMatrix().Data)
}

// Row computes the outputs of one row.
func (m *Machine) Row(out, x []float64) {
	count, _ := m.Landmarks.Dims()
	p := rowwise.Scratch(count)
	defer rowwise.Release(p)
	kernels.Row(*p, m.Kernel, x, m.Landmarks.(*mat.Dense))
	for j, b := range m.Bias {
		out[j] = b + linalg.Dot(*p, m.Beta.RawRowView(j))
	}
}

// RowWidth returns the number of columns that Row expects. It returns 0 if there is no model, or if its landmarks are sparse.
func (m *Machine) RowWidth() int {
	if m == nil {
		return 0
	}
	if landmarks, ok := m.Landmarks.(*mat.Dense); ok {
		return landmarks.RawMatrix().Cols
	}
	return 0
}

// PredictVariance returns the means and variances of all targets for the rows of x.
func (m *Machine) PredictVariance(typ string, o *kernels.Options, x mat.Matrix) (mean, variance *mat.Dense, err error) {
	if m == nil {
		return nil, nil, fault.NotFitted(typ)
	}
	b, err := m.Basis(context.Background(), o)
	if err != nil {
		return nil, nil, err
	}
	err = m.eachBlock(typ, x, o.Workers, func(n int) {
		mean, variance = mat.NewDense(n, len(m.Bias), nil), mat.NewDense(n, len(m.Bias), nil)
	}, func(part rows.Batch, k *mat.Dense) {
		to := part.First + part.Rows()
		m.outputs(rows.Window(mean, part.First, to), k)
		m.Spread.variances(rows.Window(variance, part.First, to), b, part, k)
	})
	return mean, variance, err
}
