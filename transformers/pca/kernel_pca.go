package pca

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers/internal/columnstats"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
)

const (
	kernelPCAName = "pca: KernelPCA"
	kernelPCAKind = "transformers.KernelPCA"
)

// KernelPCA maps rows to their principal components in the feature space of a kernel (B. Schölkopf, A. Smola and K.-R. Müller,
// Neural Computation 10, 1998; scikit-learn's KernelPCA):
//
//	z[i,k] = Σⱼ kc(x[i], x[j]) u[j,k] / √λ[k],   HKH u[k] = λ[k] u[k]
//
// where K is the kernel matrix of the training rows, H = I - 11'/n, and kc is the kernel centred as in [featuremap.KernelCenterer].
// The sign of each u makes its largest entry positive, or the first of several that are equal up to rounding. With the Linear
// kernel the components equal those of [PCA] up to their signs.
//
// An eigenvalue of at most n·2⁻⁵² times the largest is due to rounding, and a negative one is due to a kernel that is not positive
// semi-definite. Neither has a component. If no eigenvalue remains, because all rows are equal, there is one component, which is 0.
//
// The zero value uses the RBF with γ = 1/median squared distance; scale the features first. Fit stores the rows. It costs O(n²d +
// n³) time and memory for 2n² numbers (ErrTooLarge if the matrix exceeds MaxKernelBytes). Transform of m rows costs O(mn(d+r)). For
// many rows use the features of [featuremap.Nystroem]. A model file contains the rows and the kernel's name. It must be decoded
// into a KernelPCA with the same Kernel.
//
// See also [PCA], [featuremap.Nystroem].
//
// [featuremap.KernelCenterer]: https://pkg.go.dev/github.com/kernelearn/kernelearn/transformers/featuremap#KernelCenterer
// [featuremap.Nystroem]: https://pkg.go.dev/github.com/kernelearn/kernelearn/transformers/featuremap#Nystroem
type KernelPCA struct {
	// Kernel is the kernel. If it is nil, [kernels.MedianRBF] of the training rows is used.
	Kernel kernels.Kernel

	// Components is r, the number of components. If it is 0, there is no limit.
	Components int `zero:"all"`

	// Share, in (0, 1], is the share of the variance in the feature space that the components must reach. The smallest such number
	// of components is kept, at most Components. If it is 0, it has no effect.
	Share float64 `zero:"all" most:"1"`

	// Seed is the seed with which MedianRBF draws a sample if there are many rows.
	Seed uint64

	// Workers is the number of goroutines. If it is 0, GOMAXPROCS is used.
	Workers int

	// MaxKernelBytes limits the size of the kernel matrix in Fit. If it is 0, [kernels.MaxKernelBytes] is used.
	MaxKernelBytes int64 `zero:"kernels.MaxKernelBytes"`

	fitted *kernelPCAModel
}

type kernelPCAModel struct {
	kernel   kernels.Kernel
	rows     *mat.Dense // n×d
	prepared *kernels.Prepared
	weights  *mat.Dense // n×r; the columns sum to 0 and therefore centre the kernel
	shift    []float64  // products of the kernel means with the weights
	values   []float64
	ratios   []float64
}

// Fit computes the components of x (n×d). It returns ErrParam, ErrShape, ErrNotFinite, ErrTooLarge, or the error of ctx.
func (t *KernelPCA) Fit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	if err := settings.Check(kernelPCAName, t); err != nil {
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
	m := &kernelPCAModel{kernel: k, rows: mat.DenseCopyOf(in)}
	if err := m.learn(ctx, t); err != nil {
		return err
	}
	if err := m.prepare(ctx); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	t.fitted = m
	return nil
}

