package kernels

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

// custom is a kernel of a third party: no capability at all.
type custom struct{}

func (custom) Eval(x, z []float64) float64 { return 1 / (1 + squaredDistance(x, z)) }
func (custom) String() string              { return "custom" }

// customBlock is one with blocks of its own, which differ from Eval so that a
// test can tell which was used.
type customBlock struct{ custom }

func (customBlock) Block(dst, x, z *mat.Dense) {
	r, c := dst.Dims()
	for i := range r {
		for j := range c {
			dst.Set(i, j, 1000+squaredDistance(x.RawRowView(i), z.RawRowView(j)))
		}
	}
}

func all() []Kernel {
	return []Kernel{
		RBF{}, RBF{Gamma: 0.3}, Linear{}, Polynomial{}, Polynomial{Degree: 2, Gamma: 0.5, Coef0: 1}, Normalized{Linear{}},
		Normalized{Polynomial{Degree: 5, Coef0: 1}}, Normalized{RBF{Gamma: 2}}, Normalized{custom{}}, Normalized{Normalized{Linear{}}}, custom{},
		Laplacian{}, Laplacian{Gamma: 0.3}, Matern{}, Matern{Nu: 2.5, Length: 2}, Normalized{Matern{}}, ELM{}, ELM{Sigma: 3}, Normalized{ELM{}},
		Sum{RBF{}, Linear{}}, Sum{custom{}}, Product{RBF{}, Polynomial{Coef0: 1}, custom{}}, Scaled{RBF{}, 3}, Scaled{Kernel: Linear{}},
		Normalized{Sum{Linear{}, Matern{}}}, Scaled{Product{ELM{}, Laplacian{}}, 0.5},
	}
}

// indefinite holds the kernels that are not positive semi-definite.
func indefinite() []Kernel { return []Kernel{Tanh{}, Tanh{Gamma: 0.3, Coef0: -1}} }

func random(n, d int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
		}
	}
	return x
}

// The sizes lie on both sides of a stripe.
func TestMatrixAndCrossEqualEval(t *testing.T) {
	for _, k := range append(all(), indefinite()...) {
		for _, n := range []int{1, 2, stripe - 1, stripe, stripe + 1, 2*stripe + 3} {
			x, z := random(n, 3, 1), random(n/2+1, 3, 2)
			km, err := Matrix(ctx, k, x, nil)
			require.NoError(t, err)
			kc, err := Cross(ctx, k, x, z, nil)
			require.NoError(t, err)
			worst := 0.0
			for i := range n {
				for j := range n {
					e := k.Eval(x.RawRowView(i), x.RawRowView(j))
					worst = max(worst, math.Abs(km.At(i, j)-e)/max(1, math.Abs(e)))
				}
				for j := range n/2 + 1 {
					e := k.Eval(x.RawRowView(i), z.RawRowView(j))
					worst = max(worst, math.Abs(kc.At(i, j)-e)/max(1, math.Abs(e)))
				}
			}
			assert.LessOrEqual(t, worst, 1e-13, "%v n=%d", k, n)
		}
	}
}

func TestMatrixUsesBlocker(t *testing.T) {
	k, err := Matrix(ctx, customBlock{}, random(5, 2, 1), nil)
	require.NoError(t, err)
	assert.Greater(t, k.At(0, 1), 1000.0)
	c, err := Cross(ctx, customBlock{}, random(5, 2, 1), random(4, 2, 1), nil)
	require.NoError(t, err)
	assert.Equal(t, 1000.0, c.At(2, 2))
}

func TestBlockEqualsCross(t *testing.T) {
	x, z := random(7, 4, 1), random(5, 4, 2)
	for _, k := range all() {
		b, ok := k.(Blocker)
		if !ok {
			continue
		}
		got := mat.NewDense(7, 5, nil)
		b.Block(got, x, z)
		want, err := Cross(ctx, k, x, z, nil)
		require.NoError(t, err)
		assert.True(t, mat.EqualApprox(got, want, 1e-14), "%v", k)
	}
}

