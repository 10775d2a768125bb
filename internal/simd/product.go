//go:build (amd64 || arm64) && !purego

package simd

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/kernelearn/kernelearn/internal/parallel"
)

const (
	// The inner dimension is divided into blocks of at most innerBlock, so that a panel of A stays in the first-level cache: 16 kB
	// with AVX-512.
	innerBlock = 256
	// A tile of the result has at most tileRows rows, 1 MB of A. (Rows of A stream through, so their place in the cache hardly
	// matters.)
	tileRows = 512
	// A tile of the result has at most tileColumns columns.
	tileColumns = 960
	// Panels of B that are read for each panel of A stay in the second-level cache: 480 kB with AVX-512, and 192 kB otherwise, on
	// processors with smaller caches.
	columnsAVX512, columnsAVX2 = 240, 96

	// A product with fewer multiplications is not parallel, since starting goroutines may take as long as about 10⁶
	// multiplications.
	parallelFrom = 1 << 21
	// Tiles per worker, so that all workers end at about the same time.
	tilesPerWorker = 4
	// The smallest tile into which work is divided for the workers.
	smallestTile = 64
)

// A triangle selects the elements of a result.
type triangle int

const (
	whole triangle = iota
	lower          // the diagonal and below
	upper          // the diagonal and above
)

// A product is C = alpha·A·Bᵀ + beta·C with a row-major C (m×n), A (m×k) and B (n×k).
//
// Each element of C is a sum over the blocks of the inner dimension. Each block is a chain of fused multiply-adds, whatever the
// tile or the micro-kernel. Therefore results depend neither on GOMAXPROCS nor on the processor.
type product struct {
	m, n, k     int
	alpha, beta float64
	a, b        operand
	c           []float64
	ldc         int
	part        triangle
}

// kernelShape returns the rows and columns of a micro-kernel's tile.
func kernelShape() (rows, columns int) {
	if hasAVX512 {
		return 8, 24
	}
	return 4, 12
}

func kernel(k int, a, b, c *float64, ldc int, alpha, beta float64) {
	if hasAVX512 {
		kernel8x24(k, a, b, c, ldc, alpha, beta)
	} else {
		kernel4x12(k, a, b, c, ldc, alpha, beta)
	}
}

// innerLength returns the length of the nearly equal blocks of an inner dimension k.
func innerLength(k int) int {
	parts := (k + innerBlock - 1) / innerBlock
	return roundUp((k+parts-1)/parts, 8)
}

func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }

// work is memory for packed blocks, and for a tile that is only partly written to the result.
type work struct {
	a, b []float64
	tile [8 * 24]float64
}

var workspaces = sync.Pool{New: func() any { return new(work) }}

func grown(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}

