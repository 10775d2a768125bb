package scalers

import (
	"context"
	"iter"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/sparse"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers/internal/columnstats"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
)

// RMSScaler divides each column by its root mean square and does not centre it:
//
//	z[i,j] = x[i,j] / rms[j],  rms[j]² = Σᵢ x[i,j]² / max(1, n-1)
//
// This is scale(x, center = FALSE) in R. With the divisor n-1 it equals [StandardScaler] for a column of mean 0. It differs from R
// for a column of zeros: R divides by zero, whereas here rms = 1 and the column stays unchanged. Zeros remain zeros, and sparse
// rows remain sparse. No finite column overflows.
//
// The zero value is ready to use. Fit and Transform cost O(nd). In addition to the errors of [transformers.Transformer], Transform
// returns ErrNotFinite for a row whose scaled value overflows.
//
// See also [StandardScaler], [UnitRows].
type RMSScaler struct {
	learned[rmsScalerModel]
}

type rmsScalerModel struct {
	Scales codec.Floats
}

// Fit computes the root mean square of each column of x (n×d).
func (s *RMSScaler) Fit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	if sparse.Is(x) {
		return s.fitSparse(ctx, x)
	}
	return s.state.Learn(ctx, x, nil, func(x *mat.Dense) (*rmsScalerModel, error) {
		_, d := x.Dims()
		m := &rmsScalerModel{Scales: make(codec.Floats, d)}
		return m, columnstats.EachColumn(ctx, x, func(j int, column []float64) { m.Scales[j] = columnstats.RootMeanSquare(column) })
	})
}

// FitBlocks implements [streaming.BlockFitter]. It reads the stream once, and the result is bit-identical to that of Fit.
func (s *RMSScaler) FitBlocks(ctx context.Context, blocks iter.Seq2[streaming.Block[streaming.None], error]) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	return s.state.LearnBlocks(ctx, blocks, nil, func(rows *rowmap.Stream) (*rmsScalerModel, error) {
		columns, err := columnstats.ReadColumns(ctx, rows, 1, func(int) (c columnstats.Magnitude) { return c },
			func(c *columnstats.Magnitude, values []float64) error {
				c.Add(values)
				return nil
			})
		if err != nil {
			return nil, err
		}
		m := &rmsScalerModel{}
		for _, c := range columns {
			m.Scales = append(m.Scales, c.RootMeanSquare())
		}
		return m, nil
	})
}

func (s *RMSScaler) statistics() *columnstats.Statistics[*columnstats.Sums] {
	return &columnstats.Statistics[*columnstats.Sums]{Type: s.state.TypeName(), Fresh: columnstats.NewSums}
}

// NewStatistics implements [streaming.StatisticsFitter]. The statistics are exact sums of the squares of each column.
func (s *RMSScaler) NewStatistics() (streaming.Statistics[streaming.None], error) {
	return s.statistics(), nil
}

// FitStatistics implements [streaming.StatisticsFitter]. The result is the same as with Fit, except that each number is rounded
// only once. It is bit-identical, however the rows are divided and merged.
func (s *RMSScaler) FitStatistics(ctx context.Context, st streaming.Statistics[streaming.None]) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	return columnstats.Learn(ctx, &s.state, st, s.statistics(),
		func(st *columnstats.Statistics[*columnstats.Sums]) (*rmsScalerModel, error) {
			m := &rmsScalerModel{}
			for _, c := range st.Columns {
				scale := c.RootMeanSquare()
				if scale == 0 {
					scale = 1
				}
				m.Scales = append(m.Scales, scale)
			}
			return m, nil
		})
}

// PartialFit implements [transformers.PartialFitter].
func (s *RMSScaler) PartialFit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	return s.state.PartialFit(ctx, x, s)
}

// MarshalStatistics implements estimators.Continuer.
func (s *RMSScaler) MarshalStatistics() ([]byte, error) { return s.state.MarshalStatistics() }

// UnmarshalStatistics implements estimators.Continuer.
func (s *RMSScaler) UnmarshalStatistics(data []byte) error {
	return s.state.UnmarshalStatistics(s, data)
}

// InverseTransform returns the rows (m×d) that Transform maps to z (m×d).
func (s *RMSScaler) InverseTransform(z mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return rowmap.Invert(&s.state, z)
}

// Scales returns the d divisors of the columns, or nil before Fit.
func (s *RMSScaler) Scales() []float64 { return slices.Clone(s.state.Model().Scales) }

func (rmsScalerModel) TypeName() string { return "scalers: RMSScaler" }

func (m rmsScalerModel) Widths() (from, to int) { return len(m.Scales), len(m.Scales) }

func (m rmsScalerModel) MapRow(dst, x []float64) {
	for j, v := range x {
		dst[j] = v / m.Scales[j]
	}
}

func (m rmsScalerModel) InvertRow(dst, z []float64) {
	for j, v := range z {
		dst[j] = v * m.Scales[j]
	}
}

func (m rmsScalerModel) Validate() error { return columnstats.CheckScales(m.Scales) }

func (m rmsScalerModel) BuildGraph(x graph.Value) (graph.Value, error) {
	return x.Div(x.Row(m.Scales)), nil
}

func (rmsScalerModel) ColumnNames(in []string) []string { return in }
