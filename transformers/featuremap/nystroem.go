// Package featuremap contains maps of rows to features z(x) whose inner products equal or approximate those of a kernel, so that a
// linear model on the features is a kernel model:
//
//	RandomFourier             random features of a stationary kernel
//	LocallyStationaryFourier  random features of a kernel that depends on the position
//	Nystroem                  features from the kernel values with a few rows, the landmarks
//	KernelMap                 the kernel values of a row with the training rows
//	KernelCenterer            the centring of the kernel's feature space
//	RandomHidden              a hidden layer of random units, which is never trained
//
// The time for random features and for Nystroem is proportional to the number of rows. KernelMap has a feature for each training
// row. All maps except KernelMap and KernelCenterer can be fitted from statistics of parts of the rows, and updated when more rows
// arrive.
package featuremap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
	"github.com/kernelearn/kernelearn/transformers/internal/samplestats"
)

const (
	nystroemName = "featuremap: Nystroem"
	nystroemKind = "transformers.Nystroem"
)

// Nystroem maps rows to features of a kernel that depend on a few of the training rows, the landmarks (C. Williams and M. Seeger,
// NIPS 2001):
//
//	z(x) = L⁻¹ k(landmarks, x),    K = LL' the kernel matrix of the landmarks
//
// so that <z(x), z(x')> = k(x, landmarks) K⁻¹ k(landmarks, x'). This is k(x, x') if x is a landmark, and otherwise the best
// approximation that uses only the landmarks. Features are unique up to a rotation. scikit-learn uses eigenvectors, and its
// features have the same inner products.
//
// A landmark that depends on those before it, up to h·2⁻⁵² of the largest k(x, x), adds no feature. With repeated rows, a kernel of
// low rank, or more Components than rows, there are therefore fewer features than Components.
//
// With h landmarks, Fit costs O(nhd + nh²) with [PivotedCholesky], which stores h kernel rows of n numbers (ErrTooLarge above
// MaxKernelBytes). It costs O(nhd) with KMeansPlusPlus, and O(h²d + h³) with [UniformLandmarks]. Transform of m rows costs O(mhd +
// mh²). A model file contains the landmarks and the name of the kernel. It must be decoded into a Nystroem with the same Kernel.
//
// See also [RandomFourier], [KernelMap], [pca.KernelPCA].
//
// [pca.KernelPCA]: https://pkg.go.dev/github.com/kernelearn/kernelearn/transformers/pca#KernelPCA
type Nystroem struct {
	// Kernel is the kernel. If it is nil, [kernels.MedianRBF] of the training rows is used.
	Kernel kernels.Kernel

	// Components is h, the number of landmarks, limited to n. If it is 0, 500 is used.
	Components int `zero:"500"`
	Rule       LandmarkRule

	// Tolerance, in [0, 1), is a share of the trace. [PivotedCholesky] ends with fewer than Components landmarks once the residual
	// trace is at most this share.
	Tolerance float64 `zero:"no end before Components" below:"1"`

	// Landmarks sets the landmarks (h×d). If it is not nil, Components, Rule and Tolerance must be 0.
	Landmarks *mat.Dense
	Seed      uint64

	// Workers is the number of goroutines. If it is 0, GOMAXPROCS is used.
	Workers int

	// MaxKernelBytes limits the size of the kernel rows in Fit. If it is 0, [kernels.MaxKernelBytes] is used.
	MaxKernelBytes int64 `zero:"kernels.MaxKernelBytes"`

	fitted *nystroemModel
}

type nystroemModel struct {
	kernel    kernels.Kernel
	landmarks *mat.Dense // r×d, the landmarks that add a feature
	prepared  *kernels.Prepared
	factor    blas64.Triangular                    // L'
	indices   []int                                // indices of the landmarks among the training rows, or nil if Landmarks is set
	residual  float64                              // share of the trace, or NaN if the rule does not compute it
	sums      streaming.Statistics[streaming.None] // the statistics of FitStatistics or PartialFit, or nil
}

