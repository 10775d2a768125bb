package measures

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
)

// definition computes the measures of two classes from the sums of the paper, eqs. 5 and 14-17, and centred KTA from a centred
// matrix.
func definition(k mat.Matrix, y []int, plus int) Separability {
	n, _ := k.Dims()
	sign, count := make([]float64, n), [2]float64{}
	side := func(i int) int {
		if y[i] == plus {
			return 0
		}
		return 1
	}
	for i := range n {
		sign[i] = 1 - 2*float64(side(i))
		count[side(i)]++
	}
	var to [2][]float64 // to[s][i] is the mean of k[i,j] over all j in class s
	var block [2][2]float64
	for s := range to {
		to[s] = make([]float64, n)
		for i := range n {
			for j := range n {
				if side(j) == s {
					to[s][i] += k.At(i, j) / count[s]
				}
			}
			block[side(i)][s] += to[s][i] / count[side(i)]
		}
	}
	d2 := block[0][0] + block[1][1] - block[0][1] - block[1][0]
	var std, trace [2]float64
	for i := range n {
		s := side(i)
		v := to[1-s][i] - to[s][i] + block[s][s] - block[s][1-s]
		if count[s] > 1 {
			std[s] += v * v / (count[s] - 1) / d2
			trace[s] += (k.At(i, i) - block[s][s]) / (count[s] - 1)
		}
	}
	out := Separability{Distance2: d2}
	out.FSM = (math.Sqrt(std[0]) + math.Sqrt(std[1])) / math.Sqrt(d2)
	out.FSMErr = out.FSM * out.FSM / (1 + out.FSM*out.FSM)
	out.CSM = (trace[0] + trace[1]) / d2
	out.CSMNorm = out.CSM / (1 + out.CSM)
	out.Alignment = alignmentByDefinition(k, sign)
	return out
}

func alignmentByDefinition(k mat.Matrix, y []float64) Alignment {
	n, _ := k.Dims()
	centre := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			centre.Set(i, j, -1/float64(n))
		}
		centre.Set(i, i, 1-1/float64(n))
	}
	var hkh mat.Dense
	hkh.Product(centre, k, centre)
	v, hv := mat.NewVecDense(n, y), mat.NewVecDense(n, nil)
	hv.MulVec(centre, v)
	return Alignment{
		KTA:        mat.Inner(v, k, v) / mat.Norm(k, 2) / mat.Dot(v, v),
		CentredKTA: mat.Inner(hv, &hkh, hv) / mat.Norm(&hkh, 2) / mat.Dot(hv, hv),
	}
}

func fields(m Separability) []float64 {
	return []float64{m.KTA, m.CentredKTA, m.FSM, m.FSMErr, m.CSM, m.CSMNorm, m.Distance2}
}

// invariant returns the fields that Theorem 2 declares invariant.
func invariant(m Separability) []float64 {
	return []float64{m.CentredKTA, m.FSM, m.FSMErr, m.CSM, m.CSMNorm}
}

// shifted returns n normal rows with d columns in separate classes, and their labels.
func shifted(n, d, classes int, seed uint64) (*mat.Dense, []int) {
	x, y := normal(n, d, seed), make([]int, n)
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := range y {
		y[i] = rng.IntN(classes)
		if i < 2*classes {
			y[i] = i % classes // each class has at least two rows
		}
		x.Set(i, 0, x.At(i, 0)+float64(y[i]))
	}
	return x, y
}

// evalOnly hides all methods of a kernel except Eval.
type evalOnly struct{ k kernels.Kernel }

func (e evalOnly) Eval(x, z []float64) float64 { return e.k.Eval(x, z) }
func (e evalOnly) String() string              { return "evalOnly" }

// packed hides that a matrix is a SymDense.
type packed struct{ mat.Symmetric }

