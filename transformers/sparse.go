package transformers

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/sparse"
)

// SparseTransformer is the capability to return sparse rows. Pipelines use it for sparse rows; see [KeepSparse].
type SparseTransformer interface {
	// TransformSparse is like Transform but returns only the nonzero entries of the result. It returns the errors of Transform.
	TransformSparse(x mat.Matrix) (*sparse.Rows, error)
}

// KeepSparse returns t as a [SparseTransformer] if it has that capability and its result should be sparse. The result should be
// sparse if x is sparse, or if t converts dense rows to sparse rows, as a columnwise.OneHot with Sparse does.
func KeepSparse(t Transformer, x mat.Matrix) (SparseTransformer, bool) {
	keeper, ok := embedding.As[SparseTransformer](t)
	if !ok || sparse.Is(x) {
		return keeper, ok
	}
	maker, ok := t.(interface{ MakesSparse() bool })
	return keeper, ok && maker.MakesSparse()
}
