package drift_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/drift"
)

// draw returns n rows with three correlated numbers, the second with gaps, and a category with four levels. If change is not nil,
// it is applied to each row.
func draw(n int, seed uint64, change func(row []float64)) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 7))
	x := mat.NewDense(n, 4, nil)
	for i := range n {
		row := x.RawRowView(i)
		row[0] = rng.NormFloat64()
		row[1] = row[0] + rng.NormFloat64()
		row[2] = math.Exp(rng.NormFloat64())
		row[3] = float64(rng.IntN(4))
		if rng.IntN(10) == 0 {
			row[1] = math.NaN()
		}
		if change != nil {
			change(row)
		}
	}
	return x
}

var options = drift.Options{Names: []string{"a", "b", "c", "town"}, Categories: []int{3}, Permutations: 199, Seed: 3}

func tested(t *testing.T, train, new *mat.Dense, o drift.Options) drift.Report {
	t.Helper()
	r, err := drift.Test(context.Background(), train, new, &o)
	require.NoError(t, err)
	return r
}

// mmd computes the estimate from its definition. The function squared returns the squared distance of two rows with scaled columns,
// and median is the median of these distances.
func mmd(x, y [][]float64, squared func(a, b []float64) float64, median float64) float64 {
	k := func(a, b []float64) float64 { return math.Exp(-squared(a, b) / median / 2) }
	m, n := float64(len(x)), float64(len(y))
	sum := 0.0
	for i := range x {
		for j := range x {
			if i != j {
				sum += k(x[i], x[j]) / m / (m - 1)
			}
		}
		for j := range y {
			sum -= 2 * k(x[i], y[j]) / m / n
		}
	}
	for i := range y {
		for j := range y {
			if i != j {
				sum += k(y[i], y[j]) / n / (n - 1)
			}
		}
	}
	return sum
}

// The discrepancy of rows with a number and a category agrees with its definition. The distances were computed by hand.
func TestJointByDefinition(t *testing.T) {
	x := [][]float64{{1, 0}, {2, 0}, {4, 1}}
	y := [][]float64{{3, 1}, {8, 1}}
	// The ranks of 1, 2, 4, 3, 8 have variance 2. Two levels with fractions 0.4 and 0.6 give 2/(1-0.52).
	ranks := map[float64]float64{1: 1, 2: 2, 3: 3, 4: 4, 8: 5}
	squared := func(a, b []float64) float64 {
		d := (ranks[a[0]] - ranks[b[0]]) * (ranks[a[0]] - ranks[b[0]]) / 2
		if a[1] != b[1] {
			d += 2 / (1 - 0.52)
		}
		return d
	}
	// The squared distances in units of 1/2, with c = 8.33 for the category, are 1, 9+c, 4+c, 16+c, 4+c, 1+c, 9+c, 1, 1, 4. Sorted
	// they are 1, 1, 1, 4, 1+c, 4+c, ..., and the median of the ten is (1+c+4+c)/2.
	median := (5.0/2)/2 + 2/(1-0.52)
	r := tested(t, mat.NewDense(3, 2, []float64{1, 0, 2, 0, 4, 1}), mat.NewDense(2, 2, []float64{3, 1, 8, 1}), drift.Options{Categories: []int{1}})
	assert.InDelta(t, mmd(x, y, squared, median), r.Joint.MMD2, 1e-12)
	assert.Equal(t, 999, r.Permutations)
	// Count the divisions, out of ten, with a discrepancy that is at least as large.
	all := append(append([][]float64{}, x...), y...)
	asLarge := 0.0
	for i := range all {
		for j := range i {
			var first, second [][]float64
			for k, row := range all {
				if k == i || k == j {
					second = append(second, row)
				} else {
					first = append(first, row)
				}
			}
			if mmd(first, second, squared, median) >= r.Joint.MMD2-1e-12 {
				asLarge++
			}
		}
	}
	share := asLarge / 10
	assert.InDelta(t, share, r.Joint.P, 5*math.Sqrt(share*(1-share)/999)+1e-3)
}

// If both samples come from one distribution, one p-value in twenty is below 5%, within binomial bounds.
func TestSizeOfTheTests(t *testing.T) {
	const repeats = 300
	joint, any, single := 0, 0, 0
	for i := range uint64(repeats) {
		o := options
		o.Permutations, o.Seed = 99, i
		r := tested(t, draw(30, 2*i+10, nil), draw(20, 2*i+11, nil), o)
		if r.Joint.P <= 0.05 {
			joint++
		}
		if len(r.Drifted(0.05)) > 0 {
			any++
		}
		for _, c := range r.Columns {
			if c.Name == "a" && c.P <= 0.05 {
				single++
			}
		}
	}
	// 15 are expected; P(X > 29) and P(X < 3) are below 0.001 for 300 draws at 5%. Discrete statistics are significant less often.
	assert.LessOrEqual(t, joint, 29)
	assert.GreaterOrEqual(t, joint, 3)
	assert.LessOrEqual(t, any, 29)
	assert.LessOrEqual(t, single, 29)
	assert.GreaterOrEqual(t, single, 1)
}

