package fullsystem

import (
	"context"
	"runtime"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/kernels"
)

// tileRows is the number of rows and columns of a tile, but for the last. A tile of float32 and one of float64 stay in the
// second-level cache.
const tileRows = 2 * kernels.BlockRows

// Storage says where the entries of the kernel matrix come from.
type Storage int

const (
	// Single keeps tiles in float32.
	Single Storage = iota
	// Refined keeps tiles in float32, and corrects the solution by residuals of tiles computed in float64.
	Refined
	// Double keeps tiles in float64.
	Double
	// Recomputed keeps no tiles: they are computed in float64 in each pass.
	Recomputed
)

// String says it for people.
func (s Storage) String() string {
	return [...]string{"float32", "float32 with float64 refinement", "float64", "computed in each pass"}[s]
}

// matrix is K over the mean of its diagonal.
type matrix struct {
	n, blocks int
	prepared  *kernels.Prepared
	inverse   float64 // 1/U
	workers   int
	single    [][]float32 // the tiles on and above the diagonal, row by row; nil where they are not kept
	double    [][]float64
	scratch   sync.Pool // of *[]float64, a tile each
	partial   [][]float64
}

func newMatrix(prepared *kernels.Prepared, n int, unit float64, workers int) *matrix {
	m := &matrix{n: n, blocks: (n + tileRows - 1) / tileRows, prepared: prepared, inverse: 1 / unit, workers: workers}
	m.scratch.New = func() any {
		tile := make([]float64, tileRows*tileRows)
		return &tile
	}
	return m
}

// tileBytes is the memory of the tiles of n rows, of numbers of this size.
func tileBytes(n int, size float64) float64 {
	rows := float64(n)
	return size * (rows*rows/2 + rows*tileRows/2)
}

// side is the number of rows of a block.
func (m *matrix) side(block int) int { return min(tileRows, m.n-block*tileRows) }

// place returns the index of a tile on or above the diagonal.
func (m *matrix) place(i, j int) int { return i*m.blocks - i*(i-1)/2 + j - i }

// compute sets a tile, which is exactly symmetric on the diagonal.
func (m *matrix) compute(tile []float64, i, j int) error {
	rows, columns := m.side(i), m.side(j)
	tile = tile[:rows*columns]
	if err := m.prepared.BlockTo(mat.NewDense(rows, columns, tile), i*tileRows, j*tileRows); err != nil {
		return err
	}
	if m.inverse != 1 {
		for a := range tile {
			tile[a] *= m.inverse
		}
	}
	if i == j {
		for a := range rows {
			for b := range a {
				tile[a*columns+b] = tile[b*columns+a]
			}
		}
	}
	return nil
}

// collectFrom is the size of the tiles from which on garbage is collected before they are made.
const collectFrom = 1 << 28

// build computes the tiles and keeps them, in float32 or float64.
func (m *matrix) build(ctx context.Context, single bool) error {
	tiles := m.blocks * (m.blocks + 1) / 2
	if tileBytes(m.n, 4) > collectFrom {
		runtime.GC() // or the tiles of the last problem stay until these have taken as much again
	}
	if single {
		m.single = make([][]float32, tiles)
	} else {
		m.double = make([][]float64, tiles)
	}
	places := make([][2]int, 0, tiles)
	for i := range m.blocks {
		for j := i; j < m.blocks; j++ {
			places = append(places, [2]int{i, j})
		}
	}
	return parallel.ForEach(ctx, m.workers, tiles, func(t int) error {
		i, j := places[t][0], places[t][1]
		count := m.side(i) * m.side(j)
		if !single {
			m.double[t] = make([]float64, count)
			return m.compute(m.double[t], i, j)
		}
		buffer := m.scratch.Get().(*[]float64)
		defer m.scratch.Put(buffer)
		if err := m.compute(*buffer, i, j); err != nil {
			return err
		}
		tile := make([]float32, count)
		for a, v := range (*buffer)[:count] {
			tile[a] = float32(v)
		}
		m.single[t] = tile
		return nil
	})
}

// hasTiles reports whether the tiles of float32, or those of float64, are in memory.
func (m *matrix) hasTiles(single bool) bool {
	if single {
		return m.single != nil
	}
	return m.double != nil
}

// drop forgets the tiles.
func (m *matrix) drop() { m.single, m.double = nil, nil }
