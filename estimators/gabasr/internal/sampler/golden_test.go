package sampler

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/gabasr/internal/features"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
)

var ctx = context.Background()

const reference = 1e-9 // tolerance of all reference values

type change struct {
	J     int       `json:"j"`
	Omega []float64 `json:"omega_new"`
	Ratio float64   `json:"log_ratio"`
}

// start returns a chain with given frequencies that belong to one component. Its factor is for the given λ.
func start(t *testing.T, kind features.Map, e Evidence, x, w, v *mat.Dense, target []float64, ridge float64, p0 Prior) *chain {
	t.Helper()
	n, _ := x.Dims()
	pairs := features.Pairs(w, v, kind)
	c := &chain{x: x, kind: kind, workers: 1, w: newMixture(mat.DenseCopyOf(w), 1), sys: newSystem(ctx, e, mat.NewDense(n, 2*pairs+1, nil), 1, ridge, p0)}
	if v != nil {
		c.v = newMixture(mat.DenseCopyOf(v), 1)
	}
	require.NoError(t, c.fill())
	require.NoError(t, c.sys.load(target))
	return c
}

// alone proposes one change, which is not accepted, and returns its log ratio.
func (c *chain) alone(t *testing.T, change change) float64 {
	t.Helper()
	m, d := c.w.omega.Dims()
	proposals := mat.NewDense(m, d, nil)
	proposals.SetRow(change.J, change.Omega)
	logU := make([]float64, m)
	for i := range logU {
		logU[i] = math.Inf(1) // no proposal is accepted
	}
	ratios, accepted, err := c.metropolis(ctx, c.w, proposals, logU)
	require.NoError(t, err)
	require.NotContains(t, accepted, true)
	return ratios[change.J]
}

func TestNormalEvidence(t *testing.T) {
	var cases []struct {
		X, Omega    [][]float64
		Y, P0, W0   []float64
		A0, B0      float64
		LogEvidence float64     `json:"log_evidence"`
		AN          float64     `json:"aN"`
		BN          float64     `json:"bN"`
		W           []float64   `json:"w_N"`
		Diag        []float64   `json:"V_N_diag"`
		LogDet      float64     `json:"logdet_A"`
		Test        [][]float64 `json:"X_test"`
		Mean        []float64   `json:"pred_mean"`
		Scale2      []float64   `json:"pred_scale2"`
		DF          float64     `json:"pred_df"`
		Var         []float64   `json:"pred_var"`
		Proposals   []change
	}
	golden.Load(t, "nig_evidence.json", &cases)
	require.Len(t, cases, 3)
	for _, g := range cases {
		c := start(t, features.Stationary, NormalEvidence, golden.Dense(g.X), golden.Dense(g.Omega), nil, g.Y, g.P0[1], Prior{g.P0[0], g.A0, g.B0})
		for _, v := range g.W0 {
			if v != 0 {
				c.sys.mean = g.W0
			}
		}
		require.True(t, c.sys.factor())
		s := c.sys
		assert.LessOrEqual(t, golden.MaxError([]float64{s.fac.logEv, s.shape(), s.fac.bN, s.fac.logDet}, []float64{g.LogEvidence, g.AN, g.BN, g.LogDet}), reference)
		w := make([]float64, s.p)
		s.coefficientsInto(w, &s.fac)
		assert.LessOrEqual(t, golden.MaxError(w, g.W), reference)

		d := c.keep()
		unit := mat.NewDense(s.p, s.p, nil)
		for i := range s.p {
			unit.Set(i, i, 1)
		}
		diagonal, err := d.Quadratic(ctx, unit)
		require.NoError(t, err)
		assert.LessOrEqual(t, golden.MaxError(diagonal, g.Diag), reference)
		mean, spread := d.Predict(golden.Dense(g.Test), nil, features.Stationary, true, 1)
		assert.LessOrEqual(t, golden.MaxError(mean, g.Mean), reference)
		scale2, variance := make([]float64, len(mean)), make([]float64, len(mean))
		for i, q := range spread {
			scale2[i], variance[i] = d.SquaredScale(q), d.Variance(q)
		}
		assert.LessOrEqual(t, golden.MaxError(scale2, g.Scale2), reference)
		assert.LessOrEqual(t, golden.MaxError(variance, g.Var), reference)
		assert.InDelta(t, g.DF, 2*d.Shape, reference)

		for _, p := range g.Proposals {
			assert.InDelta(t, p.Ratio, c.alone(t, p), reference*max(1, math.Abs(p.Ratio)), "N = %d, frequency %d", s.n, p.J)
		}
	}
}

