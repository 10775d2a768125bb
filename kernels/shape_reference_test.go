package kernels

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/testkit/golden"
)

// referenceKernel is a kernel in the file of references.
type referenceKernel struct {
	Kind   string
	Base   string
	Of     []referenceKernel
	Groups []int
}

// build returns the kernel for d columns, and the names of its Params in the references, in order.
func (r referenceKernel) build(t *testing.T, d int) (k Differentiable, names []string) {
	ones := slices.Repeat([]float64{1}, d)
	numbered := func(name string, n int) {
		for i := range n {
			names = append(names, fmt.Sprintf("log_%s%d", name, i+1))
		}
	}
	stretched := func(inner Kernel) ARD {
		lengths := ones
		if r.Groups != nil {
			lengths = ones[:slices.Max(r.Groups)+1]
		}
		numbered("l", len(lengths))
		return ARD{Kernel: inner, Lengths: lengths, Groups: r.Groups}
	}
	of := map[string]Kernel{
		"rbf": RBFOfLength(1), "matern12": Matern{Nu: 0.5}, "matern32": Matern{Nu: 1.5}, "matern52": Matern{Nu: 2.5},
		"rq": RationalQuadratic{}, "laplacian": Laplacian{}, "linear": Linear{},
	}
	switch r.Kind {
	case "periodic":
		numbered("l", d)
		numbered("p", d)
		return Periodic{Lengths: ones, Periods: ones}, names
	case "additive":
		numbered("l", d)
		numbered("v", d)
		return Additive{Kernel: of[r.Base], Lengths: ones, Variances: ones}, names
	case "sum", "product":
		var parts []Kernel
		for i, inner := range r.Of {
			part, its := inner.build(t, d)
			for j, name := range its {
				its[j] = []string{"first.", "second."}[i] + name
			}
			if r.Kind == "sum" {
				parts, names = append(parts, Scaled{Kernel: part}), append(names, fmt.Sprintf("log_v%d", i+1))
			} else {
				parts = append(parts, part)
			}
			names = append(names, its...)
		}
		if r.Kind == "sum" {
			return Sum(parts), names
		}
		return Product(parts), names
	}
	require.Contains(t, of, r.Kind)
	k = stretched(of[r.Kind])
	if r.Kind == "rq" {
		names = append(names, "log_alpha")
	}
	return k, names
}

// at returns the kernel with parameters from the references, and the position of each of its Params among these.
func (r referenceKernel) at(t *testing.T, d int, params []string, theta []float64) (k Differentiable, place []int) {
	k, names := r.build(t, d)
	values := make([]float64, len(names))
	for i, name := range names {
		p := slices.Index(params, name)
		if p < 0 && d == 1 { // with a single column some names have no number
			p = slices.Index(params, name[:len(name)-1])
		}
		require.GreaterOrEqual(t, p, 0, "%s in %v", name, params)
		values[i], place = theta[p], append(place, p)
	}
	return WithLogParams(k, values).(Differentiable), place
}

// near asserts relative agreement, or absolute agreement if the numbers underflow.
func near(t *testing.T, want, got, scale float64, what ...any) {
	t.Helper()
	assert.InDelta(t, want, got, 1e-12*scale+1e-300, what...)
}

// Values and derivatives of single pairs equal the references.
func TestKernelDerivativesReference(t *testing.T) {
	var reference struct {
		Cases []struct {
			Name   string
			Kernel referenceKernel
			Params []string
			Theta  []float64
			Pairs  []struct {
				Pair string
				X, Z []float64
				K    float64
				DK   []float64
			}
		}
	}
	golden.Load(t, "kernel_derivatives.json", &reference)
	require.Len(t, reference.Cases, 13)
	for _, c := range reference.Cases {
		k, place := c.Kernel.at(t, 3, c.Params, c.Theta)
		require.Len(t, place, len(c.Params), c.Name)
		for _, p := range c.Pairs {
			what := c.Name + ": " + p.Pair
			near(t, p.K, k.Eval(p.X, p.Z), math.Abs(p.K), what)
			block := mat.NewDense(1, 1, nil)
			Block(block, k, mat.NewDense(1, 3, p.X), mat.NewDense(1, 3, p.Z))
			near(t, p.K, block.At(0, 0), math.Abs(p.K), what)
			got := make([]float64, len(place))
			k.EvalGradient(got, p.X, p.Z)
			largest := floats.Norm(p.DK, math.Inf(1))
			for i, v := range got {
				near(t, p.DK[place[i]], v, largest, "%s: %s", what, c.Params[place[i]])
			}
		}
	}
}

