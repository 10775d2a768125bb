package features

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/orthogonal"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/kernels"
)

// Landmarks maps rows to features with the kernel values between the rows and landmarks. Let K = FF' be the kernel matrix of the
// landmarks, some of which may depend on others, and let L consist of the rows of F for the independent landmarks. The features are
// L⁻¹k. They equal the features from the eigenvectors up to a rotation. The features for the first landmarks are the first features
// for all landmarks.
type Landmarks struct {
	Kernel  kernels.Kernel
	Rows    *mat.Dense // h×d
	factor  *mat.Dense // F, h×r
	kept    []int      // the rows of L
	Workers int
}

// NewLandmarks returns a layer with rows as its landmarks, whose kernel matrix it factorises.
func NewLandmarks(ctx context.Context, k kernels.Kernel, rows *mat.Dense, workers int) (*Landmarks, error) {
	first, rest := progress.Two(ctx, 1, 5)
	gram, err := kernels.Matrix(first, k, rows, &kernels.Options{Workers: workers})
	if err != nil {
		return nil, err
	}
	l := &Landmarks{Kernel: k, Rows: rows, Workers: workers}
	if l.factor, l.kept, err = linalg.Independent(rest, gram); err != nil {
		return nil, err
	}
	if l.factor == nil {
		return nil, &fault.NotPSDError{What: "kernel matrix of the landmarks"}
	}
	return l, nil
}

// Factorised returns l with the factor of its kernel matrix, which model files do not contain.
func (l *Landmarks) Factorised(ctx context.Context, workers int) (*Landmarks, error) {
	if l.factor != nil {
		return l, nil
	}
	return NewLandmarks(ctx, l.Kernel, l.Rows, workers)
}

// transposed returns L' in the form that BLAS needs.
func (l *Landmarks) transposed() blas64.Triangular {
	r := len(l.kept)
	out := blas64.Triangular{N: r, Stride: r, Uplo: blas.Upper, Diag: blas.NonUnit, Data: make([]float64, r*r)}
	for j, row := range l.kept {
		for i, v := range l.factor.RawRowView(row)[:j+1] {
			out.Data[i*r+j] = v
		}
	}
	return out
}

func (l *Landmarks) independentRows() *mat.Dense {
	_, d := l.Rows.Dims()
	out := mat.NewDense(len(l.kept), d, nil)
	for i, row := range l.kept {
		out.SetRow(i, l.Rows.RawRowView(row))
	}
	return out
}

// Features implements Layer. It sets dst to L⁻¹k(C, x), where C are the independent landmarks.
func (l *Landmarks) Features(dst, x *mat.Dense) error {
	k, err := kernels.Cross(context.Background(), l.Kernel, l.independentRows(), x, &kernels.Options{Workers: l.Workers})
	if err != nil {
		return err
	}
	fast.Trsm(blas.Left, blas.Trans, 1, l.transposed(), k.RawMatrix())
	dst.Copy(k)
	return nil
}

// Width implements Layer. It returns the number of independent landmarks among the first units.
func (l *Landmarks) Width(units int) int {
	n, _ := slices.BinarySearch(l.kept, units)
	return n
}

// Leading implements Layer.
func (l *Landmarks) Leading(units int) (Layer, error) {
	h, d := l.Rows.Dims()
	r := l.Width(units)
	if units >= h {
		return l, nil
	}
	return &Landmarks{
		Kernel: l.Kernel, Rows: mat.DenseCopyOf(l.Rows.Slice(0, units, 0, d)), factor: mat.DenseCopyOf(l.factor.Slice(0, units, 0, r)),
		kept: l.kept[:r:r], Workers: l.Workers,
	}, nil
}

// LandmarkScorer computes the positions of rows from coefficients on the landmarks.
type LandmarkScorer struct {
	Kernel       kernels.Kernel
	Rows         *mat.Dense // h×d
	Coefficients *mat.Dense // b̂, h×r
	Workers      int
}

// Scorer implements Layer. It converts directions β to coefficients b̂ of the landmarks with F'b̂ = β. If landmarks depend on
// others, b̂ is the solution with the smallest norm.
func (l *Landmarks) Scorer(ctx context.Context, directions *mat.Dense) (Scorer, error) {
	s := &LandmarkScorer{Kernel: l.Kernel, Rows: l.Rows, Workers: l.Workers}
	h, r := l.factor.Dims()
	_, columns := directions.Dims()
	if r == h {
		s.Coefficients = mat.DenseCopyOf(directions)
		if err := fast.TrsmContext(ctx, blas.Left, blas.NoTrans, 1, l.transposed(), s.Coefficients.RawMatrix()); err != nil {
			return nil, err
		}
	} else {
		q := mat.DenseCopyOf(l.factor)
		tri, err := orthogonal.ThinQR(ctx, q)
		if err != nil {
			return nil, err
		}
		inner := mat.DenseCopyOf(directions)
		fast.Trsm(blas.Left, blas.Trans, 1, blas64.Triangular{N: r, Stride: r, Uplo: blas.Upper, Diag: blas.NonUnit,
			Data: tri.RawMatrix().Data},
			inner.RawMatrix())
		s.Coefficients = mat.NewDense(h, columns, nil)
		if err := fast.MulContext(ctx, s.Coefficients, q, inner); err != nil {
			return nil, err
		}
	}
	if v := mat.Sum(s.Coefficients); v-v != 0 {
		return nil, &fault.NotFiniteError{Name: "eem: KernelClassifier: coefficient of a landmark", Row: -1, Col: -1, Value: v}
	}
	return s, nil
}

// Scores implements Scorer.
func (s *LandmarkScorer) Scores(x *mat.Dense) (*mat.Dense, error) {
	_, r := s.Coefficients.Dims()
	if n, _ := x.Dims(); n == 1 {
		return placed(s, x, r)
	}
	prepared, err := kernels.Prepare(context.Background(), s.Kernel, s.Rows, &kernels.Options{Workers: s.Workers})
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
			fast.Mul(dst, k, s.Coefficients)
		}
		return err
	})
}

func (s *LandmarkScorer) Write(z, x []float64) {
	landmarks, _ := s.Rows.Dims()
	p := rowwise.Scratch(landmarks)
	defer rowwise.Release(p)
	kernels.Row(*p, s.Kernel, x, s.Rows)
	combination(z, *p, s.Coefficients)
}

// Graph implements Scorer.
func (s *LandmarkScorer) Graph(x graph.Value) (graph.Value, error) {
	k, err := kernels.Graph(s.Kernel, x, s.Rows)
	if err != nil {
		return x, err
	}
	return k.MatMul(x.Constant(s.Coefficients)), nil
}
