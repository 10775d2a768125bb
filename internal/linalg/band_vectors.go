//go:build (amd64 || arm64) && !purego

package linalg

// timesColumns sets the 48 numbers of u to AᵀV, where A has so many rows of 48, at least one.
//
//go:noescape
func timesColumns(rows int, a *float64, stride int, v, u *float64)

// timesRows sets the numbers of w to AX, where A has so many rows of 48, at least one.
//
//go:noescape
func timesRows(rows int, a *float64, stride int, x, w *float64)

// subtractTwo subtracts from A, which has so many rows of 48, at least one, the product of
// left, a pair for each row, and right, two rows of 48.
//
//go:noescape
func subtractTwo(rows int, a *float64, stride int, left, right *float64)

// symmetricTimes adds AX to u, where A is symmetric of order 48, of which the upper triangle
// is read.
//
//go:noescape
func symmetricTimes(a *float64, stride int, x, u *float64)

// subtractSymmetric subtracts VWᵀ + WVᵀ from the upper triangle of A, of order 48.
//
//go:noescape
func subtractSymmetric(a *float64, stride int, v, w *float64)

// quadColumns sets the 24 numbers of out to Σ z²d over so many rows of b, at least one, where
// z = b - lz goes down the rows from 0, and steps has l and d for each.
//
//go:noescape
func quadColumns(rows int, b *float64, stride int, steps, out *float64)
