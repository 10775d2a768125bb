// Package calibration makes the probabilities of a classifier agree with how often they come true.
//
// [Classifier] wraps an estimator. It fits a link from scores to probabilities, on scores of rows that the estimator
// has not learnt from, and applies the link to the estimator fitted to all rows. [Method] says which link:
//
//	Temperature  p[k] ∝ exp(a f[k])             f the logarithms of the estimator's probabilities
//	Platt        p[k] ∝ exp(a f[k] + b[k])      f its decisions
//	Isotonic     p[k] ∝ g[k](f[k])              f its decisions, each g a step function that never falls
//
// Decision and PredictProba replace each other if an estimator has only one of them, or if only decisions are known
// of the rows left out. a and b minimise the cross-entropy of smoothed labels, and g the squared error (by the pool
// adjacent violators algorithm). With two classes the probability of the first is 1 minus that of the second.
//
// # Scores of rows that were not learnt from
//
// For a least-squares machine ([estimators.LinearSmoother]) whose Decision is its own output, the output without each
// row has a closed form, which takes one fit and one system. Its settings were chosen on all rows, as elsewhere in
// this module. Any other estimator is fitted without each of Folds parts, where it chooses its settings anew, and
// once to all rows.
//
// # What it can and cannot do
//
// Temperature and Platt keep the order of the scores of two classes, and Isotonic keeps it except for ties. None of
// them adds knowledge to a classifier. Isotonic needs some hundred rows of each class. Automatic compares the
// methods by the log loss on parts of the scores that they were not fitted to, and leaves out Isotonic if a class has
// fewer than 100 different rows, because with so few it is now and then much worse than it is on those parts. The
// probabilities are calibrated on average over rows like those of Fit, and not for a given row. For a promise about single
// rows see package conformal.
//
// Sources: J. Platt, Probabilistic outputs for support vector machines, 1999. B. Zadrozny and C. Elkan,
// Transforming classifier scores into accurate multiclass probability estimates, KDD 2002. C. Guo, G. Pleiss, Y.
// Sun and K. Weinberger, On calibration of modern neural networks, ICML 2017.
package calibration
