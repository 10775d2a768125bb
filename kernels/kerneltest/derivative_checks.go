package kerneltest

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/conformance"
	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/kernels"
)

// differentiable returns the kernel as a Differentiable, or skips the check.
func (s *subject) differentiable(p *conformance.Probe) kernels.Differentiable {
	if _, ok := embedding.As[kernels.Differentiable](s.kernel); !ok {
		p.Skip("is not Differentiable")
	}
	k, err := kernels.AsDifferentiable(s.kernel)
	p.Must("kernels.AsDifferentiable", err)
	if len(k.Params()) == 0 {
		p.Skip("has no parameters to learn")
	}
	return k
}

func valuesOf(params []kernels.Param) []float64 {
	out := make([]float64, len(params))
	for i, q := range params {
		out[i] = q.Value
	}
	return out
}

func checkParameters(p *conformance.Probe, s *subject) {
	k := s.differentiable(p)
	params := k.Params()
	values := valuesOf(params)
	seen := map[string]bool{}
	for _, q := range params {
		if q.Name == "" || seen[q.Name] {
			p.Errorf("two parameters are named %q", q.Name)
		}
		seen[q.Name] = true
		if !(q.Value > 0) || math.IsInf(q.Value, 1) {
			p.Errorf("the parameter %s is %v", q.Name, q.Value)
		}
	}
	if got := k.WithParams(values); reflect.TypeOf(got) != reflect.TypeOf(k) || got.String() != k.String() {
		p.Fatalf("WithParams of the values of Params is %v, want %v", got, k)
	}
	others := slices.Clone(values)
	for i := range others {
		others[i] *= 1.25 + float64(i)/16
	}
	want := slices.Clone(others)
	changed := k.WithParams(others).(kernels.Differentiable)
	clear(others)
	for i, q := range changed.Params() {
		if q.Name != params[i].Name || q.Value != want[i] {
			p.Errorf("after WithParams the parameter %s = %v is %s = %v", params[i].Name, want[i], q.Name, q.Value)
		}
	}
	if !slices.Equal(valuesOf(k.Params()), values) {
		p.Errorf("WithParams changed the kernel that it was called on")
	}
	for i, q := range params {
		for _, bad := range []float64{0, -1, math.NaN()} {
			wrong := slices.Clone(values)
			wrong[i] = bad
			if kernels.Validate(k.WithParams(wrong)) == nil {
				p.Errorf("Validate accepts %s = %v", q.Name, bad)
			}
		}
	}
}

// checkDerivatives uses fourth-order differences with steps of 1e-3, whose error is about 1e-10.
func checkDerivatives(p *conformance.Probe, s *subject) {
	k := s.differentiable(p)
	theta := kernels.LogParams(k)
	x := s.rows(30, 3, 1)
	x.SetRow(1, x.RawRowView(0))
	got, want := make([]float64, len(theta)), make([]float64, len(theta))
	for i := range 30 {
		a, b := x.RawRowView(i), x.RawRowView((i*i+1)%30)
		k.EvalGradient(got, a, b)
		for q := range theta {
			want[q] = 0
			for _, d := range []struct{ step, weight float64 }{{1e-3, 8}, {-1e-3, -8}, {2e-3, -1}, {-2e-3, 1}} {
				at := slices.Clone(theta)
				at[q] += d.step
				want[q] += d.weight / 12e-3 * kernels.WithLogParams(k, at).Eval(a, b)
			}
		}
		scale := math.Max(floats.Norm(want, math.Inf(1)), math.Abs(k.Eval(a, b))*1e-3)
		for q, v := range got {
			if !(math.Abs(v-want[q]) <= 1e-6*scale) {
				p.Fatalf("EvalGradient(%v, %v): %s is %v, by differences of Eval %v", a, b, k.Params()[q].Name, v, want[q])
			}
		}
	}
	s.checkGradient(p, k)
}

