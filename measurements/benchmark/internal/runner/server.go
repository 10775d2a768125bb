package runner

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/process"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/protocol"
)

const (
	// startingTime is the wall-clock limit for a server to import its libraries.
	startingTime = 10 * time.Minute
	// answerGrace is the time within which a server may still answer after its own wall-clock limit.
	answerGrace = 30 * time.Second
)

// server is a Python process that computes several cells. It imports its libraries once and forks a child for each cell
// (peers/serve.py).
type server struct {
	cmd      *exec.Cmd
	in       io.WriteCloser
	lines    chan []byte // closed at the end of the output
	problems lockedTail
	missing  map[string]string // methods that the server cannot run, with the reasons
}

// servedJob describes a cell to a server.
type servedJob struct {
	Method  string `json:"method"`
	Task    string `json:"task"`
	Train   string `json:"train"`
	Test    string `json:"test"`
	Seed    uint64 `json:"seed"`
	Seconds uint64 `json:"seconds"`
	Clock   uint64 `json:"clock"`
	Threads int    `json:"threads"`

	Categories []int `json:"categories,omitempty"`
	Trials     int   `json:"trials,omitempty"`
}

// servedOutcome is the answer of a server.
type servedOutcome struct {
	peerOutcome
	OverBudget bool   `json:"over_budget"`
	Ended      string `json:"ended"` // how a child failed
	Problems   string `json:"problems"`
}

// lockedTail is a tail for concurrent writes and reads.
type lockedTail struct {
	mu sync.Mutex
	tail
}

func (t *lockedTail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tail.Write(p)
}

func (t *lockedTail) text() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.kept)
}

// startServer starts a server and waits until it has imported its libraries.
func startServer(ctx context.Context, command, env []string) (*server, error) {
	s := &server{cmd: exec.Command(command[0], append(slices.Clone(command[1:]), "-serve")...), lines: make(chan []byte, 1)}
	s.cmd.Env = slices.Concat(os.Environ(), env)
	s.cmd.Stderr = &s.problems
	s.cmd.WaitDelay = exitGrace
	process.Isolate(s.cmd)
	s.cmd.Cancel = nil // Cancel is only for commands with a context
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(s.lines)
		r := bufio.NewReader(out)
		for {
			line, err := r.ReadBytes('\n')
			if err != nil {
				return
			}
			s.lines <- line
		}
	}()
	line, err := s.answer(ctx, startingTime)
	var hello struct {
		Ready   bool              `json:"ready"`
		Missing map[string]string `json:"missing"`
	}
	if err == nil && (json.Unmarshal(line, &hello) != nil || !hello.Ready) {
		err = fmt.Errorf("%s printed %q before it was ready", command[0], line[:min(len(line), messageBytes)])
	}
	if err != nil {
		s.stop()
		return nil, err
	}
	s.missing = hello.Missing
	return s, nil
}

var errServerLate = errors.New("the server did not answer")

// answer waits for a line of the server. If the server has ended, the error contains its last output.
func (s *server) answer(ctx context.Context, within time.Duration) ([]byte, error) {
	limit := time.NewTimer(within)
	defer limit.Stop()
	select {
	case line, ok := <-s.lines:
		if !ok {
			ended := cmp0(s.cmd.Wait(), io.EOF) // after Wait its complete output is available
			return nil, errors.New(lastWords(s.problems.text(), fmt.Errorf("the server ended: %w", ended)))
		}
		return line, nil
	case <-limit.C:
		return nil, errServerLate
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// cmp0 returns the first error that is not nil.
func cmp0(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// stop ends the server and its child processes. When its input is closed, the server kills the process group of its child. If it
// has not ended after exitGrace, stop kills the server's own group.
func (s *server) stop() {
	_ = s.in.Close()
	ended := make(chan struct{})
	go func() {
		for range s.lines { // reads all lines, so that nothing blocks
		}
		_ = s.cmd.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(exitGrace):
		process.KillGroup(s.cmd)
		<-ended
	}
}

// servers holds the idle servers. There are never more servers than concurrent cells.
type servers struct {
	command, env []string
	mu           sync.Mutex
	idle         []*server
}

// take removes and returns an idle server, or starts a new one.
func (p *servers) take(ctx context.Context) (*server, error) {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		s := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return s, nil
	}
	p.mu.Unlock()
	return startServer(ctx, p.command, p.env)
}

func (p *servers) giveBack(s *server) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, s)
}

