package shapley

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
)

var ctx = context.Background()

// reference is a file of values that another program computed over all subsets.
type reference struct {
	Kernel     string
	Lengths    []float64
	Rows       [][]float64
	Alpha      []float64
	Background [][]float64
	X, Phi     []float64
}

func dense(rows [][]float64) *mat.Dense {
	out := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, r := range rows {
		out.SetRow(i, r)
	}
	return out
}

// each returns the owners of d columns of which each is a player.
func each(d int) []int {
	out := make([]int, d)
	for j := range out {
		out[j] = j
	}
	return out
}

func TestReferences(t *testing.T) {
	for name, of := range map[string]struct {
		kernel     kernels.Kernel
		categories []int
	}{
		"rbf": {kernels.RBFOfLength(1), nil}, "laplacian": {kernels.Laplacian{}, nil}, "zero_factor": {kernels.Laplacian{}, nil},
		"mixed": {kernels.Laplacian{}, []int{4}},
	} {
		data, err := os.ReadFile(filepath.Join("testdata", name+".json"))
		require.NoError(t, err)
		var r reference
		require.NoError(t, json.Unmarshal(data, &r))
		k := kernels.ARD{Kernel: of.kernel, Lengths: r.Lengths, Categories: of.categories}
		g, err := Kernel(k, each(len(r.X)), len(r.X))
		require.NoError(t, err)
		for _, workers := range []int{1, 3} {
			phi, err := g.Values(ctx, workers, r.X, dense(r.Background), dense(r.Rows), r.Alpha)
			require.NoError(t, err)
			assert.InDeltaSlice(t, r.Phi, phi, 1e-10, name)
		}
	}
}

// random returns rows of normal numbers, except for the last column, which has three values.
func random(n, d int, rng *rand.Rand) *mat.Dense {
	out := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			out.Set(i, j, rng.NormFloat64())
		}
		out.Set(i, d-1, float64(rng.IntN(3)))
	}
	return out
}

// sum computes Σ alpha[i] k(x, rows[i]) from its definition.
func sum(k kernels.Kernel, rows *mat.Dense, alpha, x []float64) (out float64) {
	for i, a := range alpha {
		out += a * k.Eval(x, rows.RawRowView(i))
	}
	return out
}

// byDefinition computes the Shapley values from their definition, with all coalitions of players.
func byDefinition(f func(x []float64) float64, owners []int, players int, x []float64, background *mat.Dense) []float64 {
	m, d := background.Dims()
	v := make([]float64, 1<<players)
	for s := range v {
		for z := range m {
			row := make([]float64, d)
			for j, o := range owners {
				row[j] = background.At(z, j)
				if o < players && s>>o&1 == 1 {
					row[j] = x[j]
				}
			}
			v[s] += f(row) / float64(m)
		}
	}
	phi := make([]float64, players)
	for s := range v {
		size := 0
		for p := range players {
			size += s >> p & 1
		}
		for p := range players {
			if s>>p&1 == 0 {
				phi[p] += math.Gamma(float64(size+1)) * math.Gamma(float64(players-size)) / math.Gamma(float64(players+1)) * (v[s|1<<p] - v[s])
			}
		}
	}
	return phi
}

