package novelty

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
)

var ctx = context.Background()

func normal(n, d int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 0))
	x := mat.NewDense(n, d, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, x)
	return x
}

// Densities equal those of scikit-learn. The bandwidth is the grid point next to the optimum that SciPy finds, with the same
// likelihood. The p-values agree with those from their definition.
func TestAgainstReferences(t *testing.T) {
	var ref struct {
		Cases []struct {
			Name            string
			X, Xt           [][]float64
			Bandwidth, Loss float64
			Score, P        []float64
		}
	}
	golden.Load(t, "sklearn_density.json", &ref)
	require.Len(t, ref.Cases, 4)
	for _, c := range ref.Cases {
		x, xt := golden.Dense(c.X), golden.Dense(c.Xt)
		d := &Density{Bandwidth: c.Bandwidth}
		require.NoError(t, d.Fit(ctx, x))
		score, err := d.Score(xt)
		require.NoError(t, err)
		assert.LessOrEqual(t, golden.MaxError(score, c.Score), 1e-9, c.Name)
		p, err := d.PredictP(xt)
		require.NoError(t, err)
		assert.InDeltaSlice(t, c.P, p, 1e-12, c.Name)

		own := &Density{}
		require.NoError(t, own.Fit(ctx, x))
		assert.InEpsilon(t, c.Bandwidth, own.ChosenBandwidth(), 0.03, c.Name)
		assert.InDelta(t, c.Loss, own.Report().Objective, 1e-3, c.Name)
	}
}

// Score and PredictP equal their documented formulas, computed by loops.
func TestDefinition(t *testing.T) {
	const n, columns, h = 30, 2, 0.4
	x, at := normal(n, columns, 1), normal(20, columns, 2)
	at.Scale(2, at)
	d := &Density{Bandwidth: h, NoScaling: true}
	require.NoError(t, d.Fit(ctx, x))
	kernel := func(a, b []float64) float64 {
		s := 0.0
		for j := range a {
			s += (a[j] - b[j]) * (a[j] - b[j])
		}
		return math.Exp(-s / 2 / h / h)
	}
	score, err := d.Score(at)
	require.NoError(t, err)
	p, err := d.PredictP(at)
	require.NoError(t, err)
	novel, err := d.Predict(at)
	require.NoError(t, err)
	for k := range 20 {
		own := 0.0
		for i := range n {
			own += kernel(at.RawRowView(k), x.RawRowView(i))
		}
		assert.InDelta(t, math.Log(own/n/(2*math.Pi*h*h)), score[k], 1e-10)
		count := 1
		for i := range n {
			sum := kernel(x.RawRowView(i), at.RawRowView(k))
			for j := range n {
				if j != i {
					sum += kernel(x.RawRowView(i), x.RawRowView(j))
				}
			}
			if sum <= own {
				count++
			}
		}
		assert.InDelta(t, float64(count)/(n+1), p[k], 1e-12)
		assert.Equal(t, p[k] <= 0.05, novel[k])
	}
	for i, s := range d.LeaveOneOutScores() {
		var others []int
		for j := range n {
			if j != i {
				others = append(others, j)
			}
		}
		without := &Density{Bandwidth: h, NoScaling: true}
		require.NoError(t, without.Fit(ctx, linalg.Rows(x, others)))
		want, err := without.Score(x.Slice(i, i+1, 0, columns))
		require.NoError(t, err)
		assert.InDelta(t, want[0], s, 1e-9)
	}
}

// rejected returns how often, over several draws of n+1 rows, the last row has a p-value of at most 0.05, and of at most 0.2.
func rejected(t *testing.T, d *Density, n, draws int, draw func(rng *rand.Rand, row []float64), columns int) (at05, at20 float64) {
	t.Helper()
	for k := range draws {
		rng := rand.New(rand.NewPCG(uint64(k), 5))
		x := mat.NewDense(n+1, columns, nil)
		for i := range n + 1 {
			draw(rng, x.RawRowView(i))
		}
		require.NoError(t, d.Fit(ctx, x.Slice(0, n, 0, columns)))
		p, err := d.PredictP(x.Slice(n, n+1, 0, columns))
		require.NoError(t, err)
		if p[0] <= 0.05+1e-12 {
			at05++
		}
		if p[0] <= 0.2+1e-12 {
			at20++
		}
	}
	return at05 / float64(draws), at20 / float64(draws)
}