// stop ends all waiting servers.
func (p *servers) stop() {
	for _, s := range p.idle {
		s.stop()
	}
	p.idle = nil
}

// run computes a cell on a server. If the server fails, its cell fails, and the next cell gets a new server.
func (p *servers) run(ctx context.Context, j protocol.Job) (out servedOutcome, err error) {
	s, err := p.take(ctx)
	if err != nil {
		return out, err
	}
	line, err := json.Marshal(servedJob{
		Method: j.Key.Method, Task: j.Description.Task, Train: j.Train, Test: j.Test, Seed: j.Key.Seed + uint64(j.Key.Split),
		Seconds: j.Seconds, Clock: j.Clock, Threads: max(1, j.Key.Threads), Categories: j.Description.Categories, Trials: j.Key.Trials,
	})
	if err == nil {
		_, _ = s.in.Write(append(line, '\n')) // if the server has ended, its exit status explains why
		line, err = s.answer(ctx, time.Duration(j.Clock)*time.Second+answerGrace)
	}
	if err != nil {
		s.stop()
		return out, err
	}
	p.giveBack(s)
	if err := json.Unmarshal(line, &out); err != nil {
		return out, fmt.Errorf("%s gave no outcome: %w", p.command[0], err)
	}
	if out.Ended != "" {
		return out, errors.New(lastWords([]byte(out.Problems), errors.New(out.Ended)))
	}
	return out, nil
}

// runServed runs a job on a server. The predictions are measured here, like those of all methods.
func (s *Runner) runServed(ctx context.Context, j protocol.Job) (protocol.Cell, error) {
	c := j.Cell()
	c.Status = protocol.StatusFailed
	p, err := s.servers.run(ctx, j)
	switch {
	case ctx.Err() != nil:
		return protocol.Cell{}, ctx.Err()
	case errors.Is(err, errServerLate) || p.OverBudget:
		c.Status = protocol.StatusOverBudget
		return c, nil
	case err != nil:
		c.Error = err.Error()
		return c, nil
	}
	c.Outcome = p.Outcome
	_, truth, err := protocol.ReadRows(j.Test)
	if err != nil {
		return protocol.Cell{}, err
	}
	if c.Measures, err = p.fitted().Measure(truth, methods.Predicted{Values: p.Values, Labels: p.Labels}); err != nil {
		c.Error = err.Error()
	}
	if c.Error == "" {
		c.Status = protocol.StatusOK
	}
	return c, nil
}

// threadVariables returns environment variables that limit a process in any language to n threads.
func threadVariables(n int) []string {
	var out []string
	for _, name := range []string{"GOMAXPROCS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BENCHMARK_THREADS"} {
		out = append(out, name+"="+strconv.Itoa(n))
	}
	return out
}

// FindPeers starts the first server and removes the methods that it cannot run. It stores the reason for each.
func (s *Runner) FindPeers(ctx context.Context) error {
	i := slices.IndexFunc(s.Methods, func(m methods.Method) bool { return m.IsServed() })
	if i < 0 {
		return nil
	}
	s.servers = &servers{command: s.Programs.Command(s.Methods[i]), env: threadVariables(s.Threads)}
	first, err := startServer(ctx, s.servers.command, s.servers.env)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil {
		s.servers.giveBack(first)
	}
	s.Methods = slices.DeleteFunc(slices.Clone(s.Methods), func(m methods.Method) bool {
		if !m.IsServed() {
			return false
		}
		reason, missing := "", false
		if err != nil {
			reason, missing = err.Error(), true
		} else {
			reason, missing = first.missing[m.Name]
		}
		if missing {
			s.Missing = append(s.Missing, methods.Missing{Method: m.Name, Reason: reason})
		}
		return missing
	})
	if len(s.Methods) == 0 {
		return fmt.Errorf("none of -methods can be run: %v", s.Missing)
	}
	return nil
}
