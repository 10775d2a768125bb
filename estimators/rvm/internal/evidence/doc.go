// Package evidence maximises the evidence of sparse Bayesian models: it finds the columns of a basis that a relevance vector
// machine keeps, and their precisions. The documentation of package rvm explains the mathematics.
//
//	Φ      column of basis.Basis    α  alpha     μ  mu     Σ  sigma; diag is its diagonal
//	β      beta                     S  s         Q  q      G = Φ'Φ of the members  gram
//
// # Regression
//
// [Regression.Solve] climbs from several initial models and keeps the model with the highest evidence. A model is a state: its
// members, and the statistics S and Q of every column of the basis, from which the gain of each change follows. A climb takes the
// action that promises the largest gain. An action adds, removes or re-estimates one column. The climb reverts the action if the
// recomputed evidence does not rise (action.go, climb.go). When no action promises a gain, Newton's method changes all precisions
// and the noise at once (polish.go). The result is a [Solution], in the units of the targets and of the unscaled columns.
//
// # Classification
//
// [Classify] fits one class against the others, in Laplace's approximation at the mode of the posterior. Columns are proposed from
// the same S and Q at the mode. Each of the best proposals is tried with all precisions re-estimated, and is kept if the evidence
// rises. [Classification.Machine] returns the result in the units of the unscaled columns.
//
// # Cost
//
// With n rows, M columns and m members, an action costs O(nm + Mm), a new member O(nM), and a Newton step O(m³ + nm). In a
// classification, proposals need a scan of the basis, O(nMm), and each Newton step to the mode costs O(nm² + m³).
package evidence