func TestDiagonal(t *testing.T) {
	x := random(stripe+9, 3, 1)
	x.SetRow(4, []float64{0, 0, 0})
	for _, k := range all() {
		km, err := Matrix(ctx, k, x, nil)
		require.NoError(t, err)
		want := make([]float64, stripe+9)
		Diag(want, k, x)
		for i, w := range want {
			assert.Equal(t, w, km.At(i, i), "%v", k)
			assert.InDelta(t, k.Eval(x.RawRowView(i), x.RawRowView(i)), w, 1e-13*max(1, w), "%v", k)
		}
		switch k.(type) {
		case RBF, Laplacian, Matern:
			assert.Equal(t, 1.0, km.At(7, 7))
		}
	}
	k, err := Matrix(ctx, Normalized{Linear{}}, x, nil)
	require.NoError(t, err)
	assert.Equal(t, 0.0, k.At(4, 4))
	assert.Equal(t, 0.0, k.At(3, 4))
	assert.Equal(t, 1.0, k.At(3, 3))
}

func TestWorkersDoNotMatter(t *testing.T) {
	x, z := random(400, 6, 1), random(300, 6, 2)
	for _, k := range all() {
		var first *mat.SymDense
		var firstCross *mat.Dense
		for _, w := range []int{1, 2, 3, 8} {
			km, err := Matrix(ctx, k, x, &Options{Workers: w})
			require.NoError(t, err)
			kc, err := Cross(ctx, k, x, z, &Options{Workers: w})
			require.NoError(t, err)
			if first == nil {
				first, firstCross = km, kc
				continue
			}
			assert.True(t, mat.Equal(first, km) && mat.Equal(firstCross, kc), "%v, %d workers", k, w)
		}
	}
}

// Rows far from the origin and near to each other: |x|²+|z|²-2<x,z> would have
// no digit left. The reference is the difference in 200 bits.
func TestDistancesDoNotCancel(t *testing.T) {
	for _, tc := range []struct{ offset, spread float64 }{{0, 1}, {1e8, 1e-3}, {1, 1e-9}, {1e6, 1e-6}} {
		t.Run(fmt.Sprint(tc), func(t *testing.T) {
			x := random(200, 5, 3)
			x.Apply(func(i, j int, v float64) float64 { return tc.offset*float64(1+j+10*(i%3)) + tc.spread*v }, x)
			x.SetRow(11, x.RawRowView(8))
			o := newOperand(x, needDistances, meanRow(x))
			got := mat.NewDense(200, 200, nil)
			squaredDistances(got, o, o)
			worst := 0.0
			for i := range 200 {
				for j := range 200 {
					want := exactSquaredDistance(x.RawRowView(i), x.RawRowView(j))
					if want == 0 {
						assert.Equal(t, 0.0, got.At(i, j))
						continue
					}
					worst = max(worst, math.Abs(got.At(i, j)-want)/want)
				}
			}
			assert.LessOrEqual(t, worst, 1e-12)
		})
	}
}

func exactSquaredDistance(x, z []float64) float64 {
	sum := new(big.Float).SetPrec(200)
	for i, v := range x {
		d := new(big.Float).SetPrec(200).Sub(big.NewFloat(v), big.NewFloat(z[i]))
		sum.Add(sum, d.Mul(d, d))
	}
	f, _ := sum.Float64()
	return f
}

func TestHugeValues(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{1e200, 1, -1e200, 2, 1e200, 1})
	k, err := Matrix(ctx, RBF{}, x, nil)
	require.NoError(t, err)
	assert.Equal(t, []float64{1, 0, 1}, mat.Row(nil, 0, k))
	_, err = Matrix(ctx, Linear{}, x, nil)
	assert.ErrorIs(t, err, ErrNotFinite)
	_, err = Cross(ctx, Polynomial{Degree: 500}, random(4, 2, 1), mat.NewDense(1, 2, []float64{90, 90}), nil)
	assert.ErrorIs(t, err, ErrNotFinite)
	_, err = Matrix(ctx, Normalized{Linear{}}, x, nil)
	assert.ErrorIs(t, err, ErrNotFinite, "the norms overflow")
	// Degree 500 of a normalised polynomial does not overflow.
	k, err = Matrix(ctx, Normalized{Polynomial{Degree: 500, Coef0: 1}}, mat.NewDense(2, 1, []float64{1e3, 2e3}), nil)
	require.NoError(t, err)
	assert.InDelta(t, 1, k.At(0, 1), 1e-3)
}

