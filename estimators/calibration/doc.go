// Package calibration makes the probabilities of a classifier agree with how often they come true.
//
// [Classifier] wraps an estimator. It fits a link from scores to probabilities on scores of rows that the estimator
// has not learnt from, and applies that link to the estimator that is fitted to all rows. [Method] says which link:
//
//	Temperature  p[k] ∝ exp(a f[k])             f the logarithms of the estimator's probabilities
//	Platt        p[k] ∝ exp(a f[k] + b[k])      f its decisions
//	Isotonic     p[k] ∝ g[k](f[k])              f its decisions, each g a step function that never falls
//
// with Decision and PredictProba standing in for each other where an estimator has one of them alone, or where only
// decisions are known of rows left out. a and b minimise the cross-entropy of smoothed labels, g the squared error
// (the pool adjacent violators algorithm); of two classes the probability of the first is 1 less that of the
// second.
//
// # Scores of rows that were not learnt from
//
// A least-squares machine ([estimators.LinearSmoother]) whose Decision is its own output says in closed form what
// it would be without each row: one fit and one system. What its settings were chosen by is all rows, as elsewhere
// in this module. Any other estimator is fitted without each of Folds parts, in which it chooses anew, and once to
// all rows.
//
// # What it can and cannot do
//
// Temperature and Platt keep the order of the scores of two classes, Isotonic does but for ties: none of them makes
// a classifier know more. Isotonic needs some hundred rows of each class; Automatic compares all three by the log
// loss of parts of the scores that they were not fitted to. Calibrated are the probabilities on the average over
// rows like those of Fit, not given a row; for a promise about single rows see package conformal.
//
// Sources: J. Platt, Probabilistic outputs for support vector machines, 1999. B. Zadrozny and C. Elkan,
// Transforming classifier scores into accurate multiclass probability estimates, KDD 2002. C. Guo, G. Pleiss, Y.
// Sun and K. Weinberger, On calibration of modern neural networks, ICML 2017.
package calibration
