package estimatortest_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/calibration"
	"github.com/kernelearn/kernelearn/estimators/conformal"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/gabasr"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/testkit/toy"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// fuse panics from a given call on, counted from 1, once light has set it. Several goroutines may use it.
type fuse struct {
	calls, at atomic.Int64
}

func (f *fuse) light(at int64) { f.calls.Store(0); f.at.Store(at) }

func (f *fuse) call() {
	if n := f.calls.Add(1); f.at.Load() > 0 && n >= f.at.Load() {
		panic("the fuse has blown")
	}
}

// fused is a kernel that calls a fuse.
type fused struct {
	*fuse
	kernels.RBF
}

func (k fused) Eval(x, z []float64) float64 { k.call(); return k.RBF.Eval(x, z) }

func (k fused) String() string { return "fused" }

// fusedFamily is a family of kernels that call a fuse.
type fusedFamily struct {
	*fuse
	families.RBF
}

func (f fusedFamily) Kernel(gamma float64) kernels.Kernel { f.call(); return f.RBF.Kernel(gamma) }

// fusedRegressor and fusedStep call a fuse in each method.
type fusedRegressor struct {
	*fuse
	of toy.Ridge
}

func (r *fusedRegressor) Fit(ctx context.Context, x mat.Matrix, y []float64) error {
	r.call()
	return r.of.Fit(ctx, x, y)
}

func (r *fusedRegressor) Predict(x mat.Matrix) ([]float64, error) { r.call(); return r.of.Predict(x) }

func (r *fusedRegressor) Clone() estimators.Regressor { return &fusedRegressor{fuse: r.fuse} }

type fusedClassifier struct {
	*fuse
	of toy.Centroid
}

func (c *fusedClassifier) Fit(ctx context.Context, x mat.Matrix, y []int) error {
	c.call()
	return c.of.Fit(ctx, x, y)
}

func (c *fusedClassifier) Predict(x mat.Matrix) ([]int, error) { c.call(); return c.of.Predict(x) }

func (c *fusedClassifier) PredictProba(x mat.Matrix) (*mat.Dense, error) {
	c.call()
	return c.of.PredictProba(x)
}

func (c *fusedClassifier) Classes() []int { return c.of.Classes() }

func (c *fusedClassifier) Clone() estimators.Classifier { return &fusedClassifier{fuse: c.fuse} }

type fusedStep struct {
	*fuse
	of scalers.StandardScaler
}

func (s *fusedStep) Fit(ctx context.Context, x mat.Matrix) error { s.call(); return s.of.Fit(ctx, x) }

func (s *fusedStep) Transform(x mat.Matrix) (*mat.Dense, error) { s.call(); return s.of.Transform(x) }

func (s *fusedStep) Clone() transformers.Transformer { return &fusedStep{fuse: s.fuse} }

// fusedBLAS is a BLAS that calls a fuse in the methods that the library uses most.
type fusedBLAS struct {
	*fuse
	blas.Float64
}

func (b fusedBLAS) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, c []float64, ldc int, beta float64, d []float64, ldd int) {
	b.call()
	b.Float64.Dgemm(tA, tB, m, n, k, alpha, a, lda, c, ldc, beta, d, ldd)
}

func (b fusedBLAS) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	b.call()
	b.Float64.Dsyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
}

func (b fusedBLAS) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, c []float64, ldc int) {
	b.call()
	b.Float64.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, c, ldc)
}

func (b fusedBLAS) Dgemv(tA blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	b.call()
	b.Float64.Dgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
}

func (b fusedBLAS) Dtrsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float64, lda int, x []float64, incX int) {
	b.call()
	b.Float64.Dtrsv(ul, tA, d, n, a, lda, x, incX)
}

func (b fusedBLAS) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	b.call()
	return b.Float64.Ddot(n, x, incX, y, incY)
}

func (b fusedBLAS) Daxpy(n int, alpha float64, x []float64, incX int, y []float64, incY int) {
	b.call()
	b.Float64.Daxpy(n, alpha, x, incX, y, incY)
}

// panicRows returns rows with two columns, to which the test fits all types.
func panicRows() (x *mat.Dense, y []float64, labels []int) {
	const n = 24
	x = mat.NewDense(n, 2, nil)
	for i := range n {
		a, b := math.Sin(float64(7*i)), math.Cos(float64(i*i))
		x.SetRow(i, []float64{a, b})
		y, labels = append(y, a+b*b+.1*math.Sin(float64(31*i))), append(labels, i%2)
		x.Set(i, 0, a+float64(i%2))
	}
	return x, y, labels
}

