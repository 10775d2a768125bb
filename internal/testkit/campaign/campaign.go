// Package campaign runs checks on random inputs: a few hundred in go test, and as many as time allows in .ci/campaign, which sets
// KERNELEARN_CAMPAIGN to a duration.
//
// A driver is a test whose name begins with TestCampaign and that calls [Run] or [RunTest]; .ci/campaign finds it by its name. Each
// input follows from a seed and a number. A finding names both, so that the input can be repeated alone:
//
//	KERNELEARN_CAMPAIGN_INPUT=17:123456 go test -run TestCampaignFiles ./estimators/estimatortest
//
// If KERNELEARN_FINDINGS is a folder, each finding is also written to a file there.
package campaign

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// The environment variables that .ci/campaign sets.
const (
	durationVariable = "KERNELEARN_CAMPAIGN"
	inputVariable    = "KERNELEARN_CAMPAIGN_INPUT"
	findingsVariable = "KERNELEARN_FINDINGS"
)

// mostFindings is the number of findings that ends a driver, since further findings rarely help.
const mostFindings = 20

// Duration returns the time that .ci/campaign gives a driver. It is 0 in go test.
func Duration(tb testing.TB) time.Duration {
	tb.Helper()
	text := os.Getenv(durationVariable)
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		tb.Fatalf("%s: %v", durationVariable, err)
	}
	return d
}

// Run calls check with a separate random generator for each input: a few times in go test, and repeatedly in a campaign. An error
// or a panic is a finding. Run prints the number of inputs, which .ci/campaign adds up.
func Run(t *testing.T, name string, few int, check func(rng *rand.Rand) error) {
	t.Helper()
	if seed, input, ok := singleInput(t); ok {
		if err := guarded(check, rand.New(rand.NewPCG(seed, input))); err != nil {
			t.Errorf("%s: input %d:%d: %v", name, seed, input, err)
		}
		return
	}
	inputs, seen := uint64(0), map[string]bool{}
	clock := watch(t, name)
	defer clock.stop()
	forEachInput(t, few, func(seed, input uint64, rng *rand.Rand) bool {
		inputs++
		clock.begin(seed, input)
		if err := guarded(check, rng); err != nil {
			first, _, _ := strings.Cut(err.Error(), "\n")
			if !seen[first] {
				seen[first] = true
				reportFinding(t, name, fmt.Sprintf("%d:%d", seed, input), err)
			}
		}
		return len(seen) < mostFindings
	})
	fmt.Printf("campaign: %s inputs %d\n", name, inputs)
}

// RunTest is like Run, for a check that reports failures to a test. A failure ends the input.
func RunTest(t *testing.T, name string, few int, check func(t *testing.T, rng *rand.Rand)) {
	t.Helper()
	if seed, input, ok := singleInput(t); ok {
		check(t, rand.New(rand.NewPCG(seed, input)))
		return
	}
	inputs, last := uint64(0), ""
	clock := watch(t, name)
	defer clock.stop()
	defer func() { // even if the check calls FailNow
		if t.Failed() {
			reportFinding(t, name, last, errors.New("the test fails, see the log"))
		}
		fmt.Printf("campaign: %s inputs %d\n", name, inputs)
	}()
	forEachInput(t, few, func(seed, input uint64, rng *rand.Rand) bool {
		inputs++
		last = fmt.Sprintf("%d:%d", seed, input)
		clock.begin(seed, input)
		check(t, rng)
		return !t.Failed()
	})
}

// longest is the time limit of one input. An input that takes between one and two times as long is a finding that ends the campaign
// of its driver.
const longest = time.Minute

// watchdog limits the time of an input in a campaign. A nil watchdog does nothing.
type watchdog struct {
	seed, input atomic.Uint64
	stopped     chan struct{}
}

func watch(t *testing.T, name string) *watchdog {
	if Duration(t) == 0 {
		return nil
	}
	w := &watchdog{stopped: make(chan struct{})}
	go func() {
		ticks := time.NewTicker(longest)
		defer ticks.Stop()
		for last := uint64(0); ; {
			select {
			case <-w.stopped:
				return
			case <-ticks.C:
			}
			if at := w.input.Load(); at != last {
				last = at
				continue
			}
			stacks := make([]byte, 1<<20)
			reportFinding(t, name, fmt.Sprintf("%d:%d", w.seed.Load(), w.input.Load()-1),
				fmt.Errorf("it takes more than %v:\n%s", longest, stacks[:runtime.Stack(stacks, true)]))
			os.Exit(1)
		}
	}()
	return w
}

// begin records the input that is about to run. Stored numbers are one larger, so that 0 means none.
func (w *watchdog) begin(seed, input uint64) {
	if w != nil {
		w.seed.Store(seed)
		w.input.Store(input + 1)
	}
}

func (w *watchdog) stop() {
	if w != nil {
		close(w.stopped)
	}
}

// singleInput returns the single input that the environment requests.
func singleInput(t *testing.T) (seed, input uint64, ok bool) {
	t.Helper()
	text := os.Getenv(inputVariable)
	if text == "" {
		return 0, 0, false
	}
	if _, err := fmt.Sscanf(text, "%d:%d", &seed, &input); err != nil {
		t.Fatalf("%s: %q, want a seed, a colon and a number", inputVariable, text)
	}
	return seed, input, true
}

// forEachInput calls f for a few inputs or, in a campaign, until its time has elapsed. It stops early if f returns false.
func forEachInput(t *testing.T, few int, f func(seed, input uint64, rng *rand.Rand) bool) {
	t.Helper()
	duration := Duration(t)
	seed := uint64(1)
	if duration > 0 {
		seed = uint64(time.Now().UnixNano()) // each campaign tries other inputs
	}
	source := rand.NewPCG(0, 0)
	rng := rand.New(source)
	began := time.Now()
	for input := uint64(0); ; input++ {
		if duration == 0 && input >= uint64(few) || duration > 0 && input > 0 && time.Since(began) >= duration {
			return
		}
		source.Seed(seed, input)
		if !f(seed, input, rng) {
			return
		}
	}
}

// guarded turns a panic into an error.
func guarded(check func(*rand.Rand) error, rng *rand.Rand) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return check(rng)
}

func reportFinding(t *testing.T, name, input string, err error) {
	t.Helper()
	text := fmt.Sprintf("%s: %s=%s: %v", name, inputVariable, input, err)
	t.Error(text)
	if dir := os.Getenv(findingsVariable); dir != "" {
		file := filepath.Join(dir, name+"-"+strings.ReplaceAll(input, ":", "-")+".txt")
		if err := os.WriteFile(file, []byte(text+"\n"), 0o644); err != nil {
			t.Error(err)
		}
	}
}