// checkGradient checks that the derivatives of a weighted sum over a matrix that is larger than a block equal the sum over its
// pairs.
func (s *subject) checkGradient(p *conformance.Probe, k kernels.Differentiable) {
	const n = 141
	x := s.rows(n, 3, 1)
	numbers := rows(n, n, 2)
	w := mat.NewSymDense(n, nil)
	sum, size, pair := make([]float64, len(k.Params())), make([]float64, len(k.Params())), make([]float64, len(k.Params()))
	for i := range n {
		for j := range i + 1 {
			v := numbers.At(i, j)
			if j%8 != i*i%8 {
				continue // some of the pairs are sufficient
			}
			w.SetSym(i, j, v)
			if i != j {
				v *= 2
			}
			k.EvalGradient(pair, x.RawRowView(i), x.RawRowView(j))
			for q, g := range pair {
				sum[q] += v * g
				size[q] += math.Abs(v * g)
			}
		}
	}
	one := s.gradient(p, k, x, w, 1)
	for q, v := range one {
		if !(math.Abs(v-sum[q]) <= 10*s.Tolerance*math.Max(1, size[q])) {
			p.Errorf("Derivatives.Gradient: %s is %v, the sum of EvalGradient %v", k.Params()[q].Name, v, sum[q])
		}
	}
	if !slices.Equal(one, s.gradient(p, k, x, w, 3)) {
		p.Errorf("Derivatives.Gradient differs between three workers and one")
	}
}

func (s *subject) gradient(p *conformance.Probe, k kernels.Differentiable, x *mat.Dense, w *mat.SymDense, workers int) []float64 {
	d, err := kernels.NewDerivatives(x, &kernels.Options{Workers: workers})
	p.Must("kernels.NewDerivatives", err)
	var gram mat.SymDense
	p.Must("Derivatives.MatrixTo", d.MatrixTo(context.Background(), &gram, k))
	want, err := kernels.Matrix(context.Background(), k, x, nil)
	p.Must("kernels.Matrix", err)
	if !mat.EqualApprox(&gram, want, s.Tolerance) {
		p.Errorf("Derivatives.MatrixTo differs from kernels.Matrix")
	}
	dst := make([]float64, len(k.Params()))
	p.Must("Derivatives.Gradient", d.Gradient(context.Background(), dst, w))
	return dst
}

// checkUnits checks that the kernel values stay the same if the unit of some columns changes, together with all their lengths and
// periods.
func checkUnits(p *conformance.Probe, s *subject) {
	k := s.differentiable(p)
	params := k.Params()
	if slices.ContainsFunc(params, func(q kernels.Param) bool { return q.Kind == kernels.KindRate }) {
		p.Skip("has a rate, but not the information whether it multiplies a distance or its square")
	}
	if !slices.ContainsFunc(params, func(q kernels.Param) bool { return inUnits(q) }) {
		p.Skip("has no length and no period")
	}
	x := s.rows(12, 3, 1)
	_, d := x.Dims()
	const unit = 8 // a power of two, so that division is exact
	for q, first := range params {
		if !inUnits(first) {
			continue
		}
		columns := closure(params, q, d)
		values, scaled := valuesOf(params), mat.DenseCopyOf(x)
		for i, r := range params {
			if inUnits(r) && overlap(r, columns, d) {
				values[i] *= unit
			}
		}
		for i := range 12 {
			for j := range d {
				if columns[j] {
					scaled.Set(i, j, unit*x.At(i, j))
				}
			}
		}
		other := k.WithParams(values)
		for i := range 12 {
			for j := range 12 {
				what := fmt.Sprintf("Eval of rows %d and %d, with %s and its columns in another unit,", i, j, first.Name)
				s.same(p, what, other.Eval(scaled.RawRowView(i), scaled.RawRowView(j)), k.Eval(x.RawRowView(i), x.RawRowView(j)))
			}
		}
	}
}

func inUnits(q kernels.Param) bool {
	return q.Kind == kernels.KindLength || q.Kind == kernels.KindPeriod
}

// closure returns the columns whose unit changes together with those of a parameter. It includes all columns that share another
// parameter with one of them.
func closure(params []kernels.Param, q, d int) []bool {
	columns := make([]bool, d)
	for j := range d {
		columns[j] = params[q].Columns == nil || slices.Contains(params[q].Columns, j)
	}
	for grown := true; grown; {
		grown = false
		for _, r := range params {
			if !inUnits(r) || !overlap(r, columns, d) {
				continue
			}
			for j := range d {
				if !columns[j] && (r.Columns == nil || slices.Contains(r.Columns, j)) {
					columns[j], grown = true, true
				}
			}
		}
	}
	return columns
}

func overlap(q kernels.Param, columns []bool, d int) bool {
	for j := range d {
		if columns[j] && (q.Columns == nil || slices.Contains(q.Columns, j)) {
			return true
		}
	}
	return false
}
