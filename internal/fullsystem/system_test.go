package fullsystem

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/internal/weights"
	"github.com/kernelearn/kernelearn/kernels"
)

// sample returns rows of d columns, the last one constant, and k targets with noise.
func sample(n, d, k int, seed uint64) (x, y *mat.Dense) {
	random := rand.New(rand.NewPCG(seed, 1))
	x, y = mat.NewDense(n, d, nil), mat.NewDense(n, k, nil)
	for i := range n {
		for j := range d - 1 {
			x.Set(i, j, random.NormFloat64())
		}
		x.Set(i, d-1, 3)
		for c := range k {
			y.Set(i, c, 5+math.Sin(2*x.At(i, 0)+float64(c))+x.At(i, 1)*x.At(i, 0)+0.1*random.NormFloat64())
		}
	}
	return x, y
}

// exact is the solution computed with a Cholesky factor.
type exact struct {
	alpha *mat.Dense
	bias  []float64
	eta   []float64
	chol  *linalg.Cholesky
	// inverse is the diagonal of C⁻¹.
	inverse []float64
}

func solveExactly(t *testing.T, k kernels.Kernel, x, y *mat.Dense, w []float64, ridge float64) exact {
	ctx := context.Background()
	c, err := kernels.Matrix(ctx, k, x, nil)
	require.NoError(t, err)
	n, targets := y.Dims()
	for i := range n {
		c.SetSym(i, i, c.At(i, i)+ridge/weights.Weight(w, i))
	}
	chol, err := linalg.NewCholesky(ctx, "test", c)
	require.NoError(t, err)
	b := mat.NewDense(n, 1+targets, nil)
	for i := range n {
		b.Set(i, 0, 1)
		copy(b.RawRowView(i)[1:], y.RawRowView(i))
	}
	require.NoError(t, chol.Solve(ctx, b))
	out := exact{alpha: mat.NewDense(n, targets, nil), eta: mat.Col(nil, 0, b), chol: chol}
	for j := range targets {
		nu := mat.Col(nil, j+1, b)
		out.bias = append(out.bias, vecmath.Sum(nu)/vecmath.Sum(out.eta))
		floats.AddScaled(nu, -out.bias[j], out.eta)
		out.alpha.SetCol(j, nu)
	}
	out.inverse, err = chol.DiagInverse(ctx)
	require.NoError(t, err)
	return out
}

func predict(k kernels.Kernel, x, rows, alpha *mat.Dense, bias []float64) *mat.Dense {
	cross, err := kernels.Cross(context.Background(), k, x, rows, nil)
	if err != nil {
		panic(err)
	}
	var out mat.Dense
	out.Mul(cross, alpha)
	m, _ := out.Dims()
	for i := range m {
		floats.Add(out.RawRowView(i), bias)
	}
	return &out
}

func farthest(a, b *mat.Dense) (most float64) {
	for i, v := range a.RawMatrix().Data {
		most = max(most, math.Abs(v-b.RawMatrix().Data[i]))
	}
	return most
}

