package blocks

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// Shared holds rows whose inner products and distances are kept for the matrices of many kernels. The distances are those among the
// rows, or to other rows.
type Shared struct {
	n    int
	side []*operand
}

// Share prepares the rows of x, which it keeps.
func Share(ctx context.Context, x *mat.Dense, workers int) (*Shared, error) {
	s, err := share(ctx, x, MeanRow(x), workers)
	if err != nil {
		return nil, err
	}
	enter(s.side, newPairs(len(s.side), len(s.side)))
	return s, nil
}

// share prepares rows with all contents that a kernel without views may need.
func share(ctx context.Context, x *mat.Dense, shift []float64, workers int) (*Shared, error) {
	side, err := operands(ctx, &Layout{need: needDots | needDistances | needManhattan}, x, shift, workers)
	return &Shared{n: x.RawMatrix().Rows, side: side}, err
}

// ShareCross prepares the rows of x and z, which it keeps, for all pairs of a row of x and a row of z.
func ShareCross(ctx context.Context, x, z *mat.Dense, workers int) (ofX, ofZ *Shared, err error) {
	shift := MeanRow(z)
	if ofX, err = share(ctx, x, shift, workers); err != nil {
		return nil, nil, err
	}
	if ofZ, err = share(ctx, z, shift, workers); err != nil {
		return nil, nil, err
	}
	kept := newPairs(len(ofX.side), len(ofZ.side))
	enter(ofX.side, kept)
	enter(ofZ.side, kept)
	return ofX, ofZ, nil
}

// Matrix returns the kernel matrix of the rows.
func (s *Shared) Matrix(ctx context.Context, c *Compiled, workers int) (*mat.SymDense, error) {
	side, err := withViews(ctx, s.side, &c.layout, workers)
	if err != nil {
		return nil, err
	}
	return c.matrix(ctx, s.n, side, workers)
}

// Cross returns the kernel values for all pairs of a row of s and a row of the other Shared, which must come from the same
// ShareCross.
func (s *Shared) Cross(ctx context.Context, c *Compiled, with *Shared, workers int) (*mat.Dense, error) {
	x, err := withViews(ctx, s.side, &c.layout, workers)
	if err != nil {
		return nil, err
	}
	z, err := withViews(ctx, with.side, &c.layout, workers)
	if err != nil {
		return nil, err
	}
	out := mat.NewDense(s.n, with.n, nil)
	if err := c.cross(ctx, out, func(i int) *operand { return x[i] }, z, workers); err != nil {
		return nil, err
	}
	return out, nil
}
