// Package measures evaluates a kernel matrix K, or a feature map, without training a model on it.
//
//	of K alone             Entropy, EntropyOfEigenvalues, EntropyOfFeatures, EntropyCeiling; Condition
//	bounds on its entropy  LowRankEntropy
//	of K and labels        SeparabilityOfMatrix, SeparabilityOfKernel, SeparabilityOfFeatures: a Separability
//	of K and real targets  AlignmentOfMatrix, AlignmentOfKernel, AlignmentOfFeatures
//	of a projection        DivergenceOfProjection
//	from sums over parts   ClassSums: Separability, Entropy, Divergence; TargetSums: Alignment, Entropy
//
// Errors are those of package estimators.
//
// # Entropy
//
// The von Neumann entropy of a positive semi-definite kernel matrix K (n×n) is the entropy of its eigenvalues as a distribution
// (Belanche-Muñoz and Wiejacha, Entropy 25, 2023, 154):
//
//	p[i] = max(w[i], 0) / Σ max(w, 0)        w the eigenvalues of K
//	bits = -Σ p[i] log2 p[i]                 E = bits / log2 n
//
// E is 0 if the kernel does not distinguish any rows (rank one: it can only underfit) and 1 if no row resembles another (the
// identity: it can only memorise). It depends neither on the targets nor on the scale of K.
//
// # Alignment and separability
//
// These use the targets. One pass over K computes all of them, at O(n²) compared with O(n³) for the entropy: from a matrix, from a
// kernel and rows without storing K, or from the rows of a feature map. The documentation of Alignment and Separability gives the
// formulas.
//
// FSM and CSM are 0 for the best kernels and infinite for the worst; section 3.4 of the paper (Nguyen and Ho, Pattern Recognition
// 41, 2008, 3366) states it the wrong way round. In the paper, over nine data sets, choosing among four fixed kernels with FSM had
// mean rank 1.67, with KTA 3.00 and with CSM 3.11. When we repeated this, the lead of FSM was smaller and not significant
// (docs/measured/fsm.md).
//
// # Combination with the entropy
//
// Never optimise a parameter with FSM, CSM or an alignment alone. They are computed on the training rows, and favour kernels that
// distinguish every row from every other. FSM of the identity is 0, its optimum, and that of an RBF kernel falls towards it as γ
// grows, even if the labels are unrelated to the rows. At the other extreme, centred KTA does not depend on the scale after
// centring, and for nearly linear targets it is highest for kernels with almost no entropy. Compare kernels with similar entropies,
// usually between 0.1 and 0.5. Package ranking prefers kernels in that band.
package measures
