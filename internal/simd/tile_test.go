package simd

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestAddTile checks that AddTile agrees with plain loops, for tiles of any shape and any number of vectors.
func TestAddTile(t *testing.T) {
	onPaths(func(path string, _ bool) {
		t.Run(path, testAddTile)
	})
}

func testAddTile(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	vectors := func(count, n int) [][]float64 {
		out := make([][]float64, count)
		for c := range out {
			out[c] = make([]float64, n)
			for i := range out[c] {
				out[c][i] = random.NormFloat64()
			}
		}
		return out
	}
	for _, shape := range [][3]int{{1, 1, 1}, {4, 8, 1}, {4, 8, 2}, {5, 11, 3}, {64, 7, 4}, {3, 64, 2}, {130, 37, 5}, {256, 256, 3}} {
		rows, columns, count := shape[0], shape[1], shape[2]
		tile := make([]float32, rows*columns)
		for i := range tile {
			tile[i] = float32(random.NormFloat64())
		}
		x, v, y, z := vectors(count, columns), vectors(count, rows), vectors(count, rows), vectors(count, columns)
		wantY, wantZ := make([][]float64, count), make([][]float64, count)
		for c := range x {
			wantY[c], wantZ[c] = append([]float64(nil), y[c]...), append([]float64(nil), z[c]...)
			for i := range rows {
				for j := range columns {
					a := float64(tile[i*columns+j])
					wantY[c][i] += a * x[c][j]
					wantZ[c][j] += a * v[c][i]
				}
			}
		}
		if !AddTile(rows, columns, tile, x, y, v, z) {
			t.Skip("the processor does not have the instructions")
		}
		for c := range x {
			assert.InDeltaSlice(t, wantY[c], y[c], 1e-12)
			assert.InDeltaSlice(t, wantZ[c], z[c], 1e-12)
		}
	}
}