// The measures agree with their definition, for matrices that are smaller than one tile, equal to it, and two and a half times as
// large.
func TestDefinition(t *testing.T) {
	for _, n := range []int{5, tile, 300} {
		x, y := shifted(n, 3, 2, uint64(n))
		for _, k := range []kernels.Kernel{kernels.Linear{}, kernels.RBF{Gamma: 0.3}, kernels.Polynomial{Degree: 2, Coef0: 1}} {
			km, err := kernels.Matrix(ctx, k, x, nil)
			require.NoError(t, err)
			want := fields(definition(km, y, 1))
			same := func(from string, m Separability, err error) {
				t.Helper()
				require.NoError(t, err)
				assert.LessOrEqual(t, golden.MaxError(fields(m), want), 1e-10, "%v, n = %d, %s: %+v, want %v", k, n, from, m, want)
			}
			m, err := SeparabilityOfMatrix(ctx, km, y, nil)
			same("matrix", m, err)
			m, err = SeparabilityOfMatrix(ctx, packed{km}, y, nil)
			same("another matrix type", m, err)
			m, err = SeparabilityOfKernel(ctx, k, x, y, nil)
			same("kernel", m, err)
			m, err = SeparabilityOfKernel(ctx, evalOnly{k}, x.T().T(), y, nil)
			same("kernel without blocks", m, err)
			if k == (kernels.Linear{}) {
				m, err = SeparabilityOfFeatures(ctx, x, y, nil)
				same("features", m, err)
			}
		}
	}
}

func TestSeveralClassesAreTheMeanOfOneAgainstTheRest(t *testing.T) {
	x, y := shifted(200, 4, 3, 9)
	km, err := kernels.Matrix(ctx, kernels.Linear{}, x, nil)
	require.NoError(t, err)
	want := make([]float64, 7)
	for class := range 3 {
		for f, v := range fields(definition(km, y, class)) {
			want[f] += v / 3
		}
	}
	fromMatrix, err := SeparabilityOfMatrix(ctx, km, y, nil)
	require.NoError(t, err)
	fromFeatures, err := SeparabilityOfFeatures(ctx, x, y, nil)
	require.NoError(t, err)
	for _, m := range []Separability{fromMatrix, fromFeatures} {
		assert.LessOrEqual(t, golden.MaxError(fields(m), want), 1e-11, "%+v, want %v", m, want)
	}
	for i := range y {
		y[i] = 70 - 5*y[i] // other labels in another order
	}
	renamed, err := SeparabilityOfMatrix(ctx, km, y, nil)
	require.NoError(t, err)
	assert.LessOrEqual(t, golden.MaxError(fields(renamed), want), 1e-11)
}

func TestRealTargets(t *testing.T) {
	x := normal(300, 3, 4)
	y := make([]float64, 300)
	for i := range y {
		y[i] = 5 + math.Sin(x.At(i, 0)) + x.At(i, 1)
	}
	km, err := kernels.Matrix(ctx, kernels.Linear{}, x, nil)
	require.NoError(t, err)
	want := alignmentByDefinition(km, y)
	huge := make([]float64, len(y))
	for i, v := range y {
		huge[i] = 1e200 * v
	}
	same := func(from string, a Alignment, err error) {
		t.Helper()
		require.NoError(t, err)
		assert.InDelta(t, want.KTA, a.KTA, 1e-12, from)
		assert.InDelta(t, want.CentredKTA, a.CentredKTA, 1e-12, from)
	}
	a, err := AlignmentOfMatrix(ctx, km, y, nil)
	same("matrix", a, err)
	a, err = AlignmentOfMatrix(ctx, km, huge, nil)
	same("targets whose squares overflow", a, err)
	a, err = AlignmentOfKernel(ctx, kernels.Linear{}, x, y, nil)
	same("kernel", a, err)
	a, err = AlignmentOfFeatures(ctx, x, y, nil)
	same("features", a, err)
	few := x.Slice(0, 3, 0, 3) // as many features as rows
	a, err = AlignmentOfFeatures(ctx, few, y[:3], nil)
	require.NoError(t, err)
	want = alignmentByDefinition(km.SliceSym(0, 3), y[:3])
	same("as many features as rows", a, nil)

	constant := make([]float64, 300)
	for i := range constant {
		constant[i] = 0.1
	}
	a, err = AlignmentOfMatrix(ctx, km, constant, nil)
	require.NoError(t, err)
	assert.Zero(t, a.CentredKTA)
	a, err = AlignmentOfMatrix(ctx, km, make([]float64, 300), nil)
	require.NoError(t, err)
	assert.Zero(t, a)
	a, err = AlignmentOfMatrix(ctx, mat.NewSymDense(300, nil), y, nil)
	require.NoError(t, err)
	assert.Zero(t, a)
}

