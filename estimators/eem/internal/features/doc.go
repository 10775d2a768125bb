// Package features computes the features of the two extreme entropy machines (package eem), and the positions of rows along
// directions in the space of the features.
//
// A [Layer] is either [Hidden], random units, or [Landmarks], the kernel with some training rows. Layers are nested: the features
// of a smaller layer are the first features of a larger one. A [Scorer] holds directions. For landmarks it holds the coefficients
// of the directions instead of features, because these cost less for each row.
package features
