// Package drift tests whether new rows are like those that a model was fitted to.
//
// [Test] compares two samples of rows, X of m rows and Y of n, in three ways:
//
//   - Each column of numbers by the statistic of Kolmogorov and Smirnov, D = max[t] |F(t) - G(t)|, of the two distribution functions. Up
//     to 10⁷ pairs of rows its p-value is exact given the ties (G. Schröer and D. Trenkler, Computational Statistics and Data Analysis 20,
//     1995, 185); beyond that it is that of the limit distribution, which is too large with ties. A gap, NaN, counts as a value
//     below all numbers, so a change of the share of gaps counts too.
//
//   - Each column of categories by Pearson's χ² of the counts of its levels, of which a gap is one. The p-value is that of the χ²
//     distribution where at least 5 rows are expected of each level in each sample. Otherwise it is by permutation: (1+b)/(1+B), if b of B
//     random divisions of the rows into samples of m and n have as large a statistic. Of more than 100 000 rows the levels with
//     fewer are counted as one instead.
//
//   - All columns together by the maximum mean discrepancy (A. Gretton and others, Journal of Machine Learning Research 13, 2012, 723), of
//     which the estimate without bias is
//
//     MMD² = Σ[i≠j] k(x[i],x[j])/(m(m-1)) + Σ[i≠j] k(y[i],y[j])/(n(n-1)) - 2 Σ[i,j] k(x[i],y[j])/(mn)
//
//     and its p-value is by permutation. It finds changes of how columns depend on each other, too.
//
// The kernel is a function of the distance of two rows, by default exp(-r²/2), with the median distance of all pairs as its unit. The
// squared distance is the sum of those of the columns: of numbers (a-b)²/s², where a and b are their ranks among all rows, so that
// neither outliers nor units matter, and s is the deviation of the ranks; of categories 0 for equal levels and otherwise such a number
// that its mean over pairs of rows is 2, as it is for numbers. A gap of a number has the mean rank, and whether there is one counts like
// a category.
//
// p-values of columns are adjusted for their number by the method of S. Holm (Scandinavian Journal of Statistics 6, 1979, 65): if no
// column has changed, one of them is below 5% in at most 5% of the cases. All tests suppose that the rows are independent of each other:
// neither rows that follow each other in time nor several of one patient are. With many rows a change that no prediction notices is
// found, so look at the statistics as well, which measure how large it is.
package drift
