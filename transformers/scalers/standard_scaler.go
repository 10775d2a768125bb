// Package scalers contains transformers that scale columns or rows to a common size, as kernels that depend on distances require:
//
//	StandardScaler  mean 0 and standard deviation 1 in each column: the usual choice
//	RMSScaler       root mean square 1, not centred: zeros stay zeros
//	MinMaxScaler    each column to a range
//	UnitRows        each row to length 1
//
// All of them can also be fitted from a stream of rows and from statistics of parts of the rows, with the same result up to
// rounding. Those that scale columns have InverseTransform.
package scalers

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers/internal/columnstats"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
)

// StandardScaler centres each column and divides it by its standard deviation:
//
//	z[i,j] = (x[i,j] - mean[j]) / sd[j],  sd[j]² = Σᵢ (x[i,j] - mean[j])² / (n-1)
//
// A column whose values are all equal has sd = 1: it is only centred. This includes every column of a single row. The statistics
// are computed from the training rows, and Transform applies them to new rows. They lose no digits if the values have a large
// common offset, and do not overflow or underflow for any finite column.
//
// The zero value is ready to use. Fit and Transform cost O(nd). In addition to the errors of [transformers.Transformer], Transform
// returns ErrNotFinite for a row that is so far from the training rows that its scaled value overflows.
//
// See also [MinMaxScaler], [RMSScaler], [columnwise.PowerTransformer].
//
// [columnwise.PowerTransformer]: https://pkg.go.dev/github.com/kernelearn/kernelearn/transformers/columnwise#PowerTransformer
type StandardScaler struct {
	// Clip limits scaled values to the range from -5 to 5, so that rows far from the training rows stay near them.
	Clip bool

	learned[standardScalerModel]
}

type standardScalerModel struct {
	Means, Scales codec.Floats
	Clip          bool
}

// Fit computes the mean and the standard deviation of each column of x (n×d).
func (s *StandardScaler) Fit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	return s.state.Learn(ctx, x, nil, func(x *mat.Dense) (*standardScalerModel, error) {
		_, d := x.Dims()
		m := &standardScalerModel{Clip: s.Clip, Means: make(codec.Floats, d), Scales: make(codec.Floats, d)}
		return m, columnstats.EachColumn(ctx, x,
			func(j int, column []float64) { m.Means[j], m.Scales[j] = columnstats.MeanAndDeviation(column) })
	})
}

// FitBlocks implements [streaming.BlockFitter]. It reads the stream twice, and the result is bit-identical to that of Fit.
func (s *StandardScaler) FitBlocks(ctx context.Context, blocks iter.Seq2[streaming.Block[streaming.None], error]) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	return s.state.LearnBlocks(ctx, blocks, nil, func(rows *rowmap.Stream) (*standardScalerModel, error) {
		spreads, err := columnstats.ReadSpreads(ctx, rows, 1, func(_ int, values []float64) []float64 { return values })
		if err != nil {
			return nil, err
		}
		m := &standardScalerModel{Clip: s.Clip}
		for _, c := range spreads {
			m.Means, m.Scales = append(m.Means, c.Mean()), append(m.Scales, c.Deviation())
		}
		return m, nil
	})
}

func (s *StandardScaler) statistics() *columnstats.Statistics[*columnstats.Sums] {
	return &columnstats.Statistics[*columnstats.Sums]{Type: s.state.TypeName(), Fresh: columnstats.NewSums}
}

// NewStatistics implements [streaming.StatisticsFitter]. The statistics are exact sums of the values and of the squares of each
// column.
func (s *StandardScaler) NewStatistics() (streaming.Statistics[streaming.None], error) {
	return s.statistics(), nil
}

// FitStatistics implements [streaming.StatisticsFitter]. The result is the same as with Fit, except that each number is rounded
// only once. It is bit-identical, however the rows are divided and merged.
func (s *StandardScaler) FitStatistics(ctx context.Context, st streaming.Statistics[streaming.None]) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	return columnstats.Learn(ctx, &s.state, st, s.statistics(),
		func(st *columnstats.Statistics[*columnstats.Sums]) (*standardScalerModel, error) {
			m := &standardScalerModel{Clip: s.Clip}
			for _, c := range st.Columns {
				scale := c.Deviation()
				if scale == 0 {
					scale = 1
				}
				m.Means, m.Scales = append(m.Means, c.Mean()), append(m.Scales, scale)
			}
			return m, nil
		})
}

// PartialFit implements [transformers.PartialFitter].
func (s *StandardScaler) PartialFit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	return s.state.PartialFit(ctx, x, s)
}

// MarshalStatistics implements estimators.Continuer.
func (s *StandardScaler) MarshalStatistics() ([]byte, error) { return s.state.MarshalStatistics() }

// UnmarshalStatistics implements estimators.Continuer.
func (s *StandardScaler) UnmarshalStatistics(data []byte) error {
	return s.state.UnmarshalStatistics(s, data)
}

// InverseTransform returns the rows (m×d) that Transform maps to z (m×d).
func (s *StandardScaler) InverseTransform(z mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return rowmap.Invert(&s.state, z)
}

// Means returns the means of the d columns, or nil before Fit.
func (s *StandardScaler) Means() []float64 { return slices.Clone(s.state.Model().Means) }

// Scales returns the d divisors of the columns, or nil before Fit.
func (s *StandardScaler) Scales() []float64 { return slices.Clone(s.state.Model().Scales) }

func (standardScalerModel) TypeName() string { return "scalers: StandardScaler" }

func (m standardScalerModel) Widths() (from, to int) { return len(m.Scales), len(m.Scales) }

func (m standardScalerModel) MapRow(dst, x []float64) {
	for j, v := range x {
		dst[j] = columnstats.Scale(v, m.Means[j], m.Scales[j])
		if m.Clip {
			dst[j] = min(max(dst[j], -columnstats.ClipLimit), columnstats.ClipLimit)
		}
	}
}

func (m standardScalerModel) InvertRow(dst, z []float64) {
	for j, v := range z {
		dst[j] = columnstats.Unscale(v, m.Means[j], m.Scales[j])
	}
}

func (m standardScalerModel) Validate() error {
	if len(m.Means) != len(m.Scales) || !m.Means.Finite() {
		return fmt.Errorf("%d means for %d scales, want the same number of each, all finite", len(m.Means), len(m.Scales))
	}
	return columnstats.CheckScales(m.Scales)
}

func (m standardScalerModel) BuildGraph(x graph.Value) (graph.Value, error) {
	z := x.Sub(x.Row(m.Means)).Div(x.Row(m.Scales))
	if m.Clip {
		z = z.Clamp(z.Number(-columnstats.ClipLimit), z.Number(columnstats.ClipLimit))
	}
	return z, nil
}

func (standardScalerModel) ColumnNames(in []string) []string { return in }
