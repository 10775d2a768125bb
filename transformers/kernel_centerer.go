package transformers

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// KernelCenterer centres the rows in the feature space of a kernel. It needs only their kernel values with the
// training rows, not that space itself:
//
//	z[i,j] = k[i,j] - c[j] - mean over j of (k[i,j] - c[j]),   c[j] = mean over the rows of Fit of k[i,j]
//
// For the square matrix K of Fit that is HKH, H = I - 11'/n; for new rows it is the kernel between them and the
// training rows, both minus the mean of the training rows in feature space (Embrechts, IJCNN 2004; scikit-learn's
// KernelCenterer). It follows [KernelMap]. Fitted on the kernel between n rows and a basis of m it centres
// likewise, with the mean over the basis in place of that over all rows.
//
// The zero value is ready to use. Fit and Transform cost O(nm).
//
// See also [KernelMap], [KernelPCA].
type KernelCenterer struct {
	learned[kernelCentererModel]
}

type kernelCentererModel struct{ Means codec.Floats }

// Fit computes the column means of k, which is the kernel matrix of the training rows (n×n) or their kernel with a
// basis (n×m).
func (c *KernelCenterer) Fit(ctx context.Context, k mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	return c.learn(ctx, k, nil, func(k *mat.Dense) (*kernelCentererModel, error) {
		_, d := k.Dims()
		m := &kernelCentererModel{Means: make(codec.Floats, d)}
		return m, eachColumn(ctx, k, func(j int, column []float64) { m.Means[j] = meanOf(column) })
	})
}

// Means returns the column means c, or nil before Fit.
func (c *KernelCenterer) Means() []float64 { return slices.Clone(c.model().Means) }

// Clone returns an unfitted KernelCenterer.
func (c *KernelCenterer) Clone() Transformer { return &KernelCenterer{} }

func (kernelCentererModel) name() string { return "transformers: KernelCenterer" }

func (m kernelCentererModel) columns() (from, to int) { return len(m.Means), len(m.Means) }

func (m kernelCentererModel) row(dst, x []float64) {
	for j, v := range x {
		dst[j] = v - m.Means[j]
	}
	mean := meanOf(dst)
	for j := range dst {
		dst[j] -= mean
	}
}

func (m kernelCentererModel) valid() error {
	if len(m.Means) == 0 || !m.Means.Finite() {
		return fmt.Errorf("%d means, want at least 1 and all finite", len(m.Means))
	}
	return nil
}