// workersFor returns the number of goroutines for the given number of multiplications.
func workersFor(multiplications float64) int {
	if multiplications < parallelFrom {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// sharedOut is the number of parallel products that are running. They share the processors. If a caller computes several products
// at the same time, smaller tiles would only be packed more often, because there is no free processor for them.
var sharedOut atomic.Int32

// run computes the product.
func (p *product) run() {
	rows, columns := kernelShape()
	tm, tn := min(p.m, tileRows), min(p.n, tileColumns)
	workers := workersFor(float64(p.m) * float64(p.n) * float64(p.k))
	if workers > 1 {
		workers = max(1, workers/int(sharedOut.Add(1)))
		defer sharedOut.Add(-1)
	}
	if workers == 1 && tm == p.m && tn == p.n {
		p.tile(0, p.m, 0, p.n)
		return
	}
	count := func(n, tile int) int { return (n + tile - 1) / tile }
	if workers > 1 {
		tiles := tilesPerWorker * workers
		if p.part != whole {
			tiles *= 2 // about half of them are empty
		}
		for count(p.m, tm)*count(p.n, tn) < tiles {
			if tm >= tn && tm >= 2*smallestTile {
				tm = (tm + 1) / 2
			} else if tn >= 2*smallestTile {
				tn = (tn + 1) / 2
			} else {
				break
			}
		}
	}
	// Divide the result into tiles of nearly equal size, rounded up to multiples of the micro-kernel's tile.
	across, down := count(p.n, tn), count(p.m, tm)
	tm, tn = roundUp(count(p.m, down), rows), roundUp(count(p.n, across), columns)
	across, down = count(p.n, tn), count(p.m, tm)
	own := *p // a copy for the tasks, so that p does not escape to the heap
	// Do returns when all tasks have ended.
	parallel.Do(workers, across*down, func(i int) {
		i0, j0 := i/across*tm, i%across*tn
		own.tile(i0, min(i0+tm, own.m), j0, min(j0+tn, own.n))
	})
}

// outside reports whether the product has no elements in these rows and columns.
func (p *product) outside(i0, i1, j0, j1 int) bool {
	return p.part == lower && j0 >= i1 || p.part == upper && i0 >= j1
}

// inside reports whether the product has all elements in these rows and columns.
func (p *product) inside(i0, i1, j0, j1 int) bool {
	return p.part == whole || p.part == lower && j1-1 <= i0 || p.part == upper && i1-1 <= j0
}

// tile computes C[i0:i1, j0:j1].
func (p *product) tile(i0, i1, j0, j1 int) {
	if p.outside(i0, i1, j0, j1) {
		return
	}
	rows, columns := kernelShape()
	block := columnsAVX2
	if hasAVX512 {
		block = columnsAVX512
	}
	length := innerLength(p.k)
	w := workspaces.Get().(*work)
	defer workspaces.Put(w)
	w.a = grown(w.a, roundUp(i1-i0, rows)*length)
	w.b = grown(w.b, roundUp(min(block, j1-j0), columns)*length)

	for k0 := 0; k0 < p.k; k0 += length {
		k, beta := min(length, p.k-k0), 1.0
		if k0 == 0 {
			beta = p.beta
		}
		// Panels of A are packed when the first panels of B need them, and kept for further panels of B.
		kept, packed := j1-j0 > block, false
		for j := j0; j < j1; j += block {
			end := min(j+block, j1)
			if p.outside(i0, i1, j, end) {
				continue
			}
			p.b.pack(w.b, j, end-j, k0, k, columns)
			for i := i0; i < i1; i += rows {
				panel := w.a[:rows*k]
				if kept {
					panel = w.a[(i-i0)*k : (i-i0+rows)*k]
				}
				if !packed {
					p.a.pack(panel, i, min(rows, i1-i), k0, k, rows)
				}
				p.row(i, min(i+rows, i1), j, end, k, panel, w.b, beta, &w.tile)
			}
			packed = kept
		}
	}
}

// row computes C[i0:i1, j0:j1] from one packed panel of A and several of B.
func (p *product) row(i0, i1, j0, j1, k int, a, b []float64, beta float64, sums *[8 * 24]float64) {
	rows, columns := kernelShape()
	for j := j0; j < j1; j += columns {
		end := min(j+columns, j1)
		if p.outside(i0, i1, j, end) {
			continue
		}
		panel := &b[(j-j0)*k]
		if i1-i0 == rows && end-j == columns && p.inside(i0, i1, j, end) {
			kernel(k, &a[0], panel, &p.c[i0*p.ldc+j], p.ldc, p.alpha, beta)
			continue
		}
		kernel(k, &a[0], panel, &sums[0], columns, p.alpha, 0)
		first := j
		if fours := (end - j) &^ 3; fours > 0 && p.inside(i0, i1, j, end) {
			if beta == 0 {
				copyRows(i1-i0, fours, &sums[0], columns, &p.c[i0*p.ldc+j], p.ldc)
			} else {
				addRows(i1-i0, fours, &sums[0], columns, &p.c[i0*p.ldc+j], p.ldc, beta)
			}
			first += fours
		}
		for i := i0; i < i1; i++ {
			p.merge(i, first, end, sums[(i-i0)*columns+first-j:], beta)
		}
	}
}

// merge updates elements C[i, j0:j1] of the product as the micro-kernels do.
func (p *product) merge(i, j0, j1 int, sums []float64, beta float64) {
	from, to := j0, j1
	switch p.part {
	case lower:
		to = min(j1, i+1)
	case upper:
		from = max(j0, i)
	}
	if from >= to {
		return
	}
	c, sums := p.c[i*p.ldc+from:i*p.ldc+to], sums[from-j0:to-j0]
	if beta == 0 {
		copy(c, sums)
		return
	}
	for j, s := range sums {
		c[j] = math.FMA(beta, c[j], s)
	}
}
