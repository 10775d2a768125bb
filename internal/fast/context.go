package fast

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/progress"
)

// These functions are variants of the functions without Context in their names. They check the context before each block of the
// result and at the end, and return its error. After an error the result is unusable. Blocks are rows or columns, so that no inner
// sum is divided. With the BLAS of package simd, the result is therefore bit-identical.

const (
	// A block has at most this many multiplications. On two processors they take about a tenth of a second with the BLAS of package
	// simd, and a quarter of a second with gonum's own.
	perCheck, perCheckPlain = 1 << 31, 1 << 29
	// leastPart is the smallest number of rows or columns of a block. With fewer, packing would take longer than the products
	// themselves.
	leastPart = 96
	// All blocks except the last are multiples of partUnit, the size of the micro-kernels.
	partUnit = 24
)

// mostPerCheck returns the largest number of multiplications of a block.
func mostPerCheck() float64 {
	if _, plain := Implementation().(gonum.Implementation); plain {
		return perCheckPlain
	}
	return perCheck
}

// GemmContext is Gemm.
func GemmContext(ctx context.Context, tA, tB blas.Transpose, alpha float64, a, b blas64.General, beta float64, c blas64.General) error {
	return gemm(ctx, mostPerCheck(), tA, tB, alpha, a, b, beta, c)
}

func gemm(ctx context.Context, most float64, tA, tB blas.Transpose, alpha float64, a, b blas64.General, beta float64,
	c blas64.General) error {
	inner := a.Cols
	if tA != blas.NoTrans {
		inner = a.Rows
	}
	rows, columns := c.Rows, c.Cols
	for float64(rows)*float64(columns)*float64(inner) > most && max(rows, columns) >= 2*leastPart {
		if rows >= columns {
			rows = (rows + 1) / 2
		} else {
			columns = (columns + 1) / 2
		}
	}
	return eachPart(ctx, c.Rows, rows, func(i, m int) error {
		return eachPart(ctx, c.Cols, columns, func(j, n int) error {
			Gemm(tA, tB, alpha, linesOf(a, i, m, tA != blas.NoTrans), linesOf(b, j, n, tB == blas.NoTrans), beta, window(c, i, j, m, n))
			return nil
		})
	})
}

// SyrkContext is Syrk.
func SyrkContext(ctx context.Context, t blas.Transpose, alpha float64, a blas64.General, beta float64, c blas64.Symmetric) error {
	return syrk(ctx, mostPerCheck(), t, alpha, a, beta, c)
}

func syrk(ctx context.Context, most float64, t blas.Transpose, alpha float64, a blas64.General, beta float64, c blas64.Symmetric) error {
	inner := a.Cols
	if t != blas.NoTrans {
		inner = a.Rows
	}
	whole := blas64.General{Rows: c.N, Cols: c.N, Stride: c.Stride, Data: c.Data}
	rows := c.N
	for float64(rows)*float64(rows)*float64(inner)/2 > most && rows >= 2*leastPart {
		rows = (rows + 1) / 2
	}
	other := blas.Trans
	if t != blas.NoTrans {
		other = blas.NoTrans
	}
	return eachPart(ctx, c.N, rows, func(i, n int) error {
		own := linesOf(a, i, n, t != blas.NoTrans)
		Syrk(t, alpha, own, beta, blas64.Symmetric{N: n, Stride: c.Stride, Data: window(whole, i, i, n, n).Data, Uplo: c.Uplo})
		// This product fills the part of the triangle next to the square on the diagonal.
		first, count := i+n, c.N-i-n
		if c.Uplo == blas.Lower {
			first, count = 0, i
		}
		if count == 0 {
			return nil
		}
		return gemm(ctx, most, t, other, alpha, own, linesOf(a, first, count, t != blas.NoTrans), beta, window(whole, i, first, n, count))
	})
}

// TrsmContext is Trsm.
func TrsmContext(ctx context.Context, s blas.Side, tA blas.Transpose, alpha float64, a blas64.Triangular, b blas64.General) error {
	return trsm(ctx, mostPerCheck(), s, tA, alpha, a, b)
}

