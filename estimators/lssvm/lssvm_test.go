package lssvm

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/posterior"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
)

var ctx = context.Background()

const tol = 1e-9

func column(v []float64) *mat.Dense { return mat.NewDense(len(v), 1, v) }

func sinc(n int, noise float64, seed uint64) (*mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	x, y := mat.NewDense(n, 1, nil), make([]float64, n)
	for i := range n {
		v := 20*rng.Float64() - 10
		x.Set(i, 0, v)
		y[i] = math.Sin(v)/v + noise*rng.NormFloat64()
	}
	return x, y
}

// blobs returns k Gaussian classes on a circle, with the labels 10, 20, ...
func blobs(n, k int, spread float64, seed uint64) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(seed, 0))
	x, y := mat.NewDense(n, 2, nil), make([]int, n)
	for i := range n {
		c := i % k
		a := 2 * math.Pi * float64(c) / float64(k)
		x.SetRow(i, []float64{math.Cos(a) + spread*rng.NormFloat64(), math.Sin(a) + spread*rng.NormFloat64()})
		y[i] = 10 * (c + 1)
	}
	return x, y
}

func TestReferenceSystem(t *testing.T) {
	var ref struct {
		X, Xt [][]float64
		Gamma float64
		Cases map[string]struct {
			C, B        float64
			Weights     []float64
			Target      []float64
			Alpha       []float64
			FTest       []float64 `json:"f_test"`
			LOOResidual []float64 `json:"loo_residual"`
		}
	}
	golden.Load(t, "lssvm.json", &ref)
	require.Len(t, ref.Cases, 3)
	x, xt := golden.Dense(ref.X), golden.Dense(ref.Xt)
	for name, c := range ref.Cases {
		t.Run(name, func(t *testing.T) {
			r := Regressor{Kernel: kernels.RBF{Gamma: ref.Gamma}, Ridge: 1 / c.C}
			require.NoError(t, r.FitWeighted(ctx, x, c.Target, c.Weights))
			f, err := r.Predict(xt)
			require.NoError(t, err)
			assert.LessOrEqual(t, golden.MaxError(r.Coefficients(), c.Alpha), tol)
			assert.LessOrEqual(t, golden.MaxError([]float64{r.Intercept()}, []float64{c.B}), tol)
			assert.LessOrEqual(t, golden.MaxError(f, c.FTest), tol)
			assert.LessOrEqual(t, golden.MaxError(residuals(t, &r), c.LOOResidual), tol)
			if name == "reg" {
				return
			}
			// The classifier is the same machine with targets ±1 and weighted rows.
			labels := make([]int, len(c.Target))
			for i, v := range c.Target {
				labels[i] = int(v)
			}
			cl := Classifier{Kernel: r.Kernel, Ridge: r.Ridge}
			require.NoError(t, cl.FitWeighted(ctx, x, labels, c.Weights))
			d, err := cl.Decision(xt)
			require.NoError(t, err)
			assert.LessOrEqual(t, golden.MaxError(mat.Col(nil, 1, d), c.FTest), tol)
		})
	}
}

type directKernel struct {
	X, Xt         [][]float64
	Y             []float64
	Sigma         float64
	XMean         []float64 `json:"x_mean"`
	XSD           []float64 `json:"x_sd"`
	YMean         float64   `json:"y_mean"`
	YSD           float64   `json:"y_sd"`
	K             [][]float64
	KTest         [][]float64 `json:"K_test"`
	KTestCentered [][]float64 `json:"K_test_centered"`
	KCentered     [][]float64 `json:"K_centered"`
	Lambda        float64     `json:"lambda_"`
	W             []float64
	PredTrain     []float64 `json:"pred_train"`
	PredTest      []float64 `json:"pred_test"`
}

func (d directKernel) scaled(rows [][]float64) *mat.Dense {
	x := golden.Dense(rows)
	x.Apply(func(_, j int, v float64) float64 { return (v - d.XMean[j]) / d.XSD[j] }, x)
	return x
}

func (d directKernel) target() []float64 {
	out := make([]float64, len(d.Y))
	for i, v := range d.Y {
		out[i] = (v - d.YMean) / d.YSD
	}
	return out
}