// Each kind of change is detected in its column. The joint test also detects a change that affects only the dependence between
// columns.
func TestPower(t *testing.T) {
	train := draw(150, 1, nil)
	for name, c := range map[string]struct {
		change func(row []float64)
		by     drift.Statistic
	}{
		"a":    {func(row []float64) { row[0]++ }, drift.KolmogorovSmirnov},
		"b":    {func(row []float64) { row[1] = math.NaN() }, drift.KolmogorovSmirnov},
		"c":    {func(row []float64) { row[2] *= row[2] * row[2] }, drift.KolmogorovSmirnov},
		"town": {func(row []float64) { row[3] = math.Max(row[3], 2) }, drift.ChiSquared},
	} {
		r := tested(t, train, draw(120, 2, c.change), options)
		require.Len(t, r.Drifted(0.01), 1, name)
		assert.Equal(t, name, r.Columns[0].Name)
		assert.Equal(t, c.by, r.Columns[0].By)
		if name == "b" {
			assert.Equal(t, 1.0, r.Columns[0].NewGaps)
			assert.InDelta(t, 0.1, r.Columns[0].TrainGaps, 0.08)
		}
		if name != "c" { // only the spread of c changes, which has little effect among four columns
			assert.LessOrEqual(t, r.Joint.P, 0.05, name)
		}
	}
	turned := draw(120, 2, func(row []float64) { row[0] = -row[0] })
	r := tested(t, train, turned, options)
	assert.Empty(t, r.Drifted(0.01))
	assert.LessOrEqual(t, r.Joint.P, 0.01)
	o := options
	o.Kernel = kernels.Matern{Nu: 1.5, Length: 1}
	assert.LessOrEqual(t, tested(t, train, turned, o).Joint.P, 0.01)
}

// Results do not depend on the number of workers. Another seed changes the permutations but not the discrepancy. The joint test
// draws Options.Rows rows from larger samples.
func TestSeedsAndWorkers(t *testing.T) {
	train, new := draw(130, 1, nil), draw(90, 5, nil)
	o := options
	o.Workers = 1
	want := tested(t, train, new, o)
	o.Workers = 3
	assert.Equal(t, want, tested(t, train, new, o))
	o.Seed++
	other := tested(t, train, new, o)
	assert.Equal(t, want.Joint.MMD2, other.Joint.MMD2)
	o.Rows = 50
	some := tested(t, train, new, o)
	assert.Equal(t, []int{50, 50}, []int{some.Joint.TrainRows, some.Joint.NewRows})
	assert.Equal(t, []int{130, 90}, []int{some.TrainRows, some.NewRows})
	assert.NotEqual(t, other.Joint.MMD2, some.Joint.MMD2)
	steps := 0
	o.Observe = func(estimators.Step) { steps++ }
	assert.Equal(t, some, tested(t, train, new, o))
	assert.GreaterOrEqual(t, steps, 4)
}

// Columns with a single value or with gaps only have statistic 0 and p-value 1.
func TestColumnsOfOneValue(t *testing.T) {
	nan := math.NaN()
	x := mat.NewDense(3, 3, []float64{7, nan, 1, 7, nan, 1, 7, nan, 1})
	r := tested(t, x, x, drift.Options{Categories: []int{2}})
	for _, c := range r.Columns {
		assert.Zero(t, c.Statistic)
		assert.Equal(t, 1.0, c.P)
		assert.Equal(t, 1.0, c.AdjustedP)
	}
	assert.InDelta(t, 0, r.Joint.MMD2, 1e-12)
	assert.Equal(t, 1.0, r.Joint.P)
	huge := mat.NewDense(2, 1, []float64{-math.MaxFloat64, math.MaxFloat64})
	assert.False(t, math.IsNaN(tested(t, huge, huge, drift.Options{}).Joint.MMD2))
}

// broken is a kernel that panics.
type broken struct{}

func (broken) OfSquaredDistances(_, _ []float64) { panic("broken") }

func TestErrors(t *testing.T) {
	ctx := context.Background()
	x := draw(5, 1, nil)
	infinite := mat.DenseCopyOf(x)
	infinite.Set(2, 1, math.Inf(1))
	for name, c := range map[string]struct {
		train, new mat.Matrix
		o          drift.Options
		want       error
	}{
		"one row":           {x, x.Slice(0, 1, 0, 4), drift.Options{}, estimators.ErrShape},
		"other columns":     {x, x.Slice(0, 5, 0, 3), drift.Options{}, estimators.ErrShape},
		"nil":               {nil, x, drift.Options{}, estimators.ErrShape},
		"an infinity":       {x, infinite, drift.Options{}, estimators.ErrNotFinite},
		"names":             {x, x, drift.Options{Names: []string{"a"}}, estimators.ErrParam},
		"a category twice":  {x, x, drift.Options{Categories: []int{1, 1}}, estimators.ErrParam},
		"no such column":    {x, x, drift.Options{Categories: []int{4}}, estimators.ErrParam},
		"permutations":      {x, x, drift.Options{Permutations: -1}, estimators.ErrParam},
		"one row at a time": {x, x, drift.Options{Rows: 1}, estimators.ErrParam},
		"memory":            {x, x, drift.Options{MaxKernelBytes: 799}, estimators.ErrTooLarge},
		"a broken kernel":   {x, x, drift.Options{Kernel: broken{}}, estimators.ErrParam},
	} {
		_, err := drift.Test(ctx, c.train, c.new, &c.o)
		assert.ErrorIs(t, err, c.want, name)
	}
	_, err := drift.Test(ctx, x, infinite, nil)
	assert.EqualError(t, err, "drift: Test: new[2,1] is +Inf")
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	_, err = drift.Test(stopped, x, x, nil)
	assert.ErrorIs(t, err, context.Canceled)
}
