package measures

import (
	"slices"
)

// Bounds are what a part of a kernel matrix's eigenvalues tells of its entropy.
type Bounds struct {
	Low, High VonNeumann // the entropy lies between them, rigorously
	Point     VonNeumann // an estimate: .65 of the way from Low to High, in bits
}

// boundsPoint is where between the bounds the point estimate lies, in bits: found by
// experiment, not derived.
const boundsPoint = 0.65

// boundsOf returns bounds on the entropy of a positive semi-definite K (n×n), given the
// eigenvalues u of a part FF' of it with K - FF' positive semi-definite too (a partial
// Cholesky factorisation, a Nyström approximation), at most n of them. Both u and rest,
// the trace of what is left, are in any common unit; values below 0 count as 0.
//
// Sorted, the eigenvalues of K are at least those of FF' one by one, and their sum is
// known. Entropy is Schur-concave: it is least with all of the rest on the largest
// eigenvalue, and largest with the rest filled up from the bottom, like water, over n
// places. Cost O(n) and sorting u.
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
	// Rounding must not turn them round where there is next to no rest.
	if b.High.Bits < b.Low.Bits {
		b.High = b.Low
	}
	b.Point = ofBits(b.Low.Bits+boundsPoint*(b.High.Bits-b.Low.Bits), n)
	return b
}

// ofEigenvaluesOf is EntropyOfEigenvalues of w and zeros up to n of them.
func ofEigenvaluesOf(w []float64, n int) VonNeumann { return ofBits(EntropyOfEigenvalues(w).Bits, n) }

// filled returns the n values that are at least w, descending, then 0, and of which the
// smallest are raised to one level by rest in all.
func filled(w []float64, rest float64, n int) []float64 {
	out := make([]float64, n)
	copy(out, w)
	// With the smallest k places at a level t: k·t = their sum + rest, t at most the
	// next larger value.
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
