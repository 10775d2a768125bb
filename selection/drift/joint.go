package drift

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// batchSize is the number of permutations per matrix product.
const batchSize = 64

func batches(permutations int) int { return (permutations + batchSize) / batchSize } // including the original samples

// testJointly computes the MMD of both samples, and its p-value from permutations.
func (s *samples) testJointly(ctx context.Context, steps *progress.Steps) (Joint, error) {
	x, y := s.draw(s.train, 0), s.draw(s.new, 1)
	m, _ := x.Dims()
	n, _ := y.Dims()
	all := &mat.Dense{}
	all.Stack(x, y)
	size := m + n
	if bytes := 8 * int64(size) * int64(size); bytes > s.MaxKernelBytes {
		return Joint{}, &fault.TooLargeError{Type: typ, What: "the kernel matrix of the joint test", Bytes: bytes, Limit: s.MaxKernelBytes,
			Hint: "fewer Rows"}
	}
	k, err := s.kernelMatrix(ctx, all)
	if err != nil {
		return Joint{}, err
	}
	values := make([]float64, 1+s.Permutations)
	err = parallel.ForEach(ctx, s.Workers, batches(s.Permutations), func(b int) error {
		from, to := b*batchSize, min((b+1)*batchSize, len(values))
		if err := s.discrepancies(ctx, k, m, values[from:to], from); err != nil {
			return err
		}
		steps.Next(0, "permutations")
		return nil
	})
	if err != nil {
		return Joint{}, err
	}
	const rounding = 1e-12
	asLarge := 0
	for _, v := range values[1:] {
		if v >= values[0]-rounding {
			asLarge++
		}
	}
	return Joint{MMD2: values[0], P: float64(1+asLarge) / float64(1+s.Permutations), TrainRows: m, NewRows: n}, nil
}

// discrepancies computes the MMD² between the first m rows of a random order and the others, for each of the orders from number
// first on. Order 0 is the original order. If c is the indicator of the first sample, and k has zeros on its diagonal, cᵀkc is the
// sum of kernel values within the first sample.
func (s *samples) discrepancies(ctx context.Context, k *mat.Dense, m int, values []float64, first int) error {
	size, _ := k.Dims()
	chosen := mat.NewDense(size, len(values), nil)
	for b := range values {
		order := make([]int, size)
		for i := range order {
			order[i] = i
		}
		if first+b > 0 {
			rng := rand.New(rand.NewPCG(s.Seed, permutationStream<<20+uint64(first+b)))
			rng.Shuffle(size, func(i, j int) { order[i], order[j] = order[j], order[i] })
		}
		for _, i := range order[:m] {
			chosen.Set(i, b, 1)
		}
	}
	sums := mat.NewDense(size, len(values), nil)
	if err := fast.MulContext(ctx, sums, k, chosen); err != nil {
		return err
	}
	total := 0.0
	for i := range size {
		for _, v := range k.RawRowView(i) {
			total += v
		}
	}
	n := size - m
	for b := range values {
		within, between := 0.0, 0.0
		for i := range size {
			if chosen.At(i, b) == 1 {
				within += sums.At(i, b)
			} else {
				between += sums.At(i, b)
			}
		}
		values[b] = within/float64(m*(m-1)) + (total-within-2*between)/float64(n*(n-1)) - 2*between/float64(m*n)
	}
	return nil
}

// kernelMatrix returns the kernel matrix of rows, with 0 on the diagonal.
func (s *samples) kernelMatrix(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	size, d := x.Dims()
	squared := mat.NewDense(size, size, nil)
	columns := make([]func(i, j int) float64, 0, d)
	for j := range d {
		columns = append(columns, s.columnDistances(mat.Col(nil, j, x), s.categories[j])...)
	}
	err := parallel.ForEach(ctx, s.Workers, size, func(i int) error {
		row := squared.RawRowView(i)
		for _, distance := range columns {
			for j := range row {
				row[j] += distance(i, j)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	unit := medianDistance(squared)
	err = parallel.ForEach(ctx, s.Workers, size, func(i int) error {
		row := squared.RawRowView(i)
		for j := range row {
			row[j] /= unit
		}
		s.Kernel.OfSquaredDistances(row, row)
		row[i] = 0
		return nil
	})
	return squared, err
}

// columnDistances returns functions that compute the squared distance of two rows in a column. A numeric column with gaps has two
// of them, and a constant column has none.
func (s *samples) columnDistances(values []float64, category bool) (out []func(i, j int) float64) {
	if category {
		return levelDistances(values)
	}
	missing, gaps := make([]float64, len(values)), 0
	for i, v := range values {
		if math.IsNaN(v) {
			missing[i] = 1
			gaps++
		}
	}
	if gaps > 0 {
		out = levelDistances(missing)
	}
	if scaled := scaledRanks(values, gaps); scaled != nil {
		out = append(out, func(i, j int) float64 { off := scaled[i] - scaled[j]; return off * off })
	}
	return out
}

// scaledRanks returns the ranks of values, with the mean rank for ties, minus their mean and divided by their standard deviation.
// Gaps are 0. It returns nil if all values are equal.
func scaledRanks(values []float64, gaps int) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	order = order[gaps:] // gaps come first
	middle := float64(len(order)-1) / 2
	out, square := make([]float64, len(values)), 0.0
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		rank := float64(from+to-1)/2 - middle
		for _, i := range order[from:to] {
			out[i] = rank
		}
		square += float64(to-from) * rank * rank
		from = to
	}
	if square == 0 {
		return nil
	}
	deviation := math.Sqrt(square / float64(len(values)))
	for i := range out {
		out[i] /= deviation
	}
	return out
}

// levelDistances returns one function, which is 0 for equal values and otherwise a constant. The constant makes the mean over all
// pairs 2. It returns nil for a constant column.
func levelDistances(values []float64) []func(i, j int) float64 {
	c := countLevels(values, nil)
	if len(c.of) < 2 {
		return nil
	}
	equal := 0.0 // fraction of pairs
	for _, count := range c.of {
		share := float64(count) / float64(len(values))
		equal += share * share
	}
	other := 2 / (1 - equal)
	return []func(i, j int) float64{func(i, j int) float64 {
		if c.levels[i] == c.levels[j] {
			return 0
		}
		return other
	}}
}

// medianDistance returns the median of the positive squared distances between rows, or 1 if there are none.
func medianDistance(squared *mat.Dense) float64 {
	size, _ := squared.Dims()
	var all []float64
	for i := range size {
		for _, v := range squared.RawRowView(i)[i+1:] {
			if v > 0 {
				all = append(all, v)
			}
		}
	}
	if len(all) == 0 {
		return 1
	}
	slices.Sort(all)
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}
