package kernels

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/kernels/internal/blocks"
)

// Shared computes the matrices of many kernels for the same rows. The inner products, squared distances and Manhattan distances are
// computed for the first kernel that needs them and kept. Each further matrix in a search then costs one pass over its elements,
// O(n²) instead of O(n²d). Shared is safe for concurrent use. It needs n²/2 float64 for each of these three kinds of values that is
// used, and three copies of x.
type Shared struct {
	rows    *blocks.Shared
	columns int
	options Options
}

// SharedCross is like Shared, for the pairs of two sets of rows. It needs nm float64 for each of the three kinds of values that is
// used.
type SharedCross struct {
	x, z    *blocks.Shared
	columns int
	options Options
}

// Share copies and prepares the rows of x (n×d). If opt is nil, the defaults are used. MaxBytes limits each of the matrices. It
// returns the errors of Matrix.
func Share(ctx context.Context, x mat.Matrix, opt *Options) (_ *Shared, err error) {
	defer check.Begin(&ctx)(&err)
	o, xd, err := prepareOne(x, opt)
	if err != nil {
		return nil, err
	}
	rows, err := blocks.Share(ctx, mat.DenseCopyOf(xd), o.Workers)
	if err != nil {
		return nil, err
	}
	return &Shared{rows: rows, columns: xd.RawMatrix().Cols, options: o}, nil
}

// Matrix returns the n×n kernel matrix. It is bit-identical to the result of the function Matrix.
func (s *Shared) Matrix(ctx context.Context, k Kernel) (_ *mat.SymDense, err error) {
	defer check.Begin(&ctx)(&err)
	if err := validate(k, s.columns); err != nil {
		return nil, err
	}
	return s.rows.Matrix(ctx, compile(k), s.options.Workers)
}

// ShareCross copies and prepares the rows of x (n×d) and z (m×d). It returns the errors of Cross.
func ShareCross(ctx context.Context, x, z mat.Matrix, opt *Options) (_ *SharedCross, err error) {
	defer check.Begin(&ctx)(&err)
	o, xd, zd, err := prepareTwo(x, z, opt)
	if err != nil {
		return nil, err
	}
	ofX, ofZ, err := blocks.ShareCross(ctx, mat.DenseCopyOf(xd), mat.DenseCopyOf(zd), o.Workers)
	if err != nil {
		return nil, err
	}
	return &SharedCross{x: ofX, z: ofZ, columns: xd.RawMatrix().Cols, options: o}, nil
}

// Cross returns the n×m matrix of k(x[i], z[j]). It is bit-identical to the result of the function Cross.
func (s *SharedCross) Cross(ctx context.Context, k Kernel) (_ *mat.Dense, err error) {
	defer check.Begin(&ctx)(&err)
	if err := validate(k, s.columns); err != nil {
		return nil, err
	}
	return s.x.Cross(ctx, compile(k), s.z, s.options.Workers)
}
