package basis

import (
	"context"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/kernels"
)

// vectorFactor is the factor of the kernel matrix of the relevance vectors, made once, when it is wanted.
type vectorFactor struct {
	mu      sync.Mutex
	made    bool
	vectors *mat.Dense       // without repetition
	factor  *linalg.Cholesky // nil where the kernel is not positive semi-definite on them
}

// Sees reports whether unseen is known: of a kernel that is positive semi-definite on the vectors, not
// of columns without one.
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
		// The error is that of a kernel that is not positive semi-definite. What is made once for all
		// predictions must not hang on the context of the first; vectors are few.
		s.seen.factor, err = linalg.NewCholesky(context.Background(), "the kernel matrix of the relevance vectors", gram)
	}
	fault.Repanic(err)
	s.seen.made = true
	return s.seen.factor != nil
}

// Unseen returns, for rows x, what of k(x, x) the relevance vectors do not see,
//
//	r(x) = k(x, x) - k'K⁻¹k,
//
// at least 0, and k(x, x), k being the kernel or the sum of several; values are those of the columns
// at x (r×m). The support sees.
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
	// Predictions have no context, the only error but a panic.
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
