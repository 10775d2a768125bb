package lssvm

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/internal/varying"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/kernels"
)

const (
	// leastToChoose is the number of rows below which leave-one-out cannot distinguish lengths.
	leastToChoose = 10
	// mostToChoose is the largest number of rows on which lengths are compared. If there are more, a sample is used. Each length
	// needs a reduction of a kernel matrix, and the best length changes little with more rows.
	mostToChoose = 300
	// usualLengths is the usual number of compared lengths.
	usualLengths = 9
	// ridgesToChoose is the number of ridges that are evaluated for each length. The smallest is leastToCompare, in units of the
	// variance of the rows in feature space, and each is ten times the previous one.
	ridgesToChoose, leastToCompare = 13, 1e-8
)

// choosesLength reports whether the length of the kernel is chosen for n rows.
func (s machineSettings) choosesLength(n int) bool {
	return s.kernel == nil && n >= leastToChoose && givenRidge(s.ridge, s.rule, n) == 0
}

// orChosen returns the configured kernel. If there is none, the kernel uses the columns that vary. If the length is not chosen, the
// kernel is RBF with the median distance. Otherwise it is the Matérn kernel of ν = 5/2 whose length has the smallest leave-one-out
// error with its best ridge.
func (s machineSettings) orChosen(ctx context.Context, x mat.Matrix, targets *mat.Dense, own []float64, groups [][]int) (kernels.Kernel,
	error) {
	if s.kernel != nil {
		return kernels.OrMedianRBF(ctx, s.kernel, x, s.seed)
	}
	rows := x.(*mat.Dense) // sparse rows always have a Kernel
	n, _ := rows.Dims()
	columns := varying.Find(rows)
	if !s.choosesLength(n) {
		k, err := kernels.MedianRBF(ctx, rows, s.seed)
		return columns.Kernel(k), err
	}
	median, err := kernels.MedianRBF(ctx, rows, s.seed)
	if err != nil {
		return nil, err
	}
	if n > mostToChoose {
		drawn := rand.New(rand.NewPCG(s.seed, 0x6c656e677468)).Perm(n)[:mostToChoose] // the stream "length"
		slices.Sort(drawn)
		groups = remainingGroups(groups, drawn)
		rows, targets = linalg.Rows(rows, drawn), linalg.Rows(targets, drawn)
		if own != nil {
			of := make([]float64, len(drawn))
			for i, r := range drawn {
				of[i] = own[r]
			}
			own = of
		}
	}
	kernel := func(length float64) kernels.Kernel {
		return kernels.Matern{Nu: 2.5, Length: length / math.Sqrt(median.Gamma)}
	}
	parts := progress.NewSeries(ctx, usualLengths)
	lengths := &loo.Lengths{Error: func(_ context.Context, length float64) (float64, error) {
		ctx := parts.Next()
		k, err := s.matrix(progress.Detach(ctx), kernel(length), rows)
		if err != nil {
			return 0, err
		}
		p, err := loo.New(ctx, k, targets, own, s.options.Workers)
		if err != nil {
			return 0, err
		}
		p.LeaveGroupsOut(groups)
		return p.Least(ctx, leastToCompare, ridgesToChoose)
	}}
	length, err := lengths.Search(ctx)
	if err != nil {
		return nil, err
	}
	return columns.Kernel(kernel(length)), nil
}

// remainingGroups returns the groups of some of the rows, which are in ascending order, as positions among those rows. Groups with
// fewer than two of the rows are dropped.
func remainingGroups(groups [][]int, rows []int) [][]int {
	var out [][]int
	for _, group := range groups {
		var places []int
		for _, i := range group {
			if at, found := slices.BinarySearch(rows, i); found {
				places = append(places, at)
			}
		}
		if len(places) > 1 {
			out = append(out, places)
		}
	}
	return out
}
