package columnwise

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/transformers/internal/columnstats"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
)

const powerTransformerName = "columnwise: PowerTransformer"

// PowerTransformer makes the distribution of each column as close to normal as a power transformation can, and then scales it to
// mean 0 and standard deviation 1:
//
//	z[i,j] = (ψ(x[i,j]) - mean[j]) / sd[j],  mean and sd of ψ over the training rows, with divisor n
//
//	ψ(x) = ((1+x)^λ - 1)/λ              x ≥ 0   (λ = 0: ln(1+x))
//	ψ(x) = -((1-x)^(2-λ) - 1)/(2-λ)     x < 0   (λ = 2: -ln(1-x))
//
// Each column has the λ with the largest likelihood, |λ| ≤ 1000 (I.-K. Yeo and R. Johnson, Biometrika 87, 2000). A λ < 1 shortens a
// long tail of large values, a λ > 1 shortens one of small values, and λ = 1 changes nothing. Because of the 1 in 1+|x|, the result
// depends on the unit of a column: a column of tiny numbers hardly changes unless λ is large.
//
// A column with one or two distinct values has no shape to change, and its λ is 1. Likelihood and scaling are computed up to an
// affine map of ψ. Columns whose values are far from 0 compared with their spread, such as years or longitudes, therefore lose no
// digits, and no finite column overflows.
//
// The zero value is ready to use. Fit costs O(nd), with about thirty exponentials for each value, and Transform costs O(nd). In
// addition to the errors of [transformers.Transformer], Transform returns ErrNotFinite for a row that is so far from the training
// rows that its value overflows. InverseTransform returns ErrNotFinite for a z that no ψ reaches: ψ is bounded above if λ < 0, and
// below if λ > 2. With NoStandardize, Fit can also return it: in a column far from 0 compared with its spread, ψ can overflow or be
// the same number for all rows.
//
// See also [QuantileTransformer], [scalers.StandardScaler].
//
// [scalers.StandardScaler]: https://pkg.go.dev/github.com/kernelearn/kernelearn/transformers/scalers#StandardScaler
type PowerTransformer struct {
	// NoStandardize leaves ψ unscaled.
	NoStandardize bool

	// Clip limits the values of columns with λ ≠ 1 to their range in the training rows, and standardised values to ±5. Without it,
	// a power can map a new value to an extreme one.
	Clip bool

	// Gaps ignores NaN in Fit and keeps it in Transform. Without it, NaN is an ErrNotFinite error.
	Gaps bool

	// Workers is the number of goroutines in Fit, which share the columns. If it is 0, GOMAXPROCS is used.
	Workers int

	learned[powerModel]
}

type powerModel struct {
	Raw, Clip, Gaps bool
	Lambdas         codec.Floats
	Least, Largest  codec.Floats // in the training rows, or 0 for a column of gaps
	Shifts          codec.Floats // of the columns' warps
	Means, Scales   codec.Floats // of the warped columns
}

// Fit computes λ, mean and standard deviation of each column of x (n×d).
func (t *PowerTransformer) Fit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	if err := settings.Check(powerTransformerName, t); err != nil {
		return err
	}
	m := &powerModel{Raw: t.NoStandardize, Clip: t.Clip, Gaps: t.Gaps}
	return t.state.Learn(ctx, x, m.HasGap, func(x *mat.Dense) (*powerModel, error) {
		_, d := x.Dims()
		m.resize(d)
		return m, columnstats.EachColumnOn(ctx, t.Workers, x, func(j int, column []float64) error {
			column = slices.DeleteFunc(column, math.IsNaN)
			lambda, err := lambdaOf(ctx, column)
			m.scale(j, column, lambda)
			return err
		})
	})
}

// lambdaOf returns the λ of a column. It is 1 for fewer than three distinct values.
func lambdaOf(ctx context.Context, column []float64) (float64, error) {
	if !threeValues(column) {
		return 1, nil
	}
	return newLikelihood(column, slices.Min(column), slices.Max(column)).maximise(ctx)
}

// threeValues reports whether a column has at least three distinct values.
func threeValues(column []float64) bool {
	var found []float64
	for _, v := range column {
		if !slices.Contains(found, v) {
			if found = append(found, v); len(found) == 3 {
				return true
			}
		}
	}
	return false
}

// resize allocates the fields for d columns.
func (m *powerModel) resize(d int) {
	for _, v := range []*codec.Floats{&m.Lambdas, &m.Least, &m.Largest, &m.Shifts, &m.Means, &m.Scales} {
		*v = make(codec.Floats, d)
	}
}