// The direct-kernel ridge centres its kernel matrix. The machine has a bias instead, and gives the same results.
func TestReferenceDirectKernel(t *testing.T) {
	var ref directKernel
	golden.Load(t, "direct_kernel.json", &ref)
	x, xt := ref.scaled(ref.X), ref.scaled(ref.Xt)
	k := kernels.RBF{Gamma: 1 / (2 * ref.Sigma * ref.Sigma)}
	km, err := kernels.Matrix(ctx, k, x, nil)
	require.NoError(t, err)
	kt, err := kernels.Cross(ctx, k, xt, x, nil)
	require.NoError(t, err)
	assert.LessOrEqual(t, golden.MaxError(mat.DenseCopyOf(km).RawMatrix().Data, golden.Dense(ref.K).RawMatrix().Data), tol)
	assert.LessOrEqual(t, golden.MaxError(kt.RawMatrix().Data, golden.Dense(ref.KTest).RawMatrix().Data), tol)

	assert.LessOrEqual(t, math.Abs(HeuristicRidge(len(ref.Y))-ref.Lambda), 1e-15)
	for name, r := range map[string]*Regressor{
		"heuristic": {Kernel: k, RidgeRule: Heuristic},
		"fixed":     {Kernel: k, Ridge: ref.Lambda},
	} {
		require.NoError(t, r.Fit(ctx, x, ref.target()), name)
		assert.LessOrEqual(t, golden.MaxError(r.Coefficients(), ref.W), tol, name)
		for _, c := range []struct {
			x    *mat.Dense
			want []float64
		}{{x, ref.PredTrain}, {xt, ref.PredTest}} {
			f, err := r.Predict(c.x)
			require.NoError(t, err)
			for i := range f {
				f[i] = f[i]*ref.YSD + ref.YMean
			}
			assert.LessOrEqual(t, golden.MaxError(f, c.want), tol, name)
		}
	}
	// The reference uses the centred matrices.
	kc := golden.Dense(ref.KCentered)
	sym := mat.NewSymDense(len(ref.Y), nil)
	for i := range ref.Y {
		for j := i; j < len(ref.Y); j++ {
			sym.SetSym(i, j, kc.At(i, j))
		}
	}
	r := Regressor{Ridge: ref.Lambda}
	require.NoError(t, r.FitMatrix(ctx, sym, ref.target()))
	f, err := r.PredictMatrix(golden.Dense(ref.KTestCentered))
	require.NoError(t, err)
	for i := range f {
		f[i] = f[i]*ref.YSD + ref.YMean
	}
	assert.LessOrEqual(t, golden.MaxError(f, ref.PredTest), tol)
}

// With a rectangular basis the direct kernel is a linear ridge on the centred kernel values. Its weights are the combination of
// these values with the coefficients α.
func TestReferenceDirectKernelRectangular(t *testing.T) {
	var ref, base directKernel
	golden.Load(t, "direct_kernel_rect.json", &ref)
	golden.Load(t, "direct_kernel.json", &base)
	x, xt := base.scaled(base.X), base.scaled(base.Xt)
	basis := x.Slice(0, len(ref.W), 0, 3)
	rbf := kernels.RBF{Gamma: 1 / (2 * base.Sigma * base.Sigma)}
	features, err := kernels.Cross(ctx, rbf, x, basis, nil)
	require.NoError(t, err)
	test, err := kernels.Cross(ctx, rbf, xt, basis, nil)
	require.NoError(t, err)
	assert.LessOrEqual(t, golden.MaxError(features.RawMatrix().Data, golden.Dense(ref.K).RawMatrix().Data), tol)
	assert.LessOrEqual(t, golden.MaxError(test.RawMatrix().Data, golden.Dense(ref.KTest).RawMatrix().Data), tol)
	// Subtract the means of the training columns, then the mean of each row.
	means := make([]float64, len(ref.W))
	for j := range means {
		means[j] = stat.Mean(mat.Col(nil, j, features), nil)
	}
	for _, m := range []*mat.Dense{features, test} {
		n, _ := m.Dims()
		for i := range n {
			row := m.RawRowView(i)
			for j := range row {
				row[j] -= means[j]
			}
			mean := stat.Mean(row, nil)
			for j := range row {
				row[j] -= mean
			}
		}
	}
	assert.LessOrEqual(t, golden.MaxError(features.RawMatrix().Data, golden.Dense(ref.KCentered).RawMatrix().Data), tol)
	assert.LessOrEqual(t, golden.MaxError(test.RawMatrix().Data, golden.Dense(ref.KTestCentered).RawMatrix().Data), tol)

	r := Regressor{Kernel: kernels.Linear{}, Ridge: ref.Lambda}
	require.NoError(t, r.Fit(ctx, features, base.target()))
	f, err := r.Predict(test)
	require.NoError(t, err)
	for i := range f {
		f[i] = f[i]*base.YSD + base.YMean
	}
	assert.LessOrEqual(t, golden.MaxError(f, ref.PredTest), tol)
	var w mat.Dense
	w.Mul(features.T(), column(r.Coefficients()))
	assert.LessOrEqual(t, golden.MaxError(mat.Col(nil, 0, &w), ref.W), tol)
}

// The leave-one-out residuals equal those of machines refitted without each row.
func TestLeaveOneOutIsRefitting(t *testing.T) {
	x, y := sinc(25, 0.1, 1)
	weights := make([]float64, 25)
	for i := range weights {
		weights[i] = 0.5 + float64(i%4)
	}
	r := Regressor{Kernel: kernels.RBF{Gamma: 0.3}}
	require.NoError(t, r.FitWeighted(ctx, x, y, weights))
	loo := residuals(t, &r)
	press, total := 0.0, 0.0
	for out := range 25 {
		var rows, ys, ws []float64
		for i := range 25 {
			if i != out {
				rows, ys, ws = append(rows, x.At(i, 0)), append(ys, y[i]), append(ws, weights[i])
			}
		}
		without := Regressor{Kernel: r.Kernel, Ridge: r.ChosenRidge()}
		require.NoError(t, without.FitWeighted(ctx, column(rows), ys, ws))
		f, err := without.Predict(x.Slice(out, out+1, 0, 1))
		require.NoError(t, err)
		assert.InDelta(t, y[out]-f[0], loo[out], 1e-9)
		press += weights[out] * (y[out] - f[0]) * (y[out] - f[0])
		total += weights[out]
	}
	assert.InDelta(t, press/total, r.Report().Objective, 1e-9)
}

