package rvm

import (
	"context"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/kernels"
)

// seen is the factor of the kernel matrix of the relevance vectors, made once, when it is wanted.
type seen struct {
	once   sync.Once
	factor *linalg.Cholesky // nil where the kernel is not positive semi-definite on them
}

// sees reports whether unseen is known: of a kernel that is positive semi-definite on the vectors, not
// of columns without one.
func (s *support) sees() bool {
	if s.kernel == nil {
		return false
	}
	if s.vectors == nil {
		return true
	}
	s.seen.once.Do(func() {
		gram, err := kernels.Matrix(context.Background(), s.kernel, s.vectors, nil)
		if err == nil {
			// The error is that of a kernel that is not positive semi-definite. What is made once for all
			// predictions must not hang on the context of the first; vectors are few.
			s.seen.factor, _ = linalg.NewCholesky(context.Background(), "the kernel matrix of the relevance vectors", gram)
		}
	})
	return s.seen.factor != nil
}

// unseen returns, for rows x, what of k(x, x) the relevance vectors do not see,
//
//	r(x) = k(x, x) - k'K⁻¹k,
//
// at least 0, for kernel values k (r×m) with them, and k(x, x). The support sees.
func (s *support) unseen(x, k *mat.Dense) (unseen, own []float64) {
	rows, _ := x.Dims()
	own = make([]float64, rows)
	kernels.Diag(own, s.kernel, x)
	unseen = make([]float64, rows)
	copy(unseen, own)
	if s.vectors == nil {
		return unseen, own
	}
	kept := k.Slice(0, rows, 0, len(s.columns))
	// Predictions have no context, the only error.
	squares, _ := s.seen.factor.QuadInverse(context.Background(), mat.DenseCopyOf(kept.T()))
	for i, q := range squares {
		unseen[i] = max(0, unseen[i]-q)
	}
	return unseen, own
}
