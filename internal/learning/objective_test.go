package learning

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
)

// described is a kernel as the reference files describe it.
type described struct {
	Kind   string
	Base   string
	Of     []described
	Groups []int
}

// kernel returns the kernel for d columns with all parameters 1. Its parameters are in the order of the files, except for the
// factors of a sum, which come last in the files.
func (k described) kernel(d int) kernels.Differentiable {
	ones := func() []float64 {
		out := make([]float64, d)
		for j := range out {
			out[j] = 1
		}
		return out
	}
	column := func(of kernels.Kernel) kernels.Differentiable {
		lengths := ones()
		if k.Groups != nil {
			lengths = lengths[:slices.Max(k.Groups)+1]
		}
		return kernels.ARD{Kernel: of, Lengths: lengths, Groups: k.Groups}
	}
	switch k.Kind {
	case "rbf":
		return column(kernels.RBF{Gamma: .5})
	case "matern12":
		return column(kernels.Matern{Nu: .5})
	case "matern32":
		return column(kernels.Matern{Nu: 1.5})
	case "matern52":
		return column(kernels.Matern{Nu: 2.5})
	case "rq":
		return column(kernels.RationalQuadratic{})
	case "laplacian":
		return column(kernels.Laplacian{})
	case "linear":
		return column(kernels.Linear{})
	case "periodic":
		return kernels.Periodic{Lengths: ones(), Periods: ones()}
	case "additive":
		base := map[string]kernels.Kernel{"rbf": kernels.RBF{Gamma: .5}, "matern32": kernels.Matern{Nu: 1.5}, "matern52": kernels.Matern{Nu: 2.5}}[k.Base]
		return kernels.Additive{Kernel: base, Lengths: ones(), Variances: ones()}
	case "sum":
		var out kernels.Sum
		for _, part := range k.Of {
			out = append(out, kernels.Scaled{Kernel: part.kernel(d)})
		}
		return out
	case "product":
		var out kernels.Product
		for _, part := range k.Of {
			out = append(out, part.kernel(d))
		}
		return out
	}
	return nil
}

// order returns the position in the file of each parameter of a kernel. The orders differ only for the factors of a sum, which come
// last in the file.
func (k described) order(of kernels.Differentiable) []int {
	params := of.Params()
	out := make([]int, len(params))
	next, factors := 0, len(params)-len(k.Of)
	for i, p := range params {
		if k.Kind == "sum" && strings.HasSuffix(p.Name, ".factor") {
			out[i] = factors
			factors++
			continue
		}
		out[i] = next
		next++
	}
	return out
}

type reference struct {
	Name    string
	Kernel  described
	X       [][]float64
	Y       json.RawMessage
	Classes []int
	Weights []float64
	Theta   []float64
	Start   []float64
	Params  []string

	Objectives map[string]struct {
		Value float64
		Grad  []float64
	}
	LooLogistic struct {
		LogT     float64 `json:"log_t"`
		Value    float64
		Grad     []float64
		GradLogT float64 `json:"grad_log_t"`
	} `json:"loo_logistic"`
	Optima map[string]struct {
		Value     float64
		Theta     []float64
		AtBound   []string `json:"at_bound"`
		FromStart float64  `json:"from_start"`
	}
}

func references(t *testing.T, name string) []reference {
	data, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	var file struct{ Cases []reference }
	require.NoError(t, json.Unmarshal(data, &file))
	return file.Cases
}

func dense(rows [][]float64) *mat.Dense {
	out := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		out.SetRow(i, row)
	}
	return out
}

// targets returns the targets of a case: one or two columns, or the indicators of classes.
func (r reference) targets(t *testing.T) Targets {
	var one []float64
	var more [][]float64
	switch {
	case r.Y == nil:
		k := slices.Max(r.Classes) + 1
		y := mat.NewDense(len(r.X), k, nil)
		for i, c := range r.Classes {
			y.Set(i, c, 1)
		}
		return Targets{Y: y, Outputs: k - 1}
	case json.Unmarshal(r.Y, &one) == nil:
		return Targets{Y: mat.NewDense(len(one), 1, one), Weights: r.Weights, Outputs: 1}
	}
	require.NoError(t, json.Unmarshal(r.Y, &more))
	// One list per output.
	return Targets{Y: mat.DenseCopyOf(dense(more).T()), Weights: r.Weights, Outputs: len(more)}
}

func (r reference) problem(t *testing.T, kind Kind) *Problem {
	x := dense(r.X)
	_, d := x.Dims()
	k := r.Kernel.kernel(d)
	b, err := NewBlock(x, r.targets(t), nil)
	require.NoError(t, err)
	return &Problem{Kind: kind, Kernel: k, Blocks: []*Block{b}, MaxIterations: 300, Tolerance: 1e-9, Bounds: DefaultBounds(k)}
}

var kinds = map[string]Kind{
	"evidence": Full, "evidence_restricted": Restricted, "loo_mse": LeaveOneOut, "loo_lpd": Density,
	"evidence_fixed_sigma2": Given, "evidence_zero_mean": ZeroMean,
}

