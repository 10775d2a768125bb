package columnwise

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/enum"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers/internal/columnstats"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
)

const quantileTransformerName = "columnwise: QuantileTransformer"

// defaultQuantiles is the number of quantiles in a QuantileTransformer whose Quantiles is 0.
const defaultQuantiles = 1000

// Output is the distribution of the columns that a [QuantileTransformer] returns.
type Output int

// The distributions.
const (
	// Uniform is the uniform distribution on [0, 1].
	Uniform Output = iota
	// Normal is the normal distribution with mean 0 and standard deviation 1, within ±5.2.
	Normal
)

// String returns the distribution's name.
func (o Output) String() string {
	return enum.Name("Output", int(o), "Uniform", "Normal")
}

// QuantileTransformer replaces a value with its rank in its column of the training rows: with the share of the rows below it, or
// with the normal quantile of that share. Any column then has the chosen distribution, and the distance of an outlier has no
// effect. The distances between values are lost. If they are informative, [PowerTransformer] keeps more of them.
//
// Fit stores the values of each column at evenly spaced shares. Transform interpolates between them. A value that occurs several
// times gets the middle of its shares, and values outside the range get the share of the nearest end. With Output Normal, values
// within 10⁻⁷ of an end of the range count as that end, which is mapped to ±5.1993. This agrees with scikit-learn's
// QuantileTransformer with three exceptions. A column with one value is mapped to the middle, 0.5 or 0, while scikit-learn uses the
// lower end. If the range is below 1, the 10⁻⁷ are relative to it. Equal values have equal results despite rounding.
//
// The zero value is ready to use. Fit costs O(nd log n), Transform O(log q) for a value and q quantiles.
//
// See also [PowerTransformer], [scalers.StandardScaler].
//
// [scalers.StandardScaler]: https://pkg.go.dev/github.com/kernelearn/kernelearn/transformers/scalers#StandardScaler
type QuantileTransformer struct {
	// Quantiles is the number of quantiles, at most n. If it is 0, 1000 is used.
	Quantiles int `zero:"1000"`
	Output    Output

	// Gaps ignores NaN in Fit and keeps it in Transform. Without it, NaN is an ErrNotFinite error.
	Gaps bool

	// Workers is the number of goroutines in Fit, which share the columns. If it is 0, GOMAXPROCS is used.
	Workers int

	learned[quantileModel]
}

type quantileModel struct {
	Normal, Gaps bool
	Quantiles    codec.Matrix // d×q, with the ascending quantiles of a column in each row
}

// configured returns the number of quantiles and an empty model.
func (t *QuantileTransformer) configured() (count int, m *quantileModel, err error) {
	if err := settings.Check(quantileTransformerName, t); err != nil {
		return 0, nil, err
	}
	return cmp.Or(t.Quantiles, defaultQuantiles), &quantileModel{Normal: t.Output == Normal, Gaps: t.Gaps}, nil
}

// Fit computes the quantiles of each column of x (n×d).
func (t *QuantileTransformer) Fit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	count, m, err := t.configured()
	if err != nil {
		return err
	}
	return t.state.Learn(ctx, x, m.HasGap, func(x *mat.Dense) (*quantileModel, error) {
		n, d := x.Dims()
		m.resize(d, min(count, n))
		return m, columnstats.EachColumnOn(ctx, t.Workers, x, func(j int, column []float64) error {
			column = slices.DeleteFunc(column, math.IsNaN)
			slices.Sort(column)
			if len(column) > 0 {
				m.set(j, func(share float64) float64 { return quantileOf(column, share) })
			}
			return nil
		})
	})
}

// FitBlocks implements [streaming.BlockFitter]. It reads the stream once. If a column has at most 8191 values, its quantiles are
// those of Fit. If it has n > 8191 values, the ranks of the quantiles differ from those of Fit by at most n (log₂(n/8192) + 3) /
// 16384. For a million values this is 0.06% of n. The smallest and the largest value are those of Fit. FitBlocks needs about 500 kB
// for each column of a million rows, and 64 kB more for each doubling.
func (t *QuantileTransformer) FitBlocks(ctx context.Context, blocks iter.Seq2[streaming.Block[streaming.None], error]) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	count, m, err := t.configured()
	if err != nil {
		return err
	}
	return t.state.LearnBlocks(ctx, blocks, m.HasGap, func(rows *rowmap.Stream) (*quantileModel, error) {
		columns, err := columnstats.ReadRanks(ctx, rows, t.Workers)
		if err != nil {
			return nil, err
		}
		m.resize(rows.D, min(count, rows.N))
		for j, r := range columns {
			if r.N > 0 {
				m.set(j, func(share float64) float64 { return quantileAt(r.N, share, r.Pair, r.Largest) })
			}
		}
		return m, nil
	})
}

