// Package features computes the features of the two extreme entropy machines (package eem), and the positions of rows along
// directions in the space of the features.
//
// A [Layer] is [Hidden], random units, or [Landmarks], the kernel with some training rows. Layers are nested: the first features of
// a layer are those of a smaller one. A [Scorer] holds directions. For landmarks it holds the coefficients of the directions in
// place of features, which cost less for each row.
package features
