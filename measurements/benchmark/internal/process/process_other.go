//go:build !unix

package process

import (
	"os"
	"os/exec"
	"time"
)

// Isolate does nothing: a cell's process ignores interrupts by itself.
func Isolate(*exec.Cmd) {}

// KillGroup ends a process.
func KillGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

// KillOwnGroup does nothing: a peer's program ends when it has done its work.
func KillOwnGroup() {}

// Redirect does nothing: here C code that prints spoils its cell.
func Redirect(out, _ *os.File) *os.File { return out }

// processorTime is the time since the process began, on a system that is not asked for
// what it used.
func processorTime() time.Duration { return time.Since(started) }

// Limit does nothing: here the budget is of the clock alone.
func Limit(uint64) {}

func OverLimit(error, uint64) bool { return false }
