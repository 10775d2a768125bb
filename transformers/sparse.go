package transformers

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/sparse"
)

// SparseTransformer is the capability to return sparse rows for sparse rows. Fit and TransformSparse of such a transformer make no
// dense copy of a [mat.RowNonZeroDoer].
type SparseTransformer interface {
	// TransformSparse is Transform, and returns the nonzero entries of the result. Errors are those of Transform.
	TransformSparse(x mat.Matrix) (*sparse.Rows, error)
}

// KeepSparse returns a transformer as a [SparseTransformer] if x is sparse and the transformer has that capability.
func KeepSparse(t Transformer, x mat.Matrix) (SparseTransformer, bool) {
	if !sparse.Is(x) {
		return nil, false
	}
	return embedding.As[SparseTransformer](t)
}
