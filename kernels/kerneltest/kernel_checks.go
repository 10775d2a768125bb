package kerneltest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/conformance"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/kernels"
)

// rows returns n rows of d standard normal numbers, which depend on the seed.
func rows(n, d int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 0x6b65726e656c)) // the stream "kernel"
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
		}
	}
	return x
}

// width returns the number of columns for a check that would use d columns.
func (s *subject) width(d int) int {
	if s.Columns > 0 {
		return s.Columns
	}
	return d
}

// rows returns rows like the function rows, with the width for the check.
func (s *subject) rows(n, d int, seed uint64) *mat.Dense { return rows(n, s.width(d), seed) }

// same fails unless two computations of the same value agree.
func (s *subject) same(p *conformance.Probe, what string, got, want float64) {
	if !(math.Abs(got-want) <= s.Tolerance*math.Max(1, math.Abs(want))) {
		p.Fatalf("%s is %v, want %v", what, got, want)
	}
}

func checkValid(p *conformance.Probe, s *subject) {
	p.Must("Validate", kernels.Validate(s.kernel))
	switch name := s.kernel.String(); {
	case name == "":
		p.Errorf("String is empty: models store it, and errors name the kernel by it")
	case s.kernel.String() != name:
		p.Errorf("String is %q and then %q", name, s.kernel.String())
	}
	v := reflect.ValueOf(s.kernel)
	if _, ok := s.kernel.(kernels.Validator); !ok || v.Kind() != reflect.Struct {
		return
	}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if !field.IsExported() || field.Type.Kind() != reflect.Float64 {
			continue
		}
		for _, bad := range []float64{math.NaN(), math.Inf(1)} {
			changed := reflect.New(v.Type()).Elem()
			changed.Set(v)
			changed.Field(i).SetFloat(bad)
			if kernels.Validate(changed.Interface().(kernels.Kernel)) == nil {
				p.Errorf("Validate accepts %s = %v", field.Name, bad)
			}
		}
	}
}

func checkFormula(p *conformance.Probe, s *subject) {
	if s.Formula == nil {
		p.Skip("has no Options.Formula to compare with")
	}
	for _, d := range []int{1, 3, 8} {
		x := s.rows(12, d, 1)
		for i := range 12 {
			for j := range 12 {
				a, b := x.RawRowView(i), x.RawRowView(j)
				s.same(p, fmt.Sprintf("Eval(%v, %v)", a, b), s.kernel.Eval(a, b), s.Formula(a, b))
			}
		}
	}
}

func checkSymmetric(p *conformance.Probe, s *subject) {
	x, z := s.rows(20, 4, 1), s.rows(20, 4, 2)
	for i := range 20 {
		a, b := x.RawRowView(i), z.RawRowView(i)
		s.same(p, fmt.Sprintf("Eval(%v, %v), the other way round,", a, b), s.kernel.Eval(b, a), s.kernel.Eval(a, b))
	}
}

// odd returns rows that are difficult for formulas: zeros, equal values, repeated and nearly repeated rows, and large rows.
func (s *subject) odd() *mat.Dense {
	x := s.rows(24, 4, 3)
	_, d := x.Dims()
	x.SetRow(0, make([]float64, d))
	x.SetRow(1, slices.Repeat([]float64{2}, d))
	x.SetRow(2, x.RawRowView(3))
	x.SetRow(4, x.RawRowView(5))
	x.Set(4, 0, x.At(4, 0)+1e-9)
	x.SetRow(6, slices.Repeat([]float64{30, -30, 30, 0}, d)[:d])
	return x
}

func checkFinite(p *conformance.Probe, s *subject) {
	x := s.odd()
	n, _ := x.Dims()
	diag, block := make([]float64, n), mat.NewDense(n, n, nil)
	kernels.Diag(diag, s.kernel, x)
	kernels.Block(block, s.kernel, x, x)
	for i := range n {
		if v := diag[i]; v-v != 0 {
			p.Fatalf("Diag of row %v is %v", x.RawRowView(i), v)
		}
		for j := range n {
			a, b := x.RawRowView(i), x.RawRowView(j)
			if v := s.kernel.Eval(a, b); v-v != 0 {
				p.Fatalf("Eval(%v, %v) is %v", a, b, v)
			}
			if v := block.At(i, j); v-v != 0 {
				p.Fatalf("Block of %v and %v is %v", a, b, v)
			}
		}
	}
}

func checkPositive(p *conformance.Probe, s *subject) {
	if s.Indefinite {
		p.Skip("does not claim it")
	}
	for _, x := range []*mat.Dense{s.rows(60, 3, 5), s.rows(8, 20, 6), s.rows(30, 1, 7), s.odd()} {
		positive(p, s.kernel, x)
	}
}

func positive(p *conformance.Probe, k kernels.Kernel, x *mat.Dense) {
	gram, err := kernels.Matrix(context.Background(), k, x, nil)
	p.Must("kernels.Matrix", err)
	v, err := linalg.Eigenvalues(context.Background(), gram)
	p.Must("its eigenvalues", err)
	if low, high := v[0], v[len(v)-1]; low < -1e-11*math.Abs(high) {
		n, d := x.Dims()
		p.Fatalf("the matrix of %v and %d rows of %d columns has the eigenvalue %v, the largest is %v", k, n, d, low, high)
	}
}

