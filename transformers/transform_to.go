package transformers

import (
	"gonum.org/v1/gonum/mat"
)

// TransformerTo is the capability to write the result into memory of the caller. It is for services that repeatedly transform
// single rows or blocks of rows. All transformers of this module have it.
type TransformerTo interface {
	// TransformTo is like Transform but writes to dst, which has a row for each row of x and the width of the result. If dst is
	// empty, for example after Reset, it is given that shape, in its existing memory if that suffices. The matrices dst and x must
	// not share memory. For up to sixteen rows of a *mat.Dense it allocates nothing else. After an error the contents of dst are
	// undefined.
	TransformTo(dst *mat.Dense, x mat.Matrix) error
}
