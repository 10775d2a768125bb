package transformers

import (
	"context"
	"fmt"
	"iter"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/progress"
)

// UnitRows scales each row to Euclidean length 1; a row of zeros stays zero:
//
//	z[i,:] = x[i,:] / ‖x[i,:]‖₂
//
// It learns nothing from the rows of Fit but their width. No finite row
// overflows or underflows.
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

// Fit keeps the width of x (n×d).
func (u *UnitRows) Fit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	return u.learn(ctx, x, nil, func(x *mat.Dense) (*unitRowsModel, error) {
		_, d := x.Dims()
		return &unitRowsModel{Width: d}, nil
	})
}

// FitBlocks implements [BlockFitter]. It reads the stream once, to check it.
func (u *UnitRows) FitBlocks(ctx context.Context, blocks iter.Seq2[*mat.Dense, error]) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	return u.learnBlocks(ctx, blocks, nil, func(rows *stream) (*unitRowsModel, error) {
		err := rows.pass(ctx, func(*mat.Dense) error { return nil })
		return &unitRowsModel{Width: rows.d}, err
	})
}

func (u *UnitRows) statistics() *columnStatistics[*nothing] {
	return &columnStatistics[*nothing]{typ: u.model().name(), fresh: func(int) *nothing { return &nothing{} }}
}

// NewStatistics implements [StatisticsFitter]: the width of the rows.
func (u *UnitRows) NewStatistics() (Statistics, error) { return u.statistics(), nil }

// FitStatistics implements [StatisticsFitter]. It learns what Fit learns.
func (u *UnitRows) FitStatistics(ctx context.Context, st Statistics) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	return learnStatistics(ctx, &u.learned, st, u.statistics(), func(st *columnStatistics[*nothing]) (*unitRowsModel, error) {
		return &unitRowsModel{Width: len(st.columns)}, nil
	})
}

// PartialFit implements [PartialFitter].
func (u *UnitRows) PartialFit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	return u.partial(ctx, x, u)
}

// MarshalStatistics implements estimators.Continuer.
func (u *UnitRows) MarshalStatistics() ([]byte, error) { return u.marshalStatistics() }

// UnmarshalStatistics implements estimators.Continuer.
func (u *UnitRows) UnmarshalStatistics(data []byte) error { return u.goesOn(u, data) }

// Clone returns an unfitted UnitRows.
func (u *UnitRows) Clone() Transformer { return &UnitRows{} }

func (unitRowsModel) name() string { return "transformers: UnitRows" }

func (m unitRowsModel) columns() (from, to int) { return m.Width, m.Width }

func (m unitRowsModel) row(dst, x []float64) {
	e := exponent(x)
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

func (m unitRowsModel) valid() error {
	if m.Width < 1 {
		return fmt.Errorf("width %d, want >= 1", m.Width)
	}
	return nil
}
