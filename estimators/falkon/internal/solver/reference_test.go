package solver

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/kernels"
)

var ctx = context.Background()

type referenceKernel struct {
	Type         string
	Gamma        float64
	LengthScales []float64 `json:"length_scales"`
}

func (k referenceKernel) kernel() kernels.Kernel {
	if k.Type == "rbf" {
		return kernels.RBF{Gamma: k.Gamma}
	}
	if len(k.LengthScales) == 1 {
		return kernels.Matern{Nu: 1.5, Length: k.LengthScales[0]}
	}
	return kernels.ARD{Kernel: kernels.Matern{Nu: 1.5, Length: 1}, Lengths: k.LengthScales}
}

// near checks that numbers agree. The tolerance is relative to the largest expected number, or to scale if that is larger.
func near(t *testing.T, want, got []float64, tolerance, scale float64, what string) {
	t.Helper()
	for _, w := range want {
		scale = max(scale, math.Abs(w))
	}
	assert.InDeltaSlice(t, want, got, tolerance*scale, what)
}

// onReference returns a problem with the landmarks and the jitter of a reference.
func onReference(t *testing.T, s Settings, k referenceKernel, x, y [][]float64, w []float64, landmarks [][]float64, jitter float64) *Problem {
	t.Helper()
	s.AddedJitter = jitter
	s = s.WithDefaults()
	b, err := s.NewBasis(ctx, k.kernel(), golden.Dense(landmarks))
	require.NoError(t, err)
	return NewProblem(s, b, rows.InMemory(golden.Dense(x), golden.Dense(y), w))
}

// predicted returns the outputs of a solution for the rows x, r×k.
func (p *Problem) predicted(t *testing.T, u *mat.Dense, x [][]float64) *mat.Dense {
	t.Helper()
	f, err := p.machineOf(u).Decide("test", golden.Dense(x), 2)
	require.NoError(t, err)
	return f
}

func flat(rows [][]float64) (out []float64) {
	for _, r := range rows {
		out = append(out, r...)
	}
	return out
}

// The model from the normal equations agrees with a solution in 50 digits, and its leave-one-out residuals with refits in 50
// digits.
func TestDirectAgainstReferences(t *testing.T) {
	var file struct {
		Cases []struct {
			Name            string
			X, Y, Landmarks [][]float64
			Kernel          referenceKernel
			Weights         []float64
			Intercept       bool
			Jitter          float64
			XTest           [][]float64 `json:"X_test"`
			Unseen          []float64   `json:"kernel_residual_test"`
			Ridges          []struct {
				Ridge     float64
				Predict   [][]float64
				Intercept []float64
				RSS       []float64   `json:"weighted_rss"`
				Trace     float64     `json:"trace_hat"`
				GCV       []float64   `json:"gcv"`
				MeanLoo   []float64   `json:"loo_mean_square"`
				Quad      []float64   `json:"variance_quadratic_test"`
				Residuals [][]float64 `json:"loo_residuals"`
			}
		}
	}
	golden.Load(t, "landmark_ridge.json", &file)
	const tolerance = 1e-8
	for _, c := range file.Cases {
		for _, r := range c.Ridges {
			t.Run(fmt.Sprintf("%s/%g", c.Name, r.Ridge), func(t *testing.T) {
				p := onReference(t, Settings{Ridge: r.Ridge, NoIntercept: !c.Intercept}, c.Kernel, c.X, c.Y, c.Weights, c.Landmarks, c.Jitter)
				s, err := p.byNormals(ctx)
				require.NoError(t, err)
				scale := 0.0
				for _, y := range flat(c.Y) {
					scale = max(scale, math.Abs(y))
				}
				near(t, flat(r.Predict), p.predicted(t, s.u, c.XTest).RawMatrix().Data, tolerance, scale, "predictions")
				near(t, r.Intercept, p.machineOf(s.u).Bias, tolerance, scale, "intercept")
				if r.Residuals != nil { // the file contains residuals only for the smaller cases
					near(t, flat(r.Residuals), s.Left.Residuals.RawMatrix().Data, tolerance, scale, "leave-one-out residuals")
				}
				assert.InEpsilon(t, r.Trace, s.Left.trace, tolerance, "trace")
				rss, loo := 0.0, 0.0
				for j := range r.RSS {
					rss, loo = rss+r.RSS[j], loo+r.MeanLoo[j]
				}
				assert.InDelta(t, rss, s.Left.rss, tolerance*max(rss, scale), "weighted RSS")
				assert.InDelta(t, loo, s.Objective, tolerance*max(loo, scale), "mean square")
				if n := float64(len(c.X)); n-r.Trace > .01 {
					gcv := 0.0
					for _, g := range r.GCV {
						gcv += g
					}
					assert.InDelta(t, gcv, s.GCV, 1e-7*max(gcv, scale), "GCV")
				}

				m := p.Machine(s)
				ones := slices.Repeat([]float64{1}, p.src.K)
				m.Spread = p.spreadOf(s, ones, make([]float64, p.src.K))
				_, variance, err := m.PredictVariance("test", p.Options(), golden.Dense(c.XTest))
				require.NoError(t, err)
				quad := mat.Col(nil, 0, variance)
				for i := range quad {
					quad[i] -= m.Spread.Unit
				}
				near(t, r.Quad, quad, 1e-7, 0, "quadratic form")
				part := rows.Batch{X: golden.Dense(c.XTest)}
				z, unseen := mat.NewDense(len(quad), p.M, nil), make([]float64, len(quad))
				require.NoError(t, p.Features(ctx, z, part, nil))
				p.Unseen(unseen, part, z)
				near(t, c.Unseen, unseen, tolerance, 1, "kernel residual")
			})
		}
	}
}

