package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
)

// key says what was measured.
type key struct {
	table, set, learner string
	rows, landmarks     int // 0 landmarks: the learner's choice
	seed                uint64
}

func (k key) String() string {
	on := ""
	if k.landmarks > 0 {
		on = fmt.Sprintf(" on %d landmarks", k.landmarks)
	}
	return fmt.Sprintf("%s: %s, %d rows, %s%s, draw %d", k.table, k.set, k.rows, k.learner, on, k.seed)
}

// value is the error of test rows, what it took to learn, and how: NaN what is not known.
type value struct {
	error, seconds, processor float64
	megabytes                 float64 // the most in memory while learning, beside what was there before
	landmarks, iterations     float64
}

func (v *value) fields() []*float64 {
	return []*float64{&v.error, &v.seconds, &v.processor, &v.megabytes, &v.landmarks, &v.iterations}
}

// cells are measurements, and the file that keeps them.
type cells struct {
	at   map[key]value
	path string // empty: none
}

var header = []string{"table", "set", "learner", "rows", "landmarks_given", "seed", "error", "seconds", "processor_seconds", "megabytes", "landmarks", "iterations"}

// readCells reads those of a file, none if it is not there.
func readCells(path string) (*cells, error) {
	out := &cells{at: map[key]value{}, path: path}
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
		rows, err1 := strconv.Atoi(r[3])
		landmarks, err2 := strconv.Atoi(r[4])
		seed, err3 := strconv.ParseUint(r[5], 10, 64)
		all := errors.Join(err1, err2, err3)
		var v value
		for j, field := range v.fields() {
			var err error
			*field, err = strconv.ParseFloat(r[6+j], 64)
			all = errors.Join(all, err)
		}
		if all != nil {
			return nil, fmt.Errorf("%s, record %d: %w", path, i+1, all)
		}
		out.at[key{r[0], r[1], r[2], rows, landmarks, seed}] = v
	}
	return out, nil
}

// add keeps a measurement.
func (c *cells) add(k key, v value) error {
	c.at[k] = v
	if c.path == "" {
		return nil
	}
	record := []string{k.table, k.set, k.learner, strconv.Itoa(k.rows), strconv.Itoa(k.landmarks), strconv.FormatUint(k.seed, 10)}
	for _, field := range v.fields() {
		record = append(record, strconv.FormatFloat(*field, 'g', 6, 64))
	}
	return c.append(record)
}

func (c *cells) append(record []string) error {
	f, err := os.OpenFile(c.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	err = w.Write(record)
	w.Flush()
	return errors.Join(err, w.Error(), f.Close())
}
