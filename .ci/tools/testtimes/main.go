// Testtimes runs a test binary for go test -exec, and appends the times of its tests to the file that KERNELEARN_TEST_TIMES names.
// Each test adds a line "seconds processor-seconds binary test". Times are read when a line of the -v output begins or ends a test.
// If tests run in parallel, the processor seconds of a test include those of the others. It runs on Linux only.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	status, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "testtimes:", err)
		os.Exit(1)
	}
	os.Exit(status)
}

type reading struct {
	at        time.Time
	processor float64
}

func run(args []string) (status int, err error) {
	times, err := os.OpenFile(os.Getenv("KERNELEARN_TEST_TIMES"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, err
	}
	defer times.Close()
	binary := exec.Command(args[0], args[1:]...)
	binary.Stdin, binary.Stderr = os.Stdin, os.Stderr
	out, err := binary.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := binary.Start(); err != nil {
		return 0, err
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGQUIT, syscall.SIGTERM)
	go func() {
		for s := range signals {
			binary.Process.Signal(s) // go test sends it after a timeout
		}
	}()

	began := map[string]reading{}
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		os.Stdout.WriteString(line)
		text := strings.TrimPrefix(line, "\x16") // test2json marks the lines of the test framework with it
		if name, ok := strings.CutPrefix(text, "=== RUN   "); ok {
			began[strings.TrimSpace(name)] = read(binary.Process.Pid)
		}
		if fields := strings.Fields(text); strings.HasPrefix(text, "--- ") && len(fields) > 2 {
			if from, ok := began[fields[2]]; ok {
				to := read(binary.Process.Pid)
				fmt.Fprintf(times, "%.2f %.2f %s %s\n", to.at.Sub(from.at).Seconds(), to.processor-from.processor,
					strings.TrimSuffix(filepath.Base(args[0]), ".test"), fields[2])
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, err
		}
	}
	err = binary.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return max(1, exit.ExitCode()), nil
	}
	return 0, err
}

// read returns the current time, and the processor seconds of a process and its ended children.
func read(pid int) reading {
	const ticks = 100 // per second, in Linux on all processors
	out := reading{at: time.Now()}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return out
	}
	_, after, _ := strings.Cut(string(text), ") ")
	if fields := strings.Fields(after); len(fields) > 14 {
		for _, field := range fields[11:15] { // utime, stime, cutime, cstime
			n, _ := strconv.ParseFloat(field, 64)
			out.processor += n / ticks
		}
	}
	return out
}