func checkDiagonal(p *conformance.Probe, s *subject) {
	x := s.odd()
	n, _ := x.Dims()
	diag := make([]float64, n)
	for i := range diag {
		diag[i] = math.NaN() // the earlier contents must not matter
	}
	kernels.Diag(diag, s.kernel, x)
	for i, v := range diag {
		r := x.RawRowView(i)
		s.same(p, fmt.Sprintf("Diag of %v", r), v, s.kernel.Eval(r, r))
	}
}

func checkBlock(p *conformance.Probe, s *subject) {
	large, largeDst := rows(40, max(9, s.Columns+2), 8), mat.NewDense(40, 40, nil)
	for _, c := range []struct{ r, c, d int }{{1, 1, 1}, {1, 7, 3}, {7, 1, 3}, {17, 11, 5}} {
		c.d = s.width(c.d)
		x, z := s.rows(c.r, c.d, 1), s.rows(c.c, c.d, 2)
		dst := mat.NewDense(c.r, c.c, nil)
		kernels.Block(dst, s.kernel, x, z)
		s.pairs(p, "Block", dst, x, z)

		// The rows of these views are stored with a stride larger than their length.
		xv := large.Slice(0, c.r, 1, 1+c.d).(*mat.Dense)
		zv := large.Slice(20, 20+c.c, 2, 2+c.d).(*mat.Dense)
		dv := largeDst.Slice(3, 3+c.r, 4, 4+c.c).(*mat.Dense)
		kernels.Block(dv, s.kernel, xv, zv)
		s.pairs(p, "Block of views", dv, xv, zv)

		row := mat.NewDense(1, c.c, nil)
		kernels.Row(row.RawRowView(0), s.kernel, x.RawRowView(0), z)
		s.pairs(p, "Row", row, x, z)
	}
}

// pairs fails unless k[i,j] equals Eval for the i-th row of x and the j-th row of z.
func (s *subject) pairs(p *conformance.Probe, what string, k mat.Matrix, x, z *mat.Dense) {
	r, c := k.Dims()
	for i := range r {
		for j := range c {
			s.same(p, fmt.Sprintf("%s: element [%d,%d] of %d×%d", what, i, j, r, c), k.At(i, j),
				s.kernel.Eval(x.RawRowView(i), z.RawRowView(j)))
		}
	}
}

func matrices(p *conformance.Probe, k kernels.Kernel, x, z *mat.Dense, workers int) (*mat.SymDense, *mat.Dense) {
	opt := &kernels.Options{Workers: workers}
	square, err := kernels.Matrix(context.Background(), k, x, opt)
	p.Must("kernels.Matrix", err)
	cross, err := kernels.Cross(context.Background(), k, x, z, opt)
	p.Must("kernels.Cross", err)
	return square, cross
}

func checkMatrix(p *conformance.Probe, s *subject) {
	for _, n := range []int{1, 2, 141} { // the last is larger than a block
		x, z := s.rows(n, 3, 1), s.rows(n/2+1, 3, 2)
		square, cross := matrices(p, s.kernel, x, z, 0)
		s.pairs(p, "kernels.Matrix", square, x, x)
		s.pairs(p, "kernels.Cross", cross, x, z)
	}
}

func checkWorkers(p *conformance.Probe, s *subject) {
	x, z := s.rows(300, 6, 1), s.rows(200, 6, 2)
	square, cross := matrices(p, s.kernel, x, z, 1)
	for _, w := range []int{2, 5} {
		sq, cr := matrices(p, s.kernel, x, z, w)
		if !mat.Equal(square, sq) || !mat.Equal(cross, cr) {
			p.Errorf("%d workers and one give different bits", w)
		}
	}
}

// checkShared computes every matrix twice, with another kernel in between, to detect a kernel that writes to the kept distances.
func checkShared(p *conformance.Probe, s *subject) {
	x, z := s.rows(150, 3, 1), s.rows(40, 3, 2)
	one, err := kernels.Share(context.Background(), x, nil)
	p.Must("kernels.Share", err)
	two, err := kernels.ShareCross(context.Background(), x, z, nil)
	p.Must("kernels.ShareCross", err)
	for _, k := range []kernels.Kernel{s.kernel, kernels.RBF{}, kernels.Linear{}, kernels.Laplacian{}, s.kernel} {
		wantSquare, wantCross := matrices(p, k, x, z, 0)
		square, err := one.Matrix(context.Background(), k)
		p.Must("Shared.Matrix", err)
		cross, err := two.Cross(context.Background(), k)
		p.Must("SharedCross.Cross", err)
		if !mat.Equal(square, wantSquare) || !mat.Equal(cross, wantCross) {
			p.Fatalf("a Shared or SharedCross differs for %v from kernels.Matrix and kernels.Cross", k)
		}
	}
}

