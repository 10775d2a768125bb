package runner

import (
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/process"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/protocol"
	"github.com/kernelearn/kernelearn/measurements/internal/peak"

	"context"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"time"
)

// CellCommand is the argument that makes the program the process of one cell. The process reads a job from its standard input and
// writes the outcome to its standard output.
const CellCommand = "cell"

func RunCell(in io.Reader, out, problems *os.File) int {
	// The parent handles an interrupt at the terminal.
	signal.Ignore(os.Interrupt)
	// The output of a method must not be mixed with the outcome.
	out = process.Redirect(out, problems)
	os.Stdout = problems
	var j protocol.Job
	if err := json.NewDecoder(in).Decode(&j); err != nil {
		fmt.Fprintln(problems, "no job:", err)
		return 1
	}
	// The parent holds the other end open. When the parent ends for any reason, so does this process.
	go func() {
		_, _ = io.Copy(io.Discard, in)
		process.KillOwnGroup() // this includes a peer's program
		os.Exit(process.ExitOrphaned)
	}()
	process.Limit(j.Seconds)
	if j.Key.Threads > 1 {
		process.Seconds = process.ClockTime
	}
	o, err := compute(j)
	if process.OverLimit(err, j.Seconds) {
		return process.ExitOverBudget
	}
	if err != nil {
		o.Error = err.Error()
	}
	if err := json.NewEncoder(out).Encode(o); err != nil {
		fmt.Fprintln(problems, err)
		return 1
	}
	return 0
}

// compute fits, predicts and measures the job's method. A panic ends the process, and the parent reads its message.
func compute(j protocol.Job) (o protocol.Outcome, err error) {
	m, ok := methods.Named(j.Key.Method)
	if !ok {
		return o, fmt.Errorf("no method %s", j.Key.Method)
	}
	if m.IsPeer() {
		return computePeer(context.Background(), j)
	}
	x, y, err := protocol.ReadRows(j.Train)
	if err != nil {
		return o, err
	}
	test, truth, err := protocol.ReadRows(j.Test)
	if err != nil {
		return o, err
	}
	debug.FreeOSMemory()
	peak.Reset()
	o.BeforeBytes = peak.Bytes()
	var f methods.Fitted
	var model any
	if f, model, o.FitSeconds, err = m.Learn(methods.Problem{
		Task: j.Description.Task, Seed: j.Key.Seed + uint64(j.Key.Split), X: x, Y: y, Test: test,
		Categories: j.Description.Categories, Allowance: time.Duration(j.Allowance * float64(time.Second)),
	}); err != nil {
		return o, fmt.Errorf("fit: %w", err)
	}
	begun := process.Seconds()
	p, err := f.Predict()
	if err != nil {
		return o, fmt.Errorf("predict: %w", err)
	}
	o.PredictSeconds = (process.Seconds() - begun).Seconds()
	o.PeakBytes = peak.Bytes()
	if o.ModelBytes, err = modelBytes(model); err != nil {
		return o, fmt.Errorf("model file: %w", err)
	}
	o.Measures, err = f.Measure(truth, p)
	return o, err
}

// modelBytes returns the size of a model's file, or nil if it has none.
func modelBytes(model any) (*int64, error) {
	m, ok := model.(encoding.BinaryMarshaler)
	if !ok {
		return nil, nil
	}
	b, err := m.MarshalBinary()
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, nil
	}
	size := int64(len(b))
	return &size, err
}
