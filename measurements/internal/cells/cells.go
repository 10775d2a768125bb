// Package cells saves measurements in a CSV file. An interrupted run can then continue where it stopped, and partial runs can be
// combined.
package cells

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// Cells holds measurements V by key K, and appends new ones to a file.
type Cells[K comparable, V any] struct {
	At     map[K]V
	path   string // empty: none
	record func(K, V) []string
}

// Read reads the measurements from a file whose first line is the header. If several have the same key, it returns the last one. It
// creates the file if it does not exist. If path is empty, nothing is saved. The function record must write the form that parse
// reads.
func Read[K comparable, V any](path string, header []string,
	parse func(record []string) (K, V, error), record func(K, V) []string) (*Cells[K, V], error) {
	out := &Cells[K, V]{At: map[K]V{}, path: path, record: record}
	if path == "" {
		return out, nil
	}
	f, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return out, out.append(header)
	case err != nil:
		return nil, err
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(records) == 0 || !slices.Equal(records[0], header) {
		return nil, fmt.Errorf("%s: want a first line %v", path, header)
	}
	for i, r := range records[1:] {
		k, v, err := parse(r)
		if err != nil {
			return nil, fmt.Errorf("%s, record %d: %w", path, i+1, err)
		}
		out.At[k] = v
	}
	return out, nil
}

// Add adds a measurement and appends it to the file.
func (c *Cells[K, V]) Add(k K, v V) error {
	c.At[k] = v
	if c.path == "" {
		return nil
	}
	return c.append(c.record(k, v))
}

func (c *Cells[K, V]) append(record []string) error {
	f, err := os.OpenFile(c.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	err = w.Write(record)
	w.Flush()
	return errors.Join(err, w.Error(), f.Close())
}
