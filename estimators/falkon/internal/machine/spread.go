package machine

import (
	"context"
	"sync"

	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/kernels"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Spread holds the terms of the variance of a new observation:
//
//	noise (1/w̄ + 1/Σw + z~'Sz~) + unseen r + within,  S = (G + ΛI)⁻¹,  r = (k(x,x) - |z|²) over its mean k(c,c)
type Spread struct {
	Noise, Unseen []float64        // s² and τ² of each target
	Factor        *linalg.Cholesky // of G + ΛI
	Centre        []float64        // z̄; nil without an intercept
	Weight        float64          // Σw
	Unit          float64          // 1/w̄
	Within        []float64        // variance around the means of equal rows, for each target; nil without equal rows
	NoIntercept   bool
	Jitter        float64 // jitter of the basis; files do not contain the basis

	mu    sync.Mutex
	Basis *Basis // nil in a model from a file, until its first use
}

// Basis returns the basis of a machine with a variance, and computes it if necessary.
func (m *Machine) Basis(ctx context.Context, o *kernels.Options) (*Basis, error) {
	s := m.Spread
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Basis != nil {
		return s.Basis, nil
	}
	// The stored jitter is absolute.
	b, err := basisWith(ctx, m.Kernel, m.Landmarks, s.Jitter, o)
	if err == nil {
		s.Basis = b
	}
	return b, err
}

// variances sets dst, which has a column for each target, to the variances for the rows of a block. It overwrites k, the kernel
// values of the rows.
func (s *Spread) variances(dst *mat.Dense, b *Basis, rows rows.Batch, k *mat.Dense) {
	b.Whiten(k)
	unseen := make([]float64, rows.Rows())
	b.Unseen(unseen, rows, k)
	if s.Centre != nil {
		for i := range rows.Rows() {
			floats.Sub(k.RawRowView(i), s.Centre)
		}
	}
	fast.Trsm(blas.Right, blas.NoTrans, 1, s.Factor.Upper(), k.RawMatrix())
	for i, r := range unseen {
		quad := s.Unit + linalg.Dot(k.RawRowView(i), k.RawRowView(i))
		if !s.NoIntercept {
			quad += 1 / s.Weight
		}
		for j, to := 0, dst.RawRowView(i); j < len(to); j++ {
			to[j] = s.Noise[j]*quad + s.Unseen[j]*r
			if s.Within != nil {
				to[j] += s.Within[j]
			}
		}
	}
}
