// Package lssvm is the least-squares support vector machine: kernel ridge
// regression with a bias, for regression and for classification, which tunes its
// ridge by exact leave-one-out at the cost of a handful of factorisations.
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
// With M = K + λ diag(1/w), Mη = 1 and Mν = t, from one Cholesky factorisation:
// b = 1'ν/1'η and α = ν - ηb (Suykens and Vandewalle, Neural Processing Letters
// 9, 1999; their C is 1/λ). The same machine is the direct-kernel ridge of
// Embrechts (IJCNN 2004): there K is centred and the targets are centred, which
// without weights gives the same α, so one implementation serves both.
//
// # The ridge
//
// The leave-one-out residual is exact and free of refitting, weights included:
//
//	t[i] - f₋ᵢ(x[i]) = α[i] / P[i,i],    P[i,i] = (M⁻¹)[i,i] - η[i]²/1'η
//
// A Ridge of 0 is the λ of the least weighted mean of its square. Up to 1500 rows K is
// reduced to tridiagonal form once, at 8n³/3; each λ then costs O(n²) in place of O(n³), and
// 33 are looked at. Of more rows two to four λ are, six at most, each by a factor of M and the
// diagonal of its inverse, 2n³/3. Where to look first a sample of a third of the rows, at
// most 1000, says, whose curve shows where the valleys of the error are; then an estimate of
// the slope at each look. The error of each look is exact. Its least has been within 1% of that of
// all ridges in 117 of 120 test problems of 1500 rows, and 2 to 3.3% above it in three, of one
// column and a wide kernel: a valley that the sample does not show can be missed.
//
// [RidgeRule] Heuristic takes min(1, (n/1500)^1.5) in its place, equation (20) of Embrechts, whose printed form did
// not survive in the copies at hand; a text by the same author has min(1, 0.05 (n/200)^1.5), which is within 3%. It
// is a start value for scaled data, not a substitute for tuning.
//
// # The kernel
//
// With neither Kernel nor a ridge set it is the Matérn kernel of ν = 5/2 whose length has the least leave-one-out error at the
// best ridge: on all rows up to 300, on a sample of 300 of more, for about nine lengths between 1/64 and 64 times that of the median
// distance. Without it targets that wave often over the range of a column get the smooth RBF of the median distance, a
// ridge near 0 and intervals that are far too narrow between the rows: see examples/gap. On 17 sets of numbers (five splits each,
// examples/benchmark) the normalised squared error is half that of the median RBF on the geometric mean and at most 3% more; on
// 30 of classes the logarithmic loss is 4% less. Fewer than ten rows, and a given ridge, take kernels.MedianRBF.
//
// # Uncertainty
//
// The machine is also a Gaussian process of covariance s²K with noise s²λ and a
// flat prior on b, so a new observation has the variance
//
//	s² (k(x,x) - k'M⁻¹k + (1 - k'η)²/1'η + λ)
//
// s² is chosen so that the standardised leave-one-out residuals have mean square
// one: s² = mean α[i]²/P[i,i]. Where λ was chosen by leave-one-out that is better
// calibrated than the likelihood's estimate, because both answer the same
// question.
//
// PredictCombinationMatrix has the same, without the noise, for averages of the function over
// rows, differences, and parts of it where the kernel is a sum.
//
// Class probabilities come from a link fitted on the leave-one-out scores, so
// the training rows count as unseen: p[k] ∝ exp(a f[k] + b[k]) with a ≥ 0, by
// Newton's method on targets smoothed as in Platt (1999). With two
// classes that is Platt's sigmoid.
//
// # Cost
//
// Fit: O(n²d + n³) time, and two n×n matrices at most. Where it chooses the ridge of more than
// 1500 rows it is one: the kernel below the diagonal, the factor of each look above it. At 5000
// rows of ten columns, with three looks, that took 2.2 to 2.4 times the processor time of one
// Cholesky factor and the whole inverse, 7.5 to 8.5 s on simdblas (two cores, with other work
// on them; BenchmarkRidge5000 has the ratio of the wall times).
//
// The length takes as much again for 300 rows, and a fixed quarter of a second for more.
// With a ridge that is given Fit takes n³/3: a Regressor's leave-one-out residuals then wait for
// their first reader, which is LeaveOneOutResiduals or PredictVariance. Predict: O(nd) a
// row. Features should be of comparable scale (transformers.StandardScaler).
package lssvm
