package fast

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/kernelearn/kernelearn/internal/simd"
)

// AddTile adds Tx[c] to y[c] and T'v[c] to z[c] for each c. T is a rows×columns matrix of float32, stored by row. Sums are float64.
// buffer must have room for T. If package simd has no routine, AddTile converts T and uses BLAS.
func AddTile(rows, columns int, tile []float32, x, y, v, z [][]float64, buffer []float64) {
	if _, ours := Implementation().(simd.Implementation); ours && simd.AddTile(rows, columns, tile, x, y, v, z) {
		return
	}
	buffer = buffer[:rows*columns]
	for i, a := range tile[:rows*columns] {
		buffer[i] = float64(a)
	}
	AddDoubleTile(rows, columns, buffer, x, y, v, z)
}

// AddDoubleTile is like AddTile for a tile of float64.
func AddDoubleTile(rows, columns int, tile []float64, x, y, v, z [][]float64) {
	a := blas64.General{Rows: rows, Cols: columns, Stride: columns, Data: tile}
	vector := func(v []float64) blas64.Vector { return blas64.Vector{N: len(v), Inc: 1, Data: v} }
	for c := range x {
		Gemv(blas.NoTrans, 1, a, vector(x[c]), 1, vector(y[c]))
		Gemv(blas.Trans, 1, a, vector(v[c]), 1, vector(z[c]))
	}
}
