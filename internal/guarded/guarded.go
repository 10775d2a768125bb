// Package guarded places slices next to memory that may not be read, so that a test sees an assembly
// routine that reads or writes beside what it was given.
package guarded

import (
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