// If nothing is estimated from the rows, p-values are exact for any distribution and few rows.
func TestPValuesAreExact(t *testing.T) {
	const n, draws = 19, 4000
	within := func(want float64) float64 { return 4 * math.Sqrt(want*(1-want)/draws) }
	for name, draw := range map[string]func(rng *rand.Rand, row []float64){
		"normal": func(rng *rand.Rand, row []float64) {
			for j := range row {
				row[j] = rng.NormFloat64()
			}
		},
		"skewed": func(rng *rand.Rand, row []float64) {
			for j := range row {
				row[j] = math.Exp(2 * rng.NormFloat64())
			}
		},
	} {
		for _, h := range []float64{0.01, 0.5, 10} {
			at05, at20 := rejected(t, &Density{Bandwidth: h, NoScaling: true, Workers: 1}, n, draws, draw, 2)
			assert.InDelta(t, 0.05, at05, within(0.05), "%s, h = %v", name, h)
			assert.InDelta(t, 0.2, at20, within(0.2), "%s, h = %v", name, h)
		}
	}
	// With ties, the probability is at most α.
	at05, at20 := rejected(t, &Density{Bandwidth: 0.5, NoScaling: true, Workers: 1}, n, draws, func(rng *rand.Rand, row []float64) {
		row[0] = float64(rng.IntN(3))
	}, 1)
	assert.LessOrEqual(t, at05, 0.05+within(0.05))
	assert.LessOrEqual(t, at20, 0.2+within(0.2))
}

// If scales and bandwidth are estimated from the rows, the p-values are as close to exact as documented.
func TestPValuesOfTheZeroValue(t *testing.T) {
	draws := 1000
	if testing.Short() {
		draws = 300
	}
	within := 0.02 + 3*math.Sqrt(0.05*0.95/float64(draws))
	for _, columns := range []int{3, 10} {
		at05, at20 := rejected(t, &Density{Workers: 1}, 100, draws, func(rng *rand.Rand, row []float64) {
			for j := range row {
				row[j] = float64(j+1) * rng.NormFloat64()
			}
		}, columns)
		t.Logf("%d columns: %.3f at .05, %.3f at .2", columns, at05, at20)
		assert.InDelta(t, 0.05, at05, within, "%d columns", columns)
		assert.InDelta(t, 0.2, at20, 0.03+3*math.Sqrt(0.2*0.8/float64(draws)), "%d columns", columns)
	}
}

// Other units of the columns change no p-value. They shift the score by the logarithm of the product of the factors.
func TestUnits(t *testing.T) {
	x, at := normal(80, 3, 3), normal(10, 3, 4)
	d := &Density{}
	require.NoError(t, d.Fit(ctx, x))
	p, err := d.PredictP(at)
	require.NoError(t, err)
	score, err := d.Score(at)
	require.NoError(t, err)
	factors := []float64{1e-100, 1e100, 7}
	scale := func(m *mat.Dense) { m.Apply(func(_, j int, v float64) float64 { return v * factors[j] }, m) }
	scale(x)
	scale(at)
	require.NoError(t, d.Fit(ctx, x))
	q, err := d.PredictP(at)
	require.NoError(t, err)
	assert.InDeltaSlice(t, p, q, 1e-12)
	moved, err := d.Score(at)
	require.NoError(t, err)
	for i := range moved {
		assert.InDelta(t, score[i]-math.Log(7), moved[i], 1e-6)
	}

	// Without scaling, the chosen bandwidth is proportional to the common unit.
	plain, big := &Density{NoScaling: true}, &Density{NoScaling: true}
	y := normal(80, 3, 3)
	require.NoError(t, plain.Fit(ctx, y))
	y.Scale(1e5, y)
	require.NoError(t, big.Fit(ctx, y))
	assert.InEpsilon(t, 1e5*plain.ChosenBandwidth(), big.ChosenBandwidth(), 1e-6)
}

// Rows far from all others have a finite score, which decreases with the distance.
func TestFarRows(t *testing.T) {
	d := &Density{}
	require.NoError(t, d.Fit(ctx, normal(50, 2, 1)))
	at := mat.NewDense(6, 2, []float64{5, 5, 50, 50, 1e3, 1e3, 1e9, 1e9, 1e100, 1e100, 1e200, -1e200})
	score, err := d.Score(at)
	require.NoError(t, err)
	for i := 1; i < len(score); i++ {
		assert.Less(t, score[i], score[i-1])
	}
	assert.False(t, math.IsInf(score[5], 0))
	p, err := d.PredictP(at)
	require.NoError(t, err)
	for _, v := range p {
		assert.Equal(t, 1./51, v)
	}
}

