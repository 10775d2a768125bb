//go:build linux || darwin || freebsd

package guarded

import (
	"os"
	"syscall"
	"testing"
	"unsafe"
)

// Sides are where the unreadable page lies.
var Sides = []string{"before", "after"}

// Copy returns a copy of v right behind a page that may not be read, or right before one.
func Copy(t testing.TB, side string, v []float64) []float64 {
	t.Helper()
	const size = 8
	page := os.Getpagesize()
	room := (len(v)*size + page - 1) / page * page
	memory, err := syscall.Mmap(-1, 0, room+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(memory) })
	for _, guard := range [][]byte{memory[:page], memory[page+room:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	if len(v) == 0 {
		return v
	}
	at := page
	if side == "after" {
		at += room - len(v)*size
	}
	out := unsafe.Slice((*float64)(unsafe.Pointer(&memory[at])), len(v))
	copy(out, v)
	return out
}
