//go:build (amd64 || arm64) && !purego

package simd

import (
	"github.com/kernelearn/kernelearn/internal/parallel"
)

const (
	// The largest size of the second factor of a product whose factors are read in place, so that it stays in the second-level
	// cache while the first streams through. The inner dimension is not divided.
	inPlaceNumbers = 1 << 14
	// Number of rows of the first factor that are multiplied with each strip of the second in turn.
	inPlaceRows = 64
	// Products with at most this many multiplications use gonum.
	tiny = 16
)

// readInPlace reports whether a product of this shape takes less time without packing.
func readInPlace(m, n, k int) bool {
	return hasInPlace && m > 1 && n > 2 && k <= innerBlock && k*n <= inPlaceNumbers && m*n*k > tiny
}

// runInPlace computes a product whose second factor is b (k×n), or its transpose.
func (p *product) runInPlace() {
	b, ldb := p.b.data, p.b.column
	if p.b.column == 1 && p.b.row != 1 { // the rows of B are not contiguous
		w := workspaces.Get().(*work)
		defer workspaces.Put(w)
		w.b = grown(w.b, p.k*roundUp(p.n, 4))
		ldb = roundUp(p.n, 4)
		p.b.pack(w.b, 0, p.n, 0, p.k, ldb)
		b = w.b
	}
	workers := workersFor(float64(p.m) * float64(p.n) * float64(p.k))
	if workers == 1 {
		p.inPlace(0, p.m, b, ldb)
		return
	}
	rows := max(inPlaceRows, roundUp(p.m/(tilesPerWorker*workers), 8))
	own := *p // a copy for the tasks, so that p does not escape to the heap
	// Do returns when all tasks have ended.
	parallel.Do(workers, (p.m+rows-1)/rows, func(i int) {
		own.inPlace(i*rows, min((i+1)*rows, own.m), b, ldb)
	})
}

// inPlace computes rows [from, to).
func (p *product) inPlace(from, to int, b []float64, ldb int) {
	_, strip := kernelShape()
	for i := from; i < to; i += inPlaceRows {
		rows, a := min(inPlaceRows, to-i), &p.a.data[i*p.a.row]
		for j := 0; j < p.n; j += strip {
			inPlace(rows, p.k, a, p.a.row, p.a.column, &b[j], ldb, &p.c[i*p.ldc+j], p.ldc, min(strip, p.n-j), p.alpha, p.beta)
		}
	}
}