func (m *kernelPCAModel) learn(ctx context.Context, t *KernelPCA) error {
	parts := progress.Parts(ctx, 1, .1, 8)
	gram, err := kernels.Matrix(parts[0], m.kernel, m.rows, &kernels.Options{Workers: t.Workers, MaxBytes: t.MaxKernelBytes})
	if err != nil {
		return err
	}
	n := gram.SymmetricDim()
	means, mean, err := centre2(parts[1], gram)
	if err != nil {
		return err
	}
	var total float64
	values, u, err := linalg.Eigen(parts[2], gram, func(values []float64) (count int) {
		// The rounding error of an eigenvalue is relative to the kernel before centring.
		count, total = componentsOf(values, n, t.Components, t.Share)
		for count > 0 && !(values[count-1] > float64(n)*0x1p-52*math.Abs(mean)) {
			count--
		}
		return count
	})
	if err != nil {
		return err
	}
	if u == nil {
		m.weights, m.shift, m.values, m.ratios = mat.NewDense(n, 1, nil), []float64{0}, []float64{0}, []float64{0}
		return nil
	}
	_, r := u.Dims()
	m.weights = mat.NewDense(n, r, nil)
	for c := range r {
		v := signed(mat.Col(nil, c, u))
		// Weights w whose columns sum to 0 also centre new rows: Σ (k[j] - c[j] - mean) w[j] = Σ k[j] w[j] - Σ c[j] w[j].
		sum, shift := columnstats.Mean(v), 0.0
		for j := range v {
			v[j] = (v[j] - sum) / math.Sqrt(values[c])
			shift += means[j] * v[j]
		}
		m.weights.SetCol(c, v)
		m.shift = append(m.shift, shift)
		m.values, m.ratios = append(m.values, values[c]), append(m.ratios, min(values[c]/total, 1))
	}
	return nil
}

// centre2 centres the rows and columns of a kernel matrix, and returns the means of its columns and of all entries.
func centre2(ctx context.Context, k *mat.SymDense) (means []float64, mean float64, err error) {
	n := k.SymmetricDim()
	means = make([]float64, n)
	row := make([]float64, n)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		for j := range row {
			row[j] = k.At(i, j)
		}
		means[i] = columnstats.Mean(row)
	}
	mean = columnstats.Mean(means)
	raw := k.RawSymmetric()
	for i := range n {
		for j := i; j < n; j++ {
			raw.Data[i*raw.Stride+j] -= (means[i] - mean) + means[j]
		}
	}
	return means, mean, nil
}

func (m *kernelPCAModel) prepare(ctx context.Context) (err error) {
	m.prepared, err = kernels.Prepare(ctx, m.kernel, m.rows, &kernels.Options{Workers: 1})
	return err
}

// Transform returns the components (m×r) of the rows of x (m×d).
func (t *KernelPCA) Transform(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return rowmap.Apply(t.transformAll, x)
}

// TransformTo implements [transformers.TransformerTo]. For a few rows the result agrees with that of Transform up to rounding.
func (t *KernelPCA) TransformTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return t.transformInto(dst, x, true)
}

// transformAll sets dst to the components of x. It computes them in batches, also for a few rows.
func (t *KernelPCA) transformAll(dst *mat.Dense, x mat.Matrix) error {
	return t.transformInto(dst, x, false)
}

// blockRows is the number of rows that are mapped at a time. It is the number of rows of a block of kernel values, with a value for
// each training row.
const blockRows = 128

func (t *KernelPCA) transformInto(dst *mat.Dense, x mat.Matrix, rows bool) error {
	m := t.fitted
	if m == nil {
		return fault.NotFitted(kernelPCAName)
	}
	return rowmap.MapInto(dst, x, m, rows, func(dst, x *mat.Dense) error {
		n, r := dst.Dims()
		_, d := x.Dims()
		return parallel.ForEach(context.Background(), t.Workers, (n+blockRows-1)/blockRows, func(c int) error {
			first, last := c*blockRows, min((c+1)*blockRows, n)
			part := dst.Slice(first, last, 0, r).(*mat.Dense)
			k, err := m.prepared.Cross(context.Background(), x.Slice(first, last, 0, d).(*mat.Dense))
			if err != nil {
				return fault.FromRow(err, first)
			}
			fast.Mul(part, k, m.weights)
			for i := range last - first {
				m.subtractShift(part.RawRowView(i))
			}
			return rowmap.CheckFinite(m, part, first, false)
		})
	})
}

func (m *kernelPCAModel) subtractShift(z []float64) {
	for k, v := range m.shift {
		z[k] -= v
	}
}

func (*kernelPCAModel) TypeName() string { return kernelPCAName }

func (m *kernelPCAModel) Widths() (from, to int) {
	_, from = m.rows.Dims()
	return from, len(m.shift)
}

