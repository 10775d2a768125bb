package main

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FSMerr and the error of the machine do not depend on the angle, and 1-KTA falls with it. The values of 1-KTA agree with those of
// the paper for the spread of 0.36 only.
func TestFigure3(t *testing.T) {
	s := settings{seed: 1, repeats: 1, folds: 5, draws: 60, c: 1}
	for _, spread := range toySpreads {
		previous := math.Inf(1)
		for degrees := 30; degrees <= 150; degrees += 30 {
			a := toy{degrees: degrees, spread: spread}
			require.NoError(t, s.measure(ctx, &a))
			assert.InDelta(t, level(spread), a.meanFSM, 0.01, "FSMerr is level")
			assert.InDelta(t, exact(degrees, spread), a.meanKTA, 0.01, "1-KTA follows the closed form")
			assert.Less(t, a.meanKTA, previous-0.01, "and falls")
			assert.InDelta(t, bayes(spread), a.svmError, 0.03, "the error is level")
			assert.InDelta(t, a.meanKTA, a.kta, 4*a.sdKTA)
			previous = a.meanKTA
		}
		last := toy{degrees: 180, spread: spread}
		require.NoError(t, s.measure(ctx, &last))
		off := math.Abs(toyPaper[180]-last.meanKTA) / last.sdKTA
		if spread == 0.36 {
			assert.Less(t, off, 2.0)
		} else {
			assert.Greater(t, off, 5.0, "the printed formula does not give the paper's numbers")
		}
	}
}

func TestExample(t *testing.T) {
	// The expected values can be computed by hand. α = 0 at 90 degrees, where equation 8 with n+ = n- is 1/√2. α = -1 is the best
	// case.
	assert.InDelta(t, 1-math.Sqrt2/2, example(90), 1e-15)
	assert.InDelta(t, 0, example(180), 1e-15)
	for degrees := 1; degrees <= 180; degrees++ {
		assert.InDelta(t, example(degrees), exact(degrees, 0), 1e-12, "without spread")
		assert.Greater(t, exact(degrees, 0.1), example(degrees))
	}
	assert.Equal(t, 0.5, level(0.5))
	assert.InDelta(t, 0.158655, bayes(0.5), 1e-6, "Φ(-1)")
}
