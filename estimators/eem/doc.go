// Package eem is the extreme entropy machine (Czarnecki and Tabor, arXiv 1501.05279): a
// hidden layer of random units, and in its space the direction on which the classes,
// as Gaussians, have the largest Cauchy-Schwarz divergence. Nothing is iterated: a fit
// is the covariances of the hidden units and one system of equations.
//
// # The machine
//
// With the class means m± of the hidden units and their covariances Σ±, shrunk after
// Ledoit and Wolf,
//
//	v = (Σ+ + Σ-)⁻¹ (m+ - m-),   q = (m+ - m-)'v,   β = 2v/q
//
// (the paper's Algorithm 1 lacks the square of the norm in the denominator; its
// equation 4 has it). On z = β'φ(x) the classes have means two apart and variances
// S± = β'Σ±β; the log odds of a row are those of the two Gaussians, with the priors p
// and costs C:
//
//	d(z) = ln N(z; β'm+, S+) - ln N(z; β'm-, S-) + ln (p+ C+)/(p- C-)
//
// A row is of the positive class where d ≥ 0, and its probability is 1/(1+e⁻ᵈ). Where
// the variances differ there are two thresholds, which Thresholds reports in a form
// that does not cancel when they are nearly equal.
//
// By default the classes are balanced, whatever their numbers, as in the paper: Balanced
// only says so aloud. Priors, EmpiricalPriors, Costs and ClassWeights, which multiply each
// other, say otherwise. More than two classes are decided pair by pair on
// the same statistics: the class with the largest sum of pairwise probabilities; or, with
// Discriminant, as Gaussians in the space of the discriminant directions.
//
// The direction is that of Fisher's discriminant with shrunk covariances. It is optimal
// (in Bayes' sense, the paper's Remark 4) only where the two covariances are proportional.
//
// # Statistics
//
// All that is learnt of a class are the moments of its hidden units, Statistics, which
// can be merged: PartialFit takes rows in chunks, of one pass and O(h²) memory, and
// gives what Fit gives on all of them, and Solve, or the first prediction, solves the system
// of equations; several machines can sum shards of their own and send each other
// Statistics: NewStages and FitStages do it, units on rows included, and FitClassStatistics
// takes what was merged by hand, or kept beside a model file. A row of weight w counts w times in every moment, so that a weight of 2 is the
// row given twice, exactly. Statistics can be taken apart again too: HeldOut cross-validates
// without fitting again. FitPath fits machines of several sizes on the sums of the largest.
//
// # Degenerate classes
//
// A class of one row, or of no more weight, takes the other's covariance; where both do, or
// no unit varies, the covariance is the identity. Equal means leave no direction: the class of
// the larger prior and cost is predicted everywhere, and Report says so.
//
// # Cost
//
// Fit of n rows, d columns and h units: O(nhd + nh² + h³). Predict O(hd) for each row.
package eem
