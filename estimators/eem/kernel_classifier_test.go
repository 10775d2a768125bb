package eem

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
)

// The machine agrees with the reference. Its features are determined only up to a rotation, so the test compares their inner
// products, the coefficients of the landmarks and the positions along the direction.
func TestKernelReference(t *testing.T) {
	for _, name := range []string{"eekm_small.json", "eekm_rankdef.json"} {
		var c struct {
			Gamma     float64
			X         [][]float64
			Y         []float64
			Landmarks []int
			Rank      int
			Gram      [][]float64 `json:"Gram_train"`
			BetaHat   []float64   `json:"beta_hat"`
			MPos      float64     `json:"m_pos"`
			MNeg      float64     `json:"m_neg"`
			SPos      float64     `json:"S_pos"`
			SNeg      float64     `json:"S_neg"`
			RhoPos    float64     `json:"lw_rho_pos"`
			RhoNeg    float64     `json:"lw_rho_neg"`
			Near      *float64    `json:"t_near"`
			Far       *float64    `json:"t_far"`
			Region    string      `json:"plus_region"`
			Xt        [][]float64
			Z         []float64
			LogOdds   []float64 `json:"logodds"`
			Proba     []float64 `json:"posterior_pos"`
			Pred      []float64
		}
		golden.Load(t, name, &c)
		x, xt := golden.Dense(c.X), golden.Dense(c.Xt)
		landmarks := mat.NewDense(len(c.Landmarks), 3, nil)
		for i, row := range c.Landmarks {
			landmarks.SetRow(i, c.X[row])
		}
		labels := make([]int, len(c.Y))
		for i, y := range c.Y {
			labels[i] = int(y)
		}
		k := &KernelClassifier{Kernel: kernels.RBF{Gamma: c.Gamma}, Landmarks: landmarks}
		require.NoError(t, k.Fit(ctx, x, labels))

		n, _ := x.Dims()
		phi := mat.NewDense(k.m.layer.Width(math.MaxInt), n, nil)
		require.NoError(t, k.m.layer.Features(phi, x))
		rank, _ := phi.Dims()
		assert.Equal(t, c.Rank, rank, name)
		var gram mat.Dense
		gram.Mul(phi.T(), phi)
		assert.True(t, mat.EqualApprox(golden.Dense(c.Gram), &gram, 1e-9), name)
		pair := k.Pairs()[0]
		assert.LessOrEqual(t, golden.MaxError([]float64{pair.Means[1], pair.Means[0], pair.Variances[1], pair.Variances[0], pair.Shrinkage[1], pair.Shrinkage[0]},
			[]float64{c.MPos, c.MNeg, c.SPos, c.SNeg, c.RhoPos, c.RhoNeg}), 1e-9, name)
		sameThresholds(t, c.Near, c.Far, c.Region, pair.Thresholds, name)
		p, err := k.PredictProba(xt)
		require.NoError(t, err)
		d, err := k.Decision(xt)
		require.NoError(t, err)
		pred, err := k.Predict(xt)
		require.NoError(t, err)
		weights := k.LandmarkCoefficients(0)
		assert.LessOrEqual(t, golden.MaxError(weights, c.BetaHat), 1e-9, name)
		cross, err := kernels.Cross(ctx, k.ChosenKernel(), xt, k.ChosenLandmarks(), nil)
		require.NoError(t, err)
		for i := range c.Z {
			assert.InDelta(t, c.Z[i], mat.Dot(cross.RowView(i), mat.NewVecDense(len(weights), weights)), 1e-8, name)
			assert.InDelta(t, c.LogOdds[i], d.At(i, 1), 1e-8*max(1, math.Abs(c.LogOdds[i])), name)
			assert.InDelta(t, c.Proba[i], p.At(i, 1), 1e-9, name)
			assert.Equal(t, int(c.Pred[i]), pred[i], name)
		}
		assert.Nil(t, k.LandmarkCoefficients(1))
	}
}