func (t *Nystroem) validate() error {
	if err := settings.Check(nystroemName, t); err != nil {
		return err
	}
	switch {
	case t.Landmarks != nil && (t.Components != 0 || t.Rule != PivotedCholesky || t.Tolerance != 0):
		return fault.Param(nystroemName, "Components, Rule and Tolerance", fmt.Sprintf("%d, %v and %v", t.Components, t.Rule, t.Tolerance),
			"0 with given Landmarks")
	case t.Tolerance > 0 && t.Rule != PivotedCholesky:
		return fault.Param(nystroemName, "Tolerance", t.Tolerance, fmt.Sprintf("0 with %v, which does not follow the residual", t.Rule))
	}
	return nil
}

// Fit chooses landmarks among the rows of x (n×d). It returns ErrParam, ErrShape, ErrNotFinite, ErrTooLarge, ErrNotPSD for a kernel
// that is 0 on all landmarks, or the error of ctx.
func (t *Nystroem) Fit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	if err := t.validate(); err != nil {
		return err
	}
	in, err := check.Dense("x", x)
	if err != nil {
		return err
	}
	k, err := kernels.OrMedianRBF(ctx, t.Kernel, in, t.Seed)
	if err != nil {
		return err
	}
	first, rest := progress.Two(ctx, 2, 1)
	rows, chosen, err := t.landmarks(first, k, in)
	if err != nil {
		return err
	}
	m := &nystroemModel{kernel: k, residual: chosen.residual}
	kept, err := m.whiten(rest, rows, t.Workers)
	if err != nil {
		return err
	}
	if t.Landmarks == nil {
		for _, i := range kept {
			m.indices = append(m.indices, chosen.indices[i])
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	t.fitted = m
	return nil
}

func (t *Nystroem) statistics() (*samplestats.Statistics, error) {
	if err := t.validate(); err != nil {
		return nil, err
	}
	s := &samplestats.Statistics{Type: nystroemName}
	if t.Landmarks == nil || t.Kernel == nil {
		count := t.Components
		if count == 0 {
			count = defaultComponents
		}
		s.Sample.Seed, s.Sample.Limit = t.Seed, samplestats.RowsFor(count)
	}
	return s, nil
}

// NewStatistics implements [streaming.StatisticsFitter]. The statistics hold a sample of different rows: those whose hashes with
// Seed are smallest. The sample has 4096 rows, or four for each of Components if that is more. If Kernel and Landmarks are set,
// only the width of the rows is stored.
func (t *Nystroem) NewStatistics() (streaming.Statistics[streaming.None], error) {
	s, err := t.statistics()
	if err != nil {
		return nil, err
	}
	return s, nil
}

// FitStatistics implements [streaming.StatisticsFitter]. The result is the same as with Fit for the rows of the sample, in the
// order of their hashes. It is bit-identical, however the rows are divided and merged. Indices then returns nil.
func (t *Nystroem) FitStatistics(ctx context.Context, s streaming.Statistics[streaming.None]) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	fresh, err := t.statistics()
	if err != nil {
		return err
	}
	return samplestats.Learn(ctx, s, fresh, func(rows *mat.Dense, _ codec.Floats) error {
		if err := t.Fit(ctx, rows); err != nil {
			return err
		}
		t.fitted.indices = nil // the indices refer to the order of the sample, which the caller does not know
		t.fitted.sums = s.Clone()
		return nil
	})
}

// PartialFit implements [transformers.PartialFitter].
func (t *Nystroem) PartialFit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	var sums streaming.Statistics[streaming.None]
	if t.fitted != nil {
		sums = t.fitted.sums
	}
	return rowmap.FitMore(ctx, x, t, nystroemName, t.fitted != nil, sums)
}

// MarshalStatistics implements estimators.Continuer.
func (t *Nystroem) MarshalStatistics() ([]byte, error) {
	if t.fitted == nil {
		return nil, fault.NotFitted(nystroemName)
	}
	return rowmap.MarshalSums(nystroemName, t.fitted.sums)
}

// UnmarshalStatistics implements estimators.Continuer.
func (t *Nystroem) UnmarshalStatistics(data []byte) error {
	if t.fitted == nil {
		return fault.NotFitted(nystroemName)
	}
	from, _ := t.fitted.Widths()
	sums, err := rowmap.ReadSums(nystroemName, t, from, data)
	if err != nil {
		return err
	}
	m := *t.fitted
	m.sums = sums
	t.fitted = &m
	return nil
}

