package main

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
)

// What can become of a cell.
const (
	statusOK         = "ok"
	statusOverBudget = "over budget"
	statusFailed     = "failed"
	statusNotRun     = "not run" // was over budget on an earlier split, or on fewer rows
)

// key is all that a cell's outcome hangs on but for the code of the library.
type key struct {
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

// outcome is what the process of a cell reports. Bytes that are not known are nil.
type outcome struct {
	Error          string             `json:"error,omitempty"`
	Version        string             `json:"version,omitempty"` // of a peer's library
	Measures       map[string]float64 `json:"measures,omitempty"`
	FitSeconds     float64            `json:"fit_seconds"`
	PredictSeconds float64            `json:"predict_seconds"`
	BeforeBytes    *int64             `json:"memory_before_bytes,omitempty"`
	PeakBytes      *int64             `json:"memory_peak_bytes,omitempty"`
	ModelBytes     *int64             `json:"model_bytes,omitempty"`
}

// cell is a finished cell. One whose process said nothing has no measures.
type cell struct {
	key
	Source    string `json:"source"`
	Task      string `json:"task"`
	Status    string `json:"status"`
	Rows      int    `json:"rows"`
	Features  int    `json:"features"`
	TrainRows int    `json:"training_rows"`
	TestRows  int    `json:"test_rows"`
	outcome
}

// job is a cell to be computed, as its process is told.
type job struct {
	Key         key         `json:"key"`
	Description description `json:"description"`
	Train       string      `json:"train"`
	Test        string      `json:"test"`
	Command     []string    `json:"command,omitempty"` // of a peer
	Seconds     uint64      `json:"seconds"`           // of the processor
	served      bool        // by a process that stays up
	env         []string    // besides that of all cells
	path        string      // of the finished cell
	round       int         // cells of a lower one come first
	lineage     string      // cells that take ever more time, over the rounds
}

// jobs are the cells of a set.
func (s settings) jobs(p prepared) []job {
	var out []job
	for _, m := range s.methods {
		if !m.fits(p.Task) {
			continue
		}
		budget := s.budgetOf(p.TrainRows)
		for split := range p.splits {
			j := job{
				Key: key{
					Set: p.Set, Method: m.name, Split: split, Seed: s.seed, Budget: budget.String(), MaxRows: p.MaxRows,
					Workers: s.workers, Data: p.SHA256, Configuration: m.configuration,
				},
				Description: p.description, Train: p.path(split, "train"), Test: p.path(split, "test"), Command: s.programs.command(m),
				served: m.isServed(), env: m.env,
				Seconds: uint64(budget/time.Second) * uint64(s.threads),
				path:    filepath.Join(s.out, "cells", p.Set, m.name, fmt.Sprintf("%02d.json", split)),
				round:   p.round + split, lineage: p.lineage + "/" + m.name,
			}
			if s.threads > 1 {
				j.Key.Threads = s.threads
			}
			out = append(out, j)
		}
	}
	return out
}

// budgetRows are those up to which the budget is what -budget says. Above it grows with
// the rows.
const budgetRows = 1000

// budgetOf is the budget of a cell with so many training rows, in whole seconds. That of
// -synthetic does not grow: it asks how far a method gets.
func (s settings) budgetOf(rows int) time.Duration {
	if s.sizes != nil || rows <= budgetRows {
		return s.budget
	}
	return (s.budget*time.Duration(rows)/budgetRows + time.Second - 1).Truncate(time.Second)
}

// clock is the limit of a cell by the clock, in seconds.
func (j job) clock() uint64 { return clockFactor * j.Seconds }

// finished returns the cell of an earlier run, nil if there is none or it is not
// whole; one that was made otherwise is an error.
func (j job) finished() (*cell, error) {
	content, err := os.ReadFile(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var c cell
	if json.Unmarshal(content, &c) != nil || c.Status == "" {
		return nil, nil
	}
	return &c, differ(j.path, c.key, j.Key)
}

func (j job) save(c cell) error {
	if err := os.MkdirAll(filepath.Dir(j.path), 0o755); err != nil {
		return err
	}
	return writeJSON(j.path, c)
}

func writeJSON(path string, v any) error {
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
		return writeJSON(path, now)
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
