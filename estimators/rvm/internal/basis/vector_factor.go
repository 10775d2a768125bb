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

// Sees reports whether Unseen can be computed: there is a kernel, and it is positive semi-definite on the vectors.
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
		// An error means that the kernel is not positive semi-definite. The factor is used by all predictions, so it must not
		// depend on the context of the first one. There are only few vectors.
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
// which is at least 0. It also returns k(x, x). Here k is the kernel or the sum of several kernels. values holds the kernel values
// for x (r×m). Unseen may only be called if Sees returns true.
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
	// The errors below can only be panics or the error of a context, and this context cannot end.
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