// whiten keeps the rows that add a feature, and computes the map from their kernel values to features.
func (m *nystroemModel) whiten(ctx context.Context, rows *mat.Dense, workers int) (kept []int, err error) {
	parts := progress.Parts(ctx, 1, 6, .2)
	gram, err := kernels.Matrix(parts[0], m.kernel, rows, &kernels.Options{Workers: workers})
	if err != nil {
		return nil, err
	}
	f, kept, err := linalg.Independent(parts[1], gram)
	if err != nil {
		return nil, err
	}
	if f == nil {
		return nil, &fault.NotPSDError{What: nystroemName + ": kernel matrix of the landmarks"}
	}
	r := len(kept)
	m.factor = upper(r)
	for j, i := range kept {
		for c, v := range f.RawRowView(i)[:j+1] {
			m.factor.Data[c*r+j] = v
		}
	}
	m.landmarks = linalg.Rows(rows, kept)
	return kept, m.prepare(parts[2])
}

// RowsWanted returns the number of rows that Fit needs for all Components.
func (t *Nystroem) RowsWanted() int {
	if t.Landmarks != nil {
		return 1
	}
	return cmp.Or(max(0, t.Components), defaultComponents)
}

func (m *nystroemModel) prepare(ctx context.Context) (err error) {
	m.prepared, err = kernels.Prepare(ctx, m.kernel, m.landmarks, &kernels.Options{Workers: 1})
	return err
}

func upper(n int) blas64.Triangular {
	return blas64.Triangular{N: n, Stride: n, Uplo: blas.Upper, Diag: blas.NonUnit, Data: make([]float64, n*n)}
}

// Transform returns the features (m×r) of the rows of x (m×d).
func (t *Nystroem) Transform(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return rowmap.Apply(t.transformAll, x)
}

// TransformTo implements [transformers.TransformerTo]. For a few rows the result agrees with that of Transform up to rounding.
func (t *Nystroem) TransformTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return t.transformInto(dst, x, true)
}

// transformAll sets dst to the features of x. It computes them in batches, even if there are only a few rows.
func (t *Nystroem) transformAll(dst *mat.Dense, x mat.Matrix) error {
	return t.transformInto(dst, x, false)
}

// transformInto sets dst to the features of x. If rows is set, a small number of rows is mapped one by one.
func (t *Nystroem) transformInto(dst *mat.Dense, x mat.Matrix, rows bool) error {
	m := t.fitted
	if m == nil {
		return fault.NotFitted(nystroemName)
	}
	return rowmap.MapInto(dst, x, m, rows, func(dst, x *mat.Dense) error {
		n, r := dst.Dims()
		_, d := x.Dims()
		return parallel.ForEach(context.Background(), t.Workers, (n+nystroemRows-1)/nystroemRows, func(c int) error {
			first, last := c*nystroemRows, min((c+1)*nystroemRows, n)
			part := dst.Slice(first, last, 0, r).(*mat.Dense)
			if err := fault.FromRow(m.features(part, x.Slice(first, last, 0, d).(*mat.Dense)), first); err != nil {
				return err
			}
			return rowmap.CheckFinite(m, part, first, false)
		})
	})
}

func (*nystroemModel) TypeName() string { return nystroemName }

func (m *nystroemModel) Widths() (from, to int) {
	to, from = m.landmarks.Dims()
	return from, to
}

// nystroemRows is the number of rows that are mapped at a time. It is the number of rows of a block of kernel values, with a value
// for each landmark.
const nystroemRows = 128

// features sets dst to the features of up to nystroemRows rows.
func (m *nystroemModel) features(dst, x *mat.Dense) error {
	k, err := m.prepared.Cross(context.Background(), x)
	if err != nil {
		return err
	}
	dst.Copy(k)
	fast.Trsm(blas.Right, blas.NoTrans, 1, m.factor, dst.RawMatrix())
	return nil
}

// MapRow sets dst to the features of one row.
func (m *nystroemModel) MapRow(dst, x []float64) {
	kernels.Row(dst, m.kernel, x, m.landmarks)
	fast.Trsv(blas.Trans, m.factor, blas64.Vector{N: len(dst), Inc: 1, Data: dst})
}

