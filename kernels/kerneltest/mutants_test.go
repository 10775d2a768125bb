package kerneltest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
)

// broken is an RBF in which some methods are replaced.
type broken struct {
	rbf     kernels.RBF
	ell     float64
	eval    func(x, z []float64) float64
	name    func() string
	valid   error
	diag    func(dst []float64, x *mat.Dense)
	blocks  func(dst, x, z *mat.Dense)
	density func(s *kernels.SpectralDensity)

	drawn, drawnDiag float64 // added to the values of the graphs

	params   func() []kernels.Param
	with     func(values []float64) kernels.Kernel
	gradient func(dst, x, z []float64)
}

// Params returns the length instead of the parameter γ = 1/(2ℓ²).
func (b broken) Params() []kernels.Param {
	if b.params != nil {
		return b.params()
	}
	return []kernels.Param{{Name: "length", Kind: kernels.KindLength, Value: b.length()}}
}

func (b broken) length() float64 {
	if b.ell != 0 {
		return b.ell
	}
	return math.Sqrt(0.5)
}

func (b broken) WithParams(values []float64) kernels.Kernel {
	if b.with != nil {
		return b.with(values)
	}
	b.ell, b.rbf = values[0], kernels.RBFOfLength(values[0])
	b.valid = kernels.Validate(b.rbf)
	return b
}

func (b broken) EvalGradient(dst, x, z []float64) {
	if b.gradient != nil {
		b.gradient(dst, x, z)
		return
	}
	b.rbf.EvalGradient(dst, x, z)
	dst[0] *= -2
}

func (b broken) Graph(x graph.Value, z *mat.Dense) (graph.Value, error) {
	v, err := kernels.Graph(b.rbf, x, z)
	return v.Plus(b.drawn), err
}

func (b broken) GraphDiag(x graph.Value) (graph.Value, error) {
	v, err := kernels.GraphDiag(b.rbf, x)
	return v.Plus(b.drawnDiag), err
}

func (b broken) Eval(x, z []float64) float64 {
	if b.eval != nil {
		return b.eval(x, z)
	}
	return b.rbf.Eval(x, z)
}

func (b broken) String() string {
	if b.name != nil {
		return b.name()
	}
	return "broken"
}

func (b broken) Validate() error { return b.valid }

func (b broken) Diag(dst []float64, x *mat.Dense) {
	if b.diag != nil {
		b.diag(dst, x)
		return
	}
	kernels.Diag(dst, b.rbf, x)
}

func (b broken) Block(dst, x, z *mat.Dense) {
	if b.blocks != nil {
		b.blocks(dst, x, z)
		return
	}
	kernels.Block(dst, b.rbf, x, z)
}

func (b broken) SpectralDensity() (kernels.SpectralDensity, error) {
	s, err := b.rbf.SpectralDensity()
	if b.density != nil {
		b.density(&s)
	}
	return s, err
}

// keeping has a length that all its copies share, like a kept slice.
type keeping struct{ length *float64 }

func (k keeping) value() float64               { return 1 + *k.length }
func (k keeping) Eval(x, z []float64) float64  { return kernels.RBFOfLength(k.value()).Eval(x, z) }
func (keeping) String() string                 { return "keeping" }
func (k keeping) Validate() error              { return kernels.Validate(kernels.RBFOfLength(k.value())) }
func (keeping) EvalGradient(_, _, _ []float64) {}
func (k keeping) Params() []kernels.Param {
	return []kernels.Param{{Name: "length", Kind: kernels.KindLength, Value: k.value()}}
}

func (k keeping) WithParams(values []float64) kernels.Kernel {
	*k.length = values[0] - 1
	return k
}

// lax has a Validate that checks nothing.
type lax struct{ Width float64 }

func (lax) Eval(x, z []float64) float64 { return kernels.RBF{}.Eval(x, z) }
func (lax) String() string              { return "lax" }
func (lax) Validate() error             { return nil }

// spoiling is the RBF, but overwrites the distances that it receives.
type spoiling struct{ of kernels.RBF }

func (s spoiling) Eval(x, z []float64) float64 { return s.of.Eval(x, z) }
func (spoiling) String() string                { return "spoiling" }
func (s spoiling) OfSquaredDistances(dst, squared []float64) {
	s.of.OfSquaredDistances(squared, squared)
	copy(dst, squared)
}

