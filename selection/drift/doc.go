// Package drift tests whether new rows have the same distribution as the training rows of a model.
//
// [Test] compares two samples of rows, X of m rows and Y of n, in three ways:
//
//   - It compares each numeric column with the Kolmogorov-Smirnov statistic D = max[t] |F(t) - G(t)| of the two distribution
//     functions. Up to 10⁷ pairs of rows its p-value is exact given the ties (G. Schröer and D. Trenkler, Computational Statistics
//     and Data Analysis 20, 1995, 185). Beyond that the p-value comes from the limit distribution, and is too large with ties. A
//     gap, NaN, counts as a value below all numbers, so that changes in the fraction of gaps are also detected.
//
//   - It compares each categorical column with Pearson's χ² of the counts of its levels. A gap is a level. The p-value comes from
//     the χ² distribution if the expected count of each level is at least 5 in each sample. Otherwise it comes from permutations.
//     It is (1+b)/(1+B) if b of B random divisions of the rows into samples of m and n have a statistic at least as large. For more
//     than 100 000 rows, levels with smaller counts are combined instead.
//
//   - It compares all columns together with the maximum mean discrepancy (A. Gretton and others, Journal of Machine Learning
//     Research 13, 2012, 723). Its unbiased estimate is
//
//     MMD² = Σ[i≠j] k(x[i],x[j])/(m(m-1)) + Σ[i≠j] k(y[i],y[j])/(n(n-1)) - 2 Σ[i,j] k(x[i],y[j])/(mn)
//
//     and its p-value comes from permutations. It also detects changes in the dependence between columns.
//
// The kernel is a function of the distance between two rows. The default is exp(-r²/2), with the median distance of all pairs as
// the unit of r. The squared distance is a sum over columns. For numbers it is (a-b)²/s², where a and b are their ranks among all
// rows, so that neither outliers nor units matter, and s is the standard deviation of the ranks. For categories it is 0 for equal
// levels and otherwise a constant. The constant is chosen so that the mean over pairs of rows is 2, as for numbers. A gap in a
// numeric column has the mean rank, and whether a cell is a gap counts as a further categorical column.
//
// The p-values of columns are adjusted for the number of columns with S. Holm's method (Scandinavian Journal of Statistics 6, 1979,
// 65). If no column has changed, the probability that any adjusted p-value is below 5% is at most 5%. All tests assume independent
// rows. Successive rows of a time series, or several rows of one patient, are not independent. With many rows the tests detect
// changes that do not matter for predictions, so look at the statistics as well, which measure the size of the change.
package drift
