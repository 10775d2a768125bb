// Package evidence maximises the evidence of sparse Bayesian models: it finds the columns of a basis that a relevance vector
// machine keeps, and their precisions. The documentation of package rvm has the mathematics.
//
//	Φ      column of basis.Basis    α  alpha     μ  mu     Σ  sigma; diag is its diagonal
//	β      beta                     S  s         Q  q      G = Φ'Φ of the members  gram
//
// # Regression
//
// [Regression.Solve] climbs from several starts and keeps the model with the highest evidence. A model is a state: its members with
// the statistics S and Q of every column of the basis, which give the gain of each change of the model. A climb takes the action
// that promises the largest gain, adding, deleting or re-estimating one column. It reverts the action if the recomputed evidence
// does not rise (action.go, climb.go). When no action is left, Newton's method moves all precisions and the noise at once
// (polish.go). The result is a [Solution], in the units of the targets and of the unscaled columns.
//
// # Classification
//
// [Classify] fits one class against the rest, in Laplace's approximation at the mode of the posterior. Columns are proposed by the
// same S and Q at the mode. Each of the best proposals is tried with all precisions estimated again, and kept if the evidence
// rises. [Classification.Machine] returns the result in the units of the unscaled columns.
//
// # Cost
//
// With n rows, M columns and m members, an action costs O(nm + Mm), a new member O(nM), and a Newton step O(m³ + nm). A proposal of
// a classification is a scan of the basis, O(nMm), and the mode costs O(nm² + m³) for each of its Newton steps.
package evidence