// TestPredictionsOfCholesky checks that predictions agree with those of a Cholesky factor, for smooth and nonsmooth kernels,
// several ridges, weights, targets and types of storage.
func TestPredictionsOfCholesky(t *testing.T) {
	lengths := []float64{1, 2, 3, 1}
	random := rand.New(rand.NewPCG(3, 3))
	decades := make([]float64, 2000)
	for i := range decades {
		decades[i] = math.Pow(10, 6*random.Float64()-3)
	}
	single, refined, double := Single, Refined, Double
	const fewTiles = 5 << 21 // bytes; vectors and the factor take most of them
	for _, c := range []struct {
		name    string
		kernel  kernels.Kernel
		ridge   float64
		weights []float64
		targets int
		storage *Storage
		within  float64
		limit   int64
	}{
		{"RBF", kernels.RBF{Gamma: 0.2}, 1e-2, nil, 1, nil, 1e-6, 0},
		{"RBF, a small ridge", kernels.RBF{Gamma: 0.2}, 1e-8, nil, 1, nil, 1e-4, 0}, // the condition number is 1e11,
		{"Matérn 1/2", kernels.Matern{Nu: 0.5, Length: 2}, 1e-2, nil, 5, nil, 1e-6, 0},
		{"Matérn 3/2", kernels.Matern{Nu: 1.5, Length: 2}, 1e-4, nil, 1, nil, 1e-6, 0},
		{"Matérn 5/2", kernels.Matern{Nu: 2.5, Length: 2}, 1e-8, nil, 1, nil, 1e-6, 0},
		{"Matérn 5/2, a large ridge", kernels.Matern{Nu: 2.5, Length: 2}, 1e2, nil, 1, nil, 1e-6, 0},
		{"Laplacian", kernels.Laplacian{Gamma: 0.3}, 1e-2, nil, 1, nil, 1e-6, 0},
		{"rational quadratic", kernels.RationalQuadratic{Alpha: 1}, 1e-2, nil, 1, nil, 1e-6, 0},
		{"periodic", kernels.Periodic{Lengths: []float64{1, 1, 1, 1}, Periods: []float64{6, 6, 6, 6}}, 1e-2, nil, 1, nil, 1e-6, 0},
		{"lengths", kernels.ARD{Kernel: kernels.Matern{Nu: 2.5, Length: 1}, Lengths: lengths}, 1e-3, nil, 2, nil, 1e-6, 0},
		{"linear", kernels.Linear{}, 1e-1, nil, 1, nil, 1e-6, 0},
		{"scaled by 1e20", kernels.Scaled{Kernel: kernels.Matern{Nu: 1.5, Length: 2}, Factor: 1e20}, 1e18, nil, 1, nil, 1e-6, 0},
		{"weights", kernels.Matern{Nu: 1.5, Length: 2}, 1e-2, decades, 2, nil, 1e-6, 0},
		{"float32", kernels.Matern{Nu: 1.5, Length: 2}, 1e-2, nil, 1, &single, 1e-4, 0},
		{"float32 refined", kernels.Matern{Nu: 1.5, Length: 2}, 1e-3, nil, 1, &refined, 1e-6, 0},
		{"float64", kernels.Matern{Nu: 1.5, Length: 2}, 1e-2, nil, 1, &double, 1e-6, 0},
		{"Laplacian of categories", kernels.ARD{Kernel: kernels.Laplacian{}, Lengths: lengths, Categories: []int{3}}, 1e-2, nil, 1,
			nil, 1e-6, 0},
		{"float32 computed in each pass", kernels.Matern{Nu: 2.5, Length: 2}, 1e-2, nil, 1, &single, 1e-4, fewTiles},
		{"float32 rounded in each pass", kernels.RationalQuadratic{Alpha: 1}, 1e-2, nil, 1, &single, 1e-4, fewTiles},
		{"refined, computed in each pass", kernels.Matern{Nu: 1.5, Length: 2}, 1e-3, nil, 1, &refined, 1e-6, fewTiles},
		{"float64 computed in each pass", kernels.Matern{Nu: 1.5, Length: 2}, 1e-2, nil, 1, &double, 1e-6, fewTiles},
	} {
		t.Run(c.name, func(t *testing.T) {
			x, y := sample(2000, 4, c.targets, 2)
			want := solveExactly(t, c.kernel, x, y, c.weights, c.ridge)
			storage := c.storage
			if storage == nil {
				storage = &refined
				if c.ridge < 1e-4 {
					storage = nil
				}
			}
			settings := Settings{Type: "test", Tolerance: 1e-8, Probes: -1, Storage: storage, MaxBytes: c.limit}
			p, err := NewProblem(context.Background(), settings, c.kernel, x, y, c.weights)
			require.NoError(t, err)
			got, report, err := p.Solve(context.Background(), []float64{c.ridge})
			require.NoError(t, err)
			t.Log(report, got[0].Error)
			other, _ := sample(200, 4, 1, 9)
			difference := farthest(predict(c.kernel, other, x, got[0].Alpha, got[0].Bias), predict(c.kernel, other, x, want.alpha, want.bias))
			assert.LessOrEqual(t, difference, c.within)
		})
	}
}

// TestTolerance checks that predictions with the default Tolerance differ from exact ones by at most about a hundredth of the
// residuals.
func TestTolerance(t *testing.T) {
	x, y := sample(1500, 6, 1, 4)
	for _, ridge := range []float64{1e-4, 1e-2, 1} {
		kernel := kernels.Matern{Nu: 1.5, Length: 2}
		want := solveExactly(t, kernel, x, y, nil, ridge)
		left := 0.
		for i, a := range want.alpha.RawMatrix().Data {
			left += a * a / (want.inverse[i] * want.inverse[i]) / float64(len(want.inverse))
		}
		p, err := NewProblem(context.Background(), Settings{Type: "test"}, kernel, x, y, nil)
		require.NoError(t, err)
		got, report, err := p.Solve(context.Background(), []float64{ridge})
		require.NoError(t, err)
		other, _ := sample(500, 6, 1, 9)
		a, b := predict(kernel, other, x, got[0].Alpha, got[0].Bias), predict(kernel, other, x, want.alpha, want.bias)
		a.Sub(a, b)
		change := mat.Norm(a, 2) / math.Sqrt(500) / math.Sqrt(left)
		t.Log(ridge, report, change, got[0].Error)
		assert.LessOrEqual(t, change, 0.02)
		assert.LessOrEqual(t, got[0].Error, 0.01)
		assert.True(t, got[0].Converged)
	}
}