func TestAugmentedEvidence(t *testing.T) {
	var g struct {
		X, Omega  [][]float64
		Y         []float64 `json:"y01"`
		PG        []float64 `json:"pg_omega"`
		Lambda    float64   `json:"lambda_"`
		Bias      float64   `json:"bias_prec"`
		LogEv     float64   `json:"log_evidence_no_const"`
		W         []float64 `json:"post_mean_w"`
		Proposals []change
	}
	golden.Load(t, "pg_evidence.json", &g)
	c := start(t, features.Stationary, AugmentedEvidence, golden.Dense(g.X), golden.Dense(g.Omega), nil, g.Y, g.Lambda, Prior{Intercept: g.Bias})
	c.labels, c.omega, c.roots = g.Y, g.PG, make([]float64, len(g.PG))
	require.NoError(t, c.weigh())
	require.True(t, c.sys.factor())
	assert.InDelta(t, g.LogEv, c.sys.fac.logEv, reference)
	w := make([]float64, c.sys.p)
	c.sys.coefficientsInto(w, &c.sys.fac)
	assert.LessOrEqual(t, golden.MaxError(w, g.W), reference)
	require.NotEmpty(t, g.Proposals)
	for _, p := range g.Proposals {
		assert.InDelta(t, p.Ratio, c.alone(t, p), reference, "frequency %d", p.J)
	}
}

// A complete scan ends in the same state as the reference.
func TestScan(t *testing.T) {
	var g struct {
		X, Omega, Proposals [][]float64
		Y                   []float64
		Lambda              float64 `json:"lambda_"`
		Bias                float64 `json:"bias_prec"`
		A0, B0              float64
		Order               []int     `json:"scan_order"`
		LogU                []float64 `json:"log_u"`
		Start               float64   `json:"log_evidence_start"`
		Ratios              []float64 `json:"log_ratio_per_j"`
		Accepted            []bool
		OmegaEnd            [][]float64 `json:"Omega_end"`
		End                 float64     `json:"log_evidence_end"`
		W                   []float64   `json:"w_N_end"`
	}
	golden.Load(t, "mh_sweep.json", &g)
	c := start(t, features.Stationary, NormalEvidence, golden.Dense(g.X), golden.Dense(g.Omega), nil, g.Y, g.Lambda, Prior{g.Bias, g.A0, g.B0})
	require.True(t, c.sys.factor())
	assert.InDelta(t, g.Start, c.sys.fac.logEv, reference*math.Abs(g.Start))
	ratios, accepted, err := c.metropolis(ctx, c.w, golden.Dense(g.Proposals), g.LogU)
	require.NoError(t, err)
	assert.LessOrEqual(t, golden.MaxError(ratios, g.Ratios), reference)
	assert.Equal(t, g.Accepted, accepted)
	assert.True(t, mat.Equal(golden.Dense(g.OmegaEnd), c.w.omega))
	w := make([]float64, c.sys.p)
	c.sys.coefficientsInto(w, &c.sys.fac)
	assert.LessOrEqual(t, golden.MaxError(w, g.W), reference)
	c.sys.summarise(&c.sys.fac)
	assert.InDelta(t, g.End, c.sys.fac.logEv, reference*math.Abs(g.End), "by the updates")
	require.True(t, c.sys.factor())
	assert.InDelta(t, g.End, c.sys.fac.logEv, reference*math.Abs(g.End), "factored anew")
}

