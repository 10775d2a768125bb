package basis

import (
	"slices"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
)

// Stored is the form of a Support in the files of Regressor and Classifier.
type Stored struct {
	Design  bool // fitted by FitDesign, without kernel or vectors
	Kernel  kernels.Reference
	Kernels []kernels.Reference `cbor:",omitempty"` // used instead of Kernel if there are several
	Ends    []int               `cbor:",omitempty"` // end index of the columns of each kernel
	Width   int
	Vectors codec.Matrix
	Rows    []int
	Columns []int
}

// Store returns the form of the support in a file.
func (s *Support) Store(configured Dictionary) Stored {
	out := Stored{Design: s.Kernels == nil, Width: s.width, Vectors: codec.FromDense(s.Vectors), Rows: s.rows, Columns: s.Columns}
	refer := func(i int) kernels.Reference {
		if i < len(configured) {
			return kernels.MakeReference(configured[i], s.Kernels[i])
		}
		return kernels.MakeReference(nil, s.Kernels[i])
	}
	switch {
	case len(s.Kernels) == 1:
		out.Kernel = refer(0)
	case len(s.Kernels) > 1:
		out.Ends = s.ends
		for i := range s.Kernels {
			out.Kernels = append(out.Kernels, refer(i))
		}
	}
	return out
}

// Restore checks s and returns the support.
func (s Stored) Restore(kind string, configured Dictionary) (*Support, error) {
	k := len(s.Columns)
	if s.Width < 1 || !Ascending(s.Columns) {
		return nil, fault.BadModel(kind, "columns %v of a width of %d", s.Columns, s.Width)
	}
	out := &Support{Columns: s.Columns, width: s.Width}
	if len(s.Rows) > 0 {
		out.rows = s.Rows
	}
	var err error
	if out.Vectors, err = s.Vectors.Dense(); err != nil {
		return nil, fault.BadModel(kind, "vectors: %v", err)
	}
	if s.Design {
		if out.Vectors != nil || len(s.Rows) > 0 || len(s.Kernels) > 0 || k > 0 && s.Columns[k-1] >= s.Width {
			return nil, fault.BadModel(kind, "columns %v of a design matrix of %d", s.Columns, s.Width)
		}
		return out, nil
	}
	rows, width := 0, s.Width
	if out.Vectors != nil {
		rows, width = out.Vectors.Dims()
	}
	if rows != k || width != s.Width || len(s.Rows) != 0 && len(s.Rows) != k {
		return nil, fault.BadModel(kind, "%d vectors of %d columns and %d rows for %d of %d", rows, width, len(s.Rows), k, s.Width)
	}
	refs, ends := s.Kernels, s.Ends
	if len(refs) == 0 {
		refs, ends = []kernels.Reference{s.Kernel}, []int{k}
	}
	switch {
	case len(ends) != len(refs) || !slices.IsSorted(ends) || ends[0] < 0 || ends[len(ends)-1] != k || len(refs) > 1 && len(s.Rows) != k:
		return nil, fault.BadModel(kind, "%d kernels whose columns end at %v, of %d with %d rows", len(refs), ends, k, len(s.Rows))
	case len(refs) != max(1, len(configured)):
		return nil, fault.BadModel(kind, "fitted with %d kernels, this value has %d", len(refs), len(configured))
	}
	for i, ref := range refs {
		var field kernels.Kernel
		if len(configured) > 0 {
			field = configured[i]
		}
		used, err := ref.Resolve(kind, field)
		if err != nil {
			return nil, err
		}
		out.Kernels = append(out.Kernels, used)
	}
	if err := out.Kernels.ValidateColumns(s.Width); err != nil {
		return nil, fault.BadModel(kind, "kernel: %v", err)
	}
	out.divide(ends)
	return out, nil
}

// Ascending reports whether v is strictly ascending and not negative.
func Ascending(v []int) bool {
	for i, a := range v {
		if a < 0 || i > 0 && a <= v[i-1] {
			return false
		}
	}
	return true
}
