package linalg

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// checks is a context that is cancelled after a number of checks, and counts them.
type checks struct {
	context.Context
	left, seen atomic.Int64
}

func after(left int64) *checks {
	l := &checks{Context: context.Background()}
	l.left.Store(left)
	return l
}

func (l *checks) Err() error {
	l.seen.Add(1)
	if l.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Every step of order n³ checks its context a minimum number of times. It returns the context's error whenever it is cancelled,
// even at the last check, and checks only a few more times after that. The orders cover each algorithm of the step.
func TestStepsHearTheirContext(t *testing.T) {
	factored, wide, square, updated := must(NewCholesky(background, "A", definite(1200, 3))), randomDense(1200, 500, 1), definite(300, 3), NewFactor(nil)
	for i := range 300 {
		row := make([]float64, i)
		for j := range row {
			row[j] = square.At(i, j)
		}
		require.True(t, updated.Append(row, square.At(i, i)))
	}
	reduced := must(Tridiagonalize(background, definite(1050, 3)))
	steps := []struct {
		name  string
		least int64
		run   func(ctx context.Context) error
	}{
		{"Cholesky", 50, func(ctx context.Context) error { _, err := NewCholesky(ctx, "A", definite(1200, 3)); return err }},
		{"a small Cholesky", 2, func(ctx context.Context) error { _, err := NewCholesky(ctx, "A", definite(100, 3)); return err }},
		{"Cholesky without jitter", 50, func(ctx context.Context) error { _, _, err := TryCholesky(ctx, definite(1200, 3)); return err }},
		{"inverse", 50, func(ctx context.Context) error { _, err := factored.Inverse(ctx); return err }},
		{"diagonal of the inverse", 7, func(ctx context.Context) error { _, err := factored.DiagInverse(ctx); return err }},
		{"its factor's", 2, func(ctx context.Context) error { _, err := updated.DiagInverse(ctx); return err }},
		{"solve", 4, func(ctx context.Context) error { return factored.Solve(ctx, mat.DenseCopyOf(wide)) }},
		{"quadratic forms", 2, func(ctx context.Context) error {
			_, err := factored.QuadInverse(ctx, mat.DenseCopyOf(wide))
			return err
		}},
		{"symmetric product", 3, func(ctx context.Context) error { _, err := SymmetricProduct(ctx, 1, wide); return err }},
		{"reduction in one stage", 300, func(ctx context.Context) error { _, err := Tridiagonalize(ctx, definite(300, 3)); return err }},
		{"reduction in two stages", 200, func(ctx context.Context) error { _, err := Tridiagonalize(ctx, definite(1050, 3)); return err }},
		{"reduction with Q", 300, func(ctx context.Context) error {
			_, _, err := TridiagonalizeWithQ(ctx, definite(300, 3), randomDense(300, 100, 2))
			return err
		}},
		{"rotation", 20, func(ctx context.Context) error { return reduced.Rotate(ctx, randomDense(1050, 20, 3)) }},
		{"eigenvalues", 300, func(ctx context.Context) error { _, err := Eigenvalues(ctx, definite(300, 3)); return err }},
		{"independent rows", 200, func(ctx context.Context) error { _, _, err := Independent(ctx, definite(200, 3)); return err }},
	}
	for _, s := range steps {
		t.Run(s.name, func(t *testing.T) {
			func() {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // a single goroutine makes the number of checks reproducible
				whole := after(1 << 40)
				require.NoError(t, s.run(whole))
				n := whole.seen.Load()
				assert.GreaterOrEqual(t, n, s.least)
				ends := []int64{n - 1}
				for k := int64(0); k < n; k = 2*k + 1 {
					ends = append(ends, k)
				}
				for _, k := range ends {
					ctx := after(k)
					require.ErrorIs(t, s.run(ctx), context.Canceled, "after %d of %d checks", k, n)
					assert.LessOrEqual(t, ctx.seen.Load(), k+4, "after %d of %d checks", k, n)
				}
			}()
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
			for _, k := range []int64{0, 1, s.least / 2} {
				assert.ErrorIs(t, s.run(after(k)), context.Canceled, "on several goroutines, after %d checks", k)
			}
		})
	}
}
