package conformal

import (
	"context"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/groups"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// fold is an estimator that was fitted without some rows, and the scores of these rows.
type fold[E any] struct {
	fitted E
	rows   []int
	scores []float64
	spread *spread // set if Regressor.Spread is set
}

// checkGroups returns an error if there are groups and the method cannot leave out groups.
func checkGroups(typ string, groups []int, m Method) error {
	if groups != nil && m != Automatic && m != CrossValidation && m != Split {
		return fault.Param(typ, "Method", m.String(), "CrossValidation or Split with Groups")
	}
	return nil
}

func tell(ctx context.Context, i, total int, message string) {
	progress.Tell(ctx, progress.Step{Iteration: i, Total: total, Message: message})
}

func stream(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x636f6e666f726d)) }

// order returns a random permutation of n rows.
func order(n int, seed uint64) []int { return stream(seed).Perm(n) }

// parts divides the rows at random into parts of the given sizes. The row numbers of a part are ascending. If of is not nil, it
// holds the groups of the rows, which stay together. If labels is not nil, each part has its share of each label, as far as the
// groups allow.
func parts(of, labels []int, seed uint64, sizes ...int) ([][]int, error) {
	out := make([][]int, len(sizes))
	if of == nil {
		n := 0
		for _, size := range sizes {
			n += size
		}
		rows := order(n, seed)
		for i, size := range sizes {
			out[i] = slices.Sorted(slices.Values(rows[:size]))
			rows = rows[size:]
		}
		return out, nil
	}
	if err := groups.Check(of, len(of), len(sizes)); err != nil {
		return nil, err
	}
	shares := make([]float64, len(sizes))
	for i, size := range sizes {
		shares[i] = float64(size)
	}
	for row, part := range groups.Deal(of, labels, shares, stream(seed)) {
		out[part] = append(out[part], row)
	}
	return out, nil
}

// sizes returns the sizes of k parts of n rows, which differ by at most 1.
func sizes(n, k int) []int {
	sizes := make([]int, k)
	for i := range sizes {
		sizes[i] = (i+1)*n/k - i*n/k
	}
	return sizes
}

// originals returns the rows without copies, and their weights, since the score of a copy contains no information about a new row.
// If there are groups, it keeps all rows.
func originals[T float64 | int](x *mat.Dense, target []T, own []float64, of []int) (rows []int, weights []float64, err error) {
	if of != nil {
		return rowsUpTo(len(target)), own, groups.Check(of, len(target), 2)
	}
	rows, own = distinct.Originals(x, target, own)
	if rows == nil {
		rows = rowsUpTo(len(target))
	}
	return rows, own, nil
}

func rowsUpTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
