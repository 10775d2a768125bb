package gabasr

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/linalg"
)

// powers returns powers of the columns of x, minus their means over weighted rows. The means are subtracted because the prior of
// the intercept applies to the value at the mean.
func powers(x, rows *mat.Dense, own []float64, degree int) *mat.Dense {
	n, d := x.Dims()
	out := mat.NewDense(n, degree*d, nil)
	for j := range d {
		for k := range degree {
			sum, total := 0.0, 0.0
			for i, w := range own {
				sum += w * math.Pow(rows.At(i, j), float64(k+1))
				total += w
			}
			for i := range n {
				out.Set(i, j*degree+k, math.Pow(x.At(i, j), float64(k+1))-sum/total)
			}
		}
	}
	return out
}

// posteriorOf computes the posterior of coefficients from its definition. The coefficients have normal priors with the given
// precisions, in units of the precision of the noise. It returns, for the rows of at, the means and φ'A⁻¹φ, and twice the increase
// of the rate of the noise.
func posteriorOf(t *testing.T, phi, at *mat.Dense, precision, own, y []float64) (mean, spread []float64, square float64) {
	t.Helper()
	n, _ := phi.Dims()
	var weighted, a, right, inverse, beta, fit, meanAt mat.Dense
	weighted.Mul(mat.NewDiagDense(n, own), phi)
	a.Mul(phi.T(), &weighted)
	for j, v := range precision {
		a.Set(j, j, a.At(j, j)+v)
	}
	right.Mul(weighted.T(), mat.NewDense(n, 1, y))
	require.NoError(t, ignoreCondition(inverse.Inverse(&a)))
	beta.Mul(&inverse, &right)
	fit.Mul(phi, &beta)
	meanAt.Mul(at, &beta)
	for i, v := range y {
		square += own[i] * (v - fit.At(i, 0)) * (v - fit.At(i, 0))
	}
	for j, v := range precision {
		square += v * beta.At(j, 0) * beta.At(j, 0)
	}
	m, _ := at.Dims()
	for i := range m {
		spread = append(spread, mat.Inner(at.RowView(i), &inverse, at.RowView(i)))
	}
	return mat.Col(nil, 0, &meanAt), spread, square
}

func ignoreCondition(err error) error {
	if _, ok := err.(mat.Condition); ok {
		return nil
	}
	return err
}

// joined returns a matrix with the columns of all parts.
func joined(parts ...mat.Matrix) *mat.Dense {
	n, _ := parts[0].Dims()
	out := mat.NewDense(n, widths(parts), nil)
	at := 0
	for _, p := range parts {
		_, q := p.Dims()
		out.Slice(0, n, at, at+q).(*mat.Dense).Copy(p)
		at += q
	}
	return out
}

func widths(parts []mat.Matrix) (sum int) {
	for _, p := range parts {
		_, q := p.Dims()
		sum += q
	}
	return sum
}

// Except for the degrees of freedom, a trend is equivalent to powers of the columns with a very wide normal prior. A prior in units
// of the noise's precision adds degrees of freedom.
func TestTrendIsTheLimitOfAWidePrior(t *testing.T) {
	x, y, _ := problem(50, 6)
	at := mat.NewDense(4, 2, []float64{0, 0, 1, -2, 4, 4, -6, 3})
	for i := range y {
		y[i] += 0.8*x.At(i, 0) - 0.3*x.At(i, 1)*x.At(i, 1)
	}
	own, total := make([]float64, 50), 0.0
	for i := range own {
		own[i] = 0.2 + 2*math.Abs(math.Sin(float64(i)))
		total += own[i]
	}
	noise := make([]float64, 50)
	for i, w := range own {
		noise[i] = 1 / w
	}
	const ridge, shape = 0.3, 1.5
	for degree := 1; degree <= 3; degree++ {
		for _, kind := range []Map{Stationary, Paired} {
			r := &Regressor{Pairs: 7, Features: kind, Sweeps: 3, BurnIn: 2, Chains: 1, NoScaling: true, Ridge: ridge, NoiseShape: shape, Trend: degree}
			require.NoError(t, r.FitWeighted(ctx, x, y, own))
			// The map is that of the only kept sweep. Without scaling, Paired measures x from 0.
			waves, err := r.Map().Transform(x)
			require.NoError(t, err)
			wavesAt, err := r.Map().Transform(at)
			require.NoError(t, err)
			precision := make([]float64, 1+2*degree+14)
			for j := range precision {
				switch {
				case j == 0:
					precision[j] = 1e-4
				case j <= 2*degree:
					precision[j] = 1e-13
				default:
					precision[j] = ridge
				}
			}
			one, oneAt := mat.NewDense(50, 1, nil), mat.NewDense(4, 1, nil)
			one.Apply(func(int, int, float64) float64 { return 1 }, one)
			oneAt.Apply(func(int, int, float64) float64 { return 1 }, oneAt)
			wantMean, spread, square := posteriorOf(t, joined(one, powers(x, x, own, degree), waves), joined(oneAt, powers(at, x, own, degree), wavesAt), precision, own, y)
			aN := shape + (total-2*float64(degree))/2
			bN := 1e-3 + square/2
			mean, variance, err := r.PredictVariance(at)
			require.NoError(t, err)
			for i := range mean {
				assert.InEpsilon(t, wantMean[i], mean[i], 1e-8, "degree %d, %v", degree, kind)
				assert.InEpsilon(t, bN/(aN-1)*(1+spread[i]), variance[i], 1e-8, "degree %d, %v", degree, kind)
			}
			// The evidence is the integral over the coefficients of polynomials that are orthonormal over the rows: ∫ N(y; Tc, σ²K)
			// dc, where K is the covariance of all other terms.
			got, _ := r.LogEvidence()
			assert.InEpsilon(t, restricted(t, x, own, y, mat.DenseCopyOf(waves), noise, degree, ridge, ownPrior{1e-4, shape, 1e-3}), got, 1e-8)
		}
	}
}