// Theorem 2: translations, rotations and scalings of the feature space change only KTA, and the order of the rows changes nothing.
func TestInvariance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(8, 160).Draw(t, "n")
		d := rapid.IntRange(1, 6).Draw(t, "d")
		seed := rapid.Uint64().Draw(t, "seed")
		x, y := shifted(n, d, rapid.IntRange(2, 4).Draw(t, "classes"), seed)
		base, err := SeparabilityOfKernel(ctx, kernels.Linear{}, x, y, nil)
		require.NoError(t, err)

		moved, by := mat.DenseCopyOf(x), normal(1, d, seed+1)
		for i := range n {
			for j := range d {
				moved.Set(i, j, x.At(i, j)+10*by.At(0, j))
			}
		}
		var qr mat.QR
		var q, turned mat.Dense
		qr.Factorize(normal(d, d, seed+2))
		qr.QTo(&q)
		turned.Mul(x, &q)
		for name, z := range map[string]*mat.Dense{"translation": moved, "rotation": &turned} {
			for _, of := range []func(*mat.Dense) (Separability, error){
				func(z *mat.Dense) (Separability, error) {
					return SeparabilityOfKernel(ctx, kernels.Linear{}, z, y, nil)
				},
				func(z *mat.Dense) (Separability, error) { return SeparabilityOfFeatures(ctx, z, y, nil) },
			} {
				m, err := of(z)
				require.NoError(t, err)
				assert.LessOrEqual(t, golden.MaxError(invariant(m), invariant(base)), 1e-7, name)
				assert.InEpsilon(t, base.Distance2, m.Distance2, 1e-7, name)
			}
		}
		power := rapid.SampledFrom([]int{-500, -3, 3, 500}).Draw(t, "power")
		scaled, err := SeparabilityOfKernel(ctx, kernels.Scaled{Kernel: kernels.Linear{}, Factor: 3 * math.Ldexp(1, power)}, x, y, nil)
		require.NoError(t, err)
		assert.LessOrEqual(t, golden.MaxError(append(invariant(scaled), scaled.KTA), append(invariant(base), base.KTA)), 1e-7, "scale")

		order := rand.New(rand.NewPCG(seed, 3)).Perm(n)
		mixed, labels := mat.NewDense(n, d, nil), make([]int, n)
		for i, at := range order {
			mixed.SetRow(i, x.RawRowView(at))
			labels[i] = y[at]
		}
		m, err := SeparabilityOfKernel(ctx, kernels.Linear{}, mixed, labels, nil)
		require.NoError(t, err)
		assert.LessOrEqual(t, golden.MaxError(fields(m), fields(base)), 1e-7, "order of rows")
	})
}

// Examples 1 and 2 of the paper: KTA can have any value for the best and the worst kernel, according to eqs. 8 and 9. Example 3:
// for positive elements, KTA is within the bounds of eq. 10.
func TestExamplesOfThePaper(t *testing.T) {
	const plus, minus = 6, 10
	n := float64(plus + minus)
	square := float64(plus*plus + minus*minus)
	for _, alpha := range []float64{-1, -0.5, 0, 0.5, 0.99} {
		best, worst := mat.NewSymDense(plus+minus, nil), mat.NewSymDense(plus+minus, nil)
		y := make([]int, plus+minus)
		for i := range y {
			if i >= plus {
				y[i] = 1
			}
			for j := i; j < plus+minus; j++ {
				v, w := 1.0, 1.0
				if (i < plus) != (j < plus) {
					v = alpha
				}
				if i%2 != j%2 {
					w = alpha
				}
				best.SetSym(i, j, v)
				worst.SetSym(i, j, w)
			}
		}
		m, err := SeparabilityOfMatrix(ctx, best, y, nil)
		require.NoError(t, err)
		assert.InDelta(t, (square-2*plus*minus*alpha)/(n*math.Sqrt(square+2*plus*minus*alpha*alpha)), m.KTA, 1e-14, "eq. 8")
		assert.InDelta(t, 0, m.FSM, 1e-12, "best is 0, not infinite")
		assert.InDelta(t, 0, m.CSM, 1e-12)
		if alpha >= 0 {
			assert.LessOrEqual(t, m.KTA, math.Sqrt(square)/n+1e-14, "eq. 10")
		}
		m, err = SeparabilityOfMatrix(ctx, worst, y, nil)
		require.NoError(t, err)
		assert.InDelta(t, (plus-minus)*(plus-minus)*(1+alpha)/2/(n*n*math.Sqrt((1+alpha*alpha)/2)), m.KTA, 1e-14, "eq. 9")
		assert.Equal(t, math.Inf(1), m.FSM, "worst is infinite, not 0")
		assert.Equal(t, math.Inf(1), m.CSM)
		assert.Equal(t, 1.0, m.FSMErr)
		assert.Equal(t, 1.0, m.CSMNorm)
	}
}