// Blocks yields the features of the rows of x in blocks of rows, without a matrix of all features. The last block holds the
// remaining rows. The next step overwrites the matrix. The errors are those of Transform. After an error, there are no further
// blocks.
func (t *Nystroem) Blocks(x mat.Matrix, rows int) iter.Seq2[*mat.Dense, error] {
	return blocks(t.transformAll, x, rows)
}

// Residual returns trace(K - ZZ')/trace(K) for the rows of x and their features Z: the share of the kernel that the landmarks do
// not represent. If all rows are landmarks, it is 0. It costs as much as Transform and does not store the features. It returns the
// errors of Transform.
func (t *Nystroem) Residual(x mat.Matrix) (_ float64, err error) {
	defer fault.Recover(&err)
	trace, left := 0.0, 0.0
	first := 0
	in, err := check.Dense("x", x)
	if err != nil {
		return 0, err
	}
	_, d := in.Dims()
	for z, err := range t.Blocks(in, 16*nystroemRows) {
		if err != nil {
			return 0, err
		}
		n, _ := z.Dims()
		own := make([]float64, n)
		kernels.Diag(own, t.fitted.kernel, in.Slice(first, first+n, 0, d).(*mat.Dense))
		trace += floats.Sum(own)
		unseen(own, z)
		left += floats.Sum(own)
		first += n
	}
	return left / trace, nil
}

// RowResiduals implements [transformers.RowResidualer]. It returns for each row the part of k(x, x) that the landmarks do not
// represent, which is 0 for a landmark. It costs O(m(d+r)).
func (t *Nystroem) RowResiduals(x, z mat.Matrix) ([]float64, error) {
	m := t.fitted
	if m == nil {
		return nil, fault.NotFitted(nystroemName)
	}
	in, err := check.Dense("x", x)
	if err != nil {
		return nil, err
	}
	features, err := check.Dense("z", z)
	if err != nil {
		return nil, err
	}
	r, d := m.landmarks.Dims()
	if err := errors.Join(check.Columns("x", in, d), check.Columns("z", features, r)); err != nil {
		return nil, err
	}
	n, _ := in.Dims()
	rows, _ := features.Dims()
	if err := check.Rows("z", rows, n); err != nil {
		return nil, err
	}
	out := make([]float64, n)
	kernels.Diag(out, m.kernel, in)
	unseen(out, features)
	return out, nil
}

// unseen subtracts |z|² from k(x, x) for each row. Values that are below 0 because of rounding become 0.
func unseen(diagonal []float64, z *mat.Dense) {
	for i, v := range diagonal {
		row := z.RawRowView(i)
		diagonal[i] = max(v-floats.Dot(row, row), 0)
	}
}

// TrainingResidual returns the Residual of the training rows, which [PivotedCholesky] computes. The result ok is false before Fit
// and for other rules.
func (t *Nystroem) TrainingResidual() (residual float64, ok bool) {
	if t.fitted == nil || math.IsNaN(t.fitted.residual) {
		return 0, false
	}
	return t.fitted.residual, true
}

// Indices returns the indices, among the training rows, of the landmarks that add a feature. It returns nil before Fit, after
// FitStatistics, and if Landmarks is set.
func (t *Nystroem) Indices() []int {
	if t.fitted == nil {
		return nil
	}
	return append([]int(nil), t.fitted.indices...)
}

// LandmarkRows returns the landmarks that add a feature (r×d). It returns nil before Fit.
func (t *Nystroem) LandmarkRows() *mat.Dense {
	if t.fitted == nil {
		return nil
	}
	return mat.DenseCopyOf(t.fitted.landmarks)
}

// ChosenKernel returns the kernel that the map uses. It returns nil before Fit.
func (t *Nystroem) ChosenKernel() kernels.Kernel {
	if t.fitted == nil {
		return nil
	}
	return t.fitted.kernel
}

type storedNystroem struct {
	Kernel    kernels.Reference
	Landmarks codec.Matrix
	Factor    codec.Floats // the rows of L', starting at their diagonal
	Indices   []int
	Residual  codec.Floats // empty if the rule does not compute it
}

