package campaign

import (
	"errors"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every go test runs the same inputs, as many as requested. A single input can be repeated. A campaign runs as many as time allows.
func TestInputs(t *testing.T) {
	t.Setenv(durationVariable, "")
	t.Setenv(inputVariable, "")
	draw := func() (drawn []uint64) {
		Run(t, "test", 5, func(rng *rand.Rand) error { drawn = append(drawn, rng.Uint64()); return nil })
		return drawn
	}
	first := draw()
	assert.Len(t, first, 5)
	assert.NotEqual(t, first[0], first[1])
	assert.Equal(t, first, draw())
	var same []uint64
	RunTest(t, "test", 5, func(_ *testing.T, rng *rand.Rand) { same = append(same, rng.Uint64()) })
	assert.Equal(t, first, same)
	t.Setenv(inputVariable, "1:3")
	assert.Equal(t, first[3:4], draw())

	t.Setenv(inputVariable, "")
	t.Setenv(durationVariable, "20ms")
	assert.Greater(t, len(draw()), 5)
}

// A panic is a finding, and is written to the folder of findings.
func TestFindings(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(findingsVariable, dir)
	assert.ErrorContains(t, guarded(func(*rand.Rand) error { panic("no") }, nil), "panic: no")
	var failed testing.T
	reportFinding(&failed, "a driver", "1:2", errors.New("wrong"))
	assert.True(t, failed.Failed())
	text, err := os.ReadFile(dir + "/a driver-1-2.txt")
	require.NoError(t, err)
	assert.Equal(t, "a driver: KERNELEARN_CAMPAIGN_INPUT=1:2: wrong\n", string(text))
}
