// Package falkon has kernel ridge regression and classification on landmarks, for any number of rows. With M
// landmarks a row costs O(M), and no matrix of all rows and landmarks is kept.
//
// [Regressor] and [Classifier] fit. [LandmarkRule] says how landmarks are chosen, [Solver] how the system is
// solved, [Loss] what a Classifier minimises. [State] is the state of a fit that can be resumed, and [Details] says
// more about a fit than its Report. Rows come from a matrix or, by FitBlocks, from a stream ([estimators.Block]);
// package pipeline puts transformers before it on either.
//
// # Model
//
// For n rows with targets y and weights w, M landmarks C and a ridge Λ, the model is the solution of
//
//	minimise  Σ w (y - b - k(x, C)'β)² + Λ β'Aβ,   A = K_MM + jitter I = T'T
//
// With features z(x) = T⁻ᵀk(C, x) and u = Tβ this is a ridge regression on z, in which the jitter, at least 1e-13·M
// of the mean diagonal, is a part of the model. The constant b is not penalised: it is removed by subtracting the
// weighted means from features and targets, which gives z~ and y - ȳ. With all rows as landmarks the model is the
// machine of package lssvm. As there, Λ is relative to the sum over the rows; the papers' λ is Λ/n.
//
// # Solvers
//
// [Direct] makes G = Z~'WZ~ and solves (G + ΛI)u = Z~'W(y - ȳ). Leave-one-out is exact for all ridges after one
// reduction of G, with landmarks and Λ kept:
//
//	e/(1 - h),  e = y - ȳ - z~'u,  h = w (1/Σw + z~'(G + ΛI)⁻¹z~)
//
// [ConjugateGradients] never compute G. An iteration computes each block of the kernel once, uses it twice and
// discards it. All targets, or all ridges that are compared, share it. The preconditioner is not that of the
// papers, made of the landmarks alone, but B + λI with B = Z~'WZ~/s of a sample of s = 4M to 32M rows: the error
// falls by about √(M/s) an iteration, whatever the ridge is and however the landmarks were chosen, and s is where
// the preconditioner, 2sM² operations, and the passes cost least together. They begin with the solution of the
// sample, whose residual comes of the pass that takes the right sides. It ends by the error in the energy norm,
// estimated from what the last iterations gained; the true residual would stall where the predictions have many
// digits more. Where Ridge is 0 the leave-one-out error of the sample brackets it, up to eight ridges are solved at
// once until they can be compared on as many rows outside the sample, by e(1 + l) with l the leverage that the
// sample gives, less the share d/s by which so few rows make too much of it, d the effective dimension, and the
// best of them is solved to the end. Of the rows outside the sample there are two for each landmark, or 4000 if the
// sample has as many.
//
// Sums go by blocks of 128 rows in their order: the same model on any number of Workers, and from FitBlocks the
// same as from Fit. ErrTooLarge comes before what is over MaxBytes is allocated.
//
// # The kernel of the zero value
//
// If Kernel is nil, it is the Matérn kernel of ν = 5/2 with the length of the least leave-one-out error, each
// length at its best ridge: on 300 landmarks and 2000 of the rows drawn, a sixteenth to four times the typical
// distance and further where that is better, then halves and doubles of the best and the top of a parabola; then,
// where there are 600 landmarks and 4600 rows drawn, halves of it on so many as long as that is better, since more
// landmarks want narrower kernels. Few rows are all landmarks, of which that error is exact. A length half or twice
// as far as the typical distance has to be better by .005, one of a quarter or four times by .02. That is some
// twelve small fits, about a second and a half of a processor. Beside the RBF of kernels.MedianRBF the error of 10
// 000 rows is less on five of seven sets and more on two (docs/measured/streams.md).
//
// The number of landmarks depends on the number of rows. It is doubled up to 2000 as long as the effective
// dimension is more than .7 of it; beyond that, a Report has a warning. selection.Regressor and Classifier go up to
// 4000, or as many as a Budget of time allows. With [LogisticLoss] the effective dimension is not known, and the
// number depends only on the number of rows.
//
// # Variance
//
// With S = (G + ΛI)⁻¹ and r(x) = k(x,x) - |z|², as a share of the mean k(c, c), the variance of a new observation
// is
//
//	s²(1 + 1/Σw + z~'Sz~) + τ² r(x)
//
// where s² and τ² maximise the likelihood of the leave-one-out residuals with the variances s²/(w(1-h)) + τ²r. The
// first part alone does not grow for rows far from all landmarks. Where the mean of r is below .001, τ² cannot be
// told and is what s² leaves of the variance of y. The estimates use at most 50 000 rows at regular distances.
//
// # Limits
//
// A length for each column is learnt by package selection, whose Regressor and Classifier with nothing set hand
// over to this package above 5000 rows.
//
// There are no LeaveOneOutResiduals, because without a row the landmarks would be others. [Details] has the error
// with the landmarks kept. There is no FitMatrix, because a kernel matrix of the caller would be of all rows.
//
// Sources: A. Rudi, L. Carratino and L. Rosasco, FALKON: an optimal large scale kernel method, NIPS 2017. G.
// Meanti, L. Carratino, L. Rosasco and A. Rudi, Kernel methods through the roof, NeurIPS 2020. U. Marteau-Ferey, F.
// Bach and A. Rudi, Globally convergent Newton methods for ill-conditioned generalized self-concordant losses,
// NeurIPS 2019. A. Rudi, D. Calandriello, L. Carratino and L. Rosasco, On fast leverage score sampling and optimal
// learning, NeurIPS 2018.
package falkon