// fitRows fits any type to panicRows.
func fitRows(e any) error {
	x, y, labels := panicRows()
	ctx := context.Background()
	switch e := e.(type) {
	case *ridge.DirectKernel:
		k, err := kernels.Matrix(ctx, kernels.RBF{Gamma: .5}, x, nil)
		if err != nil {
			return err
		}
		return e.Fit(ctx, k, y)
	case estimators.Regressor:
		return e.Fit(ctx, x, y)
	case estimators.Classifier:
		return e.Fit(ctx, x, labels)
	case transformers.Transformer:
		return e.Fit(ctx, x)
	case estimators.MultiRegressor:
		return e.Fit(ctx, x, twoTargets(y))
	case estimators.Detector:
		return e.Fit(ctx, x)
	}
	return fmt.Errorf("%T is nothing to fit", e)
}

// applied returns the results of a fitted value for panicRows.
func applied(e any) (out any, err error) {
	x, _, _ := panicRows()
	switch e := e.(type) {
	case *ridge.DirectKernel:
		k, err := kernels.Cross(context.Background(), kernels.RBF{Gamma: .5}, x, x, nil)
		if err != nil {
			return nil, err
		}
		return e.Predict(k)
	case estimators.Regressor:
		return e.Predict(x)
	case estimators.Classifier:
		return e.Predict(x)
	case transformers.Transformer:
		return e.Transform(x)
	case estimators.MultiRegressor:
		return e.Predict(x)
	case estimators.Detector:
		return e.Score(x)
	}
	return nil, fmt.Errorf("%T is nothing to predict with", e)
}

// small changes the settings of a type so that its fits are fast.
func small(e any) any {
	switch e := e.(type) {
	case *gabasr.Regressor:
		e.Pairs, e.Sweeps, e.Chains = 6, 4, 2
	case *gabasr.Classifier:
		e.Pairs, e.Sweeps, e.Chains = 6, 4, 2
	}
	return e
}

// blown fits e. It then fits it again with the fuse lit at several of the calls, and predicts with the fuse lit. Each time the
// result must be an error that names the panic, on one goroutine and on several, and the previous fit must be kept. blown returns
// the number of panics.
func blown(t *testing.T, name string, f *fuse, e any) (times int) {
	t.Helper()
	f.light(0)
	if err := fitRows(e); err != nil {
		t.Logf("%s: not tried: %v", name, err)
		return 0
	}
	calls := f.calls.Load()
	want, err := applied(e)
	require.NoError(t, err, name)
	at := []int64{1, 2, calls / 3, calls / 2, calls}
	slices.Sort(at)
	for _, at := range slices.Compact(at) {
		if at < 1 || at > calls {
			continue
		}
		f.light(at)
		what := panics(func() { err = fitRows(e) })
		reached := f.calls.Load() >= at
		f.light(0)
		assert.Empty(t, what, "%s, call %d of %d", name, at, calls)
		var p *estimators.PanicError
		if assert.Equal(t, reached, errors.As(err, &p), "%s, call %d of %d: %v", name, at, calls, err) && reached {
			times++
			assert.ErrorContains(t, err, "panics_test.go", name)
			assert.ErrorContains(t, err, "the fuse has blown", name)
			assert.ErrorIs(t, err, estimators.ErrParam, name)
		}
		got, err := applied(e)
		require.NoError(t, err, name)
		assert.Equal(t, want, got, "%s, call %d of %d: the old model stays", name, at, calls)
	}
	f.light(1)
	what := panics(func() { _, err = applied(e) })
	reached := f.calls.Load() > 0
	f.light(0)
	assert.Empty(t, what, "%s: a prediction", name)
	var p *estimators.PanicError
	assert.Equal(t, reached, errors.As(err, &p), "%s: a prediction: %v", name, err)
	return times
}

