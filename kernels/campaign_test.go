package kernels_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/testkit/campaign"
	"github.com/kernelearn/kernelearn/internal/testkit/declared"
	"github.com/kernelearn/kernelearn/internal/testkit/guarded"
	"github.com/kernelearn/kernelearn/kernels"
)

// ofColumns returns kernels for rows of d columns, one for each type and each method of computing blocks.
func ofColumns(d int) []kernels.Kernel {
	lengths, some := make([]float64, d), []int{0}
	for j := range lengths {
		lengths[j] = .5 + float64(j%5)
	}
	if d > 2 {
		some = []int{2, 0}
	}
	return []kernels.Kernel{
		kernels.Linear{}, kernels.RBF{Gamma: .3}, kernels.Laplacian{Gamma: .3}, kernels.Matern{Nu: .5, Length: 2}, kernels.Matern{},
		kernels.Matern{Nu: 2.5, Length: 2}, kernels.RationalQuadratic{Alpha: .3, Length: 2}, kernels.Polynomial{Degree: 2, Gamma: .5, Coef0: 1},
		kernels.ELM{Sigma: 3}, kernels.Tanh{Gamma: .3, Coef0: -1}, kernels.Periodic{Periods: lengths, Lengths: lengths},
		kernels.Normalized{Kernel: kernels.ELM{}}, kernels.Columns{Of: some, Kernel: kernels.Matern{}},
		kernels.Sum{kernels.RBF{}, kernels.Linear{}}, kernels.Product{kernels.RBF{Gamma: .1}, kernels.Laplacian{Gamma: .2}},
		kernels.Scaled{Kernel: kernels.RationalQuadratic{}, Factor: 3}, kernels.Additive{Kernel: kernels.Matern{}, Lengths: lengths},
		kernels.ARD{Kernel: kernels.Matern{Nu: 2.5}, Lengths: lengths}, kernels.ARD{Kernel: kernels.Linear{}, Lengths: lengths},
		kernels.ARD{Kernel: kernels.Laplacian{}, Lengths: lengths}, kernels.ARD{Kernel: kernels.Laplacian{}, Lengths: lengths, Categories: some},
		kernels.ARD{Kernel: kernels.Matern{}, Lengths: lengths, Categories: some},
		kernels.ARD{Kernel: kernels.Sum{kernels.Matern{}, kernels.Columns{Of: some, Kernel: kernels.Laplacian{}}}, Lengths: lengths},
	}
}

// padding lies between the rows of a matrix, and no computation may read it.
var padding = math.Float64frombits(0x7ff4_0000_0bad_f00d)

// placed returns a matrix with padding between its rows, in an arena.
func placed(a *guarded.Arena, place string, rows, columns, stride int, of func(i, j int) float64) *mat.Dense {
	data := make([]float64, (rows-1)*stride+columns)
	for i := range data {
		data[i] = padding
		if r, c := i/stride, i%stride; c < columns {
			data[i] = of(r, c)
		}
	}
	var m mat.Dense
	m.SetRawMatrix(blas64.General{Rows: rows, Cols: columns, Stride: stride, Data: a.Put(place, data)})
	return &m
}

