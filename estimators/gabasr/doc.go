// Package gabasr estimates the kernel together with the function. The frequencies of random Fourier features are sampled from their
// posterior, under a Dirichlet-process mixture of normal distributions, which is the kernel's spectral density. GaBaSR was
// introduced by Pena-Llamas et al., Kernel Learning by Spectral Representation and Gaussian Mixtures, Appl. Sci. 13 (2023) 2473. It
// builds on A. Rahimi and B. Recht (NIPS 2007), C. Rasmussen's infinite Gaussian mixture (NIPS 2000) and BaNK (J. Oliva and others,
// AISTATS 2016).
//
// # The model
//
// For M frequencies w, the rows of Ω, p = 2M+1 and s = 1/√M,
//
//	φ(x) = [1, s cos<w1,x>, s sin<w1,x>, s cos<w2,x>, ...]         Stationary
//	y = Φβ + noise,  β ~ N(0, σ² P0⁻¹),  σ² ~ inverse gamma(a0, b0)
//
// P0 is λ for the pairs and InterceptPrecision for the intercept. With A = P0 + Φ'Φ, β̂ = A⁻¹Φ'y, aN = a0 + N/2, bN = b0 + ½(|y -
// Φβ̂|² + β̂'P0β̂) the evidence is
//
//	ln p(y|Ω, λ) = -N/2 ln 2π + ½ Σ ln P0 - ½ ln|A| + a0 ln b0 - aN ln bN + ln Γ(aN)/Γ(a0)
//
// and a new observation has a t distribution with 2aN degrees of freedom, mean φ'β̂ and squared scale (bN/aN)(1 + φ'A⁻¹φ). The
// prior of the frequencies is w ~ N(μ[z], Λ[z]⁻¹), with μ ~ N(0, S) and Λ ~ Wishart(D+3, ((D+3) S)⁻¹). The component z comes from a
// Chinese restaurant process of concentration α ~ gamma(1, 1). S is the identity times the square of the initial scale. The prior
// of λ is ln λ ~ N(-2, 3²).
//
// [Paired] has a local frequency v for each w, drawn from a second mixture,
//
//	ψ(x) = s [cos(<v,x>/2) cos<w,x>, cos(<v,x>/2) sin<w,x>, ...]
//
// The kernel of this map is ½ [k1((x+x')/2) + k1((x-x')/2)] k2(x-x'); see featuremap.LocallyStationaryFourier. [AllPairs] combines
// each v with each w.
//
// # A trend
//
// With Trend, φ contains q polynomials of the columns between the intercept and the pairs. They are orthonormal over the rows (G.
// Forsythe, J. SIAM 5, 1957). Polynomials that the rows cannot distinguish from others of the same or a lower degree are left out.
// A column with two values, for example, has only a line. The coefficients have a flat prior that does not depend on σ²: P0 is 0
// for them, and
//
//	aN = a0 + (N - q)/2,  N - q instead of N in the evidence, no ln P0
//
// Except for a factor that does not depend on the frequencies, this is the limit of a normal prior whose variance, not in units of
// σ², grows. Polynomials and pairs are fitted together, so that means and variances beyond the rows contain the uncertainty of the
// trend. Fitting a trend separately and subtracting it would leave out this uncertainty.
//
// # Kept sweeps
//
// The model keeps the frequencies, β̂, aN and bN of each kept sweep. It keeps the factor of A for only some sweeps: Covariances of
// them in each chain, evenly spaced. A chain is divided into parts, and all sweeps of a part use the φ'A⁻¹φ of the middle one.
// Means of predictions, and the variance between sweeps, use all kept sweeps. docs/measured/gabasr-sampling.md reports the effect
// on the variances, and explains why the model keeps neither draws of β nor low-rank factors.
//
// # A sweep
//
// A sweep updates z by Neal's Algorithm 8 with one auxiliary component, and then μ, Λ and α. It draws the sign of each w given its
// component. For each frequency it makes a Metropolis-Hastings step with a proposal from the frequency's component, so that the
// acceptance ratio is the ratio of the evidences. It ends with two steps of a random walk in ln λ. Predictions are averaged over
// the sweeps after the burn-in, and over Chains.
//
// The paper recomputes the evidence for each frequency, O(NM³ + M⁴) for a sweep, and leaves low-rank updates to later work. Here
// rotations delete the two columns of the pair from the Cholesky factor of A. The old and the new pair are compared by their 2×2
// Schur complements, and the accepted pair is appended. This is exact and costs O(NM + M²). Proposals do not depend on each other,
// so all their products are computed as two matrix products. Positions are scanned from the last, which keeps the rotated block
// small. A sweep costs O(NM² + M³). With N = 1000, D = 5 and M = 100, 250 and 500 it is at least 25, 100 and 80 times as fast as
// the paper's (BenchmarkSweep). With [AllPairs] a frequency has many columns, and each step computes a new factor.
//
// # Mixing
//
// The chains of a posterior of frequencies differ for a long time in frequencies, components and log evidence, while their
// predictions are already the same. RHat is therefore the split R̂ (A. Gelman and others, Bayesian Data Analysis, 2013) of a new
// observation. It is √(1 + B/W) at up to 50 rows of the fit. B is the variance of the means that the halves of the chains predict,
// W is the mean variance of an observation in a half, and B/W is the mean over the rows. Coefficients and noise are integrated out
// in B and W, as in the predictions, so no draw adds its own noise and no ranks are needed.
//
// Converged means that R̂ is below 1.01, the limit of A. Vehtari and others, Bayesian Analysis 16 (2021). The half chains then
// differ by less than 0.14 standard deviations of a new observation, and the mean of four chains differs from that of another seed
// by about 0.1. R̂ is √(1 + m/n) for m half chains that are worth n independent draws (D. Vats and C. Knudson, Statistical Science
// 36, 2021), so four chains at the limit are worth 400 draws. A warning states by how much predictions differ, and which settings
// help.
//
// If neither Sweeps nor BurnIn is set, chains have 25 sweeps, 10 of them burn-in. If R̂ is then not below 1.01, they continue to
// 50, 100 and at most 200 sweeps. Two fifths of these are burn-in, and every second, fourth or eighth of the other sweeps is kept,
// so the model always contains 15 sweeps of each chain. After the first 25, a sweep also proposes for each frequency a value near
// it, at a distance between 1/100 and 1 over the median distance of rows. If targets are periodic, the frequencies of the period
// are known so closely that values drawn from a component are hardly ever accepted. Each machine of a Classifier is continued
// separately. docs/measured/gabasr-sampling.md reports measurements and alternatives. R̂ depends only on the training rows: with
// another seed, forecasts far beyond them differ by more.
//
// # The initial model
//
// A chain starts from frequencies w = ε·2^e/(median distance), with e from -3 to 2, and λ from 1e-5 to 10 in decades. The evidence
// chooses e and λ. With one column e goes up to 6. Each candidate is also tried with half of the frequencies drawn from the
// periodogram of the targets minus a parabola, or minus the cubic of a Trend. Without this a short cycle is not found. With
// NoSweeps this initial model is the result: random features tuned by the evidence. LogEvidence returns its evidence and that of
// the kept sweeps. Sampling helps if M is small for the function. On nearly linear data it changes nothing.
//
// # Classification
//
// Normal, the default, regresses centred labels of ±1 and fits a logistic link to the leave-one-out scores. [PolyaGamma] is the
// logistic likelihood with Pólya-Gamma variables (N. Polson and others, JASA 108, 2013), drawn exactly, once in each sweep.
// [Surrogate] is the likelihood of the paper. With more than two classes, each class is fitted against the others.
//
// # Weights
//
// A row of weight w counts as w rows: its target and its row of Φ are multiplied by √w. In aN and in the evidence, N is the sum of
// the weights. The scaling and the link use the weights in the same way. Equal rows are merged into one row with the sum of their
// weights, so that a weight of 2 is equivalent to the row given twice. Unless Ridge is set, the weights of distinct rows are
// divided by their mean, because copies of a row are no additional evidence. [PolyaGamma] supports no weights of rows or classes. A
// row of weight w would need a variable from PG(w, f). The exact sampler draws only from PG(1, f), and sums of these give only
// integer w.
//
// # Deviations from the paper
//
//   - Its A is V0 + Φ'Φ instead of V0⁻¹ + Φ'Φ, so its V0 = 10⁻⁶ I is ambiguous. Here λ is a precision, and is sampled.
//   - Its weights of the mixture contain N instead of M and Λj instead of Λk. They have no rule for a component of one
//     frequency, and use α for two quantities. Here the conditionals are Neal's.
//   - Its locally stationary map, equation (6), does not approximate the product of kernels for which it is intended. No map
//     could, because that product is not positive semi-definite in general.
//   - It does not scale data. NoScaling does the same.
//   - Its likelihood for classes puts the border at f = 0 with targets of 0 and 1, so that nearly all rows are of class 1.
//     Surrogate uses this likelihood, with a fitted link for the border. λ then keeps its initial value, because least-squares
//     coefficients always fit better with a smaller λ. With the same initial values it ranks rows about as well as Normal
//     (docs/measured/gabasr.md).
//
// # Numerics
//
// There is no explicit inverse. bN is computed from residuals and updated with the difference for one pair at a time, because y'y -
// β̂'Aβ̂ cancels for close fits. Log ratios agree with the definition to 1e-13 for λ = 1, and to about 1e-9 for λ = 1e-6. The
// acceptance rate is not a diagnostic: it is high for frequencies that do not matter (see Mixing). The chains are checked against
// the reference numbers in testdata. Each evidence with each map is checked by Geweke's test of the joint distribution or against
// the definition.
package gabasr