func trsm(ctx context.Context, most float64, s blas.Side, tA blas.Transpose, alpha float64, a blas64.Triangular, b blas64.General) error {
	lines := b.Cols // columns of b can be solved independently
	if s == blas.Right {
		lines = b.Rows
	}
	return eachPart(ctx, lines, linesFor(lines, float64(a.N)*float64(a.N)/2, most), func(first, count int) error {
		Trsm(s, tA, alpha, a, linesOf(b, first, count, s == blas.Left))
		return nil
	})
}

// SymmContext is Symm.
func SymmContext(ctx context.Context, s blas.Side, alpha float64, a blas64.Symmetric, b blas64.General, beta float64,
	c blas64.General) error {
	return symm(ctx, mostPerCheck(), s, alpha, a, b, beta, c)
}

func symm(ctx context.Context, most float64, s blas.Side, alpha float64, a blas64.Symmetric, b blas64.General, beta float64,
	c blas64.General) error {
	lines := b.Cols
	if s == blas.Right {
		lines = b.Rows
	}
	return eachPart(ctx, lines, linesFor(lines, float64(a.N)*float64(a.N), most), func(first, count int) error {
		Symm(s, alpha, a, linesOf(b, first, count, s == blas.Left), beta, linesOf(c, first, count, s == blas.Left))
		return nil
	})
}

// MulContext is Mul.
func MulContext(ctx context.Context, dst *mat.Dense, a, b mat.Matrix) error {
	ra, ta, ok := dense(a)
	rb, tb, also := dense(b)
	if !ok || !also {
		dst.Mul(a, b)
		return ctx.Err()
	}
	rows, inner := a.Dims()
	same, columns := b.Dims()
	if inner != same {
		panic(mat.ErrShape)
	}
	return GemmContext(ctx, ta, tb, 1, ra, rb, 0, shaped(dst, rows, columns))
}

// SymOuterKContext is SymOuterK.
func SymOuterKContext(ctx context.Context, dst *mat.SymDense, alpha float64, x mat.Matrix) error {
	n, _ := x.Dims()
	r, t, ok := dense(x)
	if !ok {
		dst.SymOuterK(alpha, x)
		return ctx.Err()
	}
	if dst.IsEmpty() {
		dst.ReuseAsSym(n)
	}
	if dst.SymmetricDim() != n {
		panic(mat.ErrShape)
	}
	return SyrkContext(ctx, t, alpha, r, 0, dst.RawSymmetric())
}

// linesFor returns the number of lines per block, given the multiplications for each line.
func linesFor(lines int, each, most float64) int {
	for float64(lines)*each > most && lines >= 2*leastPart {
		lines = (lines + 1) / 2
	}
	return lines
}

// eachPart divides n lines into nearly equal blocks of about size lines, and calls f for each. It checks ctx before each block and
// at the end.
func eachPart(ctx context.Context, n, size int, f func(first, count int) error) error {
	parts := 1
	if size > 0 {
		parts = (n + size - 1) / size
	}
	var loop *progress.Loop
	if parts > 1 {
		loop = progress.NewLoop(ctx)
		defer loop.End()
	}
	first := 0
	for i := range parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		loop.Report(float64(i) / float64(parts))
		last := n
		if i+1 < parts {
			last = (i + 1) * n / parts / partUnit * partUnit
		}
		if err := f(first, last-first); err != nil {
			return err
		}
		first = last
	}
	return ctx.Err()
}

// linesOf returns the given rows, or columns, of a.
func linesOf(a blas64.General, first, count int, columns bool) blas64.General {
	if columns {
		return window(a, 0, first, a.Rows, count)
	}
	return window(a, first, 0, count, a.Cols)
}

// window returns a submatrix of a.
func window(a blas64.General, row, column, rows, columns int) blas64.General {
	if at := row*a.Stride + column; at > 0 {
		a.Data = a.Data[min(at, len(a.Data)):]
	}
	a.Rows, a.Cols = rows, columns
	return a
}