func (t *QuantileTransformer) statistics() *columnstats.Statistics[*columnstats.Ranks] {
	gaps := t.Gaps
	return columnstats.NewRankStatistics(quantileTransformerName, gaps)
}

// NewStatistics implements [streaming.StatisticsFitter]. The statistics are a sketch of the ranks of each column. A sketch of fewer
// than 8192 values keeps all of them.
func (t *QuantileTransformer) NewStatistics() (streaming.Statistics[streaming.None], error) {
	return t.statistics(), nil
}

// FitStatistics implements [streaming.StatisticsFitter]. If a column has fewer than 8192 values, the result is the same as with
// Fit. If it has n ≥ 8192 values, the ranks of the quantiles differ from those of Fit by at most n (log₂(n/8192) + 1) / 8192, for
// any parts in any order. For a million rows this is 0.1% of n. A different order leads to different quantiles within that bound.
func (t *QuantileTransformer) FitStatistics(ctx context.Context, st streaming.Statistics[streaming.None]) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	count, m, err := t.configured()
	if err != nil {
		return err
	}
	return columnstats.Learn(ctx, &t.state, st, t.statistics(),
		func(st *columnstats.Statistics[*columnstats.Ranks]) (*quantileModel, error) {
			m.resize(len(st.Columns), min(count, st.N))
			for j, c := range st.Columns {
				if r := c.Rank(); r.N > 0 {
					m.set(j, func(share float64) float64 { return quantileAt(r.N, share, r.Pair, r.Largest) })
				}
			}
			return m, nil
		})
}

// PartialFit implements [transformers.PartialFitter].
func (t *QuantileTransformer) PartialFit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	return t.state.PartialFit(ctx, x, t)
}

// MarshalStatistics implements estimators.Continuer.
func (t *QuantileTransformer) MarshalStatistics() ([]byte, error) { return t.state.MarshalStatistics() }

// UnmarshalStatistics implements estimators.Continuer.
func (t *QuantileTransformer) UnmarshalStatistics(data []byte) error {
	return t.state.UnmarshalStatistics(t, data)
}

// resize allocates count quantiles for each of d columns.
func (m *quantileModel) resize(d, count int) {
	m.Quantiles = codec.Matrix{Rows: d, Cols: count, Data: make(codec.Floats, d*count)}
}

// set computes the quantiles of column j.
func (m *quantileModel) set(j int, quantile func(share float64) float64) {
	least := math.Inf(-1)
	for i, q := 0, m.column(j); i < len(q); i++ {
		// Because of rounding, a quantile may be smaller than the one before it.
		least = max(least, quantile(share(i, len(q))))
		q[i] = least
	}
}

// share returns the i-th of count evenly spaced numbers from 0 to 1.
func share(i, count int) float64 {
	if i == count-1 && i > 0 {
		return 1
	}
	return float64(i) * (1 / float64(max(count-1, 1)))
}

// quantileOf interpolates between the sorted values on both sides of a share, as numpy and R (type 7) do.
func quantileOf(sorted []float64, share float64) float64 {
	return quantileAt(len(sorted), share, func(i int) (float64, float64) { return sorted[i], sorted[i+1] }, sorted[len(sorted)-1])
}

// quantileAt does the same as quantileOf for n sorted values: pair(i) returns values i and i+1, and largest is the last value.
func quantileAt(n int, share float64, pair func(i int) (a, b float64), largest float64) float64 {
	i, t := placeOf(n, share)
	if i >= n-1 {
		return largest
	}
	a, b := pair(i)
	return interpolate(a, b, t)
}

// placeOf returns the position of a share among n sorted values, and the fraction of the distance to the next position. A share
// that equals a position up to rounding counts as that position. Otherwise the interpolated value would equal none of the values.
func placeOf(n int, share float64) (i int, t float64) {
	at := share * float64(n-1)
	if whole := math.Round(at); math.Abs(at-whole) <= 0x1p-50*at {
		return int(whole), 0
	}
	return int(at), at - math.Floor(at)
}

// interpolate returns a + t(b - a). It does not overflow, and is exact at both ends.
func interpolate(a, b, t float64) float64 {
	switch width := b - a; {
	case math.IsInf(width, 0):
		return a*(1-t) + b*t
	case t >= 0.5:
		return b - width*(1-t)
	default:
		return a + width*t
	}
}