// No ridge of a fine grid has a leave-one-out error much below that of the chosen ridge.
func TestLeaveOneOutFindsTheMinimum(t *testing.T) {
	for _, noise := range []float64{0.01, 0.1, 1} {
		x, y := sinc(80, noise, 2)
		r := Regressor{Kernel: kernels.RBF{Gamma: 0.2}}
		require.NoError(t, r.Fit(ctx, x, y))
		best := math.Inf(1)
		for u := -8.0; u <= 4; u += 0.05 {
			g := Regressor{Kernel: r.Kernel, Ridge: math.Pow(10, u)}
			require.NoError(t, g.Fit(ctx, x, y))
			best = min(best, meanSquare(residuals(t, &g)))
		}
		assert.LessOrEqual(t, r.Report().Objective, best*1.0001, "noise %v", noise)
		assert.InEpsilon(t, meanSquare(residuals(t, &r)), r.Report().Objective, 1e-9)
	}
}

// The machine is a Gaussian process with a flat prior on the bias. A process with a very wide prior on the bias has the same mean,
// and the same variance times s².
func TestVarianceIsAGaussianProcess(t *testing.T) {
	x, y := sinc(40, 0.2, 3)
	r := Regressor{Kernel: kernels.RBF{Gamma: 0.4}}
	require.NoError(t, r.Fit(ctx, x, y))
	xt, _ := sinc(7, 0, 4)
	mean, variance, err := r.PredictVariance(xt)
	require.NoError(t, err)
	f, err := r.Predict(xt)
	require.NoError(t, err)
	assert.Equal(t, f, mean)

	const wide = 1e6
	prior := func(a, b *mat.Dense) *mat.Dense {
		k, err := kernels.Cross(ctx, r.Kernel, a, b, nil)
		require.NoError(t, err)
		k.Apply(func(_, _ int, v float64) float64 { return v + wide }, k)
		return k
	}
	m := prior(x, x)
	for i := range 40 {
		m.Set(i, i, m.At(i, i)+r.ChosenRidge())
	}
	cross := prior(xt, x)
	var sol, quad mat.Dense
	require.NoError(t, ignoreCondition(sol.Solve(m, cross.T())))
	quad.Mul(cross, &sol)
	for i := range 7 {
		assert.InEpsilon(t, r.m.left.scales[0]*(1+wide-quad.At(i, i)+r.ChosenRidge()), variance[i], 1e-4)
	}
}

func residuals(t *testing.T, r *Regressor) []float64 {
	t.Helper()
	out, err := r.LeaveOneOutResiduals(ctx)
	require.NoError(t, err)
	return out
}

func meanSquare(v []float64) float64 { return floats.Dot(v, v) / float64(len(v)) }

func ignoreCondition(err error) error {
	var c mat.Condition
	if errors.As(err, &c) {
		return nil
	}
	return err
}

// Leave-one-out quantities are computed at their first use. They are the same for any first caller and for any number of concurrent
// callers, and also for a model from a file. Reports and encoding do not compute them.
func TestLeaveOneOutWaits(t *testing.T) {
	x, y := sinc(40, 0.1, 4)
	weights := make([]float64, 40)
	for i := range weights {
		weights[i] = 1 + float64(i%3)
	}
	kernel := kernels.RBF{Gamma: 0.2}
	fit := func() *Regressor {
		r := &Regressor{Kernel: kernel, Ridge: 0.05}
		require.NoError(t, r.FitWeighted(ctx, x, y, weights))
		return r
	}
	waits := func(r *Regressor) bool {
		return r.m.left == nil && r.m.factor == nil && r.m.waiting.left == nil && r.m.waiting.factor == nil
	}
	first := fit()
	report := first.Report()
	stored, err := first.MarshalBinary()
	require.NoError(t, err)
	require.True(t, waits(first), "Fit, Report and MarshalBinary wait")
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	_, err = first.LeaveOneOutResiduals(cancelled)
	require.ErrorIs(t, err, context.Canceled)
	require.True(t, waits(first), "an error is not stored")
	want := residuals(t, first)
	require.Len(t, want, 40)
	require.Nil(t, first.m.waiting.factor, "the factor is for the variance")
	assert.Equal(t, report, first.Report())
	again, err := first.MarshalBinary()
	require.NoError(t, err)
	assert.Equal(t, stored, again)

	// This is the minimum of the objective, computed from its definition in the package documentation.
	k, err := kernels.Matrix(ctx, kernel, x, nil)
	require.NoError(t, err)
	alpha := mat.NewVecDense(40, first.Coefficients())
	f, err := first.Predict(x)
	require.NoError(t, err)
	objective := mat.Inner(alpha, k, alpha) / 2
	for i, v := range f {
		objective += weights[i] * (y[i] - v) * (y[i] - v) / 0.05 / 2
	}
	assert.InEpsilon(t, objective, report.Objective, 1e-9)

	r := fit()
	_, variance, err := r.PredictVariance(x)
	require.NoError(t, err)
	assert.Equal(t, want, residuals(t, r))
	_, againVariance, err := first.PredictVariance(x)
	require.NoError(t, err)
	assert.Equal(t, variance, againVariance)
	loaded := &Regressor{Kernel: kernel}
	require.NoError(t, loaded.UnmarshalBinary(stored))
	require.True(t, waits(loaded))
	assert.Equal(t, want, residuals(t, loaded))
	_, againVariance, err = loaded.PredictVariance(x)
	require.NoError(t, err)
	assert.Equal(t, variance, againVariance)

	r = fit()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			left, err := r.LeaveOneOutResiduals(ctx)
			assert.NoError(t, err)
			assert.Equal(t, want, left)
			_, v, err := r.PredictVariance(x)
			assert.NoError(t, err)
			assert.Equal(t, variance, v)
		})
	}
	all.Wait()
}

