//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package atomicfile

import (
	"os"
	"runtime"
	"time"
)

// locks is whether files have locks that end with the program.
const locks = false

func lock(*os.File) {}

// removeAbandoned removes a file that nobody writes. Windows does not remove a file that is open, which it is but for the
// moment before it gets its name; elsewhere a day is longer than any writing.
func removeAbandoned(path string, old os.FileInfo) {
	least := 24 * time.Hour
	if runtime.GOOS == "windows" {
		least = time.Minute
	}
	if time.Since(old.ModTime()) > least {
		_ = os.Remove(path)
	}
}