// MarshalBinary implements encoding.BinaryMarshaler. It returns ErrNotFitted before Fit.
func (t *Nystroem) MarshalBinary() ([]byte, error) {
	m := t.fitted
	if m == nil {
		return nil, fault.NotFitted(nystroemName)
	}
	s := storedNystroem{Kernel: kernels.MakeReference(t.Kernel, m.kernel), Landmarks: codec.FromDense(m.landmarks), Indices: m.indices}
	for i := range m.factor.N {
		s.Factor = append(s.Factor, m.factor.Data[i*m.factor.Stride+i:(i+1)*m.factor.Stride]...)
	}
	if residual, ok := t.TrainingResidual(); ok {
		s.Residual = codec.Floats{residual}
	}
	return codec.Marshal(nystroemKind, rowmap.Version, s)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. If it returns ErrBadModel, it leaves t unchanged.
func (t *Nystroem) UnmarshalBinary(data []byte) error {
	var s storedNystroem
	if _, err := codec.Unmarshal(data, nystroemKind, rowmap.Version, &s); err != nil {
		return err
	}
	m := &nystroemModel{indices: s.Indices, residual: math.NaN()}
	if len(s.Residual) == 1 {
		m.residual = s.Residual[0]
	}
	var err error
	if m.landmarks, err = s.Landmarks.Dense(); err != nil {
		return fault.BadModel(nystroemKind, "landmarks: %v", err)
	}
	if err := m.restore(s); err != nil {
		return fault.BadModel(nystroemKind, "%v", err)
	}
	if m.kernel, err = s.Kernel.Resolve(nystroemKind, t.Kernel); err != nil {
		return err
	}
	if err := m.prepare(context.Background()); err != nil {
		return fault.BadModel(nystroemKind, "%v", err)
	}
	t.fitted = m
	return nil
}

// restore unpacks the factor.
func (m *nystroemModel) restore(s storedNystroem) error {
	r := s.Landmarks.Rows
	switch {
	case m.landmarks == nil:
		return fmt.Errorf("no landmarks")
	// The product is computed in floating point because a hostile file may contain any r.
	case float64(r)*(float64(r)+1)/2 != float64(len(s.Factor)) || !s.Factor.Finite():
		return fmt.Errorf("%d landmarks and a factor of %d numbers, want a triangle and finite", r, len(s.Factor))
	case len(s.Indices) != 0 && len(s.Indices) != r:
		return fmt.Errorf("%d landmarks and %d indices", r, len(s.Indices))
	case len(s.Residual) > 1 || !s.Residual.Finite():
		return fmt.Errorf("residual %v", s.Residual)
	}
	m.factor = upper(r)
	packed := s.Factor
	for i := range r {
		if !(packed[0] > 0) {
			return fmt.Errorf("element %d of the factor's diagonal is %v", i, packed[0])
		}
		copy(m.factor.Data[i*r+i:], packed[:r-i])
		packed = packed[r-i:]
	}
	return nil
}

// Graph implements [graph.Grapher].
func (t *Nystroem) Graph(x graph.Value) (graph.Outputs, error) {
	m := t.fitted
	if m == nil {
		return graph.Outputs{}, fault.NotFitted(nystroemName)
	}
	return rowmap.BuildOutputs(m, x, func(x graph.Value) (graph.Value, error) {
		values, err := kernels.Graph(m.kernel, x, m.landmarks)
		if err != nil {
			return values, err
		}
		return values.SolveUpper(m.factor), nil
	})
}

// RowResidualsGraph computes RowResiduals as a graph with one column, for rows x and their features z. A pipeline adds the
// residuals to the variance.
func (t *Nystroem) RowResidualsGraph(x, z graph.Value) (graph.Value, error) {
	if t.fitted == nil {
		return z, fault.NotFitted(nystroemName)
	}
	own, err := kernels.GraphDiag(t.fitted.kernel, x)
	if err != nil {
		return z, err
	}
	return own.Sub(z.Square().Sum()).Max(z.Number(0)), nil
}

// FeatureNames implements [transformers.FeatureNamer]. The names are nystroem0 and so on, one for each landmark.
func (t *Nystroem) FeatureNames(in []string) ([]string, error) {
	if t.fitted == nil {
		return nil, fault.NotFitted(nystroemName)
	}
	return rowmap.ResultNames(t.fitted, in)
}