// kernelsOf returns kernels of six columns that are sums of products.
func kernelsOf() map[string]kernels.Kernel {
	lengths := []float64{0.7, 1.3, 2, 0.9, 1.7, 1.1}
	ard := func(k kernels.Kernel) kernels.Kernel { return kernels.ARD{Kernel: k, Lengths: lengths} }
	mixed := func(k kernels.Kernel) kernels.Kernel {
		return kernels.ARD{Kernel: k, Lengths: lengths, Categories: []int{5}}
	}
	return map[string]kernels.Kernel{
		"RBF": kernels.RBF{Gamma: 0.3}, "zero RBF": kernels.RBF{}, "ARD RBF": ard(kernels.RBF{}),
		"Laplacian with a category": mixed(kernels.Laplacian{Gamma: 0.4}), "RBF with a category": mixed(kernels.RBFOfLength(1)),
		"Matern 1/2": ard(kernels.Matern{Nu: 0.5}), "Matern 3/2": ard(kernels.Matern{Length: 1.2}),
		"Matern 5/2 with a category": mixed(kernels.Matern{Nu: 2.5}),
		"RationalQuadratic":          ard(kernels.RationalQuadratic{Alpha: 0.8, Length: 1.4}),
		"ARD in groups":              kernels.ARD{Kernel: kernels.RBF{}, Lengths: []float64{1, 2}, Groups: []int{0, 1, 1, 0, 1, 0}},
		"Periodic":                   kernels.Periodic{Periods: []float64{3, 2, 4, 5, 6, 7}, Lengths: []float64{1.5}},
		"ARD Periodic":               ard(kernels.Periodic{}),
		"Linear":                     ard(kernels.Linear{}),
		"Additive":                   kernels.Additive{Kernel: kernels.Matern{Nu: 1.5}, Lengths: lengths, Variances: lengths},
		"Additive of ones":           kernels.Additive{Kernel: kernels.RationalQuadratic{Alpha: 0.01}, Lengths: lengths},
		"Sum":                        kernels.Sum{kernels.Linear{}, kernels.Scaled{Kernel: kernels.RBF{Gamma: 0.2}, Factor: 3}, kernels.Scaled{Kernel: kernels.RBF{}}},
		"Product of columns": kernels.Product{
			kernels.Columns{Of: []int{2, 0}, Kernel: kernels.Periodic{Periods: []float64{2, 3}, Lengths: []float64{1, 2}}},
			kernels.Columns{Of: []int{1, 3, 4}, Kernel: kernels.Matern{Nu: 2.5}}, kernels.Columns{Of: []int{5}, Kernel: kernels.Polynomial{Degree: 2}},
		},
		"Product of the same columns": kernels.Product{kernels.RBF{Gamma: 0.1}, kernels.Linear{}, mixed(kernels.Laplacian{})},
		"Sum in ARD":                  mixed(kernels.Sum{kernels.RBF{}, kernels.Product{kernels.Laplacian{Gamma: 0.2}, kernels.Matern{Nu: 2.5}}}),
		"ARD in Columns":              kernels.Columns{Of: []int{5, 4, 3}, Kernel: kernels.ARD{Kernel: kernels.RBF{}, Lengths: []float64{1, 2, 3}, Categories: []int{0}}},
	}
}

// The values of each kernel agree with their definition. Players are single columns or several columns, and a column may be equal
// in x and in the background.
func TestValuesAreThoseOfTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rows, background, x := random(70, 6, rng), random(5, 6, rng), random(1, 6, rng).RawRowView(0)
	alpha := random(70, 2, rng)
	for z := range 5 {
		background.Set(z, 3, x[3])
	}
	background.Set(2, 1, x[1]) // equal to x in one background row
	for name, k := range kernelsOf() {
		for _, owners := range [][]int{{0, 1, 2, 6, 4, 5}, {0, 1, 0, 2, 1, 2}, {0, 0, 0, 0, 0, 0}} {
			players := 6
			if owners[3] != 6 {
				players = 3
			}
			g, err := Kernel(k, owners, players)
			require.NoError(t, err, name)
			a := mat.Col(nil, 0, alpha)
			phi, err := g.Values(ctx, 0, x, background, rows, a)
			require.NoError(t, err, name)
			f := func(row []float64) float64 { return sum(k, rows, a, row) }
			want := byDefinition(f, owners, players, x, background)
			assert.InDeltaSlice(t, want, phi, 1e-10*(1+floats.Norm(want, math.Inf(1))), "%s %v", name, owners)
			total := f(x)
			for z := range 5 {
				total -= f(background.RawRowView(z)) / 5
			}
			assert.InDelta(t, total, floats.Sum(phi), 1e-10*(1+math.Abs(total)), name)
			assert.Zero(t, phi[3%players]*float64(players-3), "a column that does not change")
		}
	}
}

