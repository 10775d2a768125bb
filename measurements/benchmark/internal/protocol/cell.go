package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/kernelearn/kernelearn/internal/atomicfile"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
)

// The possible states of a cell.
const (
	StatusOK         = "ok"
	StatusOverBudget = "over budget"
	StatusFailed     = "failed"
	StatusNotRun     = "not run" // an earlier cell of the method, on another split or with fewer rows, exceeded its budget
)

// Key contains everything that determines a cell's outcome, except the code of the library.
type Key struct {
	Set           string `json:"set"`
	Method        string `json:"method"`
	Split         int    `json:"split"`
	Seed          uint64 `json:"seed"`
	Budget        string `json:"budget"`
	MaxRows       int    `json:"max_rows"`
	Workers       int    `json:"workers"`
	Threads       int    `json:"threads,omitempty"` // set if there is more than one
	Data          string `json:"data_sha256"`
	Trials        int    `json:"trials,omitempty"` // set if it is not the default of peers/cells.py
	Configuration string `json:"configuration"`
}

// Outcome is the report of a cell's process. Unknown sizes are nil.
type Outcome struct {
	Error          string             `json:"error,omitempty"`
	Version        string             `json:"version,omitempty"` // version of a peer's library
	Measures       map[string]float64 `json:"measures,omitempty"`
	FitSeconds     float64            `json:"fit_seconds"`
	PredictSeconds float64            `json:"predict_seconds"`
	BeforeBytes    *int64             `json:"memory_before_bytes,omitempty"`
	PeakBytes      *int64             `json:"memory_peak_bytes,omitempty"`
	ModelBytes     *int64             `json:"model_bytes,omitempty"`
}

// Cell is a finished cell. It has no measures if its process reported nothing.
type Cell struct {
	Key
	Source    string `json:"source"`
	Task      string `json:"task"`
	Status    string `json:"status"`
	Rows      int    `json:"rows"`
	Features  int    `json:"features"`
	TrainRows int    `json:"training_rows"`
	TestRows  int    `json:"test_rows"`
	Outcome
}

// Job describes a cell to its process.
type Job struct {
	Key         Key         `json:"key"`
	Description Description `json:"description"`
	Train       string      `json:"train"`
	Test        string      `json:"test"`
	Command     []string    `json:"command,omitempty"` // set for a peer
	Seconds     uint64      `json:"seconds"`           // limit of processor time
	Clock       uint64      `json:"clock"`             // limit of wall-clock time in seconds
	Allowance   float64     `json:"allowance"`         // seconds that the method Budgeted may use
	Served      bool        `json:"-"`                 // set if a server's process runs it
	Env         []string    `json:"-"`                 // variables in addition to those of all cells
	path        string      // path of the finished cell
	reference   string      // path of the cell whose seconds are the allowance
	Round       int         `json:"-"` // cells of a lower round are run first
	Lineage     string      `json:"-"` // name of the cells whose time grows from round to round
}

// Jobs returns the jobs of all cells of a set.
func (s Settings) Jobs(p Prepared) []Job {
	var out []Job
	for _, m := range s.Methods {
		if !m.Fits(p.Task) {
			continue
		}
		budget := s.budgetOf(p.TrainRows)
		clock := ClockFactor * uint64(budget/time.Second) * uint64(s.Threads)
		if p.Collection == ThirdCollection {
			budget = s.Budget
			clock = uint64(budget/time.Second) + clockGrace
		}
		for split := range p.splits {
			j := Job{
				Key: Key{
					Set: p.Set, Method: m.Name, Split: split, Seed: s.Seed, Budget: budget.String(), MaxRows: p.MaxRows,
					Workers: s.Workers, Data: p.SHA256, Configuration: m.Configuration,
				},
				Description: p.Description, Train: p.path(split, "train"), Test: p.path(split, "test"), Command: s.Programs.Command(m),
				Served: m.IsServed(), Env: m.Env,
				Seconds: uint64(budget/time.Second) * uint64(s.Threads), Clock: clock,
				path:  filepath.Join(s.Out, "cells", p.Set, m.Name, fmt.Sprintf("%02d.json", split)),
				Round: p.round + split, Lineage: p.lineage + "/" + m.Name,
			}
			if s.Threads > 1 {
				j.Key.Threads = s.Threads
			}
			if m.IsServed() {
				j.Key.Trials = s.Trials
			}
			if m.Name == methods.Budgeted { // it needs the cell of the peer
				j.Round = roundsPerSplit*j.Round + 1
				j.reference = filepath.Join(s.Out, "cells", p.Set, methods.BudgetOf, fmt.Sprintf("%02d.json", split))
			} else {
				j.Round *= roundsPerSplit
			}
			out = append(out, j)
		}
	}
	return out
}

