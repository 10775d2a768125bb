// Package campaign runs a test on random inputs: a few hundred in a test, and as many as go into the time that the
// environment variable KERNELEARN_CAMPAIGN names, "30s" or "2h", for who looks for what no test has found yet.
package campaign

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// Variable is the environment variable of the time; SeedVariable that of the first input's seed, 0 if it is absent, by
// which a failure is made again.
const (
	Variable     = "KERNELEARN_CAMPAIGN"
	SeedVariable = "KERNELEARN_CAMPAIGN_SEED"
)

// longest is how long a test without the variable goes on at most, however slow the machine.
const longest = 2 * time.Second

// Long reports whether the variable is there.
func Long() bool { return os.Getenv(Variable) != "" }

// Run calls one for inputs of seeds that count up, each with a generator of its own, until one has failed, inputs were
// tried, or in a campaign its time is over. At the end it prints how many there were.
func Run(t *testing.T, name string, inputs int, one func(t *testing.T, rng *rand.Rand)) {
	t.Helper()
	limit := longest
	if value := os.Getenv(Variable); value != "" {
		var err error
		if limit, err = time.ParseDuration(value); err != nil {
			t.Fatalf("%s: %v", Variable, err)
		}
	}
	first := uint64(0)
	if value := os.Getenv(SeedVariable); value != "" {
		var err error
		if first, err = strconv.ParseUint(value, 10, 64); err != nil {
			t.Fatalf("%s: %v", SeedVariable, err)
		}
	}
	begun, seed := time.Now(), first
	done := func() uint64 { return seed - first }
	defer func() {
		if t.Failed() {
			t.Logf("%s: the input of %s=%d", name, SeedVariable, seed)
		}
		fmt.Printf("campaign: %s inputs %d\n", name, done())
	}()
	// At least one, however long that took.
	for done() == 0 || time.Since(begun) < limit && (Long() || done() < uint64(inputs)) {
		one(t, rand.New(rand.NewPCG(seed, 0x6b65726e)))
		if t.Failed() {
			return
		}
		seed++
	}
}