func TestKernelClassifier(t *testing.T) {
	x, y := blobs(300, 3, 1)
	fresh, truth := blobs(100, 3, 2)
	k := &KernelClassifier{Components: 40}
	assert.Nil(t, k.ChosenKernel())
	assert.Nil(t, k.ChosenLandmarks())
	assert.Nil(t, k.LandmarkCoefficients(0))
	require.NoError(t, k.Fit(ctx, x, y))
	labels, err := k.Predict(fresh)
	require.NoError(t, err)
	right := 0
	for i, l := range labels {
		if l == truth[i] {
			right++
		}
	}
	assert.Greater(t, right, 90)
	h, _ := k.ChosenLandmarks().Dims()
	assert.Equal(t, 40, h)

	chunks := &KernelClassifier{Landmarks: k.ChosenLandmarks(), Kernel: k.ChosenKernel(), Labels: []int{0, 1, 2}}
	for first := 0; first < 300; first += 100 {
		require.NoError(t, chunks.PartialFit(ctx, x.Slice(first, first+100, 0, 2), y[first:first+100]))
	}
	p, err := k.PredictProba(fresh)
	require.NoError(t, err)
	q, err := chunks.PredictProba(fresh)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(p, q, 1e-7))

	for want, c := range map[string]*KernelClassifier{
		"eem: KernelClassifier: Components = -1, want >= 1, or 0 for 250":         {Components: -1},
		"eem: KernelClassifier: Landmarks has 1 columns, x has 2":                 {Landmarks: mat.NewDense(1, 1, nil)},
		"kernels: RBF: Gamma = -1, want a finite value > 0, or 0 for the default": {Kernel: kernels.RBF{Gamma: -1}},
		"eem: KernelClassifier: Labels = [1 0], want ascending, each once":        {Labels: []int{1, 0}},
	} {
		assert.EqualError(t, c.Fit(ctx, x, y), want)
	}
	// A kernel that is 0 everywhere has no feature.
	assert.ErrorIs(t, (&KernelClassifier{Kernel: kernels.Linear{}}).Fit(ctx, mat.NewDense(4, 2, nil), []int{0, 1, 0, 1}), estimators.ErrNotPSD)
}

func TestKernelClassifierInAFile(t *testing.T) {
	x, y := blobs(12, 2, 6)
	k := &KernelClassifier{Components: 4, Kernel: kernels.Matern{}}
	require.NoError(t, k.Fit(ctx, x, y))
	read := &KernelClassifier{Kernel: kernels.Matern{}}
	require.NoError(t, read.UnmarshalBinary(golden.Model(t, "KernelClassifier-v1.keln", k.MarshalBinary)))
	p, err := k.PredictProba(x)
	require.NoError(t, err)
	q, err := read.PredictProba(x)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(p, q, 1e-7))

	data, err := k.MarshalBinary()
	require.NoError(t, err)
	assert.ErrorContains(t, (&KernelClassifier{}).UnmarshalBinary(data), "fitted with Kernel Matern")
	for name, change := range map[string]func(s *storedKernelClassifier){
		"no rows":  func(s *storedKernelClassifier) { s.Landmarks = codec.Matrix{} },
		"no map":   func(s *storedKernelClassifier) { s.Coefficients = codec.Matrix{} },
		"infinite": func(s *storedKernelClassifier) { s.Coefficients.Data[0] = math.Inf(1) },
		"columns": func(s *storedKernelClassifier) {
			s.Coefficients = codec.Matrix{Rows: 4, Cols: 2, Data: make([]float64, 8)}
		},
		"rows": func(s *storedKernelClassifier) {
			s.Landmarks = codec.Matrix{Rows: 3, Cols: 2, Data: s.Landmarks.Data[:6]}
		},
		"width": func(s *storedKernelClassifier) { s.Model.Width = 3 },
		"pairs": func(s *storedKernelClassifier) { s.Model.Pairs = nil },
		"beta":  func(s *storedKernelClassifier) { s.Model.Pairs[0].Direction = nil },
	} {
		var s storedKernelClassifier
		_, err := codec.Unmarshal(data, kernelClassifierKind, 1, &s)
		require.NoError(t, err)
		change(&s)
		bad, err := codec.Marshal(kernelClassifierKind, 1, s)
		require.NoError(t, err)
		assert.ErrorIs(t, (&KernelClassifier{Kernel: kernels.Matern{}}).UnmarshalBinary(bad), estimators.ErrBadModel, name)
	}
}
