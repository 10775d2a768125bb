// Package calibration makes the probabilities of a classifier agree with how often its predictions are right.
//
// [Classifier] wraps an estimator. It fits a link from scores to probabilities, on scores of rows to which the estimator was not
// fitted. It applies the link to the estimator that is fitted to all rows. [Method] selects the link:
//
//	Temperature  p[k] ∝ exp(a f[k])             f the logarithms of the estimator's probabilities
//	Platt        p[k] ∝ exp(a f[k] + b[k])      f its decisions
//	Isotonic     p[k] ∝ g[k](f[k])              f its decisions, each g a nondecreasing step function
//
// If an estimator has only one of Decision and PredictProba, or if only decisions are known for the rows left out, the one that is
// known replaces the other. The parameters a and b minimise the cross-entropy of smoothed labels, and g minimises the squared error
// (by the pool adjacent violators algorithm). With two classes the probability of the first is 1 minus that of the second.
//
// # Scores of rows to which the estimator was not fitted
//
// For a least-squares machine ([estimators.LinearSmoother]) whose Decision is its own output, the output without each row has a
// closed form, which costs one fit and one linear system. Its settings are chosen on all rows, as elsewhere in this module. Any
// other estimator is fitted once for each fold, to the rows of the other folds and with its own choice of settings, and once to all
// rows.
//
// # Properties and limits
//
// Temperature and Platt keep the order of the scores of two classes, and Isotonic keeps it except for ties. None of them adds
// information to a classifier. Isotonic needs about a hundred rows of each class. Automatic divides the scores into parts, and
// compares the methods by the log loss on the parts to which they were not fitted. It excludes Isotonic if a class has fewer than
// 100 different rows, because with so little data Isotonic is sometimes much worse on new rows than on these parts. The
// probabilities are calibrated on average over rows like the training rows, but not for a single row. Package conformal gives
// guarantees for single rows.
//
// Sources: J. Platt, Probabilistic outputs for support vector machines, 1999. B. Zadrozny and C. Elkan, Transforming classifier
// scores into accurate multiclass probability estimates, KDD 2002. C. Guo, G. Pleiss, Y. Sun and K. Weinberger, On calibration of
// modern neural networks, ICML 2017.
package calibration
