// Package guarded places slices next to memory that must not be read, so that tests detect assembly routines that access memory
// outside their arguments.
package guarded

import (
	"math"
	"runtime/debug"
	"testing"
)

// Run calls f. If f accesses protected memory, Run ends the test with a message that contains the text what.
func Run(t testing.TB, what string, f func()) {
	t.Helper()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		t.Helper()
		if p := recover(); p != nil {
			t.Fatalf("%s: %v", what, p)
		}
	}()
	f()
}

// canaries is the number of elements next to a slice, on the unprotected side, that an Arena checks.
const canaries = 64

// canary is a NaN that no computation produces.
const canary = 0x7ff4_c0de_dead_beef

// Arena is memory in which slices are placed one at a time. At one end of a slice is a protected page, and at the other are
// canaries.
type Arena struct {
	room []float64
	at   int
	used []float64
}

// Put returns a copy of v next to the protected page on the given side. It is valid until the next Put.
func (a *Arena) Put(side string, v []float64) []float64 {
	a.at = canaries
	if side == "after" {
		a.at = len(a.room) - len(v)
	}
	if side == "before" {
		a.at = 0
	}
	a.used = a.room[a.at : a.at+len(v) : a.at+len(v)]
	copy(a.used, v)
	for _, c := range [][]float64{a.room[max(0, a.at-canaries):a.at], a.room[a.at+len(v) : min(len(a.room), a.at+len(v)+canaries)]} {
		for i := range c {
			c[i] = math.Float64frombits(canary)
		}
	}
	return a.used
}

// Intact reports whether the canaries next to the last slice are unchanged.
func (a *Arena) Intact() bool {
	end := a.at + len(a.used)
	for _, c := range [][]float64{a.room[max(0, a.at-canaries):a.at], a.room[end:min(len(a.room), end+canaries)]} {
		for _, v := range c {
			if math.Float64bits(v) != canary {
				return false
			}
		}
	}
	return true
}

// NewArena returns an arena for slices with at most the given number of elements.
func NewArena(t testing.TB, most int) *Arena {
	t.Helper()
	return &Arena{room: memory(t, most+2*canaries)}
}

// Between places a slice between canaries on both sides. It also works on systems without page protection.
const Between = "between"

// Places returns Between and the Sides.
func Places() []string { return append([]string{Between}, Sides...) }
