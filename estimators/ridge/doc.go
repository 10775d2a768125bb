// Package ridge implements linear ridge regression, and ridge regression whose features are kernel values.
//
// # Regressor
//
// For rows x[1..n] of d features, targets y, weights w and a ridge λ it solves
//
//	minimise  Σ w[i] (y[i] - b - <β, x[i]>)² + λ |β|²
//
// from the d×d matrix of the centred features (Hoerl and Kennard, Technometrics 12, 1970), or from an n×n matrix if d > n. Up to
// rounding it is the machine of package lssvm with the kernel kernels.Linear, but its cost depends on the number of features
// instead of the number of rows. It is therefore a suitable final estimator for a pipeline whose transformers compute features,
// such as a Nyström map, random features or OneHot.
//
// The leave-one-out residual is exact and needs no refit. It is the residual divided by 1 - h[i], where h[i] = w[i] (1/Σw + x'(X'WX
// + λI)⁻¹x) is the leverage of the centred row. If Ridge is 0, λ minimises the weighted mean of the squared residuals. It is found
// from one reduction to tridiagonal form at a cost of O(nd) for each λ.
//
// The variance of a new observation at x, with the same calibration as in package lssvm, is
//
//	s² (1/w̄ + 1/Σw + x'(X'WX + λI)⁻¹x),    s² = mean w[i] e[i]²/(1 - h[i])
//
// where w̄ is the mean weight, or 1 without weights. Only the ratios of the weights matter for the noise.
//
// Fit leaves out equal rows together (package estimators). With [Regressor.Groups] it leaves out all rows of a group G, whose
// residuals are (1 - H[G,G])⁻¹e[G] for the hat matrix H. 1/(1 - h[i]) is then the diagonal of that inverse.
//
// # Sums
//
// FitStatistics and PartialFit use merged means and products of rows and targets, and give the same coefficients for the same
// ridge. They count each row that they receive, including equal rows. Quantities that need single rows are computed differently.
// The ridge is the one with the largest evidence, where y is Gaussian with the covariance s²(ZZ'/λ + I) and Z are the centred rows
// times √w. On 27 problems the error was on average .4% larger than with leave-one-out (docs/measured/streams.md). s² is the sum of
// the squared residuals over n - tr(H).
//
// # Sparse rows
//
// Sparse rows (package sparse) are copied to a dense matrix of at most 8 million numbers (64 MiB). Larger matrices stay sparse. The
// result agrees with a dense fit up to rounding. There are two solvers:
//
//   - With an intercept and up to 4000 distinct rows, the system of the inner products of the rows is solved, with exact
//     leave-one-out. The cost is O(n³).
//   - Otherwise conjugate gradients are used on the rows. The cost of an iteration is proportional to the number of nonzero
//     entries. There is no factor for the leverages, so the ridge is the one with the smallest generalised cross-validation
//     error. Its trace is estimated from random signs with a fixed seed. The error of LeaveOneOutResiduals wraps
//     errors.ErrUnsupported, and Groups cause ErrParam. s² is the sum of the squared residuals over n - tr(H).
//
// Both solvers keep only the coefficients. The errors of the variance and of the intervals wrap errors.ErrUnsupported. Package
// lssvm with kernels.Linear computes variances and intervals.
//
// # Kernels
//
// After features that leave out a part of a kernel (featuremap.Nystroem), the variance is too small far from the landmarks.
// pipeline.Regressor adds the missing part, which is PriorVariance s²/λ times k(x, x) - |z|².
//
// # DirectKernel
//
// The direct-kernel ridge regression of Embrechts (IJCNN 2004, Figures 2 and 3) uses the centred kernel matrix as the data and
// solves (K + λI) α = y - ȳ. After featuremap.KernelMap and featuremap.KernelCenterer it agrees with package lssvm for the same
// kernel to 1e-10, which is tested. The rectangular kernel matrix of the figure, with a basis of fewer rows, consists of ordinary
// features. For these, Regressor solves the formula of the paper, (K'K + λI)⁻¹K'y.
//
// Features should be of comparable scale (scalers.StandardScaler), because the ridge is the same for all coefficients.
package ridge
