package svm

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
)

// These are the largest allowed differences from scikit-learn, whose results have a tolerance of 1e-6.
const (
	objectiveTolerance = 1e-4 // relative
	decisionTolerance  = 1e-3
)

type reference struct {
	Name         string
	X, Xt        [][]float64
	Y            []float64
	Weights      []float64
	C, Epsilon   float64
	Kernel       string
	Gamma        float64
	Factor       float64
	Coef0        float64
	Degree       int
	Balanced     bool
	ClassWeights map[string]float64 `json:"class_weights"`
	Objective    float64
	Predict      []float64
	Support      []int
	Pairs        [][]float64
}

type classificationReference struct {
	reference
	Decision any // numbers for two classes, rows for more
}

func (r reference) kernel(t *testing.T) kernels.Kernel {
	switch r.Kernel {
	case "rbf":
		return kernels.RBF{Gamma: r.Gamma}
	case "linear":
		return kernels.Linear{}
	case "poly":
		return kernels.Polynomial{Degree: r.Degree, Gamma: r.Gamma, Coef0: r.Coef0}
	case "sum":
		return kernels.Sum{kernels.RBF{Gamma: r.Gamma}, kernels.Scaled{Kernel: kernels.Linear{}, Factor: r.Factor}}
	}
	t.Fatalf("no kernel %q", r.Kernel)
	return nil
}

func TestAgainstScikitLearn(t *testing.T) {
	var ref struct {
		Classification []classificationReference
		Regression     []reference
	}
	golden.Load(t, "sklearn.json", &ref)
	require.Len(t, ref.Classification, 6)
	require.Len(t, ref.Regression, 2)
	for _, c := range ref.Classification {
		t.Run(c.Name, func(t *testing.T) { compareClassifier(t, c) })
	}
	for _, c := range ref.Regression {
		t.Run(c.Name, func(t *testing.T) { compareRegressor(t, c) })
	}
}

func compareClassifier(t *testing.T, ref classificationReference) {
	x, xt := golden.Dense(ref.X), golden.Dense(ref.Xt)
	y := make([]int, len(ref.Y))
	for i, v := range ref.Y {
		y[i] = int(v)
	}
	c := &Classifier{Kernel: ref.kernel(t), C: ref.C, Balanced: ref.Balanced, Tolerance: 1e-6}
	for label, w := range ref.ClassWeights {
		l, err := strconv.Atoi(label)
		require.NoError(t, err)
		if c.ClassWeights == nil {
			c.ClassWeights = map[int]float64{}
		}
		c.ClassWeights[l] = w
	}
	if ref.Weights != nil {
		require.NoError(t, c.FitWeighted(ctx, x, y, ref.Weights))
	} else {
		require.NoError(t, c.Fit(ctx, x, y))
	}
	require.True(t, c.Report().Converged)
	labels, err := c.Predict(xt)
	require.NoError(t, err)
	for i, want := range ref.Predict {
		assert.EqualValues(t, want, labels[i], "row %d", i)
	}
	f, err := c.Decision(xt)
	require.NoError(t, err)
	if len(c.Classes()) > 2 {
		var rows [][]float64
		for _, r := range ref.Decision.([]any) {
			rows = append(rows, numbers(r))
		}
		agree(t, golden.Dense(rows), f, 1)
		pairs, err := c.PairDecision(xt)
		require.NoError(t, err)
		// Values of LIBSVM are positive for the first class of a pair.
		agree(t, golden.Dense(ref.Pairs), pairs, -1)
		return
	}
	assert.LessOrEqual(t, golden.MaxError(mat.Col(nil, 1, f), numbers(ref.Decision)), decisionTolerance)
	assert.InEpsilon(t, ref.Objective, c.Report().Objective, objectiveTolerance)
	onMatrix(t, c, x, xt, y, ref.Weights, f)
}

// onMatrix checks that FitMatrix with the kernel values of the rows results in the same model.
func onMatrix(t *testing.T, c *Classifier, x, xt *mat.Dense, y []int, weights []float64, want *mat.Dense) {
	if weights != nil {
		return
	}
	k, err := kernels.Matrix(ctx, c.Kernel, x, nil)
	require.NoError(t, err)
	kt, err := kernels.Cross(ctx, c.Kernel, xt, x, nil)
	require.NoError(t, err)
	m := estimators.Clone(c)
	require.NoError(t, m.FitMatrix(ctx, k, y))
	got, err := m.DecisionMatrix(kt)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(want, got, 1e-9))
	assert.Equal(t, c.SupportIndices(), m.SupportIndices())
}

