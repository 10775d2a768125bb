// Package rvm implements the relevance vector machine: Bayesian regression and classification on the columns of a kernel matrix.
// Each column has a separate prior precision. Maximising the evidence drives most precisions to infinity, and the few columns that
// remain are the relevance vectors.
//
// # Regression
//
//	t = Φw + b + noise,   noise ~ N(0, 1/β),   w[i] ~ N(0, 1/α[i]),   Φ[n,i] = k(x[n], c[i])
//
// Let Φ hold the columns of the model, its members, and let H = βΦ'Φ + A with A = diag(α). The posterior of w is N(μ, Σ) with Σ =
// H⁻¹ and μ = βΣΦ't. The log evidence is
//
//	L = ½ ( N ln β - N ln 2π - ln|H| + Σ ln α - β|t - Φμ|² - μ'Aμ )
//
// (Tipping, Journal of Machine Learning Research 1, 2001). An intercept of [FlatPrior], the default, is integrated out exactly: t
// and the columns are centred, and N = n-1.
//
// L is maximised one column at a time (Tipping and Faul, AISTATS 2003). For a column φ and the covariance C of the targets under
// the model, let S = φ'C⁻¹φ and Q = φ'C⁻¹t. From them follow the precision at which the column adds most to L, and the amount that
// it adds. Each change is an update that costs O(nm + Mm). A change is kept only if the recomputed evidence rises. If a column lies
// nearly in the span of the others, its promised gain is a rounding error. A search that followed such gains would never end. When
// no change promises a gain, Newton's method changes all precisions and the noise at once, with exact derivatives, and members that
// contribute nothing are dropped. The evidence has many optima. The optimisation is therefore run from several initial models: the
// empty model with three noise levels and, for a basis of at most AllIn columns, the model of all columns. The model with the
// highest evidence is kept.
//
// # Kernel
//
// If no kernel is set, Fit uses a Matérn kernel of ν = 5/2 with a length for each column. The lengths maximise the evidence of the
// Gaussian process with this covariance, as Shape in package selection does. For classes, Laplace's approximation of the evidence
// is used. They are chosen on up to 300 rows and then on up to 1000 (300 and 500 for classes, and fewer with more than 100 columns
// or more than two classes). Lengths are in units of the columns' standard deviations, so the scales of columns do not matter, and
// uninformative columns get long lengths. A column that is constant in the training rows is left out (kernels.Columns). Like Shape,
// the search also begins from other lengths, and keeps a result if its evidence is clearly higher (docs/measured/hidden.md). On 17
// sets the geometric mean of the error is half that with an RBF kernel of the median distance (docs/measured/rvm.md). The machine's
// own evidence cannot be used for this: it is largest for kernels so narrow that they interpolate.
//
// Kernels is a dictionary: every row has a basis function for each kernel, and the evidence selects among them. A wide and a narrow
// kernel together describe a trend and its peaks. The r(x) below is then that of the sum of the kernels.
//
// # Variance
//
// A new observation at x has the variance v(x) = 1/β + φ'Σφ. With [FlatPrior] it is larger by 1/(βN), and φ is centred. Far from
// all relevance vectors of a local kernel this is the variance of the noise alone. Near them it treats the vectors and the
// precisions as fixed, although they were fitted to the targets, so its 95% intervals cover too little. The machine is therefore
// fitted again without a fifth of the rows, up to five times, from the best initial model. The residuals of the left-out rows are
// modelled as draws from
//
//	N(0, c v(x) + τ² r(x)),   r(x) = k(x,x) - k_A(x)'K_AA⁻¹k_A(x),   c ≥ 1,
//
// where r is the part of the kernel that the relevance vectors A do not explain. It is 0 at a vector, and k(x,x) far from all
// vectors. The variance uses the most likely c and τ². If rows are dense between the vectors, the fitted τ² is small, and the
// intervals stay as wide as the noise. The refits have few rows with a large r/k. Beyond the r/k of 99% of these rows the variance
// therefore rises linearly, up to the variance of the targets where the vectors explain nothing. The model keeps four numbers for
// this, and no rows.
//
// The refits take as long as the fit itself. With more than a few hundred rows they take less time, because one or two refits are
// then enough. NoCalibration omits them, and the variance is then v. If the kernel is not positive semi-definite on the vectors,
// and after FitDesign, r is not known, and only c is fitted. If NoiseVariance is set, c is 1. PredictAugmented is RVM* (Rasmussen
// and Quiñonero-Candela, ICML 2005). Its variance also grows in regions without rows, but each prediction needs all training rows.
//
// # Classification
//
// p = 1/(1+e⁻ᶠ), f = Φw, with an intercept of precision 1e-6 on its column of unit norm. The posterior is Laplace's approximation
// at its mode, which Newton's method with halved steps finds. Each precision is re-estimated as the best one given the others, from
// S and Q, and then as (1 - αΣ)/w² (MacKay 1992). Columns are proposed by the same S and Q at the mode, and kept if the evidence
// rises. With Refine, the fit ends with steps along the true gradient of the evidence, which these estimates only approximate.
// Probabilities are moderated by the variance v of f (MacKay 1992):
//
//	p = 1/(1 + exp(-f/√(1 + πv/8)))
//
// With more than two classes, each class is fitted against the others, and the probabilities p are divided by their sum.
//
// # Weights
//
// A row of weight w counts as w rows: the logarithm of its likelihood is multiplied by w. For regression its target, its row of Φ
// and its element in the column of ones are multiplied by √w. N is then the sum of the weights, minus 1 for [FlatPrior], in the
// evidence, in the estimate of the noise and in 1/(βN). Equal rows are merged into one row with the sum of their weights, and with
// the mean of their targets or the shares of their classes. A weight of 2 is therefore exactly equivalent to the row given twice.
// Unless NoiseVariance is set, the weights of distinct rows are divided by their mean, because copies of a row are no additional
// evidence. FitDesign does not accept weights.
//
// # Numerics
//
// Columns are scaled to unit norm. Columns whose norm is below 1e-9 of the largest are left out, and a column that nearly equals a
// member is not added. During the fit, the targets are in units of their standard deviation. Every matrix is factored by Cholesky's
// method with jitter, which Report states, and the updates invert no matrix. The kernel need not be positive semi-definite. Columns
// are kept up to CacheBytes. Other columns are evaluated whenever they are needed. For a basis of up to 4096 columns the products
// of all pairs of columns are kept as well, if CacheBytes has room. They are computed as matrix products, which are faster than a
// pass over the basis for each column.
//
// # Cost
//
// With n rows, M basis functions (for all kernels together) and m relevance vectors, a change costs O(nm + Mm), a recomputation
// O(Mm²), and a Newton step O(m³ + nm). A new column costs O(nM). If all products are kept, they cost O(nM²) once. Each refit is a
// fit from one initial model. The memory is CacheBytes plus O(Mm). Landmarks or Components make M smaller.
package rvm