// turning is a Laplacian that claims to be a function of the Euclidean distance.
type turning struct{ of kernels.Laplacian }

func (k turning) Eval(x, z []float64) float64 { return k.of.Eval(x, z) }
func (turning) String() string                { return "turning" }
func (k turning) SpectralDensity() (kernels.SpectralDensity, error) {
	s, err := k.of.SpectralDensity()
	s.RotationInvariant = true
	return s, err
}

// after returns a function that computes the blocks of the RBF and then changes them.
func after(change func(dst, x, z *mat.Dense)) func(dst, x, z *mat.Dense) {
	return func(dst, x, z *mat.Dense) {
		kernels.Block(dst, kernels.RBF{}, x, z)
		change(dst, x, z)
	}
}

type brokenFamily struct {
	families.RBF
	at      func(v float64) kernels.Kernel
	start   func(x mat.Matrix) (float64, error)
	bounds  func() (lo, hi float64)
	integer bool
}

func (b brokenFamily) Kernel(v float64) kernels.Kernel {
	if b.at != nil {
		return b.at(v)
	}
	return b.RBF.Kernel(v)
}

func (b brokenFamily) Start(ctx context.Context, x mat.Matrix) (float64, error) {
	if b.start != nil {
		return b.start(x)
	}
	return b.RBF.Start(ctx, x)
}

func (b brokenFamily) Bounds() (lo, hi float64) {
	if b.bounds != nil {
		return b.bounds()
	}
	return b.RBF.Bounds()
}

func (b brokenFamily) Integer() bool { return b.integer }