// The leave-one-out errors that are computed for all ridges at once equal those computed for each ridge separately.
func TestErrorsOfAllRidges(t *testing.T) {
	var file struct {
		Cases []struct {
			Name            string
			X, Y, Landmarks [][]float64
			Kernel          referenceKernel
			Weights         []float64
			Intercept       bool
			Jitter          float64
			Ridges          []struct {
				Ridge   float64
				MeanLoo []float64 `json:"loo_mean_square"`
			}
		}
	}
	golden.Load(t, "landmark_ridge.json", &file)
	for _, c := range file.Cases {
		p := onReference(t, Settings{NoIntercept: !c.Intercept}, c.Kernel, c.X, c.Y, c.Weights, c.Landmarks, c.Jitter)
		n, err := p.normals(ctx)
		require.NoError(t, err)
		var ridges, want []float64
		for _, r := range c.Ridges {
			ridges, want = append(ridges, r.Ridge), append(want, 0)
			for _, m := range r.MeanLoo {
				want[len(want)-1] += m
			}
		}
		turned, err := rotate(ctx, n.g)
		require.NoError(t, err)
		got, err := p.errorsOf(ctx, newCandidates(turned, n.r, ridges), p.src, p.named(ctx, "ridges"))
		require.NoError(t, err)
		for i := range want {
			assert.InDelta(t, want[i], got[i], 1e-7*max(want[i], 1e-3), "%s, ridge %g", c.Name, ridges[i])
		}
	}
}

// Each iterate agrees with the same iterate in exact arithmetic, for both preconditioners.
func TestConjugateGradientsAgainstReferences(t *testing.T) {
	var file struct {
		X, Y         [][]float64
		Weights      []float64
		LandmarkRows []int `json:"landmark_rows"`
		SampleRows   []int `json:"sample_rows"`
		Kernel       referenceKernel
		XTest        [][]float64 `json:"X_test"`
		Runs         []struct {
			Lam, Ridge, Jitter  float64
			Weighted, Intercept bool
			Preconditioner      string
			Converged           [][]float64 `json:"converged_predict"`
			Iterates            []struct {
				Iteration int
				Predict   [][]float64
				Residual  []float64 `json:"relative_preconditioned_residual"`
			}
			Needed int `json:"float64_iterations_to_1e_11"`
		}
	}
	golden.Load(t, "cg.json", &file)
	pick := func(rows []int) (out [][]float64) {
		for _, i := range rows {
			out = append(out, file.X[i])
		}
		return out
	}
	for _, r := range file.Runs {
		name := fmt.Sprintf("lambda %g, weighted %v, intercept %v, %s", r.Lam, r.Weighted, r.Intercept, r.Preconditioner)
		t.Run(name, func(t *testing.T) {
			var w []float64
			if r.Weighted {
				w = file.Weights
			}
			p := onReference(t, Settings{Ridge: r.Ridge, NoIntercept: !r.Intercept}, file.Kernel, file.X, file.Y, w, pick(file.LandmarkRows), r.Jitter)
			kernelMean, right, _, err := p.firstPass(ctx, nil)
			require.NoError(t, err)
			p.setCentre(kernelMean)
			b := &normal{}
			if r.Preconditioner == "sample" {
				whole := rows.Batch{X: golden.Dense(file.X), Y: golden.Dense(file.Y), W: w}
				part, err := whole.Source().Gather(ctx, file.SampleRows)
				require.NoError(t, err)
				sample := rows.InMemory(part.X, part.Y, part.W)
				b, err = p.products(ctx, sample, p.centre, nil, p.passing(ctx, sample))
				require.NoError(t, err)
				scaleSym(b.g, 1/float64(sample.N))
			} else {
				b.g = p.ofLandmarks(file.LandmarkRows, w)
			}
			factor, err := shifted(ctx, "B", b.g, r.Lam)
			require.NoError(t, err)
			c := newConjugate(right, []float64{r.Lam}, len(file.SampleRows))
			c.begin(oneRidge{factor})
			first := []float64{c.columns[0].Rho, c.columns[1].Rho}
			h := p.hessian(kernelMean, c.energy)
			at := 0
			for range r.Needed + 10 {
				require.NoError(t, c.step(ctx, h, oneRidge{factor}, 0))
				if at < len(r.Iterates) && r.Iterates[at].Iteration == c.iteration {
					near(t, flat(r.Iterates[at].Predict), p.predicted(t, c.u, file.XTest).RawMatrix().Data, 1e-7, 1, "iterate")
					for j, want := range r.Iterates[at].Residual {
						assert.InEpsilon(t, want, math.Sqrt(c.columns[j].Rho/first[j]), 1e-4, "residual after %d", c.iteration)
					}
					at++
				}
			}
			assert.Equal(t, len(r.Iterates), at)
			near(t, flat(r.Converged), p.predicted(t, c.u, file.XTest).RawMatrix().Data, 1e-7, 1, "converged")
		})
	}
}