// Equal rows do not make the bandwidth 0. A column that is constant in the training rows changes neither the bandwidth nor the
// p-values of rows with its value, and a row with another value is novel.
func TestConstantColumns(t *testing.T) {
	x, at := normal(200, 3, 1), normal(50, 3, 2)
	for _, d := range []*Density{{}, {NoScaling: true}} {
		require.NoError(t, d.Fit(ctx, x))
		h := d.ChosenBandwidth()
		want, err := d.PredictP(at)
		require.NoError(t, err)
		for _, more := range []int{1, 20} {
			wide := func(x *mat.Dense) *mat.Dense {
				n, columns := x.Dims()
				out := mat.NewDense(n, columns+more, nil)
				out.Apply(func(i, j int, _ float64) float64 {
					if j < columns {
						return x.At(i, j)
					}
					return 0.1 * float64(j)
				}, out)
				return out
			}
			require.NoError(t, d.Fit(ctx, wide(x)))
			assert.InEpsilon(t, h, d.ChosenBandwidth(), 1e-9)
			got, err := d.PredictP(wide(at))
			require.NoError(t, err)
			assert.InDeltaSlice(t, want, got, 1e-12)
			odd := wide(x)
			odd.Set(0, 3, 9)
			novel, err := d.Predict(odd)
			require.NoError(t, err)
			assert.True(t, novel[0])
		}
	}
}

func TestEqualRows(t *testing.T) {
	x := normal(200, 2, 1)
	x.Apply(func(_, _ int, v float64) float64 { return math.Round(2*v) / 2 }, x)
	d := &Density{}
	require.NoError(t, d.Fit(ctx, x))
	assert.Greater(t, d.ChosenBandwidth(), 0.05)
	assert.Less(t, d.ChosenBandwidth(), 1.0)

	require.NoError(t, d.Fit(ctx, mat.NewDense(30, 2, nil)))
	require.Len(t, d.Report().Warnings, 1)
	assert.Contains(t, d.Report().Warnings[0], "all rows are equal")
	p, err := d.PredictP(mat.NewDense(2, 2, []float64{0, 0, 9, 0}))
	require.NoError(t, err)
	assert.Equal(t, []float64{1, 1. / 31}, p)
}

// With more rows than a block holds and than the likelihood uses, the sample changes the bandwidth only slightly. No result depends
// on the blocks.
func TestManyRows(t *testing.T) {
	const n = 9000
	x := normal(n, 2, 1)
	var steps []estimators.Step
	d := &Density{Observe: func(s estimators.Step) { steps = append(steps, s) }}
	require.NoError(t, d.Fit(ctx, x))
	require.NotEmpty(t, steps)
	steps = slices.DeleteFunc(steps, func(s estimators.Step) bool { return s.Between })
	for i, s := range steps {
		assert.Equal(t, i+1, s.Iteration)
	}
	last := steps[len(steps)-1]
	assert.Equal(t, last.Total, last.Iteration)
	assert.Equal(t, last.Total, steps[0].Total)
	other := &Density{Seed: 7}
	require.NoError(t, other.Fit(ctx, x))
	assert.InEpsilon(t, d.ChosenBandwidth(), other.ChosenBandwidth(), 0.2)

	at := normal(700, 2, 9)
	score, err := d.Score(at)
	require.NoError(t, err)
	p, err := d.PredictP(at)
	require.NoError(t, err)
	for _, i := range []int{0, 511, 512, 699} {
		one, err := d.Score(at.Slice(i, i+1, 0, 2))
		require.NoError(t, err)
		assert.InDelta(t, score[i], one[0], 1e-9)
		value, err := d.PredictP(at.Slice(i, i+1, 0, 2))
		require.NoError(t, err)
		assert.InDelta(t, p[i], value[0], 1e-3)
	}
	cancellable, cancel := context.WithCancel(ctx)
	d.Observe = func(estimators.Step) { cancel() }
	before := d.ChosenBandwidth()
	require.ErrorIs(t, d.Fit(cancellable, normal(3000, 3, 2)), context.Canceled)
	assert.Equal(t, before, d.ChosenBandwidth())
}

