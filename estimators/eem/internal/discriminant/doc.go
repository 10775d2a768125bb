// Package discriminant finds the directions along which classes differ most, from their moments (package moments), and models the
// classes as Gaussians on them. Package eem has the formulas and the paper.
//
// A [Projection] is the direction of two classes, with the largest Cauchy-Schwarz divergence. A [Plane] is the space of the
// discriminant directions of all classes, in which each class has its own Gaussian.
package discriminant