// mutants returns, for each check, kernels or families for which it must fail, and a part of the message.
func mutants() map[string]map[string]any {
	rbf := kernels.RBF{}
	first := func(m *mat.Dense) float64 { return m.At(0, 0) }
	var calls atomic.Int64
	return map[string]map[string]any{
		"valid": {
			"no parameter": broken{valid: errors.New("no parameter")},
			"is empty":     broken{name: func() string { return "" }},
			"and then":     broken{name: func() string { return fmt.Sprint(calls.Add(1)) }},
			"Width = NaN":  lax{},
		},
		"formula": {"want": kernels.RBF{Gamma: 1.0001}},
		"symmetric": {"the other way round": broken{eval: func(x, z []float64) float64 {
			return rbf.Eval(x, z) + 1e-9*x[0]
		}}},
		"finite": {
			"Diag of":  broken{diag: func(dst []float64, _ *mat.Dense) { dst[0] = math.NaN() }},
			"Eval(":    broken{eval: func(x, z []float64) float64 { return rbf.Eval(x, z) * x[0] / x[0] }},
			"Block of": broken{blocks: after(func(dst, _, _ *mat.Dense) { dst.Set(1, 1, math.Inf(1)) })},
		},
		"positive-semi-definite": {
			"has the eigenvalue": kernels.Tanh{},
			"is NaN": broken{blocks: after(func(dst, _, _ *mat.Dense) {
				dst.Set(0, 0, math.NaN())
			}), diag: func(dst []float64, _ *mat.Dense) {
				for i := range dst {
					dst[i] = math.NaN()
				}
			}},
		},
		"diagonal": {"Diag of": broken{diag: func(dst []float64, _ *mat.Dense) {
			for i := range dst {
				dst[i] = 1 + 1e-9
			}
		}}},
		"block-equals-eval": {
			"Block: element [0,0] of 1×1": broken{blocks: after(func(dst, _, _ *mat.Dense) { dst.Set(0, 0, first(dst)+1e-9) })},
			"of 7×1": broken{blocks: func(dst, x, z *mat.Dense) {
				r, c := dst.Dims()
				var t mat.Dense
				t.ReuseAs(c, r)
				kernels.Block(&t, rbf, z, x)
				copy(dst.RawMatrix().Data, t.RawMatrix().Data) // correct for one row only
				if r > 1 {
					dst.Set(0, 0, 7)
				}
			}},
			"Block of views": broken{blocks: func(dst, x, z *mat.Dense) {
				kernels.Block(dst, rbf, x, z)
				r, c := dst.Dims()
				if raw := x.RawMatrix(); raw.Stride != raw.Cols { // ignores the stride
					kernels.Block(dst, rbf, mat.NewDense(r, raw.Cols, raw.Data[:r*raw.Cols]), z.Slice(0, c, 0, raw.Cols).(*mat.Dense))
				}
			}},
		},
		"matrix-equals-eval": {"kernels.Cross": broken{blocks: after(func(dst, _, _ *mat.Dense) {
			if r, c := dst.Dims(); c == 71 { // the shape that Cross uses and Matrix does not
				dst.Set(r-1, 0, 7)
			}
		})}},
		"workers": {"give different bits": broken{blocks: after(func(dst, _, _ *mat.Dense) {
			dst.Set(0, 0, first(dst)+1e-15*float64(calls.Add(1)))
		})}},
		"shared": {"differs for RBF": spoiling{}},
		"graph": {
			"Graph: element [0,0]": broken{drawn: 1},
			"GraphDiag: element 0": broken{drawnDiag: 1},
		},
		"spectral-density": {
			"the mean cosine": broken{density: func(s *kernels.SpectralDensity) { *s, _ = kernels.RBF{Gamma: 1.5}.SpectralDensity() }},
			"the variance is": broken{density: func(s *kernels.SpectralDensity) { s.Variance = 2 }},
			"Eval, turned":    turning{},
		},
		"parameters": {
			"two parameters are named": broken{params: func() []kernels.Param {
				return slices.Repeat([]kernels.Param{{Name: "length", Value: 1}}, 2)
			}, with: func([]float64) kernels.Kernel { return broken{} }},
			"the parameter length is 0": broken{params: func() []kernels.Param { return []kernels.Param{{Name: "length"}} }},
			"WithParams of the values of Params is RBF": broken{with: func(values []float64) kernels.Kernel {
				return kernels.RBFOfLength(values[0])
			}},
			"after WithParams the parameter length": broken{with: func([]float64) kernels.Kernel { return broken{} }},
			"changed the kernel":                    keeping{new(float64)},
			"accepts length = 0": broken{with: func(values []float64) kernels.Kernel {
				return broken{ell: cmp.Or(values[0], 1), rbf: kernels.RBFOfLength(cmp.Or(values[0], 1))}
			}},
		},
		"derivatives": {
			"by differences of Eval": broken{gradient: func(dst, x, z []float64) {
				rbf.EvalGradient(dst, x, z)
				dst[0] *= -2.00001
			}},
			"the sum of EvalGradient": broken{gradient: func(dst, x, z []float64) {
				rbf.EvalGradient(dst, x, z)
				dst[0] *= -2 - 1e-7*math.Abs(math.Sin(float64(calls.Add(1))))
			}},
		},
		"units": {"in another unit": broken{with: func(values []float64) kernels.Kernel {
			return broken{rbf: kernels.RBFOfLength(1.00001 * values[0])}
		}}},
		"inputs-unmodified": {"wrote to its rows": broken{blocks: after(func(_, x, _ *mat.Dense) { x.Set(0, 0, 1) })}},
		"concurrent": {"during concurrent calls": broken{eval: func(x, z []float64) float64 {
			return rbf.Eval(x, z) + float64(calls.Add(1))
		}}, "panic: oh": broken{blocks: func(_, _, _ *mat.Dense) { panic("oh") }}},
		"lengths": {"rows of 2 and 3 does not panic: begin it with if len(x) != len(z)": broken{eval: func(_, _ []float64) float64 { return 1 }}},

		"bounds": {
			"Bounds are":                       brokenFamily{bounds: func() (float64, float64) { return 0, 1 }},
			"Start on equal rows: no distance": brokenFamily{start: equal(math.NaN(), errors.New("no distance"))},
			"Start on equal rows is +Inf":      brokenFamily{start: equal(math.Inf(1), nil)},
		},
		"start-not-finite": {"Start on a NaN is NaN": brokenFamily{start: func(x mat.Matrix) (float64, error) { return x.At(2, 1), nil }}},
		"members": {
			"Gamma = -": brokenFamily{at: func(v float64) kernels.Kernel { return kernels.RBF{Gamma: -v} }},
			"has the eigenvalue": brokenFamily{at: func(v float64) kernels.Kernel {
				return kernels.Tanh{Gamma: v}
			}, bounds: func() (float64, float64) { return 0.1, 2 }},
		},
		"distinct": {
			"are both": brokenFamily{at: func(float64) kernels.Kernel { return kernels.RBF{} }},
			"and then": brokenFamily{at: func(float64) kernels.Kernel { return broken{name: func() string { return fmt.Sprint(calls.Add(1)) }} }},
		},
		"integer": {
			"reports integer parameters": brokenFamily{integer: true},
			"parameters are not rounded": brokenFamily{at: func(v float64) kernels.Kernel { return kernels.RBF{Gamma: math.Ceil(v - 0.5)} }},
		},
	}
}