// TestLeavingOut checks that the diagonal of the inverse and the leave-one-out residuals agree with the exact ones.
func TestLeavingOut(t *testing.T) {
	x, y := sample(1200, 5, 1, 5)
	random := rand.New(rand.NewPCG(3, 4))
	w := make([]float64, 1200)
	for i := range w {
		w[i] = 0.5 + random.Float64()
	}
	for _, weighted := range [][]float64{nil, w} {
		kernel, ridge := kernels.Matern{Nu: 1.5, Length: 2}, 1e-2
		want := solveExactly(t, kernel, x, y, weighted, ridge)
		p, err := NewProblem(context.Background(), Settings{Type: "test", Tolerance: 1e-3}, kernel, x, y, weighted)
		require.NoError(t, err)
		got, _, err := p.Solve(context.Background(), []float64{ridge})
		require.NoError(t, err)
		sum, left, exactly := vecmath.Sum(want.eta), 0., 0.
		errors := make([]float64, len(want.inverse))
		for i, v := range want.inverse {
			d := v - want.eta[i]*want.eta[i]/sum
			errors[i] = math.Abs(got[0].Inverse[i]/d - 1)
			left += got[0].Residuals.At(i, 0) * got[0].Residuals.At(i, 0)
			exactly += want.alpha.At(i, 0) / d * want.alpha.At(i, 0) / d
		}
		t.Logf("errors of the diagonal: median %.3g, most %.3g; residuals: %.3g", median(errors), slices.Max(errors), left/exactly)
		assert.Less(t, median(errors), 0.05)
		assert.Less(t, slices.Max(errors), 0.5)
		assert.InDelta(t, 1, left/exactly, 0.05)

		posterior, err := p.Posterior(context.Background(), got[0])
		require.NoError(t, err)
		other, _ := sample(300, 5, 1, 9)
		ones := make([]float64, 300)
		floats.AddConst(1, ones)
		cross, err := kernels.Cross(context.Background(), kernel, other, x, nil)
		require.NoError(t, err)
		variances, err := posterior.Variances(context.Background(), cross, ones)
		require.NoError(t, err)
		quad, err := want.chol.QuadInverse(context.Background(), mat.DenseCopyOf(cross.T()))
		require.NoError(t, err)
		ratios := make([]float64, 300)
		for i, v := range variances {
			ratios[i] = math.Abs(v/(1-quad[i]) - 1)
		}
		assert.Less(t, median(ratios), 0.15)
	}
}

func median(v []float64) float64 {
	sorted := append([]float64(nil), v...)
	for i := range sorted {
		for j := i; j > 0 && sorted[j] < sorted[j-1]; j-- {
			sorted[j], sorted[j-1] = sorted[j-1], sorted[j]
		}
	}
	return sorted[len(sorted)/2]
}

// TestWorkers checks that the result is bit-identical for any number of workers.
func TestWorkers(t *testing.T) {
	x, y := sample(900, 5, 2, 6)
	var first *Solution
	for _, workers := range []int{1, 2, 3} {
		p, err := NewProblem(context.Background(), Settings{Type: "test", Workers: workers}, kernels.Matern{Nu: 1.5, Length: 2}, x, y, nil)
		require.NoError(t, err)
		got, _, err := p.Search(context.Background(), 1e-2, func(float64, float64) {})
		require.NoError(t, err)
		if first == nil {
			first = got
			continue
		}
		assert.Equal(t, first.Ridge, got.Ridge)
		assert.Equal(t, first.Alpha.RawMatrix().Data, got.Alpha.RawMatrix().Data)
		assert.Equal(t, first.Inverse, got.Inverse)
	}
}

