package landmarks

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/kernels"
)

// slope holds the terms of the gradient of an objective.
type slope struct {
	rows  func(ctx context.Context, b block) (*mat.Dense, error) // returns G_B = ΓT⁻ᵀ of a block, or ctx's error
	own   float64                                                // dF/dk(x,x) of each row
	a     *mat.SymDense                                          // Γ_A
	ridge float64                                                // F_Λ
}

// ofLeaveOneOut returns the slope of the leave-one-out error. It returns ctx's error.
func (s *state) ofLeaveOneOut(ctx context.Context, t *sums) (slope, error) {
	v := mat.DenseCopyOf(t.zp)
	if err := s.factor.Solve(ctx, v); err != nil {
		return slope{}, err
	}
	whole, err := s.factor.Inverse(ctx)
	if err != nil {
		return slope{}, err
	}
	inverse := dense(whole)
	var half, n mat.Dense // S Z'diag(q)Z, N
	if err := products(ctx, product{&half, inverse, dense(t.products)}, product{&n, &half, inverse}); err != nil {
		return slope{}, err
	}
	out := slope{a: mat.NewSymDense(s.m, nil)}
	for i := range s.m {
		out.ridge -= n.At(i, i)
		for j := i; j < s.m; j++ {
			sum := -(n.At(i, j) + n.At(j, i)) / 2
			for k := range s.k {
				sum += (s.u.At(i, k)*v.At(j, k) + v.At(i, k)*s.u.At(j, k)) / 2
			}
			out.a.SetSym(i, j, s.ridge*sum/s.weight)
		}
		out.ridge += floats.Dot(v.RawRowView(i), s.u.RawRowView(i))
	}
	out.ridge /= s.weight
	// From here on, all parts of ΓT⁻ᵀ include the factor T⁻ᵀ on the right.
	right, u, ends := mat.DenseCopyOf(inverse), s.backSubstituted(s.u), s.backSubstituted(v)
	if err := fast.TrsmContext(ctx, blas.Right, blas.Trans, 1, s.t, right.RawMatrix()); err != nil {
		return slope{}, err
	}
	var mean []float64
	if !s.NoIntercept {
		// 1'√w Γ/Σw. For centred features 1'√w Z and 1'√w e are 0.
		var of mat.Dense
		fast.Mul(&of, t.zq.T(), right)
		mean = of.RawRowView(0)
		floats.Scale(2, mean)
		for k, p := range t.p {
			floats.AddScaled(mean, -p, u.RawRowView(k))
		}
		floats.Scale(1/s.weight, mean)
	}
	out.rows = func(ctx context.Context, b block) (*mat.Dense, error) {
		l := s.kept[b.from/s.blockRows()]
		// 2(diag(q)Z - ZS Z'diag(q)Z)S + (Zv - p)u' - ev'
		var zv, inner, g mat.Dense
		if err := products(ctx, product{&zv, b.z, v}, product{&inner, b.z, &half}); err != nil {
			return nil, err
		}
		zv.Sub(&zv, l.p)
		for i := range b.rows {
			row, z := inner.RawRowView(i), b.z.RawRowView(i)
			for j := range row {
				row[j] = 2 * (l.q[i]*z[j] - row[j])
			}
		}
		if err := products(ctx, product{&g, &inner, right}); err != nil {
			return nil, err
		}
		fast.Gemm(blas.NoTrans, blas.NoTrans, 1, zv.RawMatrix(), u.RawMatrix(), 1, g.RawMatrix())
		fast.Gemm(blas.NoTrans, blas.NoTrans, -1, l.e.RawMatrix(), ends.RawMatrix(), 1, g.RawMatrix())
		for i, root := range b.root {
			row := g.RawRowView(i)
			if mean != nil {
				floats.AddScaled(row, -root, mean)
			}
			floats.Scale(root/s.weight, row)
		}
		return &g, nil
	}
	return out, nil
}

// product holds the operands of a matrix product, and the matrix for its result.
type product struct {
	dst  *mat.Dense
	a, b mat.Matrix
}

// products computes several products. It returns ctx's error.
func products(ctx context.Context, of ...product) error {
	for _, p := range of {
		if err := fast.MulContext(ctx, p.dst, p.a, p.b); err != nil {
			return err
		}
	}
	return nil
}

// backSubstituted returns (T⁻¹a)'.
func (s *state) backSubstituted(a *mat.Dense) *mat.Dense {
	out := mat.DenseCopyOf(a.T())
	fast.Trsm(blas.Right, blas.Trans, 1, s.t, out.RawMatrix())
	return out
}

