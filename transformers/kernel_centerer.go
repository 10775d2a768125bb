package transformers

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
)

const (
	kernelCentererName = "transformers: KernelCenterer"
	kernelCentererKind = "transformers.KernelCenterer"
)

// KernelCenterer centres the rows in the feature space of a kernel, given their
// kernel with the training rows, without ever seeing that space:
//
//	z[i,j] = k[i,j] - c[j] - mean over j of (k[i,j] - c[j]),   c[j] = mean over the rows of Fit of k[i,j]
//
// For the square matrix K of Fit that is HKH, H = I - 11'/n; for new rows it is the
// kernel between them and the training rows, both less the training rows' mean
// (Embrechts, IJCNN 2004; scikit-learn's KernelCenterer). It stands after
// KernelMap. Fitted on the kernel between n rows and a basis of m it centres
// likewise, with the mean over the basis in place of that over all rows.
//
// The zero value is ready to use. Fit and Transform cost O(nm).
type KernelCenterer struct{ fitted *kernelCentererModel }

type kernelCentererModel struct{ Means codec.Floats }

var (
	_ Transformer = (*KernelCenterer)(nil)
	_ Cloner      = (*KernelCenterer)(nil)
)

// Fit takes the column means of k, the kernel matrix of the training rows (n×n),
// or their kernel with a basis (n×m).
func (c *KernelCenterer) Fit(ctx context.Context, k mat.Matrix) error {
	in, err := check.Dense("x", k)
	if err != nil {
		return err
	}
	_, d := in.Dims()
	m := &kernelCentererModel{Means: make(codec.Floats, d)}
	err = eachColumn(ctx, in, func(j int, column []float64) { m.Means[j] = meanOf(column) })
	if err != nil {
		return err
	}
	c.fitted = m
	return nil
}

// Transform returns the centred kernel of the rows of k (r×m), r×m.
func (c *KernelCenterer) Transform(k mat.Matrix) (*mat.Dense, error) {
	return transformed(c.TransformTo, k)
}

// TransformTo implements TransformerTo.
func (c *KernelCenterer) TransformTo(dst *mat.Dense, k mat.Matrix) error {
	if c.fitted == nil {
		return fault.NotFitted(kernelCentererName)
	}
	in, err := check.Wide("x", k, len(c.fitted.Means))
	if err != nil {
		return err
	}
	n, d := in.Dims()
	if err := fits(dst, n, d); err != nil {
		return err
	}
	for i := range n {
		row := dst.RawRowView(i)
		for j, v := range in.RawRowView(i) {
			row[j] = v - c.fitted.Means[j]
		}
		mean := meanOf(row)
		for j, v := range row {
			row[j] = v - mean
			if s := row[j]; s-s != 0 {
				return &fault.NotFiniteError{Name: kernelCentererName + ": centred x", Row: i, Col: j, Value: s}
			}
		}
	}
	return nil
}

// Means returns the column means c, or nil before Fit.
func (c *KernelCenterer) Means() []float64 {
	if c.fitted == nil {
		return nil
	}
	return slices.Clone(c.fitted.Means)
}

// Clone returns an unfitted KernelCenterer.
func (c *KernelCenterer) Clone() Transformer { return &KernelCenterer{} }

// MarshalBinary implements encoding.BinaryMarshaler. It is ErrNotFitted before
// Fit.
func (c *KernelCenterer) MarshalBinary() ([]byte, error) {
	return marshal(kernelCentererName, kernelCentererKind, c.fitted)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. Its errors are
// ErrBadModel and leave c as it was.
func (c *KernelCenterer) UnmarshalBinary(data []byte) error {
	return unmarshal(data, kernelCentererKind, &c.fitted, (*kernelCentererModel).valid)
}

func (m *kernelCentererModel) valid() error {
	if len(m.Means) == 0 || !m.Means.Finite() {
		return fmt.Errorf("%d means, want at least 1 and all finite", len(m.Means))
	}
	return nil
}
