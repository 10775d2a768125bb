// Package eem has the extreme entropy machine (Czarnecki and Tabor, arXiv 1501.05279): a hidden layer of random
// units, and in its space the direction along which the classes, as Gaussians, have the largest Cauchy-Schwarz
// divergence. There is no iteration: a fit computes the covariances of the hidden units and solves one system of
// equations.
//
// # The machine
//
// With the class means m± of the hidden units and their covariances Σ±, shrunk after Ledoit and Wolf,
//
//	v = (Σ+ + Σ-)⁻¹ (m+ - m-),   q = (m+ - m-)'v,   β = 2v/q
//
// (the paper's Algorithm 1 lacks the square of the norm in the denominator; its equation 4 has it). On z = β'φ(x)
// the classes have means two apart and variances S± = β'Σ±β; the log odds of a row are those of the two Gaussians,
// with the priors p and costs C:
//
//	d(z) = ln N(z; β'm+, S+) - ln N(z; β'm-, S-) + ln (p+ C+)/(p- C-)
//
// A row is of the positive class where d ≥ 0, and its probability is 1/(1+e⁻ᵈ). Where the variances differ there
// are two thresholds, which Thresholds reports in a form that does not cancel when they are nearly equal.
//
// By default the classes are balanced, whatever their numbers of rows, as in the paper; Balanced only states this
// explicitly. Priors, EmpiricalPriors, Costs and ClassWeights, which are multiplied, change it. More than two
// classes are decided pair by pair from the same statistics: the class with the largest sum of pairwise
// probabilities; or, with Discriminant, as Gaussians in the space of the discriminant directions.
//
// The direction is that of Fisher's discriminant with shrunk covariances. It is optimal (in Bayes' sense, the
// paper's Remark 4) only where the two covariances are proportional.
//
// # Statistics
//
// All that is learnt about a class are the moments of its hidden units, [Statistics], which can be merged.
// PartialFit takes rows in chunks, in one pass and O(h²) memory, and gives the same as Fit on all of them; Solve,
// or the first prediction, solves the system of equations. Several machines can sum shards of their own and send
// each other Statistics. NewStages and FitStages do this, also for units that are centred on rows, and
// FitClassStatistics takes Statistics that were merged by hand or kept beside a model file. A row of weight w
// counts w times in every moment, so that a weight of 2 is the row given twice, exactly. Statistics can be taken
// apart again too: HeldOut cross-validates without fitting again. FitPath fits machines of several sizes on the
// sums of the largest.
//
// # Degenerate classes
//
// A class of one row, or of no more weight than one row, takes the covariance of the other class. If both are such
// classes, or no unit varies, the covariance is the identity. Equal means leave no direction: the class of the
// larger prior and cost is predicted everywhere, and Report says so.
//
// # Cost
//
// Fit of n rows, d columns and h units: O(nhd + nh² + h³). Predict O(hd) for each row.
package eem
