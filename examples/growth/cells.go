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
	set, learner string
	rows         int
	search       string
	seed         uint64
}

// value is the error of the test rows, the NMSE or the share of wrong labels, and the seconds
// of the search and the fit.
type value struct{ error, seconds float64 }

// cells are measurements, and the file that keeps them.
type cells struct {
	at   map[key]value
	path string // empty: none
}

var header = []string{"set", "learner", "rows", "search", "seed", "error", "seconds"}

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
		rows, err1 := strconv.Atoi(r[2])
		seed, err2 := strconv.ParseUint(r[4], 10, 64)
		e, err3 := strconv.ParseFloat(r[5], 64)
		seconds, err4 := strconv.ParseFloat(r[6], 64)
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			return nil, fmt.Errorf("%s, record %d: %w", path, i+1, err)
		}
		out.at[key{r[0], r[1], rows, r[3], seed}] = value{e, seconds}
	}
	return out, nil
}

// add keeps a measurement.
func (c *cells) add(k key, v value) error {
	c.at[k] = v
	if c.path == "" {
		return nil
	}
	return c.append([]string{k.set, k.learner, strconv.Itoa(k.rows), k.search, strconv.FormatUint(k.seed, 10),
		strconv.FormatFloat(v.error, 'g', -1, 64), strconv.FormatFloat(v.seconds, 'g', 4, 64)})
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

// seeds are those for which both searches were measured at a place, in order.
func (c *cells) seeds(set string, p place) (out []uint64) {
	for k := range c.at {
		if k.set == set && k.learner == p.learner && k.rows == p.rows && k.search == byEntropy {
			k.search = byGrid
			if _, ok := c.at[k]; ok {
				out = append(out, k.seed)
			}
		}
	}
	slices.Sort(out)
	return out
}