// A model fitted to a matrix computes its variance from a copy of the matrix or from a factor. The variance is right after the
// caller has changed the matrix, and for a model from a file.
func TestMatrixIsKept(t *testing.T) {
	x, y := sinc(40, 0.1, 4)
	kernel := kernels.RBF{Gamma: 0.2}
	for _, ridge := range []float64{0, 0.05} {
		k, err := kernels.Matrix(ctx, kernel, x, nil)
		require.NoError(t, err)
		rows, matrix := &Regressor{Kernel: kernel, Ridge: ridge}, &Regressor{Ridge: ridge}
		require.NoError(t, rows.Fit(ctx, x, y))
		require.NoError(t, matrix.FitMatrix(ctx, k, y))
		cross, diag := mat.DenseCopyOf(k), make([]float64, 40)
		kernels.Diag(diag, kernel, x)
		k.ScaleSym(0, k)
		stored, err := matrix.MarshalBinary()
		require.NoError(t, err)
		read := &Regressor{}
		require.NoError(t, read.UnmarshalBinary(stored))
		_, want, err := rows.PredictVariance(x)
		require.NoError(t, err)
		for _, m := range []*Regressor{matrix, read} {
			_, got, err := m.PredictVarianceMatrix(cross, diag)
			require.NoError(t, err)
			assert.InDeltaSlice(t, want, got, 1e-9, "ridge %v", ridge)
			assert.InDeltaSlice(t, residuals(t, rows), residuals(t, m), 1e-9, "ridge %v", ridge)
			low, high, err := m.PredictIntervalMatrix(cross, diag, 0.5)
			require.NoError(t, err)
			assert.InDelta(t, 2*0.6744898*math.Sqrt(want[3]), high[3]-low[3], 1e-6)
			again, err := m.MarshalBinary()
			require.NoError(t, err)
			assert.Equal(t, stored, again)
		}
		_, _, err = matrix.PredictIntervalMatrix(cross, diag, 1)
		assert.ErrorIs(t, err, estimators.ErrParam)
	}
}

// A fit to a matrix with weights is equivalent to a fit to the rows with weights.
func TestFitMatrixWeighted(t *testing.T) {
	x, y := sinc(40, 0.3, 4)
	weights, labels := make([]float64, 40), make([]int, 40)
	for i := range weights {
		weights[i] = 1 + float64(i%3)
		if y[i] > 0.3 {
			labels[i] = 1
		}
	}
	k := kernels.RBF{Gamma: 0.2}
	km, err := kernels.Matrix(ctx, k, x, nil)
	require.NoError(t, err)
	rows, matrix := &Regressor{Kernel: k}, &Regressor{}
	require.NoError(t, rows.FitWeighted(ctx, x, y, weights))
	require.NoError(t, matrix.FitMatrixWeighted(ctx, km, y, weights))
	assert.InDeltaSlice(t, rows.Coefficients(), matrix.Coefficients(), 1e-9)
	c, cm := &Classifier{Kernel: k, Balanced: true}, &Classifier{Balanced: true}
	require.NoError(t, c.FitWeighted(ctx, x, labels, weights))
	require.NoError(t, cm.FitMatrixWeighted(ctx, km, labels, weights))
	want, err := c.PredictProba(x)
	require.NoError(t, err)
	got, err := cm.PredictProbaMatrix(km)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(want, got, 1e-9))
	assert.ErrorIs(t, matrix.FitMatrixWeighted(ctx, km, y, weights[1:]), estimators.ErrShape)
	assert.ErrorIs(t, cm.FitMatrixWeighted(ctx, km, labels, weights[1:]), estimators.ErrShape)
}

func TestIntervalsCover(t *testing.T) {
	x, y := sinc(200, 0.15, 5)
	xt, yt := sinc(2000, 0.15, 6)
	r := Regressor{}
	require.NoError(t, r.Fit(ctx, x, y))
	mean, variance, err := r.PredictVariance(xt)
	require.NoError(t, err)
	in := 0.0
	for i, m := range mean {
		if math.Abs(yt[i]-m) <= 1.96*math.Sqrt(variance[i]) {
			in += 1.0 / 2000
		}
	}
	assert.InDelta(t, 0.95, in, 0.03)
}

