// Package transformers holds the contracts of the maps that stand before an estimator: fitted on the training rows,
// then applied to any rows. The maps are in the packages below it:
//
//	scalers     columns to a common size, rows to length 1: the usual choice before a kernel
//	columnwise  gaps filled, categories encoded, skewed columns made even, far values cut, each column by itself
//	pca         principal components, of the rows or in the feature space of a kernel
//	featuremap  random Fourier features, the Nystroem map, the kernel with the training rows and its centring, and
//	            a hidden layer of random units
//
// All matrices are n×d with a sample in each row. Fit learns from its rows and
// keeps no reference to them; Transform returns a new matrix and changes
// neither its argument nor the transformer, so concurrent calls are safe. A Fit
// that fails leaves what was fitted before.
//
// A [Transformer] has Fit and Transform. What else it can do is a capability, an interface of its own:
//
//	TransformerTo     Transform into memory of the caller's; few rows then allocate nothing
//	FeatureNamer      names for the columns of a result
//	Inverter          the way back, of the scalers, of PowerTransformer, QuantileTransformer and PCA
//	PartialFitter     more rows over time, of those that fit from statistics
//	SparseTransformer sparse rows stay sparse, of RMSScaler, UnitRows and OneHot
//	TargetFitter      a fit that learns from the targets too, of TargetEncoder
//
// Package [streaming] has, for rows without targets:
//
//	BlockFitter       a fit from a stream of rows, of the scalers, of all in columnwise and of PCA
//	StatisticsFitter  a fit from sums of parts of the rows, which are merged in any order, of all but KernelMap,
//	                  KernelCenterer and KernelPCA
//
// All transformers of this library are stored by MarshalBinary and keep the checks of package estimatortest. Clone of package
// [estimators] makes unfitted copies, which pipelines and searches fit.
//
// [estimators]: https://pkg.go.dev/github.com/kernelearn/kernelearn/estimators
// [streaming]: https://pkg.go.dev/github.com/kernelearn/kernelearn/streaming
package transformers

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// Transformer maps rows to rows.
type Transformer interface {
	// Fit learns the map from x (n×d). Errors: ErrShape for an empty x,
	// ErrNotFinite for a NaN or an infinity, ErrParam for a field out of range.
	Fit(ctx context.Context, x mat.Matrix) error
	// Transform maps the rows of x, which has the width that Fit saw. Errors:
	// ErrNotFitted, ErrShape, ErrNotFinite.
	Transform(x mat.Matrix) (*mat.Dense, error)
}

// RowResidualer is a transformer to features z(x) of a kernel k of which they leave a part
// out, so that <z(x), z(x)> is less than k(x, x).
type RowResidualer interface {
	// RowResiduals returns k(x, x) - |z(x)|², at least 0, for each row of x (m×d) and its
	// features z (m×r), which Transform gave for them.
	RowResiduals(x, z mat.Matrix) ([]float64, error)
}

// PartialFitter is the capability to learn from more rows.
type PartialFitter interface {
	// PartialFit learns from x (n×d) besides what earlier calls of PartialFit, or a FitStatistics, learnt from: it is
	// FitStatistics of all those rows. The transformer keeps their statistics, but MarshalBinary and a clone leave them
	// out: MarshalStatistics has them (estimators.Continuer). After Fit, FitBlocks or UnmarshalBinary there are none to
	// go on from, which is ErrNotFitted. What a map of a kernel makes of a row may be another number after it, and of
	// another meaning: a model that was fitted behind the map has to be fitted again, or the two in one pipeline, whose
	// PartialFit leaves the steps as they are.
	PartialFit(ctx context.Context, x mat.Matrix) error
}