// TestTilesThatAreNotKept checks that products are bit-identical whether all tiles, some or none are stored, for any number of
// workers, and agree with float64 products up to rounding.
func TestTilesThatAreNotKept(t *testing.T) {
	ctx := context.Background()
	x, y := sample(1100, 5, 2, 6)
	lengths := []float64{1, 2, 3, 1, 1}
	for _, kernel := range []kernels.Kernel{kernels.Matern{Nu: 2.5, Length: 2}, kernels.RationalQuadratic{},
		kernels.ARD{Kernel: kernels.Laplacian{}, Lengths: lengths, Categories: []int{2}},
		kernels.Scaled{Kernel: kernels.RBF{}, Factor: 3}} {
		var want, first []float64
		for i, share := range []float64{1, 0.3, 0} {
			p, err := NewProblem(ctx, Settings{Type: "test", Workers: 1 + i}, kernel, x, y, nil)
			require.NoError(t, err)
			v := [][]float64{mat.Col(nil, 0, p.targets), mat.Col(nil, 1, p.targets)}
			got := [][]float64{make([]float64, 1100), make([]float64, 1100)}
			require.NoError(t, p.matrix.multiply(ctx, got, v, false))
			if want == nil {
				want = append(got[0], got[1]...)
				got = [][]float64{make([]float64, 1100), make([]float64, 1100)}
			}
			require.NoError(t, p.matrix.build(ctx, true, share))
			require.NoError(t, p.matrix.multiply(ctx, got, v, false))
			all := append(got[0], got[1]...)
			if first == nil {
				first = all
			}
			assert.Equal(t, first, all)
			assert.InDeltaSlice(t, want, all, 1e-6*floats.Norm(want, 2))
			assert.LessOrEqual(t, p.perturbation, 4*rounding*p.norm)
		}
	}
}

// TestRidges checks that solving several ridges together gives the same results as solving them one at a time, and that the search
// finds nearly the best ridge.
func TestRidges(t *testing.T) {
	x, y := sample(900, 5, 1, 7)
	kernel := kernels.Matern{Nu: 2.5, Length: 2}
	s := Settings{Type: "test", Rank: 300}
	p, err := NewProblem(context.Background(), s, kernel, x, y, nil)
	require.NoError(t, err)
	together, _, err := p.Solve(context.Background(), []float64{1e-2, 1})
	require.NoError(t, err)
	for i, ridge := range []float64{1e-2, 1} {
		p, err := NewProblem(context.Background(), s, kernel, x, y, nil)
		require.NoError(t, err)
		alone, _, err := p.Solve(context.Background(), []float64{ridge})
		require.NoError(t, err)
		assert.InDeltaSlice(t, alone[0].Alpha.RawMatrix().Data, together[i].Alpha.RawMatrix().Data, 1e-9)
	}
	loss := func(ridge float64) (sum float64) {
		e := solveExactly(t, kernel, x, y, nil, ridge)
		total := vecmath.Sum(e.eta)
		for i, v := range e.inverse {
			r := e.alpha.At(i, 0) / (v - e.eta[i]*e.eta[i]/total)
			sum += r * r
		}
		return sum
	}
	p, err = NewProblem(context.Background(), Settings{Type: "test"}, kernel, x, y, nil)
	require.NoError(t, err)
	evaluations := 0
	best, _, err := p.Search(context.Background(), 1, func(float64, float64) { evaluations++ })
	require.NoError(t, err)
	assert.LessOrEqual(t, evaluations, 5)
	least := math.Inf(1)
	for _, ridge := range []float64{1. / 27, 1. / 9, 1. / 3, 1, 3} {
		least = min(least, loss(ridge))
	}
	assert.LessOrEqual(t, loss(best.Ridge), 1.05*least)
}

// TestEndsAndErrors checks that every step observes its context, that memory is checked, and that an indefinite kernel is an error.
func TestEndsAndErrors(t *testing.T) {
	x, y := sample(600, 4, 1, 8)
	kernel := kernels.Matern{Nu: 1.5, Length: 2}
	solve := func(ctx context.Context, s Settings, k kernels.Kernel) error {
		p, err := NewProblem(ctx, s, k, x, y, nil)
		if err != nil {
			return err
		}
		_, _, err = p.Solve(ctx, []float64{1e-3})
		return err
	}
	evaluations := &counting{Context: context.Background(), left: math.MaxInt}
	require.NoError(t, solve(evaluations, Settings{Type: "test", Workers: 1}, kernel))
	all := math.MaxInt - evaluations.left
	require.Greater(t, all, 50)
	for left := 0; left < all; left += 1 + all/40 {
		ending := &counting{Context: context.Background(), left: left}
		assert.ErrorIs(t, solve(ending, Settings{Type: "test", Workers: 1}, kernel), context.Canceled)
	}
	assert.ErrorIs(t, solve(context.Background(), Settings{Type: "test", MaxBytes: 1000}, kernel), fault.ErrTooLarge)
	p, err := NewProblem(context.Background(), Settings{Type: "test", MaxBytes: 9 << 18}, kernel, x, y, nil)
	require.NoError(t, err)
	_, report, err := p.Solve(context.Background(), []float64{1e-2})
	require.NoError(t, err)
	assert.Less(t, report.Kept, 1.0)
	assert.Contains(t, report.Entries(), "% of it stored")
	assert.ErrorIs(t, solve(context.Background(), Settings{Type: "test"}, kernels.Tanh{Gamma: 1, Coef0: -1}), fault.ErrNotPSD)
}