// checkGraph checks that the kernel's graph agrees with Eval, for new rows and for a row that is among the other rows.
func checkGraph(p *conformance.Probe, s *subject) {
	x, z := s.rows(9, 3, 1), s.rows(5, 3, 2)
	x.SetRow(4, z.RawRowView(2))
	n, d := x.Dims()
	g, rows := graph.New(d)
	values, err := kernels.Graph(s.kernel, rows, z)
	if errors.Is(err, errors.ErrUnsupported) {
		p.Skip("has no Graph")
	}
	p.Must("Graph", err)
	diag, err := kernels.GraphDiag(s.kernel, rows)
	p.Must("GraphDiag", err)
	out, err := g.Run(x, values, rows.Fill(0).Add(diag))
	p.Must("Run", err)
	s.pairs(p, "Graph", out[0], x, z)
	for i := range n {
		s.same(p, fmt.Sprintf("GraphDiag: element %d", i), out[1].At(i, 0), s.kernel.Eval(x.RawRowView(i), x.RawRowView(i)))
	}
	_, wide := graph.New(d + 1)
	if _, err = kernels.Graph(s.kernel, wide, z); !errors.Is(err, fault.ErrShape) {
		p.Errorf("Graph with one column too many: %v, want %v", err, fault.ErrShape)
	}
}

// checkSpectral computes the mean of the cosines over many frequencies, which has a standard error of at most 1/√n.
func checkSpectral(p *conformance.Probe, s *subject) {
	if _, ok := s.kernel.(kernels.Spectral); !ok {
		p.Skip("has no SpectralDensity")
	}
	density, err := kernels.SpectralDensityOf(s.kernel)
	if errors.Is(err, fault.ErrParam) {
		p.Skip("has a part without a SpectralDensity")
	}
	p.Must("SpectralDensity", err)
	const n = 20000
	rng := rand.New(rand.NewPCG(1, 1))
	for _, difference := range [][]float64{{0.5}, {0.3, -0.9}, {1, 0.2, -0.4}} {
		d := s.width(len(difference))
		difference = slices.Repeat(difference, d)[:d]
		zero, w, u := make([]float64, d), make([]float64, d), make([]float64, density.Uniforms(d))
		s.same(p, "the variance", density.Variance, s.kernel.Eval(zero, zero))
		mean := 0.0
		for range n {
			for j := range u {
				u[j] = rng.Float64() + 0x1p-60
			}
			density.Frequency(w, u)
			mean += math.Cos(floats.Dot(w, difference)) / n
		}
		want := s.kernel.Eval(difference, zero) / density.Variance
		if !(math.Abs(mean-want) <= 5/math.Sqrt(n)) {
			p.Errorf("the mean cosine of the frequencies with %v is %v, want %v", difference, mean, want)
		}
		along := append([]float64{floats.Norm(difference, 2)}, zero[1:]...)
		if density.RotationInvariant {
			s.same(p, "Eval, turned,", s.kernel.Eval(along, zero), s.kernel.Eval(difference, zero))
		}
	}
}

func checkInputs(p *conformance.Probe, s *subject) {
	x, z := s.odd(), s.rows(5, 4, 9)
	wantX, wantZ := mat.DenseCopyOf(x), mat.DenseCopyOf(z)
	n, _ := x.Dims()
	s.kernel.Eval(x.RawRowView(0), z.RawRowView(0))
	kernels.Diag(make([]float64, n), s.kernel, x)
	kernels.Block(mat.NewDense(n, 5, nil), s.kernel, x, z)
	if !mat.Equal(x, wantX) || !mat.Equal(z, wantZ) {
		p.Errorf("a method wrote to its rows")
	}
}

func checkConcurrent(p *conformance.Probe, s *subject) {
	x, z := s.rows(20, 4, 1), s.rows(20, 4, 2)
	want := make([]float64, 20)
	for i := range want {
		want[i] = s.kernel.Eval(x.RawRowView(i), z.RawRowView(i))
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			// A panic here would occur on another goroutine and end the process.
			defer func() {
				if r := recover(); r != nil {
					mu.Lock()
					p.Errorf("panic: %v", r)
					mu.Unlock()
				}
			}()
			kernels.Block(mat.NewDense(20, 20, nil), s.kernel, x, z)
			for i, w := range want {
				if v := s.kernel.Eval(x.RawRowView(i), z.RawRowView(i)); v != w {
					mu.Lock()
					p.Errorf("Eval during concurrent calls is %v, want %v", v, w)
					mu.Unlock()
					return
				}
			}
		})
	}
	wg.Wait()
}

func checkLengths(p *conformance.Probe, s *subject) {
	d := s.width(2)
	defer func() {
		if r := recover(); r == nil {
			p.Errorf("Eval of rows of %d and %d does not panic: begin it with "+
				"if len(x) != len(z) { panic(\"rows of different lengths\") }", d, d+1)
		}
	}()
	s.kernel.Eval(make([]float64, d), make([]float64, d+1))
}