func TestMixtureConditionals(t *testing.T) {
	var g struct {
		Omega        [][]float64
		Z            []int
		Mu           [][]float64
		Lambda       [][][]float64 `json:"Lambda"`
		Lambda0      []float64     `json:"lambda0"`
		R, Wp        [][]float64
		Beta, Alpha  float64
		Conditionals []struct {
			K    int
			N    int
			Mean []float64   `json:"mu_cond_mean"`
			Cov  [][]float64 `json:"mu_cond_cov"`
			DOF  float64     `json:"Lambda_cond_dof"`
			S    [][]float64 `json:"Lambda_cond_scale"`
		}
		AuxMu     []float64   `json:"aux_mu"`
		AuxLambda [][]float64 `json:"aux_Lambda"`
		ZCond     []struct {
			I           int
			Singleton   bool
			Represented []int
			Prob        []float64
		} `json:"z_conditional"`
		Keep []float64 `json:"prob_keep_sign"`
	}
	golden.Load(t, "mixture_conditionals.json", &g)
	sym := func(rows [][]float64) *mat.SymDense {
		d := golden.Dense(rows)
		return mat.NewSymDense(len(rows), d.RawMatrix().Data)
	}
	build := func() *mixture {
		x := newMixture(golden.Dense(g.Omega), 1)
		x.z, x.alpha, x.beta, x.centre = append([]int(nil), g.Z...), g.Alpha, g.Beta, g.Lambda0
		x.r, x.wp = sym(g.R), sym(g.Wp)
		x.rootR = lowerFactor(ctx, x.r)
		x.parts = nil
		for k, mu := range g.Mu {
			c := &component{mu: mu, root: lowerFactor(ctx, sym(g.Lambda[k]))}
			for _, z := range g.Z {
				if z == k {
					c.n++
				}
			}
			x.parts = append(x.parts, c)
		}
		return x
	}
	inverse := func(a mat.Matrix) []float64 {
		var inv mat.Dense
		require.NoError(t, inv.Inverse(a))
		return mat.DenseCopyOf(&inv).RawMatrix().Data
	}
	x := build()
	for _, want := range g.Conditionals {
		mean, root := x.meanConditional(ctx, want.K)
		assert.LessOrEqual(t, golden.MaxError(mean, want.Mean), reference)
		var precision mat.Dense
		precision.Mul(root, root.T())
		assert.LessOrEqual(t, golden.MaxError(inverse(&precision), golden.Dense(want.Cov).RawMatrix().Data), reference)
		dof, b := x.precisionConditional(ctx, x.parts[want.K], want.K)
		assert.Equal(t, want.DOF, dof)
		assert.LessOrEqual(t, golden.MaxError(inverse(b), golden.Dense(want.S).RawMatrix().Data), reference)
	}
	for _, want := range g.ZCond {
		x := build()
		aux := x.leave(want.I)
		assert.Equal(t, want.Singleton, aux != nil, "row %d", want.I)
		if aux == nil {
			aux = &component{mu: g.AuxMu, root: lowerFactor(ctx, sym(g.AuxLambda))}
		}
		assert.Len(t, x.parts, len(want.Represented))
		assert.LessOrEqual(t, golden.MaxError(x.assignment(nil, want.I, aux), want.Prob), reference)
	}
	for i, want := range g.Keep {
		assert.InDelta(t, want, x.keepSign(i), reference)
	}
}

func TestLocallyStationaryMap(t *testing.T) {
	var g struct{ X, Omega, V, Psi, Gram [][]float64 }
	golden.Load(t, "locally_stationary_map.json", &g)
	w, v := golden.Dense(g.Omega), golden.Dense(g.V)
	pairs := features.Pairs(w, v, features.AllPairs)
	psi := mat.NewDense(len(g.X), 2*pairs, nil)
	require.NoError(t, features.MapRows(ctx, psi, golden.Dense(g.X), w, v, features.AllPairs, pairs, nil, 1))
	assert.LessOrEqual(t, golden.MaxError(psi.RawMatrix().Data, golden.Dense(g.Psi).RawMatrix().Data), reference)
	var gram mat.Dense
	gram.Mul(psi, psi.T())
	assert.LessOrEqual(t, golden.MaxError(gram.RawMatrix().Data, golden.Dense(g.Gram).RawMatrix().Data), reference)
}
