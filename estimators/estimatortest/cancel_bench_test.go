package estimatortest_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/measures"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/transformers"
)

var (
	cancelRows  = flag.String("cancel.rows", "2500,5000", "BenchmarkCancel: rows, with commas between")
	cancelLimit = flag.Duration("cancel.limit", 20*time.Second, "BenchmarkCancel: the longest that a fit goes on")
	cancelOnly  = flag.String("cancel.only", "", "BenchmarkCancel: what the name has in it")
)

// cancelMoments lists when a fit is cancelled, as shares of its duration.
var cancelMoments = []float64{.1, .3, .5, .7, .9}

// BenchmarkCancel prints, for each type, search and measure, the time from the end of the context to the return, as a table:
//
//	go test -run - -bench Cancel -benchtime 1x ./estimators/estimatortest
//
// The largest latency is also given as the processor time of all goroutines in seconds, since on a busy machine the elapsed time
// includes other programs. The last column is the longest time between two checks of the context by any goroutine.
func BenchmarkCancel(b *testing.B) {
	if testing.Short() {
		b.Skip("many minutes")
	}
	fmt.Printf("\nBLAS %T, %d processors\n\n", fast.Implementation(), runtime.GOMAXPROCS(0))
	fmt.Println("| what | rows | a fit, s | median latency, s | worst, s | worst, processor s | between looks, s |")
	fmt.Println("|---|---|---|---|---|---|---|")
	for _, text := range strings.Split(*cancelRows, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range cancellations(b, n) {
			if strings.Contains(c.name, *cancelOnly) {
				c.row(n)
			}
		}
	}
}

// cancellation is a slow function, and its name.
type cancellation struct {
	name string
	run  func(ctx context.Context) error
}

func cancellations(b *testing.B, n int) (out []cancellation) {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	x := mat.NewDense(n, 10, nil)
	y, labels := make([]float64, n), make([]int, n)
	for i := range n {
		row := x.RawRowView(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		y[i] = math.Sin(2*row[0]) + row[1]*row[2] + .3*row[3] + .2*rng.NormFloat64()
		if y[i] > .5 {
			labels[i] = 1
		} else if y[i] < -.5 {
			labels[i] = 2
		}
	}
	k, err := kernels.Matrix(context.Background(), kernels.RBF{Gamma: .05}, x, nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, make0 := range withSettings {
		name := strings.TrimPrefix(fmt.Sprintf("%T", make0()), "*")
		run := func(ctx context.Context) error {
			switch e := make0().(type) {
			case *ridge.DirectKernel:
				return e.Fit(ctx, k, y)
			case estimators.Regressor:
				return e.Fit(ctx, x, y)
			case estimators.Classifier:
				return e.Fit(ctx, x, labels)
			case transformers.Transformer:
				return e.Fit(ctx, x)
			case estimators.Detector:
				return e.Fit(ctx, x)
			case estimators.MultiRegressor:
				return e.Fit(ctx, x, twoTargets(y))
			case search.Strategy:
				return (&selection.Regressor{Search: e}).Fit(ctx, x, y)
			}
			return errors.New("nothing to fit")
		}
		out = append(out, cancellation{name, run})
	}
	return append(out,
		cancellation{"measures.Entropy", func(ctx context.Context) error { _, err := measures.Entropy(ctx, k); return err }},
		cancellation{"measures.Condition", func(ctx context.Context) error { _, err := measures.Condition(ctx, k); return err }},
	)
}

// row measures the function for n rows, and prints a line of the table.
func (c cancellation) row(n int) {
	whole, longest, latency, used, err := c.timed(*cancelLimit)
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintf(os.Stderr, "%s, %d rows: %v\n", c.name, n, err)
		return
	}
	var latencies []float64
	worst := 0.0
	if latency >= 0 {
		latencies, worst = append(latencies, latency), used
	}
	for _, share := range cancelMoments {
		if _, _, latency, used, _ := c.timed(time.Duration(share * float64(whole))); latency >= 0 {
			latencies, worst = append(latencies, latency), max(worst, used)
		}
	}
	text := fmt.Sprintf("%.2f", whole.Seconds())
	if whole >= *cancelLimit {
		text = fmt.Sprintf("over %.0f", cancelLimit.Seconds())
	}
	if len(latencies) == 0 {
		fmt.Printf("| %s | %d | %s | – | – | – | %.2f |\n", c.name, n, text, longest)
		return
	}
	slices.Sort(latencies)
	fmt.Printf("| %s | %d | %s | %.2f | %.2f | %.2f | %.2f |\n", c.name, n, text, latencies[len(latencies)/2], latencies[len(latencies)-1], worst, longest)
}

// timed calls run with a context that is cancelled after some time. The result took is the time until the cancellation or the
// return, and longest is the longest time between two checks of the context. The result latency is the time from the cancellation
// to the return, or -1 if run returned before the cancellation. The result used is the latency in processor time.
func (c cancellation) timed(after time.Duration) (took time.Duration, longest, latency, used float64, err error) {
	runtime.GC()
	inner, cancel := context.WithCancel(context.Background())
	defer cancel()
	ctx := &timedChecks{Context: inner, last: time.Now(), begun: time.Now()}
	type moment struct {
		at   time.Time
		used float64
	}
	ended := make(chan moment, 1)
	timer := time.AfterFunc(after, func() { ended <- moment{time.Now(), processorSeconds()}; cancel() })
	begun := time.Now()
	err = c.run(ctx)
	returned, usedAtEnd := time.Now(), processorSeconds()
	timer.Stop()
	ctx.look()
	latency = -1
	took = returned.Sub(begun)
	select {
	case at := <-ended:
		took, latency, used = at.at.Sub(begun), returned.Sub(at.at).Seconds(), usedAtEnd-at.used
	default:
	}
	if traceChecks {
		fmt.Fprintf(os.Stderr, "%s: longest %.2f s, from %.2f s on, until %s\n", c.name, ctx.longest.Seconds(), ctx.from.Seconds(), ctx.where)
	}
	return took, ctx.longest.Seconds(), latency, used, err
}

// traceChecks selects whether the stack is printed at the end of the longest time between two checks.
var traceChecks = os.Getenv("KERNELEARN_TRACE_CHECKS") != ""

// timedChecks is a context that records the longest time between two checks.
type timedChecks struct {
	context.Context
	mu      sync.Mutex
	begun   time.Time
	last    time.Time
	longest time.Duration
	from    time.Duration
	where   string
}

func (l *timedChecks) look() {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if d := now.Sub(l.last); d > l.longest {
		l.longest, l.from = d, l.last.Sub(l.begun)
		if traceChecks && d > 100*time.Millisecond {
			l.where = string(debug.Stack())
		}
	}
	l.last = now
}

// Err returns the error of the context, and counts as a check.
func (l *timedChecks) Err() error {
	l.look()
	return l.Context.Err()
}