func TestMatrixErrors(t *testing.T) {
	x := random(4, 2, 1)
	bad := mat.DenseCopyOf(x)
	bad.Set(2, 1, math.NaN())
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	for name, tc := range map[string]struct {
		want error
		text string
		f    func() error
	}{
		"nil kernel":        {ErrParam, "Kernel", func() error { _, err := Matrix(ctx, nil, x, nil); return err }},
		"nil in Normalized": {ErrParam, "Kernel", func() error { _, err := Matrix(ctx, Normalized{}, x, nil); return err }},
		"gamma":             {ErrParam, "Gamma = -1", func() error { _, err := Matrix(ctx, RBF{Gamma: -1}, x, nil); return err }},
		"gamma NaN":         {ErrParam, "Gamma = NaN", func() error { _, err := Matrix(ctx, Normalized{RBF{Gamma: math.NaN()}}, x, nil); return err }},
		"degree":            {ErrParam, "Degree = -2", func() error { _, err := Cross(ctx, Polynomial{Degree: -2}, x, x, nil); return err }},
		"coef0":             {ErrParam, "Coef0 = -1", func() error { _, err := Cross(ctx, Polynomial{Coef0: -1}, x, x, nil); return err }},
		"NaN":               {ErrNotFinite, "x[2,1] is NaN", func() error { _, err := Matrix(ctx, RBF{}, bad, nil); return err }},
		"NaN in z":          {ErrNotFinite, "z[2,1] is NaN", func() error { _, err := Cross(ctx, RBF{}, x, bad, nil); return err }},
		"empty":             {ErrShape, "0 rows", func() error { _, err := Matrix(ctx, RBF{}, &mat.Dense{}, nil); return err }},
		"nil x":             {ErrShape, "nil", func() error { _, err := Matrix(ctx, RBF{}, nil, nil); return err }},
		"width":             {ErrShape, "x has 2 columns, z has 3", func() error { _, err := Cross(ctx, RBF{}, x, random(4, 3, 1), nil); return err }},
		"laplacian":         {ErrParam, "Laplacian: Gamma = -1", func() error { _, err := Matrix(ctx, Laplacian{Gamma: -1}, x, nil); return err }},
		"nu":                {ErrParam, "Nu = 2", func() error { _, err := Matrix(ctx, Matern{Nu: 2}, x, nil); return err }},
		"length":            {ErrParam, "Length = -1", func() error { _, err := Matrix(ctx, Matern{Length: -1}, x, nil); return err }},
		"sigma":             {ErrParam, "Sigma = NaN", func() error { _, err := Matrix(ctx, ELM{Sigma: math.NaN()}, x, nil); return err }},
		"tanh":              {ErrParam, "Coef0 = NaN", func() error { _, err := Matrix(ctx, Tanh{Coef0: math.NaN()}, x, nil); return err }},
		"tanh gamma":        {ErrParam, "Tanh: Gamma = -1", func() error { _, err := Matrix(ctx, Tanh{Gamma: -1}, x, nil); return err }},
		"empty sum":         {ErrParam, "Sum: kernels = 0", func() error { _, err := Matrix(ctx, Sum{}, x, nil); return err }},
		"in product":        {ErrParam, "Product: kernel 1: kernels: RBF: Gamma = -1", func() error { _, err := Matrix(ctx, Product{Linear{}, RBF{Gamma: -1}}, x, nil); return err }},
		"nil in sum":        {ErrParam, "Sum: kernel 0", func() error { _, err := Matrix(ctx, Sum{nil}, x, nil); return err }},
		"factor":            {ErrParam, "Factor = -2", func() error { _, err := Matrix(ctx, Scaled{Linear{}, -2}, x, nil); return err }},
		"memory":            {ErrTooLarge, "landmarks", func() error { _, err := Matrix(ctx, RBF{}, x, &Options{MaxBytes: 127}); return err }},
		"limit":             {ErrParam, "MaxBytes = -1", func() error { _, err := Matrix(ctx, RBF{}, x, &Options{MaxBytes: -1}); return err }},
		"context":           {context.Canceled, "canceled", func() error { _, err := Matrix(cancelled, RBF{}, x, nil); return err }},
	} {
		t.Run(name, func(t *testing.T) {
			err := tc.f()
			require.ErrorIs(t, err, tc.want)
			assert.ErrorContains(t, err, tc.text)
		})
	}
	_, err := Matrix(ctx, RBF{}, x, &Options{MaxBytes: 128})
	assert.NoError(t, err, "128 bytes are a 4×4 matrix")
}

