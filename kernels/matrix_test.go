package kernels

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/kernels/internal/blocks"
	"github.com/kernelearn/kernelearn/kernels/internal/median"
)

var ctx = context.Background()

// custom is a third-party kernel without capabilities.
type custom struct{}

func (custom) Eval(x, z []float64) float64 { return 1 / (1 + vecmath.SquaredDistance(x, z)) }
func (custom) String() string              { return "custom" }

// customBlock is a kernel with Block. The values of Block differ from Eval, so that a test can detect which was used.
type customBlock struct{ custom }

func (customBlock) Block(dst, x, z *mat.Dense) {
	r, c := dst.Dims()
	for i := range r {
		for j := range c {
			dst.Set(i, j, 1000+vecmath.SquaredDistance(x.RawRowView(i), z.RawRowView(j)))
		}
	}
}
func (customBlock) Diag(dst []float64, x *mat.Dense) { Diag(dst, custom{}, x) }

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

// Matrix and Cross equal Eval for sizes on both sides of a blocks.Stripe. Package kerneltest tests all kernels, but at one size.
func TestMatrixAndCrossEqualEval(t *testing.T) {
	for _, k := range []Kernel{RBF{}, Matern{}, Normalized{Polynomial{Coef0: 1}}, Sum{Laplacian{}, custom{}}, custom{}} {
		for _, n := range []int{1, 2, blocks.Stripe - 1, blocks.Stripe, blocks.Stripe + 1, 2*blocks.Stripe + 3} {
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

// The diagonal of a matrix equals Diag exactly, with ones where the kernel has ones.
func TestDiagonal(t *testing.T) {
	x := random(blocks.Stripe+9, 3, 1)
	x.SetRow(4, []float64{0, 0, 0})
	for _, k := range []Kernel{RBF{}, Laplacian{}, Matern{}, Normalized{Linear{}}, ELM{}, Scaled{RBF{}, 3}} {
		km, err := Matrix(ctx, k, x, nil)
		require.NoError(t, err)
		want := make([]float64, blocks.Stripe+9)
		Diag(want, k, x)
		for i, w := range want {
			assert.Equal(t, w, km.At(i, i), "%v", k)
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

func TestHugeValues(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{1e200, 1, -1e200, 2, 1e200, 1})
	k, err := Matrix(ctx, RBF{}, x, nil)
	require.NoError(t, err)
	assert.Equal(t, []float64{1, 0, 1}, mat.Row(nil, 0, k))
	_, err = Matrix(ctx, Linear{}, x, nil)
	assert.ErrorIs(t, err, fault.ErrNotFinite)
	_, err = Cross(ctx, Polynomial{Degree: 500}, random(4, 2, 1), mat.NewDense(1, 2, []float64{90, 90}), nil)
	assert.ErrorIs(t, err, fault.ErrNotFinite)
	_, err = Matrix(ctx, Normalized{Linear{}}, x, nil)
	assert.ErrorIs(t, err, fault.ErrNotFinite, "the norms overflow")
	// A normalised polynomial of degree 500 does not overflow.
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
		"nil kernel":        {fault.ErrParam, "Kernel", func() error { _, err := Matrix(ctx, nil, x, nil); return err }},
		"nil in Normalized": {fault.ErrParam, "Kernel", func() error { _, err := Matrix(ctx, Normalized{}, x, nil); return err }},
		"gamma":             {fault.ErrParam, "Gamma = -1", func() error { _, err := Matrix(ctx, RBF{Gamma: -1}, x, nil); return err }},
		"gamma NaN":         {fault.ErrParam, "Gamma = NaN", func() error { _, err := Matrix(ctx, Normalized{RBF{Gamma: math.NaN()}}, x, nil); return err }},
		"degree":            {fault.ErrParam, "Degree = -2", func() error { _, err := Cross(ctx, Polynomial{Degree: -2}, x, x, nil); return err }},
		"coef0":             {fault.ErrParam, "Coef0 = -1", func() error { _, err := Cross(ctx, Polynomial{Coef0: -1}, x, x, nil); return err }},
		"NaN":               {fault.ErrNotFinite, "x[2,1] is NaN", func() error { _, err := Matrix(ctx, RBF{}, bad, nil); return err }},
		"NaN in z":          {fault.ErrNotFinite, "z[2,1] is NaN", func() error { _, err := Cross(ctx, RBF{}, x, bad, nil); return err }},
		"empty":             {fault.ErrShape, "0 rows", func() error { _, err := Matrix(ctx, RBF{}, &mat.Dense{}, nil); return err }},
		"nil x":             {fault.ErrShape, "nil", func() error { _, err := Matrix(ctx, RBF{}, nil, nil); return err }},
		"width":             {fault.ErrShape, "x has 2 columns, z has 3", func() error { _, err := Cross(ctx, RBF{}, x, random(4, 3, 1), nil); return err }},
		"laplacian":         {fault.ErrParam, "Laplacian: Gamma = -1", func() error { _, err := Matrix(ctx, Laplacian{Gamma: -1}, x, nil); return err }},
		"nu":                {fault.ErrParam, "Nu = 2", func() error { _, err := Matrix(ctx, Matern{Nu: 2}, x, nil); return err }},
		"length":            {fault.ErrParam, "Length = -1", func() error { _, err := Matrix(ctx, Matern{Length: -1}, x, nil); return err }},
		"sigma":             {fault.ErrParam, "Sigma = NaN", func() error { _, err := Matrix(ctx, ELM{Sigma: math.NaN()}, x, nil); return err }},
		"tanh":              {fault.ErrParam, "Coef0 = NaN", func() error { _, err := Matrix(ctx, Tanh{Coef0: math.NaN()}, x, nil); return err }},
		"tanh gamma":        {fault.ErrParam, "Tanh: Gamma = -1", func() error { _, err := Matrix(ctx, Tanh{Gamma: -1}, x, nil); return err }},
		"empty sum":         {fault.ErrParam, "Sum: kernels = 0", func() error { _, err := Matrix(ctx, Sum{}, x, nil); return err }},
		"in product":        {fault.ErrParam, "Product: kernel 1: kernels: RBF: Gamma = -1", func() error { _, err := Matrix(ctx, Product{Linear{}, RBF{Gamma: -1}}, x, nil); return err }},
		"nil in sum":        {fault.ErrParam, "Sum: kernel 0", func() error { _, err := Matrix(ctx, Sum{nil}, x, nil); return err }},
		"factor":            {fault.ErrParam, "Factor = -2", func() error { _, err := Matrix(ctx, Scaled{Linear{}, -2}, x, nil); return err }},
		"memory":            {fault.ErrTooLarge, "landmarks", func() error { _, err := Matrix(ctx, RBF{}, x, &Options{MaxBytes: 127}); return err }},
		"limit":             {fault.ErrParam, "MaxBytes = -1", func() error { _, err := Matrix(ctx, RBF{}, x, &Options{MaxBytes: -1}); return err }},
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

func TestFarRowsHaveNoKernel(t *testing.T) {
	for _, k := range []Kernel{RBF{}, Laplacian{}, Matern{}, Matern{Nu: 2.5}} {
		assert.Equal(t, 0.0, k.Eval([]float64{1e200}, []float64{-1e200}), "%v", k)
	}
}

func TestRBFOfLength(t *testing.T) {
	assert.Equal(t, RBF{Gamma: 0.125}, RBFOfLength(2))
	assert.InDelta(t, math.Exp(-9.0/8), RBFOfLength(2).Eval([]float64{1}, []float64{4}), 1e-15)
	for _, l := range []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1), 1e-200, 1e200} {
		assert.ErrorIs(t, Validate(RBFOfLength(l)), fault.ErrParam, "%v", l)
	}
}

// Matrices agree with the reference matrices for the linear kernel, the RBF with γ = 1/3, (<x,z>/3 + 1)³ and tanh(<x,z>/3).
func TestReferenceMatrices(t *testing.T) {
	var cases []struct {
		Kernel string
		X, K   [][]float64
	}
	golden.Load(t, "kernel_measures.json", &cases)
	of := map[string]Kernel{
		"linear": Linear{}, "rbf": RBF{Gamma: 1.0 / 3}, "poly": Polynomial{Degree: 3, Gamma: 1.0 / 3, Coef0: 1}, "tanh": Tanh{Gamma: 1.0 / 3},
	}
	require.Len(t, cases, len(of))
	for _, c := range cases {
		require.Contains(t, of, c.Kernel)
		k, err := Matrix(ctx, of[c.Kernel], golden.Dense(c.X), nil)
		require.NoError(t, err)
		worst := 0.0
		for i, row := range c.K {
			for j, want := range row {
				worst = max(worst, math.Abs(k.At(i, j)-want)/max(1, math.Abs(want)))
			}
		}
		assert.LessOrEqual(t, worst, 1e-9, c.Kernel)
	}
}

// Eval, Block and Diag return 0 for an empty Sum and 1 for an empty Product. (Validate rejects both.)
func TestEmptySumAndProduct(t *testing.T) {
	x := random(3, 2, 1)
	for _, c := range []struct {
		k    Kernel
		want float64
	}{{Sum{}, 0}, {Product{}, 1}} {
		assert.Equal(t, c.want, c.k.Eval(x.RawRowView(0), x.RawRowView(1)))
		diag, block := []float64{9, 9, 9}, mat.NewDense(3, 3, []float64{9, 9, 9, 9, 9, 9, 9, 9, 9})
		Diag(diag, c.k, x)
		Block(block, c.k, x, x)
		assert.Equal(t, []float64{c.want, c.want, c.want}, diag)
		assert.Equal(t, 9*c.want, mat.Sum(block))
		assert.Panics(t, func() { c.k.Eval([]float64{1}, []float64{1, 2}) })
	}
}

func TestDefaults(t *testing.T) {
	a, b := []float64{1, 2}, []float64{0.5, -1}
	assert.Equal(t, math.Exp(-defaultGamma*vecmath.SquaredDistance(a, b)), RBF{}.Eval(a, b))
	assert.Equal(t, math.Pow(defaultGamma*vecmath.Dot(a, b), defaultDegree), Polynomial{}.Eval(a, b))
	assert.Equal(t, RBF{}.String(), RBF{Gamma: defaultGamma}.String())
	assert.Equal(t, "Normalized(Polynomial(degree=3, gamma=1, coef0=0))", Normalized{Polynomial{}}.String())
	assert.Equal(t, int64(8<<30), int64(MaxKernelBytes))
	assert.Equal(t, Laplacian{Gamma: defaultGamma}.String(), Laplacian{}.String())
	assert.Equal(t, Matern{Nu: defaultNu, Length: defaultLength}.String(), Matern{}.String())
	assert.Equal(t, ELM{Sigma: defaultSigma}.String(), ELM{}.String())
}

func TestMedian(t *testing.T) {
	x := mat.NewDense(3, 1, []float64{0, 1, 3}) // squared distances 1, 4, 9
	m, err := MedianSquaredDistance(ctx, x, 0)
	require.NoError(t, err)
	assert.Equal(t, 4.0, m)
	m, err = MedianSquaredDistance(ctx, mat.NewDense(4, 1, []float64{0, 1, 3, 10}), 0) // 1 4 9 49 81 100
	require.NoError(t, err)
	assert.Equal(t, 29.0, m)

	many := random(3*median.Sample, 2, 4)
	m1, err := MedianSquaredDistance(ctx, many, 1)
	require.NoError(t, err)
	m2, err := MedianSquaredDistance(ctx, many, 1)
	require.NoError(t, err)
	assert.Equal(t, m1, m2)
	assert.InDelta(t, 4*math.Ln2, m1, 0.2, "|x-z|² of two standard normal pairs is 2χ²(2), of median 4 ln 2")

	k, err := MedianRBF(ctx, mat.NewDense(3, 4, nil), 0)
	require.NoError(t, err)
	assert.Equal(t, RBF{Gamma: 0.25}, k, "equal rows: one over the number of columns")
	_, err = MedianRBF(ctx, mat.NewDense(1, 1, []float64{math.Inf(-1)}), 0)
	assert.ErrorIs(t, err, fault.ErrNotFinite)
}
