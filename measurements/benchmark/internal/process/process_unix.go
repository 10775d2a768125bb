//go:build unix

package process

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Isolate puts a cell's process into a process group of its own, with the program of a peer that it may run. They end together. An
// interrupt at the terminal goes to a process group, so it does not reach the cell and does not count as its failure.
func Isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// KillGroup ends the group of a process that Isolate prepared.
func KillGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// KillOwnGroup ends the group of this process if Isolate created it.
func KillOwnGroup() {
	if syscall.Getpgrp() == os.Getpid() {
		_ = syscall.Kill(0, syscall.SIGKILL)
	}
}

// Redirect sends everything that is written to the descriptor of out, even by C code, to problems. It returns a copy of out.
func Redirect(out, problems *os.File) *os.File {
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

// processorTime returns the processor time of this process.
func processorTime() time.Duration {
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) != nil {
		return time.Since(started)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// Limit ends this process with exitOverBudget when it has used the given seconds of processor time. The processes that it runs are
// ended by a signal.
func Limit(seconds uint64) {
	over := make(chan os.Signal, 1)
	signal.Notify(over, syscall.SIGXCPU)
	go func() {
		<-over
		os.Exit(ExitOverBudget)
	}()
	var limit unix.Rlimit
	assign(&limit.Cur, seconds)
	assign(&limit.Max, seconds+killAfter)
	_ = unix.Setrlimit(unix.RLIMIT_CPU, &limit)
}

// assign sets a number whose type differs between operating systems.
func assign[T int64 | uint64](to *T, v uint64) { *to = T(v) }

// killAfter is the number of further seconds for a process that ignores the signal.
const killAfter = 2

// OverLimit reports whether a program was ended by its limit. If a shell runs the program, it reports the signal as its own exit
// code.
func OverLimit(err error, seconds uint64) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	status := exit.Sys().(syscall.WaitStatus)
	by := func(s syscall.Signal) bool {
		return status.Signaled() && status.Signal() == s || status.ExitStatus() == shellSignal+int(s)
	}
	// The operating system sends SIGKILL for lack of memory too, so the processor time is checked.
	used := exit.UserTime() + exit.SystemTime()
	return by(syscall.SIGXCPU) || by(syscall.SIGKILL) && used >= time.Duration(seconds)*time.Second
}

const shellSignal = 128 // a shell's exit code for a signal is the sum of this and the signal
