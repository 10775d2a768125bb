//go:build (amd64 || arm64) && !purego

package simd

import (
	"github.com/kernelearn/kernelearn/internal/parallel"
)

const (
	// The most numbers that the second factor of a product has whose factors are read where they are, so
	// that it stays in the second cache while the first goes by. The inner dimension is one part.
	inPlaceNumbers = 1 << 14
	// Rows of the first factor that go with one strip of the second after the other.
	inPlaceRows = 64
	// Products of so few multiplications are gonum's nevertheless.
	tiny = 16
)

// readInPlace reports whether a product of this shape takes less time without packing.
func readInPlace(m, n, k int) bool {
	return hasInPlace && m > 1 && n > 2 && k <= innerBlock && k*n <= inPlaceNumbers && m*n*k > tiny
}

// runInPlace computes a product with its second factor k×n as b is, or transposed.
func (p *product) runInPlace() {
	b, ldb := p.b.data, p.b.column
	if p.b.column == 1 && p.b.row != 1 { // the rows of B are not next to each other
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
	own := *p // what tasks share is on the heap, and p need not be
	// Without an error or a context to end it, For returns none.
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
