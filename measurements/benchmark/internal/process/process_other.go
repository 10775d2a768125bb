//go:build !unix

package process

import (
	"os"
	"os/exec"
	"time"
)

// Isolate does nothing, because a cell's process ignores interrupts itself.
func Isolate(*exec.Cmd) {}

// KillGroup ends a process.
func KillGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

// KillOwnGroup does nothing, because a peer's program ends when it has finished.
func KillOwnGroup() {}

// Redirect does nothing. On this system, C code that prints makes its cell fail.
func Redirect(out, _ *os.File) *os.File { return out }

// processorTime returns the time since the process began, because the processor time is not available on this system.
func processorTime() time.Duration { return time.Since(started) }

// Limit does nothing. On this system the budget limits only the wall-clock time.
func Limit(uint64) {}

func OverLimit(error, uint64) bool { return false }
