package sampler

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/gabasr/internal/features"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// fromScratch computes the log evidence of frequencies from its definition: features one by one, a Cholesky factorisation, and the
// residuals.
func fromScratch(c *chain, w, v *mat.Dense, target []float64) float64 {
	s := c.sys
	phi := designByDefinition(c.x, c.trend, w, v, c.kind)
	n, p := phi.Dims()
	root, total := make([]float64, n), 0.0
	for i := range n {
		if root[i] = 1; s.rows.Roots != nil {
			root[i] = s.rows.Roots[i]
		}
		total += root[i] * root[i]
		for j := range p {
			if c.roots != nil {
				phi.Set(i, j, phi.At(i, j)*c.roots[i])
			}
		}
	}
	a := mat.NewSymDense(p, nil)
	for i := range p {
		for j := range i + 1 {
			sum := 0.0
			for k := range n {
				sum += phi.At(k, i) * phi.At(k, j)
			}
			if i == j {
				sum += s.precision(i, s.ridge)
			}
			a.SetSym(i, j, sum)
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(a) {
		return math.NaN()
	}
	var r, mean, e mat.VecDense
	y := mat.NewVecDense(n, target)
	r.MulVec(phi.T(), y)
	_ = chol.SolveVecTo(&mean, &r) // an ill-conditioned system still has a solution
	e.MulVec(phi, &mean)
	switch s.evidence {
	case SurrogateEvidence:
		sum := 0.0
		for i := range n {
			q := 1 / (1 + math.Exp(-e.AtVec(i)/root[i]))
			sum += root[i] * root[i] * (s.labels[i]*math.Log(q) + (1-s.labels[i])*math.Log(1-q))
		}
		return sum
	case AugmentedEvidence:
		return (s.logPrior(s.ridge) - chol.LogDet() + mat.Dot(&r, &mean)) / 2
	}
	e.SubVec(y, &e)
	rate := mat.Dot(&e, &e)
	for i := range p {
		rate += s.precision(i, s.ridge) * mean.AtVec(i) * mean.AtVec(i)
	}
	rate = s.b0 + rate/2
	flat := float64(features.WidthOf(c.trend)) // each coefficient of the trend uses up one row
	aN := s.a0 + (total-flat)/2
	g1, _ := math.Lgamma(aN)
	g0, _ := math.Lgamma(s.a0)
	return -(total-flat)/2*math.Log(2*math.Pi) + (s.logPrior(s.ridge)-chol.LogDet())/2 + s.a0*math.Log(s.b0) - aN*math.Log(rate) + g1 - g0
}

func designByDefinition(x, trend, w, v *mat.Dense, kind features.Map) *mat.Dense {
	n, d := x.Dims()
	m, _ := w.Dims()
	inner := func(a, b []float64) (s float64) {
		for j := range d {
			s += a[j] * b[j]
		}
		return s
	}
	var rows [][]float64
	for i := range n {
		row := []float64{1}
		if trend != nil {
			row = append(row, trend.RawRowView(i)...)
		}
		add := func(local float64, f []float64, scale float64) {
			a := inner(f, x.RawRowView(i))
			row = append(row, scale*local*math.Cos(a), scale*local*math.Sin(a))
		}
		switch kind {
		case features.Stationary:
			for j := range m {
				add(1, w.RawRowView(j), 1/math.Sqrt(float64(m)))
			}
		case features.Paired:
			for j := range m {
				add(math.Cos(inner(v.RawRowView(j), x.RawRowView(i))/2), w.RawRowView(j), 1/math.Sqrt(float64(m)))
			}
		case features.AllPairs:
			k, _ := v.Dims()
			for a := range k {
				for j := range m {
					add(math.Cos(inner(v.RawRowView(a), x.RawRowView(i))/2), w.RawRowView(j), 1/math.Sqrt(float64(m*k)))
				}
			}
		}
		rows = append(rows, row)
	}
	out := mat.NewDense(n, len(rows[0]), nil)
	for i, r := range rows {
		out.SetRow(i, r)
	}
	return out
}

// problem returns n rows of two columns, a noisy wave of them as the target, and the sign of the wave as the label.
func problem(n int, seed uint64) (x *mat.Dense, y, labels []float64) {
	rng := rand.New(rand.NewPCG(seed, 5))
	x, y, labels = mat.NewDense(n, 2, nil), make([]float64, n), make([]float64, n)
	for i := range y {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x.SetRow(i, []float64{a, b})
		y[i] = math.Sin(2*a) + 0.5*b + 0.2*rng.NormFloat64()
		if y[i]+rng.NormFloat64() > 0 {
			labels[i] = 1
		}
	}
	return x, y, labels
}

// The log ratios of all proposals in 20 sweeps agree with the definition, for each evidence, each map, and small and large
// condition numbers.
func TestLogRatiosAgreeWithTheDefinition(t *testing.T) {
	for _, kind := range []features.Map{features.Stationary, features.Paired, features.AllPairs} {
		for e := NormalEvidence; e <= SurrogateEvidence; e++ {
			for _, ridge := range []float64{1, 1e-3, 1e-6} {
				if testing.Short() && ridge != 1e-3 {
					continue // the race detector finds nothing in code with a single goroutine
				}
				for _, size := range []struct{ n, m int }{{60, 12}, {20, 16}} {
					own := make([]float64, size.n)
					for i := range own {
						own[i] = 0.3 + float64(i%5)/2
					}
					for _, weighted := range []bool{false, true} {
						rows := weights.NewCounts(nil, size.n)
						if weighted {
							rows = weights.NewCounts(own, size.n)
						}
						if testing.Short() && (weighted || size.n > 20) {
							continue
						}
						if weighted && (e == AugmentedEvidence || ridge != 1e-3 || size.n < 60) {
							continue // Pólya-Gamma variables support no weights, and one ridge and the largest size suffice for weights
						}
						for _, degree := range []int{0, 2} {
							if degree > 0 && ridge != 1e-3 {
								continue // the ridge does not affect the trend
							}
							t.Run(fmt.Sprintf("%v/evidence %d/ridge %g/%d rows/weighted %t/degree %d", kind, e, ridge, size.n, weighted, degree), func(t *testing.T) {
								worst, proposals := compareRatios(t, kind, e, ridge, rows, size.n, size.m, degree)
								t.Logf("%d proposals, largest difference %.1e", proposals, worst)
								assert.LessOrEqual(t, worst, 1e-8)
								assert.Greater(t, proposals, 50)
							})
						}
					}
				}
			}
		}
	}
}

func compareRatios(t *testing.T, kind features.Map, e Evidence, ridge float64, rows weights.Counts, n, m, degree int) (worst float64, proposals int) {
	x, y, labels := problem(n, 1)
	s := &starter{Settings: Settings{Pairs: m, Map: kind, Ridge: ridge, Prior: Prior{1e-4, 1e-3, 1e-3}, Workers: 1}, x: x, rows: rows, target: y, unit: 0.6,
		rng: rand.New(rand.NewPCG(7, uint64(kind)))}
	if e == SurrogateEvidence {
		s.target = labels
	}
	of, err := features.NewTrend(ctx, "test", x, rows, degree)
	require.NoError(t, err)
	require.Equal(t, 2*degree, of.Width())
	s.trend = of.Columns(x)
	s.target = slices.Clone(s.target)
	rows.Apply(s.target)
	c, err := s.start(ctx)
	require.NoError(t, err)
	if e != NormalEvidence {
		require.NoError(t, c.become(e, labels))
	}
	for range 20 {
		for _, x := range []*mixture{c.w, c.v} {
			if x == nil {
				continue
			}
			require.NoError(t, x.sample(ctx, c.rng))
			require.NoError(t, c.flipSigns(ctx, x))
			k, _ := x.omega.Dims()
			star, err := x.propose(ctx, c.rng)
			require.NoError(t, err)
			logU := make([]float64, k)
			order := make([]int, 0, k)
			for at := k - 1; at >= 0; at-- {
				logU[at] = -c.rng.ExpFloat64()
				if kind == features.AllPairs {
					order = append(order, at)
				} else {
					order = append(order, (c.sys.fac.order[c.sys.pairStart(at)]-c.sys.head)/2)
				}
			}
			present := mat.DenseCopyOf(x.omega)
			ratios, accepted, err := c.metropolis(ctx, x, star, logU)
			require.NoError(t, err)
			value := func(o *mat.Dense) float64 {
				w, v := c.replaced(x, o)
				return fromScratch(c, w, v, c.sys.target)
			}
			before := value(present)
			for _, j := range order {
				next := mat.DenseCopyOf(present)
				next.SetRow(j, star.RawRowView(j))
				after := value(next)
				worst = math.Max(worst, math.Abs(after-before-ratios[j])/math.Max(1, math.Abs(ratios[j])))
				proposals++
				if accepted[j] {
					present, before = next, after
				}
			}
			require.True(t, mat.Equal(present, x.omega))
		}
		if e == AugmentedEvidence {
			require.NoError(t, c.augment())
		}
		require.True(t, c.sys.factor())
	}
	return worst, proposals
}