// Matrices equal the references, and so does the gradient of an objective. The objective is the log evidence of a least-squares
// machine with a free bias, for which W = (n aa'/Q - C⁻¹)/2.
func TestKernelMatricesReference(t *testing.T) {
	var reference struct {
		Cases []struct {
			Name     string
			Kernel   referenceKernel
			N, D     int
			X        [][]float64
			Y        []float64
			Weights  []float64
			Params   []string
			Theta    []float64
			K_rows   [][]float64
			Gradient []float64
		}
	}
	golden.Load(t, "kernel_matrices.json", &reference)
	require.Len(t, reference.Cases, 23)
	gradients := 0
	for _, c := range reference.Cases {
		k, place := c.Kernel.at(t, c.D, c.Params, c.Theta)
		x := golden.Dense(c.X)
		d, err := NewDerivatives(x, nil)
		require.NoError(t, err)
		var gram mat.SymDense
		require.NoError(t, d.MatrixTo(ctx, &gram, k))
		plain, err := Matrix(ctx, k, x, nil)
		require.NoError(t, err)
		for i, row := range c.K_rows {
			for j, want := range row {
				near(t, want, plain.At(i, j), math.Abs(want), c.Name)
				near(t, want, gram.At(i, j), math.Abs(want), c.Name)
			}
		}
		if c.Y == nil {
			continue
		}
		gradients++
		lambda := math.Exp(c.Theta[slices.Index(c.Params, "log_lambda")])
		got := make([]float64, len(place))
		require.NoError(t, d.Gradient(ctx, got, evidenceWeights(t, &gram, c.Y, c.Weights, lambda)))
		tolerance := 1e-9
		if lambda < 2e-6 {
			tolerance = 1e-7 // the condition number is 1e6
		}
		largest := floats.Norm(c.Gradient, math.Inf(1))
		for i, v := range got {
			assert.InDelta(t, c.Gradient[place[i]], v, tolerance*largest, "%s: %s", c.Name, c.Params[place[i]])
			if c.Gradient[place[i]] == 0 {
				assert.Zero(t, v, "%s: %s", c.Name, c.Params[place[i]])
			}
		}
	}
	assert.Equal(t, 21, gradients)
}

func evidenceWeights(t *testing.T, gram *mat.SymDense, y, weights []float64, lambda float64) *mat.SymDense {
	n := len(y)
	c := mat.NewSymDense(n, nil)
	c.CopySym(gram)
	for i := range n {
		noise := lambda
		if weights != nil {
			noise /= weights[i]
		}
		c.SetSym(i, i, c.At(i, i)+noise)
	}
	var factor mat.Cholesky
	require.True(t, factor.Factorize(c))
	inverse := mat.NewSymDense(n, nil)
	require.NoError(t, factor.InverseTo(inverse))
	ones := mat.NewVecDense(n, slices.Repeat([]float64{1}, n))
	var a, eta mat.VecDense
	require.NoError(t, factor.SolveVecTo(&a, mat.NewVecDense(n, y)))
	require.NoError(t, factor.SolveVecTo(&eta, ones))
	a.AddScaledVec(&a, -mat.Dot(&a, ones)/mat.Dot(&eta, ones), &eta)
	q := mat.Dot(&a, mat.NewVecDense(n, y))
	w := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			w.SetSym(i, j, (float64(n)*a.AtVec(i)*a.AtVec(j)/q-inverse.At(i, j))/2)
		}
	}
	return w
}