func equal(v float64, err error) func(x mat.Matrix) (float64, error) {
	return func(x mat.Matrix) (float64, error) {
		if r, _ := x.Dims(); r == 5 {
			return v, err
		}
		return families.RBF{}.Start(context.Background(), x)
	}
}

func subjectOf(v any) *subject {
	s := &subject{Options: Options{Tolerance: defaultTolerance, Formula: kernels.RBF{}.Eval}}
	switch v := v.(type) {
	case families.Family:
		s.kind, s.family = family, v
	case kernels.Kernel:
		s.kind, s.kernel = kernel, v
	}
	return s
}

// TestEveryCheckCanFail tests the suite itself: each check fails for its broken types, with the right message.
func TestEveryCheckCanFail(t *testing.T) {
	all := mutants()
	for _, c := range checks {
		assert.NotEmpty(t, all[c.name], "no mutant shows that %s can fail", c.name)
		for says, m := range all[c.name] {
			s := subjectOf(m)
			assert.Equal(t, c.kind, s.kind, "%s: %s", c.name, says)
			v := s.judge(c)
			assert.Contains(t, strings.Join(v.Failures, "\n"), says, "%s fails for another reason", c.name)
		}
		delete(all, c.name)
	}
	assert.Empty(t, all, "mutants of checks that do not exist")
}

// Without a mutation everything passes, so the failures above are caused by the mutations.
func TestBrokenTypesWithNothingBroken(t *testing.T) {
	for _, v := range []any{broken{}, brokenFamily{}} {
		s := subjectOf(v)
		for _, c := range checks {
			if c.kind == s.kind {
				assert.Equal(t, "", strings.Join(s.judge(c).Failures, "\n")+s.judge(c).Skipped, c.name)
			}
		}
	}
}

// Checks of missing capabilities are skipped with a reason, and Options.Skip skips a check.
func TestSkips(t *testing.T) {
	type bare struct{ kernels.Kernel }
	s := &subject{kind: kernel, kernel: bare{kernels.RBF{}}, Options: Options{
		Tolerance: defaultTolerance, Indefinite: true, Skip: map[string]string{"lengths": "is skipped by this test"},
	}}
	got := map[string]string{}
	for _, c := range checks {
		if c.kind != kernel {
			continue
		}
		v := s.judge(c)
		assert.Empty(t, v.Failures, c.name)
		if v.Skipped != "" {
			got[c.name] = v.Skipped
		}
	}
	assert.Equal(t, map[string]string{
		"formula": "has no Options.Formula to compare with", "positive-semi-definite": "does not claim it",
		"graph": "has no Graph", "spectral-density": "has no SpectralDensity", "parameters": "is not Differentiable", "derivatives": "is not Differentiable", "units": "is not Differentiable", "lengths": "is skipped by this test",
	}, got)
}

func TestTableAndChecks(t *testing.T) {
	table := &Table{}
	Kernel(t, kernels.Linear{}, &Options{Table: table})
	Family(t, families.RBF{}, &Options{Table: table})
	assert.Equal(t, []string{"Linear", "RBF family"}, table.Types())
	for i, c := range Checks() {
		assert.Contains(t, table.String(), fmt.Sprintf("%4d %s\n", i+1, c.Name))
		assert.True(t, strings.HasSuffix(c.Doc, "."), "%s: the description is a sentence", c.Name)
		assert.Contains(t, []string{"kernels", "families"}, c.On)
	}
}
