// Package elm implements the weighted extreme learning machine (WELM): a hidden layer of random units that are not trained, and a
// weighted least-squares fit of the classes to their outputs. It is the baseline for the extreme entropy machine (package eem). It
// implements both the form used in that paper (Czarnecki and Tabor, arXiv 1501.05279) and the original form (Zong, Huang and Chen,
// Neurocomputing 101, 2013).
//
// # The machine
//
// Let H (n×h) be the activations of the training rows, let the targets T be 1 for the row's class and -1 for the others, and let W
// be the diagonal matrix of row weights. Then
//
//	β = (W^½ H)⁺ W^½ T                                    λ = 0, the pseudo-inverse
//	β = (λI + H'WH)⁻¹ H'W T                               λ > 0, n ≥ h
//	β = H'W^½ (λI + W^½ HH' W^½)⁻¹ W^½ T                  λ > 0, n < h
//
// The field Ridge is λ, which is 1/C in the papers. If it is 0, λ minimises the weighted squared leave-one-out error, which is
// exact and costs one reduction of H'WH. NoRidge selects the pseudo-inverse. The last two lines give the same machine, and Fit
// solves the smaller system. There is no intercept. A row is assigned to the class whose column of φ(x)'β is largest. With two
// classes there is one column, and its sign determines the class.
//
// # Weights
//
// Balanced gives a row the weight n divided by K times the size of its class, so that every class has the same total weight. Two
// weights from the papers are proportional to it. The entropy paper divides the size of the largest class by that of the row's
// class, and Zong's first weight is the inverse of the size. Zong's second weight multiplies the weights of classes larger than the
// mean by 0.618, which favours small classes further. To use it, set Balanced, and set ClassWeights to 0.618 for those classes.
// With the pseudo-inverse only the ratios of weights matter. With a ridge, multiplying the weights and the ridge by the same number
// gives the same machine.
//
// # The pseudo-inverse
//
// The pseudo-inverse is computed by a QR factorisation with column pivoting. Columns below max(n, h)·2⁻⁵² of the first are treated
// as 0, and the solution has the smallest norm in the remaining space. The paper instead treats singular values below such a limit
// as 0. With many units the pseudo-inverse reproduces every label, and with about as many units as rows it is no better than
// chance. A ridge is nearly always better (see docs/measured/eem.md).
//
// # Cost
//
// Fit costs O(nhd + nh min(n, h)), and several times that if the ridge is chosen. Predict costs O(hd) for each row.
package elm