// Theorem 3: the hyperplane that is orthogonal to the line of the means, and divides it in the ratio of the standard deviations,
// misclassifies at most a fraction FSMErr of either class.
func TestErrorBound(t *testing.T) {
	tightest := 1.0
	rapid.Check(t, func(t *rapid.T) {
		n, d := rapid.IntRange(6, 80).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "d")
		x, y := shifted(n, d, 2, rapid.Uint64().Draw(t, "seed"))
		gap := rapid.Float64Range(0, 8).Draw(t, "gap")
		var mean [2]mat.VecDense
		count := [2]float64{}
		for i, c := range y {
			x.Set(i, 0, x.At(i, 0)+gap*float64(c))
			count[c]++
		}
		for c := range mean {
			mean[c].ReuseAsVec(d)
			for i, own := range y {
				if own == c {
					mean[c].AddScaledVec(&mean[c], 1/count[c], x.RowView(i))
				}
			}
		}
		m, err := SeparabilityOfFeatures(ctx, x, y, nil)
		require.NoError(t, err)
		var along mat.VecDense
		along.SubVec(&mean[1], &mean[0])
		var at [2]float64
		var sd [2]float64
		for c := range at {
			at[c] = mat.Dot(&along, &mean[c])
		}
		for i, c := range y {
			v := mat.Dot(&along, x.RowView(i)) - at[c]
			sd[c] += v * v / (count[c] - 1)
		}
		sd[0], sd[1] = math.Sqrt(sd[0]), math.Sqrt(sd[1])
		threshold := (sd[1]*at[0] + sd[0]*at[1]) / (sd[0] + sd[1])
		var wrong [2]float64
		for i, c := range y {
			if above := mat.Dot(&along, x.RowView(i)) > threshold; above != (c == 1) {
				wrong[c] += 1 / count[c]
			}
		}
		for _, w := range wrong {
			assert.LessOrEqual(t, w, m.FSMErr)
			tightest = min(tightest, m.FSMErr-w)
		}
	})
	t.Logf("the bound came within %.3f of an error", tightest)
}

// After an offset of 1e6, the elements of K retain ten digits, and the measures are as accurate as these digits allow.
func TestLargeOffset(t *testing.T) {
	x, y := shifted(300, 3, 2, 5)
	k := kernels.RBF{Gamma: 0.2}
	km, err := kernels.Matrix(ctx, k, x, nil)
	require.NoError(t, err)
	want, err := SeparabilityOfMatrix(ctx, km, y, nil)
	require.NoError(t, err)
	target := make([]float64, len(y))
	for i, c := range y {
		target[i] = float64(c)
	}
	wantReal, err := AlignmentOfMatrix(ctx, km, target, nil)
	require.NoError(t, err)
	for _, offset := range []float64{1e6, -1e6} {
		up := mat.NewSymDense(300, nil)
		for i := range 300 {
			for j := i; j < 300; j++ {
				up.SetSym(i, j, km.At(i, j)+offset)
			}
		}
		m, err := SeparabilityOfMatrix(ctx, up, y, nil)
		require.NoError(t, err)
		assert.LessOrEqual(t, golden.MaxError(invariant(m), invariant(want)), 1e-9, "%+v, want %+v", m, want)
		a, err := AlignmentOfMatrix(ctx, up, target, nil)
		require.NoError(t, err)
		assert.InDelta(t, wantReal.CentredKTA, a.CentredKTA, 1e-9)
	}
	// Measures of features are as accurate as the digits that the features retain after an offset.
	base, err := SeparabilityOfFeatures(ctx, x, y, nil)
	require.NoError(t, err)
	for i := range 300 {
		for j := range 3 {
			x.Set(i, j, x.At(i, j)+1e6)
		}
	}
	m, err := SeparabilityOfFeatures(ctx, x, y, nil)
	require.NoError(t, err)
	assert.LessOrEqual(t, golden.MaxError(invariant(m), invariant(base)), 1e-8)
}

