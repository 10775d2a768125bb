//go:build !purego

package simd

// tileRows8 computes, for four rows a of a tile, 8n columns, two vectors x with their sums, and two vectors z with their
// coefficients,
//
//	sums[i] = a[i]·x,    z += Σ coefficients[i] a[i]
//
//go:noescape
func tileRows8(n int, tile *float32, stride int, x0, x1, z0, z1 *float64, coefficients, sums *[8]float64)

// tileRows4 is tileRows8 for one vector and 4n columns.
//
//go:noescape
func tileRows4(n int, tile *float32, stride int, x, z *float64, coefficients, sums *[4]float64)

// AddTile adds, for each c, Tx[c] to y[c] and T'v[c] to z[c]. T is a rows×columns matrix, stored row by row. Sums are computed in
// float64. If the processor does not support the instructions, AddTile does nothing and returns false.
func AddTile(rows, columns int, tile []float32, x, y, v, z [][]float64) bool {
	if !hasVectors {
		return false
	}
	c := 0
	if hasAVX512 {
		for ; c+2 <= len(x); c += 2 {
			addTilePair(rows, columns, tile, x[c:c+2], y[c:c+2], v[c:c+2], z[c:c+2])
		}
	}
	for ; c < len(x); c++ {
		addTileVector(rows, columns, tile, x[c], y[c], v[c], z[c])
	}
	return true
}

func addTilePair(rows, columns int, tile []float32, x, y, v, z [][]float64) {
	var coefficients, sums [8]float64
	whole, i := columns/8, 0
	for ; i+4 <= rows && whole > 0; i += 4 {
		for a := range 4 {
			coefficients[a], coefficients[4+a] = v[0][i+a], v[1][i+a]
		}
		tileRows8(whole, &tile[i*columns], columns, &x[0][0], &x[1][0], &z[0][0], &z[1][0], &coefficients, &sums)
		for a := range 4 {
			y[0][i+a] += sums[a]
			y[1][i+a] += sums[4+a]
		}
	}
	for c := range x {
		addTileRest(rows, columns, i, 8*whole, tile, x[c], y[c], v[c], z[c])
	}
}

func addTileVector(rows, columns int, tile []float32, x, y, v, z []float64) {
	var coefficients, sums [4]float64
	whole, i := columns/4, 0
	for ; i+4 <= rows && whole > 0; i += 4 {
		copy(coefficients[:], v[i:i+4])
		tileRows4(whole, &tile[i*columns], columns, &x[0], &z[0], &coefficients, &sums)
		for a, s := range sums {
			y[i+a] += s
		}
	}
	addTileRest(rows, columns, i, 4*whole, tile, x, y, v, z)
}

// addTileRest processes the columns from fromColumn on in the rows before fromRow, and all columns of the other rows.
func addTileRest(rows, columns, fromRow, fromColumn int, tile []float32, x, y, v, z []float64) {
	for i := range rows {
		first := fromColumn
		if i >= fromRow {
			first = 0
		}
		sum, row := 0., tile[i*columns:(i+1)*columns]
		for j := first; j < columns; j++ {
			a := float64(row[j])
			sum += a * x[j]
			z[j] += a * v[i]
		}
		y[i] += sum
	}
}