func TestPositiveSemiDefinite(t *testing.T) {
	x := random(60, 3, 5)
	for _, k := range all() {
		km, err := Matrix(ctx, k, x, nil)
		require.NoError(t, err)
		var e mat.EigenSym
		require.True(t, e.Factorize(km, false))
		v := e.Values(nil)
		assert.GreaterOrEqual(t, v[0], -1e-12*v[len(v)-1], "%v", k)
	}
}

func TestEvalPanicsOnLengthsOnly(t *testing.T) {
	for _, k := range []Kernel{RBF{}, Linear{}, Polynomial{}, Normalized{Linear{}}} {
		assert.Panics(t, func() { k.Eval([]float64{1}, []float64{1, 2}) }, "%v", k)
	}
}

// The formulas, and the limits that tie kernels to each other.
func TestFormulas(t *testing.T) {
	a, b := []float64{1, 2}, []float64{0.5, -1}
	assert.InDelta(t, math.Exp(-0.7*3.5), Laplacian{Gamma: 0.7}.Eval(a, b), 1e-15)
	r := math.Sqrt(0.25+9) / 2
	assert.InDelta(t, (1+math.Sqrt(3)*r)*math.Exp(-math.Sqrt(3)*r), Matern{Length: 2}.Eval(a, b), 1e-15)
	assert.InDelta(t, (1+math.Sqrt(5)*r+5*r*r/3)*math.Exp(-math.Sqrt(5)*r), Matern{Nu: 2.5, Length: 2}.Eval(a, b), 1e-15)
	assert.Equal(t, 0.0, Matern{}.Eval([]float64{1e200}, []float64{-1e200}))
	want := 2 / math.Pi * math.Asin((1+0.5-2)/math.Sqrt((0.5/4+1+5)*(0.5/4+1+1.25)))
	assert.InDelta(t, want, ELM{Sigma: 2}.Eval(a, b), 1e-15)
	assert.InDelta(t, math.Tanh(0.5*(0.5-2)-1), Tanh{Gamma: 0.5, Coef0: -1}.Eval(a, b), 1e-15)
	assert.InDelta(t, RBF{}.Eval(a, b)-1.5, Sum{RBF{}, Linear{}}.Eval(a, b), 1e-15)
	assert.InDelta(t, RBF{}.Eval(a, b)*-1.5, Product{RBF{}, Linear{}}.Eval(a, b), 1e-15)
	assert.InDelta(t, -3, Scaled{Linear{}, 2}.Eval(a, b), 1e-15)
	// In one dimension the Laplacian is a Matérn of smoothness 1/2, rougher than 3/2.
	near := Laplacian{}.Eval([]float64{0}, []float64{1e-3})
	assert.Less(t, near, Matern{}.Eval([]float64{0}, []float64{1e-3}))
}

// Matrix refuses a sum of nothing; asked directly, it has a value all the same.
func TestEmptySumAndProduct(t *testing.T) {
	x := random(3, 2, 1)
	for _, c := range []struct {
		k interface {
			Kernel
			Blocker
			Diagonal
		}
		want float64
	}{{Sum{}, 0}, {Product{}, 1}} {
		assert.Equal(t, c.want, c.k.Eval(x.RawRowView(0), x.RawRowView(1)))
		diag, block := []float64{9, 9, 9}, mat.NewDense(3, 3, []float64{9, 9, 9, 9, 9, 9, 9, 9, 9})
		c.k.Diag(diag, x)
		c.k.Block(block, x, x)
		assert.Equal(t, []float64{c.want, c.want, c.want}, diag)
		assert.Equal(t, 9*c.want, mat.Sum(block))
		assert.Panics(t, func() { c.k.Eval([]float64{1}, []float64{1, 2}) })
	}
}

