package extend

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/transformers"
)

const (
	clipType = "extend: Clip"
	clipKind = "extend.Clip"
)

// DefaultShare is the share of a Clip whose Share is 0.
const DefaultShare = 0.05

// Clip replaces values outside two quantiles of their column by the nearer quantile, so that single extreme values do not determine
// a scale or a distance. Fit costs O(dn log n).
type Clip struct {
	Share float64 // share of rows below the lower and above the upper quantile, in (0, .5); 0: DefaultShare

	fitted *clipModel
}

type clipModel struct{ Low, High []float64 } // bounds of each column

var (
	_ transformers.Transformer = (*Clip)(nil)
)

// Fit implements transformers.Transformer.
func (c *Clip) Fit(ctx context.Context, x mat.Matrix) (err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	share := cmp.Or(c.Share, DefaultShare)
	if !(share > 0 && share < 0.5) {
		return &estimators.ParamError{Type: clipType, Field: "Share", Value: c.Share, Want: "in (0, .5), or 0 for the default"}
	}
	rows, err := estimators.CheckRows(x, 0)
	if err != nil {
		return err
	}
	_, d := rows.Dims()
	m := &clipModel{Low: make([]float64, d), High: make([]float64, d)}
	for j := range d {
		if err := ctx.Err(); err != nil {
			return err
		}
		column := mat.Col(nil, j, rows)
		slices.Sort(column)
		m.Low[j] = stat.Quantile(share, stat.Empirical, column, nil)
		m.High[j] = stat.Quantile(1-share, stat.Empirical, column, nil)
	}
	c.fitted = m
	return nil
}

// Transform implements transformers.Transformer.
func (c *Clip) Transform(x mat.Matrix) (*mat.Dense, error) {
	if c.fitted == nil {
		return nil, &estimators.NotFittedError{Type: clipType}
	}
	rows, err := estimators.CheckRows(x, len(c.fitted.Low))
	if err != nil {
		return nil, err
	}
	out := mat.DenseCopyOf(rows)
	out.Apply(func(_, j int, v float64) float64 { return min(max(v, c.fitted.Low[j]), c.fitted.High[j]) }, out)
	return out, nil
}

// MarshalBinary implements encoding.BinaryMarshaler.
func (c *Clip) MarshalBinary() ([]byte, error) {
	if c.fitted == nil {
		return nil, &estimators.NotFittedError{Type: clipType}
	}
	return estimators.MarshalModel(clipKind, 1, c.fitted)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler.
func (c *Clip) UnmarshalBinary(data []byte) error {
	m := &clipModel{}
	if _, err := estimators.UnmarshalModel(data, clipKind, 1, m); err != nil {
		return err
	}
	if len(m.Low) == 0 || len(m.Low) != len(m.High) {
		return &estimators.BadModelError{Kind: clipKind, Reason: fmt.Sprintf("%d lower and %d upper ends", len(m.Low), len(m.High))}
	}
	for j, low := range m.Low {
		if high := m.High[j]; !(low <= high) || low-low != 0 || high-high != 0 {
			return &estimators.BadModelError{Kind: clipKind, Reason: fmt.Sprintf("column %d from %v to %v", j, low, high)}
		}
	}
	c.fitted = m
	return nil
}
