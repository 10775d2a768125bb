// Package conformal gives predictions intervals and sets with a guarantee that holds for every distribution
// of the rows, and for every estimator.
package conformal
