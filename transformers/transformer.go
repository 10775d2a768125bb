// Package transformers holds the maps that stand before an estimator: fitted on
// the training rows, then applied to any rows.
//
// All matrices are n×d with a sample in each row. Fit learns from its rows and
// keeps no reference to them; Transform returns a new matrix and changes
// neither its argument nor the transformer, so concurrent calls are safe. A Fit
// that fails leaves what was fitted before.
//
//	StandardScaler    mean 0 and standard deviation 1 in each column: the usual choice before a kernel
//	RMSScaler         root mean square 1, not centred: zeros stay zeros
//	MinMaxScaler      each column to a range
//	UnitRows          each row to length 1
//	PowerTransformer  each column as normal as a power can make it
//	QuantileTransformer
//	                  each value to its rank in its column, even or normal
//	Winsorizer        far values to a quantile of their column
//	Imputer           NaN to the mean, the median or the most frequent value of its column
//	OneHot            category codes to a column for each category
//	PCA               principal components
//	KernelPCA         principal components in the feature space of a kernel
//	KernelMap         a row to its kernel with each row of Fit
//	KernelCenterer    the centring of the kernel's feature space
//	RandomHidden      a hidden layer of random units, never trained
//	RandomFourier     random features of a stationary kernel
//	LocallyStationaryFourier
//	                  random features of a kernel that depends on the place
//	Nystroem          the features that a kernel has on a few rows
//
// FeatureNames names the columns of a result ([FeatureNamer]). TransformTo is Transform into memory of the
// caller's; few rows then allocate nothing. Scalers, [PowerTransformer], [QuantileTransformer] and PCA go back by
// InverseTransform. Scalers, [UnitRows], Imputer, [OneHot], [PowerTransformer], [QuantileTransformer], Winsorizer
// and PCA fit from a stream of rows too, by FitBlocks ([BlockFitter]). They learn what Fit learns, but that of long
// streams [QuantileTransformer] and [PowerTransformer] learn from a sketch of the ranks, to bounds that they
// document. All but [KernelMap], [KernelCenterer] and [KernelPCA] learn from Statistics of parts of the rows, which
// are merged in any order ([StatisticsFitter], [NewStages]), and over time ([PartialFitter]). All of them are
// stored by MarshalBinary, cloned by Clone, and keep the checks of package estimatortest.
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

// Cloner is the capability to give an unfitted, equally configured, independent
// copy. Pipelines and searches fit clones, so they need it of every step.
type Cloner interface{ Clone() Transformer }

// RowResidualer is a transformer to features z(x) of a kernel k of which they leave a part
// out, so that <z(x), z(x)> is less than k(x, x).
type RowResidualer interface {
	// RowResiduals returns k(x, x) - |z(x)|², at least 0, for each row of x (m×d) and its
	// features z (m×r), which Transform gave for them.
	RowResiduals(x, z mat.Matrix) ([]float64, error)
}
