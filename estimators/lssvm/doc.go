// Package lssvm implements the least-squares support vector machine: kernel ridge regression with a bias, for regression and
// classification. It chooses its ridge by exact leave-one-out at the cost of a few factorisations. With many rows it solves the
// same system iteratively instead ([Solver]).
//
// # The machine
//
// For rows x[1..n], targets t, a kernel matrix K, a ridge λ and weights w it solves
//
//	minimise  ½ |f|² + 1/(2λ) Σ w[i] (t[i] - f(x[i]) - b)²
//
//	⎡ 0   1'            ⎤ ⎡ b ⎤   ⎡ 0 ⎤
//	⎣ 1   K + λ diag(1/w)⎦ ⎣ α ⎦ = ⎣ t ⎦        prediction: Σ α[i] k(x, x[i]) + b
//
// Let M = K + λ diag(1/w), and solve Mη = 1 and Mν = t with one Cholesky factorisation. Then b = 1'ν/1'η and α = ν - ηb (Suykens
// and Vandewalle, Neural Processing Letters 9, 1999; their C is 1/λ). The direct-kernel ridge of Embrechts (IJCNN 2004) is the same
// machine: it centres K and the targets, which without weights gives the same α.
//
// # Rows that occur more than once
//
// Equal rows are merged into one row, because a row that is left out must not have a copy among the others. Its weight w is the sum
// of their weights, and its target is their weighted mean. Each training row has a leave-one-out residual, from the machine fitted
// without the rows equal to it. With [Regressor.Groups] the machine is fitted without all rows of the same group:
//
//	t[G] - f₋G(x[G]) = P[G,G]⁻¹ α[G]
//
// The variance v of the targets of equal rows around their means, averaged over all rows, is a part of the noise of a new
// observation. Therefore a set with each row twice leads to the same machine as the set itself, and repeated measurements lead to
// the machine of their means. A Ridge that is set applies to rows of weight 1, so it has half its effect if each row is given
// twice. With FitMatrix, rows are equal if all their kernel values are equal.
//
// # The ridge
//
// The leave-one-out residual is exact and needs no refit, also with weights:
//
//	t[i] - f₋ᵢ(x[i]) = α[i] / P[i,i],    P[i,i] = (M⁻¹)[i,i] - η[i]²/1'η
//
// If Ridge is 0, λ minimises the weighted mean of the squared residuals. With up to 1500 rows, K is reduced to tridiagonal form
// once, which costs 8n³/3. Each λ then costs O(n²) instead of O(n³), and 33 values are evaluated. With more rows, two to four
// values are evaluated, at most six. Each needs a Cholesky factor of M and the diagonal of its inverse, which costs 2n³/3. A sample
// of a third of the rows, at most 1000, locates the minima of the error and gives the first value. An estimate of the slope at each
// value gives the next. The error of each evaluated value is exact. The smallest error found was within 1% of the minimum over all
// ridges in 117 of 120 test problems of 1500 rows. In the other three, which had one column and a wide kernel, it was 2 to 3.3%
// above the minimum: a minimum that does not appear in the sample can be missed.
//
// The [RidgeRule] [Heuristic] uses min(1, (n/1500)^1.5) instead. This is equation (20) of Embrechts, whose printed form did not
// survive in the copies at hand. A text by the same author gives min(1, 0.05 (n/200)^1.5), which is within 3%. It is an initial
// value for scaled data, not a substitute for tuning.
//
// # The kernel
//
// If neither Kernel nor a ridge is set, the kernel is the Matérn kernel of ν = 5/2 whose length has the smallest leave-one-out
// error, with the best ridge for each length. The error is computed on at most 300 rows, a sample if there are more, for about nine
// lengths between 1/64 and 64 times that of the median distance. The choice matters for targets that oscillate often over the range
// of a column. Otherwise they would get the smooth RBF of the median distance, a ridge near 0 and intervals that are far too narrow
// between the rows (see examples/gap). On 17 regression sets (five splits each, measurements/benchmark) the geometric mean of the
// normalised squared error is half that of the median RBF, and no error is more than 3% larger. On 30 classification sets the
// logarithmic loss is 4% lower. With fewer than ten rows, or if the ridge is set, the kernel is kernels.MedianRBF. A column that is
// constant in the training rows has no known effect and is left out (kernels.Columns). If a new row has another value there, the
// prediction and the interval do not change.
//
// # Uncertainty
//
// The machine is also a Gaussian process with covariance s²K, noise s²λ and a flat prior on b, so a new observation has the
// variance
//
//	s² (k(x,x) - k'M⁻¹k + (1 - k'η)²/1'η + λ/w̄) + v
//
// where w̄ is the mean weight of the distinct rows.
//
// s² is chosen so that the standardised leave-one-out residuals have mean square one: s² = mean α[i]²/P[i,i]. If λ was chosen by
// leave-one-out, this is better calibrated than the estimate of the likelihood, because both use the same criterion.
//
// [Regressor.PredictCombinationMatrix] gives the same variance, without the noise, for averages of the function over rows, for
// differences, and for parts of the function if the kernel is a sum.
//
// Class probabilities come from a link fitted to the leave-one-out scores, so that the training rows count as new rows. The link is
//
//	p[k] ∝ exp(Σ a[j] g[j](f[k]) + Σ m[k,l] f[l] + b[k])
//
// with four nondecreasing functions g[j]: f, f within ±1/2, the cube of f within ±3/2, and log((1+f)/2), at least log 0.02. The
// logarithm is there because a score estimates 2p - 1. The slopes a[j] are ≥ 0. They are fitted to targets smoothed as in Platt (1999),
// with a small penalty. The matrix m follows if there are three or more classes and at least K² rows (M. Kull et al., Beyond temperature
// scaling, NeurIPS 2019). With it, the most probable class can differ from the one with the largest score. Platt's sigmoid is the link
// with g = f alone. Its log loss is 1% larger for two classes and 12% for more (docs/measured/calibration.md).
//
// # Many rows
//
// [ConjugateGradients] solves the same system without factoring it. An iteration costs O(n²), and 15 to 60 iterations usually
// suffice. Half of the kernel matrix is kept in float32, in 2n² bytes. The part that exceeds MaxKernelBytes is computed again in
// each iteration. RBF, Matérn and Laplacian kernels, with or without lengths and categories, are also computed in float32. This
// takes little more time than reading the matrix. All targets, classes and ridges share a pass over the matrix. The preconditioner
// is a partial Cholesky factor on pivots drawn at random (Y. Chen, E. N. Epperly, J. A. Tropp and R. J. Webber, Communications on
// Pure and Applied Mathematics 78, 2025), with the rank of the lowest cost. If the ridge is small compared with the rounding to
// float32, the solution is corrected with residuals in float64.
//
// The iterations end when further ones would change the predictions of left-out rows by at most a hundredth of their residuals, in
// the root mean square, or three hundredths for classes. The change is estimated from the last iterations. The residual of the
// system bounds the change only for the training rows: with a small ridge, the predictions of other rows change many times as much.
// In a test against exact solutions they changed by at most two hundredths (TestTolerance in internal/fullsystem).
//
// Leave-one-out is estimated. The contribution of a row comes from a factor of the 384 rows nearest to it. Two to eight vectors of
// random signs, which are solved together with the targets, correct the mean of the estimates. The mean square is accurate to a few
// per cent, but a single residual may be wrong by a third. Leave-one-out compares at most five ridges, a factor of three apart. It
// begins with two ridges. It adds a smaller one as long as the error falls by a hundredth, or a larger one as long as the largest
// is best. More than 16 000 rows are compared on 8000 of them, and more than four targets on four random sums of them. If errors
// differ by less than their noise, the larger ridge is chosen. The smallest ridge is 1e-4 times the product of the mean weight and
// the variation of k, which is the mean k(x, x) minus the mean of all k. Smaller ridges give about the same error for targets
// without noise, and need many iterations.
//
// The variance uses the 128 rows nearest to x, as measured by the kernel, and 200 pivots for all other rows. In a test its median
// deviation from the exact variance is within 15% (TestLeavingOut in internal/fullsystem). It costs O(n) for a row. It is not
// available as a graph.
//
// The result does not depend on the number of Workers.
//
// # Cost
//
// With a factorisation, Fit takes O(n²d + n³) time, and memory for at most two n×n matrices. If Fit chooses the ridge for more than
// 1500 rows, it needs one matrix, with the kernel below the diagonal and the current factor above it. With 5000 rows of ten columns
// and three evaluated ridges, Fit took 2.2 to 2.4 times the processor time of one Cholesky factor and the full inverse. That was
// 7.5 to 8.5 s with simdblas, on two cores while other programs ran. BenchmarkRidge5000 reports the ratio of the wall times.
//
// The choice of the length doubles the time for 300 rows, and takes a quarter of a second for any larger number of rows. If the
// ridge is set, Fit costs n³/3. The leave-one-out residuals of a Regressor are then computed in the first call of
// LeaveOneOutResiduals or PredictVariance. Predict costs O(nd) for each row. Features should be of comparable scale
// (scalers.StandardScaler).
//
// # Sparse rows
//
// Sparse rows (package sparse) stay sparse in fits, predictions and files if Kernel is set and accepts them, as kernels.Linear and
// kernels.RBF do (kernels.TakesSparseRows). With any other kernel, or none, Fit makes a dense copy of at most 8 GiB. Methods that
// return rows, graphs or smoothers also make a dense copy.
package lssvm
