package runner

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/protocol"
)

func TestRounds(t *testing.T) {
	jobs := make([]protocol.Job, 5)
	for i, round := range []int{0, 1, 2, 0, 2} {
		jobs[i].Round = round
	}
	assert.Equal(t, [][]int{{0, 3}, {1}, {2, 4}}, rounds(jobs, []int{0, 1, 2, 3, 4}))
	assert.Equal(t, [][]int{{3}, {2}}, rounds(jobs, []int{2, 3}))
	assert.Empty(t, rounds(jobs, nil))
}

func TestLastWords(t *testing.T) {
	failed := errors.New("exit status 2")
	assert.Equal(t, "panic: boom; exit status 2", lastWords([]byte("x\npanic: boom\n\ngoroutine 1 [running]:\nmain.main()\n"), failed))
	assert.Equal(t, "b; c; d; exit status 2", lastWords([]byte("a\nb\n\nc\nd\n"), failed))
	assert.Equal(t, "exit status 2", lastWords(nil, failed))
	assert.LessOrEqual(t, len(lastWords([]byte(strings.Repeat("ü", 1000)), failed)), messageBytes)
}

func TestTailIsBounded(t *testing.T) {
	var w tail
	for range 100 {
		n, err := w.Write(make([]byte, 10_000))
		require.NoError(t, err)
		assert.Equal(t, 10_000, n)
	}
	_, err := w.Write([]byte("end"))
	require.NoError(t, err)
	assert.Len(t, w.kept, keptOutput)
	assert.Equal(t, "end", string(w.kept[keptOutput-3:]))
}

func TestPartsAreSummed(t *testing.T) {
	dir := t.TempDir()
	p, err := beginPart(dir)
	require.NoError(t, err)
	p.begun = p.begun.Add(-time.Hour)
	require.NoError(t, p.note())
	p, err = beginPart(dir)
	require.NoError(t, err)
	p.begun = p.begun.Add(-30 * time.Minute)
	require.NoError(t, p.note())
	p.begun = p.begun.Add(-30 * time.Minute)
	require.NoError(t, p.note(), "the last line of a run counts")
	p, err = ReadTime(dir)
	require.NoError(t, err)
	require.Len(t, p.Seconds, 2)
	var b strings.Builder
	p.Print(&b)
	assert.Regexp(t, `^the cells took 2h0m\d+s by the clock, in 2 runs of the program\n$`, b.String())
	require.NoError(t, os.WriteFile(partsPath(dir), []byte("{"), 0o600))
	_, err = beginPart(dir)
	assert.ErrorContains(t, err, "time.json")
}
