// Package runner computes each cell in its own process: a process of this program, a process of a peer, or a child of a peer's
// server that has imported its libraries once.
package runner

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progressbar"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/process"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/protocol"
)

const (
	keptOutput   = 64 << 10 // number of bytes kept of a cell's standard error
	messageLines = 3
	messageBytes = 400
	// exitGrace is the time for which a process that has ended may keep its pipes open.
	exitGrace = 5 * time.Second
)

// Runner computes the cells for the settings.
type Runner struct {
	protocol.Settings
	servers *servers // the Python servers, or nil
	Missing []methods.Missing
}

// Stop ends the servers.
func (s *Runner) Stop() {
	if s.servers != nil {
		s.servers.stop()
	}
}

// Run returns the cells of all jobs in order. It runs those that are not finished.
func (s *Runner) Run(ctx context.Context, jobs []protocol.Job, progress io.Writer) ([]protocol.Cell, error) {
	cells := make([]*protocol.Cell, len(jobs))
	var left []int
	for i, j := range jobs {
		var err error
		if cells[i], err = j.Finished(); err != nil {
			return nil, err
		}
		if cells[i] == nil {
			left = append(left, i)
		}
	}
	if len(left) < len(jobs) {
		fmt.Fprintf(progress, "%d of %d cells are there\n", len(jobs)-len(left), len(jobs))
	}
	if len(left) > 0 {
		if err := s.runLeft(ctx, jobs, left, cells, progress); err != nil {
			return nil, err
		}
	}
	out := make([]protocol.Cell, len(cells))
	for i, c := range cells {
		out[i] = *c
	}
	return out, nil
}

func (s *Runner) runLeft(ctx context.Context, jobs []protocol.Job, left []int, cells []*protocol.Cell, progress io.Writer) error {
	bar := progressbar.New(progress, "cells", len(left))
	var done atomic.Int64
	over := overBudget(cells, jobs)
	parts, err := beginPart(s.Out)
	if err != nil {
		return err
	}
	for _, round := range rounds(jobs, left) {
		// The jobs that exceeded their budget in an earlier round are the same for any number of workers.
		err = parallel.ForEach(ctx, s.Workers, len(round), func(i int) error {
			j := jobs[round[i]]
			c, err := s.runOrNot(ctx, j, over[j.Lineage])
			if err != nil {
				return err
			}
			if err := j.Save(c); err != nil {
				return err
			}
			cells[round[i]] = &c
			done.Add(1)
			if err := parts.note(); err != nil {
				return err
			}
			bar.Add(1)
			return nil
		})
		if err != nil {
			break
		}
		over = overBudget(cells, jobs)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted with %d of %d cells left; the same command goes on: %w", int64(len(left))-done.Load(), len(jobs),
			ctx.Err())
	}
	bar.Finish()
	return err
}

// rounds groups the remaining jobs, so that the first split of all methods comes before the second split of any.
func rounds(jobs []protocol.Job, left []int) [][]int {
	left = slices.Clone(left)
	slices.SortStableFunc(left, func(a, b int) int { return cmp.Compare(jobs[a].Round, jobs[b].Round) })
	var out [][]int
	for i, at := range left {
		if i == 0 || jobs[at].Round != jobs[left[i-1]].Round {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], at)
	}
	return out
}

// overBudget returns the first job of each lineage that exceeded its budget.
func overBudget(cells []*protocol.Cell, jobs []protocol.Job) map[string]protocol.Job {
	out := map[string]protocol.Job{}
	for i, c := range cells {
		if c == nil || c.Status != protocol.StatusOverBudget {
			continue
		}
		j := jobs[i]
		if first, there := out[j.Lineage]; !there || j.Round < first.Round {
			out[j.Lineage] = j
		}
	}
	return out
}

// runOrNot runs a job unless a job of its lineage exceeded its budget in an earlier round.
func (s *Runner) runOrNot(ctx context.Context, j, over protocol.Job) (protocol.Cell, error) {
	if over.Lineage == "" || over.Round >= j.Round {
		return s.runCell(ctx, j)
	}
	c := j.Cell()
	c.Status, c.Error = protocol.StatusNotRun, fmt.Sprintf("over budget on split %d of %s", over.Key.Split, over.Key.Set)
	return c, ctx.Err()
}

// runCell runs a job in its own process. It returns errors of the benchmark itself. An error of the method is stored in the cell.
func (s *Runner) runCell(ctx context.Context, j protocol.Job) (protocol.Cell, error) {
	c := j.Cell()
	if err := j.Allow(); err != nil {
		c.Status, c.Error = protocol.StatusFailed, err.Error()
		return c, nil
	}
	if j.Served {
		return s.runServed(ctx, j)
	}
	limited, cancel := context.WithTimeout(ctx, time.Duration(j.Clock)*time.Second)
	defer cancel()
	out, problems, err := execute(limited, j)
	switch {
	case ctx.Err() != nil:
		return protocol.Cell{}, ctx.Err()
	case errors.Is(err, errNotStarted):
		return protocol.Cell{}, err
	case err != nil && (limited.Err() != nil || exitCode(err) == process.ExitOverBudget):
		c.Status = protocol.StatusOverBudget
		return c, nil
	case err != nil:
		c.Error = lastWords(problems, err)
	default:
		if err := json.Unmarshal(out, &c.Outcome); err != nil {
			c.Outcome = protocol.Outcome{Error: fmt.Sprintf("the process of the cell gave no outcome: %v", err)}
		}
	}
	c.Status = protocol.StatusOK
	if c.Error != "" {
		c.Status = protocol.StatusFailed
	}
	return c, nil
}

// exitCode returns the exit code of a process, or -1 if there is none.
func exitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return -1
}

var errNotStarted = errors.New("the process of a cell did not start")

// execute runs the process of a cell until it ends or ctx ends.
func execute(ctx context.Context, j protocol.Job) (out, problems []byte, err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errNotStarted, err)
	}
	description, err := json.Marshal(j)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errNotStarted, err)
	}
	cmd := exec.CommandContext(ctx, program, CellCommand)
	cmd.WaitDelay = exitGrace
	cmd.Env = slices.Concat(os.Environ(), threadVariables(max(1, j.Key.Threads)), j.Env)
	var stdout bytes.Buffer
	var stderr tail
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	process.Isolate(cmd)
	in, err := cmd.StdinPipe() // stays open until the process has ended
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errNotStarted, err)
	}
	if err := cmd.Start(); err != nil {
		if ctx.Err() != nil { // ctx ended before the process began
			return nil, nil, ctx.Err()
		}
		return nil, nil, fmt.Errorf("%w: %w", errNotStarted, err)
	}
	// If a process ended before it read its job, its exit status explains why.
	_, _ = in.Write(description)
	err = cmd.Wait()
	return stdout.Bytes(), stderr.kept, err
}

// tail keeps the end of the data written to it.
type tail struct{ kept []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if extra := len(t.kept) - keptOutput; extra > 0 {
		t.kept = append(t.kept[:0], t.kept[extra:]...)
	}
	return len(p), nil
}

// lastWords returns the last output of a process that failed. For a crash it returns the message without the stack traces, which
// differ in each run.
func lastWords(problems []byte, err error) string {
	var lines []string
	for line := range strings.Lines(string(problems)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") || strings.HasPrefix(line,
			"runtime: out of memory") {
			lines = []string{line}
			break
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	lines = append(lines[max(0, len(lines)-messageLines):], err.Error())
	message := strings.Join(lines, "; ")
	return strings.ToValidUTF8(message[:min(len(message), messageBytes)], "")
}