// The identity only memorises, but is the best kernel according to FSM. This is the reason for the warning in the package
// documentation. RBF kernels confirm it as they approach the identity.
func TestIdentityIsBestToFSM(t *testing.T) {
	identity, y := mat.NewSymDense(40, nil), make([]int, 40)
	for i := range y {
		identity.SetSym(i, i, 1)
		y[i] = min(1, i/15)
	}
	m, err := SeparabilityOfMatrix(ctx, identity, y, nil)
	require.NoError(t, err)
	assert.InDelta(t, 0, m.FSM, 1e-12)
	assert.InDelta(t, 2/(1./15+1./25), m.CSM, 1e-12)

	rng := rand.New(rand.NewPCG(8, 8)) // labels unrelated to the rows
	x := normal(100, 3, 8)
	noise := make([]int, 100)
	for i := range noise {
		noise[i] = rng.IntN(2)
	}
	last := math.Inf(1)
	for _, gamma := range []float64{0.1, 1, 10, 100, 1000} {
		m, err := SeparabilityOfKernel(ctx, kernels.RBF{Gamma: gamma}, x, noise, nil)
		require.NoError(t, err)
		assert.Less(t, m.FSM, last, "gamma %v", gamma)
		last = m.FSM
	}
	assert.Less(t, last, 0.05)
}

// For a nearly linear target, centred KTA is highest where the entropy is almost 0.
func TestCentredKTAPrefersNoEntropy(t *testing.T) {
	x := normal(100, 3, 6)
	y := make([]float64, 100)
	for i := range y {
		y[i] = x.At(i, 0) + x.At(i, 1)
	}
	best, entropy := math.Inf(-1), 0.0
	for _, gamma := range []float64{1e-4, 1e-3, 1e-2, 0.1, 1, 10} {
		km, err := kernels.Matrix(ctx, kernels.RBF{Gamma: gamma}, x, nil)
		require.NoError(t, err)
		a, err := AlignmentOfMatrix(ctx, km, y, nil)
		require.NoError(t, err)
		s, err := Entropy(ctx, km)
		require.NoError(t, err)
		if a.CentredKTA > best {
			best, entropy = a.CentredKTA, s.Entropy
		}
	}
	assert.Less(t, entropy, 0.1)
}

// For indefinite matrices, which are not in the reference files, the measures agree with values that were computed by hand.
func TestIndefinite(t *testing.T) {
	swap := mat.NewSymDense(2, []float64{0, 1, 1, 0})
	m, err := SeparabilityOfMatrix(ctx, swap, []int{0, 1}, nil)
	require.NoError(t, err)
	assert.InDelta(t, -2, m.Distance2, 1e-15)
	assert.InDelta(t, -1/math.Sqrt2, m.KTA, 1e-15, "negative")
	assert.InDelta(t, -1, m.CentredKTA, 1e-15, "negative")
	assert.Equal(t, []float64{math.Inf(1), 1, math.Inf(1), 1}, []float64{m.FSM, m.FSMErr, m.CSM, m.CSMNorm})

	// The covariance has trace 1 - 3 = -2 in class 0 and 1 in class 1, and D2 = 2 + 0.5.
	clamped := mat.NewSymDense(4, []float64{
		1, 3, 0, 0,
		3, 1, 0, 0,
		0, 0, 1, 0,
		0, 0, 0, 1,
	})
	m, err = SeparabilityOfMatrix(ctx, clamped, []int{0, 0, 1, 1}, nil)
	require.NoError(t, err)
	assert.InDelta(t, 2.5, m.Distance2, 1e-14)
	assert.InDelta(t, 1/2.5, m.CSM, 1e-14, "a negative trace counts as 0")

	x := mat.NewDense(4, 1, []float64{-3, -2, 1, 4})
	tanh, err := SeparabilityOfKernel(ctx, kernels.Tanh{Gamma: 1, Coef0: -3}, x, []int{0, 1, 1, 0}, nil)
	require.NoError(t, err)
	assert.Less(t, tanh.KTA, 0.0)
}

