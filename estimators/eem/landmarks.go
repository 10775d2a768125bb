package eem

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/orthogonal"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/kernels"
)

// landmarkLayer maps rows by their kernel with landmarks. With K = FF' the kernel
// matrix of the landmarks, of which some may depend on others, and L the rows of F that
// do not, the features are L⁻¹k: those of the eigenvectors but for a rotation, and the
// first of them are those of the first landmarks.
type landmarkLayer struct {
	kernel  kernels.Kernel
	rows    *mat.Dense // h×d
	factor  *mat.Dense // F, h×r
	kept    []int      // the rows of L
	workers int
}

func newLandmarkLayer(ctx context.Context, k kernels.Kernel, rows *mat.Dense, workers int) (*landmarkLayer, error) {
	first, rest := progress.Two(ctx, 1, 5)
	gram, err := kernels.Matrix(first, k, rows, &kernels.Options{Workers: workers})
	if err != nil {
		return nil, err
	}
	l := &landmarkLayer{kernel: k, rows: rows, workers: workers}
	if l.factor, l.kept, err = linalg.Independent(rest, gram); err != nil {
		return nil, err
	}
	if l.factor == nil {
		return nil, &fault.NotPSDError{What: "kernel matrix of the landmarks"}
	}
	return l, nil
}

// transposed is L' as BLAS wants it.
func (l *landmarkLayer) transposed() blas64.Triangular {
	r := len(l.kept)
	out := blas64.Triangular{N: r, Stride: r, Uplo: blas.Upper, Diag: blas.NonUnit, Data: make([]float64, r*r)}
	for j, row := range l.kept {
		for i, v := range l.factor.RawRowView(row)[:j+1] {
			out.Data[i*r+j] = v
		}
	}
	return out
}

func (l *landmarkLayer) independentRows() *mat.Dense {
	_, d := l.rows.Dims()
	out := mat.NewDense(len(l.kept), d, nil)
	for i, row := range l.kept {
		out.SetRow(i, l.rows.RawRowView(row))
	}
	return out
}

func (l *landmarkLayer) features(dst, x *mat.Dense) error {
	k, err := kernels.Cross(context.Background(), l.kernel, l.independentRows(), x, &kernels.Options{Workers: l.workers})
	if err != nil {
		return err
	}
	fast.Trsm(blas.Left, blas.Trans, 1, l.transposed(), k.RawMatrix())
	dst.Copy(k)
	return nil
}

func (l *landmarkLayer) width(units int) int {
	n, _ := slices.BinarySearch(l.kept, units)
	return n
}

func (l *landmarkLayer) leading(units int) (layer, error) {
	h, d := l.rows.Dims()
	r := l.width(units)
	if units >= h {
		return l, nil
	}
	return &landmarkLayer{
		kernel: l.kernel, rows: mat.DenseCopyOf(l.rows.Slice(0, units, 0, d)), factor: mat.DenseCopyOf(l.factor.Slice(0, units, 0, r)),
		kept: l.kept[:r:r], workers: l.workers,
	}, nil
}

// landmarkScorer finds the place of rows by coefficients on the landmarks.
type landmarkScorer struct {
	kernel       kernels.Kernel
	rows         *mat.Dense // h×d
	coefficients *mat.Dense // b̂, h×r
	workers      int
}

// scorer sums up: directions β are coefficients b̂ on the landmarks with F'b̂ = β, of which the
// least are taken where landmarks depend on others.
func (l *landmarkLayer) scorer(ctx context.Context, directions *mat.Dense) (scorer, error) {
	s := &landmarkScorer{kernel: l.kernel, rows: l.rows, workers: l.workers}
	h, r := l.factor.Dims()
	_, columns := directions.Dims()
	if r == h {
		s.coefficients = mat.DenseCopyOf(directions)
		if err := fast.TrsmContext(ctx, blas.Left, blas.NoTrans, 1, l.transposed(), s.coefficients.RawMatrix()); err != nil {
			return nil, err
		}
	} else {
		q := mat.DenseCopyOf(l.factor)
		tri, err := orthogonal.ThinQR(ctx, q)
		if err != nil {
			return nil, err
		}
		inner := mat.DenseCopyOf(directions)
		fast.Trsm(blas.Left, blas.Trans, 1, blas64.Triangular{N: r, Stride: r, Uplo: blas.Upper, Diag: blas.NonUnit, Data: tri.RawMatrix().Data}, inner.RawMatrix())
		s.coefficients = mat.NewDense(h, columns, nil)
		if err := fast.MulContext(ctx, s.coefficients, q, inner); err != nil {
			return nil, err
		}
	}
	if v := mat.Sum(s.coefficients); v-v != 0 {
		return nil, &fault.NotFiniteError{Name: kernelClassifierType + ": coefficient of a landmark", Row: -1, Col: -1, Value: v}
	}
	return s, nil
}

func (s *landmarkScorer) scores(x *mat.Dense) (*mat.Dense, error) {
	_, r := s.coefficients.Dims()
	if n, _ := x.Dims(); n == 1 {
		return placed(s, x, r)
	}
	prepared, err := kernels.Prepare(context.Background(), s.kernel, s.rows, &kernels.Options{Workers: s.workers})
	if err != nil {
		return nil, err
	}
	k := &mat.Dense{}
	return inChunks(x, r, func(dst, x *mat.Dense) error {
		if n, _ := x.Dims(); n < predictChunk {
			k.Reset() // the last block
		}
		err := prepared.CrossTo(context.Background(), k, x)
		if err == nil {
			fast.Mul(dst, k, s.coefficients)
		}
		return err
	})
}

func (s *landmarkScorer) write(z, x []float64) {
	landmarks, _ := s.rows.Dims()
	p := rowwise.Scratch(landmarks)
	defer rowwise.Release(p)
	kernels.Row(*p, s.kernel, x, s.rows)
	combination(z, *p, s.coefficients)
}
