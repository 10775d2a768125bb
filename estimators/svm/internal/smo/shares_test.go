package smo

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// With Nu, the solver restores variables that were set aside, and reaches the solution, for classes and for a tube.
func TestNuShrinkingSetsAsideAndRestores(t *testing.T) {
	const n = 400
	src, p, k := toSolve(t, n)
	nuTube := Problem{Rows: p.Rows, Target: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n)}
	for i := range n {
		nuTube.Target[i] = k.At(i, 0) + k.At(i, 7)/3
		nuTube.Lo[i], nuTube.Hi[i] = -1e-3, 1e-3
	}
	p.SetShare(Margins, 0.3)
	nuTube.SetShare(Tube, 0.2)
	for name, p := range map[string]Problem{"classes": p, "tube": nuTube} {
		c := Control{Tolerance: 1e-3, MaxIterations: 1e6, CacheBytes: 1 << 20}
		s := &solver{Problem: p, Control: c, src: src, unit: 1, tau: tau, beta: make([]float64, n)}
		if p.Form == Margins {
			s.Target = make([]float64, n)
		}
		s.h = append([]float64(nil), s.Target...)
		require.NoError(t, s.activate(ctx, CountTo(n)))
		require.NoError(t, s.begin(ctx))
		gap, err := s.run(ctx)
		require.NoError(t, err)
		require.LessOrEqual(t, gap, 1e-3, name)
		require.NoError(t, s.shrink(ctx))
		require.Less(t, len(s.active), n*2/3, name)
		clear(s.h)
		require.NoError(t, s.restore(ctx))
		require.Len(t, s.active, n)
		_, j, gap, err := s.workingSet(ctx)
		require.NoError(t, err)
		assert.Negative(t, j, "%s: %v from the optimum", name, gap)
	}
}