// ofComplexity returns the slope of the complexity-regularised objective. It returns ctx's error.
func (s *state) ofComplexity(ctx context.Context, t *sums) (slope, error) {
	n, v := float64(s.n), s.value(t)
	c1, c2, c3 := s.Noise/n, (1+v.Trace/(s.ridge*n))/n, v.Fit/(s.ridge*n*n)
	whole, err := s.factor.Inverse(ctx)
	if err != nil {
		return slope{}, err
	}
	inverse := dense(whole)
	var square mat.Dense
	if err := products(ctx, product{&square, inverse, inverse}); err != nil {
		return slope{}, err
	}
	out := slope{a: mat.NewSymDense(s.m, nil), own: c3}
	norm := mat.Norm(s.u, 2)
	out.ridge = c1*(s.ridge*mat.Trace(&square)-mat.Trace(inverse)) + c2*norm*norm - v.Trace*v.Fit/(s.ridge*n)/(s.ridge*n)
	for i := range s.m {
		for j := i; j < s.m; j++ {
			out.a.SetSym(i, j, c1*s.ridge*(s.ridge*square.At(i, j)-inverse.At(i, j))+c3*s.raw.At(i, j)+
				c2*s.ridge*floats.Dot(s.u.RawRowView(i), s.u.RawRowView(j)))
		}
	}
	// Γ = 2c1ΛZS² - 2c2 eu' - 2c3 Z. The last Z is not centred.
	out.rows = func(ctx context.Context, b block) (*mat.Dense, error) {
		var g mat.Dense
		if err := products(ctx, product{&g, b.z, &square}); err != nil {
			return nil, err
		}
		e := s.kept[b.from/s.blockRows()].e
		fast.Gemm(blas.NoTrans, blas.Trans, -2*c2, e.RawMatrix(), s.u.RawMatrix(), 2*c1*s.ridge, g.RawMatrix())
		for i := range b.rows {
			row := g.RawRowView(i)
			floats.AddScaled(row, -2*c3, b.z.RawRowView(i))
			if s.centre != nil {
				floats.AddScaled(row, -2*c3, s.centre)
			}
		}
		return &g, fast.TrsmContext(ctx, blas.Right, blas.Trans, 1, s.t, g.RawMatrix())
	}
	return out, nil
}

// gradient computes the gradient in another pass over the rows. The rows of a block, together with the landmarks, are the rows of a
// symmetric kernel matrix, whose derivatives package kernels computes for any kernel.
func (s *state) gradient(ctx context.Context, by slope, dst []float64) error {
	d, err := kernels.AsDifferentiable(s.kernel)
	if err != nil {
		return err
	}
	clear(dst)
	last := len(dst) - 1
	dst[last] = by.ridge * s.ridge
	a := dense(by.a)
	if err := fast.TrsmContext(ctx, blas.Left, blas.NoTrans, 1, s.t, a.RawMatrix()); err != nil {
		return err
	}
	if err := fast.TrsmContext(ctx, blas.Right, blas.Trans, 1, s.t, a.RawMatrix()); err != nil {
		return err
	}
	return blocks(ctx, s, func(from, rows int) ([]float64, error) {
		_, columns := s.X.Dims()
		var both mat.Dense
		both.Stack(s.X.Slice(from, from+rows, 0, columns), s.Landmarks)
		derivatives, err := kernels.NewDerivatives(&both, &kernels.Options{Workers: 1, MaxBytes: s.MaxBytes})
		if err != nil {
			return nil, err
		}
		var w mat.SymDense
		if err := derivatives.MatrixTo(ctx, &w, d); err != nil {
			return nil, err
		}
		b, err := s.recompute(ctx, from, rows, &w)
		if err != nil {
			return nil, err
		}
		g, err := by.rows(ctx, b)
		if err != nil {
			return nil, err
		}
		w.Zero()
		for i := range rows {
			w.SetSym(i, i, by.own)
			row := w.RawSymmetric().Data[i*w.RawSymmetric().Stride+rows:][:s.m]
			floats.AddScaled(row, .5, g.RawRowView(i))
		}
		for i := range s.m {
			if from > 0 {
				break // the term of the landmarks is added only once
			}
			for j := i; j < s.m; j++ {
				w.SetSym(rows+i, rows+j, (a.At(i, j)+a.At(j, i))/2)
			}
		}
		own := make([]float64, last)
		return own, derivatives.Gradient(ctx, own, &w)
	}, func(own []float64) { floats.Add(dst[:last], own) })
}

// recompute returns a stored block, or computes it from the kernel matrix of its rows and the landmarks.
func (s *state) recompute(ctx context.Context, from, rows int, w *mat.SymDense) (block, error) {
	if s.whole != nil {
		return s.load(ctx, from, rows)
	}
	k := mat.NewDense(rows, s.m, nil)
	for i := range rows {
		copy(k.RawRowView(i), w.RawSymmetric().Data[i*w.RawSymmetric().Stride+rows:][:s.m])
	}
	return s.block(ctx, from, k)
}

// Logarithmic converts an objective F to -n/2 ln F, a log likelihood to which a prior can be added. It overwrites the gradient with
// that of the result, which it returns.
func Logarithmic(n int, f float64, gradient []float64) float64 {
	scale := -float64(n) / 2 / f
	floats.Scale(scale, gradient)
	return -float64(n) / 2 * math.Log(f)
}

// dense returns a copy of a with both triangles.
func dense(a *mat.SymDense) *mat.Dense {
	n := a.SymmetricDim()
	out := mat.NewDense(n, n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			v := a.At(i, j)
			out.Set(i, j, v)
			out.Set(j, i, v)
		}
	}
	return out
}
