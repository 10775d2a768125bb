package scalers

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/sparse"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/internal/columnstats"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
)

var (
	_ transformers.SparseTransformer = (*RMSScaler)(nil)
	_ transformers.SparseTransformer = (*UnitRows)(nil)
)

// fitSparse fits s to sparse rows.
func (s *RMSScaler) fitSparse(ctx context.Context, x mat.Matrix) error {
	rows, err := sparse.From("x", x)
	if err != nil {
		return err
	}
	n, d := rows.Dims()
	if err := check.Numbers(fmt.Sprintf("the scales of %d columns", d), float64(d), "hash to fewer columns"); err != nil {
		return err
	}
	values := map[int][]float64{}
	for i := range n {
		columns, own := rows.Row(i)
		for at, j := range columns {
			values[j] = append(values[j], own[at])
		}
	}
	m := &rmsScalerModel{Scales: slices.Repeat(codec.Floats{1}, d)} // the scale of a column of zeros is 1
	for j, v := range values {
		m.Scales[j] = columnstats.SparseRootMeanSquare(v, n)
	}
	return learnSparse(ctx, &s.state, m)
}

// learnSparse stores the fitted model, unless ctx has ended.
func learnSparse[M rowmap.Stored](ctx context.Context, state *rowmap.State[M], m *M) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	state.Fitted, state.Sums = m, nil
	return nil
}

// sparseRows returns x as sparse rows. It returns an error if Transform cannot accept x.
func sparseRows[M rowmap.Stored](state *rowmap.State[M], x mat.Matrix) (*sparse.Rows, error) {
	if state.Fitted == nil {
		return nil, fault.NotFitted(state.TypeName())
	}
	rows, err := sparse.From("x", x)
	if err != nil {
		return nil, err
	}
	from, _ := (*state.Fitted).Widths()
	if _, d := rows.Dims(); d != from {
		return nil, fault.Columns("x", d, from)
	}
	return rows, nil
}

// TransformSparse implements [transformers.SparseTransformer].
func (s *RMSScaler) TransformSparse(x mat.Matrix) (_ *sparse.Rows, err error) {
	defer fault.RecoverAs(s.state.TypeName(), &err)
	rows, err := sparseRows(&s.state, x)
	if err != nil {
		return nil, err
	}
	return rows.Map("the scaled x", func(dst []float64, columns []int, values []float64) {
		for at, j := range columns {
			dst[at] = values[at] / s.state.Fitted.Scales[j]
		}
	})
}

// TransformSparse implements [transformers.SparseTransformer].
func (u *UnitRows) TransformSparse(x mat.Matrix) (_ *sparse.Rows, err error) {
	defer fault.RecoverAs(u.state.TypeName(), &err)
	rows, err := sparseRows(&u.state, x)
	if err != nil {
		return nil, err
	}
	return rows.Map("the scaled x", func(dst []float64, _ []int, values []float64) { u.state.Fitted.MapRow(dst, values) })
}
