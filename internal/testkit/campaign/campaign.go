// Package campaign runs a check on random inputs: some hundred in go test, and as many as there is time for in
// .ci/campaign, which sets KERNELEARN_CAMPAIGN to a duration.
//
// A driver is a test whose name begins with TestCampaign and that calls [Run] or [RunTest]: .ci/campaign finds it by its name. Each
// input is made of a seed and its number, which a finding names, so that it can be run again by itself:
//
//	KERNELEARN_CAMPAIGN_INPUT=17:123456 go test -run TestCampaignFiles ./estimators/estimatortest
//
// With KERNELEARN_FINDINGS set to a folder, each finding is written there as well.
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

// The variables of the environment that .ci/campaign sets.
const (
	durationVariable = "KERNELEARN_CAMPAIGN"
	inputVariable    = "KERNELEARN_CAMPAIGN_INPUT"
	findingsVariable = "KERNELEARN_FINDINGS"
)

// mostFindings ends a driver: more of them seldom say more.
const mostFindings = 20

// Duration is what .ci/campaign gives a driver; 0 in go test.
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

// Run calls check on random numbers of its own for each input, few times in go test and over and over in a campaign. An error is a
// finding, a panic too. It prints the line with the number of inputs that .ci/campaign adds up.
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

// RunTest is Run for a check that fails a test, which ends it.
func RunTest(t *testing.T, name string, few int, check func(t *testing.T, rng *rand.Rand)) {
	t.Helper()
	if seed, input, ok := singleInput(t); ok {
		check(t, rand.New(rand.NewPCG(seed, input)))
		return
	}
	inputs, last := uint64(0), ""
	clock := watch(t, name)
	defer clock.stop()
	defer func() { // also where the check calls FailNow
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

// longest is how long one input may take, and up to as long again, before it is a finding that ends the campaign of its driver.
const longest = time.Minute

// watchdog looks at how long an input takes, in a campaign. Nil looks at nothing.
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

// begin is called before each input. Inputs are kept with one added, so that 0 is none.
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

// singleInput returns the single input that the environment asks for.
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

// forEachInput calls f for few inputs, or for as many as there is time for in a campaign, while it returns true.
func forEachInput(t *testing.T, few int, f func(seed, input uint64, rng *rand.Rand) bool) {
	t.Helper()
	duration := Duration(t)
	seed := uint64(1)
	if duration > 0 {
		seed = uint64(time.Now().UnixNano()) // another campaign tries other inputs
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

// guarded makes an error of a panic.
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