func TestFitMatrixEqualsFit(t *testing.T) {
	x, y := sinc(60, 0.1, 7)
	xt, _ := sinc(9, 0, 8)
	k := kernels.RBF{Gamma: 0.5}
	km, err := kernels.Matrix(ctx, k, x, nil)
	require.NoError(t, err)
	kt, err := kernels.Cross(ctx, k, xt, x, nil)
	require.NoError(t, err)
	a, b := Regressor{Kernel: k}, Regressor{}
	require.NoError(t, a.Fit(ctx, x, y))
	require.NoError(t, b.FitMatrix(ctx, km, y))
	mean, variance, err := a.PredictVariance(xt)
	require.NoError(t, err)
	diag := []float64{1, 1, 1, 1, 1, 1, 1, 1, 1}
	meanM, varianceM, err := b.PredictVarianceMatrix(kt, diag)
	require.NoError(t, err)
	assert.InDeltaSlice(t, mean, meanM, 1e-12)
	assert.InDeltaSlice(t, variance, varianceM, 1e-12)

	data, err := b.MarshalBinary()
	require.NoError(t, err)
	var c Regressor
	require.NoError(t, c.UnmarshalBinary(data))
	again, againVariance, err := c.PredictVarianceMatrix(kt, diag)
	require.NoError(t, err)
	assert.Equal(t, meanM, again)
	assert.Equal(t, varianceM, againVariance)

	_, err = b.Predict(xt)
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
	_, err = b.PredictMatrix(kt.Slice(0, 9, 0, 59))
	assert.ErrorIs(t, err, estimators.ErrShape)
	_, _, err = b.PredictVarianceMatrix(kt, diag[:3])
	assert.ErrorIs(t, err, estimators.ErrShape)
	assert.ErrorIs(t, b.FitMatrix(ctx, km, y[:5]), estimators.ErrShape)
	km.SetSym(3, 4, math.NaN())
	assert.ErrorContains(t, b.FitMatrix(ctx, km, y), "K[3,4] is NaN")
	km.SetSym(3, 4, 50)
	assert.ErrorIs(t, (&Regressor{Ridge: 1e-3}).FitMatrix(ctx, km, y), estimators.ErrNotPSD)
	_, err = b.PredictMatrix(kt)
	assert.NoError(t, err, "the failed fits left the model")

	xc, yc := blobs(60, 3, 0.3, 9)
	kc, err := kernels.Matrix(ctx, k, xc, nil)
	require.NoError(t, err)
	p, q := Classifier{Kernel: k}, Classifier{}
	require.NoError(t, p.Fit(ctx, xc, yc))
	require.NoError(t, q.FitMatrix(ctx, kc, yc))
	want, err := p.PredictProba(xc)
	require.NoError(t, err)
	got, err := q.PredictProbaMatrix(kc)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(want, got, 1e-12))
	assert.InDeltaSlice(t, p.Intercepts(), q.Intercepts(), 1e-9)
	decision, err := p.Decision(xc.Slice(0, 1, 0, 2))
	require.NoError(t, err)
	var f mat.Dense
	f.Mul(kc, p.Coefficients())
	assert.InDelta(t, decision.At(0, 2), f.At(0, 2)+p.Intercepts()[2], 1e-9, "by the definition")
	labels, err := q.PredictMatrix(kc)
	require.NoError(t, err)
	wantLabels, err := p.Predict(xc)
	require.NoError(t, err)
	assert.Equal(t, wantLabels, labels)
}

func TestClassifierLearnsAndIsCalibrated(t *testing.T) {
	for _, k := range []int{2, 3, 5} {
		x, y := blobs(60*k, k, 0.45, 1)
		xt, yt := blobs(400*k, k, 0.45, 2)
		c := Classifier{}
		require.NoError(t, c.Fit(ctx, x, y))
		p, err := c.PredictProba(xt)
		require.NoError(t, err)
		labels, err := c.Predict(xt)
		require.NoError(t, err)
		right, confidence := 0.0, 0.0
		for i, l := range labels {
			if l == yt[i] {
				right += 1 / float64(len(yt))
			}
			row := p.RawRowView(i)
			total, top := 0.0, 0.0
			for _, v := range row {
				total, top = total+v, max(top, v)
			}
			assert.InDelta(t, 1, total, 1e-12)
			confidence += top / float64(len(yt))
		}
		assert.Greater(t, right, 0.6)
		assert.InDelta(t, right, confidence, 0.05, "%d classes: mean confidence against accuracy", k)
	}
}

// The link is fitted to the score of each row in the machine without this row.
func TestLinkIsOfUnseenScores(t *testing.T) {
	x, y := blobs(90, 3, 0.8, 4)
	c := Classifier{Kernel: kernels.RBF{Gamma: 0.5}, Ridge: 0.1}
	require.NoError(t, c.Fit(ctx, x, y))
	unseen, at := mat.NewDense(90, 3, nil), classes.Positions(c.Classes(), y)
	for k := range 3 {
		target := mat.Col(nil, k, classes.AgainstRest(at, 3))
		r := Regressor{Kernel: c.Kernel, Ridge: c.Ridge}
		require.NoError(t, r.Fit(ctx, x, target))
		floats.Sub(target, residuals(t, &r))
		unseen.SetCol(k, target)
	}
	want, err := posterior.Fit(ctx, unseen, at, nil)
	require.NoError(t, err)
	assert.InDeltaSlice(t, want.Slopes[:], c.link.Slopes[:], 1e-6)
	assert.InDeltaSlice(t, want.Offset, c.link.Offset, 1e-6)
	assert.InDeltaSlice(t, want.Mixing, c.link.Mixing, 1e-6)
}

