package loo

import "context"

// Known is a machine that a search has on its way solved for the rows of a fit, without weights.
type Known struct {
	Kernel any
	Ridge  float64
	*Solution
	Shift []float64 // what was taken from the targets, to be added to the biases
}

type knownKey struct{}

type startKey struct{}

// WithStart tells a SearchFew with this context of a ridge near the best one, that of features of the
// same rows, say.
func WithStart(ctx context.Context, ridge float64) context.Context {
	return context.WithValue(ctx, startKey{}, ridge)
}

func startOf(ctx context.Context) float64 {
	ridge, _ := ctx.Value(startKey{}).(float64)
	return ridge
}

// WithKnown tells a fit with this context of it. A context carries it because nobody else can: the
// fit is asked for through an interface of the user's, who may have built another estimator.
func WithKnown(ctx context.Context, k *Known) context.Context {
	return context.WithValue(ctx, knownKey{}, k)
}

// KnownOf returns it, nil if there is none.
func KnownOf(ctx context.Context) *Known {
	k, _ := ctx.Value(knownKey{}).(*Known)
	return k
}
