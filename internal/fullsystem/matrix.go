package fullsystem

import (
	"context"
	"runtime"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/single"
	"github.com/kernelearn/kernelearn/kernels"
)

// tileRows is the number of rows and columns of all tiles except the last. A float32 and a float64 tile fit into the second-level
// cache.
const tileRows = 2 * kernels.BlockRows

// Storage is the precision of the stored entries of the kernel matrix.
type Storage int

const (
	// Single stores tiles in float32, and computes them in float32 if the kernel supports it.
	Single Storage = iota
	// Refined stores tiles in float32, and corrects the solution with residuals from tiles computed in float64.
	Refined
	// Double stores tiles in float64.
	Double
)

// String describes the storage for progress messages.
func (s Storage) String() string {
	return [...]string{"float32", "float32 with float64 refinement", "float64"}[s]
}

// size returns the number of bytes of an entry.
func (s Storage) size() float64 {
	if s == Double {
		return 8
	}
	return 4
}

// matrix is K divided by the mean of its diagonal.
type matrix struct {
	n, blocks int
	prepared  *kernels.Prepared
	inverse   float64 // 1/U
	workers   int
	hasSingle bool        // whether the kernel can compute values in float32
	single    [][]float32 // tiles on and above the diagonal, row by row; nil before build, and nil for each tile that is not stored
	double    [][]float64
	scratch   sync.Pool // buffers (*[]float64) for a tile
	partial   [][]float64
}

func newMatrix(prepared *kernels.Prepared, n int, unit float64, workers int) (*matrix, error) {
	m := &matrix{n: n, blocks: (n + tileRows - 1) / tileRows, prepared: prepared, inverse: 1 / unit, workers: workers}
	var err error
	m.hasSingle, err = prepared.HasSingle()
	m.scratch.New = func() any {
		tile := make([]float64, tileRows*tileRows)
		return &tile
	}
	return m, err
}

// tileBytes returns the memory of the tiles of n rows, for entries of the given size.
func tileBytes(n int, size float64) float64 {
	rows := float64(n)
	return size * (rows*rows/2 + rows*tileRows/2)
}

// side returns the number of rows of a block.
func (m *matrix) side(block int) int { return min(tileRows, m.n-block*tileRows) }

// place returns the index of a tile on or above the diagonal.
func (m *matrix) place(i, j int) int { return i*m.blocks - i*(i-1)/2 + j - i }

// compute fills tile with block (i, j) of the kernel matrix, divided by U. A tile on the diagonal is made exactly symmetric.
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
		mirror(tile, rows)
	}
	return nil
}

// mirror makes a tile on the diagonal exactly symmetric.
func mirror[T float32 | float64](tile []T, n int) {
	for a := range n {
		for b := range a {
			tile[a*n+b] = tile[b*n+a]
		}
	}
}

// computeSingle computes a tile in float32 if the kernel supports it. Otherwise it computes the tile in float64 and rounds once.
// buffer must have room for a tile.
func (m *matrix) computeSingle(tile []float32, buffer []float64, i, j int) error {
	rows, columns := m.side(i), m.side(j)
	tile = tile[:rows*columns]
	if m.hasSingle {
		ok, err := m.prepared.SingleTo(tile, rows, columns, i*tileRows, j*tileRows)
		if err != nil {
			return err
		}
		if ok {
			if m.inverse != 1 {
				single.Scale(tile, float32(m.inverse))
			}
			if i == j {
				mirror(tile, rows)
			}
			return nil
		}
	}
	if err := m.compute(buffer, i, j); err != nil {
		return err
	}
	for a := range tile {
		tile[a] = float32(buffer[a])
	}
	return nil
}

// collectFrom is the number of bytes of tiles above which garbage is collected before the tiles are allocated.
const collectFrom = 1 << 28

// build computes and stores a fraction of the tiles, evenly distributed. The other tiles are computed again in each pass, with the
// same entries.
func (m *matrix) build(ctx context.Context, inSingle bool, share float64) error {
	tiles := m.blocks * (m.blocks + 1) / 2
	if tileBytes(m.n, 4)*share > collectFrom {
		runtime.GC() // otherwise the tiles of the previous problem would remain until the heap has doubled
	}
	if inSingle {
		m.single = make([][]float32, tiles)
	} else {
		m.double = make([][]float64, tiles)
	}
	var places [][2]int
	for i := range m.blocks {
		for j := i; j < m.blocks; j++ {
			if t := float64(m.place(i, j)); int((t+1)*share) > int(t*share) {
				places = append(places, [2]int{i, j})
			}
		}
	}
	return parallel.ForEach(ctx, m.workers, len(places), func(t int) error {
		i, j := places[t][0], places[t][1]
		count, place := m.side(i)*m.side(j), m.place(i, j)
		if !inSingle {
			m.double[place] = make([]float64, count)
			return m.compute(m.double[place], i, j)
		}
		buffer := m.scratch.Get().(*[]float64)
		defer m.scratch.Put(buffer)
		m.single[place] = make([]float32, count)
		return m.computeSingle(m.single[place], *buffer, i, j)
	})
}

// hasTiles reports whether build has allocated the float32 tiles, or the float64 tiles.
func (m *matrix) hasTiles(inSingle bool) bool {
	if inSingle {
		return m.single != nil
	}
	return m.double != nil
}

// drop releases the tiles.
func (m *matrix) drop() { m.single, m.double = nil, nil }
