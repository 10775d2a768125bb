package rvm

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/internal/weights"
	"github.com/kernelearn/kernelearn/kernels"
)

type classReference struct {
	Param float64
	X     [][]float64
	Y     []float64
	Fixed struct {
		Active   []int
		Alpha    []float64
		Weights  []float64
		CovDiag  []float64 `json:"cov_diag"`
		Evidence float64   `json:"log_evidence"`
		Gradient []float64 `json:"true_gradient_log_alpha"`
	} `json:"fixed_point"`
	Optimum struct {
		Relevance []int
		Alpha     []float64
		Weights   []float64
		Evidence  float64 `json:"log_evidence"`
	}
	Predict struct {
		X     [][]float64
		Mean  []float64 `json:"latent_mean"`
		Var   []float64 `json:"latent_var"`
		Proba []float64 `json:"proba_moderated"`
	}
}

func loadClasses(t *testing.T) (c classReference, labels []int) {
	golden.Load(t, "cls_ripley100.json", &c)
	for _, v := range c.Y {
		labels = append(labels, int(v))
	}
	return c, labels
}

// binaryAt is the model of given columns and precisions of the columns as they are.
func binaryAt(t *testing.T, c classReference, budget int64, active []int, alpha []float64) *binary {
	return weightedBinaryAt(t, c, nil, budget, active, alpha)
}

func weightedBinaryAt(t *testing.T, c classReference, rows []float64, budget int64, active []int, alpha []float64) *binary {
	x := golden.Dense(c.X)
	b, err := newBasis(ctx, dictionary{kernels.RBF{Gamma: c.Param}}.columns(x, x), weights.NewCounts(rows, len(c.Y)), len(c.Y), len(c.Y)+1, false, true, budget, 2)
	require.NoError(t, err)
	p := &binary{b: b, t: c.Y, workers: 2, banned: map[int]bool{}}
	for i, j := range active {
		require.NoError(t, p.include(ctx, j, alpha[i]/b.norms[j]/b.norms[j]))
	}
	require.NoError(t, p.mode(ctx))
	return p
}

func TestClassReferenceFixedPoint(t *testing.T) {
	c, _ := loadClasses(t)
	for _, budget := range []int64{1 << 30, 0} {
		p := binaryAt(t, c, budget, c.Fixed.Active, c.Fixed.Alpha)
		assert.InEpsilon(t, c.Fixed.Evidence, p.lev, 1e-9)
		weights, variances := make([]float64, len(p.w)), make([]float64, len(p.w))
		for i, j := range p.active {
			weights[i] = p.w[i] / p.b.norms[j]
			variances[i] = p.sigma.At(i, i) / p.b.norms[j] / p.b.norms[j]
		}
		assert.LessOrEqual(t, golden.MaxError(weights, c.Fixed.Weights), 1e-9)
		assert.LessOrEqual(t, golden.MaxError(variances, c.Fixed.CovDiag), 1e-9)
		assert.LessOrEqual(t, golden.MaxError(p.gradient(), c.Fixed.Gradient), 1e-8)

		// The scan is what single columns give, and the evidence without a member what
		// its statistics say, to first order of Laplace's approximation.
		s, q, err := p.scan(ctx)
		require.NoError(t, err)
		for _, j := range []int{3, 44, 100} {
			column, err := p.b.column(ctx, j)
			require.NoError(t, err)
			sj, qj := p.statistics(column)
			assert.InDelta(t, sj, s[j], 1e-12)
			assert.InDelta(t, qj, q[j], 1e-12)
		}
	}
}

func TestClassGradient(t *testing.T) {
	c, _ := loadClasses(t)
	weights := make([]float64, len(c.Y))
	for i := range weights {
		weights[i] = 0.3 + float64(i%7)/2
	}
	for _, w := range [][]float64{nil, weights} {
		at := func(alpha []float64) *binary { return weightedBinaryAt(t, c, w, 1<<30, c.Fixed.Active, alpha) }
		g := at(c.Fixed.Alpha).gradient()
		const step = 1e-4
		for i := range g {
			lev := map[float64]float64{}
			for _, u := range []float64{-step, step} {
				alpha := append([]float64(nil), c.Fixed.Alpha...)
				alpha[i] *= math.Exp(u)
				lev[u] = at(alpha).lev
			}
			assert.InDelta(t, (lev[step]-lev[-step])/(2*step), g[i], 1e-6)
		}
	}
}

func TestClassReferenceOptimum(t *testing.T) {
	c, labels := loadClasses(t)
	p := binaryAt(t, c, 1<<30, c.Optimum.Relevance, c.Optimum.Alpha)
	weights := make([]float64, len(p.w))
	for i, j := range p.active {
		weights[i] = p.w[i] / p.b.norms[j]
		if j < 100 {
			gamma := 1 - p.alpha[i]*p.sigma.At(i, i)
			assert.InDelta(t, 1, p.alpha[i]*p.w[i]*p.w[i]/gamma, 1e-6)
		}
	}
	assert.LessOrEqual(t, golden.MaxError(weights, c.Optimum.Weights), 1e-6)

	r := &Classifier{Kernel: kernels.RBF{Gamma: c.Param}}
	require.NoError(t, r.Fit(ctx, golden.Dense(c.X), labels))
	assert.GreaterOrEqual(t, r.LogEvidence(), c.Optimum.Evidence-0.5)
	assert.True(t, r.Report().Converged)
	if !assert.Equal(t, c.Optimum.Relevance[:3], r.RelevanceIndices(), "the set may differ; then the predictions below do too") {
		return
	}
	proba, err := r.PredictProba(golden.Dense(c.Predict.X))
	require.NoError(t, err)
	assert.LessOrEqual(t, golden.MaxError(mat.Col(nil, 1, proba), c.Predict.Proba), 1e-6)
}

// The true gradient leads a little higher, and vanishes there.
func TestRefine(t *testing.T) {
	c, labels := loadClasses(t)
	plain := &Classifier{Kernel: kernels.RBF{Gamma: c.Param}}
	refined := &Classifier{Kernel: kernels.RBF{Gamma: c.Param}, Refine: true}
	require.NoError(t, plain.Fit(ctx, golden.Dense(c.X), labels))
	require.NoError(t, refined.Fit(ctx, golden.Dense(c.X), labels))
	assert.InDelta(t, 0.04, refined.LogEvidence()-plain.LogEvidence(), 0.02)

	p := binaryAt(t, c, 1<<30, append([]int{100}, c.Optimum.Relevance[:3]...), append([]float64{c.Optimum.Alpha[3]}, c.Optimum.Alpha[:3]...))
	assert.Greater(t, largest(p.gradient()[1:]), 0.05)
	require.NoError(t, p.refine(ctx))
	assert.LessOrEqual(t, largest(p.gradient()[1:]), 1e-6)
}
