//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package atomicfile

import (
	"os"
	"syscall"
)

// locks reports whether the system has file locks that end with the program.
const locks = true

// lock marks the file as being written, until it is closed or the program ends. It has no effect on a file system without locks.
func lock(f *os.File) {
	for syscall.Flock(int(f.Fd()), syscall.LOCK_EX) == syscall.EINTR {
	}
}

// removeAbandoned removes a file if it can lock it, because then no program is writing it.
func removeAbandoned(path string, _ os.FileInfo) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		_ = os.Remove(path)
	}
}
