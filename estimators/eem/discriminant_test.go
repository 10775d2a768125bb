package eem

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/eem/internal/features"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

// The plane agrees with its definition: the directions solve B v = λ W v, and the log density of a class is that of the Gaussian of
// its projected statistics.
func TestDiscriminantDefinition(t *testing.T) {
	x, y := blobs(300, 4, 1)
	c := &Classifier{Units: 25, Activation: featuremap.Tanh, Multiclass: Discriminant, Costs: []float64{1, 2, 3, 4}}
	require.NoError(t, c.Fit(ctx, x, y))
	assert.Nil(t, c.Pairs())
	s := c.m.lastSolution()
	directions := s.scorer.(*features.HiddenScorer).Directions
	h, r := directions.Dims()
	require.Equal(t, 3, r)
	within, between := mat.NewSymDense(h, nil), mat.NewSymDense(h, nil)
	mean := mat.NewVecDense(h, nil)
	for _, st := range c.Statistics() {
		cov, _ := st.LedoitWolf()
		cov.ScaleSym(.25, cov)
		within.AddSym(within, cov)
		mean.AddScaledVec(mean, .25, mat.NewVecDense(h, st.Mean()))
	}
	for _, st := range c.Statistics() {
		d := mat.NewVecDense(h, st.Mean())
		d.SubVec(d, mean)
		between.SymRankOne(between, 1, d)
	}
	var w, b, wd mat.Dense
	wd.Mul(within, directions)
	w.Mul(directions.T(), &wd)
	assert.True(t, mat.EqualApprox(mat.NewDense(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}), &w, 1e-7), "the mean covariance becomes the identity: %v", mat.Formatted(&w))
	var bd mat.Dense
	bd.Mul(between, directions)
	b.Mul(directions.T(), &bd)
	for j := range 3 { // v is an eigenvector: B v = λ W v with λ = v'Bv
		var rest mat.VecDense
		rest.AddScaledVec(bd.ColView(j), -b.At(j, j), wd.ColView(j))
		assert.Less(t, mat.Norm(&rest, 2), 1e-7*mat.Norm(bd.ColView(j), 2))
	}
	z, err := c.Project(x)
	require.NoError(t, err)
	scores, err := c.Decision(x)
	require.NoError(t, err)
	for k, st := range c.Statistics() {
		cov, _ := st.LedoitWolf()
		var m mat.VecDense
		m.MulVec(directions.T(), mat.NewVecDense(h, st.Mean()))
		var cd, own mat.Dense
		cd.Mul(cov, directions)
		own.Mul(directions.T(), &cd)
		sigma := mat.NewSymDense(3, nil)
		for i := range 3 {
			for j := i; j < 3; j++ {
				sigma.SetSym(i, j, own.At(i, j))
			}
		}
		g, ok := distmv.NewNormal(m.RawVector().Data, sigma, nil)
		require.True(t, ok)
		for i := range 20 {
			want := g.LogProb(z.RawRowView(i)) + math.Log(float64(k+1))
			assert.InDelta(t, want, scores.At(i, k), 1e-7*math.Abs(want)+1e-7)
		}
	}
	p, err := c.PredictProba(x)
	require.NoError(t, err)
	labels, err := c.Predict(x)
	require.NoError(t, err)
	wrong := 0
	for i := range y {
		assert.InDelta(t, 1, mat.Sum(p.RowView(i)), 1e-12)
		if labels[i] != y[i] {
			wrong++
		}
	}
	assert.Less(t, wrong, 30)
}

// For two classes, Discriminant and OneVersusOne give the same machine.
func TestDiscriminantBesidePairs(t *testing.T) {
	x, y := blobs(200, 2, 2)
	var p [2]*mat.Dense
	for way := OneVersusOne; way <= Discriminant; way++ {
		c := &Classifier{Units: 25, Multiclass: way}
		require.NoError(t, c.Fit(ctx, x, y))
		var err error
		p[way], err = c.PredictProba(x)
		require.NoError(t, err)
	}
	assert.True(t, mat.Equal(p[0], p[1]))
	assert.EqualError(t, (&Classifier{Multiclass: 2}).Fit(ctx, x, y), "eem: Classifier: Multiclass = 2, want OneVersusOne or Discriminant")
	assert.Equal(t, "OneVersusOne Discriminant Multiclass(3)", OneVersusOne.String()+" "+Discriminant.String()+" "+Multiclass(3).String())
}

