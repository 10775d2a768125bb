// Package svm implements support vector machines: classification with the hinge loss (C-SVC) and regression with the ε-insensitive
// loss (ε-SVR). Both are solved by sequential minimal optimisation. The model consists of some of the training rows, the support
// vectors.
//
// # The machine
//
// For rows x[1..n], a kernel matrix K, targets t and bounds C[i], with f(x) = Σ β[i] k(x, x[i]) + b, the dual problem is
//
//	minimise  ½ β'Kβ - t'β + ε Σ|β[i]|    so that  Σ β[i] = 0,  lo[i] ≤ β[i] ≤ hi[i]
//
//	classes    t = ±1, ε = 0, β in [0, C[i]] for t = +1 and in [-C[i], 0] for t = -1
//	targets    t = y, β in [-C[i], C[i]]
//
// (Cortes and Vapnik, Machine Learning 20, 1995; Drucker et al., NIPS 9, 1996). C[i] is C times the weight of the row and of its
// class. In other texts β is y[i]α[i] for classes and α[i]-α*[i] for targets. With β, classification and regression are one problem
// in n variables. ε-SVR is commonly formulated with 2n variables.
//
// # The solver
//
// Let h = t - Kβ. If β[i] grows, it lowers the objective at the rate h[i]-ε, or h[i]+ε if β[i] is below 0. If β[i] shrinks, it
// raises the objective at the rate h[i]-ε if β[i] is above 0, and h[i]+ε otherwise. Let m be the largest rate of the β that can
// grow, and M the smallest rate of the β that can shrink. A solution has m ≤ M. The solver stops at m - M ≤ Tolerance (Keerthi et
// al., Neural Computation 13, 2001).
//
// Each step moves two variables in opposite directions: i has the rate m, and j lowers the objective most according to a
// second-order estimate (WSS 2 of Fan, Chen and Lin, JMLR 6, 2005, equation 12). Their τ = 1e-12 replaces a curvature that is not
// positive, so that kernels that are not positive semi-definite reach a stationary point. Variables at a bound that would stay
// there are set aside (shrinking; Joachims 1999). Before the solver stops, it recomputes h and considers them again. b is the mean
// of h ∓ ε over the β between bounds, or (m+M)/2 if there are none.
//
// The complete kernel matrix is computed, in blocks, if it fits into CacheBytes. Otherwise its rows are computed when they are
// needed, and the least recently used rows are dropped. The solver is in internal/smo.
//
// # ν instead of C or ε
//
// Nu sets the share of errors instead of their cost (Schölkopf, Smola, Williamson and Bartlett, Neural Computation 12, 2000). At
// most a share ν of the rows is beyond the margin or the tube, and at least a share ν are support vectors. The dual problem has a
// second constraint, on the sum of |β| over each sign of β, with C = 1 for classes:
//
//	classes    each is ν Σ w[i] / 2, and t = 0        (ν-SVC)
//	targets    each is at most ν C Σ w[i] / 2, ε = 0  (ν-SVR)
//
// A step keeps these sums by moving two variables of the same sign. For targets it may also lower both sums, or raise them up to
// the limit. Let r₊ and r₋ be the levels of h for the two signs at which no step is possible. Then b = (r₊+r₋)/2 and ε = (r₊-r₋)/2.
// For classes ρ = (r₋-r₊)/2, and everything is divided by ρ, which gives the machine of C = 1/ρ (Chang and Lin, Neural Computation
// 13, 2001). The margin is then at ±1. The solver stops at m - M ≤ ρ Tolerance, so that Tolerance has its usual meaning.
//
// A ν above twice the share of the smaller class, by weights, has no solution and is an error. If ν is so small that the classes
// overlap whichever rows are left out, ρ is 0, and there is no machine. The model then predicts the class with more weight, and
// Report contains a warning. This happens if the squared distance between the reduced hulls is below 1e-8 of the largest k(x, x).
// In the folds of Probabilities ν is at most the largest that the fold allows.
//
// # C and the tube from the least-squares machine
//
// You need not choose C or Epsilon. If one of them is 0, the least-squares machine with the same kernel (package lssvm) is fitted
// first. Its ridge λ has the smallest leave-one-out error, in closed form, among ridges of at least 1e-4 of the mean of k(x, x).
// Its loss e²/2λ rises at the rate e/λ, which is the coefficient α[i] of the row. The losses here rise at the rate C, so
//
//	targets    C = √(π/2) mean |α|         the standard deviation of a normal α
//	           ε = ½ · 1.4826 median |r|   r the leave-one-out residuals
//	classes    C = 6 rms α                 on ±1, of each class against the others
//
// A tube of 0.61 standard deviations of normal noise has the least variance (with φ and Φ of the normal distribution, φ(u) =
// 2u(1-Φ(u)) at u = ε/σ). The residuals r also contain the errors of the machine, so the factor of ε is a little smaller. Because C
// and ε are computed from a mean and a median, a few outliers do not determine them. For classes only the rows with the largest
// coefficients should end at the bound, hence the factor 6. It is a choice: the mean errors of 30 sets with factors from 4 to 16
// are within 2% of each other. More than 1000 rows are represented by a sample. Weights count as in package lssvm.
//
// If a kernel matrix is far from positive semi-definite, there may be no such machine for any λ. C is then 1 for classes. For
// targets C is their standard deviation and ε a tenth of it. Report contains a warning.
//
// docs/measured/kernels.md compares this rule with C = 1 and with a grid of C and γ.
//
// # More than two classes
//
// There is one machine for each pair of classes, fitted only to the rows of these two classes. Each machine has a vote, and the
// class with the most votes is predicted. In a tie, the class with the larger sum of decision values wins.
//
// # Probabilities
//
// If the field Probabilities is set, p = 1/(1+exp(-(a f + c))) for each pair of classes. a and c are fitted to decision values of
// rows that were left out, in five folds. The targets are (N+1)/(N+2) and 1/(N+2) (Platt 1999), and the method is the Newton method
// of Lin, Lin and Weng (Machine Learning 68, 2007). With more than two classes the pairs are coupled by the quadratic problem (21)
// of Wu, Lin and Weng (JMLR 5, 2004). This implementation differs in three respects: folds are stratified by class, rows count
// according to their weights, and an a below 0 becomes 0. The most probable class can differ from the predicted one.
//
// # Cost
//
// Fit costs between O(n²) and O(n³), plus O(n²d) for the kernel matrix. With s support vectors, Predict costs O(sd) for each row.
// The choice of C or ε adds 8m³/3 for the m ≤ 1000 rows of the least-squares machine. Features should be of comparable scale
// (scalers.StandardScaler). C and Epsilon of a Regressor are in the units of the targets, so for scaled targets the same values
// lead to a different model.
package svm