func TestOneRowInAClass(t *testing.T) {
	x := mat.NewDense(4, 1, []float64{5, 0, 1, 2})
	for _, of := range []func() (Separability, error){
		func() (Separability, error) {
			return SeparabilityOfKernel(ctx, kernels.Linear{}, x, []int{1, 0, 0, 0}, nil)
		},
		func() (Separability, error) { return SeparabilityOfFeatures(ctx, x, []int{1, 0, 0, 0}, nil) },
	} {
		m, err := of()
		require.NoError(t, err)
		// The means are 5 and 1, and the other class has standard deviation 1.
		assert.InDelta(t, 16, m.Distance2, 1e-12)
		assert.InDelta(t, 1./4, m.FSM, 1e-12)
		assert.InDelta(t, 1./16, m.CSM, 1e-12)
	}
	m, err := SeparabilityOfKernel(ctx, kernels.RBF{}, x.Slice(0, 2, 0, 1), []int{1, 0}, nil)
	require.NoError(t, err)
	assert.Zero(t, m.FSM)
	assert.Zero(t, m.CSM)
}

// In units in which D2 itself overflows or vanishes, all other fields are unchanged.
func TestExtremeUnits(t *testing.T) {
	x, y := shifted(50, 3, 3, 2)
	want, err := SeparabilityOfFeatures(ctx, x, y, nil)
	require.NoError(t, err)
	for unit, d2 := range map[float64]float64{1e200: math.Inf(1), 1e-200: 0} {
		var scaled mat.Dense
		scaled.Scale(unit, x)
		m, err := SeparabilityOfFeatures(ctx, &scaled, y, nil)
		require.NoError(t, err)
		assert.Equal(t, d2, m.Distance2)
		assert.LessOrEqual(t, golden.MaxError(append(invariant(m), m.KTA), append(invariant(want), want.KTA)), 1e-12)
	}
	m, err := SeparabilityOfFeatures(ctx, mat.NewDense(50, 3, nil), y, nil)
	require.NoError(t, err)
	assert.Equal(t, Separability{FSM: math.Inf(1), FSMErr: 1, CSM: math.Inf(1), CSMNorm: 1}, m)

	// If there are more features than rows, another algorithm computes the same numbers.
	wide, labels := shifted(20, 25, 2, 3)
	km, err := kernels.Matrix(ctx, kernels.Linear{}, wide, nil)
	require.NoError(t, err)
	m, err = SeparabilityOfFeatures(ctx, wide, labels, nil)
	require.NoError(t, err)
	assert.LessOrEqual(t, golden.MaxError(fields(m), fields(definition(km, labels, 1))), 1e-11)
}

// If all rows are equal, the measures have their worst values, and not their best, despite rounding.
func TestNothingToSeparate(t *testing.T) {
	x, y := mat.NewDense(300, 3, nil), make([]int, 300)
	for i := range y {
		x.SetRow(i, []float64{0.1, 1. / 3, 7.7})
		y[i] = i % 7 % 2
	}
	for _, k := range []kernels.Kernel{kernels.Linear{}, kernels.RBF{}, kernels.Polynomial{Degree: 9, Coef0: 0.3}} {
		m, err := SeparabilityOfKernel(ctx, k, x, y, nil)
		require.NoError(t, err)
		assert.Equal(t, []float64{0, math.Inf(1), 1, math.Inf(1), 1}, invariant(m), "%v", k)
	}
	m, err := SeparabilityOfFeatures(ctx, x, y, nil)
	require.NoError(t, err)
	assert.Equal(t, []float64{0, math.Inf(1), 1, math.Inf(1), 1}, invariant(m))
	// The last digits of this matrix of ones are those of an identity, because its diagonal is rounded differently.
	ones := mat.NewSymDense(300, nil)
	for i := range 300 {
		for j := i; j < 300; j++ {
			ones.SetSym(i, j, 1)
		}
		ones.SetSym(i, i, 1+0x1p-52)
	}
	m, err = SeparabilityOfMatrix(ctx, ones, y, nil)
	require.NoError(t, err)
	assert.Equal(t, []float64{0, math.Inf(1), 1, math.Inf(1), 1}, invariant(m))
	m, err = SeparabilityOfMatrix(ctx, mat.NewSymDense(300, nil), y, nil)
	require.NoError(t, err)
	assert.Zero(t, m.Alignment, "K = 0")
	assert.Equal(t, math.Inf(1), m.FSM)
}