func (m *kernelPCAModel) MapRow(dst, x []float64) {
	n, _ := m.rows.Dims()
	p := rowwise.Scratch(n)
	defer rowwise.Release(p)
	kernels.Row(*p, m.kernel, x, m.rows)
	fast.Gemv(blas.Trans, 1, m.weights.RawMatrix(), linalg.Vector(*p), 0, linalg.Vector(dst))
	m.subtractShift(dst)
}

// Eigenvalues returns the r eigenvalues λ of the centred kernel matrix. It returns nil before Fit.
func (t *KernelPCA) Eigenvalues() []float64 {
	if t.fitted == nil {
		return nil
	}
	return slices.Clone(t.fitted.values)
}

// Ratios returns each component's share of the variance in the feature space. It returns nil before Fit.
func (t *KernelPCA) Ratios() []float64 {
	if t.fitted == nil {
		return nil
	}
	return slices.Clone(t.fitted.ratios)
}

// ChosenKernel returns the kernel that the map uses. It returns nil before Fit.
func (t *KernelPCA) ChosenKernel() kernels.Kernel {
	if t.fitted == nil {
		return nil
	}
	return t.fitted.kernel
}

type storedKernelPCA struct {
	Kernel         kernels.Reference
	Rows, Weights  codec.Matrix
	Shift          codec.Floats
	Values, Ratios codec.Floats
}

// MarshalBinary implements encoding.BinaryMarshaler. It returns ErrNotFitted before Fit.
func (t *KernelPCA) MarshalBinary() ([]byte, error) {
	m := t.fitted
	if m == nil {
		return nil, fault.NotFitted(kernelPCAName)
	}
	return codec.Marshal(kernelPCAKind, rowmap.Version, storedKernelPCA{
		Kernel: kernels.MakeReference(t.Kernel, m.kernel), Rows: codec.FromDense(m.rows), Weights: codec.FromDense(m.weights),
		Shift: m.shift, Values: m.values, Ratios: m.ratios,
	})
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. If it returns ErrBadModel, it leaves t unchanged.
func (t *KernelPCA) UnmarshalBinary(data []byte) error {
	var s storedKernelPCA
	if _, err := codec.Unmarshal(data, kernelPCAKind, rowmap.Version, &s); err != nil {
		return err
	}
	m := &kernelPCAModel{shift: s.Shift, values: s.Values, ratios: s.Ratios}
	var err error
	if m.rows, err = s.Rows.Dense(); err != nil {
		return fault.BadModel(kernelPCAKind, "rows: %v", err)
	}
	if m.weights, err = s.Weights.Dense(); err != nil {
		return fault.BadModel(kernelPCAKind, "weights: %v", err)
	}
	if m.rows == nil || m.weights == nil || s.Rows.Rows != s.Weights.Rows || len(s.Shift) != s.Weights.Cols || !s.Shift.Finite() {
		return fault.BadModel(kernelPCAKind, "%d rows, %d weights and %d shifts of %d components, or not finite", s.Rows.Rows,
			s.Weights.Rows,
			len(s.Shift), s.Weights.Cols)
	}
	if err := validSpectrum(s.Weights.Cols, s.Values, s.Ratios); err != nil {
		return fault.BadModel(kernelPCAKind, "%v", err)
	}
	if m.kernel, err = s.Kernel.Resolve(kernelPCAKind, t.Kernel); err != nil {
		return err
	}
	if err := m.prepare(context.Background()); err != nil {
		return fault.BadModel(kernelPCAKind, "%v", err)
	}
	t.fitted = m
	return nil
}

// Graph implements [graph.Grapher].
func (t *KernelPCA) Graph(x graph.Value) (_ graph.Outputs, err error) {
	m := t.fitted
	if m == nil {
		return graph.Outputs{}, fault.NotFitted(kernelPCAName)
	}
	return rowmap.BuildOutputs(m, x, func(x graph.Value) (graph.Value, error) {
		values, err := kernels.Graph(m.kernel, x, m.rows)
		if err != nil {
			return values, err
		}
		return values.MatMul(values.Constant(m.weights)).Sub(values.Row(m.shift)), nil
	})
}

// FeatureNames implements [transformers.FeatureNamer]. The names are kernelpca0 and so on.
func (t *KernelPCA) FeatureNames(in []string) ([]string, error) {
	if t.fitted == nil {
		return nil, fault.NotFitted(kernelPCAName)
	}
	return rowmap.ResultNames(t.fitted, in)
}
