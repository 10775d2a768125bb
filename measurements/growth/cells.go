package main

import (
	"errors"
	"slices"
	"strconv"

	"github.com/kernelearn/kernelearn/measurements/internal/cells"
)

// key identifies a measurement.
type key struct {
	set, learner string
	rows         int
	search       string
	seed         uint64
}

// value holds the error of the test rows (the NMSE or the error rate) and the seconds of the search and the fit.
type value struct{ error, seconds float64 }

// measurements holds the measurements that a file keeps.
type measurements struct{ *cells.Cells[key, value] }

var header = []string{"set", "learner", "rows", "search", "seed", "error", "seconds"}

func readCells(path string) (measurements, error) {
	c, err := cells.Read(path, header, parse, record)
	return measurements{c}, err
}

func parse(r []string) (key, value, error) {
	rows, err1 := strconv.Atoi(r[2])
	seed, err2 := strconv.ParseUint(r[4], 10, 64)
	e, err3 := strconv.ParseFloat(r[5], 64)
	seconds, err4 := strconv.ParseFloat(r[6], 64)
	return key{r[0], r[1], rows, r[3], seed}, value{e, seconds}, errors.Join(err1, err2, err3, err4)
}

func record(k key, v value) []string {
	return []string{
		k.set, k.learner, strconv.Itoa(k.rows), k.search, strconv.FormatUint(k.seed, 10),
		strconv.FormatFloat(v.error, 'g', -1, 64), strconv.FormatFloat(v.seconds, 'g', 4, 64),
	}
}

// seeds returns, in ascending order, the seeds for which both searches were measured with the learner and the number of rows of p.
func (m measurements) seeds(set string, p place) (out []uint64) {
	for k := range m.At {
		if k.set == set && k.learner == p.learner && k.rows == p.rows && k.search == byEntropy {
			k.search = byGrid
			if _, ok := m.At[k]; ok {
				out = append(out, k.seed)
			}
		}
	}
	slices.Sort(out)
	return out
}
