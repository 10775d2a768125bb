//go:build (amd64 || arm64) && !purego

package linalg

// timesColumns sets the 48 elements of u to AᵀV, where A has at least one row of 48.
//
//go:noescape
func timesColumns(rows int, a *float64, stride int, v, u *float64)

// timesRows sets w to AX, where A has at least one row of 48.
//
//go:noescape
func timesRows(rows int, a *float64, stride int, x, w *float64)

// subtractTwo subtracts the product of left and right from A. A has at least one row of 48 elements, left has two elements per row
// of A, and right has two rows of 48.
//
//go:noescape
func subtractTwo(rows int, a *float64, stride int, left, right *float64)

// symmetricTimes adds AX to u, where A is symmetric of order 48. It reads the upper triangle.
//
//go:noescape
func symmetricTimes(a *float64, stride int, x, u *float64)

// subtractSymmetric subtracts VWᵀ + WVᵀ from the upper triangle of A, of order 48.
//
//go:noescape
func subtractSymmetric(a *float64, stride int, v, w *float64)

// quadColumns sets the 24 elements of out to Σ z²d over the rows of b, at least one. The recursion z = b - lz starts at 0, and
// steps holds l and d for each row.
//
//go:noescape
func quadColumns(rows int, b *float64, stride int, steps, out *float64)