// ofLandmarks returns the preconditioner of the papers for uniform landmarks, which are the given rows.
func (p *Problem) ofLandmarks(rows []int, w []float64) *mat.SymDense {
	z := mat.NewDense(p.M, p.M, nil) // the rows of T'
	weight := func(i int) float64 {
		if w == nil {
			return 1
		}
		return w[rows[i]]
	}
	mean, total := make([]float64, p.M), 0.0
	for i := range p.M {
		total += weight(i)
		for j := range i + 1 {
			z.Set(i, j, p.T.Data[j*p.T.Stride+i])
			mean[j] += weight(i) * z.At(i, j)
		}
	}
	out := mat.NewSymDense(p.M, nil)
	for i := range p.M {
		row := mat.NewVecDense(p.M, mat.Row(nil, i, z))
		if !p.NoIntercept {
			row.AddScaledVec(row, -1/total, mat.NewVecDense(p.M, mean))
		}
		out.SymRankOne(out, weight(i)/float64(p.M), row)
	}
	return out
}

// The two variances, and the variance of predictions, agree with the maximum likelihood estimates of the references.
func TestVarianceAgainstReferences(t *testing.T) {
	var file struct {
		Cases []struct {
			Name         string
			X, Landmarks [][]float64
			Y            []float64
			Kernel       referenceKernel
			Ridge        float64
			Intercept    bool
			Unseen       []float64   `json:"kernel_residual"`
			Residuals    []float64   `json:"loo_residuals"`
			S2           float64     `json:"s2"`
			Tau2         float64     `json:"tau2"`
			XTest        [][]float64 `json:"X_test"`
			Two          []float64   `json:"variance_two"`
		}
	}
	golden.Load(t, "variance.json", &file)
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			y := make([][]float64, len(c.Y))
			for i, v := range c.Y {
				y[i] = []float64{v}
			}
			p := onReference(t, Settings{Ridge: c.Ridge, NoIntercept: !c.Intercept}, c.Kernel, c.X, y, nil, c.Landmarks, 0)
			s, err := p.byNormals(ctx)
			require.NoError(t, err)
			near(t, c.Residuals, s.Left.Residuals.RawMatrix().Data, 1e-8, 0, "residuals")
			near(t, c.Unseen, s.Left.unseen, 1e-8, 1, "unseen")
			spread := p.NewSpread(s)
			assert.InEpsilon(t, c.S2, spread.Noise[0], 1e-7)
			assert.InDelta(t, c.Tau2, spread.Unseen[0], 1e-7*max(1, c.Tau2))
			m := p.Machine(s)
			m.Spread = spread
			_, variance, err := m.PredictVariance("test", p.Options(), golden.Dense(c.XTest))
			require.NoError(t, err)
			near(t, c.Two, variance.RawMatrix().Data, 1e-7, 0, "variance")
		})
	}
}