func TestDefaults(t *testing.T) {
	a, b := []float64{1, 2}, []float64{0.5, -1}
	assert.Equal(t, math.Exp(-DefaultGamma*squaredDistance(a, b)), RBF{}.Eval(a, b))
	assert.Equal(t, math.Pow(DefaultGamma*dot(a, b), DefaultDegree), Polynomial{}.Eval(a, b))
	assert.Equal(t, RBF{}.String(), RBF{Gamma: DefaultGamma}.String())
	assert.Equal(t, "Normalized(Polynomial(degree=3, gamma=1, coef0=0))", Normalized{Polynomial{}}.String())
	assert.EqualValues(t, 8<<30, MaxKernelBytes)
	assert.Equal(t, Laplacian{Gamma: DefaultGamma}.String(), Laplacian{}.String())
	assert.Equal(t, Matern{Nu: DefaultNu, Length: DefaultLength}.String(), Matern{}.String())
	assert.Equal(t, ELM{Sigma: DefaultSigma}.String(), ELM{}.String())
}

func TestMedian(t *testing.T) {
	x := mat.NewDense(3, 1, []float64{0, 1, 3}) // squared distances 1, 4, 9
	m, err := MedianSquaredDistance(ctx, x, 0)
	require.NoError(t, err)
	assert.Equal(t, 4.0, m)
	m, err = MedianSquaredDistance(ctx, mat.NewDense(4, 1, []float64{0, 1, 3, 10}), 0) // 1 4 9 49 81 100
	require.NoError(t, err)
	assert.Equal(t, 29.0, m)

	big := random(3*MedianSample, 2, 4)
	m1, err := MedianSquaredDistance(ctx, big, 1)
	require.NoError(t, err)
	m2, err := MedianSquaredDistance(ctx, big, 1)
	require.NoError(t, err)
	assert.Equal(t, m1, m2)
	assert.InDelta(t, 4*math.Ln2, m1, 0.2, "|x-z|² of two standard normal pairs is 2χ²(2), of median 4 ln 2")

	k, err := MedianRBF(ctx, mat.NewDense(3, 4, nil), 0)
	require.NoError(t, err)
	assert.Equal(t, RBF{Gamma: 0.25}, k, "equal rows: one over the number of columns")
	_, err = MedianRBF(ctx, mat.NewDense(1, 1, []float64{math.Inf(-1)}), 0)
	assert.ErrorIs(t, err, ErrNotFinite)
}

func TestFamilies(t *testing.T) {
	x := random(20, 3, 1)
	for _, f := range []Family{RBFFamily{}, PolynomialFamily{}, LaplacianFamily{}, MaternFamily{}, MaternFamily{Nu: 2.5}, ELMFamily{}} {
		lo, hi := f.Bounds()
		s, err := f.Start(ctx, x)
		require.NoError(t, err)
		assert.True(t, 0 < lo && lo <= s && s <= hi, "%v", f)
		for _, p := range []float64{lo, s, hi} {
			assert.NoError(t, Validate(f.At(p)), "%v at %v", f, p)
		}
	}
	m, err := MedianSquaredDistance(ctx, x, 0)
	require.NoError(t, err)
	s, _ := RBFFamily{}.Start(ctx, x)
	assert.Equal(t, 1/m, s)
	assert.Equal(t, PolynomialFamily{}.At(3).String(), PolynomialFamily{}.At(3.4).String())
	unit := mat.NewDense(2, 2, []float64{1, 0, 0.6, 0.8})
	assert.InDelta(t, math.Pow(1.6/2, 7), PolynomialFamily{}.At(7).Eval(unit.RawRowView(0), unit.RawRowView(1)), 1e-15)
}
