// Package transformers defines the contracts of the maps that precede an estimator: they are fitted to the training rows and then
// applied to any rows. The maps are in these packages:
//
//	scalers     scales columns to a common size, or rows to length 1: the usual choice before a kernel
//	columnwise  fills gaps, encodes categories, makes skewed columns symmetric, limits extreme values, for each column separately
//	pca         computes principal components, of the rows or in the feature space of a kernel
//	featuremap  computes features of kernels: random Fourier features, the Nystroem map, the kernel with the training rows and
//	            its centring, and a hidden layer of random units
//	text        converts documents to sparse rows, with a vocabulary or by hashing
//
// All matrices are n×d, with an observation in each row. Fit keeps no reference to the matrix that it receives. Transform returns a
// new matrix and changes neither its argument nor the transformer, so it may be called concurrently. If Fit fails, the earlier
// model is kept.
//
// A [Transformer] has Fit and Transform. Its other abilities are capabilities, each with its own interface:
//
//	TransformerTo     a Transform into memory of the caller; a few rows then allocate nothing
//	FeatureNamer      names for the columns of a result
//	Inverter          the inverse map, of the scalers, of PowerTransformer, QuantileTransformer and PCA
//	PartialFitter     a fit that continues when more rows arrive, of those that fit from statistics
//	SparseTransformer a result of sparse rows, of RMSScaler, UnitRows and OneHot
//	TargetFitter      a fit that also uses the targets, of TargetEncoder
//
// Package [streaming] has further capabilities, for rows without targets:
//
//	BlockFitter       a fit from a stream of rows, of the scalers, of all in columnwise except TargetEncoder, and of PCA
//	StatisticsFitter  a fit from sums of parts of the rows, which are merged in any order, of all except KernelMap,
//	                  KernelCenterer, KernelPCA and TargetEncoder
//
// All transformers of this module have MarshalBinary and pass the checks of package estimatortest. Clone of package [estimators]
// makes unfitted copies, which pipelines and searches fit.
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
	// Fit fits the map to x (n×d). It returns ErrShape for an empty x, ErrNotFinite for a NaN or an infinity, or ErrParam for a
	// field out of range.
	Fit(ctx context.Context, x mat.Matrix) error
	// Transform maps the rows of x, which must have the same width as in Fit. It returns ErrNotFitted, ErrShape or ErrNotFinite.
	Transform(x mat.Matrix) (*mat.Dense, error)
}

// RowResidualer is the capability of a transformer whose features z(x) represent only a part of a kernel k, so that <z(x), z(x)> is
// at most k(x, x).
type RowResidualer interface {
	// RowResiduals returns k(x, x) - |z(x)|², or 0 if that is negative, for each row of x (m×d). The matrix z (m×r) is the result
	// of Transform for x.
	RowResiduals(x, z mat.Matrix) ([]float64, error)
}

// PartialFitter is the capability to continue a fit with more rows.
type PartialFitter interface {
	// PartialFit continues a fit by PartialFit or FitStatistics with the rows x (n×d). The result is the same as with FitStatistics
	// for all rows so far. The transformer keeps their statistics. MarshalBinary and a clone omit them, and MarshalStatistics
	// encodes them (estimators.Continuer). After Fit, FitBlocks or UnmarshalBinary there are no statistics, and PartialFit returns
	// ErrNotFitted.
	//
	// After PartialFit, the features of a kernel map may have different values and different meanings: a model that was fitted to
	// them must be fitted again. PartialFit of a pipeline leaves the steps unchanged.
	PartialFit(ctx context.Context, x mat.Matrix) error
}
