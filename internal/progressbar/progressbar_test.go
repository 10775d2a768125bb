package progressbar

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// simulated returns a bar with a simulated clock.
func simulated(terminal bool, total int) (b *Bar, out *bytes.Buffer, wait func(time.Duration)) {
	out = new(bytes.Buffer)
	b = New(out, "fits", total)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	b.terminal, b.now = terminal, func() time.Time { return now }
	return b, out, func(d time.Duration) { now = now.Add(d) }
}

func TestALineEveryTenSecondsOutsideOfATerminal(t *testing.T) {
	b, out, wait := simulated(false, 430)
	for range 430 { // 43 seconds
		b.Add(1)
		wait(100 * time.Millisecond)
	}
	b.Finish()
	assert.Equal(t, "fits, 101 of 430, 10s, about 33s left: 23%\n"+
		"fits, 201 of 430, 20s, about 23s left: 47%\n"+
		"fits, 301 of 430, 30s, about 13s left: 70%\n"+
		"fits, 401 of 430, 40s, about 3s left: 93%\n"+
		"fits, 430 of 430, 43s: 100%\n", out.String())
}

func TestShortTasksWriteNothingOutsideOfATerminal(t *testing.T) {
	b, out, wait := simulated(false, 0)
	for _, share := range []float64{0, .5, 1} {
		b.Set(share, "half")
		wait(3 * time.Second)
	}
	b.Finish()
	assert.Empty(t, out.String())
	b.Set(0, "another task") // restarts its ten seconds
	wait(9 * time.Second)
	b.Set(.5, "")
	assert.Empty(t, out.String())
	wait(time.Second)
	b.Set(.5, "")
	b.Abandon()
	assert.Equal(t, "fits: another task, 10s, about 10s left: 50%\n", out.String())
}

func TestTenDrawingsASecondOnATerminal(t *testing.T) {
	var out bytes.Buffer
	b := New(&out, "fits", 1_000_000)
	b.terminal = true
	begun := time.Now()
	for strings.Count(out.String(), "fits, ") < 4 { // wait for four drawings, which takes longer on a busy machine
		b.Add(1)
		time.Sleep(10 * time.Microsecond)
	}
	assert.LessOrEqual(t, 4, int(time.Since(begun)/redraw)+1)
	b.Finish()
	assert.NotContains(t, out.String(), "\n")
	assert.True(t, strings.HasSuffix(out.String(), "\r"), "the line is cleared")
}

func TestABarThatIsKeptStaysFull(t *testing.T) {
	b, out, _ := simulated(true, 0)
	b.Keep()
	b.Set(.25, "a quarter")
	assert.Contains(t, out.String(), " 25%")
	b.Finish()
	assert.Contains(t, out.String(), "100%")
	assert.True(t, strings.HasSuffix(out.String(), "\n"))
}