// InverseTransform returns the rows (m×d) that Transform maps to z (m×d). They are within the ranges of the training rows.
func (t *QuantileTransformer) InverseTransform(z mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return rowmap.Invert(&t.state, z)
}

// ColumnQuantiles returns the quantiles of the columns, with a row for each column. It returns nil before Fit.
func (t *QuantileTransformer) ColumnQuantiles() *mat.Dense {
	if t.state.Fitted == nil {
		return nil
	}
	q := t.state.Fitted.Quantiles
	return mat.NewDense(q.Rows, q.Cols, slices.Clone(q.Data))
}

func (quantileModel) TypeName() string { return quantileTransformerName }

func (m quantileModel) Widths() (from, to int) { return m.Quantiles.Rows, m.Quantiles.Rows }

func (m quantileModel) HasGap(int) bool { return m.Gaps }

// column returns the quantiles of column j.
func (m quantileModel) column(j int) []float64 {
	return m.Quantiles.Data[j*m.Quantiles.Cols : (j+1)*m.Quantiles.Cols]
}

func (m quantileModel) MapRow(dst, x []float64) {
	for j, v := range x {
		if dst[j] = v; math.IsNaN(v) {
			continue
		}
		q := m.column(j)
		dst[j] = shareOf(q, v, m.near(q))
		if m.Normal {
			dst[j] = max(leastNormal, min(mathext.NormalQuantile(dst[j]), mostNormal))
		}
	}
}

// nearEnd is the distance from an end within which a value counts as the end if the output is normal, as in scikit-learn.
const nearEnd = 1e-7

// leastNormal and mostNormal are the ends of a normal output: the quantiles of shares as close to 0 and to 1 as nearEnd.
var (
	leastNormal = mathext.NormalQuantile(nearEnd - 0x1p-52)
	mostNormal  = mathext.NormalQuantile(1 - (nearEnd - 0x1p-52))
)

// near returns the distance from an end of the quantiles within which a value counts as the end.
func (m quantileModel) near(q []float64) float64 {
	if m.Normal {
		return nearEnd * min(1, q[len(q)-1]-q[0])
	}
	return 0
}

// shareOf returns the share of the quantiles q below v. A value that is closer to an end than near counts as the end.
func shareOf(q []float64, v, near float64) float64 {
	last := len(q) - 1
	low, high := v <= q[0] || v-q[0] < near, v >= q[last] || q[last]-v < near
	switch {
	case low && high: // a column of one value
		return 0.5
	case low:
		return 0
	case high:
		return 1
	}
	// The result is the mean of two positions: that of the last quantile that is not above v, and that of the first quantile that
	// is not below v.
	above := sort.Search(len(q), func(i int) bool { return q[i] > v })
	below := sort.SearchFloat64s(q, v)
	if below < above {
		return (share(below, len(q)) + share(above-1, len(q))) / 2
	}
	a, b := q[above-1], q[above]
	t := (v - a) / (b - a)
	if math.IsInf(b-a, 1) {
		t = (v/2 - a/2) / (b/2 - a/2)
	}
	return interpolate(share(above-1, len(q)), share(above, len(q)), t)
}

func (m quantileModel) InvertRow(dst, z []float64) {
	for j, v := range z {
		if dst[j] = v; math.IsNaN(v) {
			continue
		}
		if m.Normal {
			v = math.Erfc(-v/math.Sqrt2) / 2
		}
		q, last := m.column(j), m.Quantiles.Cols-1
		switch {
		case v <= 0 || m.Normal && v < nearEnd:
			dst[j] = q[0]
		case v >= 1 || m.Normal && 1-v < nearEnd:
			dst[j] = q[last]
		default:
			i := min(sort.Search(last, func(i int) bool { return share(i+1, last+1) > v }), last-1)
			a, b := share(i, last+1), share(i+1, last+1)
			dst[j] = interpolate(q[i], q[i+1], (v-a)/(b-a))
		}
	}
}

func (m quantileModel) Validate() error {
	q, err := m.Quantiles.Dense()
	switch {
	case err != nil:
		return err
	case q == nil:
		return fmt.Errorf("no quantiles")
	}
	for j := range m.Quantiles.Rows {
		if !slices.IsSorted(m.column(j)) {
			return fmt.Errorf("quantiles of column %d are not ascending", j)
		}
	}
	return nil
}

func (quantileModel) ColumnNames(in []string) []string { return in }
