package columnwise

import (
	"cmp"
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
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers/internal/columnstats"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
)

const winsorizerName = "columnwise: Winsorizer"

// defaultLower and defaultUpper are the quantiles for a Winsorizer whose Lower and Upper are 0.
const (
	defaultLower = 0.01
	defaultUpper = 0.99
)

// Winsorizer limits the extreme values of each column (C. P. Winsor; J. W. Tukey, Annals of Mathematical Statistics 33, 1962):
//
//	z[i,j] = min(max(x[i,j], low[j]), high[j])
//
// The bounds low and high are quantiles of the training rows, interpolated between their values. A row with a wrong value in one
// column is kept, so that its other values can be used. Limiting a hundredth of the values on each side removes the effect of such
// errors and hardly changes the tails of correct columns. With fewer than a hundred rows, only the outermost values change
// slightly. In typical calls of scipy.stats.mstats.winsorize it is five hundredths. The default of feature-engine's Winsorizer is
// three standard deviations, which the extreme values themselves increase.
//
// The zero value is ready to use. Fit costs O(nd log n), Transform O(nd).
//
// See also [QuantileTransformer], [scalers.StandardScaler].
//
// [scalers.StandardScaler]: https://pkg.go.dev/github.com/kernelearn/kernelearn/transformers/scalers#StandardScaler
type Winsorizer struct {
	// Lower is the quantile to which smaller values are raised, in (0, 1). If it is 0, 0.01 is used.
	Lower float64 `zero:"0.01" below:"1"`

	// Upper is the quantile to which larger values are lowered, in (Lower, 1]. If it is 0, 0.99 is used.
	Upper float64 `zero:"0.99" most:"1"`

	// NoLower and NoUpper disable the lower and the upper bound.
	NoLower, NoUpper bool

	// Gaps ignores NaN in Fit and keeps it in Transform. Without it, NaN is an ErrNotFinite error.
	Gaps bool

	// Workers is the number of goroutines in Fit, which share the columns. If it is 0, GOMAXPROCS is used.
	Workers int

	learned[winsorModel]
}

type winsorModel struct {
	Gaps      bool
	Low, High codec.Floats // the largest finite number, of either sign, if there is no bound
}

// quantiles checks the settings and returns Lower and Upper, or their defaults.
func (w *Winsorizer) quantiles() (lower, upper float64, err error) {
	lower, upper = cmp.Or(w.Lower, defaultLower), cmp.Or(w.Upper, defaultUpper)
	err = settings.Check(winsorizerName, w)
	if err == nil && !w.NoLower && !w.NoUpper && lower >= upper {
		err = fault.Param(winsorizerName, "Upper", upper, fmt.Sprintf("more than Lower, %v", lower))
	}
	return lower, upper, err
}

// Fit computes the bounds of each column of x (n×d).
func (w *Winsorizer) Fit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	lower, upper, err := w.quantiles()
	if err != nil {
		return err
	}
	m := &winsorModel{Gaps: w.Gaps}
	return w.state.Learn(ctx, x, m.HasGap, func(x *mat.Dense) (*winsorModel, error) {
		_, d := x.Dims()
		m.Low, m.High = make(codec.Floats, d), make(codec.Floats, d)
		return m, columnstats.EachColumnOn(ctx, w.Workers, x, func(j int, column []float64) error {
			column = slices.DeleteFunc(column, math.IsNaN)
			slices.Sort(column)
			w.bound(m, j, len(column), func(share float64) float64 { return quantileOf(column, share) }, lower, upper)
			return nil
		})
	})
}

// FitBlocks implements [streaming.BlockFitter]. The bounds are exactly those of Fit. It reads the stream once. If a column has 8192
// values or more, it reads the stream again, to count the values that are still possible bounds after the first pass. It needs the
// memory of [QuantileTransformer], and a counter for each of these values. For each bound of a million rows, these are at most one
// row in 250.
func (w *Winsorizer) FitBlocks(ctx context.Context, blocks iter.Seq2[streaming.Block[streaming.None], error]) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	lower, upper, err := w.quantiles()
	if err != nil {
		return err
	}
	m := &winsorModel{Gaps: w.Gaps}
	return w.state.LearnBlocks(ctx, blocks, m.HasGap, func(rows *rowmap.Stream) (*winsorModel, error) {
		columns, err := columnstats.ReadOrders(ctx, rows, w.Workers, func(n int) []int {
			low, _ := placeOf(n, lower)
			high, _ := placeOf(n, upper)
			return []int{low, high}
		})
		if err != nil {
			return nil, err
		}
		m.Low, m.High = make(codec.Floats, rows.D), make(codec.Floats, rows.D)
		for j, o := range columns {
			w.bound(m, j, o.N, func(share float64) float64 { return quantileAt(o.N, share, o.Pair, o.Largest) }, lower, upper)
		}
		return m, nil
	})
}

