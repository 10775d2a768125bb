package transformers

import (
	"gonum.org/v1/gonum/mat"
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