// Values and gradients agree with the reference files, which were computed with 60 digits.
func TestObjectives(t *testing.T) {
	compared := 0
	for _, file := range []string{"objectives.json", "objectives_special.json"} {
		for _, c := range references(t, file) {
			for name, want := range c.Objectives {
				kind, ok := kinds[name]
				require.True(t, ok, name)
				p := c.problem(t, kind)
				theta := slices.Clone(c.Theta)
				if kind != Given {
					theta = theta[:len(theta)-1]
				}
				tolerance := 1e-9
				if c.Name == "noisefree_matern52_12x1" {
					tolerance = 1e-7 // condition number 1e6
				}
				sign := 1.0
				if kind == LeaveOneOut {
					sign = -1 // the file contains the error, not minus the error
				}
				theirs := slices.Clone(theta)
				order := c.Kernel.order(p.Kernel)
				for i, at := range order {
					theta[i] = theirs[at]
				}
				found := make([]float64, len(theta))
				f, err := p.Value(context.Background(), theta, found)
				require.NoError(t, err)
				gradient := slices.Clone(found)
				for i, at := range order {
					gradient[at] = found[i]
				}
				assert.InDelta(t, want.Value, sign*f, tolerance*max(1, math.Abs(want.Value)), "%s %s", c.Name, name)
				largest := 0.0
				for _, g := range want.Grad {
					largest = max(largest, math.Abs(g))
				}
				for j, g := range gradient {
					assert.InDelta(t, want.Grad[j], sign*g, tolerance*largest, "%s %s %s", c.Name, name, c.Params[min(j, len(c.Params)-1)])
				}
				value, err := p.Value(context.Background(), theta, nil)
				require.NoError(t, err)
				assert.Equal(t, f, value, "without a gradient")
				compared++
			}
		}
	}
	t.Log(compared, "objectives")
	assert.GreaterOrEqual(t, compared, 95)
}

// Values at several ridges agree with those at each ridge alone.
func TestRidges(t *testing.T) {
	for _, c := range references(t, "objectives.json")[:4] {
		for _, kind := range []Kind{Restricted, LeaveOneOut} {
			p := c.problem(t, kind)
			p.Likelihood = true
			theta := slices.Clone(c.Theta[:len(c.Theta)-1])
			ridges := []float64{1e-3, .1, 2}
			got, err := p.AtRidges(context.Background(), theta, ridges)
			require.NoError(t, err)
			for i, v := range ridges {
				theta[len(theta)-1] = math.Log(v)
				want, err := p.Value(context.Background(), theta, nil)
				require.NoError(t, err)
				assert.Equal(t, want, got[i], c.Name)
			}
			assert.NotEqual(t, got[0], got[1])
		}
	}
}

// The logistic loss agrees with the reference file for two classes, including the learnt slope.
func TestLogistic(t *testing.T) {
	compared := 0
	for _, c := range references(t, "objectives_special.json") {
		want := c.LooLogistic
		if want.Grad == nil {
			continue
		}
		p := c.problem(t, Logistic)
		theta := slices.Clone(c.Theta)
		theta[len(theta)-1] = want.LogT
		gradient := make([]float64, len(theta))
		f, err := p.Value(context.Background(), theta, gradient)
		require.NoError(t, err)
		assert.InEpsilon(t, want.Value, -f, 1e-9)
		for j, g := range append(slices.Clone(want.Grad), want.GradLogT) {
			assert.InDelta(t, g, -gradient[j], 1e-10)
		}
		compared++
	}
	assert.Equal(t, 1, compared)
}

// A climb from the initial parameters in the files reaches the optimum in the files.
func TestOptima(t *testing.T) {
	for _, c := range references(t, "optimum.json") {
		for name, want := range c.Optima {
			kind, prior := kinds[name], (*Prior)(nil)
			if name == "evidence_restricted_prior" {
				kind = Restricted
				prior = &Prior{Centre: make([]float64, len(c.Start)), Nu: 3, Tau: .5}
				for j, p := range c.Params {
					prior.Centre[j] = math.NaN()
					if p != "log_lambda" && p != "log_alpha" {
						prior.Centre[j] = c.Start[j]
					}
				}
			}
			p := c.problem(t, kind)
			p.Prior = prior
			for j, name := range c.Params { // the bounds in the file
				p.Bounds.Low[j], p.Bounds.High[j] = -3, 7
				switch name {
				case "log_alpha":
					p.Bounds.High[j] = 6
				case "log_lambda":
					p.Bounds.Low[j], p.Bounds.High[j] = -14, 4
				}
			}
			out, err := p.Improve(context.Background(), c.Start)
			require.NoError(t, err)
			sign := 1.0
			if kind == LeaveOneOut {
				sign = -1
			}
			t.Logf("%s %s: %v for %v (from the start %v)", c.Name, name, sign*out.F, want.Value, want.FromStart)
			closest := min(math.Abs(want.Value-sign*out.F), math.Abs(want.FromStart-sign*out.F))
			assert.LessOrEqual(t, closest, 1e-4, "%s %s", c.Name, name)
			if prior != nil {
				assert.InDelta(t, want.FromStart, out.F, 1e-4, "%s %s", c.Name, name)
				for j, v := range want.Theta {
					if !slices.Contains(want.AtBound, c.Params[j]) {
						assert.InDelta(t, v, out.Theta[j], 1e-3, "%s %s", c.Name, c.Params[j])
					}
				}
			}
		}
	}
}
