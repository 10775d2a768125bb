package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/process"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/protocol"
)

// peerOutcome is the output of a peer. Its predictions are measured here, like those of all methods.
type peerOutcome struct {
	protocol.Outcome
	Values   []float64   `json:"values"`
	Variance []float64   `json:"variance"`
	Low      []float64   `json:"low"` // 95% intervals
	High     []float64   `json:"high"`
	Labels   []int       `json:"labels"`
	Classes  []int       `json:"classes"`
	Scores   [][]float64 `json:"scores"`
	Proba    [][]float64 `json:"proba"`
}

// computePeer runs the peer's program in the process group of this process.
func computePeer(ctx context.Context, j protocol.Job) (protocol.Outcome, error) {
	args := append(j.Command[1:], j.Key.Method, j.Description.Task, j.Train, j.Test, strconv.FormatUint(j.Key.Seed+uint64(j.Key.Split), 10))
	cmd := exec.CommandContext(ctx, j.Command[0], args...)
	var problems tail
	cmd.Stderr = &problems
	text, err := cmd.Output()
	switch {
	case process.OverLimit(err, j.Seconds):
		return protocol.Outcome{}, err
	case err != nil:
		return protocol.Outcome{}, errors.New(lastWords(problems.kept, err))
	}
	var p peerOutcome
	if err := json.Unmarshal(text, &p); err != nil {
		return protocol.Outcome{}, fmt.Errorf("%s gave no outcome: %w", j.Command[0], err)
	}
	_, truth, err := protocol.ReadRows(j.Test)
	if err != nil {
		return protocol.Outcome{}, err
	}
	p.Measures, err = p.fitted().Measure(truth, methods.Predicted{Values: p.Values, Labels: p.Labels})
	return p.Outcome, err
}

// fitted returns the peer's predictions as a fitted method, which can be measured.
func (p peerOutcome) fitted() methods.Fitted {
	f := methods.Fitted{Classes: p.Classes}
	if p.Variance != nil {
		f.Variance = func() (mean, variance []float64, err error) { return p.Values, p.Variance, nil }
	}
	if p.Low != nil {
		f.Interval = func() (low, high []float64, err error) { return p.Low, p.High, nil }
	}
	matrix := func(rows [][]float64) func() (*mat.Dense, error) {
		if rows == nil {
			return nil
		}
		return func() (*mat.Dense, error) {
			out := mat.NewDense(len(rows), len(p.Classes), nil)
			for i, row := range rows {
				if len(row) != len(p.Classes) {
					return nil, fmt.Errorf("row %d has %d numbers, want %d", i, len(row), len(p.Classes))
				}
				out.SetRow(i, row)
			}
			return out, nil
		}
	}
	f.Proba, f.Scores = matrix(p.Proba), matrix(p.Scores)
	if f.Scores == nil {
		f.Scores = f.Proba
	}
	return f
}
