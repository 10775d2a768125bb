package grid

import (
	"testing"

	"github.com/kernelearn/kernelearn/selection/validation"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRounds(t *testing.T) {
	assert.Equal(t, []halvingRound{{74, 24}, {222, 8}, {666, 3}}, rounds(24, 666, 3, 40)[:3])
	assert.Equal(t, []halvingRound{{37, 27}, {111, 9}, {333, 3}, {1000, 1}}, rounds(27, 1000, 3, 30), "no round is left where one parameter is")
	assert.Equal(t, []halvingRound{{100, 24}}, rounds(24, 100, 3, 40), "few rows: a grid")
	assert.Equal(t, []halvingRound{{5000, 1}}, rounds(1, 5000, 3, 40))
	assert.Equal(t, []halvingRound{{500, 2}, {1000, 1}}, rounds(2, 1000, 2, 10))
}

// The training rows of a part are stratified by class. Smaller parts are subsets of larger ones, and the test rows do not change.
func TestHalvingParts(t *testing.T) {
	labels := make([]int, 300)
	for i := range labels {
		if i%10 == 0 {
			labels[i] = 1
		}
	}
	folds, err := validation.StratifiedKFold{}.Split(300, labels)
	require.NoError(t, err)
	h := &Halving{}
	small, large := h.parts(folds, labels, 20), h.parts(folds, labels, 60)
	for i := range folds {
		ones := 0
		for _, r := range small[i].Train {
			ones += labels[r]
			assert.Contains(t, large[i].Train, r)
		}
		assert.Equal(t, 2, ones)
		assert.Equal(t, folds[i].Test, small[i].Test)
	}
}
