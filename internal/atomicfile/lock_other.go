//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package atomicfile

import (
	"os"
	"runtime"
	"time"
)

func lock(*os.File) {}

// abandoned reports whether nobody writes the file. Windows does not remove a file that is open; elsewhere
// a day is longer than any writing.
func abandoned(path string) bool {
	info, err := os.Stat(path)
	return err == nil && (runtime.GOOS == "windows" || time.Since(info.ModTime()) > 24*time.Hour)
}
