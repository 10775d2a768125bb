package transformers

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// TransformerTo is the capability to transform into memory of the caller's: what serves
// single rows, and blocks of rows, again and again. All transformers of this package
// have it.
type TransformerTo interface {
	// TransformTo is Transform into dst, which has a row for each of x and the width of
	// Transform's result, or is empty: then it takes that shape, in the memory it has
	// where that is enough, as after Reset. dst and x share no memory. Of up to sixteen
	// rows of a *mat.Dense it allocates nothing else. After an error dst holds nothing
	// of use.
	TransformTo(dst *mat.Dense, x mat.Matrix) error
}

var (
	_ TransformerTo = (*StandardScaler)(nil)
	_ TransformerTo = (*RMSScaler)(nil)
	_ TransformerTo = (*MinMaxScaler)(nil)
	_ TransformerTo = (*UnitRows)(nil)
	_ TransformerTo = (*Imputer)(nil)
	_ TransformerTo = (*OneHot)(nil)
	_ TransformerTo = (*KernelMap)(nil)
	_ TransformerTo = (*KernelCenterer)(nil)
	_ TransformerTo = (*RandomHidden)(nil)
	_ TransformerTo = (*RandomFourier)(nil)
	_ TransformerTo = (*LocallyStationaryFourier)(nil)
	_ TransformerTo = (*Nystroem)(nil)
)

// transformed calls f with an empty matrix and returns what is in it then.
func transformed(f func(dst *mat.Dense, x mat.Matrix) error, x mat.Matrix) (*mat.Dense, error) {
	out := &mat.Dense{}
	if err := f(out, x); err != nil {
		return nil, err
	}
	return out, nil
}

// fits makes an empty dst of n rows and width columns, and returns an error for one of
// another shape.
func fits(dst *mat.Dense, n, width int) error {
	if dst == nil {
		return fault.Shape("dst is nil: it has", 0, "rows", "want %d of %d columns", n, width)
	}
	if dst.IsEmpty() {
		dst.ReuseAs(n, width)
	}
	if rows, columns := dst.Dims(); rows != n || columns != width {
		return fault.Shape("dst has", columns, "columns", "want %d rows of %d, dst has %d rows", n, width, rows)
	}
	return nil
}

// rowByRow transforms few rows. What is not finite in a result, named as what, is an error.
func rowByRow(what string, dst, x *mat.Dense, row func(dst, x []float64)) error {
	n, _ := x.Dims()
	for i := range n {
		out := dst.RawRowView(i)
		row(out, x.RawRowView(i))
		for j, v := range out {
			if v-v != 0 {
				return &fault.NotFiniteError{Name: what, Row: i, Col: j, Value: v}
			}
		}
	}
	return nil
}
