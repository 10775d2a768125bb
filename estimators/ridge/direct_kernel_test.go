package ridge

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// chain returns the pipeline of Figure 2 of the direct-kernel paper: scaling, a kernel, centring, and any linear model.
func chain(k kernels.Kernel, final estimators.Regressor) *pipeline.Regressor {
	return &pipeline.Regressor{
		Steps: []transformers.Transformer{&scalers.StandardScaler{}, &featuremap.KernelMap{Kernel: k}, &featuremap.KernelCenterer{}},
		Final: final,
	}
}

func scaled(final estimators.Regressor) *pipeline.Regressor {
	return &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: final}
}

// The pipeline of Figures 2 and 3 is equivalent to the least-squares support vector machine.
func TestChainEqualsLSSVM(t *testing.T) {
	x, y, _ := data(60, 4, 1)
	fresh, _, _ := data(25, 4, 2)
	for _, k := range []kernels.Kernel{nil, kernels.RBFOfLength(1.5), kernels.Laplacian{Gamma: 0.2}, kernels.Matern{}, kernels.Polynomial{Degree: 2, Gamma: 0.3, Coef0: 1}, kernels.ELM{}} {
		for _, how := range []struct {
			ridge float64
			rule  RidgeRule
		}{{ridge: 0.03}, {rule: Heuristic}, {rule: LeaveOneOut}} {
			ridge, rule := how.ridge, how.rule
			if k == nil && ridge == 0 && rule == LeaveOneOut {
				continue // lssvm would choose the kernel too
			}
			direct := chain(k, &DirectKernel{Ridge: ridge, RidgeRule: rule})
			machine := scaled(&lssvm.Regressor{Kernel: k, Ridge: ridge, RidgeRule: rule})
			require.NoError(t, direct.Fit(ctx, x, y))
			require.NoError(t, machine.Fit(ctx, x, y))
			got, err := direct.Predict(fresh)
			require.NoError(t, err)
			want, err := machine.Predict(fresh)
			require.NoError(t, err)
			tolerance := 1e-10
			if ridge == 0 && rule == LeaveOneOut {
				tolerance = 1e-6 // the error is flat near its minimum
			}
			assert.LessOrEqual(t, golden.MaxError(got, want), tolerance, "%v %v", k, rule)
		}
	}
}

type reference struct {
	X, Xt    [][]float64
	Y        []float64
	Sigma    float64
	Lambda   float64 `json:"lambda_"`
	W        []float64
	PredTest []float64 `json:"pred_test"`
	ColMeans []float64 `json:"col_means"`
}

// standardised returns the reference's targets, scaled as in the paper.
func (r reference) standardised(t *testing.T) (y []float64, mean, sd float64) {
	s := &scalers.StandardScaler{}
	column := mat.NewDense(len(r.Y), 1, r.Y)
	require.NoError(t, s.Fit(ctx, column))
	z, err := s.Transform(column)
	require.NoError(t, err)
	return mat.Col(nil, 0, z), s.Means()[0], s.Scales()[0]
}

func TestReference(t *testing.T) {
	var square, rect reference
	golden.Load(t, "direct_kernel.json", &square)
	golden.Load(t, "direct_kernel_rect.json", &rect)
	y, mean, sd := square.standardised(t)

	final := &DirectKernel{RidgeRule: Heuristic}
	scaler, km, centre := &scalers.StandardScaler{}, &featuremap.KernelMap{Kernel: kernels.RBFOfLength(square.Sigma)}, &featuremap.KernelCenterer{}
	z := apply(t, scaler, golden.Dense(square.X), true)
	zt := apply(t, scaler, golden.Dense(square.Xt), false)
	k := apply(t, centre, apply(t, km, z, true), true)
	require.NoError(t, final.Fit(ctx, k, y))
	assert.InDelta(t, square.Lambda, final.ChosenRidge(), 1e-15)
	assert.LessOrEqual(t, golden.MaxError(final.Coefficients(), square.W), 1e-9)
	assert.InDelta(t, 0, final.Intercept(), 1e-12)
	got, err := final.Predict(apply(t, centre, apply(t, km, zt, false), false))
	require.NoError(t, err)
	assert.LessOrEqual(t, golden.MaxError(unscale(got, mean, sd), square.PredTest), 1e-9)

	// A basis of the first rows yields ordinary features, so Regressor can fit them.
	require.NoError(t, km.Fit(ctx, z.Slice(0, len(rect.ColMeans), 0, 3)))
	k = apply(t, centre, apply(t, km, z, false), true)
	linear := &Regressor{RidgeRule: Heuristic}
	require.NoError(t, linear.Fit(ctx, k, y))
	assert.InDelta(t, rect.Lambda, linear.ChosenRidge(), 1e-15)
	assert.LessOrEqual(t, golden.MaxError(linear.Coefficients(), rect.W), 1e-9)
	got, err = linear.Predict(apply(t, centre, apply(t, km, zt, false), false))
	require.NoError(t, err)
	assert.LessOrEqual(t, golden.MaxError(unscale(got, mean, sd), rect.PredTest), 1e-9)
}

