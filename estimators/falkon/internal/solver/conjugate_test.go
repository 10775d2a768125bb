package solver

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/kernels"
)

// The estimated error agrees with the true error of the iterate for samples of different sizes, whether the iteration starts from
// the sample's solution or from 0. The sample's solution is closer, and both initial values lead to the same solution.
func TestEnergy(t *testing.T) {
	x, y, _ := friedman(4000, 4, 1, 1)
	for _, perLandmark := range []int{4, 16} {
		s := Settings{Type: "test", Ridge: .004, AddedJitter: LeastJitter}.WithDefaults()
		landmarks := linalg.Rows(x, firstRows(60))
		b, err := s.NewBasis(ctx, kernels.RBF{Gamma: .6}, landmarks)
		require.NoError(t, err)
		src := rows.InMemory(x, mat.NewDense(len(y), 1, y), nil)
		sample := src.Head(60 * perLandmark)
		p := NewProblem(s, b, src)
		sum := make([]float64, p.M)
		of, err := p.products(ctx, sample, nil, sum, p.passing(ctx, sample))
		require.NoError(t, err)
		p.centreBy(of, sample, sum)
		scaleSym(of.g, 1/float64(sample.N))
		of.r.Scale(1/float64(sample.N), of.r)
		by, lambdas, err := p.preconditioner(ctx, of, sample, false)
		require.NoError(t, err)

		warm, kernelMean, err := p.start(ctx, of.r, by, lambdas, sample.N)
		require.NoError(t, err)
		_, right, _, err := p.firstPass(ctx, nil)
		require.NoError(t, err)
		cold := newConjugate(right, lambdas, sample.N)
		cold.begin(by)
		p.setCentre(kernelMean)
		h := p.hessian(kernelMean, func() float64 { return 0 })
		end := cold.clone()
		for range 60 {
			require.NoError(t, end.step(ctx, h, by, 0))
		}
		norm := func(of *mat.Dense) float64 {
			v := mat.DenseCopyOf(of)
			require.NoError(t, h(ctx, v, end.columns))
			return math.Sqrt(linalg.Dot(of.RawRowView(0), v.RawRowView(0)))
		}
		wrong := func(c *conjugate) float64 {
			var d mat.Dense
			d.Sub(c.u, end.u)
			return norm(&d) / norm(end.u)
		}
		assert.Less(t, wrong(warm), .5)
		for _, c := range []*conjugate{warm, cold} {
			for range 10 {
				require.NoError(t, c.step(ctx, h, by, 0))
				if c.iteration >= 2 {
					share := c.energy() / wrong(c)
					assert.Greater(t, share, .3, "%d rows a landmark, iteration %d: %g for %g", perLandmark, c.iteration, c.energy(), wrong(c))
					assert.Less(t, share, 6., "%d rows a landmark, iteration %d: %g for %g", perLandmark, c.iteration, c.energy(), wrong(c))
				}
			}
			assert.Less(t, wrong(c), .01)
		}
	}
}

func firstRows(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// friedman returns n rows of at least three uniform columns. The targets are Friedman's first function of up to five of them. They
// are returned with noise in y, and without noise in clean.
func friedman(n, d int, noise float64, seed uint64) (x *mat.Dense, y, clean []float64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	x, y, clean = mat.NewDense(n, d, nil), make([]float64, n), make([]float64, n)
	for i := range n {
		r := x.RawRowView(i)
		for j := range r {
			r[j] = rng.Float64()
		}
		clean[i] = 10*math.Sin(math.Pi*r[0]*r[1]) + 20*(r[2]-.5)*(r[2]-.5)
		for j, slope := range []float64{10, 5}[:min(2, d-3)] {
			clean[i] += slope * r[3+j]
		}
		y[i] = clean[i] + noise*rng.NormFloat64()
	}
	return x, y, clean
}
