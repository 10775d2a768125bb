// Package progress shows the progress of any fit or search of kernelearn. On a terminal it draws a bar with
// github.com/schollz/progressbar. To any other output it writes a line every ten seconds. It is a separate module.
//
//	bar := progress.New(os.Stderr, "falkon")
//	model := &falkon.Regressor{Observe: bar.Step}
//
// A search reports rows of its trace:
//
//	model := &selection.Regressor{Observe: progress.New(os.Stderr, "search").Row}
//
// An estimator or a transformer without an Observe field reports to a bar through its context:
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

// Bar is a bar from 0% to 100%, with the message of the last iteration next to it. Each fit starts it again. On a terminal it is
// drawn at most ten times a second, and remains visible after the fit. To any other writer, such as a log file, it writes a line
// every ten seconds, so that it writes nothing for shorter fits. Its methods may be called concurrently.
type Bar struct {
	mu   sync.Mutex
	bar  *progressbar.Bar
	done float64
}

// New returns a bar that is drawn to a writer, usually os.Stderr. It appears with the first step.
func New(to io.Writer, name string) *Bar { return &Bar{bar: progressbar.New(to, name, 0).Keep()} }

// Step shows a step. Pass it as an Observe field or to estimators.Observed.
func (b *Bar) Step(s estimators.Step) { b.set(s.Done, s.Message) }

// Row shows a row of a search. Pass it as the Observe field of selection.Regressor and Classifier.
func (b *Bar) Row(row search.TraceRow) { b.set(row.Done, row.Decision()) }

func (b *Bar) set(done float64, message string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if done < b.done { // the previous fit failed
		b.bar.Abandon()
	}
	b.done = done
	b.bar.Set(done, message)
	if done == 1 {
		b.bar.Finish()
		b.done = 0
	}
}
