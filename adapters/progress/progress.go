// Package progress shows how far any fit or search of kernelearn is: as a bar on a terminal, drawn by
// github.com/schollz/progressbar, and as a line every ten seconds anywhere else. It is a module of its own.
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
	"sync"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/progressbar"
	"github.com/kernelearn/kernelearn/selection/search"
)

// Bar is a bar from 0% to 100%, with what the last iteration said beside it. It begins anew with each fit. On a terminal it is
// drawn at most ten times a second, and stays when the fit is done. To any other writer, such as a log file, a line is written
// every ten seconds, and nothing by shorter fits. Its methods may be called by several goroutines.
type Bar struct {
	mu   sync.Mutex
	bar  *progressbar.Bar
	done float64
}

// New returns a bar that is drawn to a writer, mostly os.Stderr, when the first step comes.
func New(to io.Writer, name string) *Bar { return &Bar{bar: progressbar.New(to, name, 0).Keep()} }

// Step takes a step, as an Observe field does, or estimators.Observed.
func (b *Bar) Step(s estimators.Step) { b.set(s.Done, s.Message) }

// Row takes a row of a search, as the Observe field of selection.Regressor and Classifier does.
func (b *Bar) Row(row search.TraceRow) { b.set(row.Done, row.Decision()) }

func (b *Bar) set(done float64, message string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if done < b.done { // the fit before failed
		b.bar.Abandon()
	}
	b.done = done
	b.bar.Set(done, message)
	if done == 1 {
		b.bar.Finish()
		b.done = 0
	}
}