// BudgetRows is the number of rows up to which the budget is the value of -budget. Above it, the budget is proportional to the
// number of rows.
const BudgetRows = 1000

// budgetOf returns the budget of a cell with the given number of training rows, in integer seconds. For -synthetic it is constant,
// because those sets measure how many rows a method can handle.
func (s Settings) budgetOf(rows int) time.Duration {
	if s.Sizes != nil || rows <= BudgetRows {
		return s.Budget
	}
	return (s.Budget*time.Duration(rows)/BudgetRows + time.Second - 1).Truncate(time.Second)
}

// ClockFactor is the ratio of the wall-clock limit to the budget of processor time. The wall-clock limit also ends a process that
// waits forever.
const ClockFactor = 3

// clockGrace is the time in seconds that a cell of the third collection has for reading, predicting and measuring. Its budget is
// wall-clock time and does not depend on the number of rows.
const clockGrace = 120

// roundsPerSplit is the number of rounds of a split. The second round has the method that depends on another method's cell.
const roundsPerSplit = 2

// Allow sets the allowance of a method that may use as many seconds as another method's cell. It returns an error if that cell has
// no result.
func (j *Job) Allow() error {
	if j.reference == "" {
		return nil
	}
	content, err := os.ReadFile(j.reference)
	if err != nil {
		return fmt.Errorf("%s needs a cell of %s: %w", j.Key.Method, methods.BudgetOf, err)
	}
	var c Cell
	if err := json.Unmarshal(content, &c); err != nil {
		return fmt.Errorf("%s: %w", j.reference, err)
	}
	if c.Status != StatusOK {
		return fmt.Errorf("%s needs a cell of %s, which is %s", j.Key.Method, methods.BudgetOf, c.Status)
	}
	j.Allowance = c.FitSeconds
	return nil
}

// Finished returns the cell from an earlier run, or nil if there is none or it is incomplete. If the cell was computed with other
// settings, Finished returns an error.
func (j Job) Finished() (*Cell, error) {
	content, err := os.ReadFile(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var c Cell
	if json.Unmarshal(content, &c) != nil || c.Status == "" {
		return nil, nil
	}
	return &c, differ(j.path, c.Key, j.Key)
}

func (j Job) Save(c Cell) error {
	if err := os.MkdirAll(filepath.Dir(j.path), 0o755); err != nil {
		return err
	}
	return WriteJSON(j.path, c)
}

func WriteJSON(path string, v any) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(v)
	})
}

// ensureJSON writes a file if it is missing. If it exists with other values, ensureJSON returns an error that names the difference.
func ensureJSON[T any](path string, now T) error {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return WriteJSON(path, now)
	}
	if err != nil {
		return err
	}
	var old T
	if err := json.Unmarshal(content, &old); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return differ(path, old, now)
}

// differ returns an error if the JSON forms of two values of the same type differ.
func differ[T any](path string, old, now T) error {
	was, is, err := fields(old, now)
	if err != nil {
		return err
	}
	names := maps.Clone(was)
	maps.Copy(names, is)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !bytes.Equal(was[name], is[name]) {
			return fmt.Errorf("%s was made with %s %s, this run has %s: take another -out", path, name, stated(was[name]), stated(is[name]))
		}
	}
	return nil
}

func stated(value json.RawMessage) string {
	if value == nil {
		return "none"
	}
	return string(value)
}

func fields[T any](old, now T) (was, is map[string]json.RawMessage, err error) {
	for _, f := range []struct {
		value T
		to    *map[string]json.RawMessage
	}{{old, &was}, {now, &is}} {
		content, err := json.Marshal(f.value)
		if err != nil {
			return nil, nil, err
		}
		if err := json.Unmarshal(content, f.to); err != nil {
			return nil, nil, err
		}
	}
	return was, is, nil
}

// Cell returns the cell of the job, without an outcome.
func (j Job) Cell() Cell {
	d := j.Description
	return Cell{Key: j.Key, Source: methods.SourceOf(j.Key.Method), Task: d.Task, Rows: d.Rows, Features: d.Features,
		TrainRows: d.TrainRows,
		TestRows:  d.TestRows}
}
