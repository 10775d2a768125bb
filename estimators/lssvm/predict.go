package lssvm

import (
	"cmp"
	"context"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/anyrows"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/internal/targets"
	"github.com/kernelearn/kernelearn/kernels"
)

// predictChunk is the number of rows that are predicted at a time. It bounds the memory of a prediction to predictChunk × n.
const predictChunk = 512

// eachChunk calls f with the kernel values between a chunk of consecutive rows of x and the training rows, chunk by chunk. Each
// call overwrites the values of the one before.
func (m *machine) eachChunk(typ string, x mat.Matrix, opt kernels.Options, f func(start int, rows mat.Matrix, k *mat.Dense) error) error {
	if m == nil {
		return fault.NotFitted(typ)
	}
	if m.rows == nil {
		return &fault.NotFittedError{Type: typ + ": fitted on a matrix: use the methods that end in Matrix"}
	}
	_, d := m.rows.Dims()
	given, err := anyrows.Wide("x", x, d, kernels.TakesSparseRows(m.kernel))
	if err != nil {
		return err
	}
	prepared, err := kernels.Prepare(context.Background(), m.kernel, m.rows, &opt)
	if err != nil {
		return err
	}
	k := &mat.Dense{}
	n, _ := given.Dims()
	for i := 0; i < n; i += predictChunk {
		part := anyrows.Slice(given, i, min(i+predictChunk, n))
		if r, _ := part.Dims(); r < predictChunk {
			k.Reset() // the last block
		}
		if err := prepared.CrossTo(context.Background(), k, part); err != nil {
			return err
		}
		if err := f(i, part, k); err != nil {
			return err
		}
	}
	return nil
}

// checkCross validates a kernel matrix between new rows and training rows.
func (m *machine) checkCross(typ string, k mat.Matrix) (*mat.Dense, error) {
	if m == nil {
		return nil, fault.NotFitted(typ)
	}
	columns := m.n
	if m.rows == nil {
		columns = m.given.n
	}
	kd, err := check.Wide("K", k, columns)
	if err != nil || m.given.first == nil {
		return kd, err
	}
	r, _ := kd.Dims()
	out := mat.NewDense(r, m.n, nil)
	for i := range r {
		row := kd.RawRowView(i)
		for j, at := range m.given.first {
			out.Set(i, j, row[at])
		}
	}
	return out, nil
}

// coefficients returns a copy of α, with a row for each distinct row. After FitMatrix it has a row for each column of the kernel
// matrix.
func (m *machine) coefficients() *mat.Dense {
	if m.given.first == nil {
		return mat.DenseCopyOf(m.alpha)
	}
	out := mat.NewDense(m.given.n, len(m.bias), nil)
	for i, at := range m.given.first {
		out.SetRow(at, m.alpha.RawRowView(i))
	}
	return out
}

// outputs returns k·α + b, r×k.
func (m *machine) outputs(k *mat.Dense) *mat.Dense {
	var out mat.Dense
	fast.Mul(&out, k, m.alpha)
	r, _ := k.Dims()
	for i := range r {
		for j, b := range m.bias {
			out.Set(i, j, out.At(i, j)+b)
		}
	}
	return &out
}

// decide returns the outputs for the rows of x.
func (m *machine) decide(typ string, x mat.Matrix, opt kernels.Options) (*mat.Dense, error) {
	var out *mat.Dense
	err := m.eachChunk(typ, x, opt, func(start int, rows mat.Matrix, k *mat.Dense) error {
		if out == nil {
			n, _ := x.Dims()
			out = mat.NewDense(n, len(m.bias), nil)
		}
		r, _ := rows.Dims()
		out.Slice(start, start+r, 0, len(m.bias)).(*mat.Dense).Copy(m.outputs(k))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, targets.CheckValues("prediction", out)
}

// decideMatrix returns the outputs for kernel values k with the training rows.
func (m *machine) decideMatrix(typ string, k mat.Matrix) (*mat.Dense, error) {
	kd, err := m.checkCross(typ, k)
	if err != nil {
		return nil, err
	}
	out := m.outputs(kd)
	return out, targets.CheckValues("prediction", out)
}

// predictVariance returns the mean and the variance of a new observation of each target (m×k) at each row of x (m×d).
func (m *machine) predictVariance(typ string, x mat.Matrix, opt kernels.Options) (mean, variance *mat.Dense, err error) {
	err = m.eachChunk(typ, x, opt, func(start int, rows mat.Matrix, k *mat.Dense) error {
		width := len(m.bias)
		if mean == nil {
			n, _ := x.Dims()
			mean, variance = mat.NewDense(n, width, nil), mat.NewDense(n, width, nil)
		}
		n, _ := rows.Dims()
		diag := make([]float64, n)
		kernels.Diag(diag, m.kernel, rows)
		part := func(all *mat.Dense) *mat.Dense { return all.Slice(start, start+n, 0, width).(*mat.Dense) }
		return m.varianceTo(part(mean), part(variance), k, diag)
	})
	if err != nil {
		return nil, nil, err
	}
	return mean, variance, cmp.Or(targets.CheckValues("prediction", mean), targets.CheckValues("variance", variance))
}

// varianceTo sets mean and variance (r×k) for new rows. k (r×n) holds their kernel values with the training rows, and diag (r)
// those with themselves.
func (m *machine) varianceTo(mean, variance, k *mat.Dense, diag []float64) error {
	ctx := context.Background()
	left, err := m.leaveOneOut(ctx)
	if err != nil {
		return err
	}
	var spread []float64
	if m.posterior != nil {
		spread, err = m.spreadIteratively(ctx, k, diag)
	} else {
		spread, err = m.spread(ctx, k, diag, onesOf(len(diag)), m.noise())
	}
	if err != nil {
		return err
	}
	mean.Copy(m.outputs(k))
	for i, s := range spread {
		row := variance.RawRowView(i)
		floats.ScaleTo(row, s, left.scales)
		if m.given.within != nil {
			floats.Add(row, m.given.within)
		}
	}
	return nil
}

// leaveOneOutResiduals returns a copy of the residuals of the training rows (n×k), or nil if there is only one distinct row.
func (m *machine) leaveOneOutResiduals(ctx context.Context, typ string) (*mat.Dense, error) {
	if m == nil {
		return nil, fault.NotFitted(typ)
	}
	left, err := m.leaveOneOut(ctx)
	if err != nil || left.residuals == nil {
		return nil, err
	}
	return mat.DenseCopyOf(left.residuals), nil
}

// row sets out to the outputs for the row x.
func (m *machine) row(out, x []float64) {
	p := rowwise.Scratch(m.n)
	defer rowwise.Release(p)
	kernels.Row(*p, m.kernel, x, m.rows.(*mat.Dense))
	copy(out, m.bias)
	for i, v := range *p {
		for j, a := range m.alpha.RawRowView(i) {
			out[j] += v * a
		}
	}
}

// rowWidth returns the number of columns that row expects, or 0 if the machine has no dense rows.
func (m *machine) rowWidth() int {
	if m == nil {
		return 0
	}
	rows, ok := m.rows.(*mat.Dense)
	if !ok {
		return 0
	}
	return rows.RawMatrix().Cols
}
