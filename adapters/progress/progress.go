// Package progress draws a bar of any fit or search of kernelearn in a terminal, by github.com/schollz/progressbar. It is a module
// of its own, so that who draws none does not build that.
//
//	bar := progress.New(os.Stderr, "falkon")
//	model := &falkon.Regressor{Observe: bar.Step}
//
// A search has rows:
//
//	model := &selection.Regressor{Observe: progress.New(os.Stderr, "search").Row}
//
// and what has no Observe, as a transformer, hears of a bar by its context:
//
//	err := scaler.Fit(estimators.Observed(ctx, bar.Step), x)
package progress

import (
	"io"
	"math"
	"sync"

	"github.com/schollz/progressbar/v3"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/selection"
)

// parts is the number of steps of a bar.
const parts = 1000

// Bar is a bar from 0% to 100%, with what the last iteration said beside it. It begins anew with each fit. Its methods may be called by several
// goroutines.
type Bar struct {
	name string
	to   io.Writer

	mu   sync.Mutex
	bar  *progressbar.ProgressBar // nil between two fits
	done float64
}

// New returns a bar that is drawn to a writer, mostly os.Stderr, when the first step comes.
func New(to io.Writer, name string) *Bar { return &Bar{name: name, to: to} }

// Step takes a step, as an Observe field does, or estimators.Observed.
func (b *Bar) Step(s estimators.Step) { b.set(s.Done, s.Message) }

// Row takes a row of a search, as the Observe field of selection.Regressor and Classifier does.
func (b *Bar) Row(row selection.TraceRow) { b.set(row.Done, row.Decision()) }

func (b *Bar) set(done float64, message string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar != nil && done < b.done { // of a fit that failed
		_ = b.bar.Exit()
		b.bar = nil
	}
	if b.bar == nil {
		b.bar = progressbar.NewOptions(parts, progressbar.OptionSetWriter(b.to), progressbar.OptionSetWidth(30),
			progressbar.OptionSetDescription(b.name), progressbar.OptionSetPredictTime(true), progressbar.OptionOnCompletion(func() { _, _ = io.WriteString(b.to, "\n") }))
	}
	b.done = done
	if message != "" {
		b.bar.Describe(b.name + ": " + message)
	}
	_ = b.bar.Set(int(math.Round(parts * done))) // that a terminal is gone is no reason to end a fit
	if done == 1 {
		b.bar, b.done = nil, 0
	}
}