func TestClassWeights(t *testing.T) {
	// The classes overlap, 90% to 10%. Without weights, most rows of the small class are misclassified.
	rng := rand.New(rand.NewPCG(1, 1))
	x, y := mat.NewDense(300, 1, nil), make([]int, 300)
	for i := range 300 {
		if i%10 == 0 {
			y[i] = 1
		}
		x.Set(i, 0, rng.NormFloat64()+1.2*float64(y[i]))
	}
	recall := func(c *Classifier) float64 {
		require.NoError(t, c.Fit(ctx, x, y))
		p, err := c.Predict(x)
		require.NoError(t, err)
		hit := 0.0
		for i, v := range y {
			if v == 1 && p[i] == 1 {
				hit += 1.0 / 30
			}
		}
		return hit
	}
	plain, balanced := recall(&Classifier{}), recall(&Classifier{Balanced: true})
	assert.Greater(t, balanced, plain+0.3)
	weighted := &Classifier{ClassWeights: map[int]float64{0: 300.0 / 540, 1: 300.0 / 60}}
	assert.Equal(t, balanced, recall(weighted))
	// The probabilities still estimate the frequencies in the data.
	p, err := weighted.PredictProba(x)
	require.NoError(t, err)
	assert.InDelta(t, 0.1, mat.Sum(p.Slice(0, 300, 1, 2))/300, 0.02)
}

// With a fixed ridge, a weight of 2 is equivalent to giving the row twice.
func TestWeightsAreRepetitions(t *testing.T) {
	x, y := sinc(20, 0.1, 1)
	weights := make([]float64, 20)
	twice, yTwice := mat.NewDense(25, 1, nil), append(append([]float64{}, y...), y[:5]...)
	for i := range 20 {
		weights[i] = 1
		if i < 5 {
			weights[i] = 2
			twice.Set(20+i, 0, x.At(i, 0))
		}
		twice.Set(i, 0, x.At(i, 0))
	}
	a := Regressor{Kernel: kernels.RBF{Gamma: 0.3}, Ridge: 0.1}
	b := a
	require.NoError(t, a.FitWeighted(ctx, x, y, weights))
	require.NoError(t, b.Fit(ctx, twice, yTwice))
	xt, _ := sinc(30, 0, 2)
	f, err := a.Predict(xt)
	require.NoError(t, err)
	g, err := b.Predict(xt)
	require.NoError(t, err)
	assert.InDeltaSlice(t, f, g, 1e-10)
}

func TestErrors(t *testing.T) {
	x, y := sinc(10, 0, 1)
	xc, yc := blobs(10, 2, 0.1, 1)
	for text, r := range map[string]*Regressor{
		"lssvm: Regressor: Ridge = -0.1, want finite and > 0, or 0 for the choice by RidgeRule": {Ridge: -0.1},
		"lssvm: Regressor: Ridge = NaN, want finite and > 0":                                    {Ridge: math.NaN()},
		"lssvm: Regressor: Ridge = +Inf, want finite and > 0":                                   {Ridge: math.Inf(1)},
		"lssvm: Regressor: RidgeRule = 9, want LeaveOneOut or Heuristic":                        {RidgeRule: 9},
		"kernels: RBF: Gamma = -2":                                                              {Kernel: kernels.RBF{Gamma: -2}},
		"MaxKernelBytes = -1":                                                                   {MaxKernelBytes: -1},
	} {
		err := r.Fit(ctx, x, y)
		require.ErrorIs(t, err, estimators.ErrParam)
		assert.ErrorContains(t, err, text)
	}
	for _, err := range []error{(&Regressor{MaxKernelBytes: 100}).Fit(ctx, x, y), (&Classifier{MaxKernelBytes: 100}).Fit(ctx, xc, yc)} {
		require.ErrorIs(t, err, estimators.ErrTooLarge)
		assert.ErrorContains(t, err, "package falkon")
	}
	assert.ErrorContains(t, (&Classifier{ClassWeights: map[int]float64{20: -1}}).Fit(ctx, xc, yc), "ClassWeights[20] = -1")
	assert.ErrorContains(t, (&Classifier{}).Fit(ctx, xc, make([]int, 10)), "y has 1 class, want at least 2")
	assert.ErrorContains(t, (&Regressor{}).FitWeighted(ctx, x, y, make([]float64, 10)), "weights = 0, want > 0")
}

