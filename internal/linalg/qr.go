package linalg

import (
	lapack "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"
)

// ThinQR overwrites a (m×n, m ≥ n) with Q, whose n columns are orthonormal, and
// returns the upper triangular R (n×n), A = QR. gonum's QR gives the whole m×m
// factor. Cost 4n²(m - n/3).
func ThinQR(a *mat.Dense) *mat.Dense {
	raw := a.RawMatrix()
	n := raw.Cols
	var impl lapack.Implementation
	tau, work := make([]float64, n), make([]float64, 64*n+64*64)
	impl.Dgeqrf(raw.Rows, n, raw.Data, raw.Stride, tau, work, len(work))
	r := mat.NewDense(n, n, nil)
	for i := range n {
		copy(r.RawRowView(i)[i:], a.RawRowView(i)[i:])
	}
	impl.Dorgqr(raw.Rows, n, n, raw.Data, raw.Stride, tau, work, len(work))
	return r
}
