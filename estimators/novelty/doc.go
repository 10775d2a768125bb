// Package novelty decides, without labels, which new rows are unlike the training rows.
//
// # The density
//
// Let z[1..n] be the training rows, with the d columns divided by their standard deviations s, and let h be the bandwidth. The
// density of a row is the mean of n normal densities (Rosenblatt 1956; Parzen 1962),
//
//	p(x) = 1/n Σ N(z; z[i], h²) / Π s
//
// and the score is its logarithm. It is computed without underflow: a row far from all others has a finite score.
//
// # The bandwidth
//
// The bandwidth h maximises the likelihood of the training rows, each under the density of the others (Habbema, Hermans and van den
// Broek 1974; Duin, IEEE Transactions on Computers 25, 1976):
//
//	Σ log Σ exp(-|z[i] - z[j]|²/2h²) - n d log h    over j ≠ i
//
// for d columns that are not constant in the training rows. The grid begins with factors of two around n^(-1/(d+4)) and ends with
// factors of 1.03. Rows that are equal to row i are left out with it, because with rounded data the likelihood would otherwise have
// no maximum. If there are more than 1000 rows, h maximises the likelihood of a sample of 1000 rows under the density of all rows.
//
// # p-values and their guarantee
//
// Let S[i] be the score of training row i under all other training rows and the new row, and S the score of the new row under the n
// training rows. The p-value of the new row is
//
//	(1 + number of i with S[i] ≤ S) / (n+1)
//
// It is the full conformal p-value (Vovk, Gammerman and Shafer 2005; for densities Lei, Robins and Wasserman, JASA 108, 2013), in
// which the new row contributes to the scores of the others. No model is fitted again for it, because a sum over rows needs only
// one more term.
//
// If Bandwidth and NoScaling are set, neither bandwidth nor scales depend on the rows. If the training rows and the new row are
// then exchangeable, the p-value is exact for any n and any distribution: P(p ≤ α) ≤ α, and P(p ≤ α) is within 1/(n+1) of α if no
// two scores are equal. If scales and bandwidth come from the training rows, the p-value is not quite exact, because the new row
// did not contribute to them. The effect is small with many rows: at level 0.05, tests require that 0.05 ± 0.02 of the usual rows
// are rejected, with 100 training rows of 3 or 10 columns. The guarantee concerns the mean over sets of training rows, not each set
// or each region. Equal rows count separately, as observations that happen to agree. Remove artificial copies before the fit.
//
// # Cost
//
// Fit costs O(n²d) for the scores. The choice of the bandwidth computes about 27 exponentials for each of at most 1000 n pairs.
// Score, Predict and PredictP cost O(nd) for each row. The memory is O(nd) plus blocks of 64 MB. No n×n matrix is ever stored.
package novelty
