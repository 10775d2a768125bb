package eem

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/eem/internal/discriminant"
	"github.com/kernelearn/kernelearn/estimators/eem/internal/moments"
	"github.com/kernelearn/kernelearn/estimators/eem/internal/moments/momentstest"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
)

// reference holds all values of a binary machine from a reference implementation, from the weights of the hidden units to the
// predictions.
type reference struct {
	Act     string
	X       [][]float64
	Y       []float64
	W       [][]float64
	B       []float64
	H       [][]float64
	LWPos   struct{ Rho float64 } `json:"lw_pos"`
	LWNeg   struct{ Rho float64 } `json:"lw_neg"`
	Beta    []float64
	MPos    float64  `json:"m_pos"`
	MNeg    float64  `json:"m_neg"`
	SPos    float64  `json:"S_pos"`
	SNeg    float64  `json:"S_neg"`
	Mahal2  float64  `json:"mahal2"`
	Dcs     float64  `json:"Dcs"`
	Near    *float64 `json:"t_near"`
	Far     *float64 `json:"t_far"`
	Region  string   `json:"plus_region"`
	Xt      [][]float64
	Ht      [][]float64
	Z       []float64
	LogOdds []float64 `json:"logodds"`
	Proba   []float64 `json:"posterior_pos"`
	W2      float64   `json:"prior_ratio_w"`
	Odds2   []float64 `json:"logodds_w"`
	Near2   *float64  `json:"t_near_w"`
	Far2    *float64  `json:"t_far_w"`
	Region2 string    `json:"region_w"`
	Pred    []float64
	Pred2   []float64 `json:"pred_w"`
}

var referenceFiles = []string{
	"eem_sig_small.json", "eem_nsig_small.json", "eem_rbf_small.json", "eem_tanh_gauss.json", "eem_h_gt_n.json", "eem_one_pos.json", "eem_two_pos.json",
}

// classes returns the moments of the hidden rows of each class.
func (c reference) classes(t *testing.T) (pos, neg *moments.Moments) {
	var rows [2][][]float64
	for i, y := range c.Y {
		k := 0
		if y > 0 {
			k = 1
		}
		rows[k] = append(rows[k], c.H[i])
	}
	return momentstest.Sum(t, golden.Dense(rows[1])), momentstest.Sum(t, golden.Dense(rows[0]))
}

var regions = map[string]Region{"between": Between, "outside": Outside, "single": Above, "-": Never, "+": Always}

func sameThresholds(t *testing.T, near, far *float64, region string, got Thresholds, what string) {
	t.Helper()
	assert.Equal(t, regions[region], got.Region, what)
	for _, pair := range []struct {
		want *float64
		got  float64
	}{{near, got.Near}, {far, got.Far}} {
		if pair.want == nil {
			assert.True(t, math.IsNaN(pair.got), what)
			continue
		}
		assert.InEpsilon(t, *pair.want, pair.got, 1e-9, what)
	}
}

func TestProjectionReference(t *testing.T) {
	for _, name := range referenceFiles {
		var c reference
		golden.Load(t, name, &c)
		pos, neg := c.classes(t)
		p, err := discriminant.NewProjection(ctx, pos, neg)
		require.NoError(t, err)
		assert.InDelta(t, c.LWPos.Rho, p.RhoPos, 1e-12, name)
		assert.InDelta(t, c.LWNeg.Rho, p.RhoNeg, 1e-12, name)
		assert.LessOrEqual(t, golden.MaxError(p.Beta, c.Beta), 1e-9, name)
		assert.LessOrEqual(t, golden.MaxError([]float64{p.MPos, p.MNeg, p.SPos, p.SNeg, p.Distance, p.Divergence()},
			[]float64{c.MPos, c.MNeg, c.SPos, c.SNeg, c.Mahal2, c.Dcs}), 1e-9, name)
		assert.InDelta(t, 2, p.MPos-p.MNeg, 1e-9, name)
		sameThresholds(t, c.Near, c.Far, c.Region, thresholds(p, 0), name)
		sameThresholds(t, c.Near2, c.Far2, c.Region2, thresholds(p, math.Log(c.W2)), name+", weighted")
		ht := golden.Dense(c.Ht)
		for i := range c.Z {
			z := mat.Dot(ht.RowView(i), mat.NewVecDense(len(p.Beta), p.Beta))
			assert.InDelta(t, c.Z[i], z, 1e-9*max(1, math.Abs(c.Z[i])), name)
			d := p.LogOdds(z, 0)
			assert.InDelta(t, c.LogOdds[i], d, 1e-9*max(1, math.Abs(c.LogOdds[i])), name)
			assert.InDelta(t, c.Proba[i], 1/(1+math.Exp(-d)), 1e-9, name)
			assert.InDelta(t, c.Odds2[i], p.LogOdds(z, math.Log(c.W2)), 1e-9*max(1, math.Abs(c.Odds2[i])), name)
		}
	}
}

