package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// cell identifies a method on a split of a set.
type cell struct {
	set    string
	split  int
	method string
	extra  string // other settings that affect the values
}

// values holds the measured values by name: auc, or r2, mse, covered and tested, and so on.
type values map[string]float64

// results holds the finished cells, and the file that stores them.
type results struct {
	mu   sync.Mutex
	done map[cell]values
	file *os.File // nil without a file
}

// openResults reads a file with earlier results, if there is one. If the command was interrupted, the last line may be incomplete.
// The cell of an incomplete line is computed again.
func openResults(path string) (*results, error) {
	r := &results{done: map[cell]values{}}
	if path == "" {
		return r, nil
	}
	content, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	whole := content[:strings.LastIndexByte(string(content), '\n')+1]
	reader := csv.NewReader(strings.NewReader(string(whole)))
	reader.FieldsPerRecord = -1
	lines, err := reader.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i, l := range lines {
		if err := r.take(l); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", path, i+1, err)
		}
	}
	if r.file, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644); err != nil {
		return nil, err
	}
	if err := r.file.Truncate(int64(len(whole))); err != nil {
		return nil, err
	}
	_, err = r.file.Seek(0, io.SeekEnd)
	return r, err
}

func (r *results) close() {
	if r.file != nil {
		_ = r.file.Close() // put has flushed each line
	}
}

// take parses a line that holds a cell, followed by names and values.
func (r *results) take(line []string) error {
	if len(line) < 6 || len(line)%2 != 0 {
		return fmt.Errorf("%d fields, want a cell and pairs of name and value", len(line))
	}
	split, err := strconv.Atoi(line[1])
	if err != nil {
		return err
	}
	v := values{}
	for i := 4; i < len(line); i += 2 {
		if v[line[i]], err = strconv.ParseFloat(line[i+1], 64); err != nil {
			return err
		}
	}
	r.done[cell{line[0], split, line[2], line[3]}] = v
	return nil
}

// put saves the values of a cell.
func (r *results) put(c cell, v values) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done[c] = v
	if r.file == nil {
		return nil
	}
	line := []string{c.set, strconv.Itoa(c.split), c.method, c.extra}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		line = append(line, name, strconv.FormatFloat(v[name], 'g', 10, 64))
	}
	w := csv.NewWriter(r.file)
	if err := w.Write(line); err != nil {
		return err
	}
	w.Flush()
	return w.Error()
}
