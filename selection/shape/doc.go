// Package shape learns one length per column of a kernel.
//
// [Search] learns the lengths and the ridge. It follows the gradient of the log evidence of the contrasts of the targets, which
// does not depend on the constant. With C = K + λ diag(1/w), η = C⁻¹1, s = 1'η, P = C⁻¹ - ηη'/s, a = Py and Q = y'Py for n rows,
//
//	F = -(n-1)/2 ln(2πQ/(n-1)) - ln|C|/2 - ln(s)/2 - (n-1)/2,   dF/dC = ((n-1) aa'/Q - P)/2
//
// All derivatives together cost a Cholesky factor and an inverse, regardless of the number of columns (Rasmussen and Williams,
// 2006, 5.8 and 5.9). With few rows and no prior the lengths would follow the noise. The prior is a Student t density of each log
// length around the best common length. It was measured on nine sets, with 30 rows, or with 60 rows to which 50 columns of noise
// were added. The prior never increased the error much. Without it, lengths that follow the noise are not visible in the
// leave-one-out error of the same rows.
//
// The climb begins at the best common length. From there, a wave or a product of a few columns among many cannot be detected. The
// result is therefore compared with climbs from other starting points, and a clearly higher maximum is chosen
// (docs/measured/hidden.md).
//
// For classes, the evidence of targets ±1 treated as numbers chooses lengths that are worse than a common length. Laplace's
// approximation of the evidence of a classifier is better (Rasmussen and Williams, 2006, 3.4 and 5.5.1), and is used.
// docs/measured/shape.md shows the measurements.
//
// # Many rows
//
// Above [MaxExactRows] rows the lengths are learnt on landmarks, with the leave-one-out error
//
//	E = mean of (e/(1-h))²,  e = y - ȳ - z~'u,  h = 1/n + z~'(G + ΛI)⁻¹z~
//
// of ridge regression on features z = T⁻ᵀk(C, x), T'T = K_MM. G = Σ z~z~' is the sum over centred features. The gradient includes
// the kernel between rows and landmarks and that of the landmarks. [ComplexityRegularised] is (σ²d + D + τD/(Λn))/n with d the
// trace of the hat matrix, D = Σe² + Λ|u|² and τ = Σ k(x,x) - |z|² (G. Meanti, L. Carratino, E. De Vito and L. Rosasco, AISTATS
// 2022).
package shape
