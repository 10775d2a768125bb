package measures

import (
	"slices"
)

// Bounds holds bounds on the entropy of a kernel matrix from some of its eigenvalues.
type Bounds struct {
	Low, High VonNeumann // rigorous bounds of the entropy
	Point     VonNeumann // an estimate in bits, 0.65 of the distance from Low to High
}

// boundsPoint is the position of the estimate between the bounds, in bits. It was determined experimentally.
const boundsPoint = 0.65

// boundsOf returns bounds on the entropy of a positive semi-definite K (n×n), given at most n eigenvalues u of a matrix FF'. K -
// FF' must also be positive semi-definite, as for a partial Cholesky factorisation or a Nyström approximation. Both u and rest, the
// trace of K - FF', are in a common unit. Negative values count as 0.
//
// In sorted order, the eigenvalues of K are at least those of FF', and their sum is known. Entropy is Schur-concave: it is smallest
// if rest is added to the largest eigenvalue, and largest if rest fills up the n eigenvalues from the bottom, like water. It costs
// O(n) and sorting u.
func boundsOf(u []float64, rest float64, n int) Bounds {
	w := make([]float64, 0, n)
	for _, v := range u {
		if v > 0 && len(w) < n {
			w = append(w, v)
		}
	}
	slices.Sort(w)
	slices.Reverse(w)
	rest = max(rest, 0)
	if len(w) == 0 {
		w = append(w, 0)
	}
	low := slices.Clone(w)
	low[0] += rest
	b := Bounds{Low: ofEigenvaluesOf(low, n), High: ofEigenvaluesOf(filled(w, rest, n), n)}
	// If rest is almost 0, rounding must not invert the bounds.
	if b.High.Bits < b.Low.Bits {
		b.High = b.Low
	}
	b.Point = ofBits(b.Low.Bits+boundsPoint*(b.High.Bits-b.Low.Bits), n)
	return b
}

// ofEigenvaluesOf returns EntropyOfEigenvalues of w, extended by zeros to n values.
func ofEigenvaluesOf(w []float64, n int) VonNeumann { return ofBits(EntropyOfEigenvalues(w).Bits, n) }

// filled returns n values in descending order. They are w, extended by zeros, after rest has raised the smallest values to a common
// level.
func filled(w []float64, rest float64, n int) []float64 {
	out := make([]float64, n)
	copy(out, w)
	// With the smallest k values at level t, k·t = their sum + rest, and t is at most the next larger value.
	sum := 0.0
	for k := 1; k <= n; k++ {
		sum += out[n-k]
		level := (sum + rest) / float64(k)
		if k == n || level <= out[n-k-1] {
			for i := n - k; i < n; i++ {
				out[i] = level
			}
			break
		}
	}
	return out
}
