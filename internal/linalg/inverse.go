package linalg

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
)

const (
	// strip is the number of rows or columns per task, if all tasks have equal work.
	strip = 192
	// inverseRows is the number of rows of an inverse computed at a time.
	inverseRows = 192
	// Blocks of order smallTriangle of a triangular matrix are inverted and multiplied as if they were full, because LAPACK's
	// routines proceed vector by vector. A matrix of up to wholeTriangle rows is not divided.
	smallTriangle, wholeTriangle = 48, 128
)

// Inverse returns A⁻¹. It allocates no other memory of order n². It costs 2n³/3. It returns ctx's error.
func (c *Cholesky) Inverse(ctx context.Context) (*mat.SymDense, error) {
	out := mat.NewSymDense(c.u.N, nil)
	raw := out.RawSymmetric()
	if raw.N <= wholeTriangle {
		fast.Syrk(blas.Trans, 1, inverseOfSmall(c.u).RawMatrix(), 0, raw)
		return out, ctx.Err()
	}
	v := blas64.Triangular{N: raw.N, Stride: raw.Stride, Data: raw.Data, Uplo: blas.Upper, Diag: blas.NonUnit}
	for i := range v.N {
		copy(v.Data[i*v.Stride+i:i*v.Stride+v.N], c.u.Data[i*c.u.Stride+i:])
	}
	first, second := progress.Two(ctx, 1, 1)
	if err := invertTriangle(first, v); err != nil {
		return nil, err
	}
	return out, timesTransposed(second, v)
}

// corner returns the diagonal block of u that starts at first.
func corner(u blas64.Triangular, first, order int) blas64.Triangular {
	u.N, u.Data = order, u.Data[first*u.Stride+first:]
	return u
}

// block returns the submatrix of u with these rows and columns.
func block(u blas64.Triangular, row, column, rows, columns int) blas64.General {
	return blas64.General{Rows: rows, Cols: columns, Stride: u.Stride, Data: u.Data[row*u.Stride+column:]}
}

// invertTriangle overwrites an upper triangular U with its inverse. For U in 2×2 blocks, the upper right block of the inverse is
// -U₁₁⁻¹U₁₂U₂₂⁻¹. The diagonal blocks are inverted recursively: the largest first, and blocks of equal size in parallel. It costs
// n³/3. It returns ctx's error.
func invertTriangle(ctx context.Context, u blas64.Triangular) error {
	parts := [][2]int{{0, u.N}} // first row and order of blocks still to invert
	group, share := progress.Open(ctx), 1.
	for {
		var left, right, next []func()
		var halves [][2]int
		for _, p := range parts {
			first, order := p[0], p[1]
			if order <= smallTriangle {
				next = append(next, func() { invertSmall(corner(u, first, order)) })
				continue
			}
			h := half(order)
			one, other := corner(u, first, h), corner(u, first+h, order-h)
			for s := 0; s < order-h; s += strip {
				left = append(left, func() {
					fast.Trsm(blas.Left, blas.NoTrans, -1, one, block(u, first, first+h+s, h, min(strip, order-h-s)))
				})
			}
			for s := 0; s < h; s += strip {
				right = append(right, func() {
					fast.Trsm(blas.Right, blas.NoTrans, 1, other, block(u, first+s, first+h, min(strip, h-s), order-h))
				})
			}
			halves = append(halves, [2]int{first, h}, [2]int{first + h, order - h})
		}
		// Blocks of half the order take a quarter of the time.
		if err := runAll(group.Share(1-share, 1-share*5/8), left); err != nil {
			return err
		}
		if err := runAll(group.Share(1-share*5/8, 1-share/4), append(right, next...)); err != nil {
			return err
		}
		share /= 4
		if parts = halves; len(parts) == 0 {
			return nil
		}
	}
}

// half returns about half of an order, rounded to a multiple of 48 if it exceeds strip.
func half(order int) int {
	if order > strip {
		return (order/2 + 47) / 48 * 48
	}
	return (order + 1) / 2
}

// invertSmall is invertTriangle for small matrices. It solves a system with the identity as its right-hand side.
func invertSmall(u blas64.Triangular) {
	var buffer [smallTriangle * smallTriangle]float64
	x := blas64.General{Rows: u.N, Cols: u.N, Stride: u.N, Data: buffer[:u.N*u.N]}
	for i := range u.N {
		x.Data[i*u.N+i] = 1
	}
	fast.Trsm(blas.Left, blas.NoTrans, 1, u, x)
	for i := range u.N {
		copy(u.Data[i*u.Stride+i:i*u.Stride+u.N], x.Data[i*u.N+i:(i+1)*u.N])
	}
}

// runAll runs independent tasks on all processors. It returns ctx's error.
func runAll(ctx context.Context, tasks []func()) error {
	return parallel.ForEach(ctx, 0, len(tasks), func(i int) error {
		tasks[i]()
		return nil
	})
}