// The values of ten columns agree with the means over all 1024 coalitions.
func TestValuesOfTenColumns(t *testing.T) {
	const d = 10
	rng := rand.New(rand.NewPCG(7, 8))
	rows, background, x := random(40, d, rng), random(4, d, rng), random(1, d, rng).RawRowView(0)
	alpha := mat.Col(nil, 0, random(40, 2, rng))
	lengths := []float64{0.7, 1.3, 2, 0.9, 1.7, 1.1, 3, 0.5, 1.9, 1}
	ard := func(k kernels.Kernel) kernels.Kernel {
		return kernels.ARD{Kernel: k, Lengths: lengths, Categories: []int{d - 1}}
	}
	for name, k := range map[string]kernels.Kernel{
		"RBF": ard(kernels.RBFOfLength(1.5)), "Laplacian": ard(kernels.Laplacian{Gamma: 0.3}), "Matern": ard(kernels.Matern{Nu: 2.5, Length: 2}),
		"RationalQuadratic": ard(kernels.RationalQuadratic{Alpha: 0.8, Length: 2}),
		"Additive":          kernels.Additive{Kernel: kernels.Matern{Nu: 1.5}, Lengths: lengths, Variances: lengths},
	} {
		g, err := Kernel(k, each(d), d)
		require.NoError(t, err, name)
		phi, err := g.Values(ctx, 0, x, background, rows, alpha)
		require.NoError(t, err, name)
		f := func(row []float64) float64 { return sum(k, rows, alpha, row) }
		want := byDefinition(f, each(d), d, x, background)
		require.Greater(t, floats.Norm(want, math.Inf(1)), 1e-3, name)
		assert.InDeltaSlice(t, want, phi, 1e-9, name)
		total := f(x)
		for z := range 4 {
			total -= f(background.RawRowView(z)) / 4
		}
		assert.InDelta(t, total, floats.Sum(phi), 1e-9, name)
	}
}

// With many players, the values have only rounding errors although fewer nodes are used than the exact rule needs. This holds
// whether factors change a little or much.
func TestManyPlayers(t *testing.T) {
	const d = 70
	rng := rand.New(rand.NewPCG(9, 9))
	rows, z, x := random(40, d, rng), random(1, d, rng), random(1, d, rng).RawRowView(0)
	alpha := mat.Col(nil, 0, rows)
	rows.SetRow(0, x) // all its factors at x are 1
	for _, gamma := range []float64{1e-6, 1e-4, 1e-3, 0.01, 0.05, 0.2, 5, 100} {
		k := kernels.RBF{Gamma: gamma}
		g, err := Kernel(k, each(d), d)
		require.NoError(t, err)
		phi, err := g.Values(ctx, 0, x, z, rows, alpha)
		require.NoError(t, err)
		factor := func(a, b float64) float64 { return math.Exp(-gamma * (a - b) * (a - b)) }
		largest := 0.0
		for i := range alpha { // rounding errors are relative to the products of the larger factors
			product := math.Abs(alpha[i])
			for l, r := range rows.RawRowView(i) {
				product *= max(factor(x[l], r), factor(z.At(0, l), r))
			}
			largest = max(largest, product)
		}
		for _, j := range []int{0, 17, d - 1} {
			want := quad.Fixed(func(t float64) (sum float64) {
				for i, a := range alpha {
					product := a * (factor(x[j], rows.At(i, j)) - factor(z.At(0, j), rows.At(i, j)))
					for l, r := range rows.RawRowView(i) {
						if l != j {
							product *= (1-t)*factor(z.At(0, l), r) + t*factor(x[l], r)
						}
					}
					sum += product
				}
				return sum
			}, 0, 1, 60, quad.Legendre{}, 0)
			assert.InDelta(t, want, phi[j], 1e-13*largest, "gamma %v, column %d", gamma, j)
		}
	}
}

