package falkon

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/kernels"
)

// eachBlock calls f with the kernel between blocks of the rows of x and the landmarks, on all
// workers.
func (m *machine) eachBlock(typ string, x mat.Matrix, workers int, begin func(rows int), f func(b rows.Batch, k *mat.Dense)) error {
	if m == nil {
		return fault.NotFitted(typ)
	}
	count, d := m.landmarks.Dims()
	xd, err := check.Wide("x", x, d)
	if err != nil {
		return err
	}
	n, _ := xd.Dims()
	begin(n)
	of := &basis{kernel: m.kernel, landmarks: m.landmarks, m: count, prepared: m.prepared}
	ctx := context.Background()
	return parallel.ForEach(ctx, workers, rows.BlockCount(n, rows.BlockRows), func(i int) error {
		b := rows.Batch{First: i * rows.BlockRows, X: rows.Window(xd, i*rows.BlockRows, min((i+1)*rows.BlockRows, n))}
		memory := rowwise.Scratch(b.Rows() * count)
		defer rowwise.Release(memory)
		k := mat.NewDense(b.Rows(), count, *memory)
		if err := of.kernelRows(ctx, k, b); err != nil {
			return err
		}
		f(b, k)
		return nil
	})
}

// outputs sets dst (r×k) to those of a block.
func (m *machine) outputs(dst, k *mat.Dense) {
	for i := range k.RawMatrix().Rows {
		copy(dst.RawRowView(i), m.bias)
	}
	if len(m.bias) <= fewColumns {
		for i := range k.RawMatrix().Rows {
			for j := range m.bias {
				dst.RawRowView(i)[j] += linalg.Dot(k.RawRowView(i), m.beta.RawRowView(j))
			}
		}
		return
	}
	fast.Gemm(blas.NoTrans, blas.Trans, 1, k.RawMatrix(), m.beta.RawMatrix(), 1, dst.RawMatrix())
}

// decide returns the outputs for the rows of x.
func (m *machine) decide(typ string, x mat.Matrix, workers int) (*mat.Dense, error) {
	var out *mat.Dense
	err := m.eachBlock(typ, x, workers, func(rows int) { out = mat.NewDense(rows, len(m.bias), nil) }, func(b rows.Batch, k *mat.Dense) {
		m.outputs(rows.Window(out, b.First, b.First+b.Rows()), k)
	})
	if err != nil {
		return nil, err
	}
	return out, check.Vector("prediction", out.RawMatrix().Data)
}

// row computes the outputs of one row.
func (m *machine) row(out, x []float64) {
	count, _ := m.landmarks.Dims()
	p := rowwise.Scratch(count)
	defer rowwise.Release(p)
	kernels.Row(*p, m.kernel, x, m.landmarks)
	for j, b := range m.bias {
		out[j] = b + linalg.Dot(*p, m.beta.RawRowView(j))
	}
}

// rowWidth is the number of columns that row wants; 0 without a model.
func (m *machine) rowWidth() int {
	if m == nil {
		return 0
	}
	_, d := m.landmarks.Dims()
	return d
}