// timesTransposed overwrites an upper triangular V with the upper triangle of VV'. It costs n³/3. It computes the rows from the
// top, since a row depends only on itself and on the rows below it. It returns ctx's error.
func timesTransposed(ctx context.Context, v blas64.Triangular) error {
	n := v.N
	// own is a copy of the current rows, which the products overwrite.
	own := make([]float64, min(inverseRows, n)*n)
	loop := progress.NewLoop(ctx)
	defer loop.End()
	for first := 0; first < n; first += inverseRows {
		loop.Report(1 - cubed(float64(n-first)/float64(n)))
		rows := min(inverseRows, n-first)
		last := first + rows
		for i := range rows {
			copy(own[i*n+last:(i+1)*n], v.Data[(first+i)*v.Stride+last:(first+i)*v.Stride+n])
		}
		behind := func(column int) blas64.General {
			return blas64.General{Rows: rows, Cols: n - column, Stride: n, Data: own[column:]}
		}
		todo := []func(){func() {
			timesTransposedSmall(corner(v, first, rows))
			if last < n {
				to := blas64.Symmetric{N: rows, Stride: v.Stride, Data: v.Data[first*v.Stride+first:], Uplo: blas.Upper}
				fast.Syrk(blas.NoTrans, 1, behind(last), 1, to)
			}
		}}
		for j := last; j < n; j += strip {
			columns := min(strip, n-j)
			todo = append(todo, func() {
				to := block(v, first, j, rows, columns)
				fast.Trmm(blas.Right, blas.Trans, 1, corner(v, j, columns), to)
				if end := j + columns; end < n {
					fast.Gemm(blas.NoTrans, blas.Trans, 1, behind(end), block(v, j, end, columns, n-end), 1, to)
				}
			})
		}
		if err := runAll(ctx, todo); err != nil {
			return err
		}
	}
	return nil
}

// timesTransposedSmall is timesTransposed for a diagonal block, by halves.
func timesTransposedSmall(v blas64.Triangular) {
	n := v.N
	if n <= smallTriangle {
		var buffer [smallTriangle * smallTriangle]float64
		own := blas64.General{Rows: n, Cols: n, Stride: n, Data: buffer[:n*n]}
		for i := range n {
			copy(own.Data[i*n+i:(i+1)*n], v.Data[i*v.Stride+i:i*v.Stride+n])
		}
		fast.Syrk(blas.NoTrans, 1, own, 0, blas64.Symmetric{N: n, Stride: v.Stride, Data: v.Data, Uplo: blas.Upper})
		return
	}
	h := (n + 1) / 2
	timesTransposedSmall(corner(v, 0, h))
	right := block(v, 0, h, h, n-h)
	fast.Syrk(blas.NoTrans, 1, right, 1, blas64.Symmetric{N: h, Stride: v.Stride, Data: v.Data, Uplo: blas.Upper})
	fast.Trmm(blas.Right, blas.Trans, 1, corner(v, h, n-h), right)
	timesTransposedSmall(corner(v, h, n-h))
}

// inverseOfSmall returns U⁻ᵀ, computed without blocks.
func inverseOfSmall(u blas64.Triangular) *mat.Dense {
	out := mat.NewDense(u.N, u.N, nil)
	for i := range u.N {
		out.Set(i, i, 1)
	}
	fast.Trsm(blas.Left, blas.Trans, 1, u, out.RawMatrix())
	return out
}

// DiagInverse returns the diagonal of A⁻¹. It costs n³/3, and memory for several columns. It returns ctx's error.
func (c *Cholesky) DiagInverse(ctx context.Context) ([]float64, error) { return diagInverse(ctx, c.u) }

// diagInverse returns the squared norms of the columns of U⁻ᵀ, computed on all processors. They are the diagonal of (UᵀU)⁻¹ =
// U⁻¹U⁻ᵀ.
func diagInverse(ctx context.Context, u blas64.Triangular) ([]float64, error) {
	n := u.N
	out := make([]float64, n)
	err := parallel.ForEach(ctx, 0, (n+strip-1)/strip, func(s int) error {
		first := s * strip
		columns := min(strip, n-first)
		return diagInverseStrip(ctx, out[first:first+columns], u, first)
	})
	return out, err
}

// diagInverseStrip sets out to the squared norms of a strip of columns of U⁻ᵀ. The diagonal block of the strip is the transposed
// inverse of U's block, and the elements below it follow from that.
func diagInverseStrip(ctx context.Context, out []float64, u blas64.Triangular, first int) error {
	n, columns := u.N, len(out)
	own := corner(u, first, columns)
	if columns <= wholeTriangle {
		copy(out, squaredColumns(inverseOfSmall(own)))
	} else {
		square := blas64.Triangular{N: columns, Stride: columns, Data: make([]float64, columns*columns), Uplo: blas.Upper,
			Diag: blas.NonUnit}
		for i := range columns {
			copy(square.Data[i*columns+i:(i+1)*columns], own.Data[i*own.Stride+i:i*own.Stride+columns])
		}
		if err := invertTriangle(ctx, square); err != nil {
			return err
		}
		for i := range out {
			row := square.Data[i*columns+i : (i+1)*columns]
			out[i] = Dot(row, row)
		}
	}
	last := first + columns
	if last == n {
		return nil
	}
	below := mat.NewDense(n-last, columns, nil)
	raw := below.RawMatrix()
	for i := range columns {
		for j, v := range u.Data[(first+i)*u.Stride+last : (first+i)*u.Stride+n] {
			raw.Data[j*columns+i] = v
		}
	}
	fast.Trsm(blas.Right, blas.Trans, 1, own, raw)
	if err := fast.TrsmContext(ctx, blas.Left, blas.Trans, 1, corner(u, last, n-last), raw); err != nil {
		return err
	}
	for i, v := range squaredColumns(below) {
		out[i] += v
	}
	return nil
}
