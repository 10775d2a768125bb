// Package features computes the features of the two extreme entropy machines (package eem), and the positions of rows along
// directions in the space of the features.
//
// A [Layer] is either [Hidden], which consists of random units, or [Landmarks], which consists of the kernel values with some
// training rows. Layers are nested: the features of a smaller layer are the first features of a larger one. A [Scorer] holds
// directions. For landmarks it holds the coefficients of the directions instead of features, because coefficients cost less for
// each row.
package features
