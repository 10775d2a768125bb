package inspection

import (
	"context"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/kernels"
)

// block is the number of rows that are paired with all others at a time, which limits the memory.
const block = 256

// machine is a model whose posterior is that of a Gaussian process.
type machine struct {
	model
	of   *lssvm.Regressor
	rows *mat.Dense // training rows
}

// machinesOf returns the machines whose weighted mean e predicts, and reports whether all models of e are machines. A type that
// embeds a machine does not count as one, since it may predict differently.
func machinesOf(e estimators.Regressor) (out []machine, all bool) {
	for _, m := range modelsOf(e) {
		of, ok := m.estimator.(*lssvm.Regressor)
		if !ok || m.transformed {
			return nil, false
		}
		rows := of.Rows()
		if rows == nil {
			return nil, false
		}
		out = append(out, machine{m, of, rows})
	}
	return out, len(out) > 0
}

// averages returns the mean and the variance of the average over the sampled rows at each point.
func (t *inspected) averages(ctx context.Context, machines []machine, f feature, grid []point) (mean, variance []float64, err error) {
	sums := make([]float64, len(grid))
	for g := range sums {
		sums[g] = 1
	}
	values, priors := make([]*mat.Dense, len(machines)), make([][]float64, len(machines))
	prepared := make([]*kernels.Prepared, len(machines))
	for i, m := range machines {
		n, _ := m.rows.Dims()
		values[i], priors[i] = mat.NewDense(len(grid), n, nil), make([]float64, len(grid))
		if prepared[i], err = kernels.Prepare(ctx, m.of.ChosenKernel(), m.rows, m.options()); err != nil {
			return nil, nil, err
		}
	}
	err = t.eachPoint(ctx, f, grid, func(g int, rows *mat.Dense) error {
		for i, m := range machines {
			z, err := m.transform(rows)
			if err != nil {
				return err
			}
			if err := meanOfRows(ctx, values[i].RawRowView(g), prepared[i], z); err != nil {
				return err
			}
			if priors[i][g], err = m.meanOfPairs(ctx, m.of.ChosenKernel(), z); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return mixture(ctx, machines, values, priors, sums)
}

func (m machine) options() *kernels.Options {
	return &kernels.Options{Workers: m.of.Workers, MaxBytes: m.of.MaxKernelBytes}
}

// meanOfRows sets dst to the mean, over the rows of z, of their kernel values with the prepared rows.
func meanOfRows(ctx context.Context, dst []float64, k *kernels.Prepared, z *mat.Dense) error {
	n, d := z.Dims()
	clear(dst)
	for from := 0; from < n; from += block {
		values, err := k.Cross(ctx, z.Slice(from, min(from+block, n), 0, d))
		if err != nil {
			return err
		}
		r, _ := values.Dims()
		for i := range r {
			floats.AddScaled(dst, 1/float64(n), values.RawRowView(i))
		}
	}
	return nil
}

// meanOfPairs returns the mean of the kernel values over all pairs of rows of z.
func (m machine) meanOfPairs(ctx context.Context, k kernels.Kernel, z *mat.Dense) (float64, error) {
	prepared, err := kernels.Prepare(ctx, k, z, m.options())
	if err != nil {
		return 0, err
	}
	n, _ := z.Dims()
	means := make([]float64, n)
	if err := meanOfRows(ctx, means, prepared, z); err != nil {
		return 0, err
	}
	return floats.Sum(means) / float64(n), nil
}

// mixture returns the mean and the variance of linear combinations of function values under the mixture of the machines. The
// variance includes the differences between the machines.
func mixture(ctx context.Context, machines []machine, values []*mat.Dense, priors [][]float64,
	sums []float64) (mean, variance []float64, err error) {
	mean, variance = make([]float64, len(sums)), make([]float64, len(sums))
	means := make([][]float64, len(machines))
	for i, m := range machines {
		own, of, err := m.of.PredictCombinationMatrix(ctx, values[i], priors[i], sums)
		if err != nil {
			return nil, nil, err
		}
		floats.AddScaled(mean, m.share, own)
		floats.AddScaled(variance, m.share, of)
		means[i] = own
	}
	for i, m := range machines {
		for g, v := range means[i] {
			variance[g] += m.share * (v - mean[g]) * (v - mean[g])
		}
	}
	return mean, variance, nil
}
