package scalers

import (
	"context"
	"fmt"
	"iter"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/sparse"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers/internal/columnstats"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
)

// UnitRows scales each row to Euclidean length 1. A row of zeros stays zero.
//
//	z[i,:] = x[i,:] / ‖x[i,:]‖₂
//
// Fit stores only the width of the rows. Sparse rows stay sparse. No finite row overflows or underflows.
//
// The zero value is ready to use. Fit and Transform cost O(nd).
//
// See also [RMSScaler], [StandardScaler].
type UnitRows struct {
	learned[unitRowsModel]
}

type unitRowsModel struct {
	Width int
}

// Fit stores the width of x (n×d).
func (u *UnitRows) Fit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	if sparse.Is(x) {
		rows, err := sparse.From("x", x)
		if err != nil {
			return err
		}
		_, d := rows.Dims()
		return learnSparse(ctx, &u.state, &unitRowsModel{Width: d})
	}
	return u.state.Learn(ctx, x, nil, func(x *mat.Dense) (*unitRowsModel, error) {
		_, d := x.Dims()
		return &unitRowsModel{Width: d}, nil
	})
}

// FitBlocks implements [streaming.BlockFitter]. It reads the stream once to check the rows, and stores their width.
func (u *UnitRows) FitBlocks(ctx context.Context, blocks iter.Seq2[streaming.Block[streaming.None], error]) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	return u.state.LearnBlocks(ctx, blocks, nil, func(rows *rowmap.Stream) (*unitRowsModel, error) {
		err := rows.Pass(ctx, func(*mat.Dense) error { return nil })
		return &unitRowsModel{Width: rows.D}, err
	})
}

func (u *UnitRows) statistics() *columnstats.Statistics[*columnstats.Nothing] {
	return &columnstats.Statistics[*columnstats.Nothing]{Type: u.state.TypeName(),
		Fresh: func(int) *columnstats.Nothing { return &columnstats.Nothing{} }}
}

// NewStatistics implements [streaming.StatisticsFitter]. The statistics hold only the width of the rows.
func (u *UnitRows) NewStatistics() (streaming.Statistics[streaming.None], error) {
	return u.statistics(), nil
}

// FitStatistics implements [streaming.StatisticsFitter]. The result is the same as with Fit.
func (u *UnitRows) FitStatistics(ctx context.Context, st streaming.Statistics[streaming.None]) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	return columnstats.Learn(ctx, &u.state, st, u.statistics(),
		func(st *columnstats.Statistics[*columnstats.Nothing]) (*unitRowsModel, error) {
			return &unitRowsModel{Width: len(st.Columns)}, nil
		})
}

// PartialFit implements [transformers.PartialFitter].
func (u *UnitRows) PartialFit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	return u.state.PartialFit(ctx, x, u)
}

// MarshalStatistics implements estimators.Continuer.
func (u *UnitRows) MarshalStatistics() ([]byte, error) { return u.state.MarshalStatistics() }

// UnmarshalStatistics implements estimators.Continuer.
func (u *UnitRows) UnmarshalStatistics(data []byte) error {
	return u.state.UnmarshalStatistics(u, data)
}

func (unitRowsModel) TypeName() string { return "scalers: UnitRows" }

func (m unitRowsModel) Widths() (from, to int) { return m.Width, m.Width }

func (m unitRowsModel) MapRow(dst, x []float64) {
	e := columnstats.Exponent(x)
	squares := 0.0
	for j, v := range x {
		dst[j] = math.Ldexp(v, -e)
		squares += dst[j] * dst[j]
	}
	if squares == 0 {
		return
	}
	length := math.Sqrt(squares)
	for j := range dst {
		dst[j] /= length
	}
}

func (m unitRowsModel) Validate() error {
	if m.Width < 1 {
		return fmt.Errorf("width %d, want >= 1", m.Width)
	}
	return nil
}

func (m unitRowsModel) BuildGraph(x graph.Value) (graph.Value, error) {
	size := x.Abs().Largest()
	some := size.Greater(x.Number(0))
	z := x.Div(some.Where(size, x.Number(1)))
	return z.Div(some.Where(z.Square().Sum().Sqrt(), x.Number(1))), nil
}

func (unitRowsModel) ColumnNames(in []string) []string { return in }
