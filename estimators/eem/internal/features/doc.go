// Package features has what the two extreme entropy machines (package eem) see rows through, and what finds the place of rows
// along directions in the space of the features.
//
// A [Layer] is [Hidden], random units, or [Landmarks], the kernel with some training rows. Layers are nested: the first
// features of a layer are those of a smaller one. A [Scorer] holds directions, not features: of landmarks the coefficients
// that give them, which cost less for each row.
package features
