package featuremap

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/transformers/internal/columnstats"
)

// KernelCenterer centres rows in the feature space of a kernel. It needs only their kernel values with the training rows:
//
//	z[i,j] = k[i,j] - c[j] - mean over j of (k[i,j] - c[j]),   c[j] = mean of k[i,j] over the training rows i
//
// For the square matrix K in Fit this is HKH with H = I - 11'/n. For new rows it is the kernel between the new rows and the
// training rows after the mean of the training rows in feature space is subtracted from both (Embrechts, IJCNN 2004; scikit-learn's
// KernelCenterer). Use it after a [KernelMap]. If it is fitted to the kernel values between n rows and a basis of m rows, it uses
// the mean over the basis instead of the mean over all rows.
//
// The zero value is ready to use. Fit and Transform cost O(nm).
//
// See also [KernelMap], [pca.KernelPCA].
//
// [pca.KernelPCA]: https://pkg.go.dev/github.com/kernelearn/kernelearn/transformers/pca#KernelPCA
type KernelCenterer struct {
	learned[kernelCentererModel]
}

type kernelCentererModel struct{ Means codec.Floats }

// Fit computes the column means of k, which is the kernel matrix of the training rows (n×n), or the matrix of their kernel values
// with a basis (n×m).
func (c *KernelCenterer) Fit(ctx context.Context, k mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	return c.state.Learn(ctx, k, nil, func(k *mat.Dense) (*kernelCentererModel, error) {
		_, d := k.Dims()
		m := &kernelCentererModel{Means: make(codec.Floats, d)}
		return m, columnstats.EachColumn(ctx, k, func(j int, column []float64) { m.Means[j] = columnstats.Mean(column) })
	})
}

// Means returns the column means c. It returns nil before Fit.
func (c *KernelCenterer) Means() []float64 { return slices.Clone(c.state.Model().Means) }

func (kernelCentererModel) TypeName() string { return "featuremap: KernelCenterer" }

func (m kernelCentererModel) Widths() (from, to int) { return len(m.Means), len(m.Means) }

func (m kernelCentererModel) MapRow(dst, x []float64) {
	for j, v := range x {
		dst[j] = v - m.Means[j]
	}
	mean := columnstats.Mean(dst)
	for j := range dst {
		dst[j] -= mean
	}
}

func (m kernelCentererModel) Validate() error {
	if len(m.Means) == 0 || !m.Means.Finite() {
		return fmt.Errorf("%d means, want at least 1 and all finite", len(m.Means))
	}
	return nil
}

func (m kernelCentererModel) BuildGraph(k graph.Value) (graph.Value, error) {
	z := k.Sub(k.Row(m.Means))
	return z.Sub(z.Mean()), nil
}

func (kernelCentererModel) ColumnNames(in []string) []string { return in }
