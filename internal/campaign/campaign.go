// Package campaign runs a check on random inputs: some hundred in go test, and as many as there is time for in
// .ci/campaign, which sets KERNELEARN_CAMPAIGN to a duration.
//
// A driver is a test whose name begins with TestCampaign and that calls [Run]: .ci/campaign finds it by its name. Each
// input is made of a seed and its number, which a finding names, so that it can be run again by itself:
//
//	KERNELEARN_CAMPAIGN_INPUT=17:123456 go test -run TestCampaignFiles ./estimators/estimatortest
//
// With KERNELEARN_FINDINGS set to a folder, each finding is written there as well.
package campaign

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
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
	if text := os.Getenv(inputVariable); text != "" {
		var seed, input uint64
		if _, err := fmt.Sscanf(text, "%d:%d", &seed, &input); err != nil {
			t.Fatalf("%s: %q, want a seed, a colon and a number", inputVariable, text)
		}
		if err := guarded(check, rand.New(rand.NewPCG(seed, input))); err != nil {
			t.Errorf("%s: input %s: %v", name, text, err)
		}
		return
	}
	duration := Duration(t)
	seed := uint64(1)
	if duration > 0 {
		seed = uint64(time.Now().UnixNano()) // another campaign tries other inputs
	}
	inputs, seen := uint64(0), map[string]bool{}
	source := rand.NewPCG(0, 0)
	rng := rand.New(source)
	for began := time.Now(); len(seen) < mostFindings; inputs++ {
		switch {
		case duration == 0 && inputs >= uint64(few):
		case duration > 0 && inputs%16 == 0 && time.Since(began) >= duration:
		default:
			source.Seed(seed, inputs)
			if err := guarded(check, rng); err != nil {
				first, _, _ := strings.Cut(err.Error(), "\n")
				if !seen[first] {
					seen[first] = true
					found(t, name, fmt.Sprintf("%d:%d", seed, inputs), err)
				}
			}
			continue
		}
		break
	}
	fmt.Printf("campaign: %s inputs %d\n", name, inputs)
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

func found(t *testing.T, name, input string, err error) {
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