func (w *Winsorizer) statistics() *columnstats.Statistics[*columnstats.Ranks] {
	gaps := w.Gaps
	return columnstats.NewRankStatistics(winsorizerName, gaps)
}

// NewStatistics implements [streaming.StatisticsFitter] with the sketch of [QuantileTransformer] for each column.
func (w *Winsorizer) NewStatistics() (streaming.Statistics[streaming.None], error) {
	return w.statistics(), nil
}

// FitStatistics implements [streaming.StatisticsFitter]. If a column has fewer than 8192 values, the result is the same as with
// Fit. Otherwise the ranks of the bounds have the error of [QuantileTransformer].
func (w *Winsorizer) FitStatistics(ctx context.Context, st streaming.Statistics[streaming.None]) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	lower, upper, err := w.quantiles()
	if err != nil {
		return err
	}
	return columnstats.Learn(ctx, &w.state, st, w.statistics(), func(st *columnstats.Statistics[*columnstats.Ranks]) (*winsorModel, error) {
		d := len(st.Columns)
		m := &winsorModel{Gaps: w.Gaps, Low: make(codec.Floats, d), High: make(codec.Floats, d)}
		for j, c := range st.Columns {
			r := c.Rank()
			w.bound(m, j, r.N, func(share float64) float64 { return quantileAt(r.N, share, r.Pair, r.Largest) }, lower, upper)
		}
		return m, nil
	})
}

// PartialFit implements [transformers.PartialFitter].
func (w *Winsorizer) PartialFit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	return w.state.PartialFit(ctx, x, w)
}

// MarshalStatistics implements estimators.Continuer.
func (w *Winsorizer) MarshalStatistics() ([]byte, error) { return w.state.MarshalStatistics() }

// UnmarshalStatistics implements estimators.Continuer.
func (w *Winsorizer) UnmarshalStatistics(data []byte) error {
	return w.state.UnmarshalStatistics(w, data)
}

// bound sets the bounds of column j, which has n values.
func (w *Winsorizer) bound(m *winsorModel, j, n int, quantile func(share float64) float64, lower, upper float64) {
	m.Low[j], m.High[j] = -math.MaxFloat64, math.MaxFloat64
	if !w.NoLower && n > 0 {
		m.Low[j] = quantile(lower)
	}
	if !w.NoUpper && n > 0 {
		m.High[j] = max(m.Low[j], quantile(upper)) // rounding may make the quantile smaller
	}
}

// Bounds returns the d bounds of each side, which are infinite where there is no bound. It returns nil before Fit.
func (w *Winsorizer) Bounds() (low, high []float64) {
	low, high = slices.Clone(w.state.Model().Low), slices.Clone(w.state.Model().High)
	for j := range low {
		if low[j] == -math.MaxFloat64 {
			low[j] = math.Inf(-1)
		}
		if high[j] == math.MaxFloat64 {
			high[j] = math.Inf(1)
		}
	}
	return low, high
}

func (winsorModel) TypeName() string { return winsorizerName }

func (m winsorModel) Widths() (from, to int) { return len(m.Low), len(m.Low) }

func (m winsorModel) HasGap(int) bool { return m.Gaps }

func (m winsorModel) MapRow(dst, x []float64) {
	for j, v := range x {
		dst[j] = max(m.Low[j], min(v, m.High[j])) // NaN stays NaN
	}
}

func (m winsorModel) Validate() error {
	if len(m.Low) == 0 || len(m.Low) != len(m.High) || !m.Low.Finite() || !m.High.Finite() {
		return fmt.Errorf("%d and %d bounds, want the same number of each, all finite", len(m.Low), len(m.High))
	}
	for j, low := range m.Low {
		if low > m.High[j] {
			return fmt.Errorf("column %d from %v to %v", j, low, m.High[j])
		}
	}
	return nil
}

func (m winsorModel) BuildGraph(x graph.Value) (graph.Value, error) {
	return x.Clamp(x.Row(m.Low), x.Row(m.High)), nil
}

func (winsorModel) ColumnNames(in []string) []string { return in }
