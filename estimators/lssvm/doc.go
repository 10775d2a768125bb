// Package lssvm is the least-squares support vector machine: kernel ridge regression with a bias, for regression
// and for classification, which tunes its ridge by exact leave-one-out at the cost of a handful of factorisations. With
// many rows it iterates on the same system instead ([Solver]).
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
// With M = K + λ diag(1/w), Mη = 1 and Mν = t, from one Cholesky factorisation: b = 1'ν/1'η and α = ν - ηb (Suykens
// and Vandewalle, Neural Processing Letters 9, 1999; their C is 1/λ). The same machine is the direct-kernel ridge
// of Embrechts (IJCNN 2004): there K is centred and the targets are centred, which without weights gives the same
// α, so one implementation serves both.
//
// # Rows that occur more than once
//
// Equal rows are one row, whose weight w is the sum of their weights and whose target is their weighted mean, since a row
// that is left out must not have a copy among the others. The leave-one-out residuals are those of the rows given, each
// from the machine without the rows that are equal to it; with [Regressor.Groups], without all rows of its group:
//
//	t[G] - f₋G(x[G]) = P[G,G]⁻¹ α[G]
//
// The variance v of the targets of equal rows around their means, averaged over all rows, is a part of the noise of a new
// observation. So each row twice makes the machine of each row once, and repeated measurements the machine of their
// means. A Ridge that is set is for rows of weight 1, so it has half of its effect if each row is there twice. With
// FitMatrix, rows are equal if all their kernel values are.
//
// # The ridge
//
// The leave-one-out residual is exact and free of refitting, weights included:
//
//	t[i] - f₋ᵢ(x[i]) = α[i] / P[i,i],    P[i,i] = (M⁻¹)[i,i] - η[i]²/1'η
//
// If Ridge is 0, λ minimises the weighted mean of the squared residuals. With up to 1500 rows, K is reduced to
// tridiagonal form once, which costs 8n³/3. Each λ then costs O(n²) instead of O(n³), and 33 values are evaluated.
// With more rows, two to four values are evaluated, at most six. Each needs a Cholesky factor of M and the diagonal
// of its inverse, which costs 2n³/3. A sample of a third of the rows, at most 1000, shows where the minima of the
// error are and so where to begin; then an estimate of the slope at each value gives the next. The error of each
// evaluated value is exact. The least error found was within 1% of the minimum over all ridges in 117 of 120 test
// problems of 1500 rows, and 2 to 3.3% above it in the other three, which had one column and a wide kernel: a
// minimum that the sample does not show can be missed.
//
// The [RidgeRule] [Heuristic] takes min(1, (n/1500)^1.5) instead. This is equation (20) of Embrechts, whose printed
// form did not survive in the copies at hand. A text by the same author has min(1, 0.05 (n/200)^1.5), which is
// within 3%. It is a start value for scaled data, not a substitute for tuning.
//
// # The kernel
//
// If neither Kernel nor a ridge is set, the kernel is the Matérn kernel of ν = 5/2 whose length has the least
// leave-one-out error at its best ridge. The error is computed on all rows up to 300, and on a sample of 300 rows
// if there are more, for about nine lengths between 1/64 and 64 times that of the median distance. Without this
// choice, targets that oscillate often over the range of a column would get the smooth RBF of the median distance,
// a ridge near 0 and intervals that are far too narrow between the rows: see examples/gap. On 17 sets of numbers
// (five splits each, measurements/benchmark) the normalised squared error is half that of the median RBF on the
// geometric mean and at most 3% more; on 30 of classes the logarithmic loss is 4% less. With fewer than ten rows,
// or with a given ridge, the kernel is kernels.MedianRBF. A column that is constant in the training rows is left out
// (kernels.Columns): nothing was learnt about it. Where it has another value later, the prediction and the
// interval do not change.
//
// # Uncertainty
//
// The machine is also a Gaussian process of covariance s²K with noise s²λ and a flat prior on b, so a new
// observation has the variance
//
//	s² (k(x,x) - k'M⁻¹k + (1 - k'η)²/1'η + λ/w̄) + v
//
// where w̄ is the mean weight of the distinct rows.
//
// s² is chosen so that the standardised leave-one-out residuals have mean square one: s² = mean α[i]²/P[i,i]. Where
// λ was chosen by leave-one-out that is better calibrated than the likelihood's estimate, because both answer the
// same question.
//
// [Regressor.PredictCombinationMatrix] gives the same variance, without the noise, for averages of the function
// over rows, for differences, and for parts of the function if the kernel is a sum.
//
// Class probabilities come from a link fitted on the leave-one-out scores, so the training rows count as unseen:
// p[k] ∝ exp(a f[k] + b[k]) with a ≥ 0, by Newton's method on targets smoothed as in Platt (1999). With two classes
// that is Platt's sigmoid.
//
// # Many rows
//
// [ConjugateGradients] solves the same system without a factor of it, in O(n²) for each iteration, of which there are mostly 15 to
// 60. The kernel matrix is kept in float32, half of it, 2n² bytes; what MaxKernelBytes does not hold of it is computed again in each
// iteration. RBF, Matérn and Laplacian kernels, with lengths and categories or without, are computed in float32 too, in little
// more than the time of reading them. All targets, classes and ridges share a pass over it. The preconditioner is a partial Cholesky
// factor on pivots drawn at random (Y. Chen, E. N. Epperly, J. A. Tropp and R. J. Webber, Communications on Pure and Applied
// Mathematics 78, 2025), of a rank that costs least. Where the ridge is small beside the rounding to float32, the solution is corrected
// by residuals in float64.
//
// The iterations end when predictions of rows that are left out would change by at most a hundredth of their residuals, in
// the root mean square, or three hundredths of classes, by an estimate from the last iterations. The residual of the system, a bound for
// the training rows, is no such thing: with a small ridge predictions of other rows change many times as much. In a test
// against factors those changed by two hundredths at most (TestTolerance of internal/fullsystem).
//
// Leaving rows out is estimated: what a row adds to the others comes from a factor of 384 rows near it, and two to eight vectors
// of random signs, solved together with the targets, make it right on the mean. The mean square is right within some per cent, a
// single residual may be wrong by a third. Ridges a factor of three apart are compared by it, from a larger
// one down as long as the error falls by a hundredth, five at most, of more than 16 000 rows on 8000 of them, and of more than four targets
// for four random sums of them. The larger ridge is taken where errors differ by less than their noise. Ridges below 1e-4 of the mean
// weight and of what k varies, the mean k(x, x) less the mean of all k, are not tried: with targets free of noise the error
// there is about the same, and the iterations are many.
//
// The variance takes the 128 rows nearest to x, in units of the kernel, and what 200 pivots say of all others. It is within 15% of that
// of the factor in the median of a test (TestLeavingOut of internal/fullsystem), and takes O(n) for a row. As a graph it cannot be
// written.
//
// The result does not depend on the number of Workers.
//
// # Cost
//
// By a factor, Fit takes O(n²d + n³) time, and two n×n matrices at most. If Fit chooses the ridge for more than 1500 rows, it needs
// one matrix, with the kernel below the diagonal and the current factor above it. With 5000 rows of ten columns and
// three evaluated ridges, Fit took 2.2 to 2.4 times the processor time of one Cholesky factor and the whole
// inverse, 7.5 to 8.5 s on simdblas (two cores, with other work on them; BenchmarkRidge5000 has the ratio of the
// wall times).
//
// Choosing the length doubles the time for 300 rows, and takes a fixed quarter of a second for more rows. If the
// ridge is given, Fit takes n³/3. The leave-one-out residuals of a Regressor are then computed at the first call of
// LeaveOneOutResiduals or PredictVariance. Predict: O(nd) for each row. Features should be of comparable scale
// (scalers.StandardScaler).
//
// # Sparse rows
//
// Sparse rows (package sparse) stay sparse in fits, predictions and files if Kernel is set and takes them, as kernels.Linear and
// kernels.RBF do (kernels.TakesSparseRows). With any other kernel, or none, Fit makes a dense copy of at most 8 GiB. Methods that
// return rows, graphs and smoothers make one, too.
package lssvm