// Files with inconsistent fields are rejected.
func TestHostilePayloads(t *testing.T) {
	x, y := sinc(6, 0.1, 1)
	k := kernels.RBF{Gamma: 0.5}
	km, err := kernels.Matrix(ctx, k, x, nil)
	require.NoError(t, err)
	rows, chosen, given := &Regressor{Kernel: k}, &Regressor{}, &Regressor{Ridge: 0.1}
	require.NoError(t, rows.Fit(ctx, x, y))
	require.NoError(t, chosen.FitMatrix(ctx, km, y))
	require.NoError(t, given.FitMatrix(ctx, km, y))
	read := func(s stored) error {
		data, err := codec.Marshal(regressorKind, version, s)
		require.NoError(t, err)
		return (&Regressor{Kernel: k}).UnmarshalBinary(data)
	}
	for _, r := range []*Regressor{rows, chosen, given} {
		require.NoError(t, read(r.m.store(r.Kernel)), "the changes below are its only faults")
	}
	two := codec.Matrix{Rows: 2, Cols: 1, Data: codec.Floats{1, 2}}
	for name, c := range map[string]struct {
		of     *Regressor
		change func(s *stored)
	}{
		"no rows announced":             {rows, func(s *stored) { s.N = 0 }},
		"other rows":                    {rows, func(s *stored) { s.Rows = two }},
		"no kernel for rows":            {rows, func(s *stored) { s.Kernel = "" }},
		"a matrix beside rows":          {rows, func(s *stored) { s.Matrix = make(codec.Floats, 21) }},
		"a factor beside rows":          {rows, func(s *stored) { s.Factor = make(codec.Floats, 21) }},
		"coefficients of others":        {rows, func(s *stored) { s.Alpha = two }},
		"no intercept":                  {rows, func(s *stored) { s.Bias = nil }},
		"an infinite intercept":         {rows, func(s *stored) { s.Bias = codec.Floats{math.Inf(1)} }},
		"an eta too few":                {rows, func(s *stored) { s.Eta = s.Eta[1:] }},
		"weights too few":               {rows, func(s *stored) { s.Weights = codec.Floats{1} }},
		"a weight of 0":                 {rows, func(s *stored) { s.Weights = codec.Floats{1, 1, 0, 1, 1, 1} }},
		"no ridge":                      {rows, func(s *stored) { s.Ridge = 0 }},
		"a negative scale":              {chosen, func(s *stored) { s.Scales = codec.Floats{-1} }},
		"residuals of others":           {rows, func(s *stored) { s.LeftOut = two }},
		"a residual that is NaN":        {rows, func(s *stored) { s.LeftOut.Data[2] = math.NaN() }},
		"a matrix too small":            {chosen, func(s *stored) { s.Matrix = s.Matrix[1:] }},
		"a matrix that is NaN":          {chosen, func(s *stored) { s.Matrix = append(codec.Floats{math.NaN()}, s.Matrix[1:]...) }},
		"neither matrix nor factor":     {chosen, func(s *stored) { s.Matrix = nil }},
		"both matrix and factor":        {chosen, func(s *stored) { s.Factor = s.Matrix }},
		"a factor too small":            {given, func(s *stored) { s.Factor = s.Factor[1:] }},
		"a factor of zeros":             {given, func(s *stored) { s.Factor = make(codec.Floats, 21) }},
		"rows without their kernel":     {given, func(s *stored) { s.Rows = codec.FromDense(x) }},
		"a kernel without its rows":     {given, func(s *stored) { s.Kernel = k.String() }},
		"a factor that is not a number": {given, func(s *stored) { s.Factor = append(codec.Floats{math.Inf(1)}, s.Factor[1:]...) }},
	} {
		s := c.of.m.store(c.of.Kernel)
		c.change(&s)
		assert.ErrorIs(t, read(s), estimators.ErrBadModel, name)
	}
}

func TestUnmarshalChecksTheKernel(t *testing.T) {
	x, y := sinc(20, 0.1, 1)
	fitted := func(k kernels.Kernel) []byte {
		r := Regressor{Kernel: k}
		require.NoError(t, r.Fit(ctx, x, y))
		data, err := r.MarshalBinary()
		require.NoError(t, err)
		return data
	}
	for _, c := range []struct {
		written, read kernels.Kernel
		text          string
	}{
		{kernels.RBF{Gamma: 2}, kernels.RBF{Gamma: 3}, "fitted with Kernel RBF(gamma=2), this value has Kernel RBF(gamma=3)"},
		{kernels.RBF{Gamma: 2}, nil, "this value has Kernel nil"},
		{nil, kernels.Linear{}, "fitted with Kernel nil"},
	} {
		err := (&Regressor{Kernel: c.read}).UnmarshalBinary(fitted(c.written))
		require.ErrorIs(t, err, estimators.ErrBadModel)
		assert.ErrorContains(t, err, c.text)
	}
	err := (&Classifier{}).UnmarshalBinary(fitted(nil))
	require.ErrorIs(t, err, estimators.ErrBadModel)
	assert.ErrorContains(t, err, "the data holds a lssvm.Regressor")
}

func TestObserve(t *testing.T) {
	x, y := sinc(20, 0.1, 1)
	steps := 0
	r := Regressor{Observe: func(s estimators.Step) {
		if s.Between {
			return
		}
		steps++
		assert.Equal(t, steps, s.Iteration)
		assert.LessOrEqual(t, s.Iteration, s.Total)
	}}
	require.NoError(t, r.Fit(ctx, x, y))
	assert.Equal(t, r.Report().Iterations, steps)

	// A fit that is cancelled during the search keeps the old model.
	before := r.ChosenRidge()
	c, cancel := context.WithCancel(ctx)
	r.Observe = func(s estimators.Step) {
		if s.Between {
			return
		}
		if s.Iteration == 3 {
			cancel()
		}
	}
	xb, yb := sinc(30, 0.5, 2)
	require.ErrorIs(t, r.Fit(c, xb, yb), context.Canceled)
	assert.Equal(t, before, r.ChosenRidge())
}

// If the ridge is set, it is used with every RidgeRule.
func TestGivenRidge(t *testing.T) {
	x, y := sinc(20, 0.1, 1)
	for _, rule := range []RidgeRule{LeaveOneOut, Heuristic} {
		r := Regressor{Ridge: 0.3, RidgeRule: rule}
		require.NoError(t, r.Fit(ctx, x, y))
		assert.Equal(t, 0.3, r.ChosenRidge())
		assert.Equal(t, 1, r.Report().Iterations)
	}
}

