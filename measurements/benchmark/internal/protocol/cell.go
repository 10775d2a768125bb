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
	StatusNotRun     = "not run" // the method exceeded its budget on an earlier split, or on fewer rows
)

// Key contains everything that determines a cell's outcome except the code of the library.
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

// Cell is a finished cell. If its process reported nothing, it has no measures.
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
	Served      bool        `json:"-"`                 // set if a process that is kept runs it
	Env         []string    `json:"-"`                 // in addition to that of all cells
	path        string      // path of the finished cell
	Round       int         `json:"-"` // cells of a lower round come first
	Lineage     string      `json:"-"` // names cells that take more time from round to round
}

// Jobs returns the cells of a set.
func (s Settings) Jobs(p Prepared) []Job {
	var out []Job
	for _, m := range s.Methods {
		if !m.Fits(p.Task) {
			continue
		}
		budget := s.budgetOf(p.TrainRows)
		for split := range p.splits {
			j := Job{
				Key: Key{
					Set: p.Set, Method: m.Name, Split: split, Seed: s.Seed, Budget: budget.String(), MaxRows: p.MaxRows,
					Workers: s.Workers, Data: p.SHA256, Configuration: m.Configuration,
				},
				Description: p.Description, Train: p.path(split, "train"), Test: p.path(split, "test"), Command: s.Programs.Command(m),
				Served: m.IsServed(), Env: m.Env,
				Seconds: uint64(budget/time.Second) * uint64(s.Threads),
				path:    filepath.Join(s.Out, "cells", p.Set, m.Name, fmt.Sprintf("%02d.json", split)),
				Round:   p.round + split, Lineage: p.lineage + "/" + m.Name,
			}
			if s.Threads > 1 {
				j.Key.Threads = s.Threads
			}
			out = append(out, j)
		}
	}
	return out
}

// BudgetRows is the number of rows up to which the budget is that of -budget. Beyond it the budget is proportional to the rows.
const BudgetRows = 1000

// budgetOf returns the budget of a cell with the given number of training rows, in integer seconds. For -synthetic it is constant,
// because that measures how many rows a method can handle.
func (s Settings) budgetOf(rows int) time.Duration {
	if s.Sizes != nil || rows <= BudgetRows {
		return s.Budget
	}
	return (s.Budget*time.Duration(rows)/BudgetRows + time.Second - 1).Truncate(time.Second)
}

// ClockFactor is the ratio of the limit by the clock to the budget of processor time, so that a process that waits forever ends
// too.
const ClockFactor = 3

// Clock returns the limit of a cell by the clock, in seconds.
func (j Job) Clock() uint64 { return ClockFactor * j.Seconds }

// Finished returns the cell of an earlier run, or nil if there is none or it is incomplete. If it was computed with other settings,
// it returns an error.
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

// ensureJSON writes a file if it is missing. If it exists with other values, the error names the difference.
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

// differ returns an error if two values of a type differ in JSON.
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

// Cell returns the cell of the job before it is run.
func (j Job) Cell() Cell {
	d := j.Description
	return Cell{Key: j.Key, Source: methods.SourceOf(j.Key.Method), Task: d.Task, Rows: d.Rows, Features: d.Features,
		TrainRows: d.TrainRows,
		TestRows:  d.TestRows}
}