func TestDiscriminantDegenerate(t *testing.T) {
	y := []int{0, 0, 1, 1, 2, 2, 2}
	same := mat.NewDense(7, 2, []float64{1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2})
	c := &Classifier{Units: 4, Activation: featuremap.Tanh, Multiclass: Discriminant, Priors: []float64{1, 1, 3}}
	require.NoError(t, c.Fit(ctx, same, y))
	labels, err := c.Predict(same)
	require.NoError(t, err)
	assert.Equal(t, []int{2, 2, 2, 2, 2, 2, 2}, labels, "nothing tells the rows apart but the priors")
	assert.NotEmpty(t, c.Report().Warnings)

	x, y := blobs(30, 3, 4)
	for i := range y { // one row of class 2
		if y[i] == 2 && i > 2 {
			y[i] = 1
		}
	}
	require.NoError(t, c.Fit(ctx, x, y))
	p, err := c.PredictProba(x)
	require.NoError(t, err)
	assert.Greater(t, p.At(2, 2), .5)
}

func TestDiscriminantInAFile(t *testing.T) {
	x, y := blobs(30, 4, 6)
	c := &Classifier{Units: 6, Activation: featuremap.Tanh, Multiclass: Discriminant}
	require.NoError(t, c.Fit(ctx, x, y))
	data, err := c.MarshalBinary()
	require.NoError(t, err)
	read := &Classifier{}
	require.NoError(t, read.UnmarshalBinary(data))
	want, err := c.PredictProba(x)
	require.NoError(t, err)
	got, err := read.PredictProba(x)
	require.NoError(t, err)
	assert.True(t, mat.Equal(want, got))
	for name, change := range map[string]func(s *storedPlane){
		"directions": func(s *storedPlane) { s.Directions = codec.Matrix{} },
		"features":   func(s *storedPlane) { s.Directions = codec.Matrix{Rows: 5, Cols: 3, Data: s.Directions.Data[:15]} },
		"means":      func(s *storedPlane) { s.Means = codec.Matrix{Rows: 3, Cols: 3, Data: s.Means.Data[:9]} },
		"infinite":   func(s *storedPlane) { s.Covs[1][0] = math.Inf(1) },
		"short":      func(s *storedPlane) { s.Covs[1] = s.Covs[1][:5] },
		"negative":   func(s *storedPlane) { s.Covs[1][0] = -1e9 },
		"missing":    func(s *storedPlane) { s.Covs = s.Covs[:3] },
		"weights":    func(s *storedPlane) { s.LogW[0] = math.NaN() },
	} {
		var s storedClassifier
		_, err := codec.Unmarshal(data, classifierKind, 1, &s)
		require.NoError(t, err)
		change(s.Model.Plane)
		bad, err := codec.Marshal(classifierKind, 1, s)
		require.NoError(t, err)
		assert.ErrorIs(t, (&Classifier{}).UnmarshalBinary(bad), estimators.ErrBadModel, name)
	}

	k := &KernelClassifier{Components: 12, Multiclass: Discriminant}
	require.NoError(t, k.Fit(ctx, x, y))
	assert.Len(t, k.LandmarkCoefficients(2), 12)
	assert.Nil(t, k.LandmarkCoefficients(3))
	data, err = k.MarshalBinary()
	require.NoError(t, err)
	loaded := &KernelClassifier{}
	require.NoError(t, loaded.UnmarshalBinary(data))
	want, err = k.PredictProba(x)
	require.NoError(t, err)
	got, err = loaded.PredictProba(x)
	require.NoError(t, err)
	assert.True(t, mat.Equal(want, got))
}

// The kernel is so wide that all elements of its matrix are 1 to ten digits, but they still contain the columns of the rows. The
// machine nearly equals that of a linear kernel with a constant.
func TestVeryWideKernel(t *testing.T) {
	x, y := blobs(300, 2, 7)
	x.Apply(func(_, _ int, v float64) float64 { return v / 10 }, x)
	k := &KernelClassifier{Kernel: kernels.RBF{Gamma: 1e-10}, Components: 200}
	require.NoError(t, k.Fit(ctx, x, y))
	linear := &KernelClassifier{Kernel: kernels.Polynomial{Degree: 1, Coef0: 1}, Components: 200}
	require.NoError(t, linear.Fit(ctx, x, y))
	a, err := k.Predict(x)
	require.NoError(t, err)
	b, err := linear.Predict(x)
	require.NoError(t, err)
	same, right := 0, 0
	for i := range a {
		if a[i] == b[i] {
			same++
		}
		if a[i] == y[i] {
			right++
		}
	}
	assert.Greater(t, right, 285)
	assert.Greater(t, same, 290)
}