func TestErrors(t *testing.T) {
	x := normal(30, 2, 1)
	for _, d := range []*Density{{Bandwidth: -1}, {Bandwidth: math.NaN()}, {Level: -0.1}, {Level: 1}, {Level: math.Inf(1)}, {Workers: -1}} {
		assert.ErrorIs(t, d.Fit(ctx, x), estimators.ErrParam)
	}
	d := &Density{}
	assert.EqualError(t, d.Fit(ctx, x.Slice(0, 1, 0, 2)), "novelty: Density: x has 1 rows, want at least 2, so that one can be left out")
	require.NoError(t, d.Fit(ctx, x))
	assert.Empty(t, d.Report().Warnings)
	d.Level = 2
	_, err := d.Predict(x)
	assert.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorIs(t, fits(1<<30, 1000), estimators.ErrTooLarge)
	assert.ErrorContains(t, fits(1<<30, 1000), "fit a sample of the rows")

	few := &Density{}
	require.NoError(t, few.Fit(ctx, x.Slice(0, 10, 0, 2)))
	require.Len(t, few.Report().Warnings, 1)
	assert.Contains(t, few.Report().Warnings[0], "the smallest possible p-value of 10 rows is 0.0909, so no row is novel at level 0.05")
}

// Files of each version stay readable and give the same predictions as a fit with the current code.
func TestGoldenFilesStayReadable(t *testing.T) {
	x := mat.NewDense(8, 2, []float64{-3, 1, -2, 0.5, -1, 0, -0.5, 0.2, 0.5, 2, 1, 1, 2, -1, 3, 0.4})
	at := mat.NewDense(3, 2, []float64{-2.5, 1, 0, 0, 7, 3})
	for name, d := range map[string]*Density{"Density": {}, "Density-plain": {NoScaling: true, Bandwidth: 0.7}} {
		require.NoError(t, d.Fit(ctx, x))
		for v := 1; v <= version; v++ {
			read := &Density{}
			require.NoError(t, read.UnmarshalBinary(golden.Model(t, fmt.Sprintf("%s-v%d.keln", name, v), d.MarshalBinary)))
			want, err := d.Score(at)
			require.NoError(t, err)
			got, err := read.Score(at)
			require.NoError(t, err)
			assert.InDeltaSlice(t, want, got, 1e-9)
			p, err := d.PredictP(at)
			require.NoError(t, err)
			q, err := read.PredictP(at)
			require.NoError(t, err)
			assert.InDeltaSlice(t, p, q, 1e-12)
		}
	}
}

func TestHostilePayloads(t *testing.T) {
	d := &Density{}
	require.NoError(t, d.Fit(ctx, normal(6, 2, 1)))
	good, err := d.MarshalBinary()
	require.NoError(t, err)
	three := &Density{}
	require.NoError(t, three.Fit(ctx, normal(6, 3, 1)))
	scaler, err := three.m.scaler.MarshalBinary()
	require.NoError(t, err)
	for name, change := range map[string]func(s *stored){
		"no rows":      func(s *stored) { s.Rows = codec.Matrix{} },
		"a row":        func(s *stored) { s.Rows, s.Left = codec.FromDense(normal(1, 2, 1)), s.Left[:1] },
		"scores":       func(s *stored) { s.Left = s.Left[1:] },
		"a score":      func(s *stored) { s.Left[2] = math.NaN() },
		"more than n":  func(s *stored) { s.Left[2] = 2 },
		"no bandwidth": func(s *stored) { s.Bandwidth = 0 },
		"bandwidth":    func(s *stored) { s.Bandwidth = math.Inf(1) },
		"scaler":       func(s *stored) { s.Scaler = s.Scaler[1:] },
		"width":        func(s *stored) { s.Scaler = scaler },
		"objective":    func(s *stored) { s.Report.Objective = math.Inf(1) },
	} {
		var s stored
		_, err := codec.Unmarshal(good, densityKind, version, &s)
		require.NoError(t, err)
		change(&s)
		data, err := codec.Marshal(densityKind, version, s)
		require.NoError(t, err)
		assert.ErrorIs(t, (&Density{}).UnmarshalBinary(data), estimators.ErrBadModel, name)
	}
}