// ownPrior is the prior of the intercept's coefficient and of the noise.
type ownPrior struct{ intercept, a, b float64 }

// restricted returns the log density of weighted targets, with the coefficients of the trend integrated out by generalised least
// squares.
func restricted(t *testing.T, x *mat.Dense, own, y []float64, waves *mat.Dense, noise []float64, degree int, ridge float64, p0 ownPrior) float64 {
	t.Helper()
	n, d := x.Dims()
	total := 0.0
	for _, w := range own {
		total += w
	}
	k := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			k.SetSym(i, j, 1/p0.intercept+mat.Dot(waves.RowView(i), waves.RowView(j))/ridge)
		}
		k.SetSym(i, i, k.At(i, i)+noise[i])
	}
	// The Gram-Schmidt process yields the basis, one column with its powers after the other.
	basis := mat.NewDense(n, degree*d, nil)
	inner := func(a, b []float64) (sum float64) {
		for i, w := range own {
			sum += w * a[i] * b[i] / total
		}
		return sum
	}
	for j := range d {
		var before [][]float64
		for power := range degree + 1 {
			v := make([]float64, n)
			for i := range v {
				v[i] = math.Pow(x.At(i, j), float64(power))
			}
			for range 2 {
				for _, b := range before {
					linalg.Axpy(-inner(v, b), b, v)
				}
			}
			size := math.Sqrt(inner(v, v))
			for i := range v {
				v[i] /= size
			}
			before = append(before, v)
			if power > 0 {
				basis.SetCol(j*degree+power-1, v)
			}
		}
	}
	var c mat.Cholesky
	require.True(t, c.Factorize(k))
	var kt, information mat.Dense
	var ky, right, coefficients mat.VecDense
	target := mat.NewVecDense(n, y)
	require.NoError(t, ignoreCondition(c.SolveTo(&kt, basis)))
	require.NoError(t, ignoreCondition(c.SolveVecTo(&ky, target)))
	information.Mul(basis.T(), &kt)
	right.MulVec(basis.T(), &ky)
	require.NoError(t, coefficients.SolveVec(&information, &right))
	logDetInformation, _ := mat.LogDet(&information)
	rate := p0.b + (mat.Dot(target, &ky)-mat.Dot(&right, &coefficients))/2
	left := total - float64(degree*d)
	aN := p0.a + left/2
	g1, _ := math.Lgamma(aN)
	g0, _ := math.Lgamma(p0.a)
	// A row of weight w counts as w rows, so the determinant of the noise is not part of the evidence.
	logDet := c.LogDet()
	for _, v := range noise {
		logDet -= math.Log(v)
	}
	return -left/2*math.Log(2*math.Pi) - (logDet+logDetInformation)/2 + p0.a*math.Log(p0.b) - aN*math.Log(rate) + g1 - g0
}

