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
)

// The fields of a measure begin with measurePrefix in an archive.
const measurePrefix = "measures."

func (s Settings) cellsFolder() string { return filepath.Join(s.Out, "cells") }

// ReadArchive writes the cells of the archive to their files under -out, except for those that exist. A missing archive is empty.
func (s Settings) ReadArchive() error {
	if s.Archive == "" {
		return nil
	}
	f, err := os.Open(s.Archive)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // read only
	z, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Archive, err)
	}
	rows, err := csv.NewReader(z).ReadAll()
	if err == nil && len(rows) == 0 {
		err = errors.New("no header")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.Archive, err)
	}
	for i, row := range rows[1:] {
		if err := s.restore(rows[0], row); err != nil {
			return fmt.Errorf("%s: row %d: %w", s.Archive, i+1, err)
		}
	}
	return nil
}

// restore writes the cell in a row of an archive, whose cells are values in JSON.
func (s Settings) restore(header, row []string) error {
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
		text, err := json.Marshal(measures)
		if err != nil {
			return err
		}
		fields["measures"] = text
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	var c Cell
	if err := json.Unmarshal(text, &c); err != nil {
		return err
	}
	path := filepath.Join(s.cellsFolder(), c.Set, c.Method, fmt.Sprintf("%02d.json", c.Split))
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return WriteJSON(path, c)
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
