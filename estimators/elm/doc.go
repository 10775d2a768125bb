// Package elm has the weighted extreme learning machine (WELM): a hidden layer of random units that are not
// trained, and a weighted least-squares fit of the classes on their outputs. It is the baseline for the extreme
// entropy machine (package eem), in the form of that paper (Czarnecki and Tabor, arXiv 1501.05279) and in that of
// its own (Zong, Huang and Chen, Neurocomputing 101, 2013).
//
// # The machine
//
// With the activations H (n×h) of the training rows, targets T of 1 for the row's class and -1 for the others, and
// W the diagonal of row weights,
//
//	β = (W^½ H)⁺ W^½ T                                    λ = 0, the pseudo-inverse
//	β = (λI + H'WH)⁻¹ H'W T                               λ > 0, n ≥ h
//	β = H'W^½ (λI + W^½ HH' W^½)⁻¹ W^½ T                  λ > 0, n < h
//
// λ, the field Ridge, is the papers' 1/C; by default it is that of the least weighted squared leave-one-out error,
// which is exact and takes one reduction of the units' products. NoRidge is the pseudo-inverse. The last two are
// one machine: the smaller system is solved. There is no intercept. A row is of the class whose column of φ(x)'β is
// largest; of two classes there is one column, and its sign decides.
//
// # Weights
//
// Balanced gives a row n over K times the size of its class, so that every class weighs the same: the entropy
// paper's weight, the size of the largest class over that of its own, and Zong's first, the inverse of the size,
// are that times a number. Zong's second, by which a class larger than the mean weighs .618 times as much, gives up
// rows of large classes for rows of small ones: it is Balanced with a ClassWeights of .618 for those. With the
// pseudo-inverse only the ratios of weights count; with a ridge, weights of s times the size want s times the ridge
// for the same machine.
//
// # The pseudo-inverse
//
// It is found by a QR factorisation with column pivoting, whose columns below max(n, h)·2⁻⁵² of the first are taken
// for 0, and the solution of least norm in what is left; the paper's has singular values below such a limit taken
// for 0. With many units it follows every label, and of about as many units as rows it is no better than chance: a
// ridge is nearly always better (see docs/measured/eem.md).
//
// # Cost
//
// Fit O(nhd + nh min(n, h)), some times that where the ridge is chosen; Predict O(hd) for each row.
package elm
