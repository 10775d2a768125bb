// Package ridge is linear ridge regression, and ridge regression on a kernel matrix
// that stands where features do.
//
// # Regressor
//
// For rows x[1..n] of d features, targets y, weights w and a ridge λ it solves
//
//	minimise  Σ w[i] (y[i] - b - <β, x[i]>)² + λ |β|²
//
// from the d×d matrix of the centred features (Hoerl and Kennard, Technometrics 12,
// 1970), or where d > n from an n×n one. It is package lssvm with the kernel
// kernels.Linear, to rounding, at the cost of the features in place of the rows; so
// it stands at the end of a pipeline whose transformers make features: a Nyström
// map, random features, OneHot.
//
// The leave-one-out residual is exact and free of refitting: the residual over
// 1 - h[i], the leverage h[i] = w[i] (1/Σw + x'(X'WX + λI)⁻¹x) of the centred row.
// A Ridge of 0 is the λ of the least weighted mean of its square,
// from one reduction to tridiagonal form at O(nd) for each λ.
//
// The variance of a new observation at x, with the same calibration as package
// lssvm's, is
//
//	s² (1 + 1/Σw + x'(X'WX + λI)⁻¹x),    s² = mean w[i] e[i]²/(1 - h[i])
//
// # Sums
//
// Means and products of rows and targets, which are merged, give the same coefficients (FitStatistics, PartialFit). What
// asks for single rows is taken otherwise: the ridge is that of the largest evidence, of y as Gaussian with the
// covariance s²(ZZ'/λ + I) for the centred rows Z times √w, on 27 problems .4% worse than leave-one-out on the mean (docs/streams.md); and
// s² is the sum of the squared residuals over n - tr(H).
//
// # Kernels
//
// Behind features that leave out a part of a kernel (transformers.Nystroem) it is too small
// far from the landmarks; pipeline.Regressor adds what is missing, PriorVariance s²/λ times
// k(x, x) - |z|².
//
// # DirectKernel
//
// The direct-kernel ridge regression of Embrechts (IJCNN 2004, Figures 2 and 3)
// takes the centred kernel matrix for the data and solves (K + λI) α = y - ȳ. Behind
// transformers.KernelMap and transformers.KernelCenterer it is package lssvm on the
// same kernel, to 1e-10 (a test of this package holds it). The figure's rectangular
// kernel, on a basis of fewer rows, is plain features: there Regressor is what the
// paper writes, (K'K + λI)⁻¹K'y.
//
// Features should be of comparable scale (transformers.StandardScaler): the penalty
// is on all coefficients alike.
package ridge
