package transformers

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// StandardScaler centres each column and divides it by its standard deviation:
//
//	z[i,j] = (x[i,j] - mean[j]) / sd[j],  sd[j]² = Σᵢ (x[i,j] - mean[j])² / (n-1)
//
// A column whose values are all the same, and so every column of a single row,
// has sd = 1: it is only centred. The statistics are those of the rows that Fit
// saw; new rows are mapped with them. They are computed without loss to a large
// common offset, and without overflow or underflow for any finite column.
//
// The zero value is ready to use. Fit and Transform cost O(nd). Besides the
// errors of [Transformer], a row of Transform that is so far from the rows of Fit
// that its scaled value overflows is ErrNotFinite.
//
// See also [MinMaxScaler], [RMSScaler], [PowerTransformer].
type StandardScaler struct {
	// Clip limits scaled values to the range from -5 to 5, so that rows far from those of Fit stay near them.
	Clip bool

	learned[standardScalerModel]
}

type standardScalerModel struct {
	Means, Scales codec.Floats
	Clip          bool
}

// Fit takes the mean and the standard deviation of each column of x (n×d).
func (s *StandardScaler) Fit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	return s.learn(ctx, x, nil, func(x *mat.Dense) (*standardScalerModel, error) {
		_, d := x.Dims()
		m := &standardScalerModel{Clip: s.Clip, Means: make(codec.Floats, d), Scales: make(codec.Floats, d)}
		return m, eachColumn(ctx, x, func(j int, column []float64) { m.Means[j], m.Scales[j] = meanAndDeviation(column) })
	})
}

// FitBlocks implements [BlockFitter]. It reads the stream twice and learns what Fit learns, to
// the bit.
func (s *StandardScaler) FitBlocks(ctx context.Context, blocks iter.Seq2[*mat.Dense, error]) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	return s.learnBlocks(ctx, blocks, nil, func(rows *stream) (*standardScalerModel, error) {
		spreads, err := spreadsOf(ctx, rows, 1, func(_ int, values []float64) []float64 { return values })
		if err != nil {
			return nil, err
		}
		m := &standardScalerModel{Clip: s.Clip}
		for _, c := range spreads {
			m.Means, m.Scales = append(m.Means, c.mean()), append(m.Scales, c.deviation())
		}
		return m, nil
	})
}

func (s *StandardScaler) statistics() *columnStatistics[*sums] {
	return &columnStatistics[*sums]{typ: s.model().name(), fresh: newSums}
}

// NewStatistics implements [StatisticsFitter]: exact sums of the columns and of their squares.
func (s *StandardScaler) NewStatistics() (Statistics, error) { return s.statistics(), nil }

// FitStatistics implements [StatisticsFitter]. It learns what Fit learns, each number rounded once: the same
// bits from any parts in any order.
func (s *StandardScaler) FitStatistics(ctx context.Context, st Statistics) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	return learnStatistics(ctx, &s.learned, st, s.statistics(), func(st *columnStatistics[*sums]) (*standardScalerModel, error) {
		m := &standardScalerModel{Clip: s.Clip}
		for _, c := range st.columns {
			scale := c.Deviation()
			if scale == 0 {
				scale = 1
			}
			m.Means, m.Scales = append(m.Means, c.Mean()), append(m.Scales, scale)
		}
		return m, nil
	})
}

// PartialFit implements [PartialFitter].
func (s *StandardScaler) PartialFit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	return s.partial(ctx, x, s)
}

// MarshalStatistics implements estimators.Continuer.
func (s *StandardScaler) MarshalStatistics() ([]byte, error) { return s.marshalStatistics() }

// UnmarshalStatistics implements estimators.Continuer.
func (s *StandardScaler) UnmarshalStatistics(data []byte) error { return s.goesOn(s, data) }

// InverseTransform returns the rows that Transform maps to z (m×d), m×d.
func (s *StandardScaler) InverseTransform(z mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return inverted(&s.learned, z)
}

// Means returns the d column means, or nil before Fit.
func (s *StandardScaler) Means() []float64 { return slices.Clone(s.model().Means) }

// Scales returns the d numbers that the columns are divided by, or nil before
// Fit.
func (s *StandardScaler) Scales() []float64 { return slices.Clone(s.model().Scales) }

// Clone returns an unfitted StandardScaler.
func (s *StandardScaler) Clone() Transformer { return &StandardScaler{Clip: s.Clip} }

func (standardScalerModel) name() string { return "transformers: StandardScaler" }

func (m standardScalerModel) columns() (from, to int) { return len(m.Scales), len(m.Scales) }

func (m standardScalerModel) row(dst, x []float64) {
	for j, v := range x {
		dst[j] = scaled(v, m.Means[j], m.Scales[j])
		if m.Clip {
			dst[j] = min(max(dst[j], -farthest), farthest)
		}
	}
}

func (m standardScalerModel) unrow(dst, z []float64) {
	for j, v := range z {
		dst[j] = unscaled(v, m.Means[j], m.Scales[j])
	}
}

func (m standardScalerModel) valid() error {
	if len(m.Means) != len(m.Scales) || !m.Means.Finite() {
		return fmt.Errorf("%d means for %d scales, want as many and finite", len(m.Means), len(m.Scales))
	}
	return validScales(m.Scales)
}
