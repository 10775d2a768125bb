package machine

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/internal/anyrows"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/kernels"
)

// Basis holds a kernel and landmarks. It computes the features z(x) = T⁻ᵀ k(C, x), with T'T = K_MM + jitter I.
type Basis struct {
	Kernel    kernels.Kernel
	Landmarks mat.Matrix // M×d, in the form of package anyrows
	M         int
	Prepared  *kernels.Prepared
	T         blas64.Triangular // T
	Jitter    float64           // absolute
	diagonal  float64           // mean of k(c, c) over the landmarks
}

// NewBasis adds jitter times M times the mean diagonal to the diagonal of the landmarks' kernel matrix, and factorises it. If this
// fails, the jitter is multiplied by the smallest sufficient power of ten.
func NewBasis(ctx context.Context, kernel kernels.Kernel, landmarks mat.Matrix, jitter float64, o *kernels.Options) (*Basis, error) {
	return makeBasis(ctx, kernel, landmarks, o, func(b *Basis) float64 { return jitter * float64(b.M) })
}

// basisWith is like NewBasis, but uses a known jitter.
func basisWith(ctx context.Context, kernel kernels.Kernel, landmarks mat.Matrix, jitter float64, o *kernels.Options) (*Basis, error) {
	return makeBasis(ctx, kernel, landmarks, o, func(b *Basis) float64 { return jitter / b.Scale() })
}

// makeBasis computes a basis. The function least returns the smallest jitter, relative to the mean diagonal.
func makeBasis(ctx context.Context, kernel kernels.Kernel, landmarks mat.Matrix, o *kernels.Options, least func(*Basis) float64) (*Basis,
	error) {
	b := &Basis{Kernel: kernel, Landmarks: landmarks}
	b.M, _ = landmarks.Dims()
	if err := b.prepare(ctx); err != nil {
		return nil, err
	}
	first, rest := progress.Two(ctx, 1, 1)
	k, err := kernels.Matrix(first, kernel, landmarks, o)
	if err != nil {
		return nil, err
	}
	for i := range b.M {
		b.diagonal += k.At(i, i) / float64(b.M)
	}
	chol, err := linalg.NewCholeskyFrom(rest, "the kernel matrix of the landmarks", k, least(b))
	if err != nil {
		return nil, err
	}
	b.T, b.Jitter = chol.Upper(), chol.Jitter()
	return b, nil
}

func (b *Basis) prepare(ctx context.Context) (err error) {
	b.Prepared, err = kernels.Prepare(progress.Detach(ctx), b.Kernel, b.Landmarks, &kernels.Options{Workers: 1})
	return err
}

// First returns the basis of the first m landmarks. Its features are the first m of b, because T is triangular.
func (b *Basis) First(ctx context.Context, m int) (*Basis, error) {
	out := *b
	out.M, out.Landmarks, out.T.N = m, anyrows.Slice(b.Landmarks, 0, m), m
	return &out, out.prepare(ctx)
}

// KernelRows sets dst (r×M) to the kernel values between the rows of a block and the landmarks.
func (b *Basis) KernelRows(ctx context.Context, dst *mat.Dense, rows rows.Batch) error {
	err := b.Prepared.CrossTo(ctx, dst, rows.X)
	var notFinite *fault.NotFiniteError
	if errors.As(err, &notFinite) {
		at := *notFinite
		at.Row += rows.First
		return &at
	}
	return err
}

// Whiten replaces the kernel values in each row of k by features.
func (b *Basis) Whiten(k *mat.Dense) {
	fast.Trsm(blas.Right, blas.NoTrans, 1, b.T, k.RawMatrix())
}

// Coefficients overwrites the rows u' of a matrix with β' = (T⁻¹u)'.
func (b *Basis) Coefficients(u *mat.Dense) {
	fast.Trsm(blas.Right, blas.Trans, 1, b.T, u.RawMatrix())
}

// Features sets dst (r×M) to the features of the rows of a block. If centre is not nil, it is subtracted.
func (b *Basis) Features(ctx context.Context, dst *mat.Dense, rows rows.Batch, centre []float64) error {
	if err := b.KernelRows(ctx, dst, rows); err != nil {
		return err
	}
	b.Whiten(dst)
	if centre != nil {
		for i := range rows.Rows() {
			floats.Sub(dst.RawRowView(i), centre)
		}
	}
	return nil
}

// Unseen sets dst to the part of k(x, x) that the features do not explain, for each row x of a block. The result is at least 0, and
// relative to the mean of k(c, c).
func (b *Basis) Unseen(dst []float64, rows rows.Batch, z *mat.Dense) {
	kernels.Diag(dst, b.Kernel, rows.X)
	for i, own := range dst {
		dst[i] = max(0, own-linalg.Dot(z.RawRowView(i), z.RawRowView(i))) / b.Scale()
	}
}

// Scale returns the mean of k(c, c), or 1 if that is 0.
func (b *Basis) Scale() float64 {
	if b.diagonal > 0 {
		return b.diagonal
	}
	return 1
}