// Results are bit-identical for any number of workers.
func TestWorkers(t *testing.T) {
	x, y := shifted(700, 3, 3, 11)
	target := x.RawMatrix().Data[:700]
	one, err := SeparabilityOfKernel(ctx, kernels.RBF{}, x, y, &Options{Workers: 1})
	require.NoError(t, err)
	oneReal, err := AlignmentOfKernel(ctx, kernels.RBF{}, x, target, &Options{Workers: 1})
	require.NoError(t, err)
	for _, workers := range []int{2, 3, 16} {
		m, err := SeparabilityOfKernel(ctx, kernels.RBF{}, x, y, &Options{Workers: workers})
		require.NoError(t, err)
		assert.Equal(t, one, m, "%d workers", workers)
		a, err := AlignmentOfKernel(ctx, kernels.RBF{}, x, target, &Options{Workers: workers})
		require.NoError(t, err)
		assert.Equal(t, oneReal, a, "%d workers", workers)
	}
}

// noisy adds a separate variance to each row, which only the diagonal contains.
type noisy struct{ kernels.RBF }

func (noisy) Diag(dst []float64, _ *mat.Dense) {
	for i := range dst {
		dst[i] = 1.5
	}
}

// The diagonal is computed with the kernel's own method, as in kernels.Matrix.
func TestDiagonal(t *testing.T) {
	x, y := shifted(200, 3, 2, 13)
	km, err := kernels.Matrix(ctx, noisy{}, x, nil)
	require.NoError(t, err)
	want, err := SeparabilityOfMatrix(ctx, km, y, nil)
	require.NoError(t, err)
	m, err := SeparabilityOfKernel(ctx, noisy{}, x, y, nil)
	require.NoError(t, err)
	assert.LessOrEqual(t, golden.MaxError(fields(m), fields(want)), 1e-12)
}

// counting counts the computed elements.
type counting struct {
	kernels.Kernel
	count *int
}

func (c counting) Block(dst, x, z *mat.Dense) {
	r, k := dst.Dims()
	*c.count += r * k
	kernels.Block(dst, c.Kernel, x, z)
}
func (c counting) Diag(dst []float64, x *mat.Dense) { kernels.Diag(dst, c.Kernel, x) }

// No element above the diagonal is computed twice. For 3000 rows, the measures take far less memory than the kernel matrix.
func TestCostOfBlocks(t *testing.T) {
	const n = 3000
	x, y := shifted(n, 2, 2, 12)
	count := 0
	_, err := SeparabilityOfKernel(ctx, counting{kernels.Linear{}, &count}, x, y, &Options{Workers: 1})
	require.NoError(t, err)
	assert.LessOrEqual(t, count, n*(n+tile)/2)

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = SeparabilityOfKernel(ctx, evalOnly{kernels.Linear{}}, x, y, &Options{Workers: 2})
	require.NoError(t, err)
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8*n*n/20), "bytes allocated, freed or not")
}