// A panic in a kernel, an Observe, a BLAS, a family, an estimator or a step becomes an error of Fit or Predict that names the
// place. This holds for any number of goroutines, and no goroutine is leaked.
func TestPanicsAreErrors(t *testing.T) {
	for _, processors := range []int{1, 4} {
		t.Run(fmt.Sprint(processors, " processors"), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
			defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
			inKernel, inObserve, inBLAS := 0, 0, 0
			for _, make0 := range withSettings {
				if _, ok := make0().(search.Strategy); ok {
					continue // tested within a search, below
				}
				f := &fuse{}
				e := small(make0())
				name := fmt.Sprintf("%T", e)
				if field := reflect.ValueOf(e).Elem().FieldByName("Kernel"); field.IsValid() && field.Type() == reflect.TypeFor[kernels.Kernel]() {
					field.Set(reflect.ValueOf(fused{f, kernels.RBF{Gamma: .5}}))
					if blown(t, name+", kernel", f, e) > 0 {
						inKernel++
					}
				}
				e = small(make0())
				if field := reflect.ValueOf(e).Elem().FieldByName("Observe"); field.IsValid() {
					field.Set(reflect.MakeFunc(field.Type(), func([]reflect.Value) []reflect.Value { f.call(); return nil }))
					if blown(t, name+", Observe", f, e) > 0 {
						inObserve++
					}
				}
				was := blas64.Implementation()
				blas64.Use(fusedBLAS{f, fast.Implementation()})
				times := blown(t, name+", BLAS", f, small(make0()))
				blas64.Use(was)
				if times > 0 {
					inBLAS++
				}
			}
			assert.GreaterOrEqual(t, inKernel, 10)
			assert.Greater(t, inObserve, 14)
			assert.Greater(t, inBLAS, 18)

			f := &fuse{}
			ours := &fusedRegressor{fuse: f}
			classes := &fusedClassifier{fuse: f}
			for name, e := range map[string]any{
				"a family":                             &selection.Regressor{Space: selection.Kernels[estimators.Regressor](nil, fusedFamily{fuse: f})},
				"a family of classes":                  &selection.Classifier{Space: selection.Kernels[estimators.Classifier](nil, fusedFamily{fuse: f})},
				"a family on a grid":                   &selection.Regressor{Space: selection.Kernels[estimators.Regressor](nil, fusedFamily{fuse: f}), Search: &grid.Search{Points: 3}},
				"candidates on a grid":                 &selection.Regressor{Space: selection.Candidates[estimators.Regressor](ours, &toy.Ridge{}), Search: &grid.Search{}},
				"candidates on a halving":              &selection.Classifier{Space: selection.Candidates[estimators.Classifier](classes, &toy.Centroid{}), Search: &grid.Halving{LeastRows: 8}},
				"a step before a search":               &selection.Regressor{Preprocess: []transformers.Transformer{&fusedStep{fuse: f}}},
				"a step of a pipeline":                 &pipeline.Regressor{Steps: []transformers.Transformer{&fusedStep{fuse: f}}, Final: &toy.Ridge{}},
				"the end of a pipeline":                &pipeline.Classifier{Final: classes},
				"the estimator of intervals":           &conformal.Regressor{Estimator: ours, Method: conformal.CrossValidation},
				"the estimator of sets":                &conformal.Classifier{Estimator: classes, Method: conformal.CrossValidation},
				"the estimator that is calibrated":     &calibration.Classifier{Estimator: classes},
				"a kernel on conjugate gradients":      &falkon.Regressor{Kernel: fused{f, kernels.RBF{Gamma: .5}}, Solver: falkon.ConjugateGradients, Components: 8},
				"a kernel of leverage scores":          &falkon.Regressor{Kernel: fused{f, kernels.RBF{Gamma: .5}}, Rule: falkon.LeverageScores, Components: 8},
				"a kernel of the logistic loss":        &falkon.Classifier{Kernel: fused{f, kernels.RBF{Gamma: .5}}, Ridge: .1, Loss: falkon.LogisticLoss},
				"a kernel that is part of another one": &falkon.Regressor{Kernel: kernels.Sum{fused{f, kernels.RBF{Gamma: .5}}, kernels.Linear{}}},
			} {
				assert.Positive(t, blown(t, name, f, e), name)
			}
		})
	}
}

// A panic in a stream, or in a kernel while the next rows are read, also becomes an error of the fit.
func TestPanicsOfStreams(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	x, y, _ := panicRows()
	n, _ := x.Dims()
	rows, kernel := &fuse{}, &fuse{}
	var blocks iter.Seq2[streaming.Block[float64], error] = func(yield func(streaming.Block[float64], error) bool) {
		for i := 0; i < n; i += 4 {
			rows.call()
			if !yield(streaming.Block[float64]{X: x.Slice(i, i+4, 0, 2).(*mat.Dense), Y: y[i : i+4]}, nil) {
				return
			}
		}
	}
	for _, solver := range []falkon.Solver{falkon.Direct, falkon.ConjugateGradients} {
		r := &falkon.Regressor{Kernel: fused{kernel, kernels.RBF{Gamma: .5}}, Solver: solver, Components: 8}
		for name, f := range map[string]*fuse{"stream": rows, "kernel": kernel} {
			f.light(0)
			require.NoError(t, r.FitBlocks(context.Background(), blocks))
			calls := f.calls.Load()
			require.Greater(t, calls, int64(5))
			want, err := r.Predict(x)
			require.NoError(t, err)
			for _, at := range []int64{1, 3, calls / 2, calls} {
				f.light(at)
				what := panics(func() { err = r.FitBlocks(context.Background(), blocks) })
				f.light(0)
				require.Empty(t, what, "%s, call %d of %d", name, at, calls)
				var p *estimators.PanicError
				require.ErrorAs(t, err, &p, "%s, call %d of %d", name, at, calls)
				assert.ErrorContains(t, err, "panics_test.go")
				got, err := r.Predict(x)
				require.NoError(t, err)
				assert.Equal(t, want, got)
			}
		}
	}
}
