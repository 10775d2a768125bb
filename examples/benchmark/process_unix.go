//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// isolate keeps an interrupt at the terminal, which goes to a whole process group,
// from a cell's process: else it might be taken for a failure.
func isolate(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