// scale computes all fields of column j that depend on its λ. It overwrites the column.
func (m *powerModel) scale(j int, column []float64, lambda float64) {
	if len(column) == 0 {
		m.setWarp(j, lambda, 0, 0)
		return
	}
	m.setWarp(j, lambda, slices.Min(column), slices.Max(column))
	s := columnstats.NewSpread(m.warped(j, column))
	m.standardize(j, &s)
}

// setWarp sets the fields for the warp of column j.
func (m *powerModel) setWarp(j int, lambda, least, largest float64) {
	m.Lambdas[j], m.Least[j], m.Largest[j], m.Scales[j] = lambda, least, largest, 1
	m.Shifts[j] = shiftOf(lambda, least, largest)
}

// warped replaces values of column j by their warp.
func (m *powerModel) warped(j int, values []float64) []float64 {
	w := m.warp(j)
	for i, v := range values {
		values[i] = w.transform(v)
	}
	return values
}

// standardize sets the mean and scale of the warped column j.
func (m *powerModel) standardize(j int, s *columnstats.Spread) {
	n := float64(s.N)
	m.Means[j] = s.Mean()
	if m.Least[j] < m.Largest[j] {
		m.Scales[j] = max(s.Deviation()*math.Sqrt((n-1)/n), math.SmallestNonzeroFloat64)
	}
}

// InverseTransform returns the rows (m×d) that Transform maps to z (m×d). If Clip is set, the columns that it affects stay within
// their ranges in the training rows.
func (t *PowerTransformer) InverseTransform(z mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return rowmap.Invert(&t.state, z)
}

// Lambdas returns the d exponents λ, or nil before Fit.
func (t *PowerTransformer) Lambdas() []float64 { return slices.Clone(t.state.Model().Lambdas) }

func (powerModel) TypeName() string { return powerTransformerName }

func (m powerModel) Widths() (from, to int) { return len(m.Lambdas), len(m.Lambdas) }

func (m powerModel) HasGap(int) bool { return m.Gaps }

func (m powerModel) MapRow(dst, x []float64) {
	for j, v := range x {
		dst[j] = v
		if !math.IsNaN(v) {
			dst[j] = m.value(j, v)
		}
	}
}

func (m powerModel) value(j int, x float64) float64 {
	x = m.clipped(j, x)
	if m.Raw {
		return yeoJohnson(x, m.Lambdas[j])
	}
	z := columnstats.Scale(m.warp(j).transform(x), m.Means[j], m.Scales[j])
	if m.Clip {
		return max(-columnstats.ClipLimit, min(z, columnstats.ClipLimit))
	}
	return z
}

func (m powerModel) InvertRow(dst, z []float64) {
	for j, v := range z {
		if dst[j] = v; math.IsNaN(v) {
			continue
		}
		if m.Raw {
			v = inverseYeoJohnson(v, m.Lambdas[j])
		} else {
			v = m.warp(j).inverse(columnstats.Unscale(v, m.Means[j], m.Scales[j]))
		}
		dst[j] = m.clipped(j, v)
	}
}

func (m powerModel) warp(j int) warp {
	return newWarp(m.Lambdas[j], m.Least[j], m.Largest[j], m.Shifts[j])
}

// clipped returns x limited to the column's range in the training rows, if Clip affects the column.
func (m powerModel) clipped(j int, x float64) float64 {
	if m.Clip && m.Lambdas[j] != 1 {
		return max(m.Least[j], min(x, m.Largest[j]))
	}
	return x
}

func (m powerModel) Validate() error {
	for _, v := range []codec.Floats{m.Lambdas, m.Least, m.Largest, m.Shifts, m.Means} {
		if len(v) != len(m.Scales) || !v.Finite() {
			return fmt.Errorf("%d numbers for %d columns, want the same number of each, all finite", len(v), len(m.Scales))
		}
	}
	for j, lambda := range m.Lambdas {
		if math.Abs(lambda) > maxLambda || m.Least[j] > m.Largest[j] || m.Shifts[j] < 0 {
			return fmt.Errorf("column %d from %v to %v with λ = %v and a shift of %v", j, m.Least[j], m.Largest[j], lambda, m.Shifts[j])
		}
	}
	return columnstats.CheckScales(m.Scales)
}

func (powerModel) ColumnNames(in []string) []string { return in }
