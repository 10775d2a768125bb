//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// isolate puts a cell's process, and the peer's program that it may start, into a group
// of their own: they end together, and an interrupt at the terminal, which goes to a
// whole group, is not taken for a failure.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// endGroup ends the group of this process, if it is one that isolate made.
func endGroup() {
	if syscall.Getpgrp() == os.Getpid() {
		_ = syscall.Kill(0, syscall.SIGKILL)
	}
}

// redirect makes what is written to the descriptor of out go to problems, also by C code,
// and returns a copy of out.
func redirect(out, problems *os.File) *os.File {
	kept, err := unix.Dup(int(out.Fd()))
	if err != nil {
		return out
	}
	unix.CloseOnExec(kept)
	if unix.Dup2(int(problems.Fd()), int(out.Fd())) != nil {
		return out
	}
	return os.NewFile(uintptr(kept), "outcome")
}

// processorTime is what this process has used of the processor.
func processorTime() time.Duration {
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) != nil {
		return time.Since(started)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
