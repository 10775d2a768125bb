//go:build linux || darwin || freebsd

package guarded

import (
	"os"
	"syscall"
	"testing"
	"unsafe"
)

// Sides are the possible positions of the protected page.
var Sides = []string{"before", "after"}

// Copy returns a copy of v immediately after or before a protected page.
func Copy(t testing.TB, side string, v []float64) []float64 {
	t.Helper()
	room := memory(t, len(v))
	if side == "after" {
		room = room[len(room)-len(v):]
	}
	out := room[:len(v):len(v)]
	copy(out, v)
	return out
}

// memory returns room for at least this many numbers, in pages between two protected pages.
func memory(t testing.TB, numbers int) []float64 {
	t.Helper()
	const size = 8
	page := os.Getpagesize()
	room := (numbers*size + page - 1) / page * page
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
	if room == 0 {
		return nil
	}
	return unsafe.Slice((*float64)(unsafe.Pointer(&memory[page])), room/size)
}
