// Package columnwise contains the transformers that convert each column separately to values that an estimator can use:
//
//	Imputer              NaN to the mean, the median or the most frequent value of its column
//	OneHot               category codes to a column for each level
//	TargetEncoder        category codes to the mean target of their rows
//	PowerTransformer     each column to nearly normal values, by a power
//	QuantileTransformer  each value to its rank in its column, uniform or normal
//	Winsorizer           extreme values to a quantile of their column
//
// All of them handle gaps, which are NaN. All except TargetEncoder also fit from a stream of rows and from statistics of parts of
// the rows. The result is then that of Fit, with two exceptions. For long streams, QuantileTransformer and PowerTransformer use a
// sketch of the ranks, whose error is bounded as documented. In fits from statistics, all transformers that depend on ranks use
// this sketch.
package columnwise

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/enum"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers/internal/columnstats"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
)

const imputerName = "columnwise: Imputer"

// Statistic selects the value with which an [Imputer] fills the gaps of a column.
type Statistic int

// The statistics, computed from the values of the column in the training rows.
const (
	Mean Statistic = iota
	// Median is the middle value, or the mean of the two middle values if the number of values is even.
	Median
	// MostFrequent is the most frequent value. If several are equally frequent, it is the smallest of them.
	MostFrequent
	// Constant is the number [Imputer.Value], regardless of the rows.
	Constant
)

// String returns the statistic's name.
func (s Statistic) String() string {
	return enum.Name("Statistic", int(s), "Mean", "Median", "MostFrequent", "Constant")
}

// Imputer fills gaps: a NaN is replaced by the Statistic of its column over the training rows, and all other values stay unchanged.
// A column that contains only gaps in the training rows is filled with 0. It contains no information, but is kept so that the width
// does not depend on the rows.
//
// With Indicators, an indicator column is appended for each column that has gaps in the training rows, in the order of these
// columns. It is 1 where the value was missing and 0 elsewhere. This is useful because the absence of a value is often informative.
//
// The zero value fills with the mean. Fit costs O(nd log n), Transform O(nd). For infinities the error is ErrNotFinite.
//
// See also [OneHot].
type Imputer struct {
	Statistic  Statistic
	Indicators bool

	// Value fills the gaps if Statistic is [Constant]. Otherwise it must be 0.
	Value float64

	learned[imputerModel]
}

type imputerModel struct {
	Values codec.Floats
	Gaps   []int // the columns with an indicator
}

// Fit computes the statistic of each column of x (n×d), in which NaN is a gap.
func (p *Imputer) Fit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	if err := p.validate(); err != nil {
		return err
	}
	statistic := map[Statistic]func([]float64) float64{Mean: columnstats.Mean, Median: medianOf, MostFrequent: mostFrequentOf,
		Constant: func([]float64) float64 { return p.Value }}[p.Statistic]
	return p.state.Learn(ctx, x, check.Anywhere, func(x *mat.Dense) (*imputerModel, error) {
		n, d := x.Dims()
		m := &imputerModel{Values: make(codec.Floats, d)}
		return m, columnstats.EachColumn(ctx, x, func(j int, column []float64) {
			column = slices.DeleteFunc(column, math.IsNaN)
			if len(column) > 0 || p.Statistic == Constant {
				m.Values[j] = statistic(column)
			}
			p.indicate(m, j, n-len(column))
		})
	})
}

// FitBlocks implements [streaming.BlockFitter], with the result of Fit. With Mean it reads the stream once. With Median it reads
// the stream as [Winsorizer.FitBlocks] does, with the same memory. With [MostFrequent] it counts up to 65 536 different values of a
// column. If a column has more, a second pass finds the most frequent value if it is in more than one of 65 536 rows. Otherwise the
// error is ErrTooLarge.
func (p *Imputer) FitBlocks(ctx context.Context, blocks iter.Seq2[streaming.Block[streaming.None], error]) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	if err := p.validate(); err != nil {
		return err
	}
	statistics := map[Statistic]func(context.Context, *rowmap.Stream) ([]filling, error){Mean: meansOf, Median: mediansOf,
		MostFrequent: mostFrequentsOf, Constant: p.constants}[p.Statistic]
	return p.state.LearnBlocks(ctx, blocks, check.Anywhere, func(rows *rowmap.Stream) (*imputerModel, error) {
		columns, err := statistics(ctx, rows)
		if err != nil {
			return nil, err
		}
		m := &imputerModel{}
		for j, c := range columns {
			m.Values = append(m.Values, c.value)
			p.indicate(m, j, rows.N-c.n)
		}
		return m, nil
	})
}

