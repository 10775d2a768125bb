package columnwise

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/sparse"
	"github.com/kernelearn/kernelearn/transformers"
)

var _ transformers.SparseTransformer = (*OneHot)(nil)

// MakesSparse reports whether Sparse is set, see [transformers.KeepSparse].
func (o *OneHot) MakesSparse() bool { return o.Sparse }

// TransformSparse implements [transformers.SparseTransformer]. The result has at most one entry for each value of x (n×d).
func (o *OneHot) TransformSparse(x mat.Matrix) (_ *sparse.Rows, err error) {
	defer fault.RecoverAs(oneHotName, &err)
	m := o.state.Fitted
	if m == nil {
		return nil, fault.NotFitted(oneHotName)
	}
	xd, err := check.DenseGaps("x", x, m.HasGap)
	if err == nil {
		err = check.Columns("x", xd, m.Width)
	}
	if err != nil {
		return nil, err
	}
	n, _ := xd.Dims()
	start, column, value := make([]int, 1, n+1), []int(nil), []float64(nil)
	for i := range n {
		m.eachEntry(xd.RawRowView(i), func(j int, v float64) {
			if v != 0 {
				column, value = append(column, j), append(value, v)
			}
		})
		start = append(start, len(column))
	}
	return sparse.NewRows(m.width(), start, column, value)
}
