package scalers

import (
	"context"
	"fmt"
	"iter"
	"math"
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

const minMaxScalerName = "scalers: MinMaxScaler"

// defaultLow and defaultHigh are the ends of the range of a MinMaxScaler whose Low and High are both 0.
const (
	defaultLow  = 0.0
	defaultHigh = 1.0
)

// MinMaxScaler maps the range of each column to [Low, High]:
//
//	z[i,j] = Low + (High - Low) (x[i,j] - min[j]) / (max[j] - min[j])
//
// where min and max are over the training rows, and are mapped to Low and High exactly. A column with a single distinct value is
// mapped to Low. Values of new rows beyond this range are mapped beyond Low and High, unless Clip is set. A single extreme value
// compresses all other values of its column; [StandardScaler] is less affected.
//
// If Low and High are both 0, 0 and 1 are used. Fit and Transform cost O(nd). In addition to the errors of Transformer, Transform
// returns ErrNotFinite for a row that is so far from the training rows that its scaled value overflows.
//
// See also [StandardScaler], [columnwise.Winsorizer].
//
// [columnwise.Winsorizer]: https://pkg.go.dev/github.com/kernelearn/kernelearn/transformers/columnwise#Winsorizer
type MinMaxScaler struct {
	Low, High float64

	// Clip maps values beyond the range of the training rows to Low or High.
	Clip bool

	learned[minMaxModel]
}

type minMaxModel struct {
	Low, High float64
	Clip      bool
	Min, Max  codec.Floats
}

func (s *MinMaxScaler) limits() (low, high float64, err error) {
	low, high = s.Low, s.High
	if low == 0 && high == 0 {
		low, high = defaultLow, defaultHigh
	}
	if !(low < high) || math.IsInf(low, -1) || math.IsInf(high, 1) {
		return 0, 0, fault.Param(minMaxScalerName, "High", s.High, "a finite value > Low")
	}
	return low, high, nil
}

// Fit finds the smallest and the largest value of each column of x (n×d).
func (s *MinMaxScaler) Fit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	low, high, err := s.limits()
	if err != nil {
		return err
	}
	return s.state.Learn(ctx, x, nil, func(x *mat.Dense) (*minMaxModel, error) {
		_, d := x.Dims()
		m := &minMaxModel{Low: low, High: high, Clip: s.Clip, Min: make(codec.Floats, d), Max: make(codec.Floats, d)}
		return m, columnstats.EachColumn(ctx, x, func(j int, column []float64) {
			m.Min[j], m.Max[j] = slices.Min(column),
				slices.Max(column)
		})
	})
}

// FitBlocks implements [streaming.BlockFitter]. It reads the stream once, and the result is the same as with Fit.
func (s *MinMaxScaler) FitBlocks(ctx context.Context, blocks iter.Seq2[streaming.Block[streaming.None], error]) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	low, high, err := s.limits()
	if err != nil {
		return err
	}
	return s.state.LearnBlocks(ctx, blocks, nil, func(rows *rowmap.Stream) (*minMaxModel, error) {
		type ends struct{ least, largest float64 }
		columns, err := columnstats.ReadColumns(ctx, rows, 1, func(int) ends { return ends{math.Inf(1), math.Inf(-1)} },
			func(e *ends, values []float64) error {
				e.least, e.largest = min(e.least, slices.Min(values)), max(e.largest, slices.Max(values))
				return nil
			})
		if err != nil {
			return nil, err
		}
		m := &minMaxModel{Low: low, High: high, Clip: s.Clip}
		for _, e := range columns {
			m.Min, m.Max = append(m.Min, e.least), append(m.Max, e.largest)
		}
		return m, nil
	})
}

func (s *MinMaxScaler) statistics() *columnstats.Statistics[*columnstats.Extremes] {
	return &columnstats.Statistics[*columnstats.Extremes]{Type: minMaxScalerName,
		Fresh: func(int) *columnstats.Extremes { return &columnstats.Extremes{} }}
}

// NewStatistics implements [streaming.StatisticsFitter]. The statistics are the ranges of the columns.
func (s *MinMaxScaler) NewStatistics() (streaming.Statistics[streaming.None], error) {
	return s.statistics(), nil
}

// FitStatistics implements [streaming.StatisticsFitter]. The result is the same as with Fit.
func (s *MinMaxScaler) FitStatistics(ctx context.Context, st streaming.Statistics[streaming.None]) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	low, high, err := s.limits()
	if err != nil {
		return err
	}
	return columnstats.Learn(ctx, &s.state, st, s.statistics(),
		func(st *columnstats.Statistics[*columnstats.Extremes]) (*minMaxModel, error) {
			m := &minMaxModel{Low: low, High: high, Clip: s.Clip}
			for _, c := range st.Columns {
				m.Min, m.Max = append(m.Min, c.Least), append(m.Max, c.Largest)
			}
			return m, nil
		})
}

