// Package svm has support vector machines: classification with the hinge loss (C-SVC) and regression with the
// ε-insensitive loss (ε-SVR). Both are solved by sequential minimal optimisation. The model consists of a part of
// the training rows, the support vectors.
//
// # The machine
//
// For rows x[1..n], a kernel matrix K, targets t and bounds C[i], with f(x) = Σ β[i] k(x, x[i]) + b, the dual
// problem is
//
//	minimise  ½ β'Kβ - t'β + ε Σ|β[i]|    so that  Σ β[i] = 0,  lo[i] ≤ β[i] ≤ hi[i]
//
//	classes    t = ±1, ε = 0, β in [0, C[i]] for t = +1 and in [-C[i], 0] for t = -1
//	targets    t = y, β in [-C[i], C[i]]
//
// (Cortes and Vapnik, Machine Learning 20, 1995; Drucker et al., NIPS 9, 1996). C[i] is C times the weight of the
// row and of its class. β is what others write y[i]α[i], and α[i]-α*[i]: in it both problems are one, of n
// variables where ε-SVR is commonly given 2n.
//
// # The solver
//
// With h = t - Kβ, a β[i] that can grow lowers the objective at the rate h[i]-ε (h[i]+ε below 0), one that can
// shrink raises it at h[i]-ε above 0 and h[i]+ε elsewhere. With m the largest of the first and M the smallest of
// the second the solution is where m ≤ M; the solver stops at m - M ≤ Tolerance (Keerthi et al., Neural Computation
// 13, 2001). Each step moves two variables against each other: i is that of m, j the one that lowers the objective
// most by a second-order estimate (WSS 2 of Fan, Chen and Lin, JMLR 6, 2005, equation 12, and their τ = 1e-12 in
// place of a curvature that is not positive: kernels that are not positive semi-definite reach a stationary point).
// Variables at a bound that want to stay there are set aside (shrinking; Joachims 1999) and looked at again, with h
// computed anew, before the solver stops. b is the mean of h ∓ ε over the β between bounds, or (m+M)/2 where there
// are none.
//
// The kernel matrix is computed whole, in blocks, if CacheBytes can hold it; if not its rows are computed as they
// are asked for, and the least recently used are forgotten.
//
// # ν instead of C or of the tube
//
// With Nu the share of errors is given instead of their price (Schölkopf, Smola, Williamson and Bartlett, Neural
// Computation 12, 2000): at most ν of the rows are beyond the margin or the tube, at least ν are support vectors.
// The dual problem has a second constraint, on the sums of |β| of either sign, with C = 1 for classes:
//
//	classes    each is ν Σ w[i] / 2, and t = 0        (ν-SVC)
//	targets    each is at most ν C Σ w[i] / 2, ε = 0  (ν-SVR)
//
// A step keeps both sums, by two variables of one sign; of targets it may also lower both, or raise them up to the
// limit. With r₊ and r₋ the levels of h of the two signs where no step is left, b = (r₊+r₋)/2 and ε = (r₊-r₋)/2; of
// classes ρ = (r₋-r₊)/2, and everything is divided by ρ, which gives the machine of C = 1/ρ (Chang and Lin, Neural
// Computation 13, 2001). So the margin is at ±1 and Tolerance means what it means elsewhere: the solver stops at m
// - M ≤ ρ Tolerance.
//
// A ν above twice the share of the smaller class, by weights, has no solution and is an error. One so small that
// the classes overlap whichever rows it lets go has ρ = 0, a machine that says nothing: it predicts the class of
// more weight, with a warning in Report, where the squared distance of the reduced hulls is below 1e-8 of the
// largest k(x, x). In the folds of Probabilities ν is at most what a fold has.
//
// # C and the tube from the least-squares machine
//
// Neither C nor Epsilon has to be chosen: where one is 0, the least-squares machine of the same kernel (package
// lssvm), whose ridge λ has a closed-form leave-one-out error, is fitted first, with the λ of the least such error
// from 1e-4 of the mean k(x, x) on. Its loss e²/2λ rises at the rate e/λ, which is its coefficient α[i] of the row.
// The losses here rise at the rate C, so
//
//	targets    C = √(π/2) mean |α|         the standard deviation of a normal α
//	           ε = ½ · 1.4826 median |r|   r the leave-one-out residuals
//	classes    C = 6 rms α                 on ±1, of all classes against the rest
//
// A tube of .61 standard deviations of normal noise has the least variance (with φ and Φ of the normal
// distribution, φ(u) = 2u(1-Φ(u)) at u = ε/σ); r has besides the noise what the machine does not know, which is why
// ε is a little less of it. Means and medians keep a few wild targets from setting either. For classes only the
// rows with the largest coefficients should end at the bound, hence the factor 6. It is a choice: factors from 4 to
// 16 differ by two percent in the mean error of 30 sets. Rows over 1000 are represented by a sample; weights count
// as in package lssvm.
//
// A kernel matrix that is far from positive semi-definite may have no such machine, at any λ. Then C is 1 for
// classes, and for targets their standard deviation and ε a tenth of it; Report has a warning.
//
// docs/choosing.md compares it with C = 1 and with a grid of C and γ.
//
// # More than two classes
//
// There is one machine for each pair of classes, fitted to their rows alone. Each machine has a vote, and the class
// with the most votes is predicted. Ties are decided by the larger sum of decision values.
//
// # Probabilities
//
// With the field Probabilities, p = 1/(1+exp(-(a f + c))) for each two classes, where a and c are fitted to
// decision values of rows that were left out, in five folds (Platt 1999 with the targets (N+1)/(N+2) and 1/(N+2),
// by the Newton method of Lin, Lin and Weng, Machine Learning 68, 2007). Those of more than two classes are coupled
// by the quadratic problem (21) of Wu, Lin and Weng (JMLR 5, 2004). The deviations: folds have the classes in their
// shares, rows count by their weights, and an a below 0 becomes 0. The most probable class can differ from the
// predicted one.
//
// # Cost
//
// Fit: between O(n²) and O(n³), and O(n²d) for the kernel matrix. Predict: O(sd) a row for s support vectors. The
// choice of C or ε adds 8m³/3 for the m ≤ 1000 rows of the least-squares machine. Features should be of comparable
// scale (transformers.StandardScaler); C and Epsilon of a Regressor are in the units of the targets, so that the
// same values give another model on scaled targets.
package svm