func apply(t *testing.T, tr transformers.Transformer, x *mat.Dense, fit bool) *mat.Dense {
	if fit {
		require.NoError(t, tr.Fit(ctx, x))
	}
	z, err := tr.Transform(x)
	require.NoError(t, err)
	return z
}

func unscale(v []float64, mean, sd float64) []float64 {
	out := make([]float64, len(v))
	for i, a := range v {
		out[i] = a*sd + mean
	}
	return out
}

// A fit with weights agrees with lssvm, although KernelCenterer centres the kernel without weights.
func TestDirectKernelWeights(t *testing.T) {
	x, y, w := data(40, 3, 1)
	fresh, _, _ := data(10, 3, 2)
	for _, ridge := range []float64{0, 0.1} {
		direct := chain(kernels.RBF{Gamma: 0.3}, &DirectKernel{Ridge: ridge})
		machine := scaled(&lssvm.Regressor{Kernel: kernels.RBF{Gamma: 0.3}, Ridge: ridge})
		require.NoError(t, direct.FitWeighted(ctx, x, y, w))
		require.NoError(t, machine.FitWeighted(ctx, x, y, w))
		want, err := machine.Predict(fresh)
		require.NoError(t, err)
		got, err := direct.Predict(fresh)
		require.NoError(t, err)
		assert.InDeltaSlice(t, want, got, 1e-8)
		left, err := direct.FittedFinal().(*DirectKernel).LeaveOneOutResiduals(ctx)
		require.NoError(t, err)
		wantLeft, err := machine.FittedFinal().(*lssvm.Regressor).LeaveOneOutResiduals(ctx)
		require.NoError(t, err)
		assert.InDeltaSlice(t, wantLeft, left, 1e-7)
	}
	assert.ErrorIs(t, (&DirectKernel{}).FitWeighted(ctx, mat.NewDense(2, 2, []float64{2, 1, 1, 2}), []float64{1, 2}, []float64{1}), estimators.ErrShape)
}

func TestDirectKernelErrors(t *testing.T) {
	d := &DirectKernel{}
	require.NoError(t, d.Fit(ctx, mat.NewDense(2, 2, []float64{2, 1, 1, 2}), []float64{1, 2}))
	for want, x := range map[string]*mat.Dense{
		"ridge: DirectKernel: x has 3 columns, and 2 rows, want the square kernel matrix":                                        mat.NewDense(2, 3, nil),
		"ridge: DirectKernel: x[0,1] = 1 and x[1,0] = 1.5, want a symmetric kernel matrix: matrix is not positive semi-definite": mat.NewDense(2, 2, []float64{2, 1, 1.5, 2}),
	} {
		assert.ErrorContains(t, d.Fit(ctx, x, []float64{1, 2}), want)
	}
	assert.ErrorIs(t, (&DirectKernel{Ridge: 0.1}).Fit(ctx, mat.NewDense(2, 2, []float64{1, 3, 3, 1}), []float64{1, 2}), estimators.ErrNotPSD)
	assert.ErrorContains(t, (&DirectKernel{Ridge: -1}).Fit(ctx, mat.NewDense(2, 2, nil), []float64{1, 2}), "ridge: DirectKernel: Ridge = -1")
	assert.ErrorIs(t, d.Fit(ctx, mat.NewDense(2, 2, nil), []float64{1}), estimators.ErrShape)
	_, err := d.Predict(mat.NewDense(1, 2, []float64{1, 0}))
	assert.NoError(t, err, "the earlier model is there")
}