func TestErrors(t *testing.T) {
	x, y := shifted(200, 2, 2, 1)
	target := make([]float64, 200)
	k, err := kernels.Matrix(ctx, kernels.Linear{}, x, nil)
	require.NoError(t, err)
	check := func(want error, text string, err error) {
		t.Helper()
		assert.ErrorIs(t, err, want)
		assert.ErrorContains(t, err, text)
	}
	fail := func(_ any, err error) error { return err }
	var none *mat.SymDense
	check(fault.ErrShape, "K has 0 rows", fail(SeparabilityOfMatrix(ctx, nil, y, nil)))
	check(fault.ErrShape, "K has 0 rows", fail(SeparabilityOfMatrix(ctx, none, y, nil)))
	check(fault.ErrShape, "K has 0 rows", fail(AlignmentOfMatrix(ctx, none, target, nil)))
	check(fault.ErrShape, "K has 0 rows", fail(Condition(ctx, none)))
	check(fault.ErrShape, "y has 3 entries, x has 200 rows", fail(SeparabilityOfMatrix(ctx, k, y[:3], nil)))
	check(fault.ErrShape, "y has 1 class, want at least 2", fail(SeparabilityOfMatrix(ctx, k, make([]int, 200), nil)))
	check(fault.ErrShape, "y has 1 class", fail(SeparabilityOfFeatures(ctx, x, make([]int, 200), nil)))
	check(fault.ErrShape, "phi is nil", fail(SeparabilityOfFeatures(ctx, nil, y, nil)))
	check(fault.ErrShape, "phi is nil", fail(AlignmentOfFeatures(ctx, nil, target, nil)))
	check(fault.ErrShape, "x is nil", fail(SeparabilityOfKernel(ctx, kernels.Linear{}, nil, y, nil)))
	check(fault.ErrShape, "y has 1 entries", fail(AlignmentOfKernel(ctx, kernels.Linear{}, x, target[:1], nil)))
	check(fault.ErrShape, "y has 0 entries", fail(AlignmentOfFeatures(ctx, x, nil, nil)))
	check(fault.ErrParam, "Gamma = -1", fail(SeparabilityOfKernel(ctx, kernels.RBF{Gamma: -1}, x, y, nil)))
	check(fault.ErrParam, "Kernel = nil", fail(AlignmentOfKernel(ctx, nil, x, target, nil)))
	target[7] = math.NaN()
	check(fault.ErrNotFinite, "y[7] is NaN", fail(AlignmentOfMatrix(ctx, k, target, nil)))
	k.SetSym(3, 190, math.Inf(1))
	check(fault.ErrNotFinite, "K[3,190] is +Inf", fail(SeparabilityOfMatrix(ctx, k, y, nil)))
	k.SetSym(3, 190, 0)
	k.SetSym(150, 150, math.NaN())
	check(fault.ErrNotFinite, "K[150,150] is NaN", fail(SeparabilityOfMatrix(ctx, k, y, nil)))
	k.SetSym(150, 150, 0)
	k.SetSym(1, 2, 1e200)
	check(fault.ErrNotFinite, "overflow", fail(SeparabilityOfMatrix(ctx, k, y, nil)))
	wide := mat.NewDense(2, 1, []float64{1e200, 2e200})
	check(fault.ErrNotFinite, "Linear[0,0] is +Inf", fail(SeparabilityOfKernel(ctx, kernels.Linear{}, wide, []int{0, 1}, nil)))
	x.Set(5, 1, math.NaN())
	check(fault.ErrNotFinite, "x[5,1] is NaN", fail(SeparabilityOfKernel(ctx, kernels.Linear{}, x, y, nil)))
	check(fault.ErrNotFinite, "phi[5,1] is NaN", fail(SeparabilityOfFeatures(ctx, x, y, nil)))

	done, cancel := context.WithCancel(ctx)
	cancel()
	x.Set(5, 1, 0)
	for _, err := range []error{
		fail(SeparabilityOfMatrix(done, k, y, nil)), fail(SeparabilityOfKernel(done, kernels.Linear{}, x, y, nil)), fail(SeparabilityOfFeatures(done, x, y, nil)),
		fail(AlignmentOfFeatures(done, x, make([]float64, 200), nil)), fail(Condition(done, mat.NewSymDense(1, []float64{1}))),
	} {
		assert.ErrorIs(t, err, context.Canceled)
	}
}

func TestCondition(t *testing.T) {
	assert.Equal(t, 8.0, ConditionOfEigenvalues([]float64{1, 8, 2}))
	assert.Equal(t, 1.0, ConditionOfEigenvalues([]float64{3}))
	for _, w := range [][]float64{{0, 1}, {-1e-3, 1}, {4e-16, 1}, {0, 0}, {-2, -1}, nil} {
		assert.Equal(t, math.Inf(1), ConditionOfEigenvalues(w), "%v", w)
	}
	assert.InEpsilon(t, 2e15, ConditionOfEigenvalues([]float64{5e-16, 1}), 1e-12)
}
