// Package moments sums the moments of the rows of a class. The extreme entropy machine (package eem) needs only these moments of a
// class.
//
// # Moments
//
// With y = x - m and rows of weight w, which is 1 by default,
//
//	n = Σ w,  m,  C2 = Σ w yy',  C3 = Σ w |y|² y,  C4 = Σ w |y|⁴
//
// They determine the covariance and its shrinkage by the method of Ledoit and Wolf. They can be merged and subtracted, so rows may
// come in blocks and from several computers, and may be removed again. All moments are about the mean, because raw moments would
// lose every digit if the rows had a large common offset. The rounding error of the mean is stored with it for the same reason.
//
// # Sums
//
// An [Accumulator] adds a panel of rows at a time, in columns. It sums the moments for several numbers of features at once, because
// nearly all of the cost is the symmetric product for the largest number.
package moments
