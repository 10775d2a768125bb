package minimize

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/optimize"

	"github.com/kernelearn/kernelearn/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// broken is a BLAS that panics in a function that BFGS calls after its first step.
type broken struct{ blas.Float64 }

func (broken) Dsymv(blas.Uplo, int, float64, []float64, int, []float64, int, float64, []float64, int) {
	panic("no such product")
}

func rosenbrock(x []float64) float64 {
	a, b := 1-x[0], x[1]-x[0]*x[0]
	return a*a + 100*b*b
}

func slope(g, x []float64) {
	b := x[1] - x[0]*x[0]
	g[0], g[1] = -2*(1-x[0])-400*x[0]*b, 200*b
}

// Run finds gonum's minimum. A panic of the function, its gradient or the method's BLAS, on gonum's goroutines, is an error.
func TestRun(t *testing.T) {
	start := []float64{-1.2, 1}
	for _, method := range []func() Method{func() Method { return &optimize.BFGS{} }, func() Method { return &optimize.LBFGS{} }} {
		result, err := Run(rosenbrock, slope, nil, start, nil, method())
		require.NoError(t, err)
		assert.InDeltaSlice(t, []float64{1, 1}, result.X, 1e-4)

		for at := range 5 {
			left := at
			_, err = Run(func(x []float64) float64 {
				if left--; left < 0 {
					panic("oh")
				}
				return rosenbrock(x)
			}, slope, nil, start, nil, method())
			assert.ErrorContains(t, err, "minimize_test.go")
			left = at
			_, err = Run(rosenbrock, func(g, x []float64) {
				if left--; left < 0 {
					panic("oh")
				}
				slope(g, x)
			}, nil, start, nil, method())
			assert.ErrorContains(t, err, "minimize_test.go")
		}
		enough := errors.New("enough")
		calls := 0
		_, err = Run(func(x []float64) float64 { calls++; return rosenbrock(x) }, slope, func() error {
			if calls > 3 {
				return enough
			}
			return nil
		}, start, nil, method())
		require.NoError(t, err)
		assert.Less(t, calls, 10)
	}
	was := blas64.Implementation()
	defer blas64.Use(was)
	blas64.Use(broken{was})
	_, err := Run(rosenbrock, slope, nil, start, nil, &optimize.BFGS{})
	var p *fault.PanicError
	require.ErrorAs(t, err, &p)
	assert.Equal(t, "no such product", p.Value)
}
