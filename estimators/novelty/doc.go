// Package novelty tells rows that are like those of Fit from rows that are not, without labels.
//
// # The density
//
// With the columns divided by their standard deviations s, n rows z[1..n] of d columns and a
// bandwidth h, the density of a row is the mean of n normal ones (Rosenblatt 1956; Parzen 1962),
//
//	p(x) = 1/n Σ N(z; z[i], h²) / Π s
//
// and the score its logarithm, computed without underflow: a row far from all others has a score,
// not minus infinity.
//
// # The bandwidth
//
// h is the one of the largest likelihood of the rows of Fit, each under the density of the
// others (Habbema, Hermans and van den Broek 1974; Duin, IEEE Transactions on Computers 25, 1976):
//
//	Σ log Σ exp(-|z[i] - z[j]|²/2h²) - n d log h    over j ≠ i
//
// on a grid that begins with factors of two around n^(-1/(d+4)) and ends with ones of 1.03. Rows that are equal to row
// i are left out with it: of data that are rounded the likelihood would else have no maximum. Of more than
// 1000 rows a sample of 1000 has its likelihood under all of them.
//
// # p-values and what they promise
//
// Let S[i] be what row i gets from all the others of the n rows of Fit and the new one, and S
// what the new row gets from the n of Fit. The p-value of the new row is
//
//	(1 + number of i with S[i] ≤ S) / (n+1)
//
// It is the full conformal one (Vovk, Gammerman and Shafer 2005; for densities Lei, Robins and
// Wasserman, JASA 108, 2013): the new row takes part in the scores of the others, and no model
// is fitted anew for it, because a sum over rows takes one more term. With a Bandwidth and
// NoScaling, which are no functions of the rows, and rows of Fit and the new row that are
// exchangeable, it is exact for any n and any distribution: P(p ≤ α) ≤ α, and within
// 1/(n+1) of α where no two scores are equal. With the scales and the bandwidth of the
// rows of Fit it is exact but for that the new row had no part in those two, which is
// little for many rows; tests hold it to .05 ± .02 of 100 rows of 3 and of 10 columns. A promise is one of the mean over
// sets of rows of Fit, not for each set or each place.
//
// # Cost
//
// Fit: O(n²d) for the scores, and for the bandwidth some 27 exponentials for each of at most 1000 n pairs. Score,
// Predict and PredictP: O(nd) for each row. Memory O(nd) and blocks of 64 MB: matrices of n×n are never there.
package novelty
