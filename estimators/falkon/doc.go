// Package falkon implements kernel ridge regression and classification with landmarks, for any number of rows. With M landmarks a
// row costs O(M), and the n×M kernel matrix of all rows and landmarks is not kept.
//
// [Regressor] and [Classifier] are the estimators, and [MultiRegressor] is for several targets. [LandmarkRule] selects how
// landmarks are chosen, [Solver] how the system is solved, and [Loss] what a Classifier minimises. [State] holds the progress of a
// fit that can be resumed, and [Details] describes a fit in more detail than its Report. Rows come from a matrix or, with
// FitBlocks, from a stream ([streaming.Block]). Package pipeline combines the estimators with transformers, for either source.
//
// # Model
//
// For n rows with targets y and weights w, M landmarks C and a ridge Λ, the model is the solution of
//
//	minimise  Σ w (y - b - k(x, C)'β)² + Λ β'Aβ,   A = K_MM + jitter I = T'T
//
// With features z(x) = T⁻ᵀk(C, x) and u = Tβ this is a ridge regression on z. The jitter, at least 1e-13·M times the mean diagonal,
// is a part of the model. The constant b is not penalised: it is removed by subtracting the weighted means from features and
// targets, which gives z~ and y - ȳ. With all rows as landmarks the model is the machine of package lssvm. As there, Λ is relative
// to the sum over the rows; the papers' λ is Λ/n.
//
// # Solvers
//
// [Direct] computes G = Z~'WZ~ and solves (G + ΛI)u = Z~'W(y - ȳ). For fixed landmarks, the leave-one-out error is exact for all
// ridges Λ after one reduction of G:
//
//	e/(1 - h),  e = y - ȳ - z~'u,  h = w (1/Σw + z~'(G + ΛI)⁻¹z~)
//
// With many landmarks the reduction and its pass over the rows cost more than the remaining fit. With more than 2000 landmarks the
// ridge is therefore chosen on the first 2000, whose matrix is a block of G. The system of all landmarks is then solved for that
// ridge with one Cholesky factor. In this case the order of the landmarks matters if they are set: the first 2000 should be
// representative of all.
//
// [ConjugateGradients] never computes G. Each iteration computes each block of the kernel once, uses it twice and discards it. All
// targets share the iterations, and so do all ridges that are compared. The preconditioner is B + λI with B = Z~'WZ~/s, from a
// sample of s = 4M to 32M rows; the papers compute it from the landmarks alone. The error falls by about √(M/s) in each iteration,
// whatever the ridge is and however the landmarks were chosen. The number s is chosen to minimise the total cost of the
// preconditioner, 2sM² operations, and the passes over the rows.
//
// The iterations begin with the solution for the sample. They end when the error in the energy norm is small enough. It is
// estimated from the gain of the last iterations. The true residual is not used: it would stall where the predictions are accurate
// to many more digits.
//
// If Ridge is 0, the leave-one-out error of the sample brackets the ridge. Up to eight ridges are then solved together until they
// can be compared, and the system for the best ridge is then solved to convergence. The comparison uses rows outside the sample,
// two for each landmark, or 4000 if the sample has as many. The error there is e(1 + l), where l is the leverage computed from the
// sample. It is reduced by d/s, the share by which the small sample overestimates it, where d is the effective dimension.
//
// With [LogisticLoss], Newton's method solves a weighted system in each step, with either solver. The ridge has the smallest
// approximate leave-one-out loss of up to 14 ridges, on at most 1000 rows drawn at random and the first 500 landmarks. From the
// solution f, with p = 1/(1+e⁻ᶠ), the score of a row without its own target t is
//
//	f - S w(t - p)/(1 - aS),   S = 1/Σa + z~'(Z~'AZ~ + ΛI)⁻¹z~,   a = w p(1 - p)
//
// (Cawley and Talbot, Machine Learning 71, 2008). With Groups, Λ is instead a quarter of the best ridge for squared errors.
//
// Sums are computed in blocks of 128 rows, in the order of the rows. The model is therefore the same for any number of Workers, and
// FitBlocks gives the same model as Fit if no two rows are equal. Fit merges equal rows (package estimators). FitBlocks counts each
// of them, because it does not keep the rows. If many rows are equal, it chooses a smaller ridge. If a fit would need more than
// MaxBytes, it returns ErrTooLarge before it allocates the memory.
//
// # The kernel of the zero value
//
// If Kernel is nil, the kernel is the Matérn kernel with ν = 5/2 whose length has the smallest leave-one-out error, with the best
// ridge for each length. The search uses 300 landmarks and 2000 rows drawn at random. It tries lengths from a sixteenth to four
// times the typical distance, and longer or shorter lengths while they are better. It then tries half and double the best length,
// and the minimum of a parabola. If 600 landmarks and 4600 rows can be drawn, it then keeps halving the length on these while this
// is better, because more landmarks need shorter lengths. If there are few rows, all of them are landmarks, and their leave-one-out
// error is exact. A length of half or twice the typical distance has to be better by 0.005, and a length of a quarter or four times
// the distance by 0.02.
//
// The search takes about twelve small fits, or a second and a half of processor time. With 10 000 rows the error is smaller than
// that of kernels.MedianRBF on five of seven sets and larger on two (docs/measured/streams.md). A column that is constant in all
// training rows is left out (kernels.Columns). If new rows have another value in it, predictions and intervals do not depend on it.
//
// The number of landmarks depends on the number of rows. It is doubled, up to 2000, as long as the effective dimension is more than
// 0.7 of it. If this still holds with 2000 landmarks, the Report contains a warning. selection.Regressor and Classifier use up to
// 4000 landmarks, or as many as a Budget of time allows. With [LogisticLoss] the effective dimension is not known, and the number
// depends only on the number of rows.
//
// # Variance
//
// With S = (G + ΛI)⁻¹ and r(x) = k(x,x) - |z|², as a share of the mean k(c, c), the variance of a new observation is
//
//	s²(1 + 1/Σw + z~'Sz~) + τ² r(x)
//
// where s² and τ² maximise the likelihood of the leave-one-out residuals with the variances s²/(w(1-h)) + τ²r. The first term alone
// does not grow for rows far from all landmarks. If the mean of r is below 0.001, τ² cannot be estimated, and is set to the
// variance of y minus s². The estimates use at most 50 000 rows at regular distances.
//
// # Groups
//
// With [Regressor.Groups] all rows of a group G are left out together. Their residuals are (1 - H[G,G])⁻¹e[G] for the hat matrix H
// of the features. For rows outside the sample of [ConjugateGradients] they are (1 + L[G,G])e[G], where L holds the leverages
// computed from the sample. Landmarks are kept, even if they are rows of the group. If a group has more rows than there are
// landmarks, it is left out by solving a system of the landmarks.
//
// # Limits
//
// Package selection chooses a length for each column. The zero values of its Regressor and Classifier use this package if the
// kernel matrix of all rows needs too much memory, or if the time is limited.
//
// There are no LeaveOneOutResiduals, because without a row the landmarks would be different; [Details] reports the error for fixed
// landmarks. There is no FitMatrix, because the caller would have to compute a kernel matrix of all rows.
//
// Sources: A. Rudi, L. Carratino and L. Rosasco, FALKON: an optimal large scale kernel method, NIPS 2017. G. Meanti, L. Carratino,
// L. Rosasco and A. Rudi, Kernel methods through the roof, NeurIPS 2020. U. Marteau-Ferey, F. Bach and A. Rudi, Globally convergent
// Newton methods for ill-conditioned generalized self-concordant losses, NeurIPS 2019. A. Rudi, D. Calandriello, L. Carratino and
// L. Rosasco, On fast leverage score sampling and optimal learning, NeurIPS 2018.
//
// # Sparse rows
//
// Sparse rows (package sparse) and the landmarks drawn from them stay sparse if Kernel is set and accepts them, as kernels.Linear
// and kernels.RBF do (kernels.TakesSparseRows). The rule PivotedCholesky returns ErrParam for sparse rows. With any other kernel,
// or if Kernel is nil, Fit makes a dense copy of at most 8 GiB. FitBlocks reads dense blocks.
package falkon