// The zero value is equivalent to the documented defaults.
func TestDocumentedDefaults(t *testing.T) {
	x, y := sinc(40, 0.1, 1)
	median, err := kernels.MedianRBF(ctx, x, 0)
	require.NoError(t, err)
	zero := Regressor{}
	require.NoError(t, zero.Fit(ctx, x, y))
	chosen, ok := zero.ChosenKernel().(kernels.Matern)
	require.True(t, ok)
	assert.Equal(t, 2.5, chosen.Nu)
	for _, c := range []struct{ zero, spelt Regressor }{
		{Regressor{}, Regressor{Kernel: chosen, RidgeRule: LeaveOneOut, MaxKernelBytes: kernels.MaxKernelBytes}},
		{Regressor{Ridge: .1}, Regressor{Kernel: median, Ridge: .1}},
		{Regressor{RidgeRule: Heuristic}, Regressor{Kernel: median, RidgeRule: Heuristic}},
	} {
		require.NoError(t, c.zero.Fit(ctx, x, y))
		require.NoError(t, c.spelt.Fit(ctx, x, y))
		assert.Equal(t, c.spelt.Coefficients(), c.zero.Coefficients())
		assert.Equal(t, c.spelt.ChosenRidge(), c.zero.ChosenRidge())
		assert.Equal(t, c.spelt.ChosenKernel(), c.zero.ChosenKernel())
	}
	few := mat.NewDense(leastToChoose-1, 1, mat.Col(nil, 0, x.Slice(0, leastToChoose-1, 0, 1)))
	require.NoError(t, zero.Fit(ctx, few, y[:leastToChoose-1]))
	assert.IsType(t, kernels.RBF{}, zero.ChosenKernel())
}

// Among fits with a given length, the chosen length has the smallest leave-one-out error with its best ridge. With many rows it is
// chosen on a sample, which does not depend on the number of workers.
func TestChosenLength(t *testing.T) {
	x, y := sinc(60, .1, 3)
	r := Regressor{}
	require.NoError(t, r.Fit(ctx, x, y))
	chosen := r.ChosenKernel().(kernels.Matern)
	press := func(length float64) float64 {
		other := Regressor{Kernel: kernels.Matern{Nu: 2.5, Length: length}}
		require.NoError(t, other.Fit(ctx, x, y))
		residuals, err := other.LeaveOneOutResiduals(ctx)
		require.NoError(t, err)
		return floats.Dot(residuals, residuals) / 60
	}
	least := press(chosen.Length)
	for _, by := range []float64{1. / 8, 1. / 4, 1. / 2, .8, 1.25, 2, 4, 8} {
		assert.Less(t, least, 1.02*press(by*chosen.Length), "%v times the length", by)
	}
	x, y = sinc(2*mostToChoose, .1, 4)
	one, two := Regressor{Workers: 1}, Regressor{Workers: 3}
	require.NoError(t, one.Fit(ctx, x, y))
	require.NoError(t, two.Fit(ctx, x, y))
	assert.Equal(t, one.ChosenKernel(), two.ChosenKernel())
	other := Regressor{Seed: 5}
	require.NoError(t, other.Fit(ctx, x, y))
	assert.NotEqual(t, one.ChosenKernel(), other.ChosenKernel(), "of other rows")
	assert.InEpsilon(t, one.ChosenKernel().(kernels.Matern).Length, other.ChosenKernel().(kernels.Matern).Length, 1)
}

// The interval is wide in a region without training rows, and the mean stays bounded beyond the training rows. The median RBF is
// far too smooth for targets that oscillate often.
func TestZeroValueOfAGap(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 28))
	truth := func(t float64) float64 { return math.Sin(t) + .3*math.Sin(3.1*t) }
	x, y := mat.NewDense(120, 1, nil), make([]float64, 120)
	for i := range y {
		at := 10 * rng.Float64()
		if at > 6 {
			at += 2
		}
		x.Set(i, 0, at)
		y[i] = truth(at) + .15*rng.NormFloat64()
	}
	r := Regressor{}
	require.NoError(t, r.Fit(ctx, x, y))
	gap := mat.NewDense(41, 1, nil)
	for i := range 41 {
		gap.Set(i, 0, 6+float64(i)/20)
	}
	low, high, err := r.PredictInterval(gap, .95)
	require.NoError(t, err)
	within := 0
	for i := range low {
		if v := truth(gap.At(i, 0)); v > low[i] && v < high[i] {
			within++
		}
	}
	assert.GreaterOrEqual(t, within, 35)
	beyond, err := r.Predict(mat.NewDense(1, 1, []float64{12.9}))
	require.NoError(t, err)
	assert.InDelta(t, truth(12.9), beyond[0], 2.5)
}

// A Smoother holds a matrix and its inverse. If there are too many rows, Smoother returns an error before it computes them.
func TestSmootherTooLarge(t *testing.T) {
	x, y := mat.NewDense(40, 1, nil), mat.NewDense(40, 1, nil)
	for i := range 40 {
		x.Set(i, 0, float64(i))
		y.Set(i, 0, float64(i%3))
	}
	r := &Regressor{Ridge: 1, MaxKernelBytes: 8 * 40 * 40}
	require.NoError(t, r.Fit(ctx, x, mat.Col(nil, 0, y)))
	_, err := r.Smoother(ctx, x, y, nil)
	require.ErrorIs(t, err, estimators.ErrTooLarge)
	r.MaxKernelBytes *= 2
	_, err = r.Smoother(ctx, x, y, nil)
	require.NoError(t, err)
}
