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

// What can become of a cell.
const (
	StatusOK         = "ok"
	StatusOverBudget = "over budget"
	StatusFailed     = "failed"
	StatusNotRun     = "not run" // was over budget on an earlier split, or on fewer rows
)

// Key is all that a cell's outcome hangs on but for the code of the library.
type Key struct {
	Set           string `json:"set"`
	Method        string `json:"method"`
	Split         int    `json:"split"`
	Seed          uint64 `json:"seed"`
	Budget        string `json:"budget"`
	MaxRows       int    `json:"max_rows"`
	Workers       int    `json:"workers"`
	Threads       int    `json:"threads,omitempty"` // more than one
	Data          string `json:"data_sha256"`
	Configuration string `json:"configuration"`
}

// Outcome is what the process of a cell reports. Bytes that are not known are nil.
type Outcome struct {
	Error          string             `json:"error,omitempty"`
	Version        string             `json:"version,omitempty"` // of a peer's library
	Measures       map[string]float64 `json:"measures,omitempty"`
	FitSeconds     float64            `json:"fit_seconds"`
	PredictSeconds float64            `json:"predict_seconds"`
	BeforeBytes    *int64             `json:"memory_before_bytes,omitempty"`
	PeakBytes      *int64             `json:"memory_peak_bytes,omitempty"`
	ModelBytes     *int64             `json:"model_bytes,omitempty"`
}

// Cell is a finished cell. One whose process said nothing has no measures.
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

// Job is a cell to be computed, as its process is told.
type Job struct {
	Key         Key         `json:"key"`
	Description Description `json:"description"`
	Train       string      `json:"train"`
	Test        string      `json:"test"`
	Command     []string    `json:"command,omitempty"` // of a peer
	Seconds     uint64      `json:"seconds"`           // of the processor
	Served      bool        `json:"-"`                 // by a process that stays up
	Env         []string    `json:"-"`                 // besides that of all cells
	path        string      // of the finished cell
	Round       int         `json:"-"` // cells of a lower one come first
	Lineage     string      `json:"-"` // cells that take ever more time, over the rounds
}

// Jobs are the cells of a set.
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

// BudgetRows are those up to which the budget is what -budget says. Above it grows with
// the rows.
const BudgetRows = 1000

// budgetOf is the budget of a cell with so many training rows, in whole seconds. That of
// -synthetic does not grow: it asks how far a method gets.
func (s Settings) budgetOf(rows int) time.Duration {
	if s.Sizes != nil || rows <= BudgetRows {
		return s.Budget
	}
	return (s.Budget*time.Duration(rows)/BudgetRows + time.Second - 1).Truncate(time.Second)
}

// ClockFactor is how many times its budget of the processor's time a process may take by the clock: one that waits for ever
// ends too.
const ClockFactor = 3

// Clock is the limit of a cell by the clock, in seconds.
func (j Job) Clock() uint64 { return ClockFactor * j.Seconds }

// Finished returns the cell of an earlier run, nil if there is none or it is not
// whole; one that was made otherwise is an error.
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

// ensureJSON writes a file that is not there, and is an error that names what
// differs if one is there with other values.
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

// differ is an error if two values of a type are not the same in JSON.
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

// Cell is that of the job before it is run.
func (j Job) Cell() Cell {
	d := j.Description
	return Cell{Key: j.Key, Source: methods.SourceOf(j.Key.Method), Task: d.Task, Rows: d.Rows, Features: d.Features,
		TrainRows: d.TrainRows,
		TestRows:  d.TestRows}
}