func (p *Imputer) validate() error {
	if err := settings.Check(imputerName, p); err != nil {
		return err
	}
	if p.Statistic != Constant && p.Value != 0 || !check.IsFinite(p.Value) {
		return fault.Param(imputerName, "Value", p.Value, "a finite number, 0 unless Statistic is Constant")
	}
	return nil
}

// fillStatistics returns the statistics for the given Statistic. It also returns the function that determines, from the statistics,
// how to fill a column.
func fillStatistics[C columnstats.Summary[C]](p *Imputer, fresh func() C, of func(C) filling) imputing {
	st := &columnstats.Statistics[C]{Type: imputerName, Settings: p.settings(), Gap: check.Anywhere,
		Fresh: func(int) C { return fresh() }}
	return imputing{st, func(ctx context.Context, s streaming.Statistics[streaming.None]) error {
		return columnstats.Learn(ctx, &p.state, s, st, func(s *columnstats.Statistics[C]) (*imputerModel, error) {
			m := &imputerModel{}
			for j, c := range s.Columns {
				f := of(c)
				m.Values = append(m.Values, f.value)
				p.indicate(m, j, s.N-f.n)
			}
			return m, nil
		})
	}}
}

// settings returns the settings that must be equal for statistics to be merged.
func (p *Imputer) settings() string {
	if p.Statistic == Constant {
		return fmt.Sprintf("(%v %v)", p.Statistic, p.Value)
	}
	return fmt.Sprintf("(%v)", p.Statistic)
}

type imputing struct {
	fresh streaming.Statistics[streaming.None]
	fit   func(context.Context, streaming.Statistics[streaming.None]) error
}

func (p *Imputer) statistics() (imputing, error) {
	if err := p.validate(); err != nil {
		return imputing{}, err
	}
	switch p.Statistic {
	case Mean:
		return fillStatistics(p, func() *columnstats.Sums { return &columnstats.Sums{} },
			func(c *columnstats.Sums) filling { return filling{c.Mean(), c.N} }), nil
	case Median:
		return fillStatistics(p, columnstats.NewRanks, func(c *columnstats.Ranks) filling {
			r := c.Rank()
			if r.N == 0 {
				return filling{}
			}
			a, b := r.Pair((r.N - 1) / 2)
			if r.N%2 == 1 {
				b = a
			}
			return filling{middle(a, b), r.N}
		}), nil
	case MostFrequent:
		return fillStatistics(p, func() *columnstats.Counts { return &columnstats.Counts{} },
			func(c *columnstats.Counts) filling { return filling{c.MostFrequent(), c.N} }), nil
	}
	return fillStatistics(p, func() *columnstats.Sums { return &columnstats.Sums{} },
		func(c *columnstats.Sums) filling { return filling{p.Value, c.N} }), nil
}

// NewStatistics implements [streaming.StatisticsFitter]. For Mean it returns exact sums, and for Median the sketch of
// [QuantileTransformer]. For [MostFrequent] it returns counts of up to 65 536 different values in a column. More values are an
// ErrTooLarge error.
func (p *Imputer) NewStatistics() (streaming.Statistics[streaming.None], error) {
	of, err := p.statistics()
	return of.fresh, err
}

// FitStatistics implements [streaming.StatisticsFitter]. The result is the same as with Fit, except that the mean is rounded only
// once. The Median of 8192 or more values has an error in its rank, as in [QuantileTransformer].
func (p *Imputer) FitStatistics(ctx context.Context, st streaming.Statistics[streaming.None]) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	of, err := p.statistics()
	if err != nil {
		return err
	}
	return of.fit(ctx, st)
}

// PartialFit implements [transformers.PartialFitter].
func (p *Imputer) PartialFit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	return p.state.PartialFit(ctx, x, p)
}

// MarshalStatistics implements estimators.Continuer.
func (p *Imputer) MarshalStatistics() ([]byte, error) { return p.state.MarshalStatistics() }

// UnmarshalStatistics implements estimators.Continuer.
func (p *Imputer) UnmarshalStatistics(data []byte) error { return p.state.UnmarshalStatistics(p, data) }

// indicate adds an indicator for column j if it has gaps and Indicators is set.
func (p *Imputer) indicate(m *imputerModel, j, gaps int) {
	if p.Indicators && gaps > 0 {
		m.Gaps = append(m.Gaps, j)
	}
}

// filling holds the value that fills a column's gaps, which is 0 for a column without values, and the number of its values.
type filling struct {
	value float64
	n     int
}

func (p *Imputer) constants(ctx context.Context, rows *rowmap.Stream) ([]filling, error) {
	out, err := meansOf(ctx, rows)
	for j := range out {
		out[j].value = p.Value
	}
	return out, err
}

