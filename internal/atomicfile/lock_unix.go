//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package atomicfile

import (
	"os"
	"syscall"
)

// locks is whether files have locks that end with the program.
const locks = true

// lock says that the file is being written, until it is closed or the program ends. A file system without locks
// leaves it without.
func lock(f *os.File) {
	for syscall.Flock(int(f.Fd()), syscall.LOCK_EX) == syscall.EINTR {
	}
}

// removeAbandoned removes a file that nobody writes, as its lock says: while that is ours nobody else's is.
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