// Two columns with the same role in a kernel, and equal values everywhere, have the same Shapley value.
func TestSymmetry(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	rows, background, x := random(20, 4, rng), random(3, 4, rng), random(1, 4, rng)
	for _, m := range []*mat.Dense{rows, background, x} {
		for i := range m.RawMatrix().Rows {
			m.Set(i, 1, m.At(i, 0))
		}
	}
	for _, k := range []kernels.Kernel{kernels.RBF{}, kernels.Matern{Nu: 2.5}} {
		g, err := Kernel(k, each(4), 4)
		require.NoError(t, err)
		phi, err := g.Values(ctx, 0, x.RawRowView(0), background, rows, mat.Col(nil, 0, rows))
		require.NoError(t, err)
		assert.InDelta(t, phi[0], phi[1], 1e-14)
		assert.NotZero(t, phi[0])
		assert.NotEqual(t, phi[0], phi[2])
	}
}

type ofOthers struct{ kernels.RBF }

func TestKernelsThatAreNoProducts(t *testing.T) {
	for want, k := range map[string]kernels.Kernel{
		"Polynomial": kernels.Sum{kernels.RBF{}, kernels.Polynomial{}}, "Normalized": kernels.Product{kernels.Normalized{Kernel: kernels.Linear{}}},
		"Tanh": kernels.ARD{Kernel: kernels.Tanh{}, Lengths: []float64{1, 2}}, "RBF": ofOthers{},
		"2000 products":     kernels.Product{kernels.Matern{}, kernels.Matern{}},
		"RationalQuadratic": kernels.RationalQuadratic{Alpha: 1e-3}, "Product": kernels.Product{kernels.Linear{}, kernels.Matern{}, kernels.Matern{}},
		"2000": func() kernels.Kernel {
			out := kernels.Sum{}
			for range 50 {
				out = append(out, kernels.Matern{})
			}
			return out
		}(),
	} {
		_, err := Kernel(k, each(2), 2)
		assert.ErrorContains(t, err, want)
		_, err = Kernel(k, []int{1, 0}, 1)
		assert.NoError(t, err, "any kernel is a factor for one player")
	}
}

// The mixtures of Gaussian kernels agree with the kernels that they represent, at all distances.
func TestMixtures(t *testing.T) {
	for _, k := range []kernels.Kernel{
		kernels.Matern{Nu: 0.5, Length: 2}, kernels.Matern{Nu: 1.5, Length: 1e-3}, kernels.Matern{Nu: 2.5, Length: 1e3},
		kernels.RationalQuadratic{Alpha: 0.3, Length: 0.5}, kernels.RationalQuadratic{Alpha: 50, Length: 3},
	} {
		var nodes []node
		length := 0.0
		switch k := k.(type) {
		case kernels.Matern:
			nodes, length = maternNodes(k.Nu, k.Length), k.Length
		case kernels.RationalQuadratic:
			nodes, length = rationalNodes(k.Alpha, k.Length), k.Length
		}
		for _, r := range []float64{0, 1e-8, 1e-4, 0.01, 0.1, 0.5, 1, 2, 5, 20, 100} {
			got := 0.0
			for _, n := range nodes {
				got += n.weight * math.Exp(-n.rate*r*r*length*length)
			}
			assert.InDelta(t, k.Eval([]float64{r * length}, []float64{0}), got, 1e-13, "%v at %v lengths, %d nodes", k, r, len(nodes))
		}
	}
}

func TestValuesCancelled(t *testing.T) {
	g, err := Kernel(kernels.RBF{}, each(2), 2)
	require.NoError(t, err)
	gone, cancel := context.WithCancel(ctx)
	cancel()
	rows := random(9, 2, rand.New(rand.NewPCG(1, 1)))
	_, err = g.Values(gone, 1, []float64{1, 2}, rows, rows, make([]float64, 9))
	assert.ErrorIs(t, err, context.Canceled)
}