// If a polynomial is added to the targets, it is added to the predictions, and nothing else changes, because the trend is not
// regularised.
func TestTrendTakesAnyPolynomial(t *testing.T) {
	x, y, _ := problem(60, 8)
	at := mat.NewDense(3, 2, []float64{0, 1, 5, -5, 20, 30})
	polynomial := func(a, b float64) float64 { return 7*a - 2*a*a + 3*b*b }
	shift := 0.0 // the intercept is slightly regularised
	for i := range y {
		shift += polynomial(x.At(i, 0), x.At(i, 1)) / 60
	}
	moved := make([]float64, 60)
	for i, v := range y {
		moved[i] = v + polynomial(x.At(i, 0), x.At(i, 1)) - shift
	}
	build := func() *Regressor {
		return &Regressor{Pairs: 8, Sweeps: 5, Chains: 2, Ridge: 0.1, NoScaling: true, Trend: 2}
	}
	a, b := build(), build()
	require.NoError(t, a.Fit(ctx, x, y))
	require.NoError(t, b.Fit(ctx, x, moved))
	mean, variance, err := a.PredictVariance(at)
	require.NoError(t, err)
	got, gotVariance, err := b.PredictVariance(at)
	require.NoError(t, err)
	for i, v := range mean {
		assert.InDelta(t, v+polynomial(at.At(i, 0), at.At(i, 1))-shift, got[i], 1e-6*math.Abs(got[i]))
		assert.InEpsilon(t, variance[i], gotVariance[i], 1e-6)
	}
	assert.Greater(t, variance[2], 100*variance[1], "farther from the rows")
	evidence, _ := a.LogEvidence()
	gotEvidence, _ := b.LogEvidence()
	assert.InEpsilon(t, evidence, gotEvidence, 1e-8)

	// Multiplying the targets by 10 lowers the log evidence by ln 10 for each of the 60 rows, less one for each of the 4
	// coefficients of the trend.
	s := &Regressor{Pairs: 8, NoSweeps: true, Chains: 1, Trend: 2}
	require.NoError(t, s.Fit(ctx, x, y))
	evidence, _ = s.LogEvidence()
	for i := range y {
		y[i] *= 10
	}
	require.NoError(t, s.Fit(ctx, x, y))
	gotEvidence, _ = s.LogEvidence()
	assert.InDelta(t, evidence-(60-4)*math.Log(10), gotEvidence, 1e-8*math.Abs(evidence))
}

// The variance stays finite if columns are functions of other columns, or have huge values.
func TestTrendOfColumnsThatOthersAre(t *testing.T) {
	x, y, _ := problem(30, 5)
	wide := mat.NewDense(30, 5, nil)
	for i := range 30 {
		a := x.At(i, 0)
		// The columns are: an ordinary column, a column with two values, a constant, the first column in other units, and the
		// square of the first column.
		wide.SetRow(i, []float64{a, float64(i % 2), 4, 1 - 1000*a, a * a})
	}
	for _, plain := range []bool{false, true} {
		r := &Regressor{Pairs: 5, Sweeps: 3, Chains: 1, Trend: 2, NoScaling: plain}
		require.NoError(t, r.Fit(ctx, wide, y))
		_, variance, err := r.PredictVariance(wide)
		require.NoError(t, err)
		for _, v := range variance {
			assert.True(t, v > 0 && !math.IsInf(v, 1))
		}
	}
	huge := mat.NewDense(30, 2, nil)
	huge.Scale(1e200, x)
	r := &Regressor{Pairs: 5, Sweeps: 3, Chains: 1, Trend: 3}
	require.NoError(t, r.Fit(ctx, huge, y))
	_, _, err := r.PredictVariance(huge)
	require.NoError(t, err)
}

func TestTrendErrors(t *testing.T) {
	x, y, _ := problem(6, 1)
	err := (&Regressor{Trend: 4}).Fit(ctx, x, y)
	assert.ErrorIs(t, err, estimators.ErrParam)
	assert.EqualError(t, err, "gabasr: Regressor: Trend = 4, want 1 to 3, or 0 for none")
	err = (&Regressor{Trend: -1}).Fit(ctx, x, y)
	assert.ErrorIs(t, err, estimators.ErrParam)
	// Six rows suffice for at most four coefficients of a trend, and Trend 3 has six.
	err = (&Regressor{Trend: 3}).Fit(ctx, x, y)
	assert.ErrorIs(t, err, estimators.ErrShape)
	assert.ErrorContains(t, err, "x has 6 rows")
	assert.ErrorContains(t, err, "Trend = 3")
	light := []float64{.6, .6, .6, .6, .6, .6}
	assert.ErrorIs(t, (&Regressor{Trend: 1, Ridge: .1}).FitWeighted(ctx, x, y, light), estimators.ErrShape, "rows of weight 3.6 together")
	assert.NoError(t, (&Regressor{Trend: 1, Pairs: 3, Sweeps: 2}).FitWeighted(ctx, x, y, light), "rows of weight 1 on average")
	assert.NoError(t, (&Regressor{Trend: 2, Pairs: 3, Sweeps: 2}).Fit(ctx, x, y))
}

// With many rows, the initial model is chosen on some of them, with their trend columns. Predictions of single rows agree with
// those in blocks.
func TestTrendOfManyRows(t *testing.T) {
	x, y, _ := problem(2000+100, 7)
	for i := range y {
		y[i] += 3 * x.At(i, 0) * x.At(i, 0)
	}
	r := &Regressor{Pairs: 5, NoSweeps: true, Chains: 2, Trend: 2}
	require.NoError(t, r.Fit(ctx, x, y))
	at := mat.NewDense(2, 2, []float64{8, 0, -8, 1})
	mean, variance, err := r.PredictVariance(at)
	require.NoError(t, err)
	one := make([]float64, 2)
	require.NoError(t, r.PredictTo(one, at))
	for i, v := range mean {
		assert.InDelta(t, 192, v, 4*math.Sqrt(variance[i]), "far from the rows")
		assert.Less(t, math.Sqrt(variance[i]), 50.0)
		assert.InEpsilon(t, v, one[i], 1e-12)
	}
}
