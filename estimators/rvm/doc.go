// Package rvm has the relevance vector machine: Bayesian regression and classification on the columns of a kernel
// matrix. Each column has a prior precision of its own. Maximising the evidence drives most precisions to infinity,
// and the few columns that remain are the relevance vectors.
//
// # Regression
//
//	t = Φw + b + noise,   noise ~ N(0, 1/β),   w[i] ~ N(0, 1/α[i]),   Φ[n,i] = k(x[n], c[i])
//
// With the members of the model in Φ, H = βΦ'Φ + A, A = diag(α), the posterior of w is N(μ, Σ), Σ = H⁻¹, μ = βΣΦ't,
// and the log evidence
//
//	L = ½ ( N ln β - N ln 2π - ln|H| + Σ ln α - β|t - Φμ|² - μ'Aμ )
//
// (Tipping, Journal of Machine Learning Research 1, 2001). An intercept of [FlatPrior], the default, is integrated
// out, exactly: t and the columns are centred, and N = n-1.
//
// L is climbed one column at a time (Tipping and Faul, AISTATS 2003): from S and Q, what a column's overlap with
// the noise precision and with the residual are, follows the precision at which it adds most, and how much. Every
// change is an update of order nm + Mm, kept only if the evidence, taken anew, rises: the promise of a column that
// lies nearly in the span of the others is rounding, and following it never ends. When no change is left, Newton's
// method moves all precisions and the noise at once (the derivatives are exact), and members that contribute
// nothing are dropped. The evidence has many optima, so the climb begins from several starts, the empty model at
// three noises and, for a basis of at most AllIn, all columns; the highest is kept.
//
// # Kernel
//
// If no kernel is set, it is learnt: it is a Matérn kernel of ν = 5/2 with a length for each column, learnt by the
// evidence of the Gaussian process with this covariance. For classes the evidence is Laplace's approximation. Both
// are those of Shape in package selection. It is climbed on up to 300 rows and then 1000 (300 and 500 of classes;
// fewer of rows of more than 100 columns and of more than two classes), in units of the columns' standard
// deviations: scales of columns do not matter, and uninformative columns get long lengths. On 17 sets the error is
// half that of an RBF of the median distance, in the geometric mean (docs/measured/rvm.md). The machine's own evidence
// cannot be used for this: it is largest for kernels so narrow that they interpolate.
//
// Kernels is a dictionary: every row has a basis function of each kernel, and the evidence selects among them. A
// wide and a narrow one have a trend and its peaks; what the vectors do not see is then that of the sum of the
// kernels.
//
// # Variance
//
// A new observation at x has the variance v(x) = 1/β + φ'Σφ, and 1/(βN) more for [FlatPrior] with φ centred. Far
// from all relevance vectors of a local kernel that is the noise alone, and near them it takes vectors and
// precisions that the targets chose for given: 95% intervals of it hold much less. So the machine is fitted again
// without a fifth of the rows, up to five times, from the start that was the best, and the residuals of the rows
// left out are taken for draws from
//
//	N(0, c v(x) + τ² r(x)),   r(x) = k(x,x) - k_A(x)'K_AA⁻¹k_A(x),   c ≥ 1,
//
// r being what of the kernel the relevance vectors A do not see: 0 at a vector, and k(x,x) far from all. The most
// likely c and τ² make the variance. Between vectors where rows are dense τ² is learnt to be small, so the band
// stays as wide as the noise. How little of a row the vectors may see is known only as far as the refits have rows:
// beyond the r/k of 99% of them the variance rises, on a line, to that of the targets where nothing is seen. Four
// numbers are kept for it, and no rows.
//
// The refits take as long again as the fit, of more than some hundred rows less, for those left out of two or one
// are then enough. NoCalibration omits them, and the variance is then v. Of a kernel that is not positive
// semi-definite on the vectors, and after FitDesign, r is not known: there is c alone. Of a NoiseVariance there is
// no c. PredictAugmented is RVM* (Rasmussen and Quiñonero-Candela, ICML 2005), which opens where there are no rows
// too, but wants all training rows at each prediction.
//
// # Classification
//
// p = 1/(1+e⁻ᶠ), f = Φw with an intercept of precision 1e-6 on its column of unit norm. The posterior is Laplace's
// approximation at its mode, found by Newton's method with halved steps; precisions are re-estimated, each as the
// best for the others by S and Q and then as (1 - αΣ)/w² (MacKay 1992), columns tried by the same S and Q at the
// mode, and kept if the evidence rises. Refine ends with the true gradient of the evidence, which those
// re-estimates leave out. Probabilities are moderated by the variance v of f (MacKay 1992):
//
//	p = 1/(1 + exp(-f/√(1 + πv/8)))
//
// With more than two classes, each class is learnt against the rest, and the probabilities p are divided by their
// sum.
//
// # Weights
//
// A row of weight w counts as w rows: the logarithm of its likelihood is multiplied by it. For regression its
// targets, its row of Φ and that of the column of ones are multiplied by √w, and N is the sum of the weights, less
// 1 for [FlatPrior], in the evidence, in the estimate of the noise and in 1/(βN). So a weight of 2 is the row given
// twice, exactly. FitDesign does not take weights.
//
// # Numerics
//
// Columns are scaled to unit norm; those below 1e-9 of the largest are left out, and one that is nearly a member is
// not added. Targets are in units of their standard deviation within. Every matrix is factored by Cholesky with
// jitter, which Report has; none is inverted on the path of the changes. The kernel need not be positive
// semi-definite. Columns are kept within CacheBytes and evaluated anew beyond that. A basis of up to 4096 columns
// keeps the products of all of them too, where CacheBytes has room: they are matrix products, where one column at a
// time takes a pass over the basis.
//
// # Cost
//
// With n rows, M basis functions (of all kernels) and m relevance vectors: a change O(nm + Mm), a new column O(nM),
// or O(nM²) once for all, a recomputation O(Mm²), a Newton step O(m³ + nm). The refits are fits of one start each.
// Memory CacheBytes and O(Mm). Landmarks or Components bring M down.
package rvm