func TestThresholdsReference(t *testing.T) {
	var cases []struct {
		MNeg   float64 `json:"m_neg"`
		MPos   float64 `json:"m_pos"`
		SNeg   float64 `json:"S_neg"`
		SPos   float64 `json:"S_pos"`
		W      float64
		Near   *float64 `json:"t_near"`
		Far    *float64 `json:"t_far"`
		Region string
	}
	golden.Load(t, "thresholds.json", &cases)
	for i, c := range cases {
		p := &discriminant.Projection{MPos: c.MPos, MNeg: c.MNeg, SPos: c.SPos, SNeg: c.SNeg}
		got := thresholds(p, math.Log(c.W))
		sameThresholds(t, c.Near, c.Far, c.Region, got, string(rune('a'+i)))
		// The odds are even at a threshold, and favour the positive class within the region.
		for _, at := range []float64{got.Near, got.Far} {
			if !math.IsNaN(at) && math.Abs(at) < 1e6 {
				assert.InDelta(t, 0, p.LogOdds(at, math.Log(c.W)), 1e-8, i)
			}
		}
		for _, z := range []float64{-50, -3, 0.5, 1.2, 3, 9, 50} {
			inside := map[Region]bool{
				Above: z >= got.Near, Between: z >= got.Near && z <= got.Far, Outside: z <= got.Far || z >= got.Near, Always: true,
			}[got.Region]
			assert.Equal(t, p.LogOdds(z, math.Log(c.W)) >= 0, inside, "case %d at %v: %+v", i, z, got)
		}
	}
}

// A machine with equal means, activations that do not vary, or a single row of a class is valid.
func TestDegenerateProjections(t *testing.T) {
	x := momentstest.Random(10, 3, 1)
	a := momentstest.Sum(t, x)
	p, err := discriminant.NewProjection(ctx, a, a.Clone())
	require.NoError(t, err)
	assert.True(t, p.Constant)
	assert.Equal(t, []float64{0, 0, 0}, p.Beta)
	assert.Equal(t, Always, thresholds(p, 0).Region)
	assert.Equal(t, Never, thresholds(p, -1).Region)

	one := momentstest.Sum(t, mat.NewDense(1, 2, []float64{1, 0}))
	other := momentstest.Sum(t, mat.NewDense(1, 2, []float64{0, 0}))
	p, err = discriminant.NewProjection(ctx, one, other)
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{2, 0}, p.Beta, 1e-12, "the covariance is the identity")
	assert.Equal(t, Above, thresholds(p, 0).Region)

	flatRows := momentstest.Sum(t, mat.NewDense(4, 2, []float64{1, 1, 1, 1, 1, 1, 1, 1}))
	p, err = discriminant.NewProjection(ctx, flatRows, momentstest.Sum(t, mat.NewDense(3, 2, []float64{1, 2, 1, 2, 1, 2})))
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{0, -2}, p.Beta, 1e-12)

	p, err = discriminant.NewProjection(ctx, one, momentstest.Sum(t, momentstest.Random(9, 2, 4)))
	require.NoError(t, err)
	assert.Equal(t, p.SPos, p.SNeg, "a single row borrows the covariance of the other class")
	p, err = discriminant.NewProjection(ctx, momentstest.Sum(t, momentstest.Random(2, 6, 5)), momentstest.Sum(t, momentstest.Random(2, 6, 6)))
	require.NoError(t, err)
	assert.Positive(t, p.Distance, "two rows a class: singular without jitter")
}
