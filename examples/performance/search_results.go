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

// kept are the measurements of -results FILE, a row for each search and seed. What stands there is not
// measured again, so that a run which was ended goes on, and seeds can be run one at a time.
type kept struct {
	file string // empty: nothing is kept
	rows [][]string
}

var keptHeader = []string{"search", "rows", "seed", "jobs",
	"entropy", "seconds", "grid", "seconds", "halving", "seconds", "nothing set", "seconds"}

func readKept(file string) (*kept, error) {
	k := &kept{file: file}
	if file == "" {
		return k, nil
	}
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(rows) == 0 || !slices.Equal(rows[0], keptHeader) {
		return nil, fmt.Errorf("%s: not the results of searches: want the columns %q", file, keptHeader)
	}
	k.rows = rows[1:]
	return k, nil
}

// key is what tells the measurements of a search and a seed apart.
func (s search) key(o options, seed uint64) []string {
	return []string{s.name, strconv.Itoa(rows(s.rows, o.scale)), strconv.FormatUint(seed, 10), strconv.Itoa(o.peers.jobs)}
}

// take adds the measurements of a search and a seed to r, and reports whether there are any.
func (k *kept) take(key []string, r *[measured]reached) (bool, error) {
	for _, row := range k.rows {
		if !slices.Equal(row[:len(key)], key) {
			continue
		}
		var v [2 * measured]float64
		for i := range v {
			var err error
			if v[i], err = strconv.ParseFloat(row[len(key)+i], 64); err != nil {
				return false, fmt.Errorf("%s: %q: %w", k.file, row, err)
			}
		}
		for i := range r {
			r[i].add(v[2*i], v[2*i+1])
		}
		return true, nil
	}
	return false, nil
}

// put keeps the last measurements of r. A search that was cut is not kept: another limit may let it end.
func (k *kept) put(key []string, r [measured]reached) error {
	row := slices.Clone(key)
	for i := range r {
		n := len(r[i].errors)
		if r[i].cut || n == 0 {
			return nil
		}
		row = append(row, text(r[i].errors[n-1]), text(r[i].seconds[n-1]))
	}
	if k.rows = append(k.rows, row); k.file == "" {
		return nil
	}
	f, err := os.Create(k.file)
	if err != nil {
		return err
	}
	return errors.Join(csv.NewWriter(f).WriteAll(append([][]string{keptHeader}, k.rows...)), f.Close())
}

func text(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