// For rows of any shape and at any place in memory, blocks, diagonals, single rows, matrices and derivatives of every kernel access
// no other memory and change no row. They agree with Eval and EvalGradient for each pair within 1e-10 of the largest value.
func TestCampaignKernels(t *testing.T) {
	var arenas []*guarded.Arena
	for range 4 {
		arenas = append(arenas, guarded.NewArena(t, 40*48))
	}
	places := guarded.Places()
	var tested []string
	for _, k := range ofColumns(4) {
		tested = append(tested, declared.Name(k))
	}
	declared.Lists(t, "TestCampaign", tested, nil, "..", "Eval")
	campaign.RunTest(t, "kernels", 500, func(t *testing.T, rng *rand.Rand) {
		rows, columns, others := 1+rng.IntN(12), 1+rng.IntN(9), 1+rng.IntN(12)
		if rng.IntN(8) == 0 {
			rows, columns, others = 1+rng.IntN(40), 1+rng.IntN(40), 1+rng.IntN(40)
		}
		all := ofColumns(columns)
		k, place := all[rng.IntN(len(all))], places[rng.IntN(len(places))]
		scale, offset := math.Exp(rng.NormFloat64()), float64(rng.IntN(3))*10*rng.NormFloat64()
		draw := func(int, int) float64 { return offset + scale*rng.NormFloat64() }
		stride := func(c int) int { return c + []int{0, 0, 1, 5}[rng.IntN(4)] }
		x := placed(arenas[0], place, rows, columns, stride(columns), draw)
		z := placed(arenas[1], place, others, columns, stride(columns), draw)
		if rng.IntN(3) == 0 { // some pairs are equal
			z.SetRow(0, x.RawRowView(0))
		}
		before := [2]mat.Dense{}
		before[0].CloneFrom(x)
		before[1].CloneFrom(z)
		what := fmt.Sprintf("%v of %d×%d and %d×%d, %s", k, rows, columns, others, columns, place)
		unhurt := func(i int) {
			t.Helper()
			for _, a := range arenas[:i] {
				if !a.Intact() {
					t.Fatalf("%s: writes beside a matrix", what)
				}
			}
			if !mat.Equal(x, &before[0]) || !mat.Equal(z, &before[1]) {
				t.Fatalf("%s: writes to rows", what)
			}
		}
		near := func(of string, got, want []float64, largest float64) {
			t.Helper()
			for i, w := range want {
				if !(math.Abs(got[i]-w) <= 1e-10*max(largest, 1e-300)) {
					t.Fatalf("%s: %s[%d] is %v, want %v", what, of, i, got[i], w)
				}
			}
		}
		want, largest := make([][]float64, rows), 1.0
		for i := range rows {
			for j := range others {
				v := k.Eval(x.RawRowView(i), z.RawRowView(j))
				want[i] = append(want[i], v)
				largest = max(largest, math.Abs(v))
			}
		}
		switch rng.IntN(4) {
		case 0:
			wide := stride(others)
			dst := placed(arenas[2], place, rows, others, wide, func(int, int) float64 { return padding })
			guarded.Run(t, what, func() { kernels.Block(dst, k, x, z) })
			unhurt(3)
			for i := range rows {
				near("block", dst.RawRowView(i), want[i], largest)
			}
			for i, v := range dst.RawMatrix().Data {
				if i%wide >= others && math.Float64bits(v) != math.Float64bits(padding) {
					t.Fatalf("%s: writes between the rows of the block", what)
				}
			}
		case 1:
			dst, own := arenas[2].Put(place, make([]float64, rows)), make([]float64, rows)
			guarded.Run(t, what, func() { kernels.Diag(dst, k, x) })
			unhurt(3)
			for i := range own {
				own[i] = k.Eval(x.RawRowView(i), x.RawRowView(i))
				largest = max(largest, math.Abs(own[i]))
			}
			near("diagonal", dst, own, largest)
		case 2:
			dst := arenas[2].Put(place, make([]float64, others))
			guarded.Run(t, what, func() { kernels.Row(dst, k, x.RawRowView(0), z) })
			unhurt(3)
			near("row", dst, want[0], largest)
		case 3:
			if derivatives(t, what, k, x, arenas, place, rng, near) {
				unhurt(4)
			}
		}
	})
}

// derivatives checks that a matrix and its gradient agree with sums over pairs. It returns false for a kernel without derivatives.
func derivatives(t *testing.T, what string, k kernels.Kernel, x *mat.Dense, arenas []*guarded.Arena, place string, rng *rand.Rand, near func(of string, got, want []float64, largest float64)) bool {
	t.Helper()
	of, err := kernels.AsDifferentiable(k)
	if err != nil {
		return false
	}
	n, _ := x.Dims()
	d, err := kernels.NewDerivatives(x, &kernels.Options{Workers: 1})
	require.NoError(t, err)
	w := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			w.SetSym(i, j, rng.NormFloat64())
		}
	}
	params := of.Params()
	want, pair := make([]float64, len(params)), make([]float64, len(params))
	largest, largestValue := 1., 1.
	values := make([]float64, 0, n*n)
	for i := range n {
		for j := range n {
			of.EvalGradient(pair, x.RawRowView(i), x.RawRowView(j))
			for p, v := range pair {
				want[p] += w.At(i, j) * v
				largest += math.Abs(w.At(i, j) * v)
			}
			values = append(values, k.Eval(x.RawRowView(i), x.RawRowView(j)))
			largestValue = max(largestValue, math.Abs(values[len(values)-1]))
		}
	}
	matrix := mat.NewSymDense(n, arenas[2].Put(place, make([]float64, n*n)))
	got := arenas[3].Put(place, make([]float64, len(params)))
	guarded.Run(t, what, func() {
		require.NoError(t, d.MatrixTo(context.Background(), matrix, k), what)
		require.NoError(t, d.Gradient(context.Background(), got, w), what)
	})
	dense := mat.DenseCopyOf(matrix)
	near("matrix", dense.RawMatrix().Data, values, largestValue)
	near("gradient", got, want, largest)
	return true
}