// The effective dimension, the leave-one-out error and the generalised cross-validation error agree with the references.
func TestObjectivesAgainstReferences(t *testing.T) {
	var file struct {
		X, Landmarks [][]float64
		Y            []float64
		Cases        []struct {
			Precisions []float64 `json:"column_precisions"`
			Ridge      float64
			Intercept  bool
			Weights    []float64
			Dimension  float64 `json:"effective_dimension"`
			Fit        float64 `json:"data_fit"`
			GCV        float64
			Loo        float64  `json:"loo_mean_square"`
			Trace      *float64 // the part of k(x, x) that the features do not explain
		}
	}
	golden.Load(t, "objectives.json", &file)
	y := make([][]float64, len(file.Y))
	for i, v := range file.Y {
		y[i] = []float64{v}
	}
	for i, c := range file.Cases {
		// The kernel exp(-Σ θ d²) is an RBF with γ = 1 on the columns multiplied by √θ.
		lengths := make([]float64, len(c.Precisions))
		for j, p := range c.Precisions {
			lengths[j] = 1 / math.Sqrt(p)
		}
		s := Settings{Ridge: c.Ridge, NoIntercept: !c.Intercept}.WithDefaults()
		b, err := s.NewBasis(ctx, kernels.ARD{Kernel: kernels.RBF{Gamma: 1}, Lengths: lengths}, golden.Dense(file.Landmarks))
		require.NoError(t, err)
		p := NewProblem(s, b, rows.InMemory(golden.Dense(file.X), golden.Dense(y), c.Weights))
		got, err := p.byNormals(ctx)
		require.NoError(t, err)
		norm := mat.Norm(got.u, 2)
		assert.InEpsilon(t, c.Dimension, got.Left.trace, 1e-8, "dimension of case %d", i)
		assert.InEpsilon(t, c.Fit, got.Left.rss+c.Ridge*norm*norm, 1e-8, "data fit of case %d", i)
		assert.InEpsilon(t, c.GCV, got.GCV, 1e-8, "GCV of case %d", i)
		assert.InEpsilon(t, c.Loo, got.Objective, 1e-8, "leave-one-out of case %d", i)
		if c.Trace != nil {
			assert.InDelta(t, *c.Trace, mat.Sum(mat.NewVecDense(len(got.Left.unseen), got.Left.unseen)), 1e-8*max(1, *c.Trace), "trace of case %d", i)
		}
	}
}

// Newton's method converges to the minimum that was computed in 50 digits, with either solver.
func TestLogisticAgainstReferences(t *testing.T) {
	var file struct {
		X, Landmarks [][]float64
		Noisy        []int `json:"labels_noisy"`
		Separable    []int `json:"labels_separable"`
		Weights      []float64
		Kernel       referenceKernel
		XTest        [][]float64 `json:"X_test"`
		Cases        []struct {
			Ridge       float64
			Intercept   bool
			Weighted    bool
			Labels      string
			Objective   float64
			Constant    float64 `json:"intercept_value"`
			Decision    []float64
			Probability []float64
			SquaredNorm float64 `json:"squared_norm"`
		}
	}
	golden.Load(t, "logistic.json", &file)
	for i, c := range file.Cases {
		labels := file.Noisy
		if c.Labels == "separable" {
			labels = file.Separable
		}
		y := make([][]float64, len(labels))
		for i, l := range labels {
			y[i] = []float64{float64(2*l - 1)}
		}
		var w []float64
		if c.Weighted {
			w = file.Weights
		}
		for _, direct := range []bool{true, false} {
			t.Run(fmt.Sprintf("case %d, direct %v", i, direct), func(t *testing.T) {
				p := onReference(t, Settings{Direct: direct, Logistic: true, NoIntercept: !c.Intercept}, file.Kernel, file.X, y, w, file.Landmarks, 0)
				s, err := p.byNewton(ctx, c.Ridge, rows.InMemory(golden.Dense(file.X[:60]), golden.Dense(y[:60]), w), nil, false)
				require.NoError(t, err)
				assert.True(t, s.Converged)
				tolerance := 1e-8
				if !direct {
					tolerance = 1e-6
				}
				assert.InEpsilon(t, c.Objective, s.Objective, 1e-10)
				assert.InEpsilon(t, c.SquaredNorm, math.Pow(mat.Norm(s.u, 2), 2), 10*tolerance)
				assert.InDelta(t, c.Constant, s.bias[0], tolerance*max(1, math.Abs(c.Constant)))
				f, err := p.Machine(s).Decide("test", golden.Dense(file.XTest), 1)
				require.NoError(t, err)
				decision := mat.Col(nil, 0, f)
				near(t, c.Decision, decision, tolerance, 1, "decision")
				for i, v := range decision {
					decision[i] = vecmath.Sigmoid(v)
				}
				near(t, c.Probability, decision, tolerance, 1, "probability")
			})
		}
	}
}
