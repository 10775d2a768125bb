// Package progressbar shows the progress of a long task. On a terminal it draws a bar with github.com/schollz/progressbar, at most
// ten times a second. Elsewhere, such as in a log file, it writes a line every ten seconds.
package progressbar

import (
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

const (
	redraw   = 100 * time.Millisecond // time between two redraws on a terminal
	interval = 10 * time.Second       // time between two lines elsewhere
	parts    = 1000                   // steps of a bar
)

// Bar shows the progress of one task. Several goroutines may call its methods. Errors of the writer are ignored, since they are no
// reason to end the task.
type Bar struct {
	to    io.Writer
	name  string
	total int
	keep  bool

	mu    sync.Mutex
	drawn *progressbar.ProgressBar // on a terminal, from the first report on
	begun time.Time                // start of the task
	shown time.Time                // time of the last bar or line
	lines int                      // number of lines of the task
	count int
	share float64
	what  string

	terminal bool
	now      func() time.Time
}

// New returns the bar of a task. [Bar.Add] counts total steps. For a task that reports its completed share with [Bar.Set], total is
// 0. On a terminal Finish removes the bar.
func New(to io.Writer, name string, total int) *Bar {
	return &Bar{to: to, name: name, total: total, terminal: isTerminal(to), now: time.Now}
}

// Keep makes Finish leave the full bar on the terminal, and returns the bar.
func (b *Bar) Keep() *Bar {
	b.keep = true
	return b
}

// OnTerminal makes the bar draw as on a terminal, whatever the writer is, and returns the bar. It is for tests.
func (b *Bar) OnTerminal() *Bar {
	b.terminal = true
	return b
}

func isTerminal(to io.Writer) bool {
	file, ok := to.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(file.Fd()))
}

// Add counts n further completed steps.
func (b *Bar) Add(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count += n
	if b.total > 0 {
		b.share = float64(b.count) / float64(b.total)
	}
	b.show()
}

// Set shows the completed share of the task, from 0 to 1, and its current activity. If the text is empty, the last one stays.
func (b *Bar) Set(share float64, what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.share = share
	if what != "" {
		b.what = what
	}
	b.show()
}

// Describe shows the current activity of the task.
func (b *Bar) Describe(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.what = what
	b.show()
}

// Finish shows that the task has ended. The bar may then be used for another task.
func (b *Bar) Finish() { b.end(true) }

// Abandon ends an incomplete task. The bar may then be used for another task.
func (b *Bar) Abandon() { b.end(false) }

func (b *Bar) end(done bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if done {
		b.share = 1
	}
	switch {
	case b.terminal && b.drawn != nil && b.keep:
		if done {
			b.draw()
		}
		_, _ = io.WriteString(b.to, "\n")
	case b.terminal && b.drawn != nil:
		_ = b.drawn.Clear()
	case done && b.lines > 0:
		b.write()
	}
	b.drawn, b.begun, b.shown, b.lines, b.count, b.share, b.what = nil, time.Time{}, time.Time{}, 0, 0, 0, ""
}

// show draws the bar or writes a line if it is due.
func (b *Bar) show() {
	now := b.now()
	if b.begun.IsZero() {
		b.begun = now
		if !b.terminal {
			b.shown = now // the first line is due after the first interval
		}
	}
	switch {
	case b.terminal && now.Sub(b.shown) >= redraw:
		b.draw()
		b.shown = now
	case !b.terminal && now.Sub(b.shown) >= interval:
		b.write()
		b.shown = now
	}
}

// draw redraws the bar once. The bar's throttle accepts the first call of Set and Describe.
func (b *Bar) draw() {
	if b.drawn == nil {
		b.drawn = progressbar.NewOptions(parts, progressbar.OptionSetWriter(b.to), progressbar.OptionSetWidth(30),
			progressbar.OptionSetPredictTime(false), progressbar.OptionThrottle(redraw))
	}
	label := b.label()
	progressbar.OptionSetDescription(label)(b.drawn)
	_ = b.drawn.Set(int(math.Round(parts * min(max(b.share, 0), 1)))) // draws if the percentage has changed
	b.drawn.Describe(label)
}

func (b *Bar) write() {
	b.lines++
	_, _ = fmt.Fprintf(b.to, "%s: %.0f%%\n", b.label(), 100*b.share)
}

// label returns the name, the activity, the steps, the elapsed time, and an estimate of the remaining time if the share allows it.
func (b *Bar) label() string {
	parts := []string{b.name}
	if b.what != "" {
		parts[0] += ": " + b.what
	}
	if b.total > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d", b.count, b.total))
	}
	if passed := b.now().Sub(b.begun); passed >= time.Second {
		parts = append(parts, passed.Round(time.Second).String())
		if b.share > 0 && b.share < 1 {
			left := time.Duration(float64(passed) * (1 - b.share) / b.share)
			parts = append(parts, "about "+left.Round(time.Second).String()+" left")
		}
	}
	return strings.Join(parts, ", ")
}
