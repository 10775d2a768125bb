package basis

import (
	"context"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/kernels"
)

// vectorFactor holds the factor of the kernel matrix of the relevance vectors. It is computed once, when it is needed.
type vectorFactor struct {
	mu      sync.Mutex
	made    bool
	vectors *mat.Dense       // without repetition
	factor  *linalg.Cholesky // nil if the kernel is not positive semi-definite on them
}

// Sees reports whether Unseen is known. It is known if the kernel is positive semi-definite on the vectors, and not for columns
// without a kernel.
func (s *Support) Sees() bool {
	if s.Kernels == nil {
		return false
	}
	if s.Vectors == nil {
		return true
	}
	s.seen.mu.Lock()
	defer s.seen.mu.Unlock()
	if s.seen.made {
		return s.seen.factor != nil
	}
	s.seen.vectors = s.distinct()
	gram, err := kernels.Matrix(context.Background(), s.Kernels.Whole(), s.seen.vectors, nil)
	if err == nil {
		// An error means that the kernel is not positive semi-definite. The factor is for all predictions and must not depend on
		// the context of the first one. There are only few vectors.
		s.seen.factor, err = linalg.NewCholesky(context.Background(), "the kernel matrix of the relevance vectors", gram)
	}
	fault.Repanic(err)
	s.seen.made = true
	return s.seen.factor != nil
}

// Unseen returns, for rows x, the part of k(x, x) that the relevance vectors do not explain,
//
//	r(x) = k(x, x) - k'K⁻¹k,
//
// at least 0, and k(x, x) itself. Here k is the kernel or the sum of several kernels. values holds the columns for x (r×m). Sees
// must be true.
func (s *Support) Unseen(x, values *mat.Dense) (unseen, own []float64) {
	rows, _ := x.Dims()
	whole := s.Kernels.Whole()
	own = make([]float64, rows)
	kernels.Diag(own, whole, x)
	unseen = make([]float64, rows)
	copy(unseen, own)
	if s.Vectors == nil {
		return unseen, own
	}
	// Except for panics, the function returns only the error of the context, and predictions have none.
	var k mat.Matrix
	if len(s.Kernels) == 1 {
		k = mat.DenseCopyOf(values.Slice(0, rows, 0, len(s.Columns)).T())
	} else {
		cross, err := kernels.Cross(context.Background(), whole, s.seen.vectors, x, &kernels.Options{Workers: 1})
		fault.Repanic(err)
		k = cross
	}
	squares, err := s.seen.factor.QuadInverse(context.Background(), k.(*mat.Dense))
	fault.Repanic(err)
	for i, q := range squares {
		unseen[i] = max(0, unseen[i]-q)
	}
	return unseen, own
}
