//go:build !unix

package main

import (
	"os"
	"os/exec"
	"time"
)

// isolate does nothing: a cell's process ignores interrupts by itself.
func isolate(*exec.Cmd) {}

// endProcessGroup ends a process.
func endProcessGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

// endGroup does nothing: a peer's program ends when it has done its work.
func endGroup() {}

// redirect does nothing: here C code that prints spoils its cell.
func redirect(out, _ *os.File) *os.File { return out }

// processorTime is the time since the process began, on a system that is not asked for
// what it used.
func processorTime() time.Duration { return time.Since(started) }

// limitProcessor does nothing: here the budget is of the clock alone.
func limitProcessor(uint64) {}

func overLimit(error, uint64) bool { return false }