func meansOf(ctx context.Context, rows *rowmap.Stream) ([]filling, error) {
	centres, err := columnstats.ReadColumns(ctx, rows, 1, func(int) (c columnstats.Centre) { return c },
		func(c *columnstats.Centre, values []float64) error {
			c.Add(slices.DeleteFunc(values, math.IsNaN))
			return nil
		})
	return fillings(centres, err, func(c columnstats.Centre) filling { return filling{c.Mean(), c.N} })
}

func mediansOf(ctx context.Context, rows *rowmap.Stream) ([]filling, error) {
	orders, err := columnstats.ReadOrders(ctx, rows, 1, func(n int) []int { return []int{(n - 1) / 2} })
	return fillings(orders, err, func(o *columnstats.Order) filling {
		if o.N == 0 {
			return filling{}
		}
		a, b := o.Pair((o.N - 1) / 2)
		if o.N%2 == 1 {
			b = a
		}
		return filling{middle(a, b), o.N}
	})
}

func mostFrequentsOf(ctx context.Context, rows *rowmap.Stream) ([]filling, error) {
	counted, err := columnstats.ReadFrequent(ctx, rows)
	return fillings(counted, err, func(f columnstats.FrequentValues) filling {
		value, _ := f.MostFrequent()
		return filling{value, f.N}
	})
}

func fillings[T any](columns []T, err error, of func(T) filling) ([]filling, error) {
	if err != nil {
		return nil, err
	}
	out := make([]filling, len(columns))
	for j, c := range columns {
		out[j] = of(c)
	}
	return out, nil
}

// medianOf returns the median of v, which it sorts.
func medianOf(v []float64) float64 {
	slices.Sort(v)
	return middle(v[(len(v)-1)/2], v[len(v)/2])
}

// middle returns the mean of two numbers without overflow.
func middle(a, b float64) float64 {
	if m := (a + b) / 2; !math.IsInf(m, 0) {
		return m
	}
	return a/2 + b/2
}

// mostFrequentOf returns the most frequent value of v, which it sorts.
func mostFrequentOf(v []float64) float64 {
	slices.Sort(v)
	best, most := v[0], 0
	for i := 0; i < len(v); {
		j := i
		for j < len(v) && v[j] == v[i] {
			j++
		}
		if j-i > most {
			best, most = v[i], j-i
		}
		i = j
	}
	return best
}

// Values returns the d numbers that fill gaps, or nil before Fit.
func (p *Imputer) Values() []float64 { return slices.Clone(p.state.Model().Values) }

// Indicated returns the columns that have an indicator, in the order of the indicators. It returns nil before Fit and without
// Indicators.
func (p *Imputer) Indicated() []int { return slices.Clone(p.state.Model().Gaps) }

func (imputerModel) TypeName() string { return imputerName }

func (m imputerModel) Widths() (from, to int) {
	return len(m.Values), len(m.Values) + len(m.Gaps)
}

func (imputerModel) HasGap(int) bool { return true }

func (m imputerModel) MapRow(dst, x []float64) {
	for j, v := range x {
		if math.IsNaN(v) {
			v = m.Values[j]
		}
		dst[j] = v
	}
	for g, j := range m.Gaps {
		dst[len(x)+g] = 0
		if math.IsNaN(x[j]) {
			dst[len(x)+g] = 1
		}
	}
}

func (m imputerModel) Validate() error {
	if len(m.Values) == 0 || !m.Values.Finite() {
		return fmt.Errorf("%d values, want at least 1 and all finite", len(m.Values))
	}
	return validColumns(m.Gaps, len(m.Values))
}

// validColumns returns an error if the positions of columns are not ascending or not below the width.
func validColumns(columns []int, width int) error {
	for i, j := range columns {
		if j < 0 || j >= width || i > 0 && j <= columns[i-1] {
			return fmt.Errorf("columns %v, want them ascending and in [0, %d)", columns, width)
		}
	}
	return nil
}

func (m imputerModel) BuildGraph(x graph.Value) (graph.Value, error) {
	z := x.IsNaN().Where(x.Row(m.Values), x)
	if len(m.Gaps) > 0 {
		z = graph.Concat(z, x.Select(m.Gaps...).IsNaN().Indicator())
	}
	return z, nil
}

// ColumnNames returns the names of x, and for each indicator the name of its column followed by "missing".
func (m imputerModel) ColumnNames(in []string) []string {
	for _, j := range m.Gaps {
		in = append(in, in[j]+" missing")
	}
	return in
}