func numbers(v any) []float64 {
	var out []float64
	for _, e := range v.([]any) {
		out = append(out, e.(float64))
	}
	return out
}

func agree(t *testing.T, want, got *mat.Dense, sign float64) {
	t.Helper()
	n, k := want.Dims()
	for i := range n {
		for j := range k {
			assert.InDelta(t, want.At(i, j), sign*got.At(i, j), decisionTolerance*max(1, math.Abs(want.At(i, j))), "row %d, column %d", i, j)
		}
	}
}

func compareRegressor(t *testing.T, ref reference) {
	x, xt := golden.Dense(ref.X), golden.Dense(ref.Xt)
	r := &Regressor{Kernel: ref.kernel(t), C: ref.C, Epsilon: ref.Epsilon, Tolerance: 1e-6}
	if ref.Weights != nil {
		require.NoError(t, r.FitWeighted(ctx, x, ref.Y, ref.Weights))
	} else {
		require.NoError(t, r.Fit(ctx, x, ref.Y))
	}
	f, err := r.Predict(xt)
	require.NoError(t, err)
	assert.LessOrEqual(t, golden.MaxError(f, ref.Predict), decisionTolerance)
	assert.InEpsilon(t, ref.Objective, r.Report().Objective, objectiveTolerance)
	assert.InDelta(t, len(ref.Support), len(r.SupportIndices()), 2)
	if ref.Weights != nil {
		return
	}
	k, err := kernels.Matrix(ctx, r.Kernel, x, nil)
	require.NoError(t, err)
	kt, err := kernels.Cross(ctx, r.Kernel, xt, x, nil)
	require.NoError(t, err)
	m := estimators.Clone(r)
	require.NoError(t, m.FitMatrix(ctx, k, ref.Y))
	got, err := m.PredictMatrix(kt)
	require.NoError(t, err)
	assert.InDeltaSlice(t, f, got, 1e-9)
}

// Golden files stay readable and give the same predictions as a fit with the current code, up to differences in rounding between
// computers.
func TestGoldenFilesStayReadable(t *testing.T) {
	// The solver stops within Tolerance of the optimum. The exact point depends on the rounding of the BLAS.
	const stopping = defaultTolerance
	x, y := mat.NewDense(8, 1, []float64{-3, -2, -1, -0.5, 0.5, 1, 2, 3}), []float64{9, 4, 1, 0.2, 0.3, 1, 4, 9}
	at := mat.NewDense(3, 1, []float64{-2.5, 0, 7})

	fitted := &Regressor{C: 10, Tolerance: 1e-8} // the default would be relative to the spread of y
	require.NoError(t, fitted.Fit(ctx, x, y))
	want, err := fitted.Predict(at)
	require.NoError(t, err)
	read := &Regressor{}
	require.NoError(t, read.UnmarshalBinary(golden.Model(t, "Regressor-v1.keln", fitted.MarshalBinary)))
	got, err := read.Predict(at)
	require.NoError(t, err)
	assert.InDeltaSlice(t, want, got, stopping)

	k := kernels.RBF{Gamma: 0.5}
	labels := []int{1, 1, 2, 2, 2, 5, 5, 5}
	c := &Classifier{Kernel: k, C: 5, Probabilities: true}
	require.NoError(t, c.Fit(ctx, x, labels))
	p, err := c.PredictProba(at)
	require.NoError(t, err)
	readClassifier := &Classifier{Kernel: k}
	require.NoError(t, readClassifier.UnmarshalBinary(golden.Model(t, "Classifier-v1.keln", c.MarshalBinary)))
	gotP, err := readClassifier.PredictProba(at)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(p, gotP, stopping))
	assert.Equal(t, []int{1, 2, 5}, readClassifier.Classes())

	km, err := kernels.Matrix(ctx, k, x, nil)
	require.NoError(t, err)
	kt, err := kernels.Cross(ctx, k, at, x, nil)
	require.NoError(t, err)
	m := &Classifier{C: 5}
	require.NoError(t, m.FitMatrix(ctx, km, labels))
	f, err := m.DecisionMatrix(kt)
	require.NoError(t, err)
	readMatrix := &Classifier{}
	require.NoError(t, readMatrix.UnmarshalBinary(golden.Model(t, "Classifier-matrix-v1.keln", m.MarshalBinary)))
	gotF, err := readMatrix.DecisionMatrix(kt)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(f, gotF, stopping))
}
