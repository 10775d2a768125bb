// Package gabasr learns the kernel together with the function. The frequencies of random Fourier features are
// sampled from their posterior, under a Dirichlet-process mixture of normal distributions, which is the kernel's
// spectral density. GaBaSR is due to Pena-Llamas et al., Kernel Learning by Spectral Representation and Gaussian
// Mixtures, Appl. Sci. 13 (2023) 2473; it builds on A. Rahimi and B. Recht (NIPS 2007), C. Rasmussen's infinite
// Gaussian mixture (NIPS 2000) and BaNK (J. Oliva and others, AISTATS 2016).
//
// # The model
//
// For M frequencies w, the rows of Ω, p = 2M+1 and s = 1/√M,
//
//	φ(x) = [1, s cos<w1,x>, s sin<w1,x>, s cos<w2,x>, ...]         Stationary
//	y = Φβ + noise,  β ~ N(0, σ² P0⁻¹),  σ² ~ inverse gamma(a0, b0)
//
// P0 is λ for the pairs and InterceptPrecision for the intercept. With A = P0 + Φ'Φ, β̂ = A⁻¹Φ'y, aN = a0 + N/2, bN
// = b0 + ½(|y - Φβ̂|² + β̂'P0β̂) the evidence is
//
//	ln p(y|Ω, λ) = -N/2 ln 2π + ½ Σ ln P0 - ½ ln|A| + a0 ln b0 - aN ln bN + ln Γ(aN)/Γ(a0)
//
// and a new observation has a t distribution of 2aN degrees of freedom, mean φ'β̂ and squared scale (bN/aN)(1 +
// φ'A⁻¹φ). Frequencies: w ~ N(μ[z], Λ[z]⁻¹), z of a Chinese restaurant process of concentration α ~ gamma(1, 1), μ
// ~ N(0, S), Λ ~ Wishart(D+3, ((D+3) S)⁻¹), S the identity times the square of the start's scale; ln λ ~ N(-2, 3²).
//
// Paired has a local frequency v, from a mixture of its own, for each w,
//
//	ψ(x) = s [cos(<v,x>/2) cos<w,x>, cos(<v,x>/2) sin<w,x>, ...]
//
// whose kernel is ½ [k1((x+x')/2) + k1((x-x')/2)] k2(x-x'), see transformers.LocallyStationaryFourier; [AllPairs]
// combines each v with each w.
//
// # A trend
//
// With Trend, φ has polynomials of each column between the intercept and the pairs, orthonormal over the rows (G.
// Forsythe, J. SIAM 5, 1957), q in all. Polynomials that the rows cannot distinguish from others of no higher
// degree are left out: a column of two values only has a line. The coefficients have a flat prior that does not
// depend on σ²: P0 is 0 for them, and
//
//	aN = a0 + (N - q)/2,  N - q in the place of N in the evidence,  no ln P0
//
// which is the limit of a normal prior whose variance, not in units of σ², grows, but for a factor that no
// frequency changes. Polynomials and pairs are learnt together, so that means and variances beyond the rows have
// the trend's uncertainty. Fitting a trend separately and subtracting it would leave out this uncertainty.
//
// # Kept sweeps
//
// Of each kept sweep the frequencies, β̂, aN and bN are kept, and the factor of A of some, Covariances of each
// chain, evenly spaced; for φ'A⁻¹φ a sweep takes that of the middle one of its part of the chain. Means of
// predictions, and the variance between sweeps, are those of all. What that does to variances, and why it is
// neither draws of β nor factors of low rank: docs/measured/gabasr.md.
//
// # A sweep
//
// Neal's Algorithm 8 with one auxiliary component for z, then μ, Λ and α; the sign of each w given its component; a
// Metropolis-Hastings step for each frequency, proposed from its component, so that the ratio is that of the
// evidence; then two steps of a random walk of ln λ. Predictions are averaged over the sweeps after the burn-in,
// and over Chains.
//
// The paper computes the evidence anew for each frequency, O(NM³ + M⁴) a sweep, and leaves low-rank updates to
// later work. Here the pair's two columns are deleted from the Cholesky factor of A by rotations, the old and the
// new pair are compared by their 2×2 Schur complements, and the winner is appended: exact, O(NM + M²). Proposals do
// not depend on each other, so all their products are two matrix products. Positions are scanned from the last,
// which keeps the rotated block small. A sweep is O(NM² + M³), on N = 1000, D = 5 and M = 100, 250, 500 at least
// 25, 100 and 80 times as fast (BenchmarkSweep). With [AllPairs] a frequency has many columns, and each step
// factors anew.
//
// # Mixing
//
// The chains of a posterior of frequencies differ for a long time in frequencies, components and log evidence,
// while their predictions are the same. RHat is therefore the split R̂ (A. Gelman and others, Bayesian Data
// Analysis, 2013) of a new observation: at up to 50 rows of the fit, √(1 + B/W), B the variance of the means that
// the halves of the chains predict and W the mean variance of an observation in a half, with B/W the mean over the
// rows. Coefficients and noise are integrated out in both, as in the predictions, so that no draw adds its own
// noise and no ranks are needed. Converged is an R̂ below 1.01, the limit of A. Vehtari and others, Bayesian
// Analysis 16 (2021): half chains then differ by less than .14 standard deviations of a new observation, and the
// mean of four chains from that of another seed by some .1. R̂ is √(1 + m/n) of m half chains worth n independent
// draws (D. Vats and C. Knudson, Statistical Science 36, 2021), so that four chains are worth 400. A warning says
// by how much predictions differ, and what to set.
//
// With neither Sweeps nor BurnIn set, chains have 25 sweeps, 10 of them burn-in, and where R̂ is not below 1.01
// they go on to 50, 100 and at most 200, of which two fifths are burn-in and every second, fourth or eighth of the
// others is kept: the model has 15 sweeps of each chain whatever it took. After the first 25 a sweep also proposes
// for each frequency a value near it, at a distance between 1/100 and 1 over the median distance of rows: where
// targets are periodic the frequencies of the period are known so closely that those drawn from a component are
// hardly ever accepted. Each machine of a Classifier is continued by itself. docs/measured/gabasr.md has the measurements
// and the alternatives that were tried. R̂ depends only on the rows of the fit: forecasts far beyond them differ by
// more.
//
// # The start
//
// Frequencies w = ε·2^e/(median distance), e from -3 to 2, and λ by decades from 1e-5 to 10, chosen by the
// evidence; with one column e to 6, and each also with half of the frequencies drawn from the periodogram of the
// targets less a parabola, or a Trend's cubic, without which a short cycle is not found. That start alone, random
// features tuned by evidence, is NoSweeps; LogEvidence has its evidence beside that of the kept sweeps. Learning
// pays where M is small for the function; on nearly linear data it changes nothing.
//
// # Classification
//
// Normal, the default, regresses centred labels of ±1 and fits a logistic link to the scores without each row.
// [PolyaGamma] is the logistic likelihood by Pólya-Gamma variables (N. Polson and others, JASA 108, 2013), drawn
// exactly once a sweep. Surrogate is the paper's own. With more than two classes, each is learnt against the rest.
//
// # Weights
//
// A row of weight w counts as w rows: its targets and its row of Φ are multiplied by √w, and N is the sum of the
// weights, in aN and in the evidence; the scaling and the link count it so too. A weight of 2 is the row given
// twice. [PolyaGamma] has no weights of rows and classes: a row of weight w wants a variable of PG(w, f), and the
// exact sampler is for w = 1, whose draws add up to whole numbers alone.
//
// # Deviations from the paper
//
//   - It prints V0 + Φ'Φ where A has V0⁻¹; λ here is a precision. Its V0 = 10⁻⁶ I is
//     ambiguous; λ is sampled.
//   - Its weights of the mixture have N where M is meant, Λj where Λk is, no rule for a
//     component of one frequency, and α for two things. Conditionals here are Neal's.
//   - Its locally stationary map, equation (6), does not approximate the product of kernels
//     that it is for, and no map could: that is not positive semi-definite in general.
//   - It does not scale data. NoScaling does not either.
//   - Its likelihood for classes puts the border at f = 0 with targets of 0 and 1, so that
//     nearly all rows are of class 1. Surrogate has the likelihood, and a fitted link for the
//     border. λ then stays that of the start: least-squares coefficients fit the better the smaller
//     it is. From the same start it ranks rows about as well as Normal (docs/measured/gabasr.md).
//
// # Numerics
//
// There is no explicit inverse. bN comes from residuals and changes by differences of one pair at a time, since y'y
// - β̂'Aβ̂ cancels for close fits. Log ratios agree with the definition to 1e-13 for λ = 1, to some 1e-9 for λ =
// 1e-6. The acceptance rate is no diagnostic: it is high for frequencies that do not matter. See Mixing. The chains
// are checked against the reference numbers in testdata and, each evidence with each map, by Geweke's test of the
// joint distribution or against the definition.
package gabasr
