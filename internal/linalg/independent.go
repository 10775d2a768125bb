package linalg

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/progress"
)

// Independent factors a positive semi-definite K (n×n) as FF' with a lower trapezoidal F (n×r), row by row in order. A row whose
// remainder is at most n·2⁻⁵² of the largest diagonal entry depends on the rows before it and adds no column. The slice kept holds
// the r rows that add a column, in ascending order. These rows of F are the Cholesky factor of their submatrix of K. The first rows
// of F factor the submatrix of the first rows of K. Only the lower triangle of K is read. It costs nr². It returns ctx's error.
func Independent(ctx context.Context, k mat.Symmetric) (f *mat.Dense, kept []int, err error) {
	n := k.SymmetricDim()
	largest := 0.0
	for i := range n {
		largest = max(largest, k.At(i, i))
	}
	limit := float64(n) * 0x1p-52 * largest
	full := mat.NewDense(n, n, nil)
	loop := progress.NewLoop(ctx)
	defer loop.End()
	for i := range n {
		loop.Report(cubed(float64(i) / float64(n)))
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		row := full.RawRowView(i)
		for c, j := range kept {
			of := full.RawRowView(j)
			row[c] = (k.At(i, j) - floats.Dot(row[:c], of[:c])) / of[c]
		}
		r := len(kept)
		if rest := k.At(i, i) - floats.Dot(row[:r], row[:r]); rest > limit {
			row[r] = math.Sqrt(rest)
			kept = append(kept, i)
		}
	}
	if len(kept) == 0 {
		return nil, nil, ctx.Err()
	}
	return mat.DenseCopyOf(full.Slice(0, n, 0, len(kept))), kept, ctx.Err()
}
