package fullsystem

import (
	"context"

	"gonum.org/v1/gonum/floats"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
)

const (
	// Block rows are distributed over partial sums. The terms of each sum are added in a fixed order, and so are the sums. There
	// are fewer sums if they would have more than sumNumbers numbers in total.
	mostSums, leastSums = 16, 2
	sumNumbers          = 1 << 25
	// sumStrip is the number of elements of each sum that are added at a time.
	sumStrip = 4096
)

// sums returns the number of partial sums of a pass with the given number of right-hand sides.
func (m *matrix) sums(columns int) int {
	return min(m.blocks, max(leastSums, min(mostSums, sumNumbers/max(columns*m.n, 1))))
}

// multiply sets dst[c] to K/U x[c] for all right-hand sides c in one pass over K. If exactly is set, tiles are computed in float64.
func (m *matrix) multiply(ctx context.Context, dst, x [][]float64, exactly bool) error {
	sums := m.sums(len(x))
	for len(m.partial) < sums*len(x) {
		m.partial = append(m.partial, make([]float64, m.n))
	}
	ctx = progress.Silent(ctx)
	err := parallel.ForEach(ctx, m.workers, sums, func(s int) error {
		own := m.partial[s*len(x) : (s+1)*len(x)]
		for _, v := range own {
			clear(v)
		}
		buffer := m.scratch.Get().(*[]float64)
		defer m.scratch.Put(buffer)
		work := newTileWork(*buffer, len(x))
		// Block row i has blocks-i tiles. Block rows are assigned to the sums forwards and backwards in turn, so that each sum has
		// about the same number of tiles.
		for i := range m.blocks {
			if turn := i % (2 * sums); turn != s && turn != 2*sums-1-s {
				continue
			}
			for j := i; j < m.blocks; j++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := m.addTile(own, x, work, i, j, exactly); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	strips := (m.n + sumStrip - 1) / sumStrip
	return parallel.ForEach(ctx, m.workers, len(x)*strips, func(t int) error {
		c, first := t/strips, t%strips*sumStrip
		last := min(first+sumStrip, m.n)
		copy(dst[c][first:last], m.partial[c][first:last])
		for s := 1; s < sums; s++ {
			floats.Add(dst[c][first:last], m.partial[s*len(x)+c][first:last])
		}
		return nil
	})
}

// addTile adds the contribution of tile (i, j) to the products: for its rows and, transposed, for its columns.
func (m *matrix) addTile(sums, x [][]float64, work *tileWork, i, j int, exactly bool) error {
	rows, columns := m.side(i), m.side(j)
	place, tile := m.place(i, j), work.tile[:rows*columns]
	y, z := window(work.y, sums, i*tileRows, rows), window(work.z, sums, j*tileRows, columns)
	right, left := window(work.right, x, j*tileRows, columns), window(work.left, x, i*tileRows, rows)
	if i == j { // the transpose of a symmetric tile on the diagonal must not be added again
		for c := range z {
			z[c] = work.spare[:columns]
		}
	}
	if m.single != nil && !exactly {
		kept := m.single[place]
		if kept == nil {
			kept = work.single[:rows*columns]
			if err := m.computeSingle(kept, tile, i, j); err != nil {
				return err
			}
		}
		fast.AddTile(rows, columns, kept, right, y, left, z, tile)
		return nil
	}
	if m.double != nil && m.double[place] != nil {
		tile = m.double[place]
	} else if err := m.compute(tile, i, j); err != nil {
		return err
	}
	fast.AddDoubleTile(rows, columns, tile, right, y, left, z)
	return nil
}

// window sets dst to the same range of each vector of v, and returns dst.
func window(dst, v [][]float64, first, count int) [][]float64 {
	for c := range v {
		dst[c] = v[c][first : first+count]
	}
	return dst
}

// tileWork is the memory for one partial sum.
type tileWork struct {
	tile, spare       []float64
	single            []float32 // a tile
	y, z, left, right [][]float64
}

func newTileWork(tile []float64, columns int) *tileWork {
	return &tileWork{tile: tile, spare: make([]float64, tileRows), single: make([]float32, tileRows*tileRows),
		y: make([][]float64, columns), z: make([][]float64, columns),
		left: make([][]float64, columns), right: make([][]float64, columns)}
}