// TestSmallerFactor checks that the rank is reduced if memory cannot hold the largest factor in addition to the tiles.
func TestSmallerFactor(t *testing.T) {
	x, y := sample(2000, 4, 1, 8)
	limit := int64(tileBytes(2000, 4) + 8*2000*500)
	p, err := NewProblem(context.Background(), Settings{Type: "test", MaxBytes: limit}, kernels.RationalQuadratic{Alpha: 1}, x, y, nil)
	require.NoError(t, err)
	_, report, err := p.Solve(context.Background(), []float64{1e-1})
	require.NoError(t, err)
	assert.Equal(t, Single, report.Storage)
	assert.Equal(t, 1.0, report.Kept)
	assert.Less(t, report.Rank, int(float64(limit)*factorShare/(8*2000)))
}

// counting is a context that is cancelled after a number of checks.
type counting struct {
	context.Context
	left int
}

func (c *counting) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestDoubling checks that a solution continues after the rank was doubled once.
func TestDoubling(t *testing.T) {
	x, y := sample(700, 5, 1, 9)
	kernel, ridge := kernels.Matern{Nu: 1.5, Length: 2}, 1e-2
	p, err := NewProblem(context.Background(), Settings{Type: "test", Rank: 60, Tolerance: 1e-8, Probes: -1}, kernel, x, y, nil)
	require.NoError(t, err)
	require.NoError(t, p.prepare(context.Background(), context.Background(), ridge, 1, 2))
	require.NoError(t, p.conditioner.shift(context.Background(), ridge))
	s, err := p.newSystem(context.Background(), ridge)
	require.NoError(t, err)
	for _, side := range s.all() {
		side.state = stagnated
	}
	var report Report
	require.NoError(t, p.run(context.Background(), s.all(), nil, &report))
	assert.Equal(t, 200, p.conditioner.rank())
	assert.Len(t, report.Warnings, 1)
	got := &Solution{Ridge: ridge, system: s}
	p.solution(got)
	assert.True(t, got.Converged)
	want := solveExactly(t, kernel, x, y, nil, ridge)
	assert.LessOrEqual(t, farthest(predict(kernel, x, x, got.Alpha, got.Bias), predict(kernel, x, x, want.alpha, want.bias)), 1e-4)

	s.ones.state = stagnated
	again := Report{}
	require.NoError(t, p.run(context.Background(), s.all(), nil, &again))
	assert.Equal(t, 200, p.conditioner.rank())
	assert.ErrorContains(t, errors.New(again.Warnings[0]), "did not reach the tolerance")
}

// TestValuesRoundedOnce checks that a ridge too small for values computed in float32 uses values computed in float64 and rounded to
// float32.
func TestValuesRoundedOnce(t *testing.T) {
	ctx := context.Background()
	x, y := sample(900, 4, 1, 8)
	kernel := kernels.Matern{Nu: 2.5, Length: 2}
	p, err := NewProblem(ctx, Settings{Type: "test", Tolerance: 1e-8, Probes: -1}, kernel, x, y, nil)
	require.NoError(t, err)
	if !p.matrix.hasSingle {
		t.Skip("no vector instructions")
	}
	_, report, err := p.Solve(ctx, []float64{1})
	require.NoError(t, err)
	assert.Equal(t, Single, report.Storage)
	once := rounding * p.norm
	require.Greater(t, p.perturbation, 1.2*once)
	ridge := 1.1 * refines * 2 * once / math.Sqrt(900)
	got, report, err := p.Solve(ctx, []float64{ridge})
	require.NoError(t, err)
	assert.Equal(t, Refined, report.Storage)
	assert.False(t, p.matrix.hasSingle)
	assert.True(t, p.matrix.hasTiles(true))
	want := solveExactly(t, kernel, x, y, nil, ridge)
	// Each of the two corrections leaves a third of the error.
	assert.LessOrEqual(t, farthest(predict(kernel, x, x, got[0].Alpha, got[0].Bias), predict(kernel, x, x, want.alpha, want.bias)), 1e-5)
}
