package solver

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/kernels"
)

// Basis is a kernel on landmarks: features z(x) = T⁻ᵀ k(C, x), with T'T = K_MM + jitter I.
type Basis struct {
	Kernel    kernels.Kernel
	Landmarks *mat.Dense // M×d
	M         int
	prepared  *kernels.Prepared
	t         blas64.Triangular // T
	Jitter    float64           // absolute
	diagonal  float64           // mean k(c, c) of the landmarks
}

// NewBasis factors the kernel matrix of the landmarks, to which the jitter of the settings, M
// times the mean diagonal, is added, or the least power of ten times it with which a factor exists.
func NewBasis(ctx context.Context, s Settings, kernel kernels.Kernel, landmarks *mat.Dense) (*Basis, error) {
	return makeBasis(ctx, s, kernel, landmarks, func(b *Basis) float64 { return s.AddedJitter * float64(b.M) })
}

// basisWith is newBasis with a jitter that is known.
func basisWith(ctx context.Context, s Settings, kernel kernels.Kernel, landmarks *mat.Dense, jitter float64) (*Basis, error) {
	return makeBasis(ctx, s, kernel, landmarks, func(b *Basis) float64 { return jitter / b.scale() })
}

// makeBasis takes the least jitter as a share of the mean diagonal.
func makeBasis(ctx context.Context, s Settings, kernel kernels.Kernel, landmarks *mat.Dense, least func(*Basis) float64) (*Basis, error) {
	b := &Basis{Kernel: kernel, Landmarks: landmarks}
	b.M, _ = landmarks.Dims()
	if err := b.prepare(ctx); err != nil {
		return nil, err
	}
	first, rest := progress.Two(ctx, 1, 1)
	k, err := kernels.Matrix(first, kernel, landmarks, &kernels.Options{Workers: s.Workers, MaxBytes: s.MaxBytes})
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
	b.t, b.Jitter = chol.Upper(), chol.Jitter()
	return b, nil
}

func (b *Basis) prepare(ctx context.Context) (err error) {
	b.prepared, err = kernels.Prepare(progress.Detach(ctx), b.Kernel, b.Landmarks, &kernels.Options{Workers: 1})
	return err
}

// kernelRows sets dst (r×M) to the kernel of the rows of a block with the landmarks.
func (b *Basis) kernelRows(ctx context.Context, dst *mat.Dense, rows rows.Batch) error {
	err := b.prepared.CrossTo(ctx, dst, rows.X)
	var notFinite *fault.NotFiniteError
	if errors.As(err, &notFinite) {
		at := *notFinite
		at.Row += rows.First
		return &at
	}
	return err
}

// whiten makes features of kernel rows.
func (b *Basis) whiten(k *mat.Dense) {
	fast.Trsm(blas.Right, blas.NoTrans, 1, b.t, k.RawMatrix())
}

// coefficients overwrites the rows u' of a matrix with β' = (T⁻¹u)'.
func (b *Basis) coefficients(u *mat.Dense) {
	fast.Trsm(blas.Right, blas.Trans, 1, b.t, u.RawMatrix())
}

// Features sets dst (r×M) to the features of the rows of a block, less a centre if it is not nil.
func (b *Basis) Features(ctx context.Context, dst *mat.Dense, rows rows.Batch, centre []float64) error {
	if err := b.kernelRows(ctx, dst, rows); err != nil {
		return err
	}
	b.whiten(dst)
	if centre != nil {
		for i := range rows.Rows() {
			floats.Sub(dst.RawRowView(i), centre)
		}
	}
	return nil
}

// unseen returns what of k(x, x) the features of each row of a block do not see, at least 0, as
// a share of the mean k(c, c).
func (b *Basis) unseen(dst []float64, rows rows.Batch, z *mat.Dense) {
	kernels.Diag(dst, b.Kernel, rows.X)
	for i, own := range dst {
		dst[i] = max(0, own-linalg.Dot(z.RawRowView(i), z.RawRowView(i))) / b.scale()
	}
}

// scale is the mean k(c, c), 1 where that is 0.
func (b *Basis) scale() float64 {
	if b.diagonal > 0 {
		return b.diagonal
	}
	return 1
}
