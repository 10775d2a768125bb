package measures

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
)

// VonNeumann holds the entropy of a kernel matrix in three units.
type VonNeumann struct {
	Entropy       float64 // bits over log2 n, in [0, 1]; 0 for n = 1
	Bits          float64 // in [0, log2 n]
	EffectiveRank float64 // 2^bits, in [1, n]
}

// Entropy returns the entropy of k (n×n) from its eigenvalues. Negative eigenvalues, due to rounding or not, count as 0. It costs
// 4n³/3 and a copy of k. It returns ErrShape for an empty k, ErrNotFinite, or ctx's error.
func Entropy(ctx context.Context, k mat.Symmetric) (_ VonNeumann, err error) {
	defer check.Begin(&ctx)(&err)
	w, err := eigenvalues(ctx, k)
	if err != nil {
		return VonNeumann{}, err
	}
	return EntropyOfEigenvalues(w), nil
}

// EntropyOfFeatures returns the entropy of the kernel matrix ΦΦ' of features phi (n×r). It does not form the matrix if r < n,
// because its nonzero eigenvalues are those of Φ'Φ. For centred features it is the entropy of their covariance. It costs
// O(nr·min(n, r)). It returns ErrShape, ErrNotFinite, or ctx's error.
func EntropyOfFeatures(ctx context.Context, phi mat.Matrix) (_ VonNeumann, err error) {
	defer check.Begin(&ctx)(&err)
	f, err := check.Dense("phi", phi)
	if err != nil {
		return VonNeumann{}, err
	}
	n, r := f.Dims()
	of := mat.Matrix(f)
	if r < n {
		of = f.T()
	}
	gram := mat.NewSymDense(min(n, r), nil)
	if err := fast.SymOuterKContext(ctx, gram, 1, of); err != nil {
		return VonNeumann{}, err
	}
	if v := mat.Trace(gram); v-v != 0 {
		return VonNeumann{}, fmt.Errorf("measures: the features are too large, their squares overflow: %w", fault.ErrNotFinite)
	}
	w, err := linalg.Eigenvalues(ctx, gram)
	if err != nil {
		return VonNeumann{}, err
	}
	return ofBits(EntropyOfEigenvalues(w).Bits, n), nil
}

// eigenvalues checks k and returns its eigenvalues in ascending order.
func eigenvalues(ctx context.Context, k mat.Symmetric) ([]float64, error) {
	n, err := order(k)
	if err != nil {
		return nil, err
	}
	for i := range n {
		for j := i; j < n; j++ {
			if v := k.At(i, j); v-v != 0 {
				return nil, &fault.NotFiniteError{Name: "K", Row: i, Col: j, Value: v}
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	own := mat.NewSymDense(n, nil)
	own.CopySym(k)
	return linalg.Eigenvalues(ctx, own)
}

// EntropyOfEigenvalues returns the entropy of a matrix with these n eigenvalues. Negative values count as 0. If none is positive,
// the entropy is 0.
func EntropyOfEigenvalues(w []float64) VonNeumann {
	total := 0.0
	for _, v := range w {
		total += max(v, 0)
	}
	// The entropy is -Σ p log p with p = w/total, and each term is ≥ 0.
	bits := 0.0
	for _, v := range w {
		if p := v / total; v > 0 && p > 0 {
			bits -= p * math.Log2(p)
		}
	}
	return ofBits(max(bits, 0), len(w))
}

func ofBits(bits float64, n int) VonNeumann {
	s := VonNeumann{Bits: bits, EffectiveRank: math.Exp2(bits)}
	if n > 1 {
		s.Entropy = min(bits/math.Log2(float64(n)), 1)
	}
	return s
}

// EntropyCeiling returns the largest entropy of any kernel on the rows of x (n×d). It is the entropy of the distribution of the
// rows over groups of equal rows: 1 if no two rows are equal, and 0 if all are. It costs O(nd).
func EntropyCeiling(x *mat.Dense) VonNeumann {
	n, d := x.Dims()
	groups := make(map[string]int, n)
	key := make([]byte, 8*d)
	for i := range n {
		for j, v := range x.RawRowView(i) {
			// adding 0 replaces -0, which has other bits than 0
			binary.LittleEndian.PutUint64(key[8*j:], math.Float64bits(v+0))
		}
		groups[string(key)]++
	}
	// Sum in the order of the sizes rather than of the map, so that runs are bit-identical.
	sizes := make([]int, n+1)
	for _, g := range groups {
		sizes[g]++
	}
	bits := 0.0
	for size, count := range sizes {
		if count > 0 {
			p := float64(size) / float64(n)
			bits -= float64(count) * p * math.Log2(p)
		}
	}
	return ofBits(max(bits, 0), n)
}
