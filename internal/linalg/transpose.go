package linalg

import "gonum.org/v1/gonum/mat"

// Transpose overwrites a square matrix with its transpose.
func Transpose(a *mat.Dense) {
	raw := a.RawMatrix()
	const tile = 8 // elements of a cache line
	n, ld := raw.Rows, raw.Stride
	var kept [tile * tile]float64
	for i := 0; i < n; i += tile {
		for j := i; j < n; j += tile {
			upper, lower := raw.Data[i*ld+j:], raw.Data[j*ld+i:]
			if j == i || j+tile > n {
				for r := range min(tile, n-i) {
					for c := range min(tile, n-j) {
						if j > i || c > r {
							upper[r*ld+c], lower[c*ld+r] = lower[c*ld+r], upper[r*ld+c]
						}
					}
				}
				continue
			}
			for r := range tile {
				copy(kept[r*tile:(r+1)*tile], upper[r*ld:])
			}
			transpose8(upper, lower, ld)
			for c := range tile {
				row := lower[c*ld : c*ld+tile]
				for r := range row {
					row[r] = kept[r*tile+c]
				}
			}
		}
	}
}
