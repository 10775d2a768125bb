package featuremap

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
)

const (
	kernelMapName = "featuremap: KernelMap"
	kernelMapKind = "transformers.KernelMap"
)

// KernelMap maps a row to its kernel values with the n training rows:
//
//	z[i,j] = k(x[i], training row j)
//
// The training rows are mapped to the kernel matrix, and any model that is linear in its features becomes linear in the kernel.
// These are the direct kernel methods of Embrechts (IJCNN 2004). A model without a bias needs a [KernelCenterer] after the map. If
// the map is fitted to only a few of the rows, these rows serve as a basis.
//
// The zero value uses the RBF with γ = 1/median squared distance; scale the features first. Fit stores a copy of the rows, O(nd).
// Transform of m rows costs O(mnd) time and needs memory for m×n numbers (ErrTooLarge above MaxKernelBytes). A model file contains
// the rows and the kernel's name. It must be decoded into a KernelMap with the same Kernel.
//
// See also [KernelCenterer], [Nystroem].
type KernelMap struct {
	// Kernel is the kernel. If it is nil, [kernels.MedianRBF] of the training rows is used.
	Kernel kernels.Kernel

	// Seed is the seed with which MedianRBF draws a sample if there are many rows.
	Seed uint64

	// Workers is the number of goroutines. If it is 0, GOMAXPROCS is used.
	Workers int

	// MaxKernelBytes limits the size of a result. If it is 0, [kernels.MaxKernelBytes] is used.
	MaxKernelBytes int64 `zero:"kernels.MaxKernelBytes"`

	fitted *kernelMapModel
}

type kernelMapModel struct {
	kernel kernels.Kernel
	rows   *mat.Dense
}

// Fit stores the rows of x (n×d) and chooses the kernel if it is not set.
func (k *KernelMap) Fit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	if err := settings.Check(kernelMapName, k); err != nil {
		return err
	}
	in, err := check.Dense("x", x)
	if err != nil {
		return err
	}
	kernel, err := kernels.OrMedianRBF(ctx, k.Kernel, in, k.Seed)
	if err != nil {
		return err
	}
	rows := mat.DenseCopyOf(in)
	if err := ctx.Err(); err != nil {
		return err
	}
	k.fitted = &kernelMapModel{kernel: kernel, rows: rows}
	return nil
}

// Transform returns the kernel values (m×n) between the rows of x (m×d) and the training rows.
func (k *KernelMap) Transform(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	if k.fitted == nil {
		return nil, fault.NotFitted(kernelMapName)
	}
	in, err := check.Wide("x", x, k.fitted.rows.RawMatrix().Cols)
	if err != nil {
		return nil, err
	}
	return k.cross(in)
}

func (k *KernelMap) cross(x *mat.Dense) (*mat.Dense, error) {
	return kernels.Cross(context.Background(), k.fitted.kernel, x, k.fitted.rows,
		&kernels.Options{Workers: k.Workers, MaxBytes: k.MaxKernelBytes})
}

// TransformTo implements [transformers.TransformerTo]. For a few rows the result agrees with that of Transform up to rounding. For
// more rows it is a copy of the result of Transform.
func (k *KernelMap) TransformTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	if k.fitted == nil {
		return fault.NotFitted(kernelMapName)
	}
	return rowmap.MapInto(dst, x, k.fitted, true, func(dst, x *mat.Dense) error {
		out, err := k.cross(x)
		if err != nil {
			return err
		}
		dst.Copy(out)
		return nil
	})
}

func (*kernelMapModel) TypeName() string { return kernelMapName }

func (m *kernelMapModel) Widths() (from, to int) {
	to, from = m.rows.Dims()
	return from, to
}

func (m *kernelMapModel) MapRow(dst, x []float64) { kernels.Row(dst, m.kernel, x, m.rows) }

// ChosenKernel returns the kernel that the map uses. It returns nil before Fit.
func (k *KernelMap) ChosenKernel() kernels.Kernel {
	if k.fitted == nil {
		return nil
	}
	return k.fitted.kernel
}

type storedKernelMap struct {
	Kernel kernels.Reference
	Rows   codec.Matrix
}

// MarshalBinary implements encoding.BinaryMarshaler. It returns ErrNotFitted before Fit.
func (k *KernelMap) MarshalBinary() ([]byte, error) {
	if k.fitted == nil {
		return nil, fault.NotFitted(kernelMapName)
	}
	return codec.Marshal(kernelMapKind, rowmap.Version, storedKernelMap{
		Kernel: kernels.MakeReference(k.Kernel, k.fitted.kernel), Rows: codec.FromDense(k.fitted.rows),
	})
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. If it returns ErrBadModel, it leaves k unchanged.
func (k *KernelMap) UnmarshalBinary(data []byte) error {
	var s storedKernelMap
	if _, err := codec.Unmarshal(data, kernelMapKind, rowmap.Version, &s); err != nil {
		return err
	}
	rows, err := s.Rows.Dense()
	if err != nil {
		return fault.BadModel(kernelMapKind, "rows: %v", err)
	}
	if rows == nil {
		return fault.BadModel(kernelMapKind, "no rows")
	}
	kernel, err := s.Kernel.Resolve(kernelMapKind, k.Kernel)
	if err != nil {
		return err
	}
	k.fitted = &kernelMapModel{kernel: kernel, rows: rows}
	return nil
}

// Graph implements [graph.Grapher].
func (k *KernelMap) Graph(x graph.Value) (graph.Outputs, error) {
	if k.fitted == nil {
		return graph.Outputs{}, fault.NotFitted(kernelMapName)
	}
	return rowmap.BuildOutputs(k.fitted, x, func(x graph.Value) (graph.Value,
		error) {
		return kernels.Graph(k.fitted.kernel, x, k.fitted.rows)
	})
}

// FeatureNames implements [transformers.FeatureNamer]. The names are kernelmap0 and so on, one for each training row.
func (k *KernelMap) FeatureNames(in []string) ([]string, error) {
	if k.fitted == nil {
		return nil, fault.NotFitted(kernelMapName)
	}
	return rowmap.ResultNames(k.fitted, in)
}
