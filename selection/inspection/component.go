package inspection

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
)

// Component returns the component of an additive function that belongs to a column of x (n×d), and to other columns in the same
// part of the kernel. It works for machines of package lssvm whose kernel is a kernels.Additive, alone, in a pipeline or in a
// search. The mean and the band are those of its posterior in closed form, without noise. The component is centred over the rows
// sampled from x. A constant can move from one component to another without affecting the predictions, and a band that included
// this uncertainty would be useless. The components of all columns and the mean prediction sum to the prediction. The cost is that
// of RegressorEffect. It returns ErrParam for invalid options, for any other estimator or kernel, and for a column that the steps
// before the kernel mix with others. It returns ErrNotFitted, ErrShape for a column without a value, and the errors of the steps
// and of ctx.
func Component(ctx context.Context, r estimators.Regressor, x mat.Matrix, column int, opt *Options) (_ Effect, err error) {
	defer check.Begin(&ctx)(&err)
	t, err := newTable("Component", r, x, opt)
	if err != nil {
		return Effect{}, err
	}
	out, f, grid, err := t.begin(column)
	if err != nil {
		return Effect{}, err
	}
	if _, err := r.Predict(t.drawn); err != nil { // not fitted, or fitted on other columns
		return Effect{}, err
	}
	machines, ok := machinesOf(r)
	if !ok {
		return Effect{}, fault.Param(t.typ, "r", fmt.Sprintf("%T", r),
			"an lssvm.Regressor of a kernels.Additive, alone, in a pipeline or in a search")
	}
	values, priors := make([]*mat.Dense, len(machines)), make([][]float64, len(machines))
	for i, m := range machines {
		k, err := t.partOf(m, f)
		if err != nil {
			return Effect{}, err
		}
		if values[i], priors[i], err = t.contrasts(ctx, m, k, f, grid); err != nil {
			return Effect{}, err
		}
	}
	mean, variance, err := mixture(ctx, machines, values, priors, make([]float64, len(grid)))
	if err != nil {
		return Effect{}, err
	}
	if t.NoBand {
		out.Mean = mean
		return out, nil
	}
	out.Band = ExactBand
	return out, t.band(&out, mean, variance)
}

// partOf returns the part of a machine's kernel that a feature moves. It returns nil if there is none, as for a constant that the
// steps have dropped.
func (t *inspected) partOf(m machine, f feature) (kernels.Kernel, error) {
	k, ok := m.of.ChosenKernel().(kernels.Additive)
	if !ok {
		return nil, fault.Param(t.typ, "Kernel", m.of.ChosenKernel(), "a kernels.Additive")
	}
	owners, err := t.owners(m.model)
	if err != nil {
		return nil, err
	}
	me := slices.IndexFunc(t.features, func(g feature) bool { return g.columns[0] == f.columns[0] })
	part, of := kernels.Additive{Kernel: k.Kernel}, []int(nil)
	for c, who := range owners {
		if !slices.Contains(who, me) {
			continue
		}
		if len(who) > 1 {
			return nil, fault.Param(t.typ, "column", f.name, "a column that no step before the kernel mixes with others")
		}
		of, part.Lengths = append(of, c), append(part.Lengths, k.Lengths[c])
		variance := 1.0
		if k.Variances != nil {
			variance = k.Variances[c]
		}
		part.Variances = append(part.Variances, variance)
	}
	if of == nil {
		return nil, nil
	}
	return kernels.Columns{Of: of, Kernel: part}, nil
}

// contrasts returns the centred kernel values of a part: with the training rows, and among the points. The values of each point are
// centred by their mean over the sampled rows.
func (t *inspected) contrasts(ctx context.Context, m machine, k kernels.Kernel, f feature,
	grid []point) (values *mat.Dense, priors []float64, err error) {
	n, _ := m.rows.Dims()
	values, priors = mat.NewDense(len(grid), n, nil), make([]float64, len(grid))
	if k == nil {
		return values, priors, nil
	}
	drawn, err := m.transform(t.drawn)
	if err != nil {
		return nil, nil, err
	}
	fitted, err := kernels.Prepare(ctx, k, m.rows, m.options())
	if err != nil {
		return nil, nil, err
	}
	among, err := kernels.Prepare(ctx, k, drawn, m.options())
	if err != nil {
		return nil, nil, err
	}
	mean := make([]float64, n)
	if err := meanOfRows(ctx, mean, fitted, drawn); err != nil {
		return nil, nil, err
	}
	pairs, err := m.meanOfPairs(ctx, k, drawn)
	if err != nil {
		return nil, nil, err
	}
	rows, _ := drawn.Dims()
	toDrawn := make([]float64, rows)
	err = t.eachPoint(ctx, f, grid, func(g int, moved *mat.Dense) error {
		_, d := moved.Dims()
		z, err := m.transform(moved.Slice(0, 1, 0, d).(*mat.Dense)) // one row suffices, because k does not depend on the other columns
		if err != nil {
			return err
		}
		if err := meanOfRows(ctx, values.RawRowView(g), fitted, z); err != nil {
			return err
		}
		floats.Sub(values.RawRowView(g), mean)
		if err := meanOfRows(ctx, toDrawn, among, z); err != nil {
			return err
		}
		own := z.RawRowView(0)
		priors[g] = k.Eval(own, own) - 2*floats.Sum(toDrawn)/float64(rows) + pairs
		return nil
	})
	return values, priors, err
}
