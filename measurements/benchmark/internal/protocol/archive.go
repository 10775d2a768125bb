package protocol

import (
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kernelearn/kernelearn/internal/atomicfile"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
	"github.com/kernelearn/kernelearn/measurements/internal/collection"
)

// The fields of a measure begin with measurePrefix in an archive.
const measurePrefix = "measures."

func (s Settings) cellsFolder() string { return filepath.Join(s.Out, "cells") }

// ReadArchive writes the cells of the archive to their files under -out, except for those that exist. A missing archive is empty.
func (s Settings) ReadArchive() error {
	if s.Archive == "" {
		return nil
	}
	cells, err := readCells(s.Archive)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, c := range cells {
		path := filepath.Join(s.cellsFolder(), c.Set, c.Method, fmt.Sprintf("%02d.json", c.Split))
		if _, err := os.Stat(path); err == nil {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := WriteJSON(path, c); err != nil {
			return err
		}
	}
	return nil
}

// readCells reads the cells of an archive.
func readCells(path string) (cells []Cell, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // read only
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	rows, err := csv.NewReader(z).ReadAll()
	if err == nil && len(rows) == 0 {
		err = errors.New("no header")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i, row := range rows[1:] {
		c, err := parse(rows[0], row)
		if err != nil {
			return nil, fmt.Errorf("%s: row %d: %w", path, i+1, err)
		}
		cells = append(cells, c)
	}
	return cells, nil
}

// parse returns the cell in a row of an archive. The cells of the row are values in JSON.
func parse(header, row []string) (c Cell, err error) {
	fields, measures := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	for j, value := range row {
		if value == "" {
			continue
		}
		if name, ok := strings.CutPrefix(header[j], measurePrefix); ok {
			measures[name] = json.RawMessage(value)
		} else {
			fields[header[j]] = json.RawMessage(value)
		}
	}
	if len(measures) > 0 {
		if fields["measures"], err = json.Marshal(measures); err != nil {
			return c, err
		}
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return c, err
	}
	return c, json.Unmarshal(text, &c)
}

// FromArchive returns the cells of an archive, sorted as in a run, and the descriptions of their sets of the second and the third
// collection, in which names and shares of classes are missing. It leaves out the splits of a set on which a method of the archive that
// fits its task has no cell, and counts them in unfinished.
func FromArchive(path string) (sets []Description, cells []Cell, unfinished int, err error) {
	all, err := readCells(path)
	if err != nil {
		return nil, nil, 0, err
	}
	type at struct {
		set   string
		split int
	}
	there, ran := map[at]map[string]bool{}, map[string]map[string]bool{}
	for _, c := range all {
		key := at{c.Set, c.Split}
		if there[key] == nil {
			there[key] = map[string]bool{}
		}
		if ran[c.Task] == nil {
			ran[c.Task] = map[string]bool{}
		}
		there[key][c.Method], ran[c.Task][c.Method] = true, true
	}
	finished := func(c Cell) bool { return len(there[at{c.Set, c.Split}]) == len(ran[c.Task]) }
	open := map[at]bool{}
	for _, of := range []struct {
		collection string
		sets       []collection.Set
	}{{SecondCollection, collection.Second()}, {ThirdCollection, collection.Third()}} {
		for _, d := range of.sets {
			first := len(cells)
			for _, m := range methods.All {
				for _, c := range all {
					switch {
					case c.Set != d.Name || c.Method != m.Name:
					case finished(c):
						cells = append(cells, c)
					default:
						open[at{c.Set, c.Split}] = true
					}
				}
			}
			if first < len(cells) {
				sets = append(sets, describe(of.collection, d, cells[first]))
			}
		}
	}
	if len(sets) == 0 {
		return nil, nil, 0, fmt.Errorf("%s: no set of the second or third collection with a cell of each method", path)
	}
	return sets, cells, len(open), nil
}

// describe returns the description of a set, of which a cell is given.
func describe(of string, d collection.Set, c Cell) Description {
	out := Description{Set: c.Set, Collection: of, SHA256: c.Data, Task: c.Task, Rows: c.Rows, Features: c.Features, Seed: c.Seed,
		MaxRows: c.MaxRows, Available: c.Rows - c.TestRows, TrainRows: c.TrainRows, TestRows: c.TestRows, Gaps: d.Gaps}
	if d.Words > 0 {
		out.Categories = make([]int, d.Words)
	}
	if d.Classes > 0 {
		out.Classes = make([]string, d.Classes)
	}
	return out
}

// WriteArchive writes all finished cells under -out to the archive.
func (s Settings) WriteArchive() error {
	if s.Archive == "" {
		return nil
	}
	paths, err := filepath.Glob(filepath.Join(s.cellsFolder(), "*", "*", "*.json"))
	if err != nil {
		return err
	}
	var all []map[string]json.RawMessage
	names := map[string]bool{}
	for _, path := range paths {
		fields, err := archived(path)
		if err != nil {
			return err
		}
		for name := range fields {
			names[name] = true
		}
		all = append(all, fields)
	}
	header := slices.Sorted(maps.Keys(names))
	return atomicfile.Write(s.Archive, func(out io.Writer) error {
		z := gzip.NewWriter(out)
		w := csv.NewWriter(z)
		err := w.Write(header)
		for _, fields := range all {
			row := make([]string, len(header))
			for j, name := range header {
				row[j] = string(fields[name])
			}
			err = errors.Join(err, w.Write(row))
		}
		w.Flush()
		return errors.Join(err, w.Error(), z.Close())
	})
}

// archived returns the fields of a cell's file for an archive.
func archived(path string) (map[string]json.RawMessage, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	fields, measures := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if m, ok := fields["measures"]; ok {
		if err := json.Unmarshal(m, &measures); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		delete(fields, "measures")
		for name, v := range measures {
			fields[measurePrefix+name] = v
		}
	}
	return fields, nil
}
