// Package guarded places slices next to memory that may not be read, so that a test sees an assembly
// routine that reads or writes beside what it was given.
package guarded

import (
	"math"
	"runtime/debug"
	"testing"
)

// Run calls f, and ends the test with what it was about if f reads or writes where it may not.
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

// canaries is how many numbers beside a slice, on the side that may be read, an Arena looks after.
const canaries = 64

// canary is a NaN that no computation makes.
const canary = 0x7ff4_c0de_dead_beef

// Arena is memory for slices that are placed in it one after the other: what is placed ends, or begins, at a page that
// may not be read, and has canaries at its other end.
type Arena struct {
	room []float64
	at   int
	used []float64
}

// Put returns a copy of v beside the unreadable page of a side, until the next Put.
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

// Intact reports whether nothing was written beside what was put last.
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

// NewArena returns one for up to so many numbers.
func NewArena(t testing.TB, most int) *Arena {
	t.Helper()
	return &Arena{room: memory(t, most+2*canaries)}
}

// Between is the side with canaries at both ends, for machines that have no unreadable pages too.
const Between = "between"

// Places are the sides, and between canaries.
func Places() []string { return append([]string{Between}, Sides...) }
