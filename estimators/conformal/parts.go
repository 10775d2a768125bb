package conformal

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// fold is a fit without some rows, and their scores.
type fold[E any] struct {
	fitted E
	rows   []int
	scores []float64
}

// checkParts validates the fields that Regressor and Classifier share.
func checkParts(typ string, held float64, folds, workers int) error {
	switch {
	case !(held >= 0 && held < 1):
		return fault.Param(typ, "Held", held, "in (0, 1), or 0 for .5")
	case folds == 1:
		return fault.Param(typ, "Folds", folds, ">= 2, or 0 for 10")
	}
	return cmp.Or(check.Setting(typ, "Folds", folds, "10"), check.Workers(typ, workers))
}

func tell(ctx context.Context, i, total int, message string) {
	progress.Tell(ctx, progress.Step{Iteration: i, Total: total, Message: message})
}

// order is a random one of n rows.
func order(n int, seed uint64) []int { return rand.New(rand.NewPCG(seed, 0x636f6e666f726d)).Perm(n) }

// parts deals the rows to parts of these shares, in random order; each part ascends.
func parts(n int, seed uint64, sizes ...int) [][]int {
	order := order(n, seed)
	out := make([][]int, len(sizes))
	for i, size := range sizes {
		out[i] = slices.Sorted(slices.Values(order[:size]))
		order = order[size:]
	}
	return out
}

func pick(v []float64, rows []int) []float64 {
	if v == nil {
		return nil
	}
	out := make([]float64, len(rows))
	for i, row := range rows {
		out[i] = v[row]
	}
	return out
}

func all(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
