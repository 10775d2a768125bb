// Package discriminant finds the directions along which classes differ most, from their moments (package moments), and models the
// classes as Gaussians on these directions. The documentation of package eem contains the formulas and cites the paper.
//
// A [Projection] is the direction with the largest Cauchy-Schwarz divergence of two classes. A [Plane] is the space of the
// discriminant directions of all classes, in which each class has its own Gaussian.
package discriminant
