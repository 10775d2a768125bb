// Package eem implements the extreme entropy machine (Czarnecki and Tabor, arXiv 1501.05279). It has a hidden layer of random
// units. In the space of the units, it finds the direction along which the classes, as Gaussians, have the largest Cauchy-Schwarz
// divergence. There is no iteration: a fit computes the covariances of the hidden units and solves one linear system.
//
// # The machine
//
// Let m± be the class means of the hidden units, and Σ± their covariances, shrunk by the method of Ledoit and Wolf. Then
//
//	v = (Σ+ + Σ-)⁻¹ (m+ - m-),   q = (m+ - m-)'v,   β = 2v/q
//
// (the paper's Algorithm 1 lacks the square of the norm in the denominator; its equation 4 contains it). On z = β'φ(x) the means of
// the classes are two apart, and the variances are S± = β'Σ±β. The log odds of a row are those of two Gaussians, with the priors p
// and the costs C:
//
//	d(z) = ln N(z; β'm+, S+) - ln N(z; β'm-, S-) + ln (p+ C+)/(p- C-)
//
// A row is of the positive class if d ≥ 0, and its probability is 1/(1+e⁻ᵈ). If the variances differ, there are two thresholds.
// Thresholds returns them in a form that does not cancel when the variances are nearly equal.
//
// By default the classes are balanced, whatever their numbers of rows, as in the paper. Balanced only states this explicitly.
// Priors, EmpiricalPriors, Costs and ClassWeights change it, and their factors are multiplied. More than two classes are decided
// pair by pair from the same statistics: the class with the largest sum of pairwise probabilities is predicted. With Discriminant
// each class is a Gaussian in the space of the discriminant directions.
//
// The direction is that of Fisher's discriminant with shrunk covariances. It is optimal (in Bayes' sense, the paper's Remark 4)
// only if the two covariances are proportional.
//
// # Statistics
//
// For each class a fit needs only the moments of the hidden units, [Statistics], which can be merged. PartialFit adds rows in
// chunks, in one pass and O(h²) memory, and gives the same model as Fit on all rows. Solve, or the first prediction, solves the
// linear system. Several computers can each sum the moments of a share of the rows and send their Statistics to each other.
// NewStages and FitStages do this, also for units that are centred on rows. FitClassStatistics fits to Statistics that you merged
// yourself or stored separately from the model file.
//
// A row of weight w counts w times in every moment, so a weight of 2 is exactly equivalent to repeating the row. Statistics can
// also be subtracted, which HeldOut uses to cross-validate without new fits. FitPath fits machines of several sizes from the sums
// for the largest.
//
// # Degenerate classes
//
// A class with one row, or with a total weight of at most 1, gets the covariance of the other class. If this holds for both
// classes, or if no unit varies, the covariance is the identity. If the means are equal, there is no direction. The class with the
// larger product of prior and cost is then predicted everywhere, and Report contains a warning.
//
// # Cost
//
// Fit costs O(nhd + nh² + h³) for n rows, d columns and h units. Predict costs O(hd) for each row.
package eem