// PartialFit implements [transformers.PartialFitter].
func (s *MinMaxScaler) PartialFit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	return s.state.PartialFit(ctx, x, s)
}

// MarshalStatistics implements estimators.Continuer.
func (s *MinMaxScaler) MarshalStatistics() ([]byte, error) { return s.state.MarshalStatistics() }

// UnmarshalStatistics implements estimators.Continuer.
func (s *MinMaxScaler) UnmarshalStatistics(data []byte) error {
	return s.state.UnmarshalStatistics(s, data)
}

// InverseTransform returns the rows (m×d) that Transform maps to z (m×d). For a column with a single distinct value it returns that
// value for any z. If Clip is set, the rows are within the ranges of the training rows.
func (s *MinMaxScaler) InverseTransform(z mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return rowmap.Invert(&s.state, z)
}

// Min returns the minimum of each of the d columns in the training rows, or nil before Fit.
func (s *MinMaxScaler) Min() []float64 { return slices.Clone(s.state.Model().Min) }

// Max returns the maximum of each of the d columns in the training rows, or nil before Fit.
func (s *MinMaxScaler) Max() []float64 { return slices.Clone(s.state.Model().Max) }

func (minMaxModel) TypeName() string { return minMaxScalerName }

func (m minMaxModel) Widths() (from, to int) { return len(m.Min), len(m.Min) }

func (m minMaxModel) MapRow(dst, x []float64) {
	for j, v := range x {
		dst[j] = m.scale(v, m.Min[j], m.Max[j])
	}
}

func (m minMaxModel) InvertRow(dst, z []float64) {
	for j, v := range z {
		t := (v - m.Low) / (m.High - m.Low)
		if math.IsInf(m.High-m.Low, 1) || math.IsInf(v-m.Low, 0) {
			t = (v/2 - m.Low/2) / (m.High/2 - m.Low/2)
		}
		if m.Clip {
			t = min(max(t, 0), 1)
		}
		if dst[j] = m.Min[j]; m.Min[j] < m.Max[j] {
			dst[j] = m.Min[j]*(1-t) + m.Max[j]*t
		}
	}
}

func (m minMaxModel) scale(v, low, high float64) float64 {
	if m.Clip {
		v = min(max(v, low), high)
	}
	var t float64
	switch width := high - low; {
	case math.IsInf(width, 1) || math.IsInf(v-low, 0):
		t = (v/2 - low/2) / (high/2 - low/2)
	case width > 0:
		t = (v - low) / width
	}
	// This form reaches both ends exactly, unlike Low + t(High-Low).
	return m.Low*(1-t) + m.High*t
}

func (m minMaxModel) Validate() error {
	switch {
	case len(m.Min) == 0 || len(m.Min) != len(m.Max) || !m.Min.Finite() || !m.Max.Finite():
		return fmt.Errorf("%d smallest and %d largest values, want the same number of each, all finite", len(m.Min), len(m.Max))
	case !(m.Low < m.High) || math.IsInf(m.Low, -1) || math.IsInf(m.High, 1):
		return fmt.Errorf("range %v to %v", m.Low, m.High)
	}
	for j, low := range m.Min {
		if low > m.Max[j] {
			return fmt.Errorf("column %d from %v to %v", j, low, m.Max[j])
		}
	}
	return nil
}

func (m minMaxModel) BuildGraph(x graph.Value) (graph.Value, error) {
	if m.Clip {
		x = x.Clamp(x.Row(m.Min), x.Row(m.Max))
	}
	widths, inside := make([]float64, len(m.Min)), make([]float64, len(m.Min))
	for j := range widths {
		widths[j] = m.Max[j] - m.Min[j]
		inside[j] = 1
		if widths[j] == 0 {
			widths[j], inside[j] = 1, 0 // a column with a single value is mapped to the lower end
		}
		if math.IsInf(widths[j], 1) {
			return x, graph.Unsupported(&MinMaxScaler{}, "the range of a column overflows")
		}
	}
	t := x.Sub(x.Row(m.Min)).Div(x.Row(widths)).Mul(x.Row(inside))
	return t.Neg().Plus(1).Mul(x.Number(m.Low)).Add(t.Times(m.High)), nil
}

func (minMaxModel) ColumnNames(in []string) []string { return in }
