//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package atomicfile

import (
	"os"
	"runtime"
	"time"
)

// locks reports whether the system has file locks that end with the program.
const locks = false

func lock(*os.File) {}

// removeAbandoned removes a file that no program is writing. Windows does not remove an open file, and a temporary file is open
// until just before its rename. On other systems a file is treated as abandoned when it is a day old.
func removeAbandoned(path string, old os.FileInfo) {
	least := 24 * time.Hour
	if runtime.GOOS == "windows" {
		least = time.Minute
	}
	if time.Since(old.ModTime()) > least {
		_ = os.Remove(path)
	}
}
